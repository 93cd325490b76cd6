"""The regularized incomplete gamma and beta functions."""

from __future__ import annotations

from types import MappingProxyType

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.kernels import special
from framework.ops.array.broadcasting import SumLike
from framework.ops.arrays import Array, ArrayModule
from framework.ops.elementwise import Binary, promoted
from framework.ops.gradients import Bprop, bprop_getters, gradient
from framework.ops.mathematics.exponential import exp, log, log1p
from framework.ops.mathematics.special_functions import digamma, lgamma
from framework.ops.needed import is_needed
from framework.ops.primitive import PrimitiveWithInfer, cached, prim_attr_register
from framework.ops.shapes import Dims, broadcast

__all__ = ["Betainc", "Igamma", "Igammac", "igamma", "igammac"]

_sum_like = SumLike()


class Igamma(Binary):
    """The regularized lower incomplete gamma function: the integral of t^(a - 1) exp(-t) from 0 to x, over gamma(a).

    It is the distribution function of a gamma distribution: 0 at x = 0 and 1 at infinity. It is NaN for an a that is
    not above 0 and for an x below 0.

    Inputs: a and x, tensors of a floating-point type whose shapes broadcast. Output: a tensor of the broadcast shape.

    Example:
        >>> print(ops.Igamma()(Tensor([1.0, 2.0]), Tensor([1.0, 1.0])).asnumpy().round(4))
        [0.6321 0.2642]
    """

    arguments = ("input", "other")
    takes = MappingProxyType({0: mstype.float_type, 1: mstype.float_type})

    def of_same(self, xp: ArrayModule, x: Array, y: Array) -> Array:
        return special.igamma(xp, x, y)


class Igammac(Igamma):
    """The regularized upper incomplete gamma function: 1 - igamma(a, x), exact where that is small.

    Inputs: a and x, tensors of a floating-point type whose shapes broadcast. Output: a tensor of the broadcast shape.

    Example:
        >>> print(ops.Igammac()(Tensor([1.0, 2.0]), Tensor([1.0, 1.0])).asnumpy().round(4))
        [0.3679 0.7358]
    """

    def of_same(self, xp: ArrayModule, x: Array, y: Array) -> Array:
        return special.igammac(xp, x, y)


class IgammaSlope(Igamma):
    """The derivative of `Igamma` with respect to a.

    Args:
        order: 1, or 2 for the second derivative.
    """

    @prim_attr_register
    def __init__(self, order: int) -> None:
        self.init_prim_io_names(inputs=["a", "x"], outputs=["output"])

    def of_same(self, xp: ArrayModule, x: Array, y: Array) -> Array:
        return special.igamma_slope(xp, x, y, self.order)


igamma_operator = Igamma()
igammac_operator = Igammac()
_igamma_slope = IgammaSlope(1)


def igamma(input: Tensor, other: Tensor) -> Tensor:
    """The regularized lower incomplete gamma function: the integral of t^(a - 1) exp(-t) from 0 to x, over gamma(a).

    Args:
        input: a, a tensor of a floating-point type with elements above 0.
        other: x, a tensor of the same type with elements of at least 0, whose shape broadcasts with that of a.

    Returns:
        A tensor of the broadcast shape, with elements from 0 to 1.

    Example:
        >>> print(ops.igamma(Tensor([1.0, 2.0]), Tensor([1.0, 1.0])).asnumpy().round(4))
        [0.6321 0.2642]

    """
    return igamma_operator(input, other)


def igammac(input: Tensor, other: Tensor) -> Tensor:
    """The regularized upper incomplete gamma function: 1 - igamma(a, x), exact where that is small.

    Args:
        input: a, a tensor of a floating-point type with elements above 0.
        other: x, a tensor of the same type with elements of at least 0, whose shape broadcasts with that of a.

    Returns:
        A tensor of the broadcast shape, with elements from 0 to 1.

    Example:
        >>> print(ops.igammac(Tensor([1.0, 2.0]), Tensor([1.0, 1.0])).asnumpy().round(4))
        [0.3679 0.7358]

    """
    return igammac_operator(input, other)


def _density(a: Tensor, x: Tensor) -> Tensor:
    """The derivative of the lower function with respect to x."""
    return exp((a - 1.0) * log(x) - x - lgamma(a))


@gradient(Igamma)
def igamma_gradient(a: Tensor, x: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor | None, ...]:
    """x^(a - 1) exp(-x) / gamma(a) by x; by a an operator of its own."""
    by_a = _sum_like(dout * _igamma_slope(a, x), a) if is_needed(a) else None
    return by_a, _sum_like(dout * _density(a, x), x)


@gradient(Igammac)
def igammac_gradient(a: Tensor, x: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor | None, ...]:
    """Minus the derivatives of the lower function."""
    by_a = _sum_like(-dout * _igamma_slope(a, x), a) if is_needed(a) else None
    return by_a, _sum_like(-dout * _density(a, x), x)


