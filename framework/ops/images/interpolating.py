"""Interpolation of rows, images and volumes, one side after another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Final

from framework.common.tensor import Tensor
from framework.kernels.images import resampling
from framework.ops.array.properties import shape as shape_of
from framework.ops.arrays import Array, ArrayModule, converted, without_halves
from framework.ops.constexpr import constexpr
from framework.ops.elementwise import FreshLikeFirst
from framework.ops.gradients import Bprop, bprop_getters
from framework.ops.images.resizing import ResizeBilinearV2, ResizeNearestNeighborV2, wanted_size
from framework.ops.pooling.adaptive import AdaptiveAvgPool2D
from framework.ops.pooling.adaptive_rows_and_volumes import adaptive_avg_pool1d, adaptive_avg_pool3d
from framework.ops.primitive import cached, prim_attr_register
from framework.ops.shapes import Dims

__all__ = [
    "Resample",
    "ResampleGrad",
    "interpolate",
    "upsample",
]


class Resample(FreshLikeFirst):
    """Interpolation along the last dimensions: `(x, size, scale)`.

    Inputs: x of shape (..., *sides); size, the length of each side in the output, a tuple of ints; scale, for each side
    how many elements are made of one, a tuple of numbers, or None for the ratios of the lengths.

    Output: a tensor (..., *size) of the element type of x.

    Args:
        mode: "nearest", "nearest-exact" (from the centre of an element), "linear" or "cubic".
        align_corners: whether the outermost elements of both lie on each other; for "linear" and "cubic".

    Example:
        >>> print(ops.Resample("linear")(Tensor([[0.0, 4.0]]), (4,), None))
        [[0. 1. 3. 4.]]
    """

    value_inputs: ClassVar[tuple[int, ...]] = (1, 2)

    @prim_attr_register
    def __init__(self, mode: str = "nearest", align_corners: bool = False) -> None:
        self.init_prim_io_names(inputs=["x", "size", "scale"], outputs=["y"])

    def infer_shape(self, x: Dims, size: Any, scale: Any = None) -> Dims:
        return (*x[: len(x) - len(size)], *size)

    def compute(self, xp: ArrayModule, x: Array, size: Any, scale: Any = None) -> Array:
        made = x if self.is_copy else x.astype(xp.promote_types(x.dtype, xp.float32), copy=False)
        for axis, wanted, factor in self._sides(x.ndim, size, scale):
            if self.is_copy:
                made = xp.take(made, xp.asarray(self.taken(made.shape[axis], wanted, factor)), axis)
            else:
                made = _along(xp, self.matrix(made.shape[axis], wanted, factor), made, axis)
        return made.astype(x.dtype, copy=False)

    @staticmethod
    def _sides(rank: int, size: Sequence[int], scale: Sequence[float] | None) -> list[tuple[int, int, float | None]]:
        """The axis of each side, its length in the output, and its scale."""
        axes = range(rank - len(size), rank)
        return list(zip(axes, size, scale or (None,) * len(size), strict=True))

    @property
    def is_copy(self) -> bool:
        """Whether each element of the output is one of the input."""
        return self.mode.startswith("nearest")

    def taken(self, size: int, wanted: int, factor: float | None) -> Array:
        """The index of the element that each of the wanted ones copies."""
        return resampling.nearest(size, wanted, False, self.mode == "nearest-exact", factor)

    def matrix(self, size: int, wanted: int, factor: float | None) -> Array:
        """The matrix (wanted, size) that resizes a side."""
        if self.mode == "cubic":
            return resampling.cubic(size, wanted, self.align_corners, factor)
        return resampling.linear(size, wanted, self.align_corners, not self.align_corners, factor)


def _along(xp: ArrayModule, matrix: Array, x: Array, axis: int) -> Array:
    """The product of a matrix with each line along an axis."""
    dtype, x = x.dtype, without_halves(x)
    given: Array = xp.asarray(matrix, x.dtype)
    if axis == x.ndim - 1:
        return converted(xp.matmul(x, given.T), dtype)
    before, after = x.shape[:axis], x.shape[axis + 1 :]
    lines = x.reshape(-1, x.shape[axis], int(xp.prod(xp.asarray(after))))
    return converted(xp.matmul(given, lines), dtype).reshape(*before, len(given), *after)


@bprop_getters.register(Resample)
def get_bprop_resample(self: Resample) -> Bprop:
    """The gradient multiplied by the transposed matrices."""
    grad = cached(ResampleGrad, self.mode, self.align_corners)

    def bprop(x: Tensor, size: Any, scale: Any, out: Tensor, dout: Tensor) -> tuple[Tensor | None, ...]:
        return grad(dout, _last(shape_of(x), len(size)), scale), None, None

    return bprop


class ResampleGrad(Resample):
    """The gradient of `Resample` with respect to the tensor: `(dout, sides of x, scale)`.

    Inputs: dout, the gradient with respect to the output; the lengths of the resized sides of x, a tuple of ints;
    scale, as there.

    Output: a tensor with these sides, of the element type of dout.

    Args:
        mode: as in `Resample`.
        align_corners: as in `Resample`.

    Example:
        >>> print(ops.ResampleGrad("nearest")(Tensor([[1.0, 2.0, 3.0, 4.0]]), (2,), None))
        [[3. 7.]]
    """

    def compute(self, xp: ArrayModule, x: Array, size: Any, scale: Any = None) -> Array:
        made = x.astype(xp.promote_types(x.dtype, xp.float32), copy=False)
        for axis, length, factor in self._sides(x.ndim, size, scale):
            if self.is_copy:
                lines = xp.moveaxis(made, axis, 0)
                sums = xp.zeros((length, *lines.shape[1:]), made.dtype)
                xp.add.at(sums, xp.asarray(self.taken(length, len(lines), factor)), lines)
                made = xp.moveaxis(sums, 0, axis)
            else:
                made = _along(xp, self.matrix(length, made.shape[axis], factor).T, made, axis)
        return xp.ascontiguousarray(made.astype(x.dtype, copy=False))


@bprop_getters.register(ResampleGrad)
def get_bprop_resample_grad(self: ResampleGrad) -> Bprop:
    """The operator is linear; its transpose is the interpolation."""
    resample = cached(Resample, self.mode, self.align_corners)

    def bprop(gradient: Tensor, size: Any, scale: Any, out: Tensor, dout: Tensor) -> tuple[Tensor | None, ...]:
        return resample(dout, _last(shape_of(gradient), len(size)), scale), None, None

    return bprop


@constexpr
def _last(shape: Sequence[int], count: int) -> tuple[int, ...]:
    """The last dimensions."""
    return tuple(shape[len(shape) - count :])


#: For each mode the numbers of dimensions that it takes, and how a side is resized.
_MODES: Final[dict[str, tuple[tuple[int, ...], str]]] = {
    "nearest": ((3, 4, 5), "nearest"), "nearest-exact": ((3, 4, 5), "nearest-exact"), "linear": ((3,), "linear"),
    "bilinear": ((4,), "linear"), "trilinear": ((5,), "linear"), "bicubic": ((4,), "cubic"),
    "area": ((3, 4, 5), "area"),
}  # fmt: skip


@constexpr
def _plan(
    shape: Sequence[int], size: Any, scale: Any, mode: str, align_corners: bool | None, recomputed: bool
) -> tuple[str, tuple[int, ...], tuple[float, ...] | None]:
    """How a side is resized, the wanted lengths, and the factors where they are not the ratios of the lengths."""
    if mode not in _MODES:
        raise ValueError(f"interpolate: mode must be one of {', '.join(_MODES)}, not {mode!r}")
    ranks, kind = _MODES[mode]
    if len(shape) not in ranks:
        raise ValueError(f"interpolate: {mode!r} takes tensors of {ranks} dimensions, not of shape {tuple(shape)}")
    if align_corners is not None and kind not in ("linear", "cubic"):
        raise ValueError(f"interpolate: align_corners has no meaning for {mode!r}; leave it None")
    sides = shape[2:]
    wanted = wanted_size(sides, size, scale)
    if scale is None or recomputed or kind == "area":
        return kind, wanted, None
    factors = (float(scale),) * len(sides) if isinstance(scale, int | float) else tuple(map(float, scale))
    if all(length * factor == made for length, factor, made in zip(sides, factors, wanted, strict=True)):
        return kind, wanted, None
    return kind, wanted, factors


def interpolate(
    input: Any,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
) -> Tensor:
    """Rows (N, C, L), images (N, C, H, W) or volumes (N, C, D, H, W) resized.

    Args:
        input: the tensor.
        size: the wanted lengths of the sides, one number for all or one for each.
        scale_factor: the factor of the lengths, one number or one for each side, if no size is given.
        mode: "nearest" and "nearest-exact" copy elements, the second from the centre of an element; "linear" is for
            rows, "bilinear" and "bicubic" (Keys' cubic convolution) for images, "trilinear" for volumes;
            "area" takes the means of parts.
        align_corners: for the linear modes and "bicubic", whether the outermost elements lie on each other; otherwise
            an element is a piece of its side, with its place at the centre.
        recompute_scale_factor: compute places from the ratio of the lengths, not from `scale_factor`; they differ where
            a length times the factor is not a whole number.

    Returns:
        A tensor of the element type of `input`, with the wanted lengths.

    Raises:
        ValueError: the mode is unknown or does not take such a tensor, not exactly one of `size` and `scale_factor` is
            given, or `align_corners` is given for a mode that does not use it.

    Example:
        >>> print(ops.interpolate(Tensor([[[[1.0, 2.0]]]]), size=(2, 4)))
        [[[[1. 1. 2. 2.]
           [1. 1. 2. 2.]]]]
        >>> print(ops.interpolate(Tensor([[[0.0, 4.0]]]), size=4, mode="linear"))
        [[[0. 1. 3. 4.]]]

    """
    shape = shape_of(input)
    plan = _plan(shape, size, scale_factor, mode, align_corners, recompute_scale_factor is True)
    kind, wanted, scale = plan
    aligned = align_corners is True
    if kind == "area":
        if len(shape) == 3:
            return adaptive_avg_pool1d(input, wanted[0])
        return cached(AdaptiveAvgPool2D, wanted)(input) if len(shape) == 4 else adaptive_avg_pool3d(input, wanted)
    if len(shape) == 4 and scale is None and kind != "cubic":
        if kind == "linear":
            return cached(ResizeBilinearV2, aligned, not aligned)(input, wanted)
        return cached(ResizeNearestNeighborV2, False, kind == "nearest-exact")(input, wanted)
    return cached(Resample, kind, aligned)(input, wanted, scale)


def upsample(
    input: Tensor,
    size: int | Sequence[int] | None = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
) -> Tensor:
    """The same as `interpolate`.

    Args:
        input: as in `interpolate`.
        size: as in `interpolate`.
        scale_factor: as in `interpolate`.
        mode: as in `interpolate`.
        align_corners: as in `interpolate`.
        recompute_scale_factor: as in `interpolate`.

    Returns:
        A tensor of the element type of `input`, with the wanted lengths.

    Example:
        >>> print(ops.upsample(Tensor([[[[1.0, 2.0]]]]), size=(1, 4)))
        [[[[1. 1. 2. 2.]]]]

    """
    return interpolate(input, size, scale_factor, mode, align_corners, recompute_scale_factor)
