"""Recurrent networks as Cells: single steps and whole sequences."""

from framework.nn.layer.recurrent import rnn_cells, rnns
from framework.nn.layer.recurrent.rnn_cells import *  # noqa: F403
from framework.nn.layer.recurrent.rnns import *  # noqa: F403

__all__: list[str] = []
__all__ += rnn_cells.__all__
__all__ += rnns.__all__
