"""Power-average pooling: the p-norm of each window."""

from __future__ import annotations

from collections.abc import Sequence

from framework.common.tensor import Tensor
from framework.ops.activation.rectifiers import relu
from framework.ops.arithmetic.binary import pow
from framework.ops.mathematics.rounding import abs, sign
from framework.ops.pooling.rows_and_volumes import avg_pool1d
from framework.ops.pooling.sliding import avg_pool2d
from framework.ops.shapes import as_pair

__all__ = [
    "lp_pool1d",
    "lp_pool2d",
]


def lp_pool1d(
    x: Tensor, norm_type: float, kernel_size: int, stride: int | Sequence[int] | None = None, ceil_mode: bool = False
) -> Tensor:
    """The p-norm of each window along the last dimension: (sum of x^p)^(1/p).

    Args:
        x: tensor of shape (N, C, L) or (C, L), of a floating-point type.
        norm_type: p, not 0.
        kernel_size: length of a window.
        stride: distance between windows; None for their length.
        ceil_mode: allow the last window to reach over the end.

    Returns:
        A tensor of shape (N, C, windows) or (C, windows).

    Example:
        >>> print(ops.lp_pool1d(Tensor([[[3.0, 4.0, 6.0, 8.0]]]), 2, 2))
        [[[ 5. 10.]]]

    """
    means = avg_pool1d(pow(x, norm_type), kernel_size, kernel_size if stride is None else stride, 0, ceil_mode)
    return pow(sign(means) * relu(abs(means)) * kernel_size, 1.0 / norm_type)


def lp_pool2d(
    x: Tensor,
    norm_type: float,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    ceil_mode: bool = False,
) -> Tensor:
    """The p-norm of each window over images: (sum of x^p)^(1/p).

    Args:
        x: images of shape (N, C, H, W), of a floating-point type.
        norm_type: p, not 0.
        kernel_size: height and width of a window, or one number for both.
        stride: distance between windows, in the same order; None for their size.
        ceil_mode: allow the last windows to reach over the edge.

    Returns:
        A tensor of shape (N, C, H', W').

    Example:
        >>> print(ops.lp_pool2d(Tensor([[[[1.0, 1.0], [1.0, 1.0]]]]), 2, 2))
        [[[[2.]]]]

    """
    high, wide = as_pair(kernel_size)
    means = avg_pool2d(pow(x, norm_type), kernel_size, kernel_size if stride is None else stride, 0, ceil_mode)
    return pow(sign(means) * relu(abs(means)) * (high * wide), 1.0 / norm_type)
