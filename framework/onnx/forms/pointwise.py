"""Element by element: arithmetic, comparisons, functions of one number, activations, choices, element types."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.onnx.forms.form_table import Application, Written, form
from framework.onnx.writer.nodes import UnwritableError

__all__: list[str] = []

_UNARY: Final = {
    "Abs": "Abs", "ACos": "Acos", "Acosh": "Acosh", "Asin": "Asin", "Asinh": "Asinh", "Atan": "Atan", "Atanh": "Atanh",
    "Ceil": "Ceil", "Cos": "Cos", "Cosh": "Cosh", "Erf": "Erf", "Exp": "Exp", "Floor": "Floor", "Log": "Log",
    "Neg": "Neg", "ReLU": "Relu", "Reciprocal": "Reciprocal", "Inv": "Reciprocal", "Sigmoid": "Sigmoid", "Sign": "Sign",
    "Sin": "Sin", "Sinh": "Sinh", "Softplus": "Softplus", "Softsign": "Softsign", "Sqrt": "Sqrt", "Tan": "Tan",
    "Tanh": "Tanh", "Rint": "Round", "Round": "Round", "Mish": "Mish", "HSwish": "HardSwish",
}  # fmt: skip
_BINARY: Final = {
    "Add": "Add", "TensorAdd": "Add", "Sub": "Sub", "Mul": "Mul", "RealDiv": "Div", "Div": "Div", "Maximum": "Max",
    "Minimum": "Min", "Pow": "Pow", "BitwiseAnd": "BitwiseAnd", "BitwiseOr": "BitwiseOr", "BitwiseXor": "BitwiseXor",
}  # fmt: skip
_COMPARISONS: Final = {
    "Equal": "Equal", "Greater": "Greater", "GreaterEqual": "GreaterOrEqual", "Less": "Less",
    "LessEqual": "LessOrEqual",
}  # fmt: skip
_LOGICAL: Final = {"LogicalAnd": "And", "LogicalOr": "Or", "LogicalXor": "Xor"}


@form(*_UNARY)
def unary(a: Application) -> Written:
    """A function of one number that ONNX has."""
    return a.emit(_UNARY[type(a.operator).__name__], a.of(0, a.out.dtype))


@form(*_BINARY)
def binary(a: Application) -> Written:
    """A function of two numbers that ONNX has."""
    return a.emit(_BINARY[type(a.operator).__name__], a.of(0, a.out.dtype), a.of(1, a.out.dtype))


def met(a: Application, first: int = 0, second: int = 1) -> DType:
    """The element type in which two inputs are compared: that of the tensor beside a number of the same kind."""
    one, other = a.dtype(first), a.dtype(second)
    numbers = [place for place in (first, second) if type(a.inputs[place].abstract).__name__ == "AbstractScalar"]
    if len(numbers) == 1:
        tensor = other if numbers[0] == first else one
        number = one if numbers[0] == first else other
        order = ("bool", "int", "float", "complex")
        rank = {kind: place for place, kind in enumerate(order)}
        if rank.get(tensor.kind, 1) >= rank.get(number.kind, 1):
            return tensor
        return mstype.float32 if number.kind == "float" else mstype.int64
    return mstype.promote(one, other)


@form(*_COMPARISONS)
def comparison(a: Application) -> Written:
    """A comparison, in the type that holds both."""
    kind = met(a)
    if kind is mstype.bool_ and type(a.operator).__name__ != "Equal":
        kind = mstype.int32
    return a.emit(_COMPARISONS[type(a.operator).__name__], a.of(0, kind), a.of(1, kind))


@form("NotEqual")
def not_equal(a: Application) -> Written:
    return a.emit("Not", a.emit("Equal", a.of(0, met(a)), a.of(1, met(a))))


@form("ApproximateEqual")
def approximately_equal(a: Application) -> Written:
    distance = a.emit("Abs", a.emit("Sub", a.of(0), a.of(1)))
    return a.emit("Less", distance, a.number(a.operator.tolerance, a.dtype(0)))


@form(*_LOGICAL)
def logical(a: Application) -> Written:
    return a.emit(_LOGICAL[type(a.operator).__name__], a.of(0, mstype.bool_), a.of(1, mstype.bool_))


@form("LogicalNot")
def logical_not(a: Application) -> Written:
    return a.emit("Not", a.of(0, mstype.bool_))


@form("Invert")
def invert(a: Application) -> Written:
    return a.emit("Not" if a.dtype(0) is mstype.bool_ else "BitwiseNot", a.of(0))


@form("IsNan")
def is_nan(a: Application) -> Written:
    return a.emit("IsNaN", a.of(0))


@form("IsInf")
def is_inf(a: Application) -> Written:
    return a.emit("IsInf", a.of(0))


@form("IsFinite")
def is_finite(a: Application) -> Written:
    return a.emit("Not", a.emit("Or", a.emit("IsNaN", a.of(0)), a.emit("IsInf", a.of(0))))


@form("Square")
def square(a: Application) -> Written:
    x = a.of(0, a.out.dtype)
    return a.emit("Mul", x, x)


@form("SquaredDifference")
def squared_difference(a: Application) -> Written:
    distance = a.emit("Sub", a.of(0, a.out.dtype), a.of(1, a.out.dtype))
    return a.emit("Mul", distance, distance)


@form("Rsqrt")
def reciprocal_root(a: Application) -> Written:
    return a.emit("Reciprocal", a.emit("Sqrt", a.of(0, a.out.dtype)))


@form("Expm1")
def exp_minus_one(a: Application) -> Written:
    """2 tanh(x / 2) / (1 - tanh(x / 2)), which keeps the digits of small results."""
    half = a.emit("Tanh", a.emit("Mul", a.of(0, a.out.dtype), a.number(0.5)))
    exact = a.emit("Div", a.emit("Mul", half, a.number(2)), a.emit("Sub", a.number(1), half))
    plain = a.emit("Sub", a.emit("Exp", a.of(0, a.out.dtype)), a.number(1))
    is_small = a.emit("Less", a.emit("Abs", a.of(0, a.out.dtype)), a.number(0.5))
    return a.emit("Where", is_small, exact, plain)


@form("Log1p")
def log_of_one_more(a: Application) -> Written:
    """log(u) x / (u - 1) for u = 1 + x (Kahan), which keeps the digits of small results; x where u is 1."""
    x = a.of(0, a.out.dtype)
    more = a.emit("Add", x, a.number(1))
    rounded = a.emit("Sub", more, a.number(1))
    is_one = a.emit("Equal", rounded, a.number(0))
    divisor = a.emit("Where", is_one, a.number(1), rounded)
    logarithm = a.emit("Log", more)
    is_endless = a.emit("IsInf", x)
    exact = a.emit("Where", is_one, x, a.emit("Mul", logarithm, a.emit("Div", x, divisor)))
    return a.emit("Where", is_endless, logarithm, exact)


@form("Erfc")
def erfc(a: Application) -> Written:
    return a.emit("Sub", a.number(1), a.emit("Erf", a.of(0, a.out.dtype)))


@form("Trunc")
def trunc(a: Application) -> Written:
    x = a.of(0)
    return truncated(a, x) if a.out.dtype.kind == "float" else x


def truncated(a: Application, x: str) -> str:
    """A number without its digits behind the point."""
    return a.emit("Mul", a.emit("Sign", x), a.emit("Floor", a.emit("Abs", x)))


def remainder(a: Application, x: str, y: str, dtype: DType) -> str:
    """x modulo y with the sign of y."""
    if dtype.kind != "float":
        return a.emit("Mod", x, y)
    rest = a.emit("Mod", x, y, fmod=1)
    zero = a.number(0, dtype)
    differs = a.emit("Xor", a.emit("Less", rest, zero), a.emit("Less", y, zero))
    wrong = a.emit("And", differs, a.emit("Not", a.emit("Equal", rest, zero)))
    return a.emit("Where", wrong, a.emit("Add", rest, y), rest)


@form("FloorMod", "Mod")
def floor_mod(a: Application) -> Written:
    dtype = a.out.dtype
    return remainder(a, a.of(0, dtype), a.of(1, dtype), dtype)


@form("FloorDiv")
def floor_div(a: Application) -> Written:
    dtype = a.out.dtype
    x, y = a.of(0, dtype), a.of(1, dtype)
    quotient = a.emit("Div", a.emit("Sub", x, remainder(a, x, y, dtype)), y)
    return a.emit("Round", quotient) if dtype.kind == "float" else quotient


@form("TruncateMod")
def truncate_mod(a: Application) -> Written:
    return a.emit("Mod", a.of(0, a.out.dtype), a.of(1, a.out.dtype), fmod=1)


@form("TruncateDiv")
def truncate_div(a: Application) -> Written:
    quotient = a.emit("Div", a.of(0, a.out.dtype), a.of(1, a.out.dtype))
    return truncated(a, quotient) if a.out.dtype.kind == "float" else quotient


def where_zero(a: Application, tested: str, otherwise: str) -> str:
    """0 where a number is 0."""
    return a.emit("Where", a.emit("Equal", tested, a.number(0)), a.number(0), otherwise)


@form("DivNoNan")
def div_no_nan(a: Application) -> Written:
    y = a.of(1, a.out.dtype)
    return where_zero(a, y, a.emit("Div", a.of(0, a.out.dtype), y))


@form("Xdivy")
def x_div_y(a: Application) -> Written:
    x = a.of(0, a.out.dtype)
    return where_zero(a, x, a.emit("Div", x, a.of(1, a.out.dtype)))


@form("Xlogy")
def x_log_y(a: Application) -> Written:
    x = a.of(0, a.out.dtype)
    return where_zero(a, x, a.emit("Mul", x, a.emit("Log", a.of(1, a.out.dtype))))


@form("Atan2")
def atan2(a: Application) -> Written:
    y, x = a.of(0, a.out.dtype), a.of(1, a.out.dtype)
    zero = a.number(0)
    plain = a.emit("Atan", a.emit("Div", y, x))
    half = a.emit("Where", a.emit("Less", y, zero), a.number(-math.pi), a.number(math.pi))
    turned = a.emit("Where", a.emit("Less", x, zero), a.emit("Add", plain, half), plain)
    upright = a.emit("Mul", a.emit("Sign", y), a.number(math.pi / 2))
    return a.emit("Where", a.emit("Equal", x, zero), upright, turned)


@form("AddN")
def add_n(a: Application) -> Written:
    return a.emit("Sum", *a.items(0, a.out.dtype))


@form("Lerp")
def lerp(a: Application) -> Written:
    start = a.of(0, a.out.dtype)
    distance = a.emit("Sub", a.of(1, a.out.dtype), start)
    return a.emit("Add", start, a.emit("Mul", a.of(2, a.out.dtype), distance))


@form("NanToNum")
def nan_to_num(a: Application) -> Written:
    most = np.finfo(a.out.dtype.numpy).max
    found = a.emit("Where", a.emit("IsNaN", a.of(0)), a.number(a.operator.nan or 0.0), a.of(0))
    for name, flag, default in (("posinf", "detect_negative", most), ("neginf", "detect_positive", -most)):
        value = getattr(a.operator, name)
        endless = a.emit("IsInf", a.of(0), **{flag: 0})
        found = a.emit("Where", endless, a.number(float(default if value is None else value)), found)
    return found


@form("Cast")
def cast(a: Application) -> Written:
    return a.of(0, a.out.dtype)


@form("Identity", "StopGradient", "InsertGradientOf", "HookBackward", "Depend")
def passed(a: Application) -> Written:
    """What only differentiation or the order of effects sees."""
    return a.of(0)


@form("ScalarSummary", "ImageSummary", "TensorSummary", "HistogramSummary", "Print")
def watched(a: Application) -> Written:
    """What only tells of values, and gives nothing."""
    return None


@form("Select")
def select(a: Application) -> Written:
    return a.emit("Where", a.of(0, mstype.bool_), a.of(1, a.out.dtype), a.of(2, a.out.dtype))


@form("MaskedFill")
def masked_fill(a: Application) -> Written:
    return a.emit("Where", a.of(1, mstype.bool_), a.of(2, a.out.dtype), a.of(0))


@form("ReLU6")
def relu6(a: Application) -> Written:
    return a.emit("Clip", a.of(0), a.number(0), a.number(6))


@form("HSigmoid")
def hard_sigmoid(a: Application) -> Written:
    return a.emit("HardSigmoid", a.of(0), alpha=1 / 6, beta=0.5)


@form("SiLU")
def silu(a: Application) -> Written:
    return a.emit("Mul", a.of(0), a.emit("Sigmoid", a.of(0)))


@form("ErfGeLU")
def erf_gelu(a: Application) -> Written:
    if a.opset >= 20:
        return a.emit("Gelu", a.of(0))
    inner = a.emit("Erf", a.emit("Mul", a.of(0), a.number(math.sqrt(0.5))))
    return a.emit("Mul", a.emit("Mul", a.of(0), a.number(0.5)), a.emit("Add", inner, a.number(1)))


@form("GeLU")
def gelu(a: Application) -> Written:
    x = a.of(0)
    if a.opset >= 20:
        return a.emit("Gelu", x, approximate="tanh")
    cubed = a.emit("Mul", a.emit("Mul", a.emit("Mul", x, x), x), a.number(0.044715))
    inner = a.emit("Tanh", a.emit("Mul", a.emit("Add", x, cubed), a.number(math.sqrt(2 / math.pi))))
    return a.emit("Mul", a.emit("Mul", x, a.number(0.5)), a.emit("Add", inner, a.number(1)))


@form("Elu")
def elu(a: Application) -> Written:
    return a.emit("Elu", a.of(0), alpha=float(a.operator.alpha))


@form("CeLU")
def celu(a: Application) -> Written:
    if a.out.dtype is not mstype.float32:
        raise UnwritableError(f"ONNX's Celu takes Float32, not {a.out.dtype}")
    return a.emit("Celu", a.of(0), alpha=float(a.operator.alpha))


@form("SeLU")
def selu(a: Application) -> Written:
    return a.emit("Selu", a.of(0))


@form("HShrink")
def hard_shrink(a: Application) -> Written:
    return a.emit("Shrink", a.of(0), lambd=float(a.operator.lambd), bias=0.0)


@form("SoftShrink")
def soft_shrink(a: Application) -> Written:
    return a.emit("Shrink", a.of(0), lambd=float(a.operator.lambd), bias=float(a.operator.lambd))


@form("PReLU")
def prelu(a: Application) -> Written:
    slope = a.of(1, a.out.dtype)
    if a.rank(0) > 2 and a.shape(1) != (1,):
        slope = a.unsqueeze(slope, *range(1, a.rank(0) - 1))
    return a.emit("PRelu", a.of(0), slope)
