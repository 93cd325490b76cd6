"""The primitives, by family; public as `framework.ops.operations`, commonly imported as P."""

# isort: off
# fmt: off
from framework.ops.activation.normalized_exponentials import LogSoftmax, Softmax
from framework.ops.activation.rectifiers import CeLU, Elu, PReLU, ReLU, ReLU6, ReluGrad, SeLU
from framework.ops.activation.shrinking import HShrink, SoftShrink
from framework.ops.activation.sigmoids import (
    ErfGeLU, ErfGeLUGrad, FastGeLU, GeLU, HSigmoid, HSwish, Mish, SiLU, Sigmoid, Softplus, Softsign,
)
from framework.ops.arithmetic.binary import (
    Add, AddN, Atan2, Maximum, Minimum, Mul, Pow, SquaredDifference, Sub, TensorAdd, Xlogy,
)
from framework.ops.arithmetic.combined import Lerp, NanToNum
from framework.ops.arithmetic.division import (
    Div, DivNoNan, FloorDiv, FloorMod, Mod, RealDiv, TruncateDiv, TruncateMod, Xdivy,
)
from framework.ops.array.broadcasting import BroadcastLike, BroadcastTo, SumLike
from framework.ops.array.casting import Cast
from framework.ops.array.flipping import ReverseSequence, ReverseV2
from framework.ops.array.joining import Concat, PartsLike, Split, Stack, Unstack
from framework.ops.array.padding import MirrorPad, MirrorPadGrad, Pad, Padding, PadV3, PadV3Grad
from framework.ops.array.properties import DType, Rank, Shape, Size, TensorShape
from framework.ops.array.repeating import Meshgrid, Tile
from framework.ops.array.reshaping import ExpandDims, Flatten, Identity, Reshape, Squeeze
from framework.ops.array.space_and_depth import BatchToSpaceND, DepthToSpace, SpaceToBatchND, SpaceToDepth
from framework.ops.array.transposing import Transpose
from framework.ops.array.triangles import Tril, Triu
from framework.ops.comparison import (
    BitwiseAnd, BitwiseOr, BitwiseXor, Equal, Greater, GreaterEqual, IsFinite, IsInf, IsNan, Less, LessEqual,
    LogicalAnd, LogicalNot, LogicalOr, LogicalXor, NotEqual,
)
from framework.ops.collectives import exchanging, reducing_and_gathering, rooted
from framework.ops.collectives.base import ReduceOp
from framework.ops.collectives.exchanging import *  # noqa: F403
from framework.ops.collectives.reducing_and_gathering import *  # noqa: F403
from framework.ops.collectives.rooted import *  # noqa: F403
from framework.ops.control import float_status, looping
from framework.ops.control.applying import Partial
from framework.ops.control.dependencies import ControlDepend, Depend, HookBackward, InsertGradientOf, StopGradient
from framework.ops.control.float_status import *  # noqa: F403
from framework.ops.control.looping import *  # noqa: F403
from framework.ops.control.printing import Print
from framework.ops.control.summary import HistogramSummary, ImageSummary, ScalarSummary, TensorSummary
from framework.ops.convolution.planes import Conv2D, Conv2DBackpropFilter, Conv2DBackpropInput, Conv2DTranspose
from framework.ops.convolution.solids import Conv3D, Conv3DBackpropFilter, Conv3DBackpropInput
from framework.ops.creation.filled_like import OnesLike, ZerosLike
from framework.ops.creation.filling import Eye, Fill, FillV2, Ones, Zeros
from framework.ops.creation.from_numbers import ScalarCast, ScalarToArray, ScalarToTensor, TupleToArray
from framework.ops.creation.ranges import LinSpace, Range
from framework.ops.images.boxes import IOU, BoundingBoxDecode, BoundingBoxEncode, CheckValid, NMSWithMask
from framework.ops.images.grid_sampling import GridCorners, GridSampler2D
from framework.ops.images.interpolating import Resample, ResampleGrad
from framework.ops.images.regions import CropAndResize, ROIAlign, ROIAlignGrad
from framework.ops.images.resizing import (
    ResizeBilinear, ResizeBilinearGrad, ResizeBilinearV2, ResizeNearestNeighbor, ResizeNearestNeighborGrad,
    ResizeNearestNeighborV2,
)
from framework.ops.indexing.embedding import EmbeddingLookup
from framework.ops.indexing.gather_scatter_nd import GatherNd, ScatterNd
from framework.ops.indexing.gathering_elements import Gather, GatherD, GatherDGrad, GatherGrad, GatherV2, SparseGatherV2
from framework.ops.indexing.parameter_scatter import (
    IndexAdd, ScatterAdd, ScatterDiv, ScatterMax, ScatterMin, ScatterMul, ScatterNdAdd, ScatterNdSub, ScatterNdUpdate,
    ScatterSub, ScatterUpdate,
)
from framework.ops.indexing.segment_reductions import (
    UnsortedSegmentMax, UnsortedSegmentMin, UnsortedSegmentProd, UnsortedSegmentSum,
)
from framework.ops.indexing.selecting import MaskedFill, OneHot, Select
from framework.ops.indexing.slicing import Slice, SliceGrad, StridedSlice, StridedSliceGrad
from framework.ops.indexing.subscripts import GetItem, GetItemGrad, SetItem
from framework.ops.indexing.tensor_scatter import (
    TensorScatterAdd, TensorScatterDiv, TensorScatterElements, TensorScatterMax, TensorScatterMin, TensorScatterMul,
    TensorScatterSub, TensorScatterUpdate,
)
from framework.ops.losses.ctc_padded import CTCLossV2, CTCLossV2Grad, CTCLossV2Hessian
from framework.ops.losses.ctc_sparse import CTCLoss, CTCLossGrad, CTCLossHessian
from framework.ops.losses.distances import L2Loss, SmoothL1Loss, SquareSumAll
from framework.ops.losses.labelled import (
    SigmoidCrossEntropy, SigmoidCrossEntropyWithLogits, SoftmaxCrossEntropy, SoftmaxCrossEntropyWithLogits,
    SparseSoftmaxCrossEntropyWithLogits, SparseSoftmaxCrossEntropyWithLogitsGrad,
)
from framework.ops.losses.likelihoods import BCEWithLogitsLoss, BinaryCrossEntropy, KLDivLoss, NLLLoss
from framework.ops.mathematics.complex_numbers import Angle, Complex, Conj, ConjugateTranspose, Imag, Real
from framework.ops.mathematics.exponential import Exp, Expm1, Inv, Log, Log1p, Reciprocal, Rsqrt, Sqrt, Square
from framework.ops.mathematics.incomplete import Betainc, Igamma, Igammac
from framework.ops.mathematics.integers import Gcd, Invert, Lcm, LeftShift, NextAfter, PopulationCount, RightShift
from framework.ops.mathematics.rounding import Abs, Ceil, Floor, Neg, Rint, Round, Sign, Trunc
from framework.ops.mathematics.special_functions import Digamma, Erf, Erfc, Erfinv, Lgamma, Polygamma
from framework.ops.mathematics.trigonometry import (
    ACos, Acosh, Asin, Asinh, Atan, Atanh, Cos, Cosh, Sin, Sinh, Tan, Tanh,
)
from framework.ops.matrices.combined_products import Dense
from framework.ops.matrices.diagonals import MatrixDiagV3
from framework.ops.matrices.factorizations import Qr, Svd
from framework.ops.matrices.inverses import Cholesky, Diag, DiagPart, MatrixDeterminant, MatrixInverse, Trace
from framework.ops.matrices.products import BatchMatMul, BiasAdd, BiasAddGrad, MatMul
from framework.ops.matrices.solving import CholeskyInverse
from framework.ops.matrices.vectors import Cdist, Cross, Ger, L2Normalize
from framework.ops.normalization.batch import BatchNorm, BatchNormGrad
from framework.ops.normalization.layer import LayerNorm, LayerNormGrad
from framework.ops.normalization.local_response import LRN
from framework.ops.pooling.adaptive import AdaptiveAvgPool2D, AdaptiveAvgPool2DGrad
from framework.ops.pooling.fractional import FractionalMaxPool3DWithFixedKsize, FractionalMaxPoolWithFixedKsize
from framework.ops.pooling.sliding import AvgPool, AvgPoolGrad, MaxPool, MaxPoolGrad, MaxPoolGradGrad
from framework.ops.pooling.volumes import (
    AdaptiveAvgPool3D, AdaptiveMaxPool3D, AvgPool3D, MaxPool3D, MaxPool3DWithArgmax, MaxUnpool2D, MaxUnpool3D,
)
from framework.ops.pooling.with_places import AdaptiveMaxPool2D, MaxPoolWithArgmaxV2
from framework.ops.random.choosing import (
    Multinomial, RandomCategorical, RandomChoiceWithMask, RandomShuffle, RandpermV2,
)
from framework.ops.random.distributions import Bernoulli, Gamma, Poisson, StandardLaplace, TruncatedNormal
from framework.ops.random.dropout import Dropout, Dropout2D, Dropout3D
from framework.ops.random.uniform_and_normal import StandardNormal, UniformInt, UniformReal
from framework.ops.recurrent.sequences import GRUSequence, GRUSequenceGrad, LSTMSequence, LSTMSequenceGrad
from framework.ops.pooling.with_places import MaxPoolWithArgmax
from framework.ops.recurrent.lstm import LSTM
from framework.ops.reduction.cumulative import CumProd, CumSum
from framework.ops.reduction.extremes import ArgMaxWithValue, ArgMinWithValue, Argmax, Argmin, ReduceMax, ReduceMin
from framework.ops.reduction.lp_norm import LpNorm
from framework.ops.reduction.totals import ReduceAll, ReduceAny, ReduceMean, ReduceProd, ReduceSum
from framework.ops.searching.counting import Bincount, Histogram, Unique, UniqueConsecutive, UniqueWithPad
from framework.ops.searching.finding import InTopK, MaskedSelect, NonZero, SearchSorted
from framework.ops.searching.nearness import ApproximateEqual
from framework.ops.searching.sorting import Cummax, Cummin, Sort, TopK
from framework.ops.updates.adam_steps import Adam, AdamWeightDecay, ApplyAdaMax, ApplyAdamWithAmsgrad, Lamb
from framework.ops.updates.adaptive_steps import (
    ApplyAdadelta, ApplyAdagrad, ApplyCenteredRMSProp, ApplyFtrl, ApplyProximalAdagrad, ApplyRMSProp,
)
from framework.ops.updates.assignment import Assign, AssignAdd, AssignSub
from framework.ops.updates.descent_steps import (
    ApplyAdagradDA, ApplyAdagradV2, ApplyGradientDescent, ApplyProximalGradientDescent,
)
from framework.ops.updates.momentum_steps import ApplyMomentum, SGD
# fmt: on
# isort: on

