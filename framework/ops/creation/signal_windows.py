"""Window functions for signals."""

from __future__ import annotations

import numpy as np

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.ops.constexpr import constexpr
from framework.ops.creation.filling import ones
from framework.ops.creation.ranges import arange
from framework.ops.mathematics.rounding import abs as absolute
from framework.ops.mathematics.trigonometry import cos

__all__ = [
    "bartlett_window",
    "blackman_window",
    "hamming_window",
    "hann_window",
    "kaiser_window",
]


def kaiser_window(
    window_length: int, periodic: bool = True, beta: float = 12.0, *, dtype: DType | None = None
) -> Tensor:
    """i0(beta sqrt(1 - ((n - N / 2) / (N / 2))^2)) / i0(beta), N = length, or length - 1 where not periodic.

    Args:
        window_length: the number of values.
        periodic: return the window of one more value without its last value.
        beta: the shape parameter; a larger one makes the window narrower.
        dtype: the element type, Float32 by default.

    Returns:
        A tensor of shape (window_length,).

    Example:
        >>> print(ops.kaiser_window(4, False, 1.0).asnumpy().round(3))
        [0.79  0.975 0.975 0.79 ]

    """
    return _kaiser(window_length, periodic, beta, mstype.float32 if dtype is None else dtype)


@constexpr
def _kaiser(length: int, periodic: bool, beta: float, dtype: DType) -> Tensor:
    if length < 0:
        raise ValueError(f"kaiser_window: window_length must be 0 or more, not {length}")
    return Tensor(np.kaiser(length + 1, beta)[:-1] if periodic and length > 1 else np.kaiser(length, beta), dtype)


_CIRCLE = 6.283185307179586


@constexpr
def _last(window_length: int, periodic: bool) -> int:
    """N in the formulas of windows: the distance between the ends of a window."""
    if window_length < 0:
        raise ValueError(f"window_length must be 0 or more, not {window_length}")
    return window_length if periodic else window_length - 1


def _angles(window_length: int, periodic: bool, dtype: DType | None) -> Tensor:
    places = arange(0, window_length, 1, dtype=mstype.float32 if dtype is None else dtype)
    return places * (_CIRCLE / _last(window_length, periodic))


def hann_window(window_length: int, periodic: bool = True, *, dtype: DType | None = None) -> Tensor:
    """(1 - cos(2 pi n / N)) / 2, for n from 0; N is the length, or one less with `periodic=False`.

    Args:
        window_length: the number of values.
        periodic: return the window of one more value without its last value.
        dtype: the element type; by default Float32.

    Returns:
        A tensor of shape (window_length,).

    Example:
        >>> print(ops.hann_window(4))
        [0.  0.5 1.  0.5]

    """
    if window_length == 1:
        return ones((1,), mstype.float32 if dtype is None else dtype)
    return 0.5 - 0.5 * cos(_angles(window_length, periodic, dtype))


def hamming_window(
    window_length: int, periodic: bool = True, alpha: float = 0.54, beta: float = 0.46, *, dtype: DType | None = None
) -> Tensor:
    """alpha - beta * cos(2 pi n / N), for n from 0; N is the length, or one less with `periodic=False`.

    Args:
        window_length: the number of values.
        periodic: return the window of one more value without its last value.
        alpha: alpha in the formula.
        beta: beta in the formula.
        dtype: the element type; by default Float32.

    Returns:
        A tensor of shape (window_length,).

    Example:
        >>> print(ops.hamming_window(4, alpha=0.5, beta=0.5))
        [0.  0.5 1.  0.5]

    """
    if window_length == 1:
        return ones((1,), mstype.float32 if dtype is None else dtype)
    return alpha - beta * cos(_angles(window_length, periodic, dtype))


def blackman_window(window_length: int, periodic: bool = True, *, dtype: DType | None = None) -> Tensor:
    """0.42 - 0.5 cos(2 pi n / N) + 0.08 cos(4 pi n / N), for n from 0; N is the length, or one less.

    Args:
        window_length: the number of values.
        periodic: return the window of one more value without its last value.
        dtype: the element type; by default Float32.

    Returns:
        A tensor of shape (window_length,).

    Example:
        >>> print(ops.blackman_window(5, periodic=False).shape)
        (5,)

    """
    if window_length == 1:
        return ones((1,), mstype.float32 if dtype is None else dtype)
    angles = _angles(window_length, periodic, dtype)
    return 0.42 - 0.5 * cos(angles) + 0.08 * cos(2.0 * angles)


def bartlett_window(window_length: int, periodic: bool = True, *, dtype: DType | None = None) -> Tensor:
    """A triangle, 1 - |2 n / N - 1|, for n from 0; N is the length, or one less with `periodic=False`.

    Args:
        window_length: the number of values.
        periodic: return the window of one more value without its last value.
        dtype: the element type; by default Float32.

    Returns:
        A tensor of shape (window_length,).

    Example:
        >>> print(ops.bartlett_window(4))
        [0.  0.5 1.  0.5]

    """
    if window_length == 1:
        return ones((1,), mstype.float32 if dtype is None else dtype)
    places = arange(0, window_length, 1, dtype=mstype.float32 if dtype is None else dtype)
    return 1.0 - absolute(places * (2 / _last(window_length, periodic)) - 1.0)
