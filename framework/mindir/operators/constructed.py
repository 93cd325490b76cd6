"""MindSpore's operators that are primitives here too, and the numbers that stand for words in files.

MindSpore 2.x has two kinds of primitives. Arguments of the older kind are attributes. For the newer kind all arguments
are inputs, and those that the constructor takes come last, in its order. `meanings` reads these tables.
"""

from __future__ import annotations

from typing import Final

__all__ = ["ATTRIBUTES", "DATA_FORMATS", "PADDINGS", "REDUCTIONS", "WORDS"]

DATA_FORMATS: Final = {0: "NCHW", 1: "NHWC", 14: "NCDHW"}
PADDINGS: Final = {0: "pad", 1: "same", 2: "valid"}
REDUCTIONS: Final = {0: "sum", 1: "mean", 2: "none"}
WORDS: Final = {
    "indexing": {0: "ij", 1: "xy"}, "interpolation_mode": {0: "bilinear", 1: "nearest"},
    "padding_mode": {0: "zeros", 1: "border", 2: "reflection"},
}  # fmt: skip
"""Words of single arguments, by their numbers."""

_PLAIN: Final = """
    ACos Abs Acosh Add AddN Angle Asin Asinh Assign AssignAdd AssignSub Atan Atan2 Atanh Betainc BitwiseAnd BitwiseOr
    BitwiseXor Ceil Complex Conj Cos Cosh Diag Div DivNoNan Equal Erf Erfc Erfinv Exp ExpandDims Expm1 FastGeLU Flatten
    Floor FloorDiv FloorMod GatherD GatherNd Gcd GeLU Greater GreaterEqual HSigmoid HSwish Identity Inv IsFinite IsInf
    IsNan LeftShift Lerp Less LessEqual Lgamma Log Log1p LogicalAnd LogicalNot LogicalOr LogicalXor MaskedFill
    MaskedSelect MatrixDeterminant Maximum Minimum Mish Mod Mul Neg NextAfter NonZero NotEqual OnesLike PReLU Pow Real
    RealDiv ReLU ReLU6 Reciprocal Reshape RightShift Rint Rsqrt ScatterNd SeLU Select SiLU Sigmoid Sign Sin Sinh Slice
    Softplus Softsign Sqrt Square SquaredDifference StopGradient Sub Tan Tanh TensorScatterAdd TensorScatterUpdate
    Trace Transpose Trunc TruncateDiv UnsortedSegmentSum Xlogy ZerosLike SoftmaxCrossEntropyWithLogits
    SparseSoftmaxCrossEntropyWithLogits
"""
_WITH_ATTRIBUTES: Final = """
    AdaptiveAvgPool2D output_size | AdaptiveMaxPool2D output_size | ArgMaxWithValue axis keep_dims |
    ArgMinWithValue axis keep_dims | Argmax axis output_type | Argmin axis output_type | BCEWithLogitsLoss reduction |
    BatchMatMul transpose_a transpose_b | BatchNorm is_training epsilon momentum data_format | BiasAdd data_format |
    BinaryCrossEntropy reduction | Cdist p | CeLU alpha | Cholesky upper | Concat axis | Cross dim |
    CumProd exclusive reverse | CumSum exclusive reverse | Cummax axis | Cummin axis | DepthToSpace block_size |
    Dropout keep_prob Seed0 Seed1 | Elu alpha | Gather batch_dims |
    GridSampler2D interpolation_mode padding_mode align_corners | HShrink lambd | KLDivLoss reduction |
    LRN depth_radius bias alpha beta norm_region | LayerNorm begin_norm_axis begin_params_axis epsilon |
    LogSoftmax axis | MatMul transpose_a transpose_b | Meshgrid indexing | NLLLoss reduction ignore_index |
    NanToNum nan posinf neginf | ReduceAll keep_dims | ReduceAny keep_dims | ReduceMax keep_dims |
    ReduceMean keep_dims | ReduceMin keep_dims | ReduceProd keep_dims | ReverseV2 axis | SmoothL1Loss beta reduction |
    SoftShrink lambd | Softmax axis | Sort axis descending | SpaceToDepth block_size | Split axis output_num |
    Squeeze axis | Stack axis | StridedSlice begin_mask end_mask ellipsis_mask new_axis_mask shrink_axis_mask |
    TopK sorted | Triu diagonal | Tril diagonal | Unstack axis num |
    L2Normalize axis epsilon | MirrorPad mode | LpNorm axis p keep_dims epsilon |
    LSTM input_size hidden_size num_layers has_bias bidirectional dropout
"""


def _rows() -> dict[str, tuple[str, ...]]:
    rows: dict[str, tuple[str, ...]] = dict.fromkeys(_PLAIN.split(), ())
    for row in _WITH_ATTRIBUTES.split("|"):
        name, *attributes = row.split()
        rows[name] = tuple(attributes)
    return rows


ATTRIBUTES: Final = _rows()
"""The names of the arguments that our primitive takes when it is made, by the name of the operator."""
