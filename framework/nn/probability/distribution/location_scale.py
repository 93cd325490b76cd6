"""Distributions with a location and a scale."""

from __future__ import annotations

import math
from typing import Any

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.nn.probability.distribution.distribution import Distribution
from framework.nn.probability.distribution.parameters import Given, check_greater_zero
from framework.nn.probability.distribution.sampling import standard_normal_numbers, uniform_numbers
from framework.ops.activation.sigmoids import sigmoid, softplus
from framework.ops.array.casting import cast
from framework.ops.array.properties import shape as shape_of
from framework.ops.comparison import greater_equal
from framework.ops.constexpr import constexpr
from framework.ops.mathematics.exponential import exp, expm1, log, log1p, square
from framework.ops.mathematics.rounding import abs as absolute
from framework.ops.mathematics.special_functions import erf, erfc, lgamma
from framework.ops.mathematics.trigonometry import atan, tan

__all__ = ["Cauchy", "HalfNormal", "Laplace", "Logistic", "Normal", "StudentT"]

_HALF_LOG_TWO_PI = 0.5 * math.log(2 * math.pi)
_ROOT_OF_TWO = math.sqrt(2)


class Normal(Distribution):
    """Normal distributions, with density exp(-((x - mean) / sd)^2 / 2) / (sd sqrt(2 pi)).

    Args:
        mean: means: a number, a list, an array or a tensor; None if each call gives them.
        sd: standard deviations above 0, which broadcast with the means; None if each call gives them.
        seed: seed of samples; None for the global random stream.
        dtype: element type of events, a floating-point type.
        name: a name for messages.

    Raises:
        ValueError: a standard deviation is not above 0, or the shapes do not broadcast.
        TypeError: the element type is no floating-point type.

    Example:
        >>> from framework.nn.probability import distribution as msd
        >>> normal = msd.Normal(0.0, 1.0)
        >>> print(normal.cdf(Tensor([0.0, 1.0])).asnumpy().round(4), normal.sample((2, 3)).shape)
        [0.5    0.8413] (2, 3)
        >>> print(normal.kl_loss("Normal", Tensor(1.0), Tensor(1.0)))
        0.5

    """

    kind = "Normal"

    def __init__(
        self,
        mean: Given = None,
        sd: Given = None,
        seed: int | None = None,
        dtype: DType = mstype.float32,
        name: str = "Normal",
    ) -> None:
        self._mean_value, self._sd_value = self._made_with(seed, dtype, name, mean=mean, sd=sd)
        check_greater_zero(self._sd_value, "standard deviation")

    def _mean(self, mean: Tensor, sd: Tensor) -> Tensor:
        return mean

    def _mode(self, mean: Tensor, sd: Tensor) -> Tensor:
        return mean

    def _sd(self, mean: Tensor, sd: Tensor) -> Tensor:
        return sd

    def _entropy(self, mean: Tensor, sd: Tensor) -> Any:
        return log(sd) + (_HALF_LOG_TWO_PI + 0.5)

    def _log_prob(self, value: Tensor, mean: Tensor, sd: Tensor) -> Any:
        return -0.5 * square((value - mean) / sd) - log(sd) - _HALF_LOG_TWO_PI

    def _cdf(self, value: Tensor, mean: Tensor, sd: Tensor) -> Any:
        return 0.5 * (1.0 + erf((value - mean) / (sd * _ROOT_OF_TWO)))

    def _survival_function(self, value: Tensor, mean: Tensor, sd: Tensor) -> Any:
        return 0.5 * erfc((value - mean) / (sd * _ROOT_OF_TWO))

    def _kl_loss(self, dist: str, mean_b: Tensor, sd_b: Tensor, mean: Tensor, sd: Tensor) -> Any:
        ratio = log(sd) - log(sd_b)
        return 0.5 * square((mean - mean_b) / sd_b) + 0.5 * expm1(2.0 * ratio) - ratio

    def _sample(self, shape: tuple[int, ...], mean: Tensor, sd: Tensor) -> Tensor:
        drawn = standard_normal_numbers((*shape, *shape_of(mean)), self._seed)
        return cast(drawn * sd + mean, self._dtype)


