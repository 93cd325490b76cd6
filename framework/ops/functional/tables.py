"""Windows over signals, and powers of a base or of a vector's elements."""

from __future__ import annotations

from typing import Any

from framework.common import dtype as mstype
from framework.ops.arithmetic.binary import pow
from framework.ops.constexpr import constexpr
from framework.ops.functional.creation import arange, cast, linspace, ones
from framework.ops.functional.picking import where
from framework.ops.functional.primitives import expand_dims
from framework.ops.mathematics.rounding import abs as absolute
from framework.ops.mathematics.trigonometry import cos

__all__ = [
    "bartlett_window", "blackman_window", "hamming_window", "hann_window", "logspace", "vander",
]  # fmt: skip

_CIRCLE = 6.283185307179586


@constexpr
def _last(window_length: int, periodic: bool) -> int:
    """The distance at which a window is at its end."""
    if window_length < 0:
        raise ValueError(f"a window has at least 0 values, not {window_length}")
    return window_length if periodic else window_length - 1


def _angles(window_length: int, periodic: bool, dtype: Any) -> Any:
    places = arange(0, window_length, 1, dtype=mstype.float32 if dtype is None else dtype)
    return places * (_CIRCLE / _last(window_length, periodic))


def hann_window(window_length: int, periodic: bool = True, *, dtype: Any = None) -> Any:
    """(1 - cos(2 pi n / N)) / 2, for n from 0; N is the length, or with `periodic=False` one less.

    Example:
        >>> print(ops.hann_window(4))
        [0.  0.5 1.  0.5]

    """
    if window_length == 1:
        return ones((1,), mstype.float32 if dtype is None else dtype)
    return 0.5 - 0.5 * cos(_angles(window_length, periodic, dtype))


def hamming_window(
    window_length: int, periodic: bool = True, alpha: float = 0.54, beta: float = 0.46, *, dtype: Any = None
) -> Any:
    """alpha - beta * cos(2 pi n / N), for n from 0; N is the length, or with `periodic=False` one less.

    Example:
        >>> print(ops.hamming_window(4, alpha=0.5, beta=0.5))
        [0.  0.5 1.  0.5]

    """
    if window_length == 1:
        return ones((1,), mstype.float32 if dtype is None else dtype)
    return alpha - beta * cos(_angles(window_length, periodic, dtype))


def blackman_window(window_length: int, periodic: bool = True, *, dtype: Any = None) -> Any:
    """0.42 - 0.5 cos(2 pi n / N) + 0.08 cos(4 pi n / N), for n from 0; N is the length, or one less.

    Example:
        >>> print(ops.blackman_window(5, periodic=False).shape)
        (5,)

    """
    if window_length == 1:
        return ones((1,), mstype.float32 if dtype is None else dtype)
    angles = _angles(window_length, periodic, dtype)
    return 0.42 - 0.5 * cos(angles) + 0.08 * cos(2.0 * angles)


def bartlett_window(window_length: int, periodic: bool = True, *, dtype: Any = None) -> Any:
    """A triangle, 1 - |2 n / N - 1|, for n from 0; N is the length, or with `periodic=False` one less.

    Example:
        >>> print(ops.bartlett_window(4))
        [0.  0.5 1.  0.5]

    """
    if window_length == 1:
        return ones((1,), mstype.float32 if dtype is None else dtype)
    places = arange(0, window_length, 1, dtype=mstype.float32 if dtype is None else dtype)
    return 1.0 - absolute(places * (2 / _last(window_length, periodic)) - 1.0)


def logspace(start: Any, end: Any, steps: int, base: int = 10, *, dtype: Any = mstype.float32) -> Any:
    """`steps` powers of a base whose exponents have equal distances, both ends included.

    Example:
        >>> print(ops.logspace(0.0, 3.0, 4, 2))
        [1. 2. 4. 8.]

    """
    return cast(pow(float(base), linspace(start, end, steps)), dtype)


def vander(x: Any, N: Any = None) -> Any:  # noqa: N803 - MindSpore's
    """The powers of a vector's elements as rows, from the N-th - 1 down to 1.

    Example:
        >>> print(ops.vander(Tensor([1.0, 2.0, 3.0])))
        [[1. 1. 1.]
         [4. 2. 1.]
         [9. 3. 1.]]

    """
    count = x.shape[0] if N is None else N
    exponents = arange(count - 1, -1, -1, dtype=x.dtype)
    # 0 to the power of 0 is 1, and has no derivative by its exponent; neither is wanted here.
    powers = pow(expand_dims(x, 1), expand_dims(exponents, 0))
    return where(expand_dims(exponents, 0) == 0, ones(powers.shape, x.dtype), powers)
