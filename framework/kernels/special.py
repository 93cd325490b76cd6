"""Special functions that numpy lacks."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from framework.common.device import Array, ArrayModule

__all__ = [
    "ERF_PIECES", "betainc", "betainc_slope", "erf", "erfc", "erfinv", "igamma", "igamma_slope", "igammac", "lgamma",
    "polygamma",
]  # fmt: skip

# Coefficients of W. J. Cody, Rational Chebyshev Approximations for the Error Function, 1969: numerators and
# denominators, highest power first, of erf(x) / x in x * x up to 0.46875, of erfc(x) exp(x * x) in x up to 4, and of
# the remainder of its asymptotic series in 1 / (x * x) beyond.
_NEAR_NUMERATOR: Final = (
    1.85777706184603153e-1, 3.16112374387056560e0, 1.13864154151050156e2, 3.77485237685302021e2, 3.20937758913846947e3,
)  # fmt: skip
_NEAR_DENOMINATOR: Final = (
    1.0,
    2.36012909523441209e1,
    2.44024637934444173e2,
    1.28261652607737228e3,
    2.84423683343917062e3,
)
_MIDDLE_NUMERATOR: Final = (
    2.15311535474403846e-8, 5.64188496988670089e-1, 8.88314979438837594e0, 6.61191906371416295e1, 2.98635138197400131e2,
    8.81952221241769090e2, 1.71204761263407058e3, 2.05107837782607147e3, 1.23033935479799725e3,
)  # fmt: skip
_MIDDLE_DENOMINATOR: Final = (
    1.0, 1.57449261107098347e1, 1.17693950891312499e2, 5.37181101862021635e2, 1.62138957456669019e3,
    3.29079923573345963e3, 4.36261909014324716e3, 3.43936767414372164e3, 1.23033935480374942e3,
)  # fmt: skip
_FAR_NUMERATOR: Final = (
    1.63153871373020978e-2, 3.05326634961232344e-1, 3.60344899949804439e-1, 1.25781726111229246e-1,
    1.60837851487422766e-2, 6.58749161529837803e-4,
)  # fmt: skip
_FAR_DENOMINATOR: Final = (
    1.0, 2.56852019228982242e0, 1.87295284992346725e0, 5.27905102951428412e-1, 6.05183413124413191e-2,
    2.33520497626869185e-3,
)  # fmt: skip
_ROOT_OF_PI_INVERSE: Final = 0.56418958354775628695
ERF_PIECES: Final = (
    (_NEAR_NUMERATOR, _NEAR_DENOMINATOR),
    (_MIDDLE_NUMERATOR, _MIDDLE_DENOMINATOR),
    (_FAR_NUMERATOR, _FAR_DENOMINATOR),
)
"""The three quotients, for generated kernels."""


def erf(xp: ArrayModule, x: Array) -> Array:
    """The error function: 2 / sqrt(pi) times the integral of exp(-t * t) from 0 to x."""
    wide = _wide(xp, x)
    small = xp.absolute(wide) <= 0.46875
    return xp.where(small, _near(xp, wide), xp.sign(wide) * (1 - _tail(xp, xp.absolute(wide)))).astype(x.dtype)


def erfc(xp: ArrayModule, x: Array) -> Array:
    """1 - erf(x), exact where that is small."""
    wide = _wide(xp, x)
    small = xp.absolute(wide) <= 0.46875
    tail = _tail(xp, xp.absolute(wide))
    return xp.where(small, 1 - _near(xp, wide), xp.where(wide < 0, 2 - tail, tail)).astype(x.dtype)


def _wide(xp: ArrayModule, x: Array) -> Array:
    """The numbers in a type that holds the coefficients: Float16 ends before them."""
    return x.astype(xp.float32) if x.dtype == xp.float16 else x


def _near(xp: ArrayModule, x: Array) -> Array:
    square = xp.minimum(x * x, 0.25)
    return x * _quotient(_NEAR_NUMERATOR, _NEAR_DENOMINATOR, square)


def _tail(xp: ArrayModule, x: Array) -> Array:
    """erfc of numbers of at least 0.46875. The results for smaller numbers are of no use."""
    y = xp.clip(x, 0.46875, 26.0)
    middle = _quotient(_MIDDLE_NUMERATOR, _MIDDLE_DENOMINATOR, xp.minimum(y, 4.0))
    inverse = 1 / xp.square(xp.maximum(y, 4.0))
    far = (_ROOT_OF_PI_INVERSE - inverse * _quotient(_FAR_NUMERATOR, _FAR_DENOMINATOR, inverse)) / xp.maximum(y, 4.0)
    return xp.where(x > 26.0, 0.0, xp.exp(-y * y) * xp.where(y <= 4.0, middle, far))


def _quotient(numerator: tuple[float, ...], denominator: tuple[float, ...], x: Array) -> Array:
    return _polynomial(numerator, x) / _polynomial(denominator, x)


def _polynomial(coefficients: tuple[float, ...], x: Array) -> Array:
    """Horner's scheme, the highest power first."""
    highest, following, *others = coefficients
    value = highest * x + following
    for coefficient in others:
        value = value * x + coefficient
    return value


