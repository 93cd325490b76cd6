"""Images in another size, with something around them, or cut into windows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from framework.ops import operations as P  # noqa: N812
from framework.ops.constexpr import constexpr
from framework.ops.functional.primitives import reshape, shape
from framework.ops.functional.shaping import stack
from framework.ops.known import as_tuple
from framework.ops.operations.shapes import pair
from framework.ops.primitive import cached

__all__ = [
    "grid_sample", "interpolate", "pad", "pixel_shuffle", "pixel_unshuffle", "resize_bilinear", "unfold",
    "upsample",
]  # fmt: skip

_MODES = {"constant": "constant", "reflect": "reflect", "replicate": "edge", "circular": "circular"}


@constexpr
def _pad_mode(mode: str) -> str:
    if mode not in _MODES:
        raise ValueError(f"pad: mode must be one of {', '.join(_MODES)}, not {mode!r}")
    return _MODES[mode]


def pad(input_x: Any, padding: Any, mode: str = "constant", value: Any = None) -> Any:
    """Elements added around a tensor, or with negative numbers cut off.

    Args:
        input_x: the tensor.
        padding: before and after of the last dimension, then of the one before, and so on.
        mode: "constant", "reflect", "replicate" or "circular".
        value: with "constant", what is added; 0 where it is left out.

    Example:
        >>> print(ops.pad(Tensor([[1.0, 2.0]]), (1, 2), value=9.0))
        [[9. 1. 2. 9. 9.]]

    """
    return cached(P.PadV3, _pad_mode(mode), True)(input_x, as_tuple(padding), 0 if value is None else value)


@constexpr
def _size_of(shape: Sequence[int], size: Any, scale: Any) -> tuple[int, int]:
    """Height and width: as given, or the image's times the scale."""
    if (size is None) == (scale is None):
        raise ValueError("interpolate: give one of size and scale_factor")
    if size is not None:
        return pair(size)
    down, right = (scale, scale) if isinstance(scale, int | float) else tuple(scale)
    return int(shape[-2] * down), int(shape[-1] * right)


@constexpr
def _known_mode(mode: str) -> str:
    if mode not in ("nearest", "bilinear", "nearest-exact", "area"):
        raise ValueError(f"interpolate: mode must be nearest, nearest-exact, bilinear or area, not {mode!r}")
    return mode


def interpolate(
    input: Any,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
) -> Any:
    """Images [N, C, H, W] in another size.

    Args:
        input: the images.
        size: height and width.
        scale_factor: by what height and width are multiplied, where no size is given.
        mode: "nearest", "nearest-exact", "bilinear" or "area".
        align_corners: with "bilinear", the corners of both images lie on each other.
        recompute_scale_factor: the size alone counts either way.

    Example:
        >>> print(ops.interpolate(Tensor([[[[1.0, 2.0]]]]), size=(2, 4)))
        [[[[1. 1. 2. 2.]
           [1. 1. 2. 2.]]]]

    """
    wanted = _size_of(shape(input), size, scale_factor)
    kind = _known_mode(mode)
    if kind == "bilinear":
        aligned = align_corners is True
        return cached(P.ResizeBilinearV2, aligned, not aligned)(input, wanted)
    if kind == "area":
        return cached(P.AdaptiveAvgPool2D, wanted)(input)
    return cached(P.ResizeNearestNeighborV2, False, kind == "nearest-exact")(input, wanted)


def resize_bilinear(
    input: Any,
    size: Any = None,
    scale_factor: Any = None,
    align_corners: bool = False,
    half_pixel_centers: bool = False,
) -> Any:
    """Bilinear interpolation to a size; neither corners nor centres are aligned unless asked for.

    Example:
        >>> print(ops.resize_bilinear(Tensor([[[[0.0, 4.0]]]]), (1, 4)))
        [[[[0. 2. 4. 4.]]]]

    """
    wanted = _size_of(shape(input), size, scale_factor)
    return cached(P.ResizeBilinearV2, align_corners, half_pixel_centers)(input, wanted)


def upsample(
    input: Any,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
) -> Any:
    """As `interpolate`.

    Example:
        >>> print(ops.upsample(Tensor([[[[1.0, 2.0]]]]), size=(1, 4)))
        [[[[1. 1. 2. 2.]]]]

    """
    return interpolate(input, size, scale_factor, mode, align_corners, recompute_scale_factor)


