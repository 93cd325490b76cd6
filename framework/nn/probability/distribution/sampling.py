"""The random numbers for samples of distributions."""

from __future__ import annotations

from framework.common.tensor import Tensor
from framework.ops.primitive import cached
from framework.ops.random.distributions import Gamma, Poisson
from framework.ops.random.uniform_and_normal import StandardNormal, UniformReal

__all__ = ["gamma_numbers", "poisson_numbers", "standard_normal_numbers", "uniform_numbers"]


def uniform_numbers(shape: tuple[int, ...], seed: int) -> Tensor:
    """Float32 numbers above 0 and below 1.

    `UniformReal` draws multiples of 2^-24 from 0 on. They are moved away from 0 and 1, so that logarithms are finite.
    """
    drawn: Tensor = cached(UniformReal, seed)(shape) * (1.0 - 2.0**-23) + 2.0**-25
    return drawn


def standard_normal_numbers(shape: tuple[int, ...], seed: int) -> Tensor:
    """Float32 numbers with mean 0 and variance 1."""
    drawn: Tensor = cached(StandardNormal, seed)(shape)
    return drawn


def gamma_numbers(shape: tuple[int, ...], concentration: Tensor, rate: Tensor, seed: int, which: int = 0) -> Tensor:
    """Float32 numbers from gamma distributions, of shape `shape` + that of the concentration.

    Args:
        shape: a tuple of ints.
        concentration: a tensor of numbers above 0.
        rate: a tensor of the same shape with numbers above 0.
        seed: the seed, or 0.
        which: numbers of one seed that do not depend on each other have different ones.
    """
    drawn: Tensor = cached(Gamma, seed, which if seed else 0)(shape, concentration, rate)
    return drawn


def poisson_numbers(shape: tuple[int, ...], rate: Tensor, seed: int) -> Tensor:
    """Int32 numbers from Poisson distributions, of shape `shape` + that of the rate."""
    drawn: Tensor = cached(Poisson, seed)(shape, rate)
    return drawn
