"""Special functions that numpy lacks."""

from __future__ import annotations

from typing import Any, Final

__all__ = ["erf", "erfc"]

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


def erf(xp: Any, x: Any) -> Any:
    """The error function: 2 / sqrt(pi) times the integral of exp(-t * t) from 0 to x."""
    small = xp.absolute(x) <= 0.46875
    return xp.where(small, _near(xp, x), xp.sign(x) * (1 - _tail(xp, xp.absolute(x)))).astype(x.dtype)


def erfc(xp: Any, x: Any) -> Any:
    """1 - erf(x), exact where that is small."""
    small = xp.absolute(x) <= 0.46875
    tail = _tail(xp, xp.absolute(x))
    return xp.where(small, 1 - _near(xp, x), xp.where(x < 0, 2 - tail, tail)).astype(x.dtype)


def _near(xp: Any, x: Any) -> Any:
    square = xp.minimum(x * x, 0.25)
    return x * _quotient(_NEAR_NUMERATOR, _NEAR_DENOMINATOR, square)


def _tail(xp: Any, x: Any) -> Any:
    """erfc of numbers of at least 0.46875; of smaller ones anything."""
    y = xp.clip(x, 0.46875, 26.0)
    middle = _quotient(_MIDDLE_NUMERATOR, _MIDDLE_DENOMINATOR, xp.minimum(y, 4.0))
    inverse = 1 / xp.square(xp.maximum(y, 4.0))
    far = (_ROOT_OF_PI_INVERSE - inverse * _quotient(_FAR_NUMERATOR, _FAR_DENOMINATOR, inverse)) / xp.maximum(y, 4.0)
    return xp.where(x > 26.0, 0.0, xp.exp(-y * y) * xp.where(y <= 4.0, middle, far))


def _quotient(numerator: tuple[float, ...], denominator: tuple[float, ...], x: Any) -> Any:
    above, below = numerator[0], denominator[0]
    for coefficient in numerator[1:]:
        above = above * x + coefficient
    for coefficient in denominator[1:]:
        below = below * x + coefficient
    return above / below
