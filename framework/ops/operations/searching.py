"""Operators that look for elements: where, which, how many; the size of some outputs only the run shows."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.kernels import repeated
from framework.ops.operations.elementwise import Binary, Unary, promoted
from framework.ops.operations.shapes import Dims, broadcast, normal_axis
from framework.ops.primitive import PrimitiveWithInfer, prim_attr_register

__all__ = [
    "Bincount",
    "Cummax",
    "Cummin",
    "Histogram",
    "InTopK",
    "Lerp",
    "MaskedSelect",
    "Meshgrid",
    "NanToNum",
    "NonZero",
    "SearchSorted",
    "Unique",
    "UniqueConsecutive",
]


class NonZero(PrimitiveWithInfer):
    """The indices of elements that are not 0, one row each.

    Inputs: x, a tensor of one dimension or more.

    Output: an Int64 tensor of shape (elements that are not 0, dimensions of x).

    Example:
        >>> print(ops.NonZero()(Tensor([[0, 7], [0, 0], [8, 9]])))
        [[0 1]
         [2 0]
         [2 1]]
    """

    arguments = ("input",)
    fresh = True

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["x"], outputs=["y"])

    def infer_shape(self, x: Dims) -> Dims:
        return (None, len(x))

    def infer_dtype(self, x: DType) -> DType:
        return mstype.int64

    def compute(self, xp: Any, x: Any) -> Any:
        return xp.stack(xp.nonzero(x), axis=-1).astype(xp.int64)


class MaskedSelect(PrimitiveWithInfer):
    """The elements where a mask holds, in their order, as a vector; tensor and mask broadcast.

    Inputs: x; mask, a Bool tensor.

    Output: a vector of the element type of x.

    Example:
        >>> x = Tensor([1, 2, 3, 4])
        >>> print(ops.MaskedSelect()(x, x > 2))
        [3 4]
    """

    arguments = ("input", "mask")
    fresh = True

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["x", "mask"], outputs=["output"])

    def infer_shape(self, x: Dims, mask: Dims) -> Dims:
        broadcast(x, mask)
        return (None,)

    def infer_dtype(self, x: DType, mask: DType) -> DType:
        return x

    def compute(self, xp: Any, x: Any, mask: Any) -> Any:
        x, mask = xp.broadcast_arrays(x, mask)
        return x[mask]


class Unique(PrimitiveWithInfer):
    """The different elements of a vector in the order of their first places, and for each element which one it is.

    Inputs: x, a vector.

    Output: the elements, of the element type of x; indices into them, of the shape of x, Int64 if x is, else Int32.

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

    def compute(self, xp: Any, x: Any) -> Any:
        values, first, index = xp.unique(x.reshape(-1), return_index=True, return_inverse=True)
        order = xp.argsort(first)
        rank = xp.empty_like(order)
        rank[order] = xp.arange(order.size)
        return values[order], rank[index].reshape(x.shape).astype(self.infer_dtype(mstype.of(x.dtype))[1].numpy)


