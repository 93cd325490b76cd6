"""Fractional max pooling (Graham, Fractional Max-Pooling, 2014): windows at random distances."""

from __future__ import annotations

import math
from types import MappingProxyType
from typing import Any

import numpy as np

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.ops.array.casting import cast
from framework.ops.array.properties import shape as shape_of
from framework.ops.array.reshaping import reshape
from framework.ops.arrays import Array, ArrayModule
from framework.ops.constexpr import constexpr
from framework.ops.gradients import gradient
from framework.ops.indexing.gathering_elements import GatherDGrad
from framework.ops.primitive import PrimitiveWithInfer, cached, prim_attr_register
from framework.ops.random.uniform_and_normal import rand
from framework.ops.shapes import Dims, each

__all__ = [
    "FractionalMaxPool3DWithFixedKsize",
    "FractionalMaxPoolWithFixedKsize",
    "fractional_max_pool2d",
    "fractional_max_pool3d",
]

_scatter = GatherDGrad()


class FractionalMaxPoolWithFixedKsize(PrimitiveWithInfer):
    """The maxima of windows over images whose distances depend on random samples.

    With a sample u from 0 to below 1, the window i of n begins at floor((i + u) a) - floor(u a), where a = (length -
    window) / (n - 1); the last one ends at the edge.

    Inputs: images (N, C, H, W) or (C, H, W); samples (N, C, 2) for columns and rows, of a floating-point type.
    Output: the maxima, and their Int64 indices in the image: row times width plus column.

    Args:
        ksize: height and width of a window, or one number for both.
        output_shape: number of windows along height and width, or one number for both.
        data_format: "NCHW".

    Example:
        >>> x = Tensor(np.arange(25.0, dtype=np.float32).reshape(1, 1, 5, 5))
        >>> values, places = ops.FractionalMaxPoolWithFixedKsize(2, 2)(x, Tensor([[[0.5, 0.5]]], ms.float32))
        >>> print(values, places)
        [[[[ 6.  9.]
           [21. 24.]]]] [[[[ 6  9]
           [21 24]]]]
    """

    takes = MappingProxyType({0: mstype.real_type, 1: mstype.float_type})
    fresh = True
    dims = 2
    layout = "NCHW"

    @prim_attr_register
    def __init__(self, ksize: Any, output_shape: Any, data_format: str = "NCHW") -> None:
        self._made(ksize, output_shape, data_format)

    def _made(self, ksize: Any, output_shape: Any, data_format: str) -> None:
        self.init_prim_io_names(inputs=["input_x", "random_samples"], outputs=["y", "argmax"])
        if data_format != self.layout:
            raise ValueError(f"{self.name}: data_format must be {self.layout}, not {data_format!r}")
        self.add_prim_attr("ksize", each(ksize, self.dims))
        self.add_prim_attr("output_shape", each(output_shape, self.dims))

    def infer_shape(self, x: Dims, samples: Dims) -> tuple[Dims, Dims]:
        if len(x) not in (self.dims + 1, self.dims + 2):
            raise ValueError(f"{self.name} takes {self.layout}, not a tensor of shape {x}")
        if len(samples) != 3 or samples[2] != self.dims:
            raise ValueError(f"{self.name}: samples of shape {samples} must be (N, C, {self.dims})")
        for length, window, count in zip(x[-self.dims :], self.ksize, self.output_shape, strict=True):
            if length is not None and window + count - 1 > length:
                raise ValueError(f"{self.name}: {count} windows of {window} do not fit into {length} elements")
        out = (*x[: -self.dims], *self.output_shape)
        return out, out

    def infer_dtype(self, x: DType, samples: DType) -> tuple[DType, DType]:
        return x, mstype.int64

    def compute(self, xp: ArrayModule, x: Array, samples: Array) -> tuple[Array, ...]:
        shape, _ = self.infer_shape(x.shape, samples.shape)
        sides = x.shape[-self.dims :]
        planes = x.reshape(-1, *sides)
        given = xp.broadcast_to(samples, (*_leading(x.shape, self.dims), self.dims)).reshape(-1, self.dims)
        # The samples name the last dimension first; those of volumes the first.
        order = range(self.dims) if self.dims == 3 else reversed(range(self.dims))
        places: Any = xp.arange(len(planes)).reshape(-1, *(1,) * (2 * self.dims))
        flat: Any = 0
        indices = []
        for axis, which in enumerate(order):
            first = self._starts(xp, given[:, which], sides[axis], axis)
            within = xp.arange(self.ksize[axis])
            spread = [1] * (2 * self.dims + 1)
            spread[0], spread[1 + axis], spread[1 + self.dims + axis] = len(planes), first.shape[1], len(within)
            index = (first[:, :, None] + within).reshape(spread)
            indices.append(index)
            flat = flat * sides[axis] + index
        windows = planes[(places, *indices)]
        count = math.prod(self.ksize)
        windows = windows.reshape(*windows.shape[: 1 + self.dims], count)
        numbers = xp.broadcast_to(flat, (len(planes), *self.output_shape, *self.ksize)).reshape(windows.shape)
        best = windows.argmax(axis=-1)[..., None]
        values = xp.take_along_axis(windows, best, axis=-1)[..., 0]
        return values.reshape(shape), xp.take_along_axis(numbers, best, axis=-1)[..., 0].reshape(shape)

    def _starts(self, xp: ArrayModule, samples: Array, length: int, axis: int) -> Array:
        """The first element of each window: (planes, windows)."""
        window, count = self.ksize[axis], self.output_shape[axis]
        last = xp.full((len(samples), 1), length - window)
        if count == 1:
            return last
        step = samples.dtype.type(length - window) / samples.dtype.type(count - 1)
        inner = ((xp.arange(count - 1).astype(samples.dtype) + samples[:, None]) * step).astype(np.int64)
        return xp.concatenate([inner - (samples[:, None] * step).astype(np.int64), last], axis=1)


