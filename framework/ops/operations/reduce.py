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
    """The sum; of Bool elements an Int64."""

    def infer_dtype(self, x: DType, axis: Any = ()) -> DType:
        return mstype.int64 if x is mstype.bool_ else x

    def over(self, xp: Any, x: Any, axes: tuple[int, ...], out: Any) -> Any:
        dtype = xp.int64 if x.dtype.kind == "b" else x.dtype
        return xp.sum(x, axis=axes, keepdims=self.keep_dims, dtype=dtype, out=out)


class ReduceMean(_Reduce):
    """The mean."""

    def infer_dtype(self, x: DType, axis: Any = ()) -> DType:
        return x if x.is_floating_point else mstype.float32

    def over(self, xp: Any, x: Any, axes: tuple[int, ...], out: Any) -> Any:
        # Numpy adds halves up as singles, but not into an array of halves.
        is_half = x.dtype == xp.float16
        return xp.mean(as_float(xp, x), axis=axes, keepdims=self.keep_dims, out=None if is_half else out)


class ReduceProd(_Reduce):
    """The product."""

    def over(self, xp: Any, x: Any, axes: tuple[int, ...], out: Any) -> Any:
        return xp.prod(x, axis=axes, keepdims=self.keep_dims, dtype=x.dtype, out=out)


class ReduceMax(_Reduce):
    """The largest element."""

    reduction = "max"


class ReduceMin(_Reduce):
    """The smallest element."""

    reduction = "min"


class ReduceAll(_Reduce):
    """Whether all elements hold."""

    reduction = "all"

    def infer_dtype(self, x: DType, axis: Any = ()) -> DType:
        return mstype.bool_


class ReduceAny(_Reduce):
    """Whether any element holds."""

    reduction = "any"

    def infer_dtype(self, x: DType, axis: Any = ()) -> DType:
        return mstype.bool_


class Argmax(PrimitiveWithInfer):
    """The index of the largest element along an axis, the first of several.

    Args:
        axis: the axis.
        output_type: element type of the index.

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

    Args:
        axis: the axis.
        output_type: element type of the index.

    """

    reduction = "argmin"


class ArgMaxWithValue(PrimitiveWithInfer):
    """Index and value of the largest element along an axis.

    Args:
        axis: the axis.
        keep_dims: leave the axis with length 1.

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

    Args:
        axis: the axis.
        keep_dims: leave the axis with length 1.

    """

    index, value = "argmin", "min"


class CumSum(PrimitiveWithInfer):
    """The running sum along an axis.

    Args:
        exclusive: leave each element out of its own sum.
        reverse: run from the end.

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
    """The running product along an axis.

    Args:
        exclusive: leave each element out of its own product.
        reverse: run from the end.

    """

    running = "cumprod"