#: From here on the asymptotic series are exact to the last digits of a Float64.
_FAR: Final = 12
#: Bernoulli numbers B2, B4, ... of the series.
_BERNOULLI: Final = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6)


def lgamma(xp: ArrayModule, x: Array) -> Array:
    """log |gamma(x)|: Stirling's series (Abramowitz and Stegun 6.1.40), by recurrence and reflection below."""
    wide = x.astype(xp.float64)
    y = xp.where(wide < 0.5, 1 - wide, wide)
    product = xp.ones_like(y)
    for step in range(_FAR):
        near = y + step < _FAR
        product = xp.where(near, product * (y + step), product)
    far = y + xp.clip(xp.ceil(_FAR - y), 0, None)
    series = sum(b / (2 * n * (2 * n - 1) * far ** (2 * n - 1)) for n, b in enumerate(_BERNOULLI, 1))
    positive = (far - 0.5) * xp.log(far) - far + 0.5 * math.log(2 * math.pi) + series - xp.log(product)
    with np.errstate(all="ignore"):
        reflected = xp.log(math.pi / xp.absolute(xp.sin(math.pi * wide))) - positive
    return xp.where(wide < 0.5, reflected, positive).astype(x.dtype)


def polygamma(xp: ArrayModule, order: int, x: Array) -> Array:
    """The derivative of order `order` + 1 of log gamma(x) (Abramowitz and Stegun 6.3.18, 6.4.11, by recurrence)."""
    wide = x.astype(xp.float64)
    total, far = xp.zeros_like(wide), wide.copy()
    sign = -1.0 if order % 2 == 0 else 1.0
    steps = int(max(0, math.ceil(_FAR - float(xp.min(wide))))) if wide.size and xp.isfinite(wide).all() else _FAR
    with np.errstate(all="ignore"):
        for _ in range(steps):
            near = far < _FAR
            total = xp.where(near, total + sign * math.factorial(order) / far ** (order + 1), total)
            far = xp.where(near, far + 1, far)
        if order == 0:
            series = xp.log(far) - 0.5 / far - sum(b / (2 * n * far ** (2 * n)) for n, b in enumerate(_BERNOULLI, 1))
        else:
            series = math.factorial(order - 1) / far**order + math.factorial(order) / (2 * far ** (order + 1))
            for n, b in enumerate(_BERNOULLI, 1):
                series = series + b * math.factorial(2 * n + order - 1) / math.factorial(2 * n) / far ** (2 * n + order)
            series = sign * series
    return (total + series).astype(x.dtype)


