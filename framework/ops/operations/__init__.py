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
    likelihoods,
    linear_algebra,
    loss,
    matrices,
    normalization,
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

# What a family offers is named once, there.
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
from framework.ops.operations.likelihoods import *  # noqa: F403
from framework.ops.operations.linear_algebra import *  # noqa: F403
from framework.ops.operations.loss import *  # noqa: F403
from framework.ops.operations.matrices import *  # noqa: F403
from framework.ops.operations.normalization import *  # noqa: F403
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
__all__ += likelihoods.__all__
__all__ += linear_algebra.__all__
__all__ += loss.__all__
__all__ += matrices.__all__
__all__ += normalization.__all__
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
    "ACos",
    "Abs",
    "Acosh",
    "Add",
    "AddN",
    "Asin",
    "Asinh",
    "Atan",
    "Atan2",
    "Atanh",
    "BitwiseAnd",
    "BitwiseOr",
    "BitwiseXor",
    "Ceil",
    "Cos",
    "Cosh",
    "Digamma",
    "Div",
    "DivNoNan",
    "Equal",
    "Erf",
    "Erfc",
    "Erfinv",
    "Exp",
    "Expm1",
    "Floor",
    "FloorDiv",
    "FloorMod",
    "Greater",
    "GreaterEqual",
    "Inv",
    "IsFinite",
    "IsInf",
    "IsNan",
    "Less",
    "LessEqual",
    "Lgamma",
    "Log",
    "Log1p",
    "LogicalAnd",
    "LogicalNot",
    "LogicalOr",
    "LogicalXor",
    "Maximum",
    "Minimum",
    "Mod",
    "Mul",
    "Neg",
    "NotEqual",
    "Polygamma",
    "Pow",
    "RealDiv",
    "Reciprocal",
    "Rint",
    "Round",
    "Rsqrt",
    "Sign",
    "Sin",
    "Sinh",
    "Sqrt",
    "Square",
    "SquaredDifference",
    "Sub",
    "Tan",
    "Tanh",
    "TensorAdd",
    "Trunc",
    "TruncateDiv",
    "TruncateMod",
    "Xdivy",
    "Xlogy",
]
__all__ += [
    "ArgMaxWithValue",
    "ArgMinWithValue",
    "Argmax",
    "Argmin",
    "CeLU",
    "CumProd",
    "CumSum",
    "Elu",
    "GeLU",
    "HShrink",
    "HSigmoid",
    "HSwish",
    "LogSoftmax",
    "Mish",
    "PReLU",
    "ReLU",
    "ReLU6",
    "ReduceAll",
    "ReduceAny",
    "ReduceMax",
    "ReduceMean",
    "ReduceMin",
    "ReduceProd",
    "ReduceSum",
    "ReluGrad",
    "SeLU",
    "SiLU",
    "Sigmoid",
    "SoftShrink",
    "Softmax",
    "Softplus",
    "Softsign",
]
