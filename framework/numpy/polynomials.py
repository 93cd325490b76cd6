"""Polynomials as coefficient vectors, highest power first."""

from __future__ import annotations

from typing import Any

from framework.common.tensor import Tensor
from framework.numpy.array_creations import arange
from framework.numpy.array_likes import ArrayLike, as_floats, to_tensor, typed
from framework.numpy.multiplying import convolve
from framework.ops import functional as F  # noqa: N812

__all__ = ["polyadd", "polyder", "polyint", "polymul", "polysub", "polyval"]


def polyadd(a1: ArrayLike, a2: ArrayLike) -> Tensor:
    """The sum of two polynomials."""
    first, second = _as_long(a1, a2)
    return typed(F.add(first, second))


def polysub(a1: ArrayLike, a2: ArrayLike) -> Tensor:
    """The difference of two polynomials."""
    first, second = _as_long(a1, a2)
    return typed(F.sub(first, second))


def polymul(a1: ArrayLike, a2: ArrayLike) -> Tensor:
    """The product of two polynomials."""
    first, second = _row(a1), _row(a2)
    return F.cast(convolve(first, second), F.add(first[:1], second[:1]).dtype)


def polyval(p: ArrayLike, x: ArrayLike) -> Tensor:
    """Evaluate a polynomial.

    Args:
        p: the coefficients.
        x: where, of any shape.

    """
    coefficients, at = _row(p), to_tensor(x)
    out = F.zeros_like(at) + coefficients[0]
    for place in range(1, coefficients.shape[0]):
        out = out * at + coefficients[place]
    return out


def polyder(p: ArrayLike, m: int = 1) -> Tensor:
    """The m-th derivative of a polynomial."""
    out = _row(p)
    for _ in range(m):
        count = out.shape[0] - 1
        out = out[:count] * F.cast(arange(count, 0, -1), out.dtype)
    return out


def polyint(p: ArrayLike, m: int = 1, k: Any = None) -> Tensor:
    """The m-th integral of a polynomial.

    Args:
        p: the coefficients.
        m: how often.
        k: the constants that are added, one for each time; by default 0.

    """
    out = as_floats(_row(p))
    for time in range(m):
        constant = 0.0 if k is None else k if isinstance(k, int | float) else k[time]
        last = F.cast(F.reshape(to_tensor(constant), (1,)), out.dtype)
        out = F.concat((out / F.cast(arange(out.shape[0], 0, -1), out.dtype), last), 0)
    return out


def _row(p: ArrayLike) -> Tensor:
    return typed(F.reshape(to_tensor(p), (-1,)))


def _as_long(a1: ArrayLike, a2: ArrayLike) -> tuple[Tensor, Tensor]:
    """Both, padded to the number of coefficients of the longer one."""
    first, second = _row(a1), _row(a2)
    missing = first.shape[0] - second.shape[0]
    if missing > 0:
        second = F.concat((F.zeros((missing,), second.dtype), second), 0)
    elif missing < 0:
        first = F.concat((F.zeros((-missing,), first.dtype), first), 0)
    return first, second
