"""Operators that change the shape or the element type and leave the elements' values alone."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.ops.operations.shapes import Dims, broadcast, normal_axis, rows
from framework.ops.primitive import PrimitiveWithInfer, prim_attr_register

__all__ = [
    "BroadcastTo",
    "Cast",
    "Concat",
    "ExpandDims",
    "Flatten",
    "Identity",
    "Pad",
    "PartsLike",
    "Reshape",
    "ReverseV2",
    "Split",
    "Squeeze",
    "Stack",
    "Tile",
    "Transpose",
    "Tril",
    "Triu",
    "Unstack",
]


class _OneTensor(PrimitiveWithInfer):
    """Keeps the element type of its first input."""

    def infer_dtype(self, x: Any, *others: Any) -> Any:
        return x


class Identity(_OneTensor):
    """The tensor itself.

    Inputs: x, a tensor of any shape and element type.
    Output: x.

    Example:
        >>> print(ops.Identity()(Tensor([1, 2])))
        [1 2]
    """

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["x"], outputs=["y"])

    def infer_shape(self, x: Dims) -> Dims:
        return x

    def compute(self, xp: Any, x: Any) -> Any:
        return x


class Cast(PrimitiveWithInfer):
    """The elements as another type; floats lose their fraction on the way to integers.

    Inputs: x, a tensor or a number; dst_type, an element type such as `ms.int32`.
    Output: a tensor of x's shape and of that element type.

    Example:
        >>> print(ops.Cast()(Tensor([1.7, -1.7, 3.0]), ms.int32))
        [ 1 -1  3]
    """

    value_inputs = (1,)

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["x", "dst_type"], outputs=["output"])

    def infer_shape(self, x: Any, dst_type: Any) -> Dims:
        return x if isinstance(x, tuple) else ()

    def infer_dtype(self, x: Any, dst_type: Any) -> DType:
        return mstype.pytype_to_dtype(dst_type)

    def compute(self, xp: Any, x: Any, dst_type: Any) -> Any:
        return xp.asarray(x).astype(mstype.pytype_to_dtype(dst_type).numpy, copy=False)


class Reshape(_OneTensor):
    """The same elements in another shape, in which one dimension may be -1: what is left.

    Inputs: x, a tensor; shape, a tuple of ints with as many elements as x.
    Output: a tensor of that shape, of x's element type.

    Example:
        >>> print(ops.Reshape()(Tensor([1, 2, 3, 4, 5, 6]), (2, -1)))
        [[1 2 3]
         [4 5 6]]
    """

    arguments = ("input", "shape")
    value_inputs = (1,)

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["tensor", "shape"], outputs=["output"])

    def infer_shape(self, x: Dims, shape: Sequence[int]) -> Dims:
        wanted: Dims = tuple(shape) if not isinstance(shape, int) else (shape,)
        if sum(size == -1 for size in wanted) > 1:
            raise ValueError(f"Reshape: only one dimension of {wanted} can be -1")
        count, known = rows(x), rows(tuple(size for size in wanted if size != -1))
        if count is None or known is None:
            return tuple(None if size == -1 else size for size in wanted)
        fits = count == known if -1 not in wanted else known > 0 and count % known == 0
        if not fits:
            raise ValueError(f"Reshape: {count} elements of shape {x} do not fit shape {wanted}")
        return tuple(count // known if size == -1 else size for size in wanted)

    def passes(self, x: Any, shape: Any) -> bool:
        """Whether the tensor has the shape."""
        return x.shape == shape  # type: ignore[no-any-return]

    def compute(self, xp: Any, x: Any, shape: Any) -> Any:
        return x.reshape(shape)


class Flatten(_OneTensor):
    """All dimensions after the first as one.

    Inputs: x, a tensor of shape (N, ...).
    Output: a tensor of shape (N, product of the other dimensions), of x's element type.

    Example:
        >>> print(ops.Flatten()(ops.Zeros()((2, 3, 4, 5), ms.float32)).shape)
        (2, 60)
    """

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["x"], outputs=["output"])

    def infer_shape(self, x: Dims) -> Dims:
        if not x:
            raise ValueError("Flatten needs at least one dimension")
        return (x[0], rows(x[1:]))

    def compute(self, xp: Any, x: Any) -> Any:
        return x.reshape(x.shape[0], math.prod(x.shape[1:]))


class Transpose(_OneTensor):
    """The dimensions in another order.

    Inputs: x, a tensor; perm, a tuple that names each of its dimensions once.
    Output: a tensor of x's element type, whose dimension i is dimension perm[i] of x.

    Example:
        >>> print(ops.Transpose()(Tensor([[1, 2, 3], [4, 5, 6]]), (1, 0)))
        [[1 4]
         [2 5]
         [3 6]]
    """

    arguments = ("input", "dims")
    value_inputs = (1,)

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["x", "perm"], outputs=["output"])

    def infer_shape(self, x: Dims, perm: Sequence[int]) -> Dims:
        order = [normal_axis(axis, len(x)) for axis in perm]
        if sorted(order) != list(range(len(x))):
            raise ValueError(f"Transpose: {tuple(perm)} is no order of the {len(x)} dimensions of {x}")
        return tuple(x[axis] for axis in order)

    def compute(self, xp: Any, x: Any, perm: Any) -> Any:
        return x.transpose(perm)


class ExpandDims(_OneTensor):
    """A new dimension of length 1 at `axis`.

    Inputs: x, a tensor of n dimensions; axis, an int from -n - 1 to n.
    Output: a tensor of n + 1 dimensions, of x's element type.

    Example:
        >>> print(ops.ExpandDims()(Tensor([1, 2, 3]), 0).shape)
        (1, 3)
        >>> print(ops.ExpandDims()(Tensor([1, 2, 3]), -1).shape)
        (3, 1)
    """

    arguments = ("input_x", "axis")
    value_inputs = (1,)

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["x", "axis"], outputs=["output"])

    def infer_shape(self, x: Dims, axis: int) -> Dims:
        at = normal_axis(axis, len(x) + 1)
        return (*x[:at], 1, *x[at:])

    def compute(self, xp: Any, x: Any, axis: int) -> Any:
        return xp.expand_dims(x, axis)


class Squeeze(_OneTensor):
    """Without dimensions of length 1: those of `axis`, or all.

    Args:
        axis: an int, or a tuple of them; `()` for all.

    Inputs: x, a tensor.
    Output: a tensor without those dimensions, of x's element type.

    Example:
        >>> x = ops.Zeros()((1, 3, 1), ms.float32)
        >>> print(ops.Squeeze()(x).shape, ops.Squeeze(0)(x).shape)
        (3,) (3, 1)
    """

    @prim_attr_register
    def __init__(self, axis: int | tuple[int, ...] = ()) -> None:
        self.init_prim_io_names(inputs=["x"], outputs=["output"])
        self.add_prim_attr("axis", (axis,) if isinstance(axis, int) else tuple(axis))

    def infer_shape(self, x: Dims) -> Dims:
        gone = {normal_axis(axis, len(x)) for axis in self.axis}
        for axis in gone:
            if x[axis] not in (1, None):
                raise ValueError(f"Squeeze: dimension {axis} of {x} is not 1")
        return tuple(size for i, size in enumerate(x) if (i not in gone if self.axis else size != 1))

    def compute(self, xp: Any, x: Any) -> Any:
        return x.squeeze(self.axis or None)


class BroadcastTo(_OneTensor):
    """Repeated along dimensions of length 1 and new leading ones until it has `shape`; -1 keeps a dimension.

    Args:
        shape: the shape.

    Inputs: x, a tensor whose shape broadcasts to `shape`.
    Output: a tensor of that shape, of x's element type.

    Example:
        >>> print(ops.BroadcastTo((2, -1))(Tensor([1, 2, 3])))
        [[1 2 3]
         [1 2 3]]
    """

    @prim_attr_register
    def __init__(self, shape: Sequence[int]) -> None:
        self.init_prim_io_names(inputs=["input_x"], outputs=["output"])
        self.add_prim_attr("shape", tuple(shape))

    def infer_shape(self, x: Dims) -> Dims:
        added = len(self.shape) - len(x)
        if added < 0:
            raise ValueError(f"BroadcastTo: shape {x} has more dimensions than {self.shape}")
        wanted = tuple(x[i - added] if size == -1 and i >= added else size for i, size in enumerate(self.shape))
        if broadcast(x, wanted) != wanted:
            raise ValueError(f"BroadcastTo: shape {x} does not broadcast to {self.shape}")
        return wanted

    def compute(self, xp: Any, x: Any) -> Any:
        return xp.broadcast_to(x, self.infer_shape(x.shape))


class Tile(_OneTensor):
    """Repeated `multiples` times along each dimension.

    Inputs: x, a tensor; multiples, a tuple of ints, one for each dimension, the last one for the last dimension; what
    the shorter of the two lacks in front counts as 1.
    Output: a tensor of x's element type, each dimension of it as many times as long.

    Example:
        >>> print(ops.Tile()(Tensor([[1, 2], [3, 4]]), (1, 2)))
        [[1 2 1 2]
         [3 4 3 4]]
    """

    arguments = ("input", "dims")
    value_inputs = (1,)

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["x", "multiples"], outputs=["output"])

    def infer_shape(self, x: Dims, multiples: Sequence[int]) -> Dims:
        rank = max(len(x), len(multiples))
        sizes = (*(1,) * (rank - len(x)), *x)
        times = (*(1,) * (rank - len(multiples)), *multiples)
        return tuple(None if size is None else size * n for size, n in zip(sizes, times, strict=True))

    def compute(self, xp: Any, x: Any, multiples: Any) -> Any:
        return xp.tile(x, multiples)


class Concat(PrimitiveWithInfer):
    """The tensors of a tuple one after another along an axis.

    Args:
        axis: the axis.

    Inputs: a tuple of tensors whose shapes differ along the axis at most.
    Output: a tensor of the same number of dimensions, as long along the axis as all together, of the element type in
    which all meet.

    Example:
        >>> print(ops.Concat()((Tensor([1, 2]), Tensor([3, 4, 5]))))
        [1 2 3 4 5]
        >>> print(ops.Concat(axis=1)((Tensor([[1], [2]]), Tensor([[3, 4], [5, 6]]))))
        [[1 3 4]
         [2 5 6]]
    """

    @prim_attr_register
    def __init__(self, axis: int = 0) -> None:
        self.init_prim_io_names(inputs=["input_x"], outputs=["output"])

    def infer_shape(self, x: tuple[Dims, ...]) -> Dims:
        axis = normal_axis(self.axis, len(x[0]))
        sizes = [shape[axis] for shape in x]
        for shape in x[1:]:
            if len(shape) != len(x[0]) or any(
                None not in (a, b) and a != b and i != axis for i, (a, b) in enumerate(zip(shape, x[0], strict=True))
            ):
                raise ValueError(f"Concat: shapes {x[0]} and {shape} differ in more than dimension {axis}")
        total = None if None in sizes else sum(size for size in sizes if size is not None)
        return (*x[0][:axis], total, *x[0][axis + 1 :])

    def infer_dtype(self, x: tuple[DType, ...]) -> DType:
        met = x[0]
        for dtype in x[1:]:
            met = mstype.promote(met, dtype)
        return met

    def compute(self, xp: Any, x: tuple[Any, ...]) -> Any:
        dtype = self.infer_dtype(tuple(mstype.of(item.dtype) for item in x)).numpy
        return xp.concatenate([item.astype(dtype, copy=False) for item in x], self.axis)


class PartsLike(PrimitiveWithInfer):
    """The backward of `Concat` where lengths are known only when the program runs: a part for each of its tensors.

    Args:
        axis: the axis.

    Inputs: x, a tensor; a tuple of tensors that are as long along the axis as x together.
    Output: a tuple of tensors of the shapes of those, of x's element type.

    Example:
        >>> print(*ops.PartsLike()(Tensor([1, 2, 3]), (Tensor([0]), Tensor([0, 0]))))
        [1] [2 3]
    """

    @prim_attr_register
    def __init__(self, axis: int = 0) -> None:
        self.init_prim_io_names(inputs=["x", "like"], outputs=["output"])

    def infer_shape(self, x: Dims, like: tuple[Dims, ...]) -> tuple[Dims, ...]:
        return tuple(like)

    def infer_dtype(self, x: DType, like: tuple[DType, ...]) -> tuple[DType, ...]:
        return tuple(x for _ in like)

    def compute(self, xp: Any, x: Any, like: tuple[Any, ...]) -> Any:
        ends = list(itertools.accumulate(item.shape[self.axis] for item in like))
        return tuple(xp.split(x, ends[:-1], self.axis))


class Stack(PrimitiveWithInfer):
    """The tensors of a tuple along a new axis.

    Args:
        axis: where the new axis is.

    Inputs: a tuple of n tensors of one shape.
    Output: a tensor with a new dimension of length n, of the element type in which all meet.

    Example:
        >>> print(ops.Stack(axis=1)((Tensor([1, 2, 3]), Tensor([4, 5, 6]))))
        [[1 4]
         [2 5]
         [3 6]]
    """

    @prim_attr_register
    def __init__(self, axis: int = 0) -> None:
        self.init_prim_io_names(inputs=["x"], outputs=["y"])

    def infer_shape(self, x: tuple[Dims, ...]) -> Dims:
        for shape in x[1:]:
            if len(shape) != len(x[0]) or any(None not in (a, b) and a != b for a, b in zip(shape, x[0], strict=True)):
                raise ValueError(f"Stack: shapes {x[0]} and {shape} differ")
        axis = normal_axis(self.axis, len(x[0]) + 1)
        return (*x[0][:axis], len(x), *x[0][axis:])

    def infer_dtype(self, x: tuple[DType, ...]) -> DType:
        return Concat(0).infer_dtype(x)

    def compute(self, xp: Any, x: tuple[Any, ...]) -> Any:
        dtype = self.infer_dtype(tuple(mstype.of(item.dtype) for item in x)).numpy
        return xp.stack([item.astype(dtype, copy=False) for item in x], self.axis)


class Split(PrimitiveWithInfer):
    """Equal parts along an axis, as a tuple.

    Args:
        axis: the axis.
        output_num: how many parts.

    Inputs: x, a tensor whose length along the axis is a multiple of output_num.
    Output: a tuple of output_num tensors of one shape, of x's element type.

    Example:
        >>> print(*ops.Split(axis=0, output_num=2)(Tensor([1, 2, 3, 4])))
        [1 2] [3 4]
    """

    @prim_attr_register
    def __init__(self, axis: int = 0, output_num: int = 1) -> None:
        self.init_prim_io_names(inputs=["x"], outputs=["output"])

    def infer_shape(self, x: Dims) -> tuple[Dims, ...]:
        axis = normal_axis(self.axis, len(x))
        size = x[axis]
        if size is None or size % self.output_num:
            raise ValueError(f"Split: dimension {axis} of {x} does not divide into {self.output_num} parts")
        return tuple((*x[:axis], size // self.output_num, *x[axis + 1 :]) for _ in range(self.output_num))

    def infer_dtype(self, x: DType) -> tuple[DType, ...]:
        return tuple(x for _ in range(self.output_num))

    def compute(self, xp: Any, x: Any) -> Any:
        return tuple(xp.split(x, self.output_num, self.axis))


class Unstack(PrimitiveWithInfer):
    """The slices along an axis, as a tuple, without that axis.

    Args:
        axis: the axis.
        num: recorded; there are as many slices as the axis is long.

    Inputs: x, a tensor of shape (..., n, ...) with n at the axis.
    Output: a tuple of n tensors, of x's element type.

    Example:
        >>> print(*ops.Unstack(axis=1)(Tensor([[1, 2], [3, 4]])))
        [1 3] [2 4]
    """

    @prim_attr_register
    def __init__(self, axis: int = 0, num: int | None = None) -> None:
        self.init_prim_io_names(inputs=["x"], outputs=["y"])

    def infer_shape(self, x: Dims) -> tuple[Dims, ...]:
        axis = normal_axis(self.axis, len(x))
        count = x[axis]
        if count is None:
            raise ValueError(f"Unstack: dimension {axis} of {x} must be known, it is the number of outputs")
        return ((*x[:axis], *x[axis + 1 :]),) * count

    def infer_dtype(self, x: DType) -> Any:
        return x

    def compute(self, xp: Any, x: Any) -> Any:
        return tuple(xp.moveaxis(x, self.axis, 0))


class Pad(_OneTensor):
    """Zeros around the elements.

    Args:
        paddings: per dimension how many before and after.

    Inputs: x, a tensor with as many dimensions as there are pairs in paddings.
    Output: a tensor of x's element type, each dimension longer by the sum of its pair.

    Example:
        >>> print(ops.Pad(((0, 1), (1, 1)))(Tensor([[1, 2]])))
        [[0 1 2 0]
         [0 0 0 0]]
    """

    @prim_attr_register
    def __init__(self, paddings: Sequence[Sequence[int]]) -> None:
        self.init_prim_io_names(inputs=["x"], outputs=["y"])
        self.add_prim_attr("paddings", tuple(tuple(pads) for pads in paddings))

    def infer_shape(self, x: Dims) -> Dims:
        if len(x) != len(self.paddings):
            raise ValueError(f"Pad: paddings {self.paddings} do not fit shape {x}")
        return tuple(
            None if size is None else size + before + after
            for size, (before, after) in zip(x, self.paddings, strict=True)
        )

    def compute(self, xp: Any, x: Any) -> Any:
        return xp.pad(x, self.paddings)


class ReverseV2(_OneTensor):
    """The elements in the opposite order along axes.

    Args:
        axis: an int, or several.

    Inputs: x, a tensor.
    Output: a tensor of x's shape and element type.

    Example:
        >>> print(ops.ReverseV2(axis=1)(Tensor([[1, 2, 3], [4, 5, 6]])))
        [[3 2 1]
         [6 5 4]]
    """

    @prim_attr_register
    def __init__(self, axis: int | Sequence[int]) -> None:
        self.init_prim_io_names(inputs=["x"], outputs=["output"])
        self.add_prim_attr("axis", (axis,) if isinstance(axis, int) else tuple(axis))

    def infer_shape(self, x: Dims) -> Dims:
        for axis in self.axis:
            normal_axis(axis, len(x))
        return x

    def compute(self, xp: Any, x: Any) -> Any:
        return xp.flip(x, self.axis)


class Tril(_OneTensor):
    """Zeros above a diagonal of the matrices in the last two dimensions.

    Args:
        diagonal: which one: 0 the main one, positive above it.

    Inputs: x, a tensor of two dimensions or more.
    Output: a tensor of x's shape and element type.

    Example:
        >>> print(ops.Tril()(Tensor([[1, 2, 3], [4, 5, 6], [7, 8, 9]])))
        [[1 0 0]
         [4 5 0]
         [7 8 9]]
    """

    part = "tril"

    @prim_attr_register
    def __init__(self, diagonal: int = 0) -> None:
        self.init_prim_io_names(inputs=["x"], outputs=["y"])

    def infer_shape(self, x: Dims) -> Dims:
        if len(x) < 2:
            raise ValueError(f"{self.name} needs at least two dimensions, not shape {x}")
        return x

    def compute(self, xp: Any, x: Any) -> Any:
        return getattr(xp, self.part)(x, self.diagonal)


class Triu(Tril):
    """Zeros below a diagonal of the matrices in the last two dimensions.

    Args:
        diagonal: which one: 0 the main one, positive above it.

    Inputs: x, a tensor of two dimensions or more.
    Output: a tensor of x's shape and element type.

    Example:
        >>> print(ops.Triu(diagonal=1)(Tensor([[1, 2, 3], [4, 5, 6], [7, 8, 9]])))
        [[0 2 3]
         [0 0 6]
         [0 0 0]]
    """

    part = "triu"
