"""Functions in the style `ops.relu(x)`, made of primitives; public as `framework.ops.functional`, mostly called F.

Written in the part of Python that graph mode parses, so both modes run the same text.
"""

from functools import partial as partial

from framework.ops.activation.normalized_exponentials import (
    log_softmax,
    softmax,
    softmin,
)
from framework.ops.activation.rectifiers import (
    celu,
    elu,
    hardshrink,
    leaky_relu,
    prelu,
    relu,
    relu6,
    selu,
    softshrink,
    threshold,
)
from framework.ops.activation.sigmoids import (
    gelu,
    hardsigmoid,
    hardswish,
    logsigmoid,
    mish,
    sigmoid,
    silu,
    softplus,
    softsign,
    tanhshrink,
)
from framework.ops.arithmetic.binary import (
    add,
    addn,
    arctan2,
    atan2,
    maximum,
    minimum,
    mul,
    multiply,
    pow,
    squared_difference,
    sub,
    subtract,
    xlogy,
)
from framework.ops.arithmetic.division import (
    div,
    div_no_nan,
    divide,
    floor_div,
    floor_divide,
    floor_mod,
    fmod,
    real_div,
    remainder,
    true_divide,
    truncate_div,
    truncate_mod,
    xdivy,
)
from framework.ops.comparison import (
    bitwise_and,
    bitwise_or,
    bitwise_xor,
    equal,
    ge,
    greater,
    greater_equal,
    gt,
    isfinite,
    isinf,
    isnan,
    le,
    less,
    less_equal,
    logical_and,
    logical_not,
    logical_or,
    logical_xor,
    lt,
    ne,
    not_equal,
)
from framework.ops.functional import (
    accumulating,
    activations,
    algebra,
    arranging,
    bands,
    boxes,
    combining,
    contracting,
    convolution,
    creation,
    diagonals,
    distributions,
    drawing,
    elementwise,
    exchanging,
    factoring,
    images,
    labels,
    logarithms,
    measuring,
    neural,
    normalizing,
    picking,
    pooling,
    primitives,
    putting,
    ranking,
    rearranging,
    replacing,
    scalars,
    scattering,
    searching,
    shaping,
    special,
    squares,
    stacking,
    summarizing,
    tables,
    volumes,
    windows,
)

# What one of these modules offers is named once, there.
from framework.ops.functional.accumulating import *  # noqa: F403
from framework.ops.functional.activations import *  # noqa: F403
from framework.ops.functional.algebra import *  # noqa: F403
from framework.ops.functional.arranging import *  # noqa: F403
from framework.ops.functional.bands import *  # noqa: F403
from framework.ops.functional.boxes import *  # noqa: F403
from framework.ops.functional.combining import *  # noqa: F403
from framework.ops.functional.contracting import *  # noqa: F403
from framework.ops.functional.convolution import *  # noqa: F403
from framework.ops.functional.creation import *  # noqa: F403
from framework.ops.functional.diagonals import *  # noqa: F403
from framework.ops.functional.distributions import *  # noqa: F403
from framework.ops.functional.drawing import *  # noqa: F403
from framework.ops.functional.elementwise import *  # noqa: F403
from framework.ops.functional.exchanging import *  # noqa: F403
from framework.ops.functional.factoring import *  # noqa: F403
from framework.ops.functional.images import *  # noqa: F403
from framework.ops.functional.labels import *  # noqa: F403
from framework.ops.functional.logarithms import *  # noqa: F403
from framework.ops.functional.measuring import *  # noqa: F403
from framework.ops.functional.neural import *  # noqa: F403
from framework.ops.functional.normalizing import *  # noqa: F403
from framework.ops.functional.picking import *  # noqa: F403
from framework.ops.functional.pooling import *  # noqa: F403
from framework.ops.functional.primitives import *  # noqa: F403
from framework.ops.functional.putting import *  # noqa: F403
from framework.ops.functional.ranking import *  # noqa: F403
from framework.ops.functional.rearranging import *  # noqa: F403
from framework.ops.functional.replacing import *  # noqa: F403
from framework.ops.functional.scalars import *  # noqa: F403
from framework.ops.functional.scattering import *  # noqa: F403
from framework.ops.functional.searching import *  # noqa: F403
from framework.ops.functional.shaping import *  # noqa: F403
from framework.ops.functional.special import *  # noqa: F403
from framework.ops.functional.squares import *  # noqa: F403
from framework.ops.functional.stacking import *  # noqa: F403
from framework.ops.functional.summarizing import *  # noqa: F403
from framework.ops.functional.tables import *  # noqa: F403
from framework.ops.functional.volumes import *  # noqa: F403
from framework.ops.functional.windows import *  # noqa: F403
from framework.ops.losses.distances import (
    smooth_l1_loss,
)
from framework.ops.losses.likelihoods import (
    kl_div,
)
from framework.ops.mathematics.exponential import (
    exp,
    expm1,
    hypot,
    inv,
    log,
    log1p,
    log2,
    log10,
    reciprocal,
    rsqrt,
    sqrt,
    square,
)
from framework.ops.mathematics.rounding import (
    abs,
    absolute,
    ceil,
    floor,
    frac,
    neg,
    negative,
    positive,
    rint,
    round,
    sgn,
    sign,
    trunc,
)
from framework.ops.mathematics.special_functions import (
    digamma,
    erf,
    erfc,
    erfinv,
    lgamma,
    polygamma,
)
from framework.ops.mathematics.trigonometry import (
    acos,
    acosh,
    arccos,
    arccosh,
    arcsin,
    arcsinh,
    arctan,
    arctanh,
    asin,
    asinh,
    atan,
    atanh,
    cos,
    cosh,
    deg2rad,
    rad2deg,
    sin,
    sinh,
    tan,
    tanh,
)
from framework.ops.matrices.inverses import (
    cholesky,
    det,
    diag,
    inverse,
    matrix_determinant,
    trace,
)
from framework.ops.matrices.products import (
    bias_add,
    bmm,
    dot,
    matmul,
    outer,
)
from framework.ops.matrices.vectors import (
    cdist,
    cross,
    ger,
)
from framework.ops.pooling.adaptive import (
    adaptive_avg_pool2d,
)
from framework.ops.pooling.sliding import (
    avg_pool2d,
)
from framework.ops.pooling.with_places import (
    adaptive_max_pool2d,
    max_pool2d,
)
from framework.ops.reduction.extremes import (
    amax,
    amin,
    argmax,
    argmin,
    logsumexp,
    max,
    min,
    reduce_max,
    reduce_min,
)
from framework.ops.reduction.totals import (
    all,
    any,
    cumprod,
    cumsum,
    mean,
    prod,
    reduce_mean,
    reduce_prod,
    reduce_sum,
    std,
    sum,
    var,
)

