"""Operators that compute each element from those at the same place: arithmetic, comparisons, activations, casts."""

from __future__ import annotations

import math

import numpy as np

from framework import ops
from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.onnx.operators.operator_table import ElementType, onnx
from framework.onnx.operators.values import is_float, number, tensor_of, type_of
from framework.ops.constexpr import constexpr

__all__ = ["seeded", "sigmoid"]

_truncate_div = ops.operations.TruncateDiv()
_left_shift, _right_shift = ops.operations.LeftShift(), ops.operations.RightShift()


@onnx("Add", since=7)
def add(a: Tensor, b: Tensor) -> Tensor:
    return ops.add(a, b)


@onnx("Sub", since=7)
def sub(a: Tensor, b: Tensor) -> Tensor:
    return ops.sub(a, b)


@onnx("Mul", since=7)
def mul(a: Tensor, b: Tensor) -> Tensor:
    return ops.mul(a, b)


@onnx("Div", since=7)
def div(a: Tensor, b: Tensor) -> Tensor:
    if is_float(a.dtype):
        return a / b
    return _truncate_div(a, b)


@onnx("Pow", since=7)
def power(x: Tensor, y: Tensor) -> Tensor:
    return ops.cast(ops.pow(x, y), x.dtype)


@onnx("Mod", since=10)
def mod(a: Tensor, b: Tensor, *, fmod: int = 0) -> Tensor:
    if fmod == 0:
        return ops.cast(ops.floor_mod(a, b), a.dtype)
    return ops.cast(ops.fmod(a, b), a.dtype)


@onnx("BitShift", since=11)
def bit_shift(x: Tensor, y: Tensor, *, direction: str) -> Tensor:
    return _left_shift(x, y) if direction == "LEFT" else _right_shift(x, y)


@onnx("BitwiseAnd", since=18)
def bitwise_and(a: Tensor, b: Tensor) -> Tensor:
    return ops.bitwise_and(a, b)


@onnx("BitwiseOr", since=18)
def bitwise_or(a: Tensor, b: Tensor) -> Tensor:
    return ops.bitwise_or(a, b)


@onnx("BitwiseXor", since=18)
def bitwise_xor(a: Tensor, b: Tensor) -> Tensor:
    return ops.bitwise_xor(a, b)


@onnx("BitwiseNot", since=18)
def bitwise_not(x: Tensor) -> Tensor:
    return ops.bitwise_xor(x, tensor_of(_all_bits(x.dtype), x.dtype))


@constexpr
def _all_bits(dtype: DType) -> int:
    return -1 if dtype.name.startswith("Int") else 2**dtype.bits - 1


@onnx("And", since=7)
def logical_and(a: Tensor, b: Tensor) -> Tensor:
    return ops.logical_and(a, b)


@onnx("Or", since=7)
def logical_or(a: Tensor, b: Tensor) -> Tensor:
    return ops.logical_or(a, b)


@onnx("Xor", since=7)
def logical_xor(a: Tensor, b: Tensor) -> Tensor:
    return ops.logical_xor(a, b)


@onnx("Not")
def logical_not(x: Tensor) -> Tensor:
    return ops.logical_not(x)


@onnx("Equal", since=7)
def equal(a: Tensor, b: Tensor) -> Tensor:
    return ops.equal(a, b)


@onnx("Greater", since=7)
def greater(a: Tensor, b: Tensor) -> Tensor:
    return ops.greater(a, b)


@onnx("GreaterOrEqual", since=12)
def greater_or_equal(a: Tensor, b: Tensor) -> Tensor:
    return ops.greater_equal(a, b)


@onnx("Less", since=7)
def less(a: Tensor, b: Tensor) -> Tensor:
    return ops.less(a, b)


@onnx("LessOrEqual", since=12)
def less_or_equal(a: Tensor, b: Tensor) -> Tensor:
    return ops.less_equal(a, b)


@onnx("Where", since=9)
def where(condition: Tensor, x: Tensor, y: Tensor) -> Tensor:
    return ops.where(condition, x, y)


@onnx("Sum", since=6)
def total(first: Tensor, *others: Tensor) -> Tensor:
    found = first
    for other in others:
        found = ops.add(found, other)
    return found


@onnx("Mean", since=6)
def mean(first: Tensor, *others: Tensor) -> Tensor:
    found = first
    for other in others:
        found = ops.add(found, other)
    return ops.div(found, len(others) + 1)


@onnx("Max", since=6)
def maximum(first: Tensor, *others: Tensor) -> Tensor:
    found = first
    for other in others:
        found = ops.maximum(found, other)
    return found


@onnx("Min", since=6)
def minimum(first: Tensor, *others: Tensor) -> Tensor:
    found = first
    for other in others:
        found = ops.minimum(found, other)
    return found


@onnx("Identity")
def identity(x: Tensor) -> Tensor:
    return x


