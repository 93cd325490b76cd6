"""Functions that processors lack, as polynomials and quotients of polynomials on all lanes at once.

The bounds of `ERRORS` hold for all numbers, also denormal ones. Infinities, NaN and the sign of zero are those of the C
library. Coefficients: S. L. Moshier, Cephes Mathematical Library 2.8 (exp, log, tanh), and W. J. Cody, Rational
Chebyshev Approximations for the Error Function, 1969.
"""

from __future__ import annotations

from typing import Final

from llvmlite import ir

from framework.kernels.fused.lanes import Lanes
from framework.kernels.special import ERF_PIECES

__all__ = ["ERRORS", "erf", "exp", "expm1", "log", "log1p", "sigmoid", "tanh"]

#: Coefficients of a numerator and of a denominator, the highest power first.
Piece = tuple[tuple[float, ...], tuple[float, ...]]

ERRORS: Final = {"Exp": 2, "Log": 2, "Tanh": 5, "Sigmoid": 3, "Erf": 8, "Expm1": 6, "Log1p": 3}
"""Largest difference from the exact value, in units of the last place of the result."""

_LOG2_E = 1.4426950408889634
#: ln 2 as a short number, whose products with small integers are exact, and the rest.
_LN_2: Final = {"float32": (0.693359375, -2.12194440e-4), "float64": (6.93145751953125e-1, 1.42860682030941723212e-6)}
#: Adding and subtracting it rounds to an integer, which its lowest bits then hold.
_ROUNDS: Final = {"float32": 12582912.0, "float64": 6755399441055744.0}
_ROUNDS_BITS: Final = {"float32": 0x4B400000, "float64": 0x4338000000000000}
_MANTISSA: Final = {"float32": 23, "float64": 52}
_BIAS: Final = {"float32": 127, "float64": 1023}
_LEAST_NORMAL: Final = {"float32": 2.0**-126, "float64": 2.0**-1022}
#: Beyond, exp is 0 or infinite.
_EXP_RANGE: Final = {"float32": (-104.5, 89.0), "float64": (-746.0, 710.0)}

_EXP_32: Final = (1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1)
_EXP_64_P: Final = (1.26177193074810590878e-4, 3.02994407707441961300e-2, 9.99999999999999999910e-1)
_EXP_64_Q: Final = (
    3.00198505138664455042e-6, 2.52448340349684104192e-3, 2.27265548208155028766e-1, 2.00000000000000000005e0,
)  # fmt: skip
_LOG_32: Final = (
    7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1, -1.6668057665e-1,
    2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1,
)  # fmt: skip
_LOG_64_P: Final = (
    1.01875663804580931796e-4, 4.97494994976747001425e-1, 4.70579119878881725854e0, 1.44989225341610930846e1,
    1.79368678507819816313e1, 7.70838733755885391666e0,
)  # fmt: skip
_LOG_64_Q: Final = (
    1.0, 1.12873587189167450590e1, 4.52279145837532221105e1, 8.29875266912776603211e1, 7.11544750618563894466e1,
    2.31251620126765340583e1,
)  # fmt: skip
#: ln 2 for the exponent of a logarithm.
_LN_2_OF_LOG: Final = (0.693359375, -2.121944400546905827679e-4)
#: Quotient of polynomials in x * x, of tanh(x) / x up to where tanh is 1 in single precision (Eigen's `ptanh`).
_TANH_32_P: Final = (
    -2.76076847742355e-16, 2.00018790482477e-13, -8.60467152213735e-11, 5.12229709037114e-08, 1.48572235717979e-05,
    6.37261928875436e-04, 4.89352455891786e-03,
)  # fmt: skip
_TANH_32_Q: Final = (1.19825839466702e-06, 1.18534705686654e-04, 2.26843463243900e-03, 4.89352518554385e-03)
_TANH_32_ENDS: Final = 7.90531110763549805
_TANH_64_P: Final = (-9.64399179425052238628e-1, -9.92877231001918586564e1, -1.61468768441708447952e3)
_TANH_64_Q: Final = (1.0, 1.12811678491632931402e2, 2.23548839060100448583e3, 4.84406305325125486048e3)


