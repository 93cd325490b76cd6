"""Reductions over axes, and the running ones."""

from __future__ import annotations

from typing import Any

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.ops.operations.elementwise import as_float
from framework.ops.operations.shapes import Dims, axes_of, normal_axis
from framework.ops.primitive import PrimitiveWithInfer, prim_attr_register

__all__ = [
    "ArgMaxWithValue",
    "ArgMinWithValue",
    "Argmax",
    "Argmin",
    "CumProd",
    "CumSum",
    "ReduceAll",
    "ReduceAny",
    "ReduceMax",
    "ReduceMean",
    "ReduceMin",
    "ReduceProd",
    "ReduceSum",
]


class _Reduce(PrimitiveWithInfer):
    """Reduces over `axis`: an int, a tuple of them, or `()` for all.

    Args:
        keep_dims: leave reduced dimensions with length 1.

    """

    value_inputs = (1,)
    reduction = ""

    @prim_attr_register
    def __init__(self, keep_dims: bool = False) -> None:
        self.init_prim_io_names(inputs=["input_x", "axis"], outputs=["y"])

    def infer_shape(self, x: Dims, axis: Any = ()) -> Dims:
        axes = axes_of(axis, len(x))
        if self.keep_dims:
            return tuple(1 if i in axes else size for i, size in enumerate(x))
        return tuple(size for i, size in enumerate(x) if i not in axes)

    def infer_dtype(self, x: DType, axis: Any = ()) -> DType:
        return x

    def compute(self, xp: Any, x: Any, axis: Any = (), *, out: Any = None) -> Any:
        return self.over(xp, x, axes_of(axis, x.ndim), out)

    def over(self, xp: Any, x: Any, axes: tuple[int, ...], out: Any) -> Any:
        """The kernel."""
        return getattr(xp, self.reduction)(x, axis=axes, keepdims=self.keep_dims, out=out)


class ReduceSum(_Reduce):
    """The sum over axes: `ReduceSum()(x, axis)`; of Bool elements an Int64.

    Inputs: x, a tensor; axis, an int, a tuple of them, or () for all axes, which is the default.

    Output: a tensor of the element type of x, Int64 for Bool, without the axes.

    Args:
        keep_dims: leave reduced dimensions with length 1.

    Example:
        >>> x = Tensor([[1, 2, 3], [4, 5, 6]])
        >>> print(ops.ReduceSum()(x), ops.ReduceSum()(x, 0), ops.ReduceSum(keep_dims=True)(x, 1).shape)
        21 [5 7 9] (2, 1)
    """

    def infer_dtype(self, x: DType, axis: Any = ()) -> DType:
        return mstype.int64 if x is mstype.bool_ else x

    def over(self, xp: Any, x: Any, axes: tuple[int, ...], out: Any) -> Any:
        dtype = xp.int64 if x.dtype.kind == "b" else x.dtype
        return xp.add.reduce(x, axes, dtype, out, self.keep_dims)

    def expression(self, x: Dims, axis: Any = ()) -> str:
        return f"xp.add.reduce({{0}}, axis={axes_of(axis, len(x))}{{out}}, keepdims={self.keep_dims})"


class ReduceMean(_Reduce):
    """The mean over axes: `ReduceMean()(x, axis)`.

    Inputs: x, a tensor; axis, an int, a tuple of them, or () for all axes, which is the default.

    Output: a tensor of the element type of x, Float32 where that is no floating-point type, without the axes.

    Args:
        keep_dims: leave reduced dimensions with length 1.

    Example:
        >>> x = Tensor([[1.0, 2.0], [3.0, 8.0]], ms.float32)
        >>> print(ops.ReduceMean()(x), ops.ReduceMean()(x, 1))
        3.5 [1.5 5.5]
    """

    def infer_dtype(self, x: DType, axis: Any = ()) -> DType:
        return x if x.is_floating_point else mstype.float32

    def over(self, xp: Any, x: Any, axes: tuple[int, ...], out: Any) -> Any:
        # Numpy adds halves up as singles, but not into an array of halves.
        is_half = x.dtype == xp.float16
        return xp.mean(as_float(xp, x), axis=axes, keepdims=self.keep_dims, out=None if is_half else out)


