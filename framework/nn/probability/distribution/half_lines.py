"""Distributions on half a line, or on an interval: Exponential, Gamma, Beta and Uniform."""

from __future__ import annotations

import math
from typing import Any

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.nn.probability.distribution.distribution import Distribution
from framework.nn.probability.distribution.parameters import (
    Given,
    check_greater,
    check_greater_zero,
    refuse_scalars,
)
from framework.nn.probability.distribution.sampling import gamma_numbers, uniform_numbers
from framework.ops.array.casting import cast
from framework.ops.array.properties import shape as shape_of
from framework.ops.comparison import logical_and
from framework.ops.creation.filled_like import ones_like, zeros_like
from framework.ops.indexing.selecting import where
from framework.ops.mathematics.exponential import expm1, log, log1p, sqrt, square
from framework.ops.mathematics.incomplete import igamma, igammac
from framework.ops.mathematics.special_functions import digamma, lgamma

__all__ = ["Beta", "Exponential", "Gamma", "Uniform"]


class Exponential(Distribution):
    """Exponential distributions, with density rate exp(-rate x) for x of at least 0.

    Args:
        rate: rates above 0: a number, a list, an array or a tensor; None if each call gives them.
        seed: seed of samples; None for the global random stream.
        dtype: element type of events, a floating-point type.
        name: a name for messages.

    Raises:
        ValueError: a rate is not above 0.
        TypeError: the element type is no floating-point type.

    Example:
        >>> from framework.nn.probability import distribution as msd
        >>> exponential = msd.Exponential([0.5, 2.0])
        >>> print(exponential.mean(), exponential.cdf(Tensor([-1.0, 1.0])).asnumpy().round(4))
        [2.  0.5] [0.     0.8647]

    """

    kind = "Exponential"

    def __init__(
        self, rate: Given = None, seed: int | None = None, dtype: DType = mstype.float32, name: str = "Exponential"
    ) -> None:
        (self.rate,) = self._made_with(seed, dtype, name, rate=rate)
        check_greater_zero(self.rate, "rate")

    def _mean(self, rate: Tensor) -> Tensor:
        return 1.0 / rate

    def _mode(self, rate: Tensor) -> Tensor:
        return cast(zeros_like(rate), self._dtype)

    def _sd(self, rate: Tensor) -> Tensor:
        return 1.0 / rate

    def _entropy(self, rate: Tensor) -> Any:
        return 1.0 - log(rate)

    def _log_prob(self, value: Tensor, rate: Tensor) -> Tensor:
        inside = log(rate) - rate * value
        return where(value < 0.0, zeros_like(inside) - math.inf, inside)

    def _cdf(self, value: Tensor, rate: Tensor) -> Tensor:
        inside = -expm1(-rate * value)
        return where(value < 0.0, zeros_like(inside), inside)

    def _log_survival(self, value: Tensor, rate: Tensor) -> Tensor:
        inside = -rate * value
        return where(value < 0.0, zeros_like(inside), inside)

    def _kl_loss(self, dist: str, rate_b: Tensor, rate: Tensor) -> Any:
        return log(rate) - log(rate_b) + rate_b / rate - 1.0

    def _sample(self, shape: tuple[int, ...], rate: Tensor) -> Tensor:
        return cast(-log(uniform_numbers((*shape, *shape_of(rate)), self._seed)) / rate, self._dtype)


