"""The primitives, by family; public as `framework.ops.operations`, mostly called P."""

from framework.ops.activation.normalized_exponentials import (
    LogSoftmax,
    Softmax,
)
from framework.ops.activation.rectifiers import (
    CeLU,
    Elu,
    HShrink,
    PReLU,
    ReLU,
    ReLU6,
    ReluGrad,
    SeLU,
    SoftShrink,
)
from framework.ops.activation.sigmoids import (
    GeLU,
    HSigmoid,
    HSwish,
    Mish,
    Sigmoid,
    SiLU,
    Softplus,
    Softsign,
)
from framework.ops.arithmetic.binary import (
    Add,
    AddN,
    Atan2,
    Maximum,
    Minimum,
    Mul,
    Pow,
    SquaredDifference,
    Sub,
    TensorAdd,
    Xlogy,
)
from framework.ops.arithmetic.division import (
    Div,
    DivNoNan,
    FloorDiv,
    FloorMod,
    Mod,
    RealDiv,
    TruncateDiv,
    TruncateMod,
    Xdivy,
)
from framework.ops.comparison import (
    BitwiseAnd,
    BitwiseOr,
    BitwiseXor,
    Equal,
    Greater,
    GreaterEqual,
    IsFinite,
    IsInf,
    IsNan,
    Less,
    LessEqual,
    LogicalAnd,
    LogicalNot,
    LogicalOr,
    LogicalXor,
    NotEqual,
)
from framework.ops.losses.distances import (
    L2Loss,
    SmoothL1Loss,
)
from framework.ops.losses.labelled import (
    SigmoidCrossEntropy,
    SigmoidCrossEntropyWithLogits,
    SoftmaxCrossEntropy,
    SoftmaxCrossEntropyWithLogits,
    SparseSoftmaxCrossEntropyWithLogits,
    SparseSoftmaxCrossEntropyWithLogitsGrad,
)
from framework.ops.losses.likelihoods import (
    BCEWithLogitsLoss,
    BinaryCrossEntropy,
    KLDivLoss,
    NLLLoss,
)
from framework.ops.mathematics.exponential import (
    Exp,
    Expm1,
    Inv,
    Log,
    Log1p,
    Reciprocal,
    Rsqrt,
    Sqrt,
    Square,
)
from framework.ops.mathematics.rounding import (
    Abs,
    Ceil,
    Floor,
    Neg,
    Rint,
    Round,
    Sign,
    Trunc,
)
from framework.ops.mathematics.special_functions import (
    Digamma,
    Erf,
    Erfc,
    Erfinv,
    Lgamma,
    Polygamma,
)
from framework.ops.mathematics.trigonometry import (
    ACos,
    Acosh,
    Asin,
    Asinh,
    Atan,
    Atanh,
    Cos,
    Cosh,
    Sin,
    Sinh,
    Tan,
    Tanh,
)
from framework.ops.matrices.inverses import (
    Cholesky,
    Diag,
    DiagPart,
    MatrixDeterminant,
    MatrixInverse,
    Trace,
)
from framework.ops.matrices.products import (
    BatchMatMul,
    BiasAdd,
    BiasAddGrad,
    MatMul,
)
from framework.ops.matrices.vectors import (
    Cdist,
    Cross,
    Ger,
    L2Normalize,
)
from framework.ops.normalization import (
    BatchNorm,
    BatchNormGrad,
    LayerNorm,
    LayerNormGrad,
)
from framework.ops.operations import (
    adam_updates,
    array,
    blocks,
    choosing,
    convolution,
    creation,
    detection,
    factorizations,
    gathering,
    grids,
    indexing,
    integers,
    ordering,
    padded_sequences,
    printing,
    random,
    resizing,
    sampling,
    scattering,
    searching,
    sequences,
    slicing,
    state,
    summary,
    updates,
    volumes,
)

