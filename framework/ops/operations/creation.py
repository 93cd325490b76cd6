"""Tensors made of values and shapes, and what can be asked about a tensor without looking at its elements."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.ir.abstract import UNKNOWN, Abstract, AbstractConst, AbstractScalar, AbstractTensor, AbstractTuple
from framework.ops.operations.shapes import Dims
from framework.ops.primitive import Primitive, PrimitiveWithInfer, prim_attr_register

__all__ = [
    "BroadcastLike",
    "DTypeOf",
    "Eye",
    "Fill",
    "FillV2",
    "LinSpace",
    "Ones",
    "OnesLike",
    "Range",
    "Rank",
    "Shape",
    "Size",
    "SumLike",
    "TensorShape",
    "Zeros",
    "ZerosLike",
]


class Fill(PrimitiveWithInfer):
    """A tensor of one value: `Fill()(dtype, shape, value)`.

    Inputs: dtype, an element type such as `ms.int32`; shape, an int or a tuple of ints; value, a number.
    Output: a tensor of that shape and element type.

    Example:
        >>> print(ops.Fill()(ms.int32, (2, 3), 7))
        [[7 7 7]
         [7 7 7]]
    """

    arguments = ("type", "shape", "value")
    value_inputs = (0, 1, 2)

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["type", "shape", "value"], outputs=["y"])

    def infer_shape(self, dtype: Any, shape: Any, value: Any) -> Dims:
        return (shape,) if isinstance(shape, int) else tuple(shape)

    def infer_dtype(self, dtype: Any, shape: Any, value: Any) -> DType:
        return mstype.pytype_to_dtype(dtype)

    def compute(self, xp: Any, dtype: Any, shape: Any, value: Any) -> Any:
        return xp.full(shape, value, mstype.pytype_to_dtype(dtype).numpy)


class FillV2(PrimitiveWithInfer):
    """A tensor of the value of a tensor without dimensions: `FillV2()(shape, value)`.

    Inputs: shape, an int or a tuple of ints; value, a tensor of shape (), or a number.
    Output: a tensor of that shape, of the value's element type.

    Example:
        >>> print(ops.FillV2()((2, 3), Tensor(7)))
        [[7 7 7]
         [7 7 7]]
    """

    value_inputs = (0,)

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["shape", "value"], outputs=["y"])

    def infer_shape(self, shape: Any, value: Any) -> Dims:
        return (shape,) if isinstance(shape, int) else tuple(shape)

    def infer_dtype(self, shape: Any, value: Any) -> DType:
        return value if isinstance(value, DType) else mstype.pytype_to_dtype(type(value))

    def compute(self, xp: Any, shape: Any, value: Any) -> Any:
        array = value if hasattr(value, "dtype") else xp.asarray(value, mstype.pytype_to_dtype(type(value)).numpy)
        return xp.broadcast_to(array, shape)


class Zeros(PrimitiveWithInfer):
    """Zeros: `Zeros()(shape, dtype)`.

    Inputs: shape, an int or a tuple of ints; dtype, an element type such as `ms.int32`.
    Output: a tensor of that shape and element type.

    Example:
        >>> print(ops.Zeros()((2, 3), ms.int32))
        [[0 0 0]
         [0 0 0]]
    """

    value_inputs = (0, 1)
    value = 0

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["shape", "type"], outputs=["y"])

    def infer_shape(self, shape: Any, dtype: Any) -> Dims:
        return (shape,) if isinstance(shape, int) else tuple(shape)

    def infer_dtype(self, shape: Any, dtype: Any) -> DType:
        return mstype.pytype_to_dtype(dtype)

    def compute(self, xp: Any, shape: Any, dtype: Any) -> Any:
        return xp.full(shape, self.value, mstype.pytype_to_dtype(dtype).numpy)


class Ones(Zeros):
    """Ones: `Ones()(shape, dtype)`.

    Inputs: shape, an int or a tuple of ints; dtype, an element type such as `ms.int32`.
    Output: a tensor of that shape and element type.

    Example:
        >>> print(ops.Ones()(3, ms.float32))
        [1. 1. 1.]
    """

    value = 1


class ZerosLike(PrimitiveWithInfer):
    """Zeros of a tensor's shape and element type.

    Inputs: x, a tensor, or a number, which counts as one of shape ().
    Output: a tensor of x's shape and element type.

    Example:
        >>> print(ops.ZerosLike()(Tensor([[1, 2], [3, 4]])))
        [[0 0]
         [0 0]]
    """

    arguments = ("input",)
    value = 0

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["x"], outputs=["y"])

    def infer_shape(self, x: Any) -> Dims:
        return x if isinstance(x, tuple) else ()

    def infer_dtype(self, x: Any) -> DType:
        return x if isinstance(x, DType) else mstype.pytype_to_dtype(type(x))

    def compute(self, xp: Any, x: Any) -> Any:
        array = x if hasattr(x, "shape") else xp.asarray(x)
        made = xp.empty(array.shape, array.dtype)
        made.fill(self.value)
        return made


class OnesLike(ZerosLike):
    """Ones of a tensor's shape and element type.

    Inputs: x, a tensor, or a number, which counts as one of shape ().
    Output: a tensor of x's shape and element type.

    Example:
        >>> print(ops.OnesLike()(Tensor([0.5, 7.0])))
        [1. 1.]
    """

    arguments = ("input",)
    value = 1


class Range(PrimitiveWithInfer):
    """From `start` in steps of `delta` up to, but without, `limit`.

    Args:
        maxlen: recorded.

    Inputs: start, limit and delta, numbers.
    Output: a tensor of one dimension, Float32 if one of the numbers is a float, else Int64. It has ceil((limit - start)
    / delta) elements.

    Example:
        >>> print(ops.Range()(0, 10, 4))
        [0 4 8]
        >>> print(ops.Range()(1.0, 0.0, -0.25))
        [1.   0.75 0.5  0.25]
    """

    value_inputs = (0, 1, 2)

    @prim_attr_register
    def __init__(self, maxlen: int = 1000000) -> None:
        self.init_prim_io_names(inputs=["start", "limit", "delta"], outputs=["output"])

    def infer_shape(self, start: Any, limit: Any, delta: Any) -> Dims:
        return (None if None in (start, limit, delta) else max(0, math.ceil((limit - start) / delta)),)

    def infer_dtype(self, start: Any, limit: Any, delta: Any) -> DType:
        return mstype.float32 if any(isinstance(item, float) for item in (start, limit, delta)) else mstype.int64

    def compute(self, xp: Any, start: Any, limit: Any, delta: Any) -> Any:
        return xp.arange(start, limit, delta, dtype=self.infer_dtype(start, limit, delta).numpy)


class LinSpace(PrimitiveWithInfer):
    """`num` values at equal distances from `start` to `stop`, both included.

    Inputs: start and stop, numbers or tensors of shape (); num, an int.
    Output: a tensor of shape (num,), of start's floating-point type, else Float32.

    Example:
        >>> print(ops.LinSpace()(0.0, 1.0, 5))
        [0.   0.25 0.5  0.75 1.  ]
    """

    value_inputs = (2,)

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["start", "stop", "num"], outputs=["output"])

    def infer_shape(self, start: Any, stop: Any, num: int) -> Dims:
        return (num,)

    def infer_dtype(self, start: Any, stop: Any, num: int) -> DType:
        return start if isinstance(start, DType) and start.is_floating_point else mstype.float32

    def compute(self, xp: Any, start: Any, stop: Any, num: int) -> Any:
        dtype = start.dtype if hasattr(start, "dtype") and start.dtype.kind == "f" else xp.float32
        return xp.linspace(float(start), float(stop), num, dtype=dtype)


class Eye(PrimitiveWithInfer):
    """Ones on the diagonal of a matrix of `n` rows and `m` columns.

    Inputs: n and m, ints; t, an element type such as `ms.int32`.
    Output: a tensor of shape (n, m) and of that element type.

    Example:
        >>> print(ops.Eye()(2, 3, ms.int32))
        [[1 0 0]
         [0 1 0]]
    """

    value_inputs = (0, 1, 2)

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["n", "m", "t"], outputs=["output"])

    def infer_shape(self, n: int, m: int, t: Any) -> Dims:
        return (n, m)

    def infer_dtype(self, n: int, m: int, t: Any) -> DType:
        return mstype.pytype_to_dtype(t)

    def compute(self, xp: Any, n: int, m: int, t: Any) -> Any:
        return xp.eye(n, m, dtype=mstype.pytype_to_dtype(t).numpy)


def _is_like(self: Primitive, x: Any, like: Any) -> bool:
    """Whether shape and element type are there already."""
    return x.shape == like.shape and x.dtype is like.dtype


class SumLike(PrimitiveWithInfer):
    """The sum of `x` over what broadcasting added to `like`: it gets the shape and the element type of `like`.

    This is the backward of broadcasting, which every operator on two tensors needs; a number as `like` gets the sum of
    all elements.

    Inputs: x, a tensor; like, a tensor whose shape broadcasts to that of x, or a number.
    Output: a tensor of like's shape and element type; of shape () for a number.

    Example:
        >>> x = Tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> print(ops.SumLike()(x, Tensor([0.0, 0.0])), ops.SumLike()(x, 0.0))
        [4. 6.] 10.0
    """

    passes = _is_like

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["x", "like"], outputs=["output"])

    def infer_shape(self, x: Dims, like: Any) -> Dims:
        return like if isinstance(like, tuple) else ()

    def infer_dtype(self, x: DType, like: Any) -> DType:
        return like if isinstance(like, DType) else x

    def compute(self, xp: Any, x: Any, like: Any) -> Any:
        shape, dtype = getattr(like, "shape", ()), getattr(like, "dtype", x.dtype)
        if x.shape != shape:
            added = x.ndim - len(shape)
            axes = (*range(added), *(i + added for i, size in enumerate(shape) if size == 1 != x.shape[i + added]))
            x = x.sum(axis=axes, keepdims=True).reshape(shape)
        return x.astype(dtype, copy=False)


#: So many elements are copied in less time than it takes to make a view that repeats them.
_COPIED: Final = 4096


class BroadcastLike(PrimitiveWithInfer):
    """`x` repeated to the shape, and converted to the element type, of `like`.

    Inputs: x, a tensor whose shape broadcasts to that of like; like, a tensor.
    Output: a tensor of like's shape and element type.

    Example:
        >>> print(ops.BroadcastLike()(Tensor([1.0, 2.0]), Tensor([[0, 0], [0, 0]])))
        [[1 2]
         [1 2]]
    """

    passes = _is_like

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["x", "like"], outputs=["output"])

    def infer_shape(self, x: Dims, like: Any) -> Dims:
        return like if isinstance(like, tuple) else ()

    def infer_dtype(self, x: DType, like: Any) -> DType:
        return like if isinstance(like, DType) else x

    def compute(self, xp: Any, x: Any, like: Any) -> Any:
        if like.size <= _COPIED:
            made = xp.empty(like.shape, like.dtype)
            made[...] = x
            return made
        return xp.broadcast_to(x, like.shape).astype(like.dtype, copy=False)


class TensorShape(PrimitiveWithInfer):
    """The shape as an Int64 tensor.

    Inputs: x, a tensor of n dimensions.
    Output: an Int64 tensor of shape (n,).

    Example:
        >>> print(ops.TensorShape()(Tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])))
        [2 3]
    """

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["input_x"], outputs=["output"])

    def infer_shape(self, x: Dims) -> Dims:
        return (len(x),)

    def infer_dtype(self, x: DType) -> DType:
        return mstype.int64

    def compute(self, xp: Any, x: Any) -> Any:
        return xp.asarray(x.shape, xp.int64)


class _Question(Primitive):
    """Answered from what is known of a tensor, as a Python value: it costs nothing when it runs."""

    def __init__(self) -> None:
        super().__init__()
        self.init_prim_io_names(inputs=["tensor"], outputs=["output"])

    def answer(self, shape: Sequence[int | None], dtype: Any) -> Any:
        """The answer for a tensor of this shape and element type."""
        raise NotImplementedError

    def infer(self, x: Abstract) -> Abstract:
        """The answer as a known value; a dimension that is not known stays so."""
        shape = x.shape if isinstance(x, AbstractTensor) else ()
        dtype = x.dtype if isinstance(x, AbstractTensor) else getattr(x, "type", float)
        return _constant(self.answer(shape, dtype))

    def compute(self, xp: Any, x: Any) -> Any:
        return self.answer(getattr(x, "shape", ()), getattr(x, "dtype", type(x)))

    def __call__(self, x: Any) -> Any:
        array = getattr(x, "_data", x)
        return self.answer(getattr(array, "shape", ()), getattr(array, "dtype", type(array)))


def _constant(answer: Any) -> Abstract:
    if isinstance(answer, tuple):
        return AbstractTuple(tuple(_constant(item) for item in answer))
    if answer is None:
        return AbstractScalar(UNKNOWN, int)
    return AbstractScalar(answer) if isinstance(answer, int) else AbstractConst(answer)


class Shape(_Question):
    """The shape as a tuple of ints.

    Inputs: x, a tensor.
    Output: a tuple of ints; it is known when compiling, as far as the dimensions are.

    Example:
        >>> print(ops.Shape()(Tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])))
        (2, 3)
    """

    arguments = ("input_x",)

    def answer(self, shape: Sequence[int | None], dtype: Any) -> tuple[int | None, ...]:
        return tuple(shape)


class Rank(_Question):
    """The number of dimensions as an int.

    Inputs: x, a tensor.
    Output: an int; it is known when compiling.

    Example:
        >>> print(ops.Rank()(Tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])))
        2
    """

    arguments = ("input_x",)

    def answer(self, shape: Sequence[int | None], dtype: Any) -> int:
        return len(shape)


class Size(_Question):
    """The number of elements as an int.

    Inputs: x, a tensor.
    Output: an int; it is known when compiling.

    Example:
        >>> print(ops.Size()(Tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])))
        6
    """

    arguments = ("input_x",)

    def answer(self, shape: Sequence[int | None], dtype: Any) -> int:
        if None in shape:
            raise ValueError("Size: a dimension is not known while compiling")
        return math.prod(size for size in shape if size is not None)


class DTypeOf(_Question):
    """The element type.

    Inputs: x, a tensor or a number.
    Output: the element type, such as `ms.float32`; it is known when compiling.

    Example:
        >>> print(ops.DTypeOf()(Tensor([1, 2])), ops.DTypeOf()(0.5))
        Int64 Float32
    """

    def answer(self, shape: Sequence[int | None], dtype: Any) -> DType:
        return mstype.pytype_to_dtype(dtype)
