"""The instructions of each element-wise operator: one function per operator, from its operands to its output.

The operands have been converted to one element type before, by the rules of the operators in `framework.ops`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

from llvmlite import ir

from framework.kernels.fused import transcendentals as t
from framework.kernels.fused.lanes import Lanes
from framework.kernels.fused.supported import FLOATS

__all__ = ["lowered"]

#: Powers from the highest on of 1 / (1 + 0.35 |x|): the share beyond |x| by exp(-x x / 2), as in loops/normal.h.
NORMAL_TAIL: Final = (
    -2.9146259741e-2, 1.4397325839e-1, -2.5571737566e-1, 1.5917758833e-1, -2.3112085010e-2, 1.0550890274e-1,
    1.1983265554e-1, 1.3986189656e-1, 1.3962140290e-1,
)  # fmt: skip
NORMAL_TAIL_SCALE: Final = 0.35
Lowering = Callable[..., ir.Value]
_LOWERINGS: Final[dict[str, Lowering]] = {}


def lowered(lanes: Lanes, name: str, dtype: str, operands: list[ir.Value]) -> ir.Value:
    """Write an operator.

    Args:
        lanes: where to write.
        name: the operator's name.
        dtype: the element type of the operands; conditions are Bool.
        operands: their values.
    """
    return _LOWERINGS[name](lanes, dtype, *operands)


def _lowers(*names: str) -> Callable[[Lowering], Lowering]:
    def add(lowering: Lowering) -> Lowering:
        _LOWERINGS.update(dict.fromkeys(names, lowering))
        return lowering

    return add


def _arithmetic(name: str, of_floats: str, of_integers: str) -> None:
    def lowering(lanes: Lanes, dtype: str, x: ir.Value, y: ir.Value) -> ir.Value:
        return getattr(lanes.builder, of_floats if dtype in FLOATS else of_integers)(x, y)

    _LOWERINGS[name] = lowering


def _comparison(name: str, sign: str) -> None:
    def lowering(lanes: Lanes, dtype: str, x: ir.Value, y: ir.Value) -> ir.Value:
        if dtype in FLOATS:
            # Nothing is equal to NaN, everything differs from it.
            compare = lanes.builder.fcmp_unordered if sign == "!=" else lanes.builder.fcmp_ordered
            return compare(sign, x, y)
        return (lanes.builder.icmp_unsigned if dtype == "bool" else lanes.builder.icmp_signed)(sign, x, y)

    _LOWERINGS[name] = lowering


def _logic(name: str, instruction: str) -> None:
    def lowering(lanes: Lanes, dtype: str, x: ir.Value, y: ir.Value) -> ir.Value:
        x, y = (lanes.converted(item, dtype, "bool") for item in (x, y))
        return getattr(lanes.builder, instruction)(x, y)

    _LOWERINGS[name] = lowering


def _intrinsic(name: str, of: str) -> None:
    _LOWERINGS[name] = lambda lanes, dtype, x: lanes.intrinsic(of, dtype, x)


for _name, _of_floats, _of_integers in (("Add", "fadd", "add"), ("Sub", "fsub", "sub"), ("Mul", "fmul", "mul")):
    _arithmetic(_name, _of_floats, _of_integers)
for _name, _by in (
    ("Equal", "=="), ("NotEqual", "!="), ("Less", "<"), ("LessEqual", "<="), ("Greater", ">"), ("GreaterEqual", ">="),
):  # fmt: skip
    _comparison(_name, _by)
for _name, _instruction in (("LogicalAnd", "and_"), ("LogicalOr", "or_"), ("LogicalXor", "xor")):
    _logic(_name, _instruction)
for _name, _of in (("Sqrt", "sqrt"), ("Floor", "floor"), ("Ceil", "ceil"), ("Trunc", "trunc"), ("Rint", "rint")):
    _intrinsic(_name, _of)
_LOWERINGS.update(
    {"Exp": t.exp, "Log": t.log, "Tanh": t.tanh, "Sigmoid": t.sigmoid, "Expm1": t.expm1, "Log1p": t.log1p, "Erf": t.erf}
)


@_lowers("BiasAdd")
def _bias_add(lanes: Lanes, dtype: str, x: ir.Value, b: ir.Value) -> ir.Value:
    return lowered(lanes, "Add", dtype, [x, b])


@_lowers("RealDiv", "Div")
def _divide(lanes: Lanes, dtype: str, x: ir.Value, y: ir.Value) -> ir.Value:
    return lanes.builder.fdiv(x, y)


@_lowers("Reciprocal", "Inv")
def _reciprocal(lanes: Lanes, dtype: str, x: ir.Value) -> ir.Value:
    return lanes.builder.fdiv(lanes.constant(dtype, 1.0), x)


@_lowers("Rsqrt")
def _rsqrt(lanes: Lanes, dtype: str, x: ir.Value) -> ir.Value:
    return _reciprocal(lanes, dtype, lanes.intrinsic("sqrt", dtype, x))


@_lowers("Neg")
def _negative(lanes: Lanes, dtype: str, x: ir.Value) -> ir.Value:
    return lanes.builder.fneg(x) if dtype in FLOATS else lanes.builder.neg(x)


@_lowers("Abs")
def _absolute(lanes: Lanes, dtype: str, x: ir.Value) -> ir.Value:
    if dtype in FLOATS:
        return lanes.intrinsic("fabs", dtype, x)
    builder = lanes.builder
    return builder.select(builder.icmp_signed("<", x, lanes.constant(dtype, 0)), builder.neg(x), x)


@_lowers("Sign")
def _sign(lanes: Lanes, dtype: str, x: ir.Value) -> ir.Value:
    zero, one, less = (lanes.constant(dtype, number) for number in (0, 1, -1))
    is_more, is_less = (lowered(lanes, name, dtype, [x, zero]) for name in ("Greater", "Less"))
    value = lanes.builder.select(is_more, one, lanes.builder.select(is_less, less, zero))
    return lanes.builder.select(lanes.is_nan(x), x, value) if dtype in FLOATS else value


@_lowers("Square")
def _square(lanes: Lanes, dtype: str, x: ir.Value) -> ir.Value:
    return lowered(lanes, "Mul", dtype, [x, x])


@_lowers("SquaredDifference")
def _squared_difference(lanes: Lanes, dtype: str, x: ir.Value, y: ir.Value) -> ir.Value:
    return _square(lanes, dtype, lowered(lanes, "Sub", dtype, [x, y]))


@_lowers("Maximum")
def _maximum(lanes: Lanes, dtype: str, x: ir.Value, y: ir.Value) -> ir.Value:
    value = lanes.builder.select(lowered(lanes, "Greater", dtype, [x, y]), x, y)
    return lanes.builder.select(lanes.is_nan(x), x, value) if dtype in FLOATS else value


@_lowers("Minimum")
def _minimum(lanes: Lanes, dtype: str, x: ir.Value, y: ir.Value) -> ir.Value:
    value = lanes.builder.select(lowered(lanes, "Less", dtype, [x, y]), x, y)
    return lanes.builder.select(lanes.is_nan(x), x, value) if dtype in FLOATS else value


@_lowers("ReLU")
def _relu(lanes: Lanes, dtype: str, x: ir.Value) -> ir.Value:
    return _maximum(lanes, dtype, x, lanes.constant(dtype, 0))


@_lowers("ReluGrad")
def _relu_grad(lanes: Lanes, dtype: str, dout: ir.Value, y: ir.Value) -> ir.Value:
    one, zero = lanes.constant(dtype, 1), lanes.constant(dtype, 0)
    counts = lanes.builder.select(lowered(lanes, "Greater", dtype, [y, zero]), one, zero)
    return lowered(lanes, "Mul", dtype, [dout, counts])


@_lowers("ReLU6")
def _relu6(lanes: Lanes, dtype: str, x: ir.Value) -> ir.Value:
    return _clipped(lanes, dtype, x, 6.0)


def _clipped(lanes: Lanes, dtype: str, x: ir.Value, high: float) -> ir.Value:
    return lanes.smaller(lanes.larger(x, lanes.constant(dtype, 0.0)), lanes.constant(dtype, high))


@_lowers("HSigmoid")
def _hsigmoid(lanes: Lanes, dtype: str, x: ir.Value) -> ir.Value:
    clipped = _clipped(lanes, dtype, lanes.builder.fadd(x, lanes.constant(dtype, 3.0)), 6.0)
    return lanes.builder.fdiv(clipped, lanes.constant(dtype, 6.0))


@_lowers("HSwish")
def _hswish(lanes: Lanes, dtype: str, x: ir.Value) -> ir.Value:
    clipped = _clipped(lanes, dtype, lanes.builder.fadd(x, lanes.constant(dtype, 3.0)), 6.0)
    return lanes.builder.fdiv(lanes.builder.fmul(x, clipped), lanes.constant(dtype, 6.0))


@_lowers("SiLU")
def _silu(lanes: Lanes, dtype: str, x: ir.Value) -> ir.Value:
    return lanes.builder.fmul(x, t.sigmoid(lanes, dtype, x))


@_lowers("Softsign")
def _softsign(lanes: Lanes, dtype: str, x: ir.Value) -> ir.Value:
    return lanes.builder.fdiv(x, lanes.builder.fadd(lanes.constant(dtype, 1.0), lanes.intrinsic("fabs", dtype, x)))


@_lowers("Softplus")
def _softplus(lanes: Lanes, dtype: str, x: ir.Value) -> ir.Value:
    """max(x, 0) + log(1 + exp(-|x|))."""
    decay = t.exp(lanes, dtype, lanes.builder.fneg(lanes.intrinsic("fabs", dtype, x)))
    return lanes.builder.fadd(_relu(lanes, dtype, x), t.log1p(lanes, dtype, decay))


@_lowers("GeLU")
def _gelu(lanes: Lanes, dtype: str, x: ir.Value) -> ir.Value:
    builder = lanes.builder
    cube = builder.fmul(builder.fmul(builder.fmul(lanes.constant(dtype, 0.044715), x), x), x)
    inner = builder.fmul(lanes.constant(dtype, math.sqrt(2 / math.pi)), builder.fadd(x, cube))
    whole = builder.fadd(lanes.constant(dtype, 1.0), t.tanh(lanes, dtype, inner))
    return builder.fmul(builder.fmul(lanes.constant(dtype, 0.5), x), whole)


@_lowers("ErfGeLU")
def _erf_gelu(lanes: Lanes, dtype: str, x: ir.Value) -> ir.Value:
    return lanes.builder.fmul(x, _below(lanes, dtype, x)[0])


@_lowers("ErfGeLUGrad")
def _erf_gelu_grad(lanes: Lanes, dtype: str, x: ir.Value, dout: ir.Value) -> ir.Value:
    builder = lanes.builder
    below, decay = _below(lanes, dtype, x)
    density = builder.fmul(decay, lanes.constant(dtype, 1 / math.sqrt(2 * math.pi)))
    return builder.fmul(dout, builder.fadd(below, builder.fmul(x, density)))


def _below(lanes: Lanes, dtype: str, x: ir.Value) -> tuple[ir.Value, ir.Value]:
    """The share of the normal distribution below x, and exp(-x x / 2)."""
    builder = lanes.builder
    half, one = lanes.constant(dtype, 0.5), lanes.constant(dtype, 1.0)
    decay = t.exp(lanes, dtype, builder.fneg(builder.fmul(half, builder.fmul(x, x))))
    if dtype != "float32":
        root = t.erf(lanes, dtype, builder.fmul(lanes.constant(dtype, math.sqrt(0.5)), x))
        return builder.fmul(half, builder.fadd(one, root)), decay
    steep = builder.fmul(lanes.constant(dtype, NORMAL_TAIL_SCALE), lanes.intrinsic("fabs", dtype, x))
    near = builder.fdiv(one, builder.fadd(one, steep))
    tail = builder.fmul(builder.fmul(lanes.polynomial(dtype, near, NORMAL_TAIL), near), decay)
    negative = builder.fcmp_ordered("<", x, lanes.constant(dtype, 0.0))
    return builder.select(negative, tail, builder.fsub(one, tail)), decay


@_lowers("LogicalNot")
def _logical_not(lanes: Lanes, dtype: str, x: ir.Value) -> ir.Value:
    return lanes.builder.not_(lanes.converted(x, dtype, "bool"))


@_lowers("IsNan")
def _is_nan(lanes: Lanes, dtype: str, x: ir.Value) -> ir.Value:
    return lanes.is_nan(x)


@_lowers("IsFinite")
def _is_finite(lanes: Lanes, dtype: str, x: ir.Value) -> ir.Value:
    size = lanes.intrinsic("fabs", dtype, x)
    return lanes.builder.fcmp_ordered("<", size, lanes.constant(dtype, float("inf")))


@_lowers("Select")
def _select(lanes: Lanes, dtype: str, condition: ir.Value, x: ir.Value, y: ir.Value) -> ir.Value:
    return lanes.builder.select(condition, x, y)


@_lowers("Cast")
def _same(lanes: Lanes, dtype: str, x: ir.Value) -> ir.Value:
    return x