class HalfNormal(Distribution):
    """Half normal distributions: the density of a normal distribution for values of at least 0, doubled.

    As in MindSpore the density is 0 below 0 whatever the mean is, so its integral is 1 for the mean 0 alone.

    Args:
        mean: locations: a number, a list, an array or a tensor; None if each call gives them.
        sd: scales above 0, which broadcast with the locations; None if each call gives them.
        seed: seed of samples, of which there are none.
        dtype: element type of events, a floating-point type.
        name: a name for messages.

    Raises:
        ValueError: a scale is not above 0, or the shapes do not broadcast.
        TypeError: the element type is no floating-point type.

    Example:
        >>> from framework.nn.probability import distribution as msd
        >>> print(msd.HalfNormal(0.0, 1.0).prob(Tensor([-1.0, 0.0])).asnumpy().round(4))
        [0.     0.7979]

    """

    kind = "HalfNormal"

    def __init__(
        self,
        mean: Given = None,
        sd: Given = None,
        seed: int | None = None,
        dtype: DType = mstype.float32,
        name: str = "HalfNormal",
    ) -> None:
        self._mean_value, self._sd_value = self._made_with(seed, dtype, name, mean=mean, sd=sd)
        check_greater_zero(self._sd_value, "standard deviation")

    def _prob(self, value: Tensor, mean: Tensor, sd: Tensor) -> Any:
        density = math.sqrt(2 / math.pi) / sd * exp(-0.5 * square((value - mean) / sd))
        return density * cast(greater_equal(value, 0.0), self._dtype)


class Laplace(Distribution):
    """Laplace distributions, with density exp(-|x - mean| / sd) / (2 sd).

    Args:
        mean: means: a number, a list, an array or a tensor; None if each call gives them.
        sd: scales above 0, which broadcast with the means; None if each call gives them. (The name is MindSpore's: the
            standard deviation is sqrt(2) times the scale.)
        seed: seed of samples, of which there are none.
        dtype: element type of events, a floating-point type.
        name: a name for messages.

    Raises:
        ValueError: a scale is not above 0, or the shapes do not broadcast.
        TypeError: the element type is no floating-point type.

    Example:
        >>> from framework.nn.probability import distribution as msd
        >>> print(msd.Laplace(0.0, 0.5).prob(Tensor([0.0, 1.0])).asnumpy().round(4))
        [1.     0.1353]

    """

    kind = "Laplace"

    def __init__(
        self,
        mean: Given = None,
        sd: Given = None,
        seed: int | None = None,
        dtype: DType = mstype.float32,
        name: str = "Laplace",
    ) -> None:
        self._mean_value, self._sd_value = self._made_with(seed, dtype, name, mean=mean, sd=sd)
        check_greater_zero(self._sd_value, "standard deviation")

    def _log_prob(self, value: Tensor, mean: Tensor, sd: Tensor) -> Any:
        return -absolute((value - mean) / sd) - log(2.0 * sd)


class Logistic(Distribution):
    """Logistic distributions, whose distribution function is sigmoid((x - loc) / scale).

    Args:
        loc: means: a number, a list, an array or a tensor; None if each call gives them.
        scale: scales above 0, which broadcast with the means; None if each call gives them.
        seed: seed of samples; None for the global random stream.
        dtype: element type of events, a floating-point type.
        name: a name for messages.

    Raises:
        ValueError: a scale is not above 0, or the shapes do not broadcast.
        TypeError: the element type is no floating-point type.

    Example:
        >>> from framework.nn.probability import distribution as msd
        >>> logistic = msd.Logistic(0.0, 2.0)
        >>> print(logistic.cdf(Tensor([0.0, 2.0])).asnumpy().round(4), logistic.entropy().asnumpy().round(4))
        [0.5    0.7311] 2.6931

    """

    kind = "Logistic"

    def __init__(
        self,
        loc: Given = None,
        scale: Given = None,
        seed: int | None = None,
        dtype: DType = mstype.float32,
        name: str = "Logistic",
    ) -> None:
        self.loc, self.scale = self._made_with(seed, dtype, name, loc=loc, scale=scale)
        check_greater_zero(self.scale, "scale")

    def _mean(self, loc: Tensor, scale: Tensor) -> Tensor:
        return loc

    def _mode(self, loc: Tensor, scale: Tensor) -> Tensor:
        return loc

    def _sd(self, loc: Tensor, scale: Tensor) -> Tensor:
        return scale * (math.pi / math.sqrt(3))

    def _entropy(self, loc: Tensor, scale: Tensor) -> Any:
        return log(scale) + 2.0

    def _log_prob(self, value: Tensor, loc: Tensor, scale: Tensor) -> Any:
        z = (value - loc) / scale
        return -z - 2.0 * softplus(-z) - log(scale)

    def _cdf(self, value: Tensor, loc: Tensor, scale: Tensor) -> Any:
        return sigmoid((value - loc) / scale)

    def _log_cdf(self, value: Tensor, loc: Tensor, scale: Tensor) -> Tensor:
        return -softplus((loc - value) / scale)

    def _survival_function(self, value: Tensor, loc: Tensor, scale: Tensor) -> Any:
        return sigmoid((loc - value) / scale)

    def _log_survival(self, value: Tensor, loc: Tensor, scale: Tensor) -> Tensor:
        return -softplus((value - loc) / scale)

    def _sample(self, shape: tuple[int, ...], loc: Tensor, scale: Tensor) -> Tensor:
        drawn = uniform_numbers((*shape, *shape_of(loc)), self._seed)
        return cast((log(drawn) - log1p(-drawn)) * scale + loc, self._dtype)


