"""Probability distributions; users import this package as `msd`."""

from framework.nn.probability.distribution.categorical import Categorical
from framework.nn.probability.distribution.discrete import Bernoulli, Geometric, Poisson
from framework.nn.probability.distribution.distribution import Distribution
from framework.nn.probability.distribution.half_lines import Beta, Exponential, Gamma, Uniform
from framework.nn.probability.distribution.location_scale import (
    Cauchy,
    HalfNormal,
    Laplace,
    Logistic,
    Normal,
    StudentT,
)
from framework.nn.probability.distribution.transformed_distribution import (
    Gumbel,
    LogNormal,
    TransformedDistribution,
)

__all__ = [
    "Bernoulli",
    "Beta",
    "Categorical",
    "Cauchy",
    "Distribution",
    "Exponential",
    "Gamma",
    "Geometric",
    "Gumbel",
    "HalfNormal",
    "Laplace",
    "LogNormal",
    "Logistic",
    "Normal",
    "Poisson",
    "StudentT",
    "TransformedDistribution",
    "Uniform",
]
