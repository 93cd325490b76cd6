"""Fractional max pooling."""

from __future__ import annotations

from typing import Any

from framework.common.tensor import Tensor
from framework.nn.annotations import Size
from framework.nn.cell import Cell
from framework.ops import functional as F  # noqa: N812

__all__ = ["FractionalMaxPool2d", "FractionalMaxPool3d"]

Ratio = float | tuple[float, ...] | None


class FractionalMaxPool2d(Cell):
    """The maxima of windows over images at random distances; see `ops.fractional_max_pool2d`.

    Args:
        kernel_size: height and width of a window, or one number for both.
        output_size: number of windows along height and width, or one number for both.
        output_ratio: in place of it, the numbers of windows as parts of height and width, between 0 and 1.
        return_indices: return the indices of the maxima too.
        _random_samples: numbers from 0 to below 1, (N, C, 2) for columns and rows; None to draw them in each call.

    Example:
        >>> pool = nn.FractionalMaxPool2d(2, 2, _random_samples=Tensor([[[0.5, 0.5]]], ms.float32))
        >>> print(pool(Tensor(np.arange(25.0, dtype=np.float32).reshape(1, 1, 5, 5))))
        [[[[ 6.  9.]
           [21. 24.]]]]

    """

    def __init__(
        self,
        kernel_size: Size,
        output_size: Size | None = None,
        output_ratio: Ratio = None,
        return_indices: bool = False,
        _random_samples: Tensor | None = None,
    ) -> None:
        super().__init__()
        if output_size is None and output_ratio is None:
            raise ValueError(f"{type(self).__name__} needs output_size or output_ratio")
        self.kernel_size, self.output_size, self.output_ratio = kernel_size, output_size, output_ratio
        self.return_indices = return_indices
        self._random_samples = _random_samples

    def construct(self, x: Tensor) -> Any:
        """Map (N, C, H, W) to (N, C, rows, columns)."""
        return F.fractional_max_pool2d(
            x, self.kernel_size, self.output_size, self.output_ratio, self.return_indices, self._random_samples
        )


class FractionalMaxPool3d(FractionalMaxPool2d):
    """The maxima of windows over volumes at random distances; see `ops.fractional_max_pool3d`.

    Args:
        kernel_size: depth, height and width of a window, or one number for all.
        output_size: number of windows along each, or one number for all.
        output_ratio: in place of it, the numbers of windows as parts of the lengths, between 0 and 1.
        return_indices: return the indices of the maxima too.
        _random_samples: numbers from 0 to below 1, (N, C, 3) for depth, rows and columns; None to draw them in each
            call.

    Example:
        >>> pool = nn.FractionalMaxPool3d(2, (1, 1, 2), _random_samples=Tensor([[[0.5, 0.5, 0.5]]], ms.float32))
        >>> print(pool(Tensor(np.arange(27.0, dtype=np.float32).reshape(1, 1, 3, 3, 3))))
        [[[[[25. 26.]]]]]

    """

    def construct(self, x: Tensor) -> Any:
        """Map (N, C, D, H, W) to (N, C) and the number of windows along each dimension."""
        return F.fractional_max_pool3d(
            x, self.kernel_size, self.output_size, self.output_ratio, self.return_indices, self._random_samples
        )
