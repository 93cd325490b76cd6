"""Normalization over a batch, a layer, groups or neighbours."""

from __future__ import annotations

import numpy as np

from framework import ops
from framework.common import dtype as mstype
from framework.common.tensor import Tensor
from framework.ir.model_values import ModelError
from framework.onnx.operators.operator_table import ElementType, Ints, onnx
from framework.onnx.operators.shapes import padded
from framework.onnx.operators.values import axis_of, tensor_of, type_of
from framework.ops.constexpr import constexpr
from framework.ops.primitive import cached

__all__: list[str] = []


@onnx("BatchNormalization", since=7)
def batch_normalization_old(
    x: Tensor,
    scale: Tensor,
    b: Tensor,
    mean: Tensor,
    var: Tensor,
    *,
    epsilon: float = 1e-5,
    momentum: float = 0.9,
    spatial: int = 1,
    outputs: int = 1,
) -> tuple[Tensor, ...]:
    if outputs > 1 or spatial == 0:
        raise ModelError("a BatchNormalization that trains, or is not spatial, is supported since opset 14 only")
    return (_scaled(x, scale, b, mean, var, epsilon),)


@onnx("BatchNormalization", since=14)
def batch_normalization(
    x: Tensor,
    scale: Tensor,
    b: Tensor,
    mean: Tensor,
    var: Tensor,
    *,
    epsilon: float = 1e-5,
    momentum: float = 0.9,
    training_mode: int = 0,
) -> tuple[Tensor, ...]:
    if training_mode == 0:
        return _scaled(x, scale, b, mean, var, epsilon), mean, var
    axes = _all_but_channels(len(x.shape))
    here = ops.mean(x, axes)
    spread = ops.mean(ops.square(x - ops.reshape(here, _channels(len(x.shape)))), axes)
    new_mean = mean * momentum + here * (1.0 - momentum)
    new_var = var * momentum + spread * (1.0 - momentum)
    return _scaled(x, scale, b, here, spread, epsilon), ops.cast(new_mean, mean.dtype), ops.cast(new_var, var.dtype)


def _scaled(x: Tensor, scale: Tensor, b: Tensor, mean: Tensor, var: Tensor, epsilon: float) -> Tensor:
    view = _channels(len(x.shape))
    factor = scale * ops.rsqrt(var + epsilon)
    return ops.cast(x * ops.reshape(factor, view) + ops.reshape(b - mean * factor, view), x.dtype)


@constexpr
def _channels(rank: int) -> Ints:
    return (1, -1, *(1,) * (rank - 2)) if rank > 1 else (-1,)


@constexpr
def _all_but_channels(rank: int) -> Ints:
    return (0, *range(2, rank))


@onnx("InstanceNormalization", since=6)
def instance_normalization(x: Tensor, scale: Tensor, b: Tensor, *, epsilon: float = 1e-5) -> Tensor:
    axes, view = _spatial(len(x.shape)), _channels(len(x.shape))
    return _normalized(x, axes, epsilon) * ops.reshape(scale, view) + ops.reshape(b, view)


@constexpr
def _spatial(rank: int) -> Ints:
    return tuple(range(2, rank))


def _normalized(x: Tensor, axes: Ints, epsilon: float) -> Tensor:
    centred = x - ops.mean(x, axes, True)
    return centred * ops.rsqrt(ops.mean(centred * centred, axes, True) + epsilon)


@onnx("LayerNormalization", since=17)
def layer_normalization(
    x: Tensor,
    scale: Tensor,
    b: Tensor | None = None,
    *,
    axis: int = -1,
    epsilon: float = 1e-5,
    stash_type: ElementType = 1,
    outputs: int = 1,
) -> tuple[Tensor, ...]:
    first = axis_of(axis, len(x.shape))
    if (
        outputs == 1
        and b is not None
        and x.dtype == mstype.float32
        and _are_behind(x.shape, scale.shape, b.shape, first)
    ):
        return (_layer_norm(first, epsilon)(x, scale, b)[0],)
    axes = _from(first, len(x.shape))
    seen = ops.cast(x, type_of(stash_type))
    mean = ops.mean(seen, axes, True)
    centred = seen - mean
    inverse = ops.rsqrt(ops.mean(centred * centred, axes, True) + epsilon)
    out = ops.cast(centred * inverse, x.dtype) * scale
    return out if b is None else out + b, mean, inverse


@constexpr
def _are_behind(dims: tuple[int, ...], scale: tuple[int, ...], b: tuple[int, ...], first: int) -> bool:
    """Whether scale and bias have the shape that is normalized."""
    return tuple(scale) == tuple(b) == tuple(dims[first:])


@constexpr
def _layer_norm(axis: int, epsilon: float) -> ops.operations.LayerNorm:
    return cached(ops.operations.LayerNorm, axis, axis, epsilon)


@constexpr
def _from(first: int, rank: int) -> Ints:
    return tuple(range(first, rank))


@onnx("RMSNormalization", since=23)
def rms_normalization(
    x: Tensor, scale: Tensor, *, axis: int = -1, epsilon: float = 1e-5, stash_type: ElementType = 1
) -> Tensor:
    axes = _from(axis_of(axis, len(x.shape)), len(x.shape))
    seen = ops.cast(x, type_of(stash_type))
    found = seen * ops.rsqrt(ops.mean(seen * seen, axes, True) + epsilon)
    return ops.cast(ops.cast(found, x.dtype) * scale, scale.dtype)


@onnx("GroupNormalization", since=18)
def group_normalization_by_group(
    x: Tensor, scale: Tensor, b: Tensor, *, num_groups: int, epsilon: float = 1e-5
) -> Tensor:
    grouped = ops.reshape(x, (x.shape[0], num_groups, -1))
    found = _normalized(grouped, (2,), epsilon) * ops.reshape(scale, (1, -1, 1)) + ops.reshape(b, (1, -1, 1))
    return ops.reshape(found, x.shape)


@onnx("GroupNormalization", since=21)
def group_normalization(
    x: Tensor, scale: Tensor, b: Tensor, *, num_groups: int, epsilon: float = 1e-5, stash_type: ElementType = 1
) -> Tensor:
    view = _channels(len(x.shape))
    grouped = ops.reshape(ops.cast(x, type_of(stash_type)), (x.shape[0], num_groups, -1))
    found = ops.cast(ops.reshape(_normalized(grouped, (2,), epsilon), x.shape), x.dtype)
    return found * ops.reshape(scale, view) + ops.reshape(b, view)


@onnx("MeanVarianceNormalization", since=9)
def mean_variance_normalization(x: Tensor, *, axes: Ints = (0, 2, 3)) -> Tensor:
    centred = x - ops.mean(x, axes, True)
    return centred / (ops.sqrt(ops.mean(centred * centred, axes, True)) + 1e-9)


@onnx("LRN")
def local_response_normalization(
    x: Tensor, *, size: int, alpha: float = 0.0001, beta: float = 0.75, bias: float = 1.0
) -> Tensor:
    wide = padded(x * x, _beside(len(x.shape), size), "constant", tensor_of(0, x.dtype))
    sums = ops.sum(ops.gather(wide, _neighbours(x.shape[1], size), 1), 2)
    return x / ops.pow(sums * (alpha / size) + bias, beta)


@constexpr
def _beside(rank: int, size: int) -> Ints:
    sides = [0] * (2 * rank)
    sides[1], sides[rank + 1] = (size - 1) // 2, size - 1 - (size - 1) // 2
    return tuple(sides)


@constexpr
def _neighbours(channels: int, size: int) -> Tensor:
    return Tensor(np.arange(channels)[:, None] + np.arange(size)[None, :])