def erfinv(xp: ArrayModule, x: Array) -> Array:
    """The number whose error function is x: Winitzki's approximation (2008), then Newton's method."""
    wide = x.astype(xp.float64)
    with np.errstate(all="ignore"):
        tail = xp.log1p(-wide * wide)
        part = 2 / (math.pi * 0.147) + tail / 2
        y = xp.sign(wide) * xp.sqrt(xp.sqrt(part * part - tail / 0.147) - part)
        for _ in range(3):
            slope = 2 / math.sqrt(math.pi) * xp.exp(-y * y)
            # Near 1 the complement has more digits than the function.
            missing = xp.where(wide < 0, erfc(xp, -y) - (1 + wide), (1 - wide) - erfc(xp, y))
            better = y - missing / slope
            y = xp.where(xp.isfinite(better), better, y)
    return xp.where(xp.absolute(wide) == 1, xp.copysign(xp.inf, wide), y).astype(x.dtype)


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
    wide, at = _together(xp, a, x)
    return _lower(xp, wide, lgamma(xp, wide), at, upper=False).astype(a.dtype)


def igammac(xp: ArrayModule, a: Array, x: Array) -> Array:
    """1 - igamma(a, x), exact where that is small."""
    wide, at = _together(xp, a, x)
    return _lower(xp, wide, lgamma(xp, wide), at, upper=True).astype(a.dtype)


def igamma_slope(xp: ArrayModule, a: Array, x: Array, order: int) -> Array:
    """The first or second derivative of igamma with respect to a."""
    wide, at = _together(xp, a, x)
    if order == 1:
        return _igamma_slope(xp, wide, at).astype(a.dtype)
    step = _DIFFERENCE * wide
    return ((_igamma_slope(xp, wide + step, at) - _igamma_slope(xp, wide - step, at)) / (2 * step)).astype(a.dtype)


def _igamma_slope(xp: ArrayModule, a: Array, x: Array) -> Array:
    log_gamma = lgamma(xp, a) + 1j * _STEP * polygamma(xp, 0, a)
    return _lower(xp, a + 1j * _STEP, log_gamma, x, upper=False).imag / _STEP


def betainc(xp: ArrayModule, a: Array, b: Array, x: Array) -> Array:
    """The integral of t^(a - 1) (1 - t)^(b - 1) from 0 to x, divided by that from 0 to 1."""
    first, second, at = _together(xp, a, b, x)
    return _beta(xp, first, second, at, _log_beta(xp, first, second)).astype(a.dtype)


def betainc_slope(xp: ArrayModule, a: Array, b: Array, x: Array, orders: tuple[int, int]) -> Array:
    """The derivative of betainc of the given orders with respect to a and to b, which are 1 or 2 in sum."""
    first, second, at = _together(xp, a, b, x)
    if sum(orders) == 1:
        return _betainc_slope(xp, first, second, at, orders[1] == 1).astype(a.dtype)
    by_second = orders[1] == 2
    step = _DIFFERENCE * (first if orders[0] else second)
    moved = (step, 0.0) if orders[0] else (0.0, step)
    above = _betainc_slope(xp, first + moved[0], second + moved[1], at, by_second or orders == (1, 1))
    below = _betainc_slope(xp, first - moved[0], second - moved[1], at, by_second or orders == (1, 1))
    return ((above - below) / (2 * step)).astype(a.dtype)


def _betainc_slope(xp: ArrayModule, a: Array, b: Array, x: Array, by_second: bool) -> Array:
    slope = polygamma(xp, 0, b if by_second else a) - polygamma(xp, 0, a + b)
    log_beta = _log_beta(xp, a, b) + 1j * _STEP * slope
    step = 1j * _STEP
    moved = (a + 0j, b + step) if by_second else (a + step, b + 0j)
    return _beta(xp, *moved, x, log_beta).imag / _STEP


def _together(xp: ArrayModule, *operands: Array) -> Any:
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
    return lgamma(xp, a) + lgamma(xp, b) - lgamma(xp, a + b)


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
