"""Forms of operators before opset 7: operands broadcast only on request, along an axis; some attributes are gone."""

from __future__ import annotations

from framework import ops
from framework.common.tensor import Tensor
from framework.ir.model_values import ModelError
from framework.onnx.operators.elementwise import div, power, prelu
from framework.onnx.operators.layers.conv_and_pooling import average_pool
from framework.onnx.operators.layers.normalizing import batch_normalization
from framework.onnx.operators.matrices import gemm
from framework.onnx.operators.operator_table import Ints, onnx
from framework.ops.constexpr import constexpr

__all__: list[str] = []


def _aligned(a: Tensor, b: Tensor, broadcast: int, axis: int | None) -> Tensor:
    """The second operand as it broadcasts with the first: from an axis on, or at the end."""
    if broadcast == 0 or axis is None:
        return b
    return ops.reshape(b, _view(len(a.shape), b.shape, axis))


@constexpr
def _view(rank: int, dims: tuple[int, ...], axis: int) -> Ints:
    first = axis + rank if axis < 0 else axis
    return (*(1,) * first, *dims, *(1,) * (rank - first - len(dims)))


@onnx("Add", since=1)
def add(
    a: Tensor, b: Tensor, *, axis: int | None = None, broadcast: int = 0, consumed_inputs: Ints | None = None
) -> Tensor:
    return ops.add(a, _aligned(a, b, broadcast, axis))


@onnx("Sub", since=1)
def sub(
    a: Tensor, b: Tensor, *, axis: int | None = None, broadcast: int = 0, consumed_inputs: Ints | None = None
) -> Tensor:
    return ops.sub(a, _aligned(a, b, broadcast, axis))


@onnx("Mul", since=1)
def mul(
    a: Tensor, b: Tensor, *, axis: int | None = None, broadcast: int = 0, consumed_inputs: Ints | None = None
) -> Tensor:
    return ops.mul(a, _aligned(a, b, broadcast, axis))


@onnx("Div", since=1)
def quotient(
    a: Tensor, b: Tensor, *, axis: int | None = None, broadcast: int = 0, consumed_inputs: Ints | None = None
) -> Tensor:
    return div(a, _aligned(a, b, broadcast, axis))


@onnx("Pow", since=1)
def powers(a: Tensor, b: Tensor, *, axis: int | None = None, broadcast: int = 0) -> Tensor:
    return power(a, _aligned(a, b, broadcast, axis))


@onnx("Equal", since=1)
def equal(a: Tensor, b: Tensor, *, axis: int | None = None, broadcast: int = 0) -> Tensor:
    return ops.equal(a, _aligned(a, b, broadcast, axis))


@onnx("Greater", since=1)
def greater(a: Tensor, b: Tensor, *, axis: int | None = None, broadcast: int = 0) -> Tensor:
    return ops.greater(a, _aligned(a, b, broadcast, axis))


@onnx("Less", since=1)
def less(a: Tensor, b: Tensor, *, axis: int | None = None, broadcast: int = 0) -> Tensor:
    return ops.less(a, _aligned(a, b, broadcast, axis))


@onnx("PRelu", since=6)
def prelu_of_channels(x: Tensor, slope: Tensor) -> Tensor:
    return prelu(x, _aligned(x, slope, 1, 1) if len(slope.shape) == 1 and slope.shape[0] != 1 else slope)


@onnx("Gemm", since=1)
def gemm_of_rows(
    a: Tensor,
    b: Tensor,
    c: Tensor,
    *,
    alpha: float = 1.0,
    beta: float = 1.0,
    broadcast: int = 0,
    transA: int = 0,  # noqa: N803 - ONNX's name
    transB: int = 0,  # noqa: N803 - ONNX's name
) -> Tensor:
    return gemm(a, b, c, alpha=alpha, beta=beta, transA=transA, transB=transB)


@onnx("AveragePool", since=1)
def average_pool_without_padding(
    x: Tensor,
    *,
    kernel_shape: Ints,
    auto_pad: str = "NOTSET",
    pads: Ints | None = None,
    strides: Ints | None = None,
) -> Tensor:
    return average_pool(x, kernel_shape=kernel_shape, auto_pad=auto_pad, pads=pads, strides=strides)


@onnx("BatchNormalization", since=6)
def batch_normalization_by_flag(
    x: Tensor,
    scale: Tensor,
    b: Tensor,
    mean: Tensor,
    var: Tensor,
    *,
    epsilon: float = 1e-5,
    is_test: int = 0,
    momentum: float = 0.9,
    spatial: int = 1,
    outputs: int = 1,
) -> tuple[Tensor, ...]:
    if (is_test == 0 and outputs > 1) or spatial == 0:
        raise ModelError("a BatchNormalization that trains, or is not spatial, is supported since opset 14 only")
    return batch_normalization(x, scale, b, mean, var, epsilon=epsilon)


@onnx("Dropout", since=1)
def dropout(
    x: Tensor, *, is_test: int = 0, ratio: float = 0.5, consumed_inputs: Ints | None = None
) -> tuple[Tensor, Tensor]:
    return x, ops.ones_like(x) > 0