def exp(lanes: Lanes, dtype: str, x: ir.Value) -> ir.Value:
    """e to the power of x: 2^n times a polynomial of the rest, |rest| <= ln(2) / 2."""
    builder = lanes.builder
    low, high = _EXP_RANGE[dtype]
    x = lanes.larger(lanes.smaller(x, lanes.constant(dtype, high)), lanes.constant(dtype, low))
    value, shifted = _exp_of_rest(lanes, dtype, x)
    # Two factors: 2^n itself may be too large or too small where the product is not.
    n = builder.sub(lanes.bits(dtype, shifted), lanes.integer(dtype, _ROUNDS_BITS[dtype]))
    half = builder.ashr(n, lanes.integer(dtype, 1))
    value = builder.fmul(value, _power_of_two(lanes, dtype, half))
    return builder.fmul(value, _power_of_two(lanes, dtype, builder.sub(n, half)))


def _exp_of_rest(lanes: Lanes, dtype: str, x: ir.Value) -> tuple[ir.Value, ir.Value]:
    """exp(x - n ln 2), and a number whose lowest bits are n."""
    builder = lanes.builder
    rounds = lanes.constant(dtype, _ROUNDS[dtype])
    shifted = lanes.fused(dtype, x, lanes.constant(dtype, _LOG2_E), rounds)
    n = builder.fsub(shifted, rounds)
    coarse, fine = _LN_2[dtype]
    rest = lanes.fused(dtype, n, lanes.constant(dtype, -coarse), x)
    rest = lanes.fused(dtype, n, lanes.constant(dtype, -fine), rest)
    square = builder.fmul(rest, rest)
    one = lanes.constant(dtype, 1.0)
    if dtype == "float32":
        poly = lanes.polynomial(dtype, rest, _EXP_32)
        return builder.fadd(lanes.fused(dtype, poly, square, rest), one), shifted
    p = builder.fmul(rest, lanes.polynomial(dtype, square, _EXP_64_P))
    q = lanes.polynomial(dtype, square, _EXP_64_Q)
    quotient = builder.fdiv(p, builder.fsub(q, p))
    return lanes.fused(dtype, quotient, lanes.constant(dtype, 2.0), one), shifted


def _power_of_two(lanes: Lanes, dtype: str, n: ir.Value) -> ir.Value:
    biased = lanes.builder.add(n, lanes.integer(dtype, _BIAS[dtype]))
    return lanes.floats(dtype, lanes.builder.shl(biased, lanes.integer(dtype, _MANTISSA[dtype])))


def log(lanes: Lanes, dtype: str, x: ir.Value) -> ir.Value:
    """The natural logarithm: of the exponent, and of the mantissa between sqrt(1/2) and sqrt(2)."""
    builder = lanes.builder
    one = lanes.constant(dtype, 1.0)
    tiny = builder.fcmp_ordered("<", x, lanes.constant(dtype, _LEAST_NORMAL[dtype]))
    up = 2.0 ** (_MANTISSA[dtype] + 2)
    normal = builder.select(tiny, builder.fmul(x, lanes.constant(dtype, up)), x)
    bits, shift = lanes.bits(dtype, normal), lanes.integer(dtype, _MANTISSA[dtype])
    exponent = builder.sub(builder.lshr(bits, shift), lanes.integer(dtype, _BIAS[dtype] - 1))
    integers = "int32" if dtype == "float32" else "int64"
    e = lanes.converted(exponent, integers, dtype)
    e = builder.fsub(e, builder.select(tiny, lanes.constant(dtype, _MANTISSA[dtype] + 2.0), lanes.constant(dtype, 0.0)))
    mask = (1 << _MANTISSA[dtype]) - 1
    half_bits = (_BIAS[dtype] - 1) << _MANTISSA[dtype]
    fraction = builder.or_(builder.and_(bits, lanes.integer(dtype, mask)), lanes.integer(dtype, half_bits))
    m = lanes.floats(dtype, fraction)
    low = builder.fcmp_ordered("<", m, lanes.constant(dtype, 0.70710678118654752440))
    e = builder.fsub(e, builder.select(low, one, lanes.constant(dtype, 0.0)))
    m = builder.fsub(builder.fadd(m, builder.select(low, m, lanes.constant(dtype, 0.0))), one)
    value = _log_of_one_plus(lanes, dtype, m, e)
    return _log_at_the_ends(lanes, dtype, x, value)


