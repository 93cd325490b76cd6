"""MindSpore's newer operators with torch's arguments (`...Ext` and the like), as functions of `mint` and `ops`."""

from __future__ import annotations

from typing import Any

from framework import mint, ops
from framework.common.tensor import Tensor
from framework.mindir.operators.meanings import dtype_of, mindspore

__all__ = ["the_same"]


@mindspore("SumExt")
def summed(x: Tensor, dim: Any = None, keepdim: bool = False, number: int | None = None) -> Tensor:
    return mint.sum(x, dim, keepdim, dtype=dtype_of(number))


@mindspore("MeanExt")
def mean(x: Tensor, dim: Any = None, keepdim: bool = False, number: int | None = None) -> Tensor:
    return mint.mean(x, dim, keepdim, dtype=dtype_of(number))


@mindspore("ProdExt")
def multiplied_together(x: Tensor, dim: Any = None, keepdim: bool = False, number: int | None = None) -> Tensor:
    return mint.prod(x, dim, keepdim, dtype=dtype_of(number))


@mindspore("ReduceSum")
def reduced_sum(x: Tensor, axis: Any = (), keep: bool = False, skip: bool = False) -> Tensor:
    return x if skip and axis == () else ops.ReduceSum(keep)(x, axis)


@mindspore("Max")
def largest(x: Tensor) -> Tensor:
    return mint.max(x)


@mindspore("Min")
def smallest(x: Tensor) -> Tensor:
    return mint.min(x)


@mindspore("MaxDim")
def largest_along(x: Tensor, dim: int, keepdim: bool = False) -> tuple[Tensor, Tensor]:
    return mint.max(x, dim, keepdim)


@mindspore("MinDim")
def smallest_along(x: Tensor, dim: int, keepdim: bool = False) -> tuple[Tensor, Tensor]:
    return mint.min(x, dim, keepdim)


@mindspore("ArgMaxExt")
def place_of_largest(x: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
    return mint.argmax(x, dim, keepdim)


@mindspore("ClampScalar", "ClampTensor")
def clamped(x: Tensor, low: Any = None, high: Any = None) -> Tensor:
    return ops.clamp(x, low, high)


@mindspore("Round")
def rounded(x: Tensor, decimals: int = 0) -> Tensor:
    return ops.Round()(x) if decimals == 0 else mint.round(x, decimals=decimals)


@mindspore("Log")
def logarithm(x: Tensor) -> Tensor:
    return ops.log(x)


@mindspore("TensorMove", "Clone", "Contiguous", "Copy", "Detach")
def the_same(x: Tensor) -> Tensor:
    """A copy, or the tensor itself where nothing changes it."""
    return ops.identity(x)


@mindspore("View", "ReshapeExt")
def viewed(x: Tensor, shape: Any) -> Tensor:
    return ops.reshape(x, shape)


@mindspore("TransposeView")
def transposed(x: Tensor, order: Any) -> Tensor:
    return ops.transpose(x, order)


@mindspore("TransposeExtView")
def exchanged(x: Tensor, first: int, second: int) -> Tensor:
    return x.swapaxes(first, second)


@mindspore("ExpandDimsView")
def expanded(x: Tensor, axis: int) -> Tensor:
    return ops.expand_dims(x, axis)


@mindspore("StackExt")
def stacked(tensors: Any, dim: int = 0) -> Tensor:
    return ops.stack(tensors, dim)


@mindspore("SplitTensor", "SplitTensorView")
def split(x: Tensor, size: int, dim: int = 0) -> tuple[Tensor, ...]:
    return mint.split(x, size, dim)


@mindspore("SplitWithSize", "SplitWithSizeView")
def split_by_sizes(x: Tensor, sizes: Any, dim: int = 0) -> tuple[Tensor, ...]:
    return mint.split(x, sizes, dim)


@mindspore("IndexSelect")
def selected(x: Tensor, dim: int, index: Tensor) -> Tensor:
    return ops.gather(x, index, dim)


@mindspore("SelectExtView")
def selected_one(x: Tensor, dim: int, index: int) -> Tensor:
    return ops.gather(x, ops.scalar_to_tensor(index), dim)


@mindspore("TrilExt")
def lower_triangle(x: Tensor, diagonal: int = 0) -> Tensor:
    return ops.tril(x, diagonal)


@mindspore("SoftmaxExt")
def softmax(x: Tensor, dim: int = -1, number: int | None = None) -> Tensor:
    return ops.softmax(x if number is None else ops.cast(x, dtype_of(number)), dim)


@mindspore("CumsumExt")
def running_sum(x: Tensor, dim: int, number: int | None = None) -> Tensor:
    return ops.cumsum(x if number is None else ops.cast(x, dtype_of(number)), dim)


@mindspore("Addmm")
def added_product(x: Tensor, a: Tensor, b: Tensor, beta: Any = 1, alpha: Any = 1) -> Tensor:
    return ops.addmm(x, a, b, beta=beta, alpha=alpha)


@mindspore("Baddbmm")
def added_products(x: Tensor, a: Tensor, b: Tensor, beta: Any = 1, alpha: Any = 1) -> Tensor:
    return ops.baddbmm(x, a, b, beta=beta, alpha=alpha)


@mindspore("TopkExt")
def largest_ones(x: Tensor, k: int, dim: int = -1, largest: bool = True, in_order: bool = True) -> tuple[Tensor, ...]:
    return ops.topk(x, k, dim, largest, in_order)
