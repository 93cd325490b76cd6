"""Activations as Cells: element by element, over an axis, and by name."""

from typing import TYPE_CHECKING

from framework.nn.layer.activation import axis_wise, by_name, element_wise, rectifiers
from framework.nn.layer.activation.axis_wise import *  # noqa: F403
from framework.nn.layer.activation.by_name import *  # noqa: F403
from framework.nn.layer.activation.element_wise import *  # noqa: F403
from framework.nn.layer.activation.rectifiers import *  # noqa: F403

if not TYPE_CHECKING:  # Type checkers cannot read sums of names; without them, they see every import.
    __all__ = by_name.__all__ + element_wise.__all__ + rectifiers.__all__ + axis_wise.__all__
