"""Invertible functions between random numbers; users import this package as `msb`."""

from framework.nn.probability.bijector.bijector import Bijector
from framework.nn.probability.bijector.transforms import (
    Exp,
    GumbelCDF,
    Invert,
    PowerTransform,
    ScalarAffine,
    Softplus,
)

__all__ = ["Bijector", "Exp", "GumbelCDF", "Invert", "PowerTransform", "ScalarAffine", "Softplus"]
