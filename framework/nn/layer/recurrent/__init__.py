"""Recurrent networks as Cells: single steps and whole sequences."""

from typing import TYPE_CHECKING

from framework.nn.layer.recurrent import rnn_cells, rnns
from framework.nn.layer.recurrent.rnn_cells import *  # noqa: F403
from framework.nn.layer.recurrent.rnns import *  # noqa: F403

if not TYPE_CHECKING:  # Type checkers cannot read sums of names; without them, they see every import.
    __all__ = rnn_cells.__all__ + rnns.__all__