# What one of these modules offers is named once, there.
from framework.ops.operations.adam_updates import *  # noqa: F403
from framework.ops.operations.array import *  # noqa: F403
from framework.ops.operations.blocks import *  # noqa: F403
from framework.ops.operations.choosing import *  # noqa: F403
from framework.ops.operations.convolution import *  # noqa: F403
from framework.ops.operations.creation import *  # noqa: F403
from framework.ops.operations.detection import *  # noqa: F403
from framework.ops.operations.factorizations import *  # noqa: F403
from framework.ops.operations.gathering import *  # noqa: F403
from framework.ops.operations.grids import *  # noqa: F403
from framework.ops.operations.indexing import *  # noqa: F403
from framework.ops.operations.integers import *  # noqa: F403
from framework.ops.operations.ordering import *  # noqa: F403
from framework.ops.operations.padded_sequences import *  # noqa: F403
from framework.ops.operations.printing import *  # noqa: F403
from framework.ops.operations.random import *  # noqa: F403
from framework.ops.operations.resizing import *  # noqa: F403
from framework.ops.operations.sampling import *  # noqa: F403
from framework.ops.operations.scattering import *  # noqa: F403
from framework.ops.operations.searching import *  # noqa: F403
from framework.ops.operations.sequences import *  # noqa: F403
from framework.ops.operations.slicing import *  # noqa: F403
from framework.ops.operations.state import *  # noqa: F403
from framework.ops.operations.summary import *  # noqa: F403
from framework.ops.operations.updates import *  # noqa: F403
from framework.ops.operations.volumes import *  # noqa: F403
from framework.ops.pooling.adaptive import (
    AdaptiveAvgPool2D,
    AdaptiveAvgPool2DGrad,
)
from framework.ops.pooling.sliding import (
    AvgPool,
    AvgPoolGrad,
    MaxPool,
    MaxPoolGrad,
    MaxPoolGradGrad,
)
from framework.ops.pooling.with_places import (
    AdaptiveMaxPool2D,
    MaxPoolWithArgmaxV2,
)
from framework.ops.reduction.extremes import (
    Argmax,
    ArgMaxWithValue,
    Argmin,
    ArgMinWithValue,
    ReduceMax,
    ReduceMin,
)
from framework.ops.reduction.totals import (
    CumProd,
    CumSum,
    ReduceAll,
    ReduceAny,
    ReduceMean,
    ReduceProd,
    ReduceSum,
)

__all__: list[str] = []
__all__ += adam_updates.__all__
__all__ += array.__all__
__all__ += blocks.__all__
__all__ += choosing.__all__
__all__ += convolution.__all__
__all__ += creation.__all__
__all__ += detection.__all__
__all__ += factorizations.__all__
__all__ += gathering.__all__
__all__ += grids.__all__
__all__ += indexing.__all__
__all__ += integers.__all__
__all__ += ordering.__all__
__all__ += padded_sequences.__all__
__all__ += printing.__all__
__all__ += random.__all__
__all__ += resizing.__all__
__all__ += sampling.__all__
__all__ += scattering.__all__
__all__ += searching.__all__
__all__ += sequences.__all__
__all__ += slicing.__all__
__all__ += state.__all__
__all__ += summary.__all__
__all__ += updates.__all__
__all__ += volumes.__all__
__all__ += [
    "ACos", "Abs", "Acosh", "AdaptiveAvgPool2D", "AdaptiveAvgPool2DGrad", "AdaptiveMaxPool2D", "Add", "AddN",
    "ArgMaxWithValue", "ArgMinWithValue", "Argmax", "Argmin", "Asin", "Asinh", "Atan", "Atan2", "Atanh", "AvgPool",
    "AvgPoolGrad", "BCEWithLogitsLoss", "BatchMatMul", "BatchNorm", "BatchNormGrad", "BiasAdd", "BiasAddGrad",
    "BinaryCrossEntropy", "BitwiseAnd", "BitwiseOr", "BitwiseXor", "Cdist", "CeLU", "Ceil", "Cholesky", "Cos", "Cosh",
    "Cross", "CumProd", "CumSum", "Diag", "DiagPart", "Digamma", "Div", "DivNoNan", "Elu", "Equal", "Erf", "Erfc",
    "Erfinv", "Exp", "Expm1", "Floor", "FloorDiv", "FloorMod", "GeLU", "Ger", "Greater", "GreaterEqual", "HShrink",
    "HSigmoid", "HSwish", "Inv", "IsFinite", "IsInf", "IsNan", "KLDivLoss", "L2Loss", "L2Normalize", "LayerNorm",
    "LayerNormGrad", "Less", "LessEqual", "Lgamma", "Log", "Log1p", "LogSoftmax", "LogicalAnd", "LogicalNot",
    "LogicalOr", "LogicalXor", "MatMul", "MatrixDeterminant", "MatrixInverse", "MaxPool", "MaxPoolGrad",
    "MaxPoolGradGrad", "MaxPoolWithArgmaxV2", "Maximum", "Minimum", "Mish", "Mod", "Mul", "NLLLoss", "Neg", "NotEqual",
    "PReLU", "Polygamma", "Pow", "ReLU", "ReLU6", "RealDiv", "Reciprocal", "ReduceAll", "ReduceAny", "ReduceMax",
    "ReduceMean", "ReduceMin", "ReduceProd", "ReduceSum", "ReluGrad", "Rint", "Round", "Rsqrt", "SeLU", "SiLU",
    "Sigmoid", "SigmoidCrossEntropy", "SigmoidCrossEntropyWithLogits", "Sign", "Sin", "Sinh", "SmoothL1Loss",
    "SoftShrink", "Softmax", "SoftmaxCrossEntropy", "SoftmaxCrossEntropyWithLogits", "Softplus", "Softsign",
    "SparseSoftmaxCrossEntropyWithLogits", "SparseSoftmaxCrossEntropyWithLogitsGrad", "Sqrt", "Square",
    "SquaredDifference", "Sub", "Tan", "Tanh", "TensorAdd", "Trace", "Trunc", "TruncateDiv", "TruncateMod", "Xdivy",
    "Xlogy",
]  # fmt: skip