class ReduceProd(_Reduce):
    """The product over axes: `ReduceProd()(x, axis)`.

    Inputs: x, a tensor; axis, an int, a tuple of them, or () for all axes, which is the default.

    Output: a tensor of the element type of x, without the axes.

    Args:
        keep_dims: leave reduced dimensions with length 1.

    Example:
        >>> x = Tensor([[1, 2, 3], [4, 5, 6]])
        >>> print(ops.ReduceProd()(x), ops.ReduceProd()(x, 0))
        720 [ 4 10 18]
    """

    def over(self, xp: Any, x: Any, axes: tuple[int, ...], out: Any) -> Any:
        return xp.prod(x, axis=axes, keepdims=self.keep_dims, dtype=x.dtype, out=out)


class ReduceMax(_Reduce):
    """The largest element over axes: `ReduceMax()(x, axis)`.

    Inputs: x, a tensor; axis, an int, a tuple of them, or () for all axes, which is the default.

    Output: a tensor of the element type of x, without the axes.

    Args:
        keep_dims: leave reduced dimensions with length 1.

    Example:
        >>> x = Tensor([[1, 9, 3], [4, 5, 6]])
        >>> print(ops.ReduceMax()(x), ops.ReduceMax()(x, 0))
        9 [4 9 6]
    """

    reduction = "max"


class ReduceMin(_Reduce):
    """The smallest element over axes: `ReduceMin()(x, axis)`.

    Inputs: x, a tensor; axis, an int, a tuple of them, or () for all axes, which is the default.

    Output: a tensor of the element type of x, without the axes.

    Args:
        keep_dims: leave reduced dimensions with length 1.

    Example:
        >>> x = Tensor([[1, 9, 3], [4, 5, 6]])
        >>> print(ops.ReduceMin()(x), ops.ReduceMin()(x, 0))
        1 [1 5 3]
    """

    reduction = "min"


class ReduceAll(_Reduce):
    """Whether all elements hold, over axes: `ReduceAll()(x, axis)`.

    Inputs: x, a Bool tensor; axis, an int, a tuple of them, or () for all axes, which is the default.

    Output: a Bool tensor without the axes.

    Args:
        keep_dims: leave reduced dimensions with length 1.

    Example:
        >>> x = Tensor([[True, False], [True, True]])
        >>> print(ops.ReduceAll()(x), ops.ReduceAll()(x, 1))
        False [False  True]
    """

    reduction = "all"

    def infer_dtype(self, x: DType, axis: Any = ()) -> DType:
        return mstype.bool_


class ReduceAny(_Reduce):
    """Whether any element holds, over axes: `ReduceAny()(x, axis)`.

    Inputs: x, a Bool tensor; axis, an int, a tuple of them, or () for all axes, which is the default.

    Output: a Bool tensor without the axes.

    Args:
        keep_dims: leave reduced dimensions with length 1.

    Example:
        >>> x = Tensor([[True, False], [False, False]])
        >>> print(ops.ReduceAny()(x), ops.ReduceAny()(x, 1))
        True [ True False]
    """

    reduction = "any"

    def infer_dtype(self, x: DType, axis: Any = ()) -> DType:
        return mstype.bool_


class Argmax(PrimitiveWithInfer):
    """The index of the largest element along an axis, the first of several.

    Inputs: x, a tensor.

    Output: a tensor of `output_type`, of the shape of x without the axis.

    Args:
        axis: the axis.
        output_type: element type of the index.

    Example:
        >>> print(ops.Argmax()(Tensor([[1, 9, 3], [7, 5, 7]])))
        [1 0]
    """

    reduction = "argmax"

    @prim_attr_register
    def __init__(self, axis: int = -1, output_type: DType = mstype.int32) -> None:
        self.init_prim_io_names(inputs=["x"], outputs=["output"])

    def infer_shape(self, x: Dims) -> Dims:
        axis = normal_axis(self.axis, len(x))
        return x[:axis] + x[axis + 1 :]

    def infer_dtype(self, x: DType) -> DType:
        return self.output_type  # type: ignore[no-any-return]

    def compute(self, xp: Any, x: Any) -> Any:
        return xp.asarray(getattr(xp, self.reduction)(x, axis=self.axis)).astype(self.output_type.numpy)


class Argmin(Argmax):
    """The index of the smallest element along an axis, the first of several.

    Inputs: x, a tensor.

    Output: a tensor of `output_type`, of the shape of x without the axis.

    Args:
        axis: the axis.
        output_type: element type of the index.

    Example:
        >>> print(ops.Argmin(axis=0)(Tensor([[1, 9, 3], [7, 5, 3]])))
        [0 1 0]
    """

    reduction = "argmin"


