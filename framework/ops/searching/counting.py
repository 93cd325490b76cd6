"""Distinct elements, and counts of values."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.ops.arrays import Array, ArrayModule
from framework.ops.creation.filled_like import OnesLike
from framework.ops.primitive import PrimitiveWithInfer, cached, prim_attr_register
from framework.ops.shapes import Dims

__all__ = [
    "Bincount",
    "Histogram",
    "Unique",
    "UniqueConsecutive",
    "UniqueWithPad",
    "bincount",
    "histc",
    "unique",
    "unique_consecutive",
    "unique_with_pad",
]

_ones_like = OnesLike()


class Unique(PrimitiveWithInfer):
    """The distinct elements of a vector in the order of their first occurrence, and the index of each element in them.

    Inputs: x, a vector.

    Output: the distinct elements, of the element type of x; indices into them, of the shape of x, Int64 if x is Int64,
    else Int32.

    Example:
        >>> values, index = ops.Unique()(Tensor([7, 5, 7, 9, 5]))
        >>> print(values, index)
        [7 5 9] [0 1 0 2 1]
    """

    arguments = ("input",)
    fresh = True

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["x"], outputs=["output"])

    def infer_shape(self, x: Dims) -> tuple[Dims, Dims]:
        return (None,), x

    def infer_dtype(self, x: DType) -> tuple[DType, DType]:
        return x, mstype.int64 if x is mstype.int64 else mstype.int32

    def compute(self, xp: ArrayModule, x: Array) -> tuple[Array, ...]:
        values, first, index = xp.unique(x.reshape(-1), return_index=True, return_inverse=True)
        order = xp.argsort(first)
        rank = xp.empty_like(order)
        rank[order] = xp.arange(order.size)
        return values[order], rank[index].reshape(x.shape).astype(self.infer_dtype(mstype.of(x.dtype))[1].numpy)


unique = Unique()


class UniqueWithPad(PrimitiveWithInfer):
    """The distinct elements of a vector in the order of their first occurrence, filled up to the length of the vector.

    Inputs: x, a vector; pad_num, a number, which fills up.

    Output: the distinct elements, then copies of pad_num, of the shape and element type of x; indices into them, of the
    shape of x, Int64 if x is Int64, else Int32.

    Example:
        >>> values, index = ops.UniqueWithPad()(Tensor([7, 5, 7, 9, 5]), 0)
        >>> print(values, index)
        [7 5 9 0 0] [0 1 0 2 1]
    """

    arguments = ("x", "pad_num")
    fresh = True

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["x", "pad_num"], outputs=["y", "idx"])

    def infer_shape(self, x: Dims, pad_num: Any) -> tuple[Dims, Dims]:
        return x, x

    def infer_dtype(self, x: DType, pad_num: Any) -> tuple[DType, DType]:
        return unique.infer_dtype(x)

    def compute(self, xp: ArrayModule, x: Array, pad_num: Any) -> tuple[Array, ...]:
        values, index = unique.compute(xp, x)
        out = xp.full(x.shape, pad_num, x.dtype)
        out[: values.size] = values
        return out, index


def unique_with_pad(x: Tensor, pad_num: float) -> tuple[Tensor, Tensor]:
    """The distinct elements of a vector in the order of their first occurrence, filled up to the length of the vector.

    Args:
        x: a vector.
        pad_num: the number that fills up.

    Returns:
        The distinct elements, then copies of `pad_num`, of the shape and element type of `x`; indices into them.

    Example:
        >>> print(ops.unique_with_pad(Tensor([3, 1, 3]), 0)[0])
        [3 1 0]
    """
    return UniqueWithPad()(x, pad_num)


class UniqueConsecutive(PrimitiveWithInfer):
    """The elements without consecutive repetitions, the index of each element in them, and the number of repetitions.

    Inputs: x, a tensor, which is flattened.

    Output: the elements, of the element type of x; indices into them, Int64, of the shape of x; counts, Int64.

    Args:
        return_inverse: return the indices, else an empty tensor.
        return_counts: return the counts, else an empty tensor.
        axis: None.

    Example:
        >>> values, index, counts = ops.UniqueConsecutive(True, True)(Tensor([7, 7, 5, 7]))
        >>> print(values, index, counts)
        [7 5 7] [0 0 1 2] [2 1 1]
    """

    fresh = True

    @prim_attr_register
    def __init__(self, return_inverse: bool = False, return_counts: bool = False, axis: int | None = None) -> None:
        self.init_prim_io_names(inputs=["x"], outputs=["output"])
        if axis is not None:
            raise ValueError("UniqueConsecutive: axis must be None; comparing slices is not supported")

    def infer_shape(self, x: Dims) -> tuple[Dims, ...]:
        return (None,), x if self.return_inverse else (0,), (None,) if self.return_counts else (0,)

    def infer_dtype(self, x: DType) -> tuple[DType, ...]:
        return x, mstype.int64, mstype.int64

    def compute(self, xp: ArrayModule, x: Array) -> tuple[Array, ...]:
        flat = x.reshape(-1)
        begins = xp.concatenate([xp.ones(min(1, flat.size), bool), flat[1:] != flat[:-1]])
        starts = xp.nonzero(begins)[0]
        index = (xp.cumsum(begins) - 1).reshape(x.shape).astype(xp.int64)
        counts = xp.diff(xp.concatenate([starts, xp.asarray([flat.size])])).astype(xp.int64)
        none = xp.zeros(0, xp.int64)
        return flat[begins], index if self.return_inverse else none, counts if self.return_counts else none


def unique_consecutive(input: Any, return_inverse: bool = False, return_counts: bool = False, dim: Any = None) -> Any:
    """The elements without consecutive repetitions.

    Args:
        input: tensor, which is flattened.
        return_inverse: return the index of each element in the result too.
        return_counts: return the number of repetitions too.
        dim: None.

    Returns:
        A vector of elements; or a tuple of it, the Int64 indices and the Int64 counts, as asked for.

    Example:
        >>> print(ops.unique_consecutive(Tensor([1, 1, 2, 2, 1])))
        [1 2 1]

    """
    values, index, counts = cached(UniqueConsecutive, return_inverse, return_counts, dim)(input)
    if return_inverse:
        return (values, index, counts) if return_counts else (values, index)
    return (values, counts) if return_counts else values


class Histogram(PrimitiveWithInfer):
    """The number of elements in each of `bins` equal parts of a range; elements outside are not counted.

    Inputs: x, a tensor.

    Output: a tensor of shape (bins,), of the element type of x if that is a floating-point type, else Int32.

    Args:
        bins: number of parts.
        min: lower limit of the range.
        max: upper limit of the range; if both are equal, the range of the elements is used.

    Example:
        >>> print(ops.Histogram(bins=3, min=0.0, max=6.0)(Tensor([0, 1, 1, 3, 5, 9])))
        [3 1 1]
    """

    fresh = True

    @prim_attr_register
    def __init__(self, bins: int = 100, min: float = 0.0, max: float = 0.0) -> None:
        self.init_prim_io_names(inputs=["x"], outputs=["y"])
        if bins < 1 or min > max:
            raise ValueError(f"Histogram: cannot divide the range from {min} to {max} into {bins} parts")

    def infer_shape(self, x: Dims) -> Dims:
        return (self.bins,)

    def infer_dtype(self, x: DType) -> DType:
        return x if x.is_floating_point else mstype.int32

    def compute(self, xp: ArrayModule, x: Array) -> Array:
        ends = None if self.min == self.max else (self.min, self.max)
        return xp.histogram(x, bins=self.bins, range=ends)[0].astype(self.infer_dtype(mstype.of(x.dtype)).numpy)


def histc(input: Tensor, bins: int = 100, min: float = 0.0, max: float = 0.0) -> Tensor:
    """The number of elements in each of `bins` equal parts of a range.

    Args:
        input: tensor of numbers.
        bins: number of parts.
        min: lower limit of the range.
        max: upper limit of the range; if both are equal, the range of the elements is used.

    Returns:
        A tensor of shape (bins,).

    Example:
        >>> print(ops.histc(Tensor([1.0, 2.0, 1.0, 4.0]), 4, 0.0, 4.0))
        [0. 2. 1. 1.]

    """
    return cached(Histogram, bins, min, max)(input)


class Bincount(PrimitiveWithInfer):
    """The sums of the weights of equal numbers: out[n] = sum of weights[i] over all i with numbers[i] == n.

    Inputs: numbers, a vector of integers that are not negative; weights, a vector of the same length.

    Output: a Float32 vector, as long as the largest number plus 1, and at least `minlength`.

    Args:
        minlength: least length of the output.

    Example:
        >>> print(ops.Bincount(minlength=4)(Tensor([0, 2, 2]), Tensor([1.0, 2.0, 3.0], ms.float32)))
        [1. 0. 5. 0.]
    """

    takes = MappingProxyType({1: (mstype.bool_, *mstype.real_type)})
    fresh = True

    @prim_attr_register
    def __init__(self, minlength: int = 0) -> None:
        self.init_prim_io_names(inputs=["array", "weights"], outputs=["bins"])

    def infer_shape(self, numbers: Dims, weights: Dims) -> Dims:
        if len(numbers) != 1 or numbers != weights:
            raise ValueError(f"Bincount: numbers {numbers} and weights {weights} must be vectors of one length")
        return (None,)

    def infer_dtype(self, numbers: DType, weights: DType) -> DType:
        return mstype.float32

    def compute(self, xp: ArrayModule, numbers: Array, weights: Array) -> Array:
        return xp.bincount(numbers, weights, self.minlength).astype(xp.float32)


def bincount(input: Tensor, weights: Tensor | float | None = None, minlength: int = 0) -> Tensor:
    """The number of times that each number occurs, or the sum of its weights.

    Args:
        input: vector of integers that are not negative.
        weights: vector of the same length; None for 1.
        minlength: least length of the result.

    Returns:
        A Float32 vector, as long as the largest number plus 1, and at least `minlength`.

    Example:
        >>> print(ops.bincount(Tensor([0, 2, 2, 3])))
        [1. 0. 2. 1.]

    """
    return cached(Bincount, minlength)(input, _ones_like(input) if weights is None else weights)
