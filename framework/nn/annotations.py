"""Types of arguments that layers, losses and optimizers share."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from framework.common.initializer import Initializer
from framework.common.tensor import Tensor
from framework.nn.cell import Cell

__all__ = ["Decay", "Initial", "Rate", "Size"]

Size = int | tuple[int, ...]
"""A number for all dimensions, or one number for each."""

Initial = str | float | Tensor | Initializer | None
"""Initial values: the name of an initializer, a number, a Tensor or an initializer; None for the default."""

Rate = float | Iterable[float] | np.ndarray | Tensor | Cell
"""A learning rate: a number, one number per step, or a Cell that computes it from the step."""

Decay = float | Cell
"""A weight decay: a number, or a Cell that computes it from the step."""