def _log_of_one_plus(lanes: Lanes, dtype: str, m: ir.Value, e: ir.Value) -> ir.Value:
    """log(1 + m) + e ln 2."""
    builder = lanes.builder
    square = builder.fmul(m, m)
    if dtype == "float32":
        y = builder.fmul(builder.fmul(lanes.polynomial(dtype, m, _LOG_32), m), square)
    else:
        p, q = lanes.polynomial(dtype, m, _LOG_64_P), lanes.polynomial(dtype, m, _LOG_64_Q)
        y = builder.fmul(m, builder.fmul(square, builder.fdiv(p, q)))
    coarse, fine = _LN_2_OF_LOG
    y = lanes.fused(dtype, e, lanes.constant(dtype, fine), y)
    y = lanes.fused(dtype, square, lanes.constant(dtype, -0.5), y)
    return lanes.fused(dtype, e, lanes.constant(dtype, coarse), builder.fadd(m, y))


def _log_at_the_ends(lanes: Lanes, dtype: str, x: ir.Value, value: ir.Value) -> ir.Value:
    builder = lanes.builder
    zero, infinite = lanes.constant(dtype, 0.0), lanes.constant(dtype, float("inf"))
    value = builder.select(builder.fcmp_unordered(">=", x, infinite), x, value)
    value = builder.select(builder.fcmp_ordered("<", x, zero), lanes.constant(dtype, float("nan")), value)
    return builder.select(builder.fcmp_ordered("==", x, zero), lanes.constant(dtype, float("-inf")), value)


def tanh(lanes: Lanes, dtype: str, x: ir.Value) -> ir.Value:
    """The hyperbolic tangent, in the sign of x."""
    return _tanh_32(lanes, x) if dtype == "float32" else _tanh_64(lanes, x)


def _tanh_32(lanes: Lanes, x: ir.Value) -> ir.Value:
    """x times a quotient of polynomials in x * x; of tiny numbers x itself, of large ones 1 with their sign."""
    dtype, builder = "float32", lanes.builder
    bounded = lanes.smaller(x, lanes.constant(dtype, _TANH_32_ENDS))
    bounded = lanes.larger(bounded, lanes.constant(dtype, -_TANH_32_ENDS))
    square = builder.fmul(bounded, bounded)
    p = builder.fmul(bounded, lanes.polynomial(dtype, square, _TANH_32_P))
    value = builder.fdiv(p, lanes.polynomial(dtype, square, _TANH_32_Q))
    size = lanes.intrinsic("fabs", dtype, x)
    tiny = builder.fcmp_ordered("<", size, lanes.constant(dtype, 4e-4))
    large = builder.fcmp_ordered(">", size, lanes.constant(dtype, 9.01))
    one = lanes.intrinsic("copysign", dtype, lanes.constant(dtype, 1.0), x)
    return builder.select(tiny, x, builder.select(large, one, value))


def _tanh_64(lanes: Lanes, x: ir.Value) -> ir.Value:
    """x + x^3 times a quotient of polynomials near 0; 1 - 2 / (exp(2 |x|) + 1) with the sign of x elsewhere."""
    dtype, builder = "float64", lanes.builder
    size = lanes.intrinsic("fabs", dtype, x)
    square = builder.fmul(x, x)
    series = builder.fdiv(lanes.polynomial(dtype, square, _TANH_64_P), lanes.polynomial(dtype, square, _TANH_64_Q))
    near = lanes.fused(dtype, builder.fmul(series, square), size, size)
    one, two = lanes.constant(dtype, 1.0), lanes.constant(dtype, 2.0)
    far = builder.fsub(one, builder.fdiv(two, builder.fadd(exp(lanes, dtype, builder.fadd(size, size)), one)))
    value = builder.select(builder.fcmp_ordered("<", size, lanes.constant(dtype, 0.625)), near, far)
    return lanes.intrinsic("copysign", dtype, value, x)


def sigmoid(lanes: Lanes, dtype: str, x: ir.Value) -> ir.Value:
    """1 / (1 + exp(-x)), and exp(x) / (1 + exp(x)) of negative numbers, where the other would lose all digits."""
    builder = lanes.builder
    one = lanes.constant(dtype, 1.0)
    decay = exp(lanes, dtype, builder.fneg(lanes.intrinsic("fabs", dtype, x)))
    above = builder.select(builder.fcmp_ordered("<", x, lanes.constant(dtype, 0.0)), decay, one)
    return builder.fdiv(above, builder.fadd(one, decay))