class Betainc(PrimitiveWithInfer):
    """The regularized incomplete beta function: the part of the beta distribution with a and b from 0 to x.

    It is the integral of t^(a - 1) (1 - t)^(b - 1) from 0 to x, divided by that from 0 to 1. It is NaN where a or b is
    not above 0 and where x is not from 0 to 1. The gradient is with respect to all inputs (MindSpore's is 0 for a and
    b).

    Inputs: a, b and x, tensors of one floating-point type whose shapes broadcast. Output: a tensor of the broadcast
    shape.

    Example:
        >>> print(ops.Betainc()(Tensor([1.0, 2.0]), Tensor([1.0, 3.0]), Tensor([0.3, 0.5])).asnumpy().round(4))
        [0.3    0.6875]
    """

    takes = MappingProxyType(dict.fromkeys(range(3), mstype.float_type))
    promotes = True
    fresh = True

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["a", "b", "x"], outputs=["output"])

    def infer_shape(self, a: Dims, b: Dims, x: Dims) -> Dims:
        return broadcast(broadcast(a, b), x)

    def infer_dtype(self, a: DType, b: DType, x: DType) -> DType:
        both = mstype.result_type(a, b)
        return mstype.result_type(both, x)

    def compute(self, xp: ArrayModule, a: Array, b: Array, x: Array) -> Array:
        return special.betainc(xp, *promoted(xp, a, b, x))


class BetaincSlope(Betainc):
    """A derivative of `Betainc`.

    Args:
        by_a: the order with respect to a.
        by_b: the order with respect to b; both are 1 or 2 in sum.
    """

    @prim_attr_register
    def __init__(self, by_a: int, by_b: int) -> None:
        self.init_prim_io_names(inputs=["a", "b", "x"], outputs=["output"])

    def compute(self, xp: ArrayModule, a: Array, b: Array, x: Array) -> Array:
        first, second, at = promoted(xp, a, b, x)
        return special.betainc_slope(xp, first, second, at, (self.by_a, self.by_b))


def _beta_density(a: Tensor, b: Tensor, x: Tensor) -> Tensor:
    """The derivative of `Betainc` with respect to x."""
    log_beta = lgamma(a) + lgamma(b) - lgamma(a + b)
    return exp((a - 1.0) * log(x) + (b - 1.0) * log1p(-x) - log_beta)


@bprop_getters.register(Betainc)
def get_bprop_betainc(self: Betainc) -> Bprop:
    """x^(a - 1) (1 - x)^(b - 1) / beta(a, b) by x; by a and b operators of their own."""
    by_first, by_second = cached(BetaincSlope, 1, 0), cached(BetaincSlope, 0, 1)

    def bprop(a: Tensor, b: Tensor, x: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor | None, ...]:
        density = _beta_density(a, b, x)
        by_a = _sum_like(dout * by_first(a, b, x), a) if is_needed(a) else None
        by_b = _sum_like(dout * by_second(a, b, x), b) if is_needed(b) else None
        return by_a, by_b, _sum_like(dout * density, x)

    return bprop


@bprop_getters.register(IgammaSlope)
def get_bprop_igamma_slope(self: IgammaSlope) -> Bprop:
    """By x the derivative of the density by a; by a the next order, of which there are two."""
    if self.order > 1:
        raise NotImplementedError("igamma has no third derivative with respect to a: use ops.stop_gradient")
    second = cached(IgammaSlope, 2)

    def bprop(a: Tensor, x: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor | None, ...]:
        by_a = _sum_like(dout * second(a, x), a) if is_needed(a) else None
        return by_a, _sum_like(dout * _density(a, x) * (log(x) - digamma(a)), x)

    return bprop


@bprop_getters.register(BetaincSlope)
def get_bprop_betainc_slope(self: BetaincSlope) -> Bprop:
    """By x the derivative of the density by a or b; by a and b the next order, of which there are two."""
    orders = (self.by_a, self.by_b)
    if sum(orders) > 1:
        raise NotImplementedError("Betainc has no third derivative with respect to a and b: use ops.stop_gradient")
    more_a, more_b = cached(BetaincSlope, orders[0] + 1, orders[1]), cached(BetaincSlope, orders[0], orders[1] + 1)
    by_a = orders[0] == 1

    def bprop(a: Tensor, b: Tensor, x: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor | None, ...]:
        change = log(x) - digamma(a) if by_a else log1p(-x) - digamma(b)
        by_x = dout * _beta_density(a, b, x) * (change + digamma(a + b))
        slope_a = _sum_like(dout * more_a(a, b, x), a) if is_needed(a) else None
        slope_b = _sum_like(dout * more_b(a, b, x), b) if is_needed(b) else None
        return slope_a, slope_b, _sum_like(by_x, x)

    return bprop