class UniqueConsecutive(PrimitiveWithInfer):
    """A vector without repetitions that follow each other, for each element which one it is, and how often each came.

    Inputs: x, a tensor, taken as a vector.

    Output: the elements, of the element type of x; indices into them, Int64, of the shape of x; counts, Int64.

    Args:
        return_inverse: return which one each element is, else an empty tensor in its place.
        return_counts: return how often each came, else an empty tensor in its place.
        axis: None: the tensor is taken as a vector.

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
            raise ValueError("UniqueConsecutive: axis must be None: slices are not compared here")

    def infer_shape(self, x: Dims) -> tuple[Dims, ...]:
        return (None,), x if self.return_inverse else (0,), (None,) if self.return_counts else (0,)

    def infer_dtype(self, x: DType) -> tuple[DType, ...]:
        return x, mstype.int64, mstype.int64

    def compute(self, xp: Any, x: Any) -> Any:
        flat = x.reshape(-1)
        begins = xp.concatenate([xp.ones(min(1, flat.size), bool), flat[1:] != flat[:-1]])
        at = xp.nonzero(begins)[0]
        index = (xp.cumsum(begins) - 1).reshape(x.shape).astype(xp.int64)
        counts = xp.diff(xp.concatenate([at, xp.asarray([flat.size])])).astype(xp.int64)
        none = xp.zeros(0, xp.int64)
        return flat[begins], index if self.return_inverse else none, counts if self.return_counts else none


class SearchSorted(PrimitiveWithInfer):
    """Where values would stand in sorted sequences: `(sequences, values)`, along the last dimension.

    Inputs: sequences, a vector or a tensor whose dimensions before the last are those of the values; values, a tensor.

    Output: a tensor of `dtype`, of the shape of the values.

    Args:
        dtype: element type of the indices, Int64 or Int32.
        right: behind equal elements, not in front of them.

    Example:
        >>> sequence, values = Tensor([1, 3, 5]), Tensor([0, 3, 9])
        >>> print(ops.SearchSorted()(sequence, values), ops.SearchSorted(right=True)(sequence, values))
        [0 1 3] [0 2 3]
    """

    fresh = True

    @prim_attr_register
    def __init__(self, dtype: DType = mstype.int64, right: bool = False) -> None:
        self.init_prim_io_names(inputs=["sorted_sequence", "values"], outputs=["output"])

    def infer_shape(self, sequences: Dims, values: Dims) -> Dims:
        if len(sequences) != 1 and sequences[:-1] != values[:-1]:
            raise ValueError(f"SearchSorted: {sequences} and {values} differ before the last dimension")
        return values

    def infer_dtype(self, sequences: DType, values: DType) -> DType:
        return self.dtype  # type: ignore[no-any-return]

    def compute(self, xp: Any, sequences: Any, values: Any) -> Any:
        side = "right" if self.right else "left"
        if sequences.ndim == 1:
            return xp.searchsorted(sequences, values, side).astype(self.dtype.numpy)
        rows = zip(sequences.reshape(-1, sequences.shape[-1]), values.reshape(-1, values.shape[-1]), strict=True)
        found = [xp.searchsorted(one, other, side) for one, other in rows]
        return xp.stack(found).reshape(values.shape).astype(self.dtype.numpy)


class InTopK(PrimitiveWithInfer):
    """Whether the class that a label names is among the k most likely ones: `(predictions (N, C), labels (N))`.

    Inputs: predictions of shape (N, C), of a floating-point type; labels of shape (N,), of integers.

    Output: a Bool tensor of shape (N,); False for a label that names no class.

    Args:
        k: how many.

    Example:
        >>> predictions = Tensor([[0.1, 0.7, 0.2], [0.6, 0.1, 0.3]], ms.float32)
        >>> print(ops.InTopK(k=2)(predictions, Tensor([2, 1], ms.int32)))
        [ True False]
    """

    fresh = True

    @prim_attr_register
    def __init__(self, k: int) -> None:
        self.init_prim_io_names(inputs=["x1", "x2"], outputs=["y"])

    def infer_shape(self, predictions: Dims, labels: Dims) -> Dims:
        if len(predictions) != 2 or len(labels) != 1:
            raise ValueError(f"InTopK: predictions {predictions} must be a matrix, labels {labels} a vector")
        return labels

    def infer_dtype(self, predictions: DType, labels: DType) -> DType:
        return mstype.bool_

    def compute(self, xp: Any, predictions: Any, labels: Any) -> Any:
        known = (labels >= 0) & (labels < predictions.shape[1])
        own = predictions[xp.arange(labels.shape[0]), xp.where(known, labels, 0)]
        return known & xp.isfinite(own) & ((predictions > own[:, None]).sum(axis=1) < self.k)


class Histogram(PrimitiveWithInfer):
    """How many elements lie in each of equal parts of a range; those outside count nowhere.

    Inputs: x, a tensor.

    Output: a tensor of shape (bins,), of the element type of x where that is a floating-point type, else Int32.

    Args:
        bins: number of parts.
        min: where the range begins.
        max: where it ends; where both are equal, the elements' own range is taken.

    Example:
        >>> print(ops.Histogram(bins=3, min=0.0, max=6.0)(Tensor([0, 1, 1, 3, 5, 9])))
        [3 1 1]
    """

    fresh = True

    @prim_attr_register
    def __init__(self, bins: int = 100, min: float = 0.0, max: float = 0.0) -> None:  # noqa: A002 - MindSpore's
        self.init_prim_io_names(inputs=["x"], outputs=["y"])
        if bins < 1 or min > max:
            raise ValueError(f"Histogram: there are no {bins} parts of the range from {min} to {max}")

    def infer_shape(self, x: Dims) -> Dims:
        return (self.bins,)

    def infer_dtype(self, x: DType) -> DType:
        return x if x.is_floating_point else mstype.int32

    def compute(self, xp: Any, x: Any) -> Any:
        ends = None if self.min == self.max else (self.min, self.max)
        return xp.histogram(x, bins=self.bins, range=ends)[0].astype(self.infer_dtype(mstype.of(x.dtype)).numpy)


class Meshgrid(PrimitiveWithInfer):
    """Vectors repeated along each other, one tensor for each.

    Inputs: a tuple of vectors.

    Output: as many tensors of the vectors' element types, all of one shape, with a dimension for each vector.

    Args:
        indexing: "xy": the second vector runs along the first dimension; "ij": in their order.

    Example:
        >>> x, y = ops.Meshgrid()((Tensor([1, 2, 3]), Tensor([10, 20])))
        >>> print(x)
        [[1 2 3]
         [1 2 3]]
        >>> print(y)
        [[10 10 10]
         [20 20 20]]
    """

    @prim_attr_register
    def __init__(self, indexing: str = "xy") -> None:
        self.init_prim_io_names(inputs=["inputs"], outputs=["outputs"])
        if indexing not in ("xy", "ij"):
            raise ValueError(f"Meshgrid: indexing must be xy or ij, not {indexing!r}")

    def infer_shape(self, vectors: tuple[Dims, ...]) -> tuple[Dims, ...]:
        shape = [vector[0] for vector in vectors]
        if self.indexing == "xy" and len(shape) > 1:
            shape[:2] = shape[1], shape[0]
        return (tuple(shape),) * len(vectors)

    def infer_dtype(self, vectors: tuple[DType, ...]) -> tuple[DType, ...]:
        return tuple(vectors)

    def compute(self, xp: Any, vectors: tuple[Any, ...]) -> Any:
        return tuple(xp.meshgrid(*vectors, indexing=self.indexing))


class NanToNum(Unary):
    """x with numbers in place of what is no number or infinite.

    Inputs: x, a tensor.

    Output: a tensor of the shape and element type of x.

    Args:
        nan: in place of what is no number.
        posinf: in place of infinity; the largest finite number where it is left out.
        neginf: in place of minus infinity; the lowest finite number where it is left out.

    Example:
        >>> x = Tensor([1.0, np.nan, np.inf, -np.inf], ms.float32)
        >>> print(ops.NanToNum(nan=0.0, posinf=9.0, neginf=-9.0)(x))
        [ 1.  0.  9. -9.]
    """

    @prim_attr_register
    def __init__(self, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None) -> None:
        self.init_prim_io_names(inputs=["x"], outputs=["output"])

    def compute(self, xp: Any, x: Any) -> Any:
        return xp.nan_to_num(x, nan=self.nan or 0.0, posinf=self.posinf, neginf=self.neginf)


class Lerp(PrimitiveWithInfer):
    """start + weight * (end - start): `(start, end, weight)`, the weight a tensor or a number.

    Inputs: start, end and, if it is a tensor, weight, of floating-point types; they broadcast.

    Output: a tensor of the shape that they broadcast to and the element type of start and end.

    Example:
        >>> print(ops.Lerp()(Tensor([0.0, 10.0], ms.float32), Tensor([4.0, 20.0], ms.float32), 0.25))
        [ 1.  12.5]
    """

    arguments = ("input", "end", "weight")
    takes = MappingProxyType({0: mstype.number_type, 1: mstype.number_type})
    fresh = True

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["start", "end", "weight"], outputs=["output"])

    def infer_shape(self, start: Dims, end: Dims, weight: Any) -> Dims:
        return broadcast(start, end, weight)

    def infer_dtype(self, start: DType, end: DType, weight: Any) -> DType:
        return Binary().infer_dtype(start, end)

    def compute(self, xp: Any, start: Any, end: Any, weight: Any) -> Any:
        start, end = promoted(xp, start, end)
        return (start + weight * (end - start)).astype(start.dtype, copy=False)


class Bincount(PrimitiveWithInfer):
    """The sums of weights of equal numbers, which are not negative: `(numbers, weights)`, Float32.

    out[n] = sum of weights[i] over numbers[i] == n.

    Inputs: numbers, a vector of integers; weights, a vector of the same length.

    Output: a Float32 vector, as long as the largest number plus 1, and as `minlength` at least.

    Args:
        minlength: length of the output at least.

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

    def compute(self, xp: Any, numbers: Any, weights: Any) -> Any:
        return xp.bincount(numbers, weights, self.minlength).astype(xp.float32)