__all__: list[str] = []
__all__ += algebra.__all__
__all__ += elementwise.__all__
__all__ += normalizing.__all__
__all__ += rearranging.__all__
__all__ += activations.__all__
__all__ += arranging.__all__
__all__ += searching.__all__
__all__ += convolution.__all__
__all__ += creation.__all__
__all__ += drawing.__all__
__all__ += images.__all__
__all__ += measuring.__all__
__all__ += neural.__all__
__all__ += picking.__all__
__all__ += primitives.__all__
__all__ += shaping.__all__
__all__ += accumulating.__all__
__all__ += contracting.__all__
__all__ += diagonals.__all__
__all__ += tables.__all__
__all__ += combining.__all__
__all__ += replacing.__all__
__all__ += volumes.__all__
__all__ += windows.__all__
__all__ += factoring.__all__
__all__ += bands.__all__
__all__ += ranking.__all__
__all__ += special.__all__
__all__ += distributions.__all__
__all__ += boxes.__all__
__all__ += putting.__all__
__all__ += labels.__all__
__all__ += summarizing.__all__
__all__ += stacking.__all__
__all__ += squares.__all__
__all__ += scattering.__all__
__all__ += logarithms.__all__
__all__ += exchanging.__all__
__all__ += scalars.__all__
__all__ += pooling.__all__
__all__ += [
    "abs",
    "absolute",
    "acos",
    "acosh",
    "adaptive_avg_pool2d",
    "adaptive_max_pool2d",
    "add",
    "addn",
    "all",
    "amax",
    "amin",
    "any",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "argmax",
    "argmin",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "avg_pool2d",
    "bias_add",
    "bitwise_and",
    "bitwise_or",
    "bitwise_xor",
    "bmm",
    "cdist",
    "ceil",
    "celu",
    "cholesky",
    "cos",
    "cosh",
    "cross",
    "cumprod",
    "cumsum",
    "deg2rad",
    "det",
    "diag",
    "digamma",
    "div",
    "div_no_nan",
    "divide",
    "dot",
    "elu",
    "equal",
    "erf",
    "erfc",
    "erfinv",
    "exp",
    "expm1",
    "floor",
    "floor_div",
    "floor_divide",
    "floor_mod",
    "fmod",
    "frac",
    "ge",
    "gelu",
    "ger",
    "greater",
    "greater_equal",
    "gt",
    "hardshrink",
    "hardsigmoid",
    "hardswish",
    "hypot",
    "inv",
    "inverse",
    "isfinite",
    "isinf",
    "isnan",
    "kl_div",
    "le",
    "leaky_relu",
    "less",
    "less_equal",
    "lgamma",
    "log",
    "log1p",
    "log2",
    "log10",
    "log_softmax",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "logsigmoid",
    "logsumexp",
    "lt",
    "matmul",
    "matrix_determinant",
    "max",
    "max_pool2d",
    "maximum",
    "mean",
    "min",
    "minimum",
    "mish",
    "mul",
    "multiply",
    "ne",
    "neg",
    "negative",
    "not_equal",
    "outer",
    "polygamma",
    "positive",
    "pow",
    "prelu",
    "prod",
    "rad2deg",
    "real_div",
    "reciprocal",
    "reduce_max",
    "reduce_mean",
    "reduce_min",
    "reduce_prod",
    "reduce_sum",
    "relu",
    "relu6",
    "remainder",
    "rint",
    "round",
    "rsqrt",
    "selu",
    "sgn",
    "sigmoid",
    "sign",
    "silu",
    "sin",
    "sinh",
    "smooth_l1_loss",
    "softmax",
    "softmin",
    "softplus",
    "softshrink",
    "softsign",
    "sqrt",
    "square",
    "squared_difference",
    "std",
    "sub",
    "subtract",
    "sum",
    "tan",
    "tanh",
    "tanhshrink",
    "threshold",
    "trace",
    "true_divide",
    "trunc",
    "truncate_div",
    "truncate_mod",
    "var",
    "xdivy",
    "xlogy",
]  # fmt: skip