@constexpr
def _undefined(what: str) -> None:
    raise ValueError(f"the {what} of a Cauchy distribution is undefined: its integral does not converge")


class Cauchy(Distribution):
    """Cauchy distributions, with density 1 / (pi scale (1 + ((x - loc) / scale)^2)).

    Their mean, variance and standard deviation do not exist; asking for them raises a ValueError.

    Args:
        loc: medians: a number, a list, an array or a tensor; None if each call gives them.
        scale: scales above 0, which broadcast with the medians; None if each call gives them.
        seed: seed of samples; None for the global random stream.
        dtype: element type of events, a floating-point type.
        name: a name for messages.

    Raises:
        ValueError: a scale is not above 0, or the shapes do not broadcast.
        TypeError: the element type is no floating-point type.

    Example:
        >>> from framework.nn.probability import distribution as msd
        >>> cauchy = msd.Cauchy(0.0, 1.0)
        >>> print(cauchy.cdf(Tensor([0.0, 1.0])), cauchy.entropy().asnumpy().round(4))
        [0.5  0.75] 2.531

    """

    kind = "Cauchy"

    def __init__(
        self,
        loc: Given = None,
        scale: Given = None,
        seed: int | None = None,
        dtype: DType = mstype.float32,
        name: str = "Cauchy",
    ) -> None:
        self.loc, self.scale = self._made_with(seed, dtype, name, loc=loc, scale=scale)
        check_greater_zero(self.scale, "scale")

    def _mode(self, loc: Tensor, scale: Tensor) -> Tensor:
        return loc

    def _mean(self, loc: Tensor, scale: Tensor) -> Tensor:
        _undefined("mean")
        return loc

    def _sd(self, loc: Tensor, scale: Tensor) -> Tensor:
        _undefined("standard deviation")
        return scale

    def _var(self, loc: Tensor, scale: Tensor) -> Tensor:
        _undefined("variance")
        return scale

    def _entropy(self, loc: Tensor, scale: Tensor) -> Any:
        return log(scale) + math.log(4 * math.pi)

    def _log_prob(self, value: Tensor, loc: Tensor, scale: Tensor) -> Any:
        return -log1p(square((value - loc) / scale)) - log(math.pi * scale)

    def _cdf(self, value: Tensor, loc: Tensor, scale: Tensor) -> Any:
        return atan((value - loc) / scale) / math.pi + 0.5

    def _log_cdf(self, value: Tensor, loc: Tensor, scale: Tensor) -> Any:
        return log1p(atan((value - loc) / scale) * (2 / math.pi)) - math.log(2)

    def _kl_loss(self, dist: str, loc_b: Tensor, scale_b: Tensor, loc: Tensor, scale: Tensor) -> Any:
        total = square(scale + scale_b) + square(loc - loc_b)
        return log(total) - math.log(4) - log(scale) - log(scale_b)

    def _sample(self, shape: tuple[int, ...], loc: Tensor, scale: Tensor) -> Tensor:
        drawn = uniform_numbers((*shape, *shape_of(loc)), self._seed)
        return cast(loc + scale * tan(math.pi * (drawn - 0.5)), self._dtype)


class StudentT(Distribution):
    """Student's t distributions, with density proportional to (1 + ((x - mean) / sd)^2 / df)^(-(df + 1) / 2).

    Args:
        df: degrees of freedom above 0: a number, a list, an array or a tensor; None if each call gives them.
        mean: locations, which broadcast with the degrees of freedom; None if each call gives them.
        sd: scales above 0, which broadcast with both; None if each call gives them.
        seed: seed of samples, of which there are none.
        dtype: element type of events, a floating-point type.
        name: a name for messages.

    Raises:
        ValueError: degrees of freedom or a scale are not above 0, or the shapes do not broadcast.
        TypeError: the element type is no floating-point type.

    Example:
        >>> from framework.nn.probability import distribution as msd
        >>> print(msd.StudentT(3.0, 0.0, 1.0).prob(Tensor([0.0, 1.0])).asnumpy().round(4))
        [0.3676 0.2067]

    """

    kind = "StudentT"

    def __init__(
        self,
        df: Given = None,
        mean: Given = None,
        sd: Given = None,
        seed: int | None = None,
        dtype: DType = mstype.float32,
        name: str = "StudentT",
    ) -> None:
        made = self._made_with(seed, dtype, name, df=df, mean=mean, sd=sd)
        self._df_value, self._mean_value, self._sd_value = made
        check_greater_zero(self._df_value, "degrees of freedom")
        check_greater_zero(self._sd_value, "standard deviation")

    def _log_prob(self, value: Tensor, df: Tensor, mean: Tensor, sd: Tensor) -> Any:
        shape = -0.5 * (df + 1.0) * log1p(square((value - mean) / sd) / df)
        total = log(sd) + 0.5 * log(df) + 0.5 * math.log(math.pi)
        return shape - total - lgamma(0.5 * df) + lgamma(0.5 * (df + 1.0))
