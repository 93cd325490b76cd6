"""Probability: distributions and bijectors. Users import `framework.nn.probability` as `msp`."""

from framework.nn.probability import bijector as bijector
from framework.nn.probability import distribution as distribution