__all__ = [
    "IOU",
    "LRN",
    "LSTM",
    "SGD",
    "ACos",
    "Abs",
    "Acosh",
    "Adam",
    "AdamWeightDecay",
    "AdaptiveAvgPool2D",
    "AdaptiveAvgPool2DGrad",
    "AdaptiveAvgPool3D", "AdaptiveMaxPool2D", "AdaptiveMaxPool3D", "Add", "AddN", "Angle",
    "ApplyAdaMax",
    "ApplyAdadelta",
    "ApplyAdagrad", "ApplyAdagradDA", "ApplyAdagradV2",
    "ApplyAdamWithAmsgrad",
    "ApplyCenteredRMSProp",
    "ApplyFtrl",
    "ApplyGradientDescent", "ApplyMomentum", "ApplyProximalAdagrad", "ApplyProximalGradientDescent",
    "ApplyRMSProp",
    "ApproximateEqual", "ArgMaxWithValue",
    "ArgMinWithValue",
    "Argmax",
    "Argmin",
    "Asin",
    "Asinh",
    "Assign",
    "AssignAdd",
    "AssignSub",
    "Atan",
    "Atan2",
    "Atanh",
    "AvgPool",
    "AvgPool3D",
    "AvgPoolGrad",
    "BCEWithLogitsLoss",
    "BatchMatMul",
    "BatchNorm",
    "BatchNormGrad",
    "BatchToSpaceND",
    "Bernoulli",
    "Betainc",
    "BiasAdd",
    "BiasAddGrad",
    "BinaryCrossEntropy",
    "Bincount",
    "BitwiseAnd",
    "BitwiseOr",
    "BitwiseXor",
    "BoundingBoxDecode",
    "BoundingBoxEncode",
    "BroadcastLike",
    "BroadcastTo",
    "CTCLoss",
    "CTCLossGrad",
    "CTCLossHessian",
    "CTCLossV2",
    "CTCLossV2Grad",
    "CTCLossV2Hessian",
    "Cast",
    "Cdist",
    "CeLU",
    "Ceil",
    "CheckValid", "Cholesky", "CholeskyInverse", "Complex", "Concat", "Conj", "ConjugateTranspose",
    "ControlDepend",
    "Conv2D",
    "Conv2DBackpropFilter",
    "Conv2DBackpropInput",
    "Conv2DTranspose",
    "Conv3D",
    "Conv3DBackpropFilter",
    "Conv3DBackpropInput",
    "Cos",
    "Cosh",
    "CropAndResize",
    "Cross",
    "CumProd",
    "CumSum",
    "Cummax",
    "Cummin",
    "DType",
    "Dense", "Depend",
    "DepthToSpace",
    "Diag",
    "DiagPart",
    "Digamma",
    "Div",
    "DivNoNan",
    "Dropout", "Dropout2D", "Dropout3D",
    "Elu",
    "EmbeddingLookup", "Equal", "Erf", "ErfGeLU", "ErfGeLUGrad",
    "Erfc",
    "Erfinv",
    "Exp",
    "ExpandDims",
    "Expm1",
    "Eye", "FastGeLU",
    "Fill",
    "FillV2",
    "Flatten",
    "Floor",
    "FloorDiv",
    "FloorMod",
    "FractionalMaxPool3DWithFixedKsize",
    "FractionalMaxPoolWithFixedKsize",
    "GRUSequence",
    "GRUSequenceGrad",
    "Gamma",
    "Gather",
    "GatherD",
    "GatherDGrad",
    "GatherGrad",
    "GatherNd",
    "GatherV2",
    "Gcd",
    "GeLU",
    "Ger",
    "GetItem",
    "GetItemGrad",
    "Greater",
    "GreaterEqual",
    "GridCorners",
    "GridSampler2D",
    "HShrink",
    "HSigmoid",
    "HSwish",
    "Histogram",
    "HistogramSummary",
    "HookBackward",
    "Identity",
    "Igamma",
    "Igammac",
    "Imag",
    "ImageSummary",
    "InTopK",
    "IndexAdd",
    "InsertGradientOf",
    "Inv",
    "Invert",
    "IsFinite",
    "IsInf",
    "IsNan",
    "KLDivLoss",
    "L2Loss",
    "L2Normalize",
    "LSTMSequence",
    "LSTMSequenceGrad",
    "Lamb",
    "LayerNorm",
    "LayerNormGrad",
    "Lcm",
    "LeftShift",
    "Lerp",
    "Less",
    "LessEqual",
    "Lgamma",
    "LinSpace",
    "Log",
    "Log1p",
    "LogSoftmax",
    "LogicalAnd",
    "LogicalNot",
    "LogicalOr",
    "LogicalXor",
    "LpNorm",
    "MaskedFill",
    "MaskedSelect",
    "MatMul",
    "MatrixDeterminant", "MatrixDiagV3",
    "MatrixInverse",
    "MaxPool",
    "MaxPool3D", "MaxPool3DWithArgmax", "MaxPoolGrad", "MaxPoolGradGrad", "MaxPoolWithArgmax", "MaxPoolWithArgmaxV2",
    "MaxUnpool2D", "MaxUnpool3D",
    "Maximum",
    "Meshgrid",
    "Minimum",
    "MirrorPad",
    "MirrorPadGrad",
    "Mish",
    "Mod",
    "Mul",
    "Multinomial",
    "NLLLoss",
    "NMSWithMask",
    "NanToNum",
    "Neg",
    "NextAfter",
    "NonZero",
    "NotEqual",
    "OneHot",
    "Ones",
    "OnesLike",
    "PReLU",
    "Pad",
    "PadV3",
    "PadV3Grad",
    "Padding",
    "Partial",
    "PartsLike",
    "Poisson",
    "Polygamma",
    "PopulationCount",
    "Pow",
    "Print",
    "Qr",
    "ROIAlign",
    "ROIAlignGrad",
    "RandomCategorical",
    "RandomChoiceWithMask",
    "RandomShuffle",
    "RandpermV2",
    "Range",
    "Rank",
    "ReLU",
    "ReLU6",
    "Real",
    "RealDiv",
    "Reciprocal",
    "ReduceAll",
    "ReduceAny",
    "ReduceMax",
    "ReduceMean",
    "ReduceMin",
    "ReduceProd",
    "ReduceSum",
    "ReluGrad",
    "Resample",
    "ResampleGrad",
    "Reshape",
    "ResizeBilinear",
    "ResizeBilinearGrad",
    "ResizeBilinearV2",
    "ResizeNearestNeighbor",
    "ResizeNearestNeighborGrad",
    "ResizeNearestNeighborV2",
    "ReverseSequence",
    "ReverseV2",
    "RightShift",
    "Rint",
    "Round",
    "Rsqrt",
    "ScalarCast",
    "ScalarSummary",
    "ScalarToArray",
    "ScalarToTensor",
    "ScatterAdd",
    "ScatterDiv",
    "ScatterMax",
    "ScatterMin",
    "ScatterMul",
    "ScatterNd",
    "ScatterNdAdd",
    "ScatterNdSub",
    "ScatterNdUpdate",
    "ScatterSub",
    "ScatterUpdate",
    "SeLU",
    "SearchSorted",
    "Select",
    "SetItem",
    "Shape",
    "SiLU",
    "Sigmoid",
    "SigmoidCrossEntropy",
    "SigmoidCrossEntropyWithLogits",
    "Sign",
    "Sin",
    "Sinh",
    "Size",
    "Slice",
    "SliceGrad",
    "SmoothL1Loss",
    "SoftShrink",
    "Softmax",
    "SoftmaxCrossEntropy",
    "SoftmaxCrossEntropyWithLogits",
    "Softplus",
    "Softsign",
    "Sort",
    "SpaceToBatchND",
    "SpaceToDepth",
    "SparseGatherV2",
    "SparseSoftmaxCrossEntropyWithLogits",
    "SparseSoftmaxCrossEntropyWithLogitsGrad",
    "Split",
    "Sqrt",
    "Square",
    "SquareSumAll",
    "SquaredDifference",
    "Squeeze",
    "Stack",
    "StandardLaplace",
    "StandardNormal",
    "StopGradient",
    "StridedSlice",
    "StridedSliceGrad",
    "Sub",
    "SumLike",
    "Svd",
    "Tan",
    "Tanh",
    "TensorAdd",
    "TensorScatterAdd",
    "TensorScatterDiv",
    "TensorScatterElements",
    "TensorScatterMax",
    "TensorScatterMin",
    "TensorScatterMul",
    "TensorScatterSub",
    "TensorScatterUpdate",
    "TensorShape",
    "TensorSummary",
    "Tile",
    "TopK",
    "Trace",
    "Transpose",
    "Tril",
    "Triu",
    "Trunc",
    "TruncateDiv",
    "TruncateMod",
    "TruncatedNormal",
    "TupleToArray",
    "UniformInt",
    "UniformReal",
    "Unique",
    "UniqueConsecutive",
    "UniqueWithPad",
    "UnsortedSegmentMax",
    "UnsortedSegmentMin",
    "UnsortedSegmentProd",
    "UnsortedSegmentSum",
    "Unstack",
    "Xdivy",
    "Xlogy",
    "Zeros",
    "ZerosLike",
]  # fmt: skip
__all__ += ["ReduceOp", *exchanging.__all__, *reducing_and_gathering.__all__, *rooted.__all__]
__all__ += float_status.__all__
__all__ += looping.__all__