class Gamma(Distribution):
    """Gamma distributions, with density rate^a / gamma(a) x^(a - 1) exp(-rate x), a the concentration.

    Args:
        concentration: concentrations above 0: a list, an array or a tensor; None if each call gives them.
        rate: rates above 0, which broadcast with them; None if each call gives them.
        seed: seed of samples; None for the global random stream.
        dtype: element type of events, a floating-point type.
        name: a name for messages.

    Raises:
        ValueError: a parameter is not above 0, or the shapes do not broadcast.
        TypeError: the element type is no floating-point type, or a parameter is a single number, as in MindSpore.

    Example:
        >>> from framework.nn.probability import distribution as msd
        >>> gamma = msd.Gamma([3.0], [2.0])
        >>> print(gamma.mean(), gamma.cdf(Tensor([1.0, 2.0])).asnumpy().round(4))
        [1.5] [0.3233 0.7619]

    """

    kind = "Gamma"

    def __init__(
        self,
        concentration: Given = None,
        rate: Given = None,
        seed: int | None = None,
        dtype: DType = mstype.float32,
        name: str = "Gamma",
    ) -> None:
        refuse_scalars(concentration=concentration, rate=rate)
        self.concentration, self.rate = self._made_with(seed, dtype, name, concentration=concentration, rate=rate)
        check_greater_zero(self.concentration, "concentration")
        check_greater_zero(self.rate, "rate")

    def _mean(self, concentration: Tensor, rate: Tensor) -> Tensor:
        return concentration / rate

    def _var(self, concentration: Tensor, rate: Tensor) -> Any:
        return concentration / square(rate)

    def _sd(self, concentration: Tensor, rate: Tensor) -> Any:
        return sqrt(concentration) / rate

    def _mode(self, concentration: Tensor, rate: Tensor) -> Tensor:
        mode = (concentration - 1.0) / rate
        return where(concentration > 1.0, mode, zeros_like(mode) + math.nan)

    def _entropy(self, concentration: Tensor, rate: Tensor) -> Any:
        return concentration - log(rate) + lgamma(concentration) + (1.0 - concentration) * digamma(concentration)

    def _log_prob(self, value: Tensor, concentration: Tensor, rate: Tensor) -> Any:
        return (concentration - 1.0) * log(value) - rate * value - lgamma(concentration) + concentration * log(rate)

    def _cdf(self, value: Tensor, concentration: Tensor, rate: Tensor) -> Tensor:
        return igamma(concentration, rate * value)

    def _survival_function(self, value: Tensor, concentration: Tensor, rate: Tensor) -> Tensor:
        return igammac(concentration, rate * value)

    def _kl_loss(self, dist: str, concentration_b: Tensor, rate_b: Tensor, concentration: Tensor, rate: Tensor) -> Any:
        shapes = (concentration - concentration_b) * digamma(concentration)
        shapes = shapes + lgamma(concentration_b) - lgamma(concentration)
        return shapes + concentration_b * (log(rate) - log(rate_b)) + concentration * (rate_b / rate - 1.0)

    def _sample(self, shape: tuple[int, ...], concentration: Tensor, rate: Tensor) -> Tensor:
        return cast(gamma_numbers(shape, concentration, rate, self._seed), self._dtype)


def _log_beta(a: Tensor, b: Tensor) -> Any:
    return lgamma(a) + lgamma(b) - lgamma(a + b)