def grid_sample(
    input: Any, grid: Any, mode: str = "bilinear", padding_mode: str = "zeros", align_corners: bool = False
) -> Any:
    """What images (N, C, H, W) show at the points (right, down), from -1 to 1, of a grid (N, OH, OW, 2).

    Args:
        input: the images.
        grid: the points, of the images' type.
        mode: "bilinear" or "nearest".
        padding_mode: what is around an image: "zeros", "border" or "reflection".
        align_corners: -1 and 1 are the centres of the outer pixels; else their outer edges.

    Example:
        >>> image = Tensor([[[[1.0, 2.0], [3.0, 4.0]]]])
        >>> print(ops.grid_sample(image, Tensor([[[[-1.0, -1.0], [0.0, 0.0]]]]), align_corners=True))
        [[[[1.  2.5]]]]

    """
    return cached(P.GridSampler2D, mode, padding_mode, align_corners)(input, grid)


@constexpr
def _cut(shape: Sequence[int], factor: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Shapes on the way from channels to pixels."""
    *batch, c, height, width = shape
    if c % (factor * factor):
        raise ValueError(f"pixel_shuffle: {c} channels do not make blocks of {factor} x {factor}")
    kept = c // (factor * factor)
    return (-1, kept, factor, factor, height, width), (*batch, kept, height * factor, width * factor)


def pixel_shuffle(input: Any, upscale_factor: int) -> Any:
    """(..., C * r * r, H, W) to (..., C, H * r, W * r), r the factor (Shi et al. 2016).

    Example:
        >>> print(ops.pixel_shuffle(Tensor(np.arange(4.0).reshape(1, 4, 1, 1)), 2))
        [[[[0. 1.]
           [2. 3.]]]]

    """
    cut, whole = _cut(shape(input), upscale_factor)
    return reshape(P.Transpose()(reshape(input, cut), (0, 1, 4, 2, 5, 3)), whole)


@constexpr
def _blocks(shape: Sequence[int], factor: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Shapes on the way from pixels to channels."""
    *batch, c, height, width = shape
    if height % factor or width % factor:
        raise ValueError(f"pixel_unshuffle: {height} x {width} pixels do not divide into blocks of {factor}")
    rows, columns = height // factor, width // factor
    return (-1, c, rows, factor, columns, factor), (*batch, c * factor * factor, rows, columns)


def pixel_unshuffle(input: Any, downscale_factor: int) -> Any:
    """(..., C, H * r, W * r) to (..., C * r * r, H, W), r the factor.

    Example:
        >>> print(ops.pixel_unshuffle(Tensor([[[[1.0, 2.0], [3.0, 4.0]]]]), 2).asnumpy().ravel())
        [1. 2. 3. 4.]

    """
    cut, whole = _blocks(shape(input), downscale_factor)
    return reshape(P.Transpose()(reshape(input, cut), (0, 1, 3, 5, 2, 4)), whole)


@constexpr
def _windows(shape: Sequence[int], kernel: Any, dilation: Any, padding: Any, stride: Any) -> Any:
    """Paddings, and per place in the window begin, end and strides of what all windows see there."""
    kernel, dilation, padding, stride = pair(kernel), pair(dilation), pair(padding), pair(stride)
    n, c = shape[:2]
    sizes = [size + 2 * pads for size, pads in zip(shape[2:], padding, strict=True)]
    counts = [(size - (k - 1) * d - 1) // s + 1 for size, k, d, s in zip(sizes, kernel, dilation, stride, strict=True)]
    places = []
    for i in range(kernel[0]):
        for j in range(kernel[1]):
            top, left = i * dilation[0], j * dilation[1]
            end = (n, c, top + (counts[0] - 1) * stride[0] + 1, left + (counts[1] - 1) * stride[1] + 1)
            places.append(((0, 0, top, left), end, (1, 1, *stride)))
    pads = (padding[1], padding[1], padding[0], padding[0])
    return pads, tuple(places), (n, c * kernel[0] * kernel[1], counts[0] * counts[1])


def unfold(input: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Any:
    """What windows see as columns: (N, C, H, W) to (N, C * kernel height * kernel width, windows).

    Example:
        >>> print(ops.unfold(Tensor(np.arange(6.0).reshape(1, 1, 2, 3)), 2))
        [[[0. 1.]
          [1. 2.]
          [3. 4.]
          [4. 5.]]]

    """
    pads, places, wanted = _windows(shape(input), kernel_size, dilation, padding, stride)
    padded = pad(input, pads)
    seen = [cached(P.StridedSlice, 0, 0, 0, 0, 0)(padded, begin, end, strides) for begin, end, strides in places]
    return reshape(stack(seen, 2), wanted)
