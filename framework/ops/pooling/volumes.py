"""MindSpore's classes of pooling over volumes, and of unpooling, made of the functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.ops.array.casting import cast
from framework.ops.array.padding import PadV3
from framework.ops.array.properties import shape as shape_of
from framework.ops.constexpr import constexpr
from framework.ops.control.composed import Composed
from framework.ops.pooling.adaptive_rows_and_volumes import adaptive_avg_pool3d, adaptive_max_pool3d
from framework.ops.pooling.rows_and_volumes import pools_of_largest, pools_of_means, volumes_pooled
from framework.ops.pooling.rows_and_volumes import volumes_pooled_with_places as with_places
from framework.ops.pooling.unpooling import max_unpool2d, max_unpool3d
from framework.ops.primitive import prim_attr_register
from framework.ops.shapes import as_three

__all__ = [
    "AdaptiveAvgPool3D",
    "AdaptiveMaxPool3D",
    "AvgPool3D",
    "MaxPool3D",
    "MaxPool3DWithArgmax",
    "MaxUnpool2D",
    "MaxUnpool3D",
]

Size = int | tuple[int, ...]


class _Volumes(Composed):
    """Base class of pooling whose padding has six sides: head, tail, top, bottom, left and right."""

    def _check(self, pad: Any) -> None:
        name = type(self).__name__
        self.add_prim_attr("pad_mode", str(self.pad_mode).lower())
        if self.pad_mode not in ("valid", "same", "pad"):
            raise ValueError(f"{name}: pad_mode must be valid, same or pad, not {self.pad_mode!r}")
        if self.data_format != "NCDHW":
            raise ValueError(f"{name}: data_format must be NCDHW, not {self.data_format!r}")
        sides = (pad,) * 6 if isinstance(pad, int) else tuple(pad)
        if len(sides) == 3:
            sides = tuple(side for side in sides for _ in range(2))
        if len(sides) != 6 or any(side < 0 for side in sides):
            raise ValueError(f"{name}: padding must be one number, 3 or 6 of at least 0, not {pad}")
        if any(sides) and self.pad_mode != "pad":
            raise ValueError(f"{name}: padding {pad} needs pad_mode='pad'")
        self.begins = sides[::2]
        #: Equal on both sides of each dimension, and what is more at one of them.
        self.add_prim_attr("even", tuple(min(sides[i], sides[i + 1]) for i in (0, 2, 4)))
        self.add_prim_attr("more", tuple(sides[i] - min(sides[i // 2 * 2], sides[i // 2 * 2 + 1]) for i in range(6)))


class MaxPool3D(_Volumes):
    """The maximum of each window over volumes (N, C, D, H, W).

    Inputs: a tensor of a floating-point type. Output: a tensor of as many dimensions.

    Args:
        kernel_size: depth, height and width of a window, or one number for all.
        strides: distance between windows, in the same form.
        pad_mode: "valid", "same" or "pad".
        pad_list: for "pad", elements on each side that never are the maximum: one number, or six for head, tail, top,
            bottom, left and right.
        ceil_mode: for "pad", allow the last windows to reach over the edge; None for False.
        data_format: "NCDHW".

    Example:
        >>> print(ops.MaxPool3D(2)(Tensor(np.arange(8.0, dtype=np.float32).reshape(1, 1, 2, 2, 2))))
        [[[[[7.]]]]]
    """

    @prim_attr_register
    def __init__(
        self,
        kernel_size: Size = 1,
        strides: Size = 1,
        pad_mode: str = "VALID",
        pad_list: Size = 0,
        ceil_mode: bool | None = None,
        data_format: str = "NCDHW",
    ) -> None:
        self.init_prim_io_names(inputs=["x"], outputs=["output"])
        self._check(pad_list)
        sizes = (as_three(kernel_size), as_three(strides), self.even, (1, 1, 1))
        self.pools = pools_of_largest(*sizes, bool(ceil_mode), False, self.pad_mode)
        self.steps = as_three(strides)

    def __call__(self, x: Tensor) -> Tensor:
        """Pool a tensor."""
        planes, depth = self.pools
        pooled = volumes_pooled(_with_more(x, self.more, _lowest(x.dtype)), planes, depth)
        if not self.ceil_mode or self.more == (0, 0, 0, 0, 0, 0):
            return pooled
        deep, rows, columns = _beginning_inside(shape_of(x), shape_of(pooled), self.begins, self.steps)
        return pooled[..., :deep, :rows, :columns]


class AvgPool3D(_Volumes):
    """The mean of each window over volumes (N, C, D, H, W).

    Inputs: a tensor of a floating-point type. Output: a tensor of as many dimensions.

    Args:
        kernel_size: depth, height and width of a window, or one number for all.
        strides: distance between windows, in the same form.
        pad_mode: "valid", "same" or "pad".
        pad: for "pad", zeros on each side: one number, or six for head, tail, top, bottom, left and right.
        ceil_mode: for "pad", allow the last windows to reach over the edge.
        count_include_pad: count the padding as elements.
        divisor_override: divisor of the sums; 0 for the number of elements.
        data_format: "NCDHW".

    Raises:
        ValueError: sides with different padding are combined with `ceil_mode` or without `count_include_pad`.

    Example:
        >>> print(ops.AvgPool3D(2)(Tensor(np.arange(8.0, dtype=np.float32).reshape(1, 1, 2, 2, 2))))
        [[[[[3.5]]]]]
    """

    @prim_attr_register
    def __init__(
        self,
        kernel_size: Size = 1,
        strides: Size = 1,
        pad_mode: str = "valid",
        pad: Size = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int = 0,
        data_format: str = "NCDHW",
    ) -> None:
        self.init_prim_io_names(inputs=["input"], outputs=["output"])
        self._check(pad)
        if any(self.more) and (ceil_mode or (not count_include_pad and not divisor_override)):
            raise ValueError(
                f"AvgPool3D: padding {pad} differs between sides, which works neither with ceil_mode nor without "
                "count_include_pad"
            )
        sizes = (as_three(kernel_size), as_three(strides), self.even)
        self.pools = pools_of_means(*sizes, ceil_mode, count_include_pad, divisor_override, self.pad_mode)

    def __call__(self, x: Tensor) -> Tensor:
        """Pool a tensor."""
        planes, depth = self.pools
        return volumes_pooled(_with_more(x, self.more, 0.0), planes, depth)


def _with_more(x: Tensor, more: tuple[int, ...], value: float) -> Tensor:
    """A tensor with `value` added at the six sides of its last three dimensions."""
    if more == (0, 0, 0, 0, 0, 0):
        return x
    return PadV3()(x, _last_first(more), value)


@constexpr
def _last_first(more: tuple[int, ...]) -> tuple[int, ...]:
    """The sides in the order of `PadV3`, which begins with the last dimension."""
    return (*more[4:], *more[2:4], *more[:2])


@constexpr
def _beginning_inside(
    shape: tuple[int, ...], pooled: tuple[int, ...], begins: tuple[int, ...], steps: tuple[int, ...]
) -> tuple[int, ...]:
    """The numbers of windows along each dimension that do not begin in the padding after it."""
    lengths = zip(shape[-3:], pooled[-3:], begins, steps, strict=True)
    return tuple(min(count, -(-(length + begin) // step)) for length, count, begin, step in lengths)


@constexpr
def _lowest(dtype: DType) -> float:
    return float(np.finfo(dtype.numpy).min) if dtype.is_floating_point else int(np.iinfo(dtype.numpy).min)


class MaxPool3DWithArgmax(Composed):
    """The maximum of each window over volumes, and its index: (depth * H + row) * W + column.

    Inputs: a tensor (N, C, D, H, W) of a real type. Output: two tensors of as many dimensions, the maxima and their
    indices.

    Args:
        ksize: depth, height and width of a window, or one number for all.
        strides: distance between windows, in the same form.
        pads: elements on each side that never are the maximum, in the same form.
        dilation: distance between the elements of a window, in the same form.
        ceil_mode: allow the last windows to reach over the edge.
        data_format: "NCDHW".
        argmax_type: element type of the indices, Int64 or Int32.

    Example:
        >>> values, places = ops.MaxPool3DWithArgmax(2, 2, 0)(Tensor(np.arange(8.0).reshape(1, 1, 2, 2, 2)))
        >>> print(values, places)
        [[[[[7.]]]]] [[[[[7]]]]]
    """

    @prim_attr_register
    def __init__(
        self,
        ksize: Size,
        strides: Size,
        pads: Size,
        dilation: Size = (1, 1, 1),
        ceil_mode: bool = False,
        data_format: str = "NCDHW",
        argmax_type: DType = mstype.int64,
    ) -> None:
        self.init_prim_io_names(inputs=["x"], outputs=["y", "argmax"])
        if data_format != "NCDHW" or argmax_type not in (mstype.int32, mstype.int64):
            raise ValueError(
                f"MaxPool3DWithArgmax: data_format must be NCDHW and argmax_type Int32 or Int64, not {data_format!r} "
                f"and {argmax_type}"
            )
        self.pools = pools_of_largest(
            as_three(ksize), as_three(strides), as_three(pads), as_three(dilation), ceil_mode, True
        )

    def __call__(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Pool a tensor."""
        planes, depth = self.pools
        values, places = with_places(x, planes, depth)
        return values, cast(places, self.argmax_type)