def _leading(shape: tuple[int, ...], dims: int) -> tuple[int, ...]:
    """Images and channels; one image if there is no such dimension."""
    leading = shape[:-dims]
    return leading if len(leading) == 2 else (1, *leading)


class FractionalMaxPool3DWithFixedKsize(FractionalMaxPoolWithFixedKsize):
    """The maxima of windows over volumes whose distances depend on random samples; see the class for images.

    Inputs: volumes (N, C, D, H, W) or (C, D, H, W); samples (N, C, 3) for depth, rows and columns, of a floating-point
    type. Output: the maxima, and their Int64 indices in the volume: (depth * H + row) * W + column.

    Args:
        ksize: depth, height and width of a window, or one number for all.
        output_shape: number of windows along each, or one number for all.
        data_format: "NCDHW".

    Example:
        >>> x = Tensor(np.arange(27.0, dtype=np.float32).reshape(1, 1, 3, 3, 3))
        >>> pool = ops.FractionalMaxPool3DWithFixedKsize(2, (1, 1, 2))
        >>> print(pool(x, Tensor([[[0.5, 0.5, 0.5]]], ms.float32))[0])
        [[[[[25. 26.]]]]]
    """

    dims = 3
    layout = "NCDHW"

    @prim_attr_register
    def __init__(self, ksize: Any, output_shape: Any, data_format: str = "NCDHW") -> None:
        self._made(ksize, output_shape, data_format)


@constexpr
def _flat(shape: tuple[int, ...], dims: int) -> tuple[int, ...]:
    return (*shape[:-dims], math.prod(shape[-dims:]))


def _places_gradient(dims: int, x: Tensor, out: tuple[Tensor, Tensor], dout: tuple[Tensor, Tensor]) -> Tensor:
    shape, picked = shape_of(x), shape_of(out[1])
    flat = _scatter(reshape(dout[0], _flat(picked, dims)), -1, reshape(out[1], _flat(picked, dims)), _flat(shape, dims))
    return reshape(flat, shape)


@gradient(FractionalMaxPoolWithFixedKsize)
def fractional_gradient(
    x: Tensor, samples: Tensor, out: tuple[Tensor, Tensor], dout: tuple[Tensor, Tensor]
) -> tuple[Tensor | None, ...]:
    """The maxima's elements get the gradient; samples and indices have none."""
    return _places_gradient(2, x, out, dout), None


@gradient(FractionalMaxPool3DWithFixedKsize)
def fractional_3d_gradient(
    x: Tensor, samples: Tensor, out: tuple[Tensor, Tensor], dout: tuple[Tensor, Tensor]
) -> tuple[Tensor | None, ...]:
    """The maxima's elements get the gradient; samples and indices have none."""
    return _places_gradient(3, x, out, dout), None