class Cummax(PrimitiveWithInfer):
    """The largest element so far along an axis, and where it last came.

    Inputs: x, a tensor.

    Output: the elements, of the element type of x, and their places, Int64; both of the shape of x.

    Args:
        axis: the axis.

    Example:
        >>> values, places = ops.Cummax(axis=0)(Tensor([1, 3, 2, 3, 0]))
        >>> print(values, places)
        [1 3 3 3 3] [0 1 1 3 3]
    """

    fresh = True
    index_type = mstype.int64

    @prim_attr_register
    def __init__(self, axis: int) -> None:
        self.init_prim_io_names(inputs=["input"], outputs=["values", "indices"])

    def infer_shape(self, x: Dims) -> tuple[Dims, Dims]:
        normal_axis(self.axis, len(x))
        return x, x

    def infer_dtype(self, x: DType) -> tuple[DType, DType]:
        return x, self.index_type

    def running(self, xp: Any, x: Any) -> Any:
        """The extremes so far."""
        return repeated.accumulate(xp, "maximum", x, self.axis)

    def compute(self, xp: Any, x: Any) -> Any:
        axis = normal_axis(self.axis, x.ndim)
        values = self.running(xp, x)
        at = xp.arange(x.shape[axis]).reshape(-1, *(1,) * (x.ndim - axis - 1))
        places = repeated.accumulate(xp, "maximum", xp.where(x == values, at, 0), axis)
        return values, places.astype(self.index_type.numpy)


class Cummin(Cummax):
    """The smallest element so far along an axis, and where it last came.

    Inputs: x, a tensor.

    Output: the elements, of the element type of x, and their places, Int32; both of the shape of x.

    Args:
        axis: the axis.

    Example:
        >>> values, places = ops.Cummin(axis=0)(Tensor([5, 3, 4, 3, 9]))
        >>> print(values, places)
        [5 3 3 3 3] [0 1 1 3 3]
    """

    index_type = mstype.int32

    def running(self, xp: Any, x: Any) -> Any:
        return repeated.accumulate(xp, "minimum", x, self.axis)