@onnx("Abs", since=6)
def absolute(x: Tensor) -> Tensor:
    return ops.abs(x)


@onnx("Neg", since=6)
def negative(x: Tensor) -> Tensor:
    return ops.neg(x)


@onnx("Reciprocal", since=6)
def reciprocal(x: Tensor) -> Tensor:
    return ops.reciprocal(x)


@onnx("Sqrt", since=6)
def sqrt(x: Tensor) -> Tensor:
    return ops.sqrt(x)


@onnx("Exp", since=6)
def exp(x: Tensor) -> Tensor:
    return ops.exp(x)


@onnx("Log", since=6)
def log(x: Tensor) -> Tensor:
    return ops.log(x)


@onnx("Floor", since=6)
def floor(x: Tensor) -> Tensor:
    return ops.floor(x)


@onnx("Ceil", since=6)
def ceil(x: Tensor) -> Tensor:
    return ops.ceil(x)


@onnx("Round", since=11)
def round_half_even(x: Tensor) -> Tensor:
    return ops.rint(x)


@onnx("Sign", since=9)
def sign(x: Tensor) -> Tensor:
    return ops.cast(ops.greater(x, 0), x.dtype) - ops.cast(ops.less(x, 0), x.dtype)


@onnx("Erf", since=9)
def erf(x: Tensor) -> Tensor:
    return ops.erf(x)


@onnx("Sin", since=7)
def sin(x: Tensor) -> Tensor:
    return ops.sin(x)


@onnx("Cos", since=7)
def cos(x: Tensor) -> Tensor:
    return ops.cos(x)


@onnx("Tan", since=7)
def tan(x: Tensor) -> Tensor:
    return ops.tan(x)


@onnx("Asin", since=7)
def asin(x: Tensor) -> Tensor:
    return ops.asin(x)


@onnx("Acos", since=7)
def acos(x: Tensor) -> Tensor:
    return ops.acos(x)


@onnx("Atan", since=7)
def atan(x: Tensor) -> Tensor:
    return ops.atan(x)


@onnx("Sinh", since=9)
def sinh(x: Tensor) -> Tensor:
    return ops.sinh(x)


@onnx("Cosh", since=9)
def cosh(x: Tensor) -> Tensor:
    return ops.cosh(x)


@onnx("Tanh", since=6)
def tanh(x: Tensor) -> Tensor:
    return ops.tanh(x)


@onnx("Asinh", since=9)
def asinh(x: Tensor) -> Tensor:
    return ops.asinh(x)


@onnx("Acosh", since=9)
def acosh(x: Tensor) -> Tensor:
    return ops.acosh(x)


@onnx("Atanh", since=9)
def atanh(x: Tensor) -> Tensor:
    return ops.atanh(x)


@onnx("IsNaN", since=9)
def is_nan(x: Tensor) -> Tensor:
    return ops.isnan(x)


@onnx("IsInf", since=10)
def is_inf(x: Tensor, *, detect_negative: int = 1, detect_positive: int = 1) -> Tensor:
    found = ops.isinf(x)
    if detect_negative == 0:
        found = ops.logical_and(found, ops.greater(x, 0))
    if detect_positive == 0:
        found = ops.logical_and(found, ops.less(x, 0))
    return found


@onnx("Cast", since=6)
def cast(x: Tensor, *, to: ElementType, saturate: int = 1, round_mode: str = "up") -> Tensor:
    return ops.cast(x, type_of(to))


@onnx("CastLike", since=15)
def cast_like(x: Tensor, like: Tensor, *, saturate: int = 1, round_mode: str = "up") -> Tensor:
    return ops.cast(x, like.dtype)


@onnx("BitCast", since=26)
def bit_cast(x: Tensor, *, to: ElementType) -> Tensor:
    return _reinterpreted(x, type_of(to))


@constexpr
def _reinterpreted(x: Tensor, dtype: DType) -> Tensor:
    return Tensor(x.asnumpy().view(dtype.numpy))


@onnx("Relu", since=6)
def relu(x: Tensor) -> Tensor:
    return ops.relu(x)


@onnx("LeakyRelu", since=6)
def leaky_relu(x: Tensor, *, alpha: float = 0.01) -> Tensor:
    return ops.where(ops.less(x, 0), x * alpha, x)


@onnx("PRelu", since=7)
def prelu(x: Tensor, slope: Tensor) -> Tensor:
    return ops.where(ops.less(x, 0), ops.mul(x, slope), x)


@onnx("Elu", since=6)
def elu(x: Tensor, *, alpha: float = 1.0) -> Tensor:
    return ops.where(ops.less(x, 0), ops.expm1(ops.minimum(x, 0.0)) * alpha, x)


@onnx("Selu", since=6)
def selu(x: Tensor, *, alpha: float = 1.67326319217681884765625, gamma: float = 1.05070102214813232421875) -> Tensor:
    return ops.where(ops.less_equal(x, 0), ops.expm1(ops.minimum(x, 0.0)) * alpha, x) * gamma