@constexpr
def _numbers(size: Any) -> tuple[int, ...]:
    return tuple(int(n) for n in (size.asnumpy() if isinstance(size, Tensor) else size))


class AdaptiveAvgPool3D(Composed):
    """Adaptive average pooling over volumes, as the function `adaptive_avg_pool3d`.

    Inputs: a tensor (N, C, D, H, W) or (C, D, H, W). Output: a tensor of as many dimensions.

    Args:
        output_size: number of parts, one number for all dimensions or three; None keeps a dimension as it is.

    Example:
        >>> print(ops.AdaptiveAvgPool3D(1)(Tensor(np.arange(8.0).reshape(1, 1, 2, 2, 2))))
        [[[[[3.5]]]]]
    """

    @prim_attr_register
    def __init__(self, output_size: Any) -> None:
        self.init_prim_io_names(inputs=["x"], outputs=["y"])

    def __call__(self, x: Tensor) -> Tensor:
        """Pool a tensor."""
        return adaptive_avg_pool3d(x, self.output_size)


class AdaptiveMaxPool3D(Composed):
    """Adaptive max pooling over volumes, as the function `adaptive_max_pool3d`.

    Inputs: a tensor (N, C, D, H, W) or (C, D, H, W); the number of parts along the last three dimensions, a tuple, or a
    tensor that is known at compile time. Output: the maxima, and their indices as Int32.

    Example:
        >>> print(ops.AdaptiveMaxPool3D()(Tensor(np.arange(8.0).reshape(1, 1, 2, 2, 2)), (1, 1, 1))[0])
        [[[[[7.]]]]]
    """

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["x", "output_size"], outputs=["y", "argmax"])

    def __call__(self, x: Tensor, output_size: Tensor | tuple[int, ...]) -> tuple[Tensor, Tensor]:
        """Pool a tensor."""
        values, places = adaptive_max_pool3d(x, _numbers(output_size), True)
        return values, cast(places, mstype.int32)