class ArgMaxWithValue(PrimitiveWithInfer):
    """Index and value of the largest element along an axis.

    Inputs: x, a tensor.

    Output: the indices, Int64, and the values, of the element type of x; both of the shape of x without the axis.

    Args:
        axis: the axis.
        keep_dims: leave the axis with length 1.

    Example:
        >>> index, value = ops.ArgMaxWithValue(axis=1)(Tensor([[1, 9, 3], [7, 5, 6]]))
        >>> print(index, value)
        [1 0] [9 7]
    """

    index, value = "argmax", "max"

    @prim_attr_register
    def __init__(self, axis: int = 0, keep_dims: bool = False) -> None:
        self.init_prim_io_names(inputs=["x"], outputs=["index", "values"])

    def infer_shape(self, x: Dims) -> tuple[Dims, Dims]:
        axis = normal_axis(self.axis, len(x))
        out = (*x[:axis], *((1,) if self.keep_dims else ()), *x[axis + 1 :])
        return out, out

    def infer_dtype(self, x: DType) -> tuple[DType, DType]:
        return mstype.int64, x

    def compute(self, xp: Any, x: Any) -> Any:
        index = xp.expand_dims(getattr(xp, self.index)(x, axis=self.axis), self.axis)
        value = xp.take_along_axis(x, index, self.axis)
        if not self.keep_dims:
            index, value = index.squeeze(self.axis), value.squeeze(self.axis)
        return index.astype(xp.int64), value


class ArgMinWithValue(ArgMaxWithValue):
    """Index and value of the smallest element along an axis.

    Inputs: x, a tensor.

    Output: the indices, Int64, and the values, of the element type of x; both of the shape of x without the axis.

    Args:
        axis: the axis.
        keep_dims: leave the axis with length 1.

    Example:
        >>> index, value = ops.ArgMinWithValue(axis=1)(Tensor([[1, 9, 3], [7, 5, 6]]))
        >>> print(index, value)
        [0 1] [1 5]
    """

    index, value = "argmin", "min"


class CumSum(PrimitiveWithInfer):
    """The running sum along an axis: `CumSum()(x, axis)`.

    Inputs: x, a tensor; axis, an int.

    Output: a tensor of the shape and element type of x.

    Args:
        exclusive: leave each element out of its own sum.
        reverse: run from the end.

    Example:
        >>> x = Tensor([1, 2, 3, 4])
        >>> print(ops.CumSum()(x, 0), ops.CumSum(exclusive=True)(x, 0), ops.CumSum(reverse=True)(x, 0))
        [ 1  3  6 10] [0 1 3 6] [10  9  7  4]
    """

    value_inputs = (1,)
    running = "cumsum"

    @prim_attr_register
    def __init__(self, exclusive: bool = False, reverse: bool = False) -> None:
        self.init_prim_io_names(inputs=["x", "axis"], outputs=["y"])

    def infer_shape(self, x: Dims, axis: int) -> Dims:
        normal_axis(axis, len(x))
        return x

    def infer_dtype(self, x: DType, axis: int) -> DType:
        return x

    def compute(self, xp: Any, x: Any, axis: int) -> Any:
        turned = xp.flip(x, axis) if self.reverse else x
        if self.exclusive:
            first = xp.full_like(turned.take([0], axis), 0 if self.running == "cumsum" else 1)
            rest = turned.take(range(turned.shape[axis] - 1), axis)
            turned = xp.concatenate((first, rest), axis)
        out = getattr(xp, self.running)(turned, axis=axis).astype(x.dtype, copy=False)
        return xp.flip(out, axis) if self.reverse else out


class CumProd(CumSum):
    """The running product along an axis: `CumProd()(x, axis)`.

    Inputs: x, a tensor; axis, an int.

    Output: a tensor of the shape and element type of x.

    Args:
        exclusive: leave each element out of its own product.
        reverse: run from the end.

    Example:
        >>> x = Tensor([1, 2, 3, 4])
        >>> print(ops.CumProd()(x, 0), ops.CumProd(exclusive=True)(x, 0), ops.CumProd(reverse=True)(x, 0))
        [ 1  2  6 24] [1 1 2 6] [24 24 12  4]
    """

    running = "cumprod"
