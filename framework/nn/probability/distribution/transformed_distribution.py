"""Distributions of transformed random numbers: the general one, LogNormal and Gumbel."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.nn.probability.bijector.bijector import Bijector
from framework.nn.probability.bijector.transforms import Exp, GumbelCDF, Invert
from framework.nn.probability.distribution.distribution import Distribution
from framework.nn.probability.distribution.half_lines import Uniform
from framework.nn.probability.distribution.location_scale import Normal
from framework.nn.probability.distribution.parameters import (
    Given,
    all_scalars,
    check_made_with,
    common_shape,
    need_tensor,
)
from framework.nn.probability.distribution.sampling import uniform_numbers
from framework.ops.array.casting import cast
from framework.ops.constexpr import constexpr
from framework.ops.creation.filled_like import ones_like, zeros_like
from framework.ops.indexing.selecting import where
from framework.ops.mathematics.exponential import exp, expm1, log
from framework.ops.mathematics.special_functions import lgamma

__all__ = ["Gumbel", "LogNormal", "TransformedDistribution"]


@constexpr
def _no_mean(is_linear: bool) -> None:
    if not is_linear:
        raise ValueError("the mean of a distribution that a bijector other than a linear one transforms has no formula")


class TransformedDistribution(Distribution):
    """The distribution of g(X), for a random variable X and an increasing bijector g.

    Its functions take the parameters of the original distribution.

    Args:
        bijector: g.
        distribution: the distribution of X, of a floating-point type, with all parameters given.
        seed: seed of samples; None for that of the original distribution.
        name: a name for messages.

    Raises:
        TypeError: an argument is not of these classes, or events are no floating-point numbers.

    Example:
        >>> from framework.nn.probability import bijector as msb
        >>> from framework.nn.probability import distribution as msd
        >>> moved = msd.TransformedDistribution(msb.ScalarAffine(2.0, 1.0), msd.Normal(0.0, 1.0))
        >>> print(moved.mean(), moved.cdf(Tensor([1.0, 3.0])).asnumpy().round(4))
        1.0 [0.5    0.8413]

    """

    def __init__(
        self,
        bijector: Bijector,
        distribution: Distribution,
        seed: int | None = None,
        name: str = "transformed_distribution",
    ) -> None:
        kind = type(self).__name__
        if not isinstance(bijector, Bijector) or not isinstance(distribution, Distribution):
            raise TypeError(f"{kind} takes a bijector and a distribution, not {bijector!r} and {distribution!r}")
        if distribution.dtype not in mstype.float_type:
            raise TypeError(f"{kind}: the distribution must be of floating-point numbers, not {distribution.dtype}")
        given = {"bijector": bijector, "distribution": distribution, "seed": seed, "name": name}
        super().__init__(seed, distribution.dtype, name, given)
        self.bijector = bijector
        self.distribution = distribution
        self._is_linear_transformation = bijector.is_constant_jacobian
        self._is_scalar_batch = distribution.is_scalar_batch and bijector.is_scalar_batch
        self._batch_shape = distribution.batch_shape
        self.default_parameters = distribution.default_parameters
        self.parameter_names = distribution.parameter_names
        self.parameter_type = distribution.parameter_type
        shapes = (distribution.batch_shape, bijector.batch_shape)
        self._broadcast_shape = None if None in shapes else common_shape(*shapes)  # type: ignore[arg-type]
        if self._seed:
            distribution._seed = self._seed

    @property
    def is_linear_transformation(self) -> bool:
        """Whether the derivative of the bijector is constant."""
        return self._is_linear_transformation

    def _as_event(self, value: Tensor) -> Tensor:
        need_tensor(value, "value")
        return value

    def _cdf(self, value: Tensor, *args: Any, **kwargs: Any) -> Any:
        return self.distribution.cdf(self.bijector.inverse(value), *args)

    def _log_prob(self, value: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        inner = self.distribution.log_prob(self.bijector.inverse(value), *args)
        outside = inner == -math.inf
        moved = inner + self.bijector.inverse_log_jacobian(value)
        return where(outside, zeros_like(moved) - math.inf, moved)

    def _sample(self, shape: tuple[int, ...], *args: Any, **kwargs: Any) -> Any:
        return self.bijector.forward(self.distribution.sample(shape, *args))

    def _mean(self, *args: Any, **kwargs: Any) -> Any:
        _no_mean(self._is_linear_transformation)
        return self.bijector.forward(self.distribution.mean(*args))


class LogNormal(TransformedDistribution):
    """Log-normal distributions: of exp(X) for a normally distributed X.

    Args:
        loc: means of the normal distributions: a number, a list, an array or a tensor; None if each call gives them.
        scale: their standard deviations, above 0, which broadcast with the means; None if each call gives them.
        seed: seed of samples; 0 for the global random stream.
        dtype: element type of events, a floating-point type.
        name: a name for messages.

    Raises:
        ValueError: a standard deviation is not above 0, or the shapes do not broadcast.
        TypeError: the element type is no floating-point type.

    Example:
        >>> from framework.nn.probability import distribution as msd
        >>> log_normal = msd.LogNormal(0.0, 1.0)
        >>> print(log_normal.mean().asnumpy().round(4), log_normal.cdf(Tensor([-1.0, 1.0])))
        1.6487 [0.  0.5]

    """

    kind = "LogNormal"

    def __init__(
        self,
        loc: Given = None,
        scale: Given = None,
        seed: int | None = 0,
        dtype: DType = mstype.float32,
        name: str = "LogNormal",
    ) -> None:
        check_made_with(type(self).__name__, name, seed, dtype, mstype.float_type)
        super().__init__(Exp(), Normal(loc, scale, dtype=dtype), seed, name)
        self._reset_parameters()
        self.loc = self._add_parameter(loc, "loc")
        self.scale = self._add_parameter(scale, "scale")

    def _mean(self, loc: Tensor, scale: Tensor) -> Any:
        return exp(loc + 0.5 * scale * scale)

    def _mode(self, loc: Tensor, scale: Tensor) -> Any:
        return exp(loc - scale * scale)

    def _var(self, loc: Tensor, scale: Tensor) -> Any:
        return expm1(scale * scale) * exp(2.0 * loc + scale * scale)

    def _entropy(self, loc: Tensor, scale: Tensor) -> Any:
        return loc + log(scale) + (0.5 + 0.5 * math.log(2 * math.pi))

    def _cdf(self, value: Tensor, loc: Tensor, scale: Tensor) -> Tensor:
        above = where(value > 0.0, value, ones_like(value))
        found = self.distribution.cdf(self.bijector.inverse(above), loc, scale)
        return where(value > 0.0, found, zeros_like(found))

    def _log_prob(self, value: Tensor, loc: Tensor, scale: Tensor) -> Any:
        inner = self.distribution.log_prob(self.bijector.inverse(value), loc, scale)
        return inner + self.bijector.inverse_log_jacobian(value)

    def _kl_loss(self, dist: str, loc_b: Tensor, scale_b: Tensor, loc: Tensor, scale: Tensor) -> Any:
        return self.distribution.kl_loss("Normal", loc_b, scale_b, loc, scale)


class Gumbel(TransformedDistribution):
    """Gumbel distributions, whose distribution function is exp(-exp(-(x - loc) / scale)).

    Args:
        loc: modes: a number, a list, an array or a tensor.
        scale: scales above 0, which broadcast with the modes.
        seed: seed of samples; 0 for the global random stream.
        dtype: element type of events, a floating-point type.
        name: a name for messages.

    Raises:
        ValueError: a scale is not above 0, or the shapes do not broadcast.
        TypeError: the element type is no floating-point type.

    Example:
        >>> from framework.nn.probability import distribution as msd
        >>> gumbel = msd.Gumbel(1.0, 2.0)
        >>> print(gumbel.mean().asnumpy().round(4), gumbel.cdf(Tensor([1.0])).asnumpy().round(4))
        2.1544 [0.3679]

    """

    kind = "Gumbel"

    def __init__(
        self, loc: Given, scale: Given, seed: int | None = 0, dtype: DType = mstype.float32, name: str = "Gumbel"
    ) -> None:
        check_made_with(type(self).__name__, name, seed, dtype, mstype.float_type)
        forward = GumbelCDF(loc, scale)
        super().__init__(Invert(forward), Uniform(0.0, 1.0, dtype=dtype), seed, name)
        self._gumbel_bijector = forward
        self._reset_parameters()
        self.loc = self._add_parameter(loc, "loc")
        self.scale = self._add_parameter(scale, "scale")
        self._batch_shape = self._broadcast_shape
        self._is_scalar_batch = all_scalars({"loc": loc, "scale": scale})

    def _mean(self, loc: Tensor, scale: Tensor) -> Tensor:
        return loc + scale * np.euler_gamma

    def _mode(self, loc: Tensor, scale: Tensor) -> Tensor:
        return loc

    def _sd(self, loc: Tensor, scale: Tensor) -> Tensor:
        return scale * (math.pi / math.sqrt(6))

    def _entropy(self, loc: Tensor, scale: Tensor) -> Any:
        return log(scale) + (1.0 + np.euler_gamma)

    def _log_prob(self, value: Tensor, loc: Tensor, scale: Tensor) -> Any:
        z = (cast(value, self._dtype) - loc) / scale
        return -z - exp(-z) - log(scale)

    def _cdf(self, value: Tensor, loc: Tensor, scale: Tensor) -> Any:
        return exp(-exp((loc - cast(value, self._dtype)) / scale))

    def _kl_loss(self, dist: str, loc_b: Tensor, scale_b: Tensor, loc: Tensor, scale: Tensor) -> Any:
        ratio = scale / scale_b
        change = log(scale_b / scale) + np.euler_gamma * (ratio - 1.0) + (loc - loc_b) / scale_b
        return change + expm1((loc_b - loc) / scale_b + lgamma(ratio + 1.0))

    def _sample(self, shape: tuple[int, ...], *args: Any, **kwargs: Any) -> Tensor:
        loc, scale = args
        drawn = uniform_numbers((*shape, *loc.shape), self._seed)
        return cast(loc - scale * log(-log(drawn)), self._dtype)


def _transformed(bijector: Bijector, distribution: Distribution) -> TransformedDistribution:
    return TransformedDistribution(bijector, distribution)


# A bijector that is called on a distribution makes one; it is defined before distributions are.
Bijector.on_distribution = staticmethod(_transformed)
