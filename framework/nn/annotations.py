"""Types of arguments that layers, losses and optimizers share."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from framework.common.initializer import Initializer
from framework.common.tensor import Tensor
from framework.nn.cell import Cell

__all__ = ["Initial", "Rate", "Size"]

Size = int | tuple[int, ...]
"""A number for all dimensions, or one number for each."""

Initial = str | float | Tensor | Initializer | None
"""Initial values: the name of an initializer, a number, a Tensor or an initializer; None for the default."""

Rate = float | Sequence[float] | np.ndarray | Tensor | Cell
"""A learning rate: a number, one number per step, or a Cell that computes it from the step."""
