"""Optimizers."""

from framework.nn.optim.adam import (
    Adam,
)
from framework.nn.optim.momentum import (
    Momentum,
)
from framework.nn.optim.optimizer import (
    Optimizer,
)
from framework.nn.optim.sgd import (
    SGD,
)

__all__ = [
    "SGD",
    "Adam",
    "Momentum",
    "Optimizer",
]