class MaxUnpool2D(Composed):
    """The inverse of max pooling over images, as the function `max_unpool2d`.

    Inputs: maxima (N, C, H, W); their indices, integers of the same shape. Output: a tensor of the shape before
    pooling.

    Args:
        ksize: height and width of the pooling windows, or one number for both.
        strides: distance between windows; 0 for their size.
        pads: padding of the pooling on each side.
        output_shape: shape before pooling; empty for the smallest that fits.
        data_format: "NCHW".

    Example:
        >>> print(ops.MaxUnpool2D(2)(Tensor([[[[5.0]]]]), Tensor([[[[2]]]])))
        [[[[0. 0.]
           [5. 0.]]]]
    """

    layout = "NCHW"

    @prim_attr_register
    def __init__(
        self,
        ksize: Size,
        strides: Size = 0,
        pads: Size = 0,
        output_shape: Sequence[int] = (),
        data_format: str = "NCHW",
    ) -> None:
        self._made(strides, output_shape)

    def _made(self, strides: Size, output_shape: Sequence[int]) -> None:
        self.init_prim_io_names(inputs=["x", "argmax"], outputs=["y"])
        if self.data_format != self.layout:
            raise ValueError(f"{type(self).__name__}: data_format must be {self.layout}, not {self.data_format!r}")
        self.add_prim_attr("step", None if strides in (0, (0, 0), (0, 0, 0)) else strides)
        self.add_prim_attr("output_shape", tuple(output_shape) or None)

    def __call__(self, x: Tensor, argmax: Tensor) -> Tensor:
        """Put maxima at their places."""
        return max_unpool2d(x, argmax, self.ksize, self.step, self.pads, self.output_shape)


class MaxUnpool3D(MaxUnpool2D):
    """The inverse of max pooling over volumes, as the function `max_unpool3d`.

    Inputs: maxima (N, C, D, H, W); their indices, integers of the same shape. Output: a tensor of the shape before
    pooling.

    Args:
        ksize: depth, height and width of the pooling windows, or one number for all.
        strides: distance between windows; 0 for their size.
        pads: padding of the pooling on each side.
        output_shape: shape before pooling; empty for the smallest that fits.
        data_format: "NCDHW".

    Example:
        >>> print(ops.MaxUnpool3D(2)(Tensor([[[[[5.0]]]]]), Tensor([[[[[6]]]]])).asnumpy().ravel())
        [0. 0. 0. 0. 0. 0. 5. 0.]
    """

    layout = "NCDHW"

    @prim_attr_register
    def __init__(
        self,
        ksize: Size,
        strides: Size = 0,
        pads: Size = 0,
        output_shape: Sequence[int] = (),
        data_format: str = "NCDHW",
    ) -> None:
        self._made(strides, output_shape)

    def __call__(self, x: Tensor, argmax: Tensor) -> Tensor:
        """Put maxima at their places."""
        return max_unpool3d(x, argmax, self.ksize, self.step, self.pads, self.output_shape)
