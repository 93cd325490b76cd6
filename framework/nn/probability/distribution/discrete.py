"""Distributions of integers: Bernoulli, Geometric and Poisson."""

from __future__ import annotations

import math
from typing import Any

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.nn.probability.distribution.distribution import Distribution
from framework.nn.probability.distribution.parameters import (
    Given,
    check_greater_zero,
    check_prob,
    need_tensor,
    refuse_scalars,
)
from framework.nn.probability.distribution.sampling import poisson_numbers, uniform_numbers
from framework.ops.arithmetic.binary import maximum
from framework.ops.arithmetic.binary import pow as power
from framework.ops.arithmetic.combined import clip_by_value
from framework.ops.array.casting import cast
from framework.ops.array.properties import shape as shape_of
from framework.ops.comparison import less
from framework.ops.creation.filled_like import ones_like, zeros_like
from framework.ops.indexing.selecting import where
from framework.ops.mathematics.exponential import exp, log, log1p, square
from framework.ops.mathematics.incomplete import igammac
from framework.ops.mathematics.rounding import floor
from framework.ops.mathematics.special_functions import lgamma

__all__ = ["Bernoulli", "Geometric", "Poisson"]

#: The distance of a probability from 0 and 1 whose logarithm is taken: the precision of Float32.
_EPS = 2.0**-23


class _OfIntegers(Distribution):
    """A distribution whose values are cast to the type of the parameters for computations."""

    def _as_event(self, value: Tensor) -> Tensor:
        need_tensor(value, "value")
        return cast(value, self.parameter_type)


class Bernoulli(_OfIntegers):
    """Bernoulli distributions: 1 with probability `probs`, else 0.

    Args:
        probs: probabilities above 0 and below 1: a number, a list, an array or a tensor; None if each call gives them.
        seed: seed of samples; None for the global random stream.
        dtype: element type of samples, of integers or floating-point numbers.
        name: a name for messages.

    Raises:
        ValueError: a probability is not between 0 and 1.
        TypeError: the element type is not allowed.

    Example:
        >>> from framework.nn.probability import distribution as msd
        >>> bernoulli = msd.Bernoulli(0.25)
        >>> print(bernoulli.prob(Tensor([0, 1])), bernoulli.var().asnumpy().round(4))
        [0.75 0.25] 0.1875

    """

    kind = "Bernoulli"
    also = {"probs": "probs1"}

    def __init__(
        self, probs: Given = None, seed: int | None = None, dtype: DType = mstype.int32, name: str = "Bernoulli"
    ) -> None:
        (self.probs,) = self._made_with(seed, dtype, name, integers=True, probs=probs)
        check_prob(self.probs)

    def _mean(self, probs: Tensor) -> Tensor:
        return probs

    def _mode(self, probs: Tensor) -> Tensor:
        return cast(probs > 0.5, self._dtype)

    def _var(self, probs: Tensor) -> Tensor:
        return probs * (1.0 - probs)

    def _entropy(self, probs: Tensor) -> Any:
        return -(1.0 - probs) * log1p(-probs) - probs * log(probs)

    def _log_prob(self, value: Tensor, probs: Tensor) -> Any:
        ones = clip_by_value(probs, _EPS, 1 - _EPS)
        return log(ones) * value + log1p(-ones) * (1.0 - value)

    def _cdf(self, value: Tensor, probs: Tensor) -> Tensor:
        zeros = 1.0 - probs + zeros_like(value)
        return where(floor(value) < 0.0, zeros_like(zeros), where(floor(value) < 1.0, zeros, ones_like(zeros)))

    def _kl_loss(self, dist: str, probs_b: Tensor, probs: Tensor) -> Any:
        return probs * log(probs / probs_b) + (1.0 - probs) * log((1.0 - probs) / (1.0 - probs_b))

    def _sample(self, shape: tuple[int, ...], probs: Tensor) -> Tensor:
        return cast(less(uniform_numbers((*shape, *shape_of(probs)), self._seed), probs), self._dtype)


