"""Quantized tensors: conversion with half-to-even rounding and saturation, and products of quantized tensors."""

from __future__ import annotations

import numpy as np

from framework import ops
from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.onnx.operators.layers.conv_and_pooling import convolved
from framework.onnx.operators.operator_table import ElementType, Ints, onnx
from framework.onnx.operators.values import type_of
from framework.ops.constexpr import constexpr

__all__: list[str] = []


@onnx("QuantizeLinear", since=10)
def quantize(
    x: Tensor,
    scale: Tensor,
    zero_point: Tensor | None = None,
    *,
    axis: int = 1,
    block_size: int = 0,
    output_dtype: ElementType = 0,
    precision: ElementType = 0,
    saturate: int = 1,
) -> Tensor:
    wanted = mstype.uint8 if output_dtype == 0 else type_of(output_dtype)
    if zero_point is not None:
        wanted = zero_point.dtype
    computed = scale.dtype if precision == 0 else type_of(precision)
    factor = _along(ops.cast(scale, computed), x.shape, axis, block_size)
    found = ops.rint(ops.cast(x, computed) / factor)
    if zero_point is not None:
        found = ops.cast(found, mstype.float32) + _along(
            ops.cast(zero_point, mstype.float32), x.shape, axis, block_size
        )
    return _saturated(found, wanted)


@onnx("DequantizeLinear", since=10)
def dequantize(
    x: Tensor,
    scale: Tensor,
    zero_point: Tensor | None = None,
    *,
    axis: int = 1,
    block_size: int = 0,
    output_dtype: ElementType = 0,
) -> Tensor:
    found = ops.cast(x, mstype.float32 if x.dtype.bits <= 16 else mstype.float64)
    if zero_point is not None:
        found = found - _along(ops.cast(zero_point, found.dtype), x.shape, axis, block_size)
    out = found * _along(ops.cast(scale, found.dtype), x.shape, axis, block_size)
    return ops.cast(out, scale.dtype if output_dtype == 0 else type_of(output_dtype))


def _along(t: Tensor, dims: tuple[int, ...], axis: int, block_size: int) -> Tensor:
    """A scale or zero point as it broadcasts with a tensor of a shape: one number, one per slice or one per block."""
    if len(t.shape) == 0 or len(dims) == 0:
        return ops.reshape(t, ())
    if len(t.shape) == 1 and block_size == 0:
        return ops.reshape(t, _view(len(dims), axis)) if t.shape[0] != 1 else t
    return ops.gather(t, _blocks(dims[axis], block_size), axis)


@constexpr
def _view(rank: int, axis: int) -> Ints:
    view = [1] * rank
    view[axis] = -1
    return tuple(view)


@constexpr
def _blocks(length: int, size: int) -> Tensor:
    return Tensor(np.arange(length) // size)


@constexpr
def _bounds(dtype: DType) -> tuple[float, float]:
    info = np.iinfo(dtype.numpy)
    return float(info.min), float(info.max)


def _saturated(x: Tensor, dtype: DType) -> Tensor:
    low, high = _bounds(dtype)
    return ops.cast(ops.minimum(ops.maximum(x, low), high), dtype)


@onnx("DynamicQuantizeLinear", since=11)
def dynamic_quantize(x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    low = ops.minimum(ops.amin(x), 0.0)
    scale = (ops.maximum(ops.amax(x), 0.0) - low) / 255.0
    zero = ops.rint(ops.minimum(ops.maximum(-low / scale, 0.0), 255.0))
    return _saturated(ops.rint(x / scale) + zero, mstype.uint8), scale, ops.cast(zero, mstype.uint8)


def _centred(x: Tensor, zero_point: Tensor | None) -> Tensor:
    """The integers of a quantized tensor, without its zero point; floats of 64 bits hold their products exactly."""
    numbers = ops.cast(x, mstype.float64)
    return numbers if zero_point is None else numbers - ops.cast(zero_point, mstype.float64)


@onnx("MatMulInteger", since=10)
def matmul_integer(a: Tensor, b: Tensor, a_zero: Tensor | None = None, b_zero: Tensor | None = None) -> Tensor:
    return ops.cast(ops.matmul(_centred(a, _rows(a_zero)), _centred(b, b_zero)), mstype.int32)


def _rows(zero_point: Tensor | None) -> Tensor | None:
    """Zero points of the rows of a matrix as a column."""
    if zero_point is None or len(zero_point.shape) != 1:
        return zero_point
    return ops.expand_dims(zero_point, -1)


@onnx("QLinearMatMul", since=10)
def quantized_matmul(
    a: Tensor,
    a_scale: Tensor,
    a_zero: Tensor,
    b: Tensor,
    b_scale: Tensor,
    b_zero: Tensor,
    y_scale: Tensor,
    y_zero: Tensor,
) -> Tensor:
    products = ops.matmul(_centred(a, _rows(a_zero)), _centred(b, b_zero))
    factor = ops.cast(_rows(a_scale) * b_scale / y_scale, mstype.float64)  # type: ignore[operator]
    return _saturated(ops.rint(products * factor) + ops.cast(y_zero, mstype.float64), y_zero.dtype)


@onnx("ConvInteger", since=10)
def conv_integer(
    x: Tensor,
    w: Tensor,
    x_zero: Tensor | None = None,
    w_zero: Tensor | None = None,
    *,
    auto_pad: str = "NOTSET",
    dilations: Ints | None = None,
    group: int = 1,
    kernel_shape: Ints | None = None,
    pads: Ints | None = None,
    strides: Ints | None = None,
) -> Tensor:
    weights = _centred(w, _by_channel(w_zero, len(w.shape)))
    found = convolved(_centred(x, x_zero), weights, None, auto_pad, dilations, group, pads, strides)
    return ops.cast(found, mstype.int32)


def _by_channel(t: Tensor | None, rank: int) -> Tensor | None:
    """Numbers for the output channels of weights, as they broadcast with these."""
    if t is None or len(t.shape) == 0:
        return t
    return ops.reshape(t, _view(rank, 0))


@onnx("QLinearConv", since=10)
def quantized_conv(
    x: Tensor,
    x_scale: Tensor,
    x_zero: Tensor,
    w: Tensor,
    w_scale: Tensor,
    w_zero: Tensor,
    y_scale: Tensor,
    y_zero: Tensor,
    b: Tensor | None = None,
    *,
    auto_pad: str = "NOTSET",
    dilations: Ints | None = None,
    group: int = 1,
    kernel_shape: Ints | None = None,
    pads: Ints | None = None,
    strides: Ints | None = None,
) -> Tensor:
    rank = len(x.shape)
    weights = _centred(w, _by_channel(w_zero, rank))
    bias = None if b is None else ops.cast(b, mstype.float64)
    found = convolved(_centred(x, x_zero), weights, bias, auto_pad, dilations, group, pads, strides)
    factor = ops.cast(x_scale * w_scale / y_scale, mstype.float64)
    if len(factor.shape) == 1:
        factor = ops.reshape(factor, _view(rank, 1))
    return _saturated(ops.rint(found * factor) + ops.cast(y_zero, mstype.float64), y_zero.dtype)
