"""Layers for images: resizing, pixel shuffling, and windows as columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from framework.common.tensor import Tensor
from framework.nn.annotations import Size
from framework.nn.cell import Cell
from framework.ops import functional as F  # noqa: N812
from framework.ops.constexpr import constexpr

__all__ = ["Fold", "PixelShuffle", "PixelUnshuffle", "ResizeBilinear", "Unfold", "Upsample"]


class Upsample(Cell):
    """Rows (N, C, L), images (N, C, H, W) or volumes (N, C, D, H, W) resized, as by `ops.interpolate`.

    Args:
        size: the lengths of the sides of the result, one number for all or one for each.
        scale_factor: the factor of the lengths, if no size is given.
        mode: "nearest", "nearest-exact", "linear" (rows), "bilinear", "bicubic" (images), "trilinear" (volumes) or
            "area".
        align_corners: for the linear modes and "bicubic", whether the outermost elements lie on each other.
        recompute_scale_factor: compute places from the ratio of the lengths, not from `scale_factor`.

    Example:
        >>> print(nn.Upsample(size=(1, 4))(Tensor([[[[1.0, 2.0]]]])))
        [[[[1. 1. 2. 2.]]]]

    """

    def __init__(
        self,
        size: int | tuple[int, ...] | None = None,
        scale_factor: float | tuple[float, ...] | None = None,
        mode: str = "nearest",
        align_corners: bool | None = None,
        recompute_scale_factor: bool | None = None,
    ) -> None:
        super().__init__()
        self.size, self.scale_factor, self.mode, self.align_corners = size, scale_factor, mode, align_corners
        self.recompute_scale_factor = recompute_scale_factor

    def construct(self, x: Tensor) -> Any:
        """Map (N, C, *sides) to (N, C, *other sides)."""
        return F.interpolate(
            x, self.size, self.scale_factor, self.mode, self.align_corners, self.recompute_scale_factor
        )


class ResizeBilinear(Cell):
    """Bilinear interpolation to a size given in the call.

    Args:
        half_pixel_centers: sample at the centres of pixels.

    Example:
        >>> print(nn.ResizeBilinear()(Tensor([[[[0.0, 4.0]]]]), (1, 4)))
        [[[[0. 2. 4. 4.]]]]

    """

    def __init__(self, half_pixel_centers: bool = False) -> None:
        super().__init__()
        self.half_pixel_centers = half_pixel_centers

    def construct(
        self,
        x: Tensor,
        size: tuple[int, int] | None = None,
        scale_factor: int | None = None,
        align_corners: bool = False,
    ) -> Any:
        """Map (N, C, H, W) to (N, C, rows, columns).

        Args:
            x: images of shape (N, C, H, W).
            size: height and width of the result.
            scale_factor: factor of height and width, if no size is given.
            align_corners: align the centres of the corner pixels.

        Returns:
            A tensor of shape (N, C, rows, columns).
        """
        return F.resize_bilinear(x, size, scale_factor, align_corners, self.half_pixel_centers)


class PixelShuffle(Cell):
    """Pixel shuffle (Shi et al. 2016): (..., C * r * r, H, W) to (..., C, H * r, W * r).

    Args:
        upscale_factor: r.

    Example:
        >>> print(nn.PixelShuffle(2)(Tensor(np.arange(4.0).reshape(1, 4, 1, 1))))
        [[[[0. 1.]
           [2. 3.]]]]

    """

    def __init__(self, upscale_factor: int) -> None:
        super().__init__()
        self.upscale_factor = upscale_factor

    def construct(self, x: Tensor) -> Any:
        """Shuffle images whose number of channels r * r divides."""
        return F.pixel_shuffle(x, self.upscale_factor)


class PixelUnshuffle(Cell):
    """The inverse of pixel shuffle: (..., C, H * r, W * r) to (..., C * r * r, H, W).

    Args:
        downscale_factor: r.

    Example:
        >>> print(nn.PixelUnshuffle(2)(Tensor([[[[1.0, 2.0], [3.0, 4.0]]]])).asnumpy().ravel())
        [1. 2. 3. 4.]

    """

    def __init__(self, downscale_factor: int) -> None:
        super().__init__()
        self.downscale_factor = downscale_factor

    def construct(self, x: Tensor) -> Any:
        """Unshuffle images whose height and width r divides."""
        return F.pixel_unshuffle(x, self.downscale_factor)


class Unfold(Cell):
    """Sliding windows of images: each pixel of the result holds the pixels of one window as its channels.

    Args:
        ksizes: size of a window, as (1, rows, columns, 1).
        strides: distance between windows, as (1, rows, columns, 1).
        rates: distance between the rows and columns of a window, as (1, rows, columns, 1).
        padding: "valid" or "same".

    Raises:
        ValueError: an argument is not of that form.

    Input: images (N, C, H, W). Output: a tensor (N, rows * columns * C, windows down, windows across), whose channels
    are those of the first pixel of the window, then those of the next one in its row.

    Example:
        >>> print(nn.Unfold((1, 2, 2, 1), (1, 1, 1, 1), (1, 1, 1, 1))(ops.ones((1, 3, 4, 5))).shape)
        (1, 12, 3, 4)

    """

    def __init__(
        self, ksizes: Sequence[int], strides: Sequence[int], rates: Sequence[int], padding: str = "valid"
    ) -> None:
        super().__init__()
        for name, sizes in (("ksizes", ksizes), ("strides", strides), ("rates", rates)):
            if len(sizes) != 4 or sizes[0] != 1 or sizes[3] != 1 or min(sizes) < 1:
                raise ValueError(f"Unfold: {name} must have the form (1, rows, columns, 1), not {sizes}")
        if padding.lower() not in ("valid", "same"):
            raise ValueError(f"Unfold: padding must be 'valid' or 'same', not {padding!r}")
        self.ksizes, self.strides, self.rates = tuple(ksizes), tuple(strides), tuple(rates)
        self.padding = padding.lower()

    def construct(self, x: Tensor) -> Any:
        """Map (N, C, H, W) to (N, rows * columns * C, windows down, windows across)."""
        batch, channels, height, width = F.shape(x)
        kernel, stride, rate = _inner(self.ksizes), _inner(self.strides), _inner(self.rates)
        down, across, pads = _windows((height, width), kernel, stride, rate, self.padding == "same")
        if any(pads):
            x = F.pad(x, pads)
        columns = F.reshape(F.unfold(x, kernel, rate, 0, stride), (batch, channels, -1, down, across))
        return F.reshape(F.transpose(columns, (0, 2, 1, 3, 4)), (batch, -1, down, across))


@constexpr
def _inner(sizes: tuple[int, ...]) -> tuple[int, int]:
    return sizes[1], sizes[2]


@constexpr
def _windows(
    size: tuple[int, int], kernel: tuple[int, int], stride: tuple[int, int], rate: tuple[int, int], same: bool
) -> tuple[int, int, tuple[int, ...]]:
    """The number of windows down and across, and the padding: left, right, top and bottom."""
    counts: list[int] = []
    pads: list[int] = []
    for length, window, step, distance in zip(size, kernel, stride, rate, strict=True):
        reach = (window - 1) * distance + 1
        count = -(-length // step) if same else (length - reach) // step + 1
        missing = max((count - 1) * step + reach - length, 0) if same else 0
        counts.append(count)
        pads = [missing // 2, missing - missing // 2, *pads]
    return counts[0], counts[1], tuple(pads)


class Fold(Cell):
    """Columns added up at their windows in images (col2im): the transpose of `Unfold`.

    Args:
        output_size: height and width of the images.
        kernel_size: height and width of the windows.
        dilation: distance between the rows and columns of a window.
        padding: rows and columns on each side that are cut off.
        stride: distance between windows.

    Example:
        >>> print(nn.Fold((2, 3), 2)(ops.ones((1, 4, 2))))
        [[[[1. 2. 1.]
           [1. 2. 1.]]]]

    """

    def __init__(
        self, output_size: Size, kernel_size: Size, dilation: Size = 1, padding: Size = 0, stride: Size = 1
    ) -> None:
        super().__init__()
        self.output_size, self.kernel_size, self.dilation = output_size, kernel_size, dilation
        self.padding, self.stride = padding, stride

    def construct(self, x: Tensor) -> Any:
        """Map (N, C * kernel height * kernel width, windows) to (N, C, H, W)."""
        return F.fold(x, self.output_size, self.kernel_size, self.dilation, self.padding, self.stride)