def expm1(lanes: Lanes, dtype: str, x: ir.Value) -> ir.Value:
    """exp(x) - 1, by tanh where that would cancel: 2 t / (1 - t) with t = tanh(x / 2)."""
    builder = lanes.builder
    half = builder.fmul(x, lanes.constant(dtype, 0.5))
    one = lanes.constant(dtype, 1.0)
    t = tanh(lanes, dtype, half)
    near = builder.fdiv(builder.fadd(t, t), builder.fsub(one, t))
    far = builder.fsub(exp(lanes, dtype, x), one)
    is_near = builder.fcmp_ordered("<", lanes.intrinsic("fabs", dtype, x), one)
    # Denormal numbers lose a bit when they are halved.
    tiny = builder.fcmp_ordered("<", lanes.intrinsic("fabs", dtype, x), lanes.constant(dtype, 2.0**-60))
    return builder.select(tiny, x, builder.select(is_near, near, far))


def log1p(lanes: Lanes, dtype: str, x: ir.Value) -> ir.Value:
    """log(1 + x), corrected for the rounding error of the sum 1 + x (W. Kahan)."""
    builder = lanes.builder
    one, zero = lanes.constant(dtype, 1.0), lanes.constant(dtype, 0.0)
    u = builder.fadd(one, x)
    lost = builder.fsub(x, builder.fsub(u, one))
    finite = builder.fcmp_ordered("<", u, lanes.constant(dtype, float("inf")))
    positive = builder.and_(finite, builder.fcmp_ordered(">", u, zero))
    value = builder.fadd(log(lanes, dtype, u), builder.select(positive, builder.fdiv(lost, u), zero))
    is_one = builder.fcmp_ordered("==", u, one)
    return builder.select(is_one, x, value)


def erf(lanes: Lanes, dtype: str, x: ir.Value) -> ir.Value:
    """The error function in the three pieces of Cody; singles go through doubles, which costs less than it saves."""
    if dtype == "float32":
        return lanes.converted(erf(lanes, "float64", lanes.converted(x, dtype, "float64")), "float64", dtype)
    builder = lanes.builder
    size = lanes.intrinsic("fabs", dtype, x)
    square = builder.fmul(x, x)
    near, middle, far = (_quotient(lanes, dtype, piece, given) for piece, given in _pieces(lanes, dtype, size, square))
    decay = exp(lanes, dtype, builder.fneg(square))
    root = lanes.constant(dtype, 0.56418958354775628695)
    inverse = builder.fdiv(lanes.constant(dtype, 1.0), lanes.larger(square, lanes.constant(dtype, 1.0)))
    beyond = builder.fdiv(
        builder.fsub(root, builder.fmul(inverse, far)), lanes.larger(size, lanes.constant(dtype, 1.0))
    )
    tail = builder.select(builder.fcmp_ordered("<=", size, lanes.constant(dtype, 4.0)), middle, beyond)
    outer = builder.fsub(lanes.constant(dtype, 1.0), builder.fmul(decay, tail))
    # Beyond 6, nothing is left of the tail; its quotients would overflow far out.
    outer = builder.select(
        builder.fcmp_ordered(">", size, lanes.constant(dtype, 6.0)), lanes.constant(dtype, 1.0), outer
    )
    outer = lanes.intrinsic("copysign", dtype, outer, x)
    is_near = builder.fcmp_ordered("<=", size, lanes.constant(dtype, 0.46875))
    value = builder.select(is_near, builder.fmul(x, near), outer)
    return builder.select(lanes.is_nan(x), x, value)


def _pieces(lanes: Lanes, dtype: str, size: ir.Value, square: ir.Value) -> list[tuple[Piece, ir.Value]]:
    builder = lanes.builder
    bounded = lanes.smaller(size, lanes.constant(dtype, 8.0))
    inverse = builder.fdiv(lanes.constant(dtype, 1.0), lanes.larger(square, lanes.constant(dtype, 1.0)))
    near, middle, far = ERF_PIECES
    return [(near, lanes.smaller(square, lanes.constant(dtype, 0.25))), (middle, bounded), (far, inverse)]


def _quotient(lanes: Lanes, dtype: str, piece: Piece, x: ir.Value) -> ir.Value:
    numerator, denominator = piece
    return lanes.builder.fdiv(lanes.polynomial(dtype, x, numerator), lanes.polynomial(dtype, x, denominator))