class Geometric(_OfIntegers):
    """Geometric distributions: the number of failures before the first success, with probability p (1 - p)^n.

    Args:
        probs: probabilities p of a success, above 0 and below 1: a number, a list, an array or a tensor; None if each
            call gives them.
        seed: seed of samples; None for the global random stream.
        dtype: element type of samples, of integers or floating-point numbers.
        name: a name for messages.

    Raises:
        ValueError: a probability is not between 0 and 1.
        TypeError: the element type is not allowed.

    Example:
        >>> from framework.nn.probability import distribution as msd
        >>> geometric = msd.Geometric(0.5)
        >>> print(geometric.prob(Tensor([0, 1, 2])), geometric.mean(), geometric.cdf(Tensor(1)))
        [0.5   0.25  0.125] 1.0 0.75

    """

    kind = "Geometric"
    also = {"probs": "probs1"}

    def __init__(
        self, probs: Given = None, seed: int | None = None, dtype: DType = mstype.int32, name: str = "Geometric"
    ) -> None:
        (self.probs,) = self._made_with(seed, dtype, name, integers=True, probs=probs)
        check_prob(self.probs)

    def _mean(self, probs: Tensor) -> Tensor:
        return (1.0 - probs) / probs

    def _mode(self, probs: Tensor) -> Tensor:
        return cast(zeros_like(probs), self._dtype)

    def _var(self, probs: Tensor) -> Any:
        return (1.0 - probs) / square(probs)

    def _entropy(self, probs: Tensor) -> Any:
        return (-(1.0 - probs) * log1p(-probs) - probs * log(probs)) / probs

    def _prob(self, value: Tensor, probs: Tensor) -> Tensor:
        inside = exp(log1p(-probs) * floor(value) + log(probs))
        return where(value < 0.0, zeros_like(inside), inside)

    def _cdf(self, value: Tensor, probs: Tensor) -> Tensor:
        inside = 1.0 - power(1.0 - probs, floor(value) + 1.0)
        return where(value < 0.0, zeros_like(inside), inside)

    def _kl_loss(self, dist: str, probs_b: Tensor, probs: Tensor) -> Any:
        failure = (1.0 - probs) / probs
        return log(probs / probs_b) + failure * log((1.0 - probs) / (1.0 - probs_b))

    def _sample(self, shape: tuple[int, ...], probs: Tensor) -> Tensor:
        drawn = uniform_numbers((*shape, *shape_of(probs)), self._seed)
        return cast(floor(log(drawn) / log1p(-probs)), self._dtype)


class Poisson(_OfIntegers):
    """Poisson distributions, with probability rate^n exp(-rate) / n!.

    Between two integers the distribution function has the value at the lower one (MindSpore's rises there).

    Args:
        rate: rates above 0: a list, an array or a tensor; None if each call gives them.
        seed: seed of samples; None for the global random stream.
        dtype: element type of samples, of integers or floating-point numbers.
        name: a name for messages.

    Raises:
        ValueError: a rate is not above 0.
        TypeError: the element type is not allowed, or the rate is a single number, as in MindSpore.

    Example:
        >>> from framework.nn.probability import distribution as msd
        >>> poisson = msd.Poisson([2.0])
        >>> print(poisson.prob(Tensor([0.0, 2.0])).asnumpy().round(4), poisson.cdf(Tensor(1.0)).asnumpy().round(4))
        [0.1353 0.2707] [0.406]

    """

    kind = "Poisson"

    def __init__(
        self, rate: Given = None, seed: int | None = None, dtype: DType = mstype.float32, name: str = "Poisson"
    ) -> None:
        refuse_scalars(rate=rate)
        (self.rate,) = self._made_with(seed, dtype, name, integers=True, rate=rate)
        check_greater_zero(self.rate, "rate")

    def _mean(self, rate: Tensor) -> Tensor:
        return rate

    def _mode(self, rate: Tensor) -> Any:
        return floor(rate)

    def _var(self, rate: Tensor) -> Tensor:
        return rate

    def _log_prob(self, value: Tensor, rate: Tensor) -> Tensor:
        count = maximum(value, zeros_like(value))
        inside = log(rate) * count - lgamma(count + 1.0) - rate
        return where(value < 0.0, zeros_like(inside) - math.inf, inside)

    def _cdf(self, value: Tensor, rate: Tensor) -> Tensor:
        inside = igammac(1.0 + maximum(floor(value), zeros_like(value)), rate)
        return where(value < 0.0, zeros_like(inside), inside)

    def _sample(self, shape: tuple[int, ...], rate: Tensor) -> Tensor:
        return cast(poisson_numbers(shape, cast(rate, mstype.float32), self._seed), self._dtype)
