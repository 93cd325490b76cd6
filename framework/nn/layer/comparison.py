"""Image comparison: structural similarity, peak signal-to-noise ratio, image gradients, central crops."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.common.validator import check_positive_int, check_type
from framework.nn.cell import Cell
from framework.nn.container import CellList
from framework.nn.layer.conv import Conv2d
from framework.nn.layer.pooling import AvgPool2d
from framework.ops import functional as F  # noqa: N812
from framework.ops.constexpr import constexpr

__all__ = ["MSSSIM", "PSNR", "SSIM", "CentralCrop", "ImageGradients"]


#: Element types of images.
_FLOATS = (mstype.float16, mstype.float32)
_PIXELS = (mstype.float64, *_FLOATS[::-1], mstype.uint8)


def _check_max_val(name: str, max_val: object) -> None:
    check_type(f"{name}: max_val", max_val, (int, float))


@constexpr
def _type_of_images(
    name: str, types: tuple[DType, DType], shapes: tuple[tuple[int, ...], ...], allowed: tuple[DType, ...], least: int
) -> DType:
    """The element type for comparing two images. Checks that both have the same shape of four dimensions, a least size,
    and the same type."""
    if types[0] not in allowed or types[0] != types[1]:
        wanted = " or ".join(str(one) for one in allowed)
        raise TypeError(f"{name}: images must be of the same type, {wanted}, not {types[0]} and {types[1]}")
    if shapes[0] != shapes[1] or len(shapes[0]) != 4 or min(shapes[0][2:]) < least:
        raise ValueError(
            f"{name}: images must have the same shape of 4 dimensions, of at least {least} rows and columns, not "
            f"{shapes[0]} and {shapes[1]}"
        )
    return mstype.float32


def _window(size: int, sigma: float) -> Conv2d:
    """The Gaussian-weighted mean of each window; training does not change the weights."""
    places = np.arange(size) - (size - 1) / 2
    weights = np.exp(-(places[:, None] ** 2 + places**2) / (2 * sigma**2))
    conv = Conv2d(
        1, 1, size, pad_mode="valid", weight_init=Tensor((weights / weights.sum())[None, None], mstype.float32)
    )
    conv.weight.requires_grad = False
    return conv


class _Compares(Cell):
    """Base class of similarities: checks the arguments and computes one scale."""

    def __init__(self, max_val: float, filter_size: int, filter_sigma: float, k1: float, k2: float) -> None:
        super().__init__()
        _check_max_val(type(self).__name__, max_val)
        check_positive_int(filter_size, f"{type(self).__name__}: filter_size")
        for argument, value in (("filter_sigma", filter_sigma), ("k1", k1), ("k2", k2)):
            check_type(f"{type(self).__name__}: {argument}", value, float)
        if max_val <= 0 or filter_size < 1 or filter_sigma <= 0:
            raise ValueError(
                f"{type(self).__name__}: max_val, filter_size and filter_sigma must be above 0, not {max_val}, "
                f"{filter_size} and {filter_sigma}"
            )
        self.max_val, self.filter_size, self.filter_sigma = max_val, filter_size, filter_sigma
        self.k1, self.k2 = k1, k2

    def of_scale(self, x: Tensor, y: Tensor, means: Cell) -> tuple[Any, Any]:
        """The similarity of each channel and its part without luminance, two tensors (N, C)."""
        c1, c2 = (self.k1 * self.max_val) ** 2, (self.k2 * self.max_val) ** 2
        batch, channels, rows, columns = F.shape(x)
        x, y = F.reshape(x, (-1, 1, rows, columns)), F.reshape(y, (-1, 1, rows, columns))
        mean_x, mean_y = means(x), means(y)
        squares = means(F.square(x) + F.square(y))
        of_means = F.square(mean_x) + F.square(mean_y)
        product = mean_x * mean_y
        contrast = ((means(x * y) - product) * 2.0 + c2) / (squares - of_means + c2)
        similarity = (product * 2.0 + c1) / (of_means + c1) * contrast
        shape = (batch, channels)
        return F.reshape(F.mean(similarity, (1, 2, 3)), shape), F.reshape(F.mean(contrast, (1, 2, 3)), shape)


class SSIM(_Compares):
    """Structural similarity of images (Wang et al. 2004): 1 for equal images.

    Args:
        max_val: largest possible value of a pixel.
        filter_size: height and width of the windows that are compared.
        filter_sigma: standard deviation of the weights within a window.
        k1: small number that keeps the part of the means stable.
        k2: small number that keeps the part of the variances stable.

    Raises:
        ValueError: `max_val`, `filter_size` or `filter_sigma` is not above 0.

    Inputs: two tensors (N, C, H, W) of one floating-point type. Output: a tensor (N,).

    Example:
        >>> x = ops.ones((1, 3, 16, 16))
        >>> print(nn.SSIM()(x, x))
        [1.]

    """

    def __init__(
        self,
        max_val: float = 1.0,
        filter_size: int = 11,
        filter_sigma: float = 1.5,
        k1: float = 0.01,
        k2: float = 0.03,
    ) -> None:
        super().__init__(max_val, filter_size, filter_sigma, k1, k2)
        self.conv = _window(filter_size, filter_sigma)

    def construct(self, img1: Tensor, img2: Tensor) -> Any:
        """Compare images of one shape."""
        wanted = _type_of_images(
            "SSIM", (img1.dtype, img2.dtype), (F.shape(img1), F.shape(img2)), _FLOATS, self.filter_size
        )
        img1, img2 = F.cast(img1, wanted), F.cast(img2, wanted)
        similarity, _ = self.of_scale(img1, img2, self.conv)
        return F.mean(similarity, -1)


class MSSSIM(_Compares):
    """Structural similarity at several scales, each half as large as the previous one (Wang et al. 2003).

    Args:
        max_val: largest possible value of a pixel.
        power_factors: exponent of each scale.
        filter_size: height and width of the windows that are compared.
        filter_sigma: standard deviation of the weights within a window.
        k1: small number that keeps the part of the means stable.
        k2: small number that keeps the part of the variances stable.

    Raises:
        ValueError: `max_val`, `filter_size` or `filter_sigma` is not above 0.

    Inputs: two tensors (N, C, H, W) of one type, floats or UInt8; the smallest scale must hold a window. Output: a
    Float32 tensor (N,).

    Example:
        >>> x = ops.ones((1, 1, 32, 32))
        >>> print(nn.MSSSIM(power_factors=(0.5, 0.5))(x, x))
        [1.]

    """

    def __init__(
        self,
        max_val: float = 1.0,
        power_factors: Sequence[float] = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333),
        filter_size: int = 11,
        filter_sigma: float = 1.5,
        k1: float = 0.01,
        k2: float = 0.03,
    ) -> None:
        super().__init__(max_val, filter_size, filter_sigma, k1, k2)
        check_type("MSSSIM: power_factors", power_factors, (tuple, list))
        self.level, self._powers = len(power_factors), tuple(power_factors)
        self.multi_convs_list = CellList([_window(filter_size, filter_sigma) for _ in power_factors])
        self.avg_pool = AvgPool2d(2, 2)

    def construct(self, img1: Tensor, img2: Tensor) -> Any:
        """Compare images of one shape."""
        wanted = _type_of_images("MSSSIM", (img1.dtype, img2.dtype), (F.shape(img1), F.shape(img2)), _PIXELS, 1)
        img1, img2 = F.cast(img1, wanted), F.cast(img2, wanted)
        product: Any = 1.0
        for i in range(self.level):
            similarity, contrast = self.of_scale(img1, img2, self.multi_convs_list[i])
            factor = F.pow(F.relu(similarity if i == self.level - 1 else contrast), self._powers[i])
            product = product * factor
            if i < self.level - 1:
                img1, img2 = self.avg_pool(img1), self.avg_pool(img2)
        return F.mean(product, -1)


class PSNR(Cell):
    """Peak signal-to-noise ratio in decibels: 10 log10(max_val^2 / mean squared difference).

    Args:
        max_val: largest possible value of a pixel.

    Raises:
        ValueError: `max_val` is not above 0.

    Inputs: two tensors (N, C, H, W) of one type, floats or UInt8. Output: a Float32 tensor (N,).

    Example:
        >>> print(nn.PSNR()(ops.zeros((1, 1, 2, 2)), ops.full((1, 1, 2, 2), 0.1)).asnumpy().round(3))
        [20.]

    """

    def __init__(self, max_val: float = 1.0) -> None:
        super().__init__()
        _check_max_val("PSNR", max_val)
        if max_val <= 0:
            raise ValueError(f"PSNR: max_val must be above 0, not {max_val}")
        self.max_val = max_val

    def construct(self, img1: Tensor, img2: Tensor) -> Any:
        """Compare images of one shape."""
        wanted = _type_of_images("PSNR", (img1.dtype, img2.dtype), (F.shape(img1), F.shape(img2)), _PIXELS, 1)
        img1, img2 = F.cast(img1, wanted), F.cast(img2, wanted)
        error = F.mean(F.square(img1 - img2), (-3, -2, -1))
        return F.log(self.max_val**2 / error) * (10.0 / math.log(10.0))


class ImageGradients(Cell):
    """Differences of neighbouring pixels of images, with zeros in the last row and column.

    Input: images (N, C, H, W). Output: the differences along the columns' direction (next row minus this one) and
    along the rows' (next column minus this one), each of the images' shape.

    Example:
        >>> dy, dx = nn.ImageGradients()(Tensor([[[[1, 2], [4, 8]]]]))
        >>> print(dy.asnumpy().ravel(), dx.asnumpy().ravel())
        [3 6 0 0] [1 0 4 0]

    """

    def construct(self, images: Tensor) -> tuple[Any, Any]:
        """The differences along both directions."""
        batch, channels, rows, columns = F.shape(images)
        dtype = F.dtype(images)
        dy = images[:, :, 1:, :] - images[:, :, :-1, :]
        dx = images[:, :, :, 1:] - images[:, :, :, :-1]
        dy = F.concat((dy, F.zeros((batch, channels, 1, columns), dtype)), 2)
        return dy, F.concat((dx, F.zeros((batch, channels, rows, 1), dtype)), 3)


@constexpr
def _edges(lengths: tuple[int, ...], part: float) -> tuple[int, ...]:
    return tuple(int((length - length * part) / 2) for length in lengths)


class CentralCrop(Cell):
    """The central part of images.

    Args:
        central_fraction: share of height and width that is kept, above 0 and at most 1.

    Raises:
        ValueError: `central_fraction` lies outside of that.

    Input: images (N, C, H, W), or one, (C, H, W). Output: the same without their edges.

    Example:
        >>> print(nn.CentralCrop(0.5)(ops.ones((2, 3, 4, 8))).shape)
        (2, 3, 2, 4)

    """

    def __init__(self, central_fraction: float) -> None:
        super().__init__()
        check_type("CentralCrop: central_fraction", central_fraction, float)
        if not 0 < central_fraction <= 1:
            raise ValueError(f"CentralCrop: central_fraction must be above 0 and at most 1, not {central_fraction}")
        self.central_fraction = central_fraction

    def construct(self, image: Tensor) -> Any:
        """Cut the edges off."""
        if len(F.shape(image)) not in (3, 4):
            raise ValueError(f"CentralCrop: images must have 3 or 4 dimensions, not {len(F.shape(image))}")
        rows, columns = F.shape(image)[-2:]
        top, left = _edges((rows, columns), self.central_fraction)
        return image[..., top : rows - top, left : columns - left]