class Beta(Distribution):
    """Beta distributions, with density proportional to x^(a - 1) (1 - x)^(b - 1) between 0 and 1.

    Args:
        concentration1: a, above 0: a list, an array or a tensor; None if each call gives it.
        concentration0: b, above 0, which broadcasts with a; None if each call gives it.
        seed: seed of samples; None for the global random stream.
        dtype: element type of events, a floating-point type.
        name: a name for messages.

    Raises:
        ValueError: a parameter is not above 0, or the shapes do not broadcast.
        TypeError: the element type is no floating-point type, or a parameter is a float, as in MindSpore.

    Example:
        >>> from framework.nn.probability import distribution as msd
        >>> beta = msd.Beta([2.0], [3.0])
        >>> print(beta.mean(), beta.prob(Tensor([0.5])).asnumpy().round(4))
        [0.4] [1.5]

    """

    kind = "Beta"

    def __init__(
        self,
        concentration1: Given = None,
        concentration0: Given = None,
        seed: int | None = None,
        dtype: DType = mstype.float32,
        name: str = "Beta",
    ) -> None:
        refuse_scalars(concentration1=concentration1, concentration0=concentration0)
        self.concentration1, self.concentration0 = self._made_with(
            seed, dtype, name, concentration1=concentration1, concentration0=concentration0
        )
        check_greater_zero(self.concentration1, "concentration1")
        check_greater_zero(self.concentration0, "concentration0")

    def _mean(self, a: Tensor, b: Tensor) -> Tensor:
        return a / (a + b)

    def _var(self, a: Tensor, b: Tensor) -> Any:
        return a * b / (square(a + b) * (a + b + 1.0))

    def _mode(self, a: Tensor, b: Tensor) -> Tensor:
        inner = logical_and(a > 1.0, b > 1.0)
        return where(inner, (a - 1.0) / (a + b - 2.0), zeros_like(a) + math.nan)

    def _entropy(self, a: Tensor, b: Tensor) -> Any:
        total = a + b
        return _log_beta(a, b) - (a - 1.0) * digamma(a) - (b - 1.0) * digamma(b) + (total - 2.0) * digamma(total)

    def _log_prob(self, value: Tensor, a: Tensor, b: Tensor) -> Any:
        return (a - 1.0) * log(value) + (b - 1.0) * log1p(-value) - _log_beta(a, b)

    def _kl_loss(self, dist: str, a_b: Tensor, b_b: Tensor, a: Tensor, b: Tensor) -> Any:
        change = digamma(a + b) * (a_b + b_b - a - b) - digamma(a) * (a_b - a) - digamma(b) * (b_b - b)
        return _log_beta(a_b, b_b) - _log_beta(a, b) + change

    def _sample(self, shape: tuple[int, ...], a: Tensor, b: Tensor) -> Tensor:
        first = gamma_numbers(shape, a, ones_like(a), self._seed)
        second = gamma_numbers(shape, b, ones_like(b), self._seed, 1)
        return cast(first / (first + second), self._dtype)


class Uniform(Distribution):
    """Uniform distributions, with density 1 / (high - low) from low to high.

    Args:
        low: lower bounds: a number, a list, an array or a tensor; None if each call gives them.
        high: upper bounds, above the lower ones, with which they broadcast; None if each call gives them.
        seed: seed of samples; None for the global random stream.
        dtype: element type of events, a floating-point type.
        name: a name for messages.

    Raises:
        ValueError: a lower bound is not below its upper bound, or the shapes do not broadcast.
        TypeError: the element type is no floating-point type.

    Example:
        >>> from framework.nn.probability import distribution as msd
        >>> uniform = msd.Uniform(0.0, 4.0)
        >>> print(uniform.prob(Tensor([-1.0, 1.0])), uniform.cdf(Tensor(1.0)), uniform.mean())
        [0.   0.25] 0.25 2.0

    """

    kind = "Uniform"

    def __init__(
        self,
        low: Given = None,
        high: Given = None,
        seed: int | None = None,
        dtype: DType = mstype.float32,
        name: str = "Uniform",
    ) -> None:
        self.low, self.high = self._made_with(seed, dtype, name, low=low, high=high)
        check_greater(self.low, self.high, "low", "high")

    def _mean(self, low: Tensor, high: Tensor) -> Tensor:
        return (low + high) / 2.0

    def _var(self, low: Tensor, high: Tensor) -> Any:
        return square(high - low) / 12.0

    def _entropy(self, low: Tensor, high: Tensor) -> Any:
        return log(high - low)

    def _prob(self, value: Tensor, low: Tensor, high: Tensor) -> Tensor:
        inside = 1.0 / (high - low) + zeros_like(value)
        return where(logical_and(value >= low, value <= high), inside, zeros_like(inside))

    def _cdf(self, value: Tensor, low: Tensor, high: Tensor) -> Tensor:
        inside = (value - low) / (high - low)
        inside = where(value < low, zeros_like(inside), inside)
        return where(value < high, inside, ones_like(inside))

    def _kl_loss(self, dist: str, low_b: Tensor, high_b: Tensor, low: Tensor, high: Tensor) -> Tensor:
        within = log(high_b - low_b) - log(high - low)
        return where(logical_and(low_b <= low, high <= high_b), within, zeros_like(within) + math.inf)

    def _sample(self, shape: tuple[int, ...], low: Tensor, high: Tensor) -> Tensor:
        drawn = uniform_numbers((*shape, *shape_of(low)), self._seed)
        return cast(low + (high - low) * drawn, self._dtype)
