"""The regularized incomplete gamma and beta functions and their slopes; `ops.mathematics` calls them."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from framework.common.device import Array, ArrayModule
from framework.kernels import special

__all__ = ["betainc", "betainc_slope", "igamma", "igamma_slope", "igammac"]

#: The last term of a series adds less than this part of its sum.
_SMALL: Final = 4e-16
#: In place of a zero divisor of a continued fraction (Lentz's method).
_TINY: Final = 1e-290
#: Terms of a series or a continued fraction, at most.
_TERMS: Final = 10000
#: A step along the imaginary axis: the imaginary part of f(a + ih) divided by h is the slope of f, without rounding.
#: (Squire and Trapp, Using Complex Variables to Estimate Derivatives of Real Functions, 1998.)
_STEP: Final = 1e-30
#: The step of second derivatives, central differences of first ones, as a part of the parameter.
_DIFFERENCE: Final = 1e-5


def igamma(xp: ArrayModule, a: Array, x: Array) -> Array:
    """The integral of t^(a - 1) exp(-t) from 0 to x, divided by gamma(a)."""
    wide, at = _wide(xp, a, x)
    return _lower(xp, wide, special.lgamma(xp, wide), at, upper=False).astype(a.dtype)


def igammac(xp: ArrayModule, a: Array, x: Array) -> Array:
    """1 - igamma(a, x), exact where that is small."""
    wide, at = _wide(xp, a, x)
    return _lower(xp, wide, special.lgamma(xp, wide), at, upper=True).astype(a.dtype)


def igamma_slope(xp: ArrayModule, a: Array, x: Array, order: int) -> Array:
    """The first or second derivative of igamma with respect to a."""
    wide, at = _wide(xp, a, x)
    if order == 1:
        return _igamma_slope(xp, wide, at).astype(a.dtype)
    step = _DIFFERENCE * wide
    return ((_igamma_slope(xp, wide + step, at) - _igamma_slope(xp, wide - step, at)) / (2 * step)).astype(a.dtype)


def _igamma_slope(xp: ArrayModule, a: Array, x: Array) -> Array:
    log_gamma = special.lgamma(xp, a) + 1j * _STEP * special.polygamma(xp, 0, a)
    return _lower(xp, a + 1j * _STEP, log_gamma, x, upper=False).imag / _STEP


def betainc(xp: ArrayModule, a: Array, b: Array, x: Array) -> Array:
    """The integral of t^(a - 1) (1 - t)^(b - 1) from 0 to x, divided by that from 0 to 1."""
    first, second, at = _wide(xp, a, b, x)
    return _beta(xp, first, second, at, _log_beta(xp, first, second)).astype(a.dtype)


def betainc_slope(xp: ArrayModule, a: Array, b: Array, x: Array, orders: tuple[int, int]) -> Array:
    """The derivative of betainc of the given orders with respect to a and to b, which are 1 or 2 in sum."""
    first, second, at = _wide(xp, a, b, x)
    if sum(orders) == 1:
        return _betainc_slope(xp, first, second, at, orders[1] == 1).astype(a.dtype)
    by_second = orders[1] == 2
    step = _DIFFERENCE * (first if orders[0] else second)
    moved = (step, 0.0) if orders[0] else (0.0, step)
    above = _betainc_slope(xp, first + moved[0], second + moved[1], at, by_second or orders == (1, 1))
    below = _betainc_slope(xp, first - moved[0], second - moved[1], at, by_second or orders == (1, 1))
    return ((above - below) / (2 * step)).astype(a.dtype)


def _betainc_slope(xp: ArrayModule, a: Array, b: Array, x: Array, by_second: bool) -> Array:
    slope = special.polygamma(xp, 0, b if by_second else a) - special.polygamma(xp, 0, a + b)
    log_beta = _log_beta(xp, a, b) + 1j * _STEP * slope
    step = 1j * _STEP
    moved = (a + 0j, b + step) if by_second else (a + step, b + 0j)
    return _beta(xp, *moved, x, log_beta).imag / _STEP


def _wide(xp: ArrayModule, *operands: Array) -> Any:
    return xp.broadcast_arrays(*(item.astype(xp.float64) for item in operands))


def _lower(xp: ArrayModule, a: Array, log_gamma: Array, x: Array, *, upper: bool) -> Array:
    """The series of the lower integral (Abramowitz and Stegun 6.5.29) up to a + 1, the fraction of the upper beyond."""
    with np.errstate(all="ignore"):
        valid = (a.real > 0) & (x >= 0)
        inner = valid & (x > 0) & xp.isfinite(x)
        at, order = xp.where(inner, x, 1.0), xp.where(inner, a, 1.0)
        factor = xp.exp(order * xp.log(at) - at - xp.where(inner, log_gamma, 0.0))
        by_series = at < order.real + 1
        lower = factor * _series(xp, order, xp.where(by_series, at, 0.5))
        above = factor * _fraction(xp, order, xp.where(by_series, order.real + 1, at))
        value = xp.where(by_series, 1 - lower, above) if upper else xp.where(by_series, lower, 1 - above)
        ends = (x == 0) if upper else (x > 0)
        return xp.where(inner, value, xp.where(valid, xp.where(ends, 1.0, 0.0), xp.nan))


def _series(xp: ArrayModule, a: Array, x: Array) -> Array:
    term = 1 / a
    total = term
    for n in range(1, _TERMS):
        term = term * x / (a + n)
        total = total + term
        if _is_small(xp, term, total):
            break
    return total


def _fraction(xp: ArrayModule, a: Array, x: Array) -> Array:
    """The continued fraction of Abramowitz and Stegun 6.5.31 in its even form."""
    b = x + 1 - a
    c = xp.full_like(b, 1 / _TINY)
    d = 1 / b
    value = d
    for n in range(1, _TERMS):
        b = b + 2
        c, d, value, change = _lentz(xp, -n * (n - a), b, c, d, value)
        if _is_small(xp, change, value):
            break
    return value


def _lentz(xp: ArrayModule, over: Array, under: Array | float, c: Array, d: Array, value: Array) -> tuple[Array, ...]:
    """One more term of a continued fraction: the state c and d, the value, and how much it has changed."""
    d = over * d + under
    d = 1 / xp.where(d == 0, _TINY, d)
    c = under + over / c
    c = xp.where(c == 0, _TINY, c)
    better = value * c * d
    return c, d, better, better - value


def _is_small(xp: ArrayModule, change: Array, value: Array) -> bool:
    """Whether a change does not matter, in the imaginary parts neither."""
    done = xp.absolute(change.real) <= _SMALL * xp.absolute(value.real)
    if change.dtype.kind == "c":
        done &= xp.absolute(change.imag) <= _SMALL * xp.absolute(value.imag)
    return bool((done | ~xp.isfinite(value.real)).all())


def _log_beta(xp: ArrayModule, a: Array, b: Array) -> Array:
    return special.lgamma(xp, a) + special.lgamma(xp, b) - special.lgamma(xp, a + b)


def _beta(xp: ArrayModule, a: Array, b: Array, x: Array, log_beta: Array) -> Array:
    """The continued fraction of Abramowitz and Stegun 26.5.8, of the complement where that converges faster."""
    with np.errstate(all="ignore"):
        valid = (a.real > 0) & (b.real > 0) & (x >= 0) & (x <= 1)
        inner = valid & (x > 0) & (x < 1)
        first, second, at = (xp.where(inner, item, 0.5) for item in (a, b, x))
        factor = xp.exp(first * xp.log(at) + second * xp.log1p(-at) - xp.where(inner, log_beta, 0.0))
        flipped = at > (first.real + 1) / (first.real + second.real + 2)
        near, far = xp.where(flipped, second, first), xp.where(flipped, first, second)
        value = factor * _beta_fraction(xp, near, far, xp.where(flipped, 1 - at, at)) / near
        value = xp.where(flipped, 1 - value, value)
        return xp.where(inner, value, xp.where(valid, xp.where(x > 0, 1.0, 0.0), xp.nan))


def _beta_fraction(xp: ArrayModule, a: Array, b: Array, x: Array) -> Array:
    c = xp.ones_like(a)
    d = 1 / (1 - (a + b) * x / (a + 1))
    value = d
    for n in range(1, _TERMS):
        even = n * (b - n) * x / ((a + 2 * n - 1) * (a + 2 * n))
        c, d, value, _ = _lentz(xp, even, 1.0, c, d, value)
        odd = -(a + n) * (a + b + n) * x / ((a + 2 * n) * (a + 2 * n + 1))
        c, d, value, change = _lentz(xp, odd, 1.0, c, d, value)
        if _is_small(xp, change, value):
            break
    return value