@onnx("Celu", since=12)
def celu(x: Tensor, *, alpha: float = 1.0) -> Tensor:
    return ops.maximum(x, 0.0) + ops.minimum(ops.expm1(ops.minimum(x, 0.0) / alpha) * alpha, 0.0)


@onnx("ThresholdedRelu", since=10)
def thresholded_relu(x: Tensor, *, alpha: float = 1.0) -> Tensor:
    return ops.where(ops.greater(x, alpha), x, ops.zeros_like(x))


@onnx("Sigmoid", since=6)
def sigmoid(x: Tensor) -> Tensor:
    """The logistic function; Float16 is computed as Float32 and rounded once."""
    if x.dtype == mstype.float16:
        return ops.cast(ops.sigmoid(ops.cast(x, mstype.float32)), x.dtype)
    return ops.sigmoid(x)


@onnx("HardSigmoid", since=6)
def hard_sigmoid(x: Tensor, *, alpha: float = 0.2, beta: float = 0.5) -> Tensor:
    return ops.minimum(ops.maximum(x * alpha + beta, 0.0), 1.0)


@onnx("HardSwish", since=14)
def hard_swish(x: Tensor) -> Tensor:
    return x * ops.minimum(ops.maximum(x / 6.0 + 0.5, 0.0), 1.0)


@onnx("Softplus")
def softplus(x: Tensor) -> Tensor:
    return ops.maximum(x, 0.0) + ops.log1p(ops.exp(-ops.abs(x)))


@onnx("Softsign")
def softsign(x: Tensor) -> Tensor:
    return x / (ops.abs(x) + 1.0)


@onnx("Mish", since=18)
def mish(x: Tensor) -> Tensor:
    return x * ops.tanh(ops.maximum(x, 0.0) + ops.log1p(ops.exp(-ops.abs(x))))


@onnx("Swish", since=24)
def swish(x: Tensor, *, alpha: float = 1.0) -> Tensor:
    return x * sigmoid(x * alpha)


@onnx("Gelu", since=20)
def gelu(x: Tensor, *, approximate: str = "none") -> Tensor:
    if approximate == "tanh":
        inner = (x + x * x * x * 0.044715) * math.sqrt(2.0 / math.pi)
        return x * 0.5 * (ops.tanh(inner) + 1.0)
    return x * 0.5 * (ops.erf(x * math.sqrt(0.5)) + 1.0)


@onnx("Shrink", since=9)
def shrink(x: Tensor, *, bias: float = 0.0, lambd: float = 0.5) -> Tensor:
    above, below = ops.greater(x, lambd), ops.less(x, -lambd)
    moved = ops.where(above, x - ops.cast(tensor_of(bias, mstype.float32), x.dtype),
                      x + ops.cast(tensor_of(bias, mstype.float32), x.dtype))  # fmt: skip
    return ops.where(ops.logical_or(above, below), moved, ops.zeros_like(x))


@onnx("Clip", since=6)
def clip_to_attributes(
    x: Tensor,
    *,
    min: float = -3.4028234663852886e38,  # noqa: A002
    max: float = 3.4028234663852886e38,  # noqa: A002
) -> Tensor:
    return ops.minimum(ops.maximum(x, min), max)


@onnx("Clip", since=11)
def clip(x: Tensor, low: Tensor | None = None, high: Tensor | None = None) -> Tensor:
    if low is not None:
        x = ops.maximum(x, low)
    return x if high is None else ops.minimum(x, high)


@onnx("Dropout", since=7)
def dropout_of_attribute(x: Tensor, *, ratio: float = 0.5) -> tuple[Tensor, Tensor]:
    return x, ops.ones_like(x) > 0


@onnx("Dropout", since=12)
def dropout(
    x: Tensor, ratio: Tensor | None = None, training_mode: Tensor | None = None, *, seed: int | None = None
) -> tuple[Tensor, Tensor]:
    everything = ops.ones_like(x) > 0
    if training_mode is None or number(training_mode) == 0:
        return x, everything
    share = 0.5 if ratio is None else number(ratio)
    if share == 0:
        return x, everything
    drawn = ops.rand(*x.shape) if seed is None else seeded(x.shape, seed)
    kept = drawn >= share
    return ops.where(kept, x / (1.0 - share), ops.zeros_like(x)), kept


@onnx("SwiGLU", since=28)
def swiglu(gate: Tensor, value: Tensor, *, alpha: float = 1.0) -> Tensor:
    return gate * sigmoid(gate * alpha) * value


@constexpr
def seeded(shape: tuple[int, ...], seed: int) -> Tensor:
    """Uniform random numbers in [0, 1) that a seed of the model determines, by numpy's Mersenne Twister."""
    return Tensor(np.random.RandomState(seed % (1 << 32)).uniform(size=shape))