@constexpr
def _windows(shape: tuple[int, ...], size: Any, ratio: Any, dims: int) -> tuple[int, ...]:
    """The number of windows along each dimension."""
    if size is not None:
        return each(size, dims)
    if ratio is None:
        raise ValueError(f"fractional_max_pool{dims}d needs output_size or output_ratio")
    ratios = (float(ratio),) * dims if isinstance(ratio, int | float) else tuple(ratio)
    if len(ratios) != dims or not all(0 < part < 1 for part in ratios):
        raise ValueError(f"fractional_max_pool{dims}d: output_ratio must be between 0 and 1, not {ratio}")
    return tuple(int(length * part) for length, part in zip(shape[-dims:], ratios, strict=True))


def _drawn(x: Tensor, dims: int) -> Tensor:
    """Samples for all images and channels."""
    return cast(rand(*_samples_shape(shape_of(x), dims)), x.dtype if x.dtype in mstype.float_type else mstype.float32)


@constexpr
def _samples_shape(shape: tuple[int, ...], dims: int) -> tuple[int, ...]:
    return (*_leading(shape, dims), dims)


def fractional_max_pool2d(
    input: Tensor,
    kernel_size: Any,
    output_size: Any = None,
    output_ratio: Any = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> Any:
    """The maxima of windows over images at random distances.

    Args:
        input: images (N, C, H, W) or (C, H, W), of a real type.
        kernel_size: height and width of a window, or one number for both.
        output_size: number of windows along height and width, or one number for both.
        output_ratio: in place of it, the numbers of windows as parts of height and width, between 0 and 1.
        return_indices: return the indices of the maxima too: row times width plus column.
        _random_samples: numbers from 0 to below 1, (N, C, 2) for columns and rows; None to draw them.

    Returns:
        A tensor (N, C, H', W') or (C, H', W'), or a tuple of it and the Int64 indices.

    Raises:
        ValueError: neither size nor ratio is given, or the windows do not fit.

    Example:
        >>> x = Tensor(np.arange(25.0, dtype=np.float32).reshape(1, 1, 5, 5))
        >>> samples = Tensor([[[0.5, 0.5]]], ms.float32)
        >>> print(ops.fractional_max_pool2d(x, 2, output_ratio=0.5, _random_samples=samples))
        [[[[ 6.  9.]
           [21. 24.]]]]

    """
    windows = _windows(shape_of(input), output_size, output_ratio, 2)
    samples = _drawn(input, 2) if _random_samples is None else _random_samples
    both = cached(FractionalMaxPoolWithFixedKsize, _hashable(kernel_size), windows)(input, samples)
    return both if return_indices else both[0]


def fractional_max_pool3d(
    input: Tensor,
    kernel_size: Any,
    output_size: Any = None,
    output_ratio: Any = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> Any:
    """The maxima of windows over volumes at random distances.

    Args:
        input: volumes (N, C, D, H, W) or (C, D, H, W), of a real type.
        kernel_size: depth, height and width of a window, or one number for all.
        output_size: number of windows along each, or one number for all.
        output_ratio: in place of it, the numbers of windows as parts of the lengths, between 0 and 1.
        return_indices: return the indices of the maxima too: (depth * H + row) * W + column.
        _random_samples: numbers from 0 to below 1, (N, C, 3) for depth, rows and columns; None to draw them.

    Returns:
        A tensor (N, C, D', H', W') or (C, D', H', W'), or a tuple of it and the Int64 indices.

    Raises:
        ValueError: neither size nor ratio is given, or the windows do not fit.

    Example:
        >>> x = Tensor(np.arange(27.0, dtype=np.float32).reshape(1, 1, 3, 3, 3))
        >>> print(ops.fractional_max_pool3d(x, 2, (1, 1, 2), _random_samples=Tensor([[[0.5, 0.5, 0.5]]], ms.float32)))
        [[[[[25. 26.]]]]]

    """
    windows = _windows(shape_of(input), output_size, output_ratio, 3)
    samples = _drawn(input, 3) if _random_samples is None else _random_samples
    both = cached(FractionalMaxPool3DWithFixedKsize, _hashable(kernel_size), windows)(input, samples)
    return both if return_indices else both[0]


@constexpr
def _hashable(size: Any) -> Any:
    return tuple(size) if isinstance(size, list) else size
