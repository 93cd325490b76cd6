"""`AutoBoost`, MindSpore's choice of faster mathematics, which only Ascend devices have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from framework.nn.cell import Cell
from framework.nn.optim.optimizer import Optimizer

__all__ = ["AutoBoost"]

_LEVELS: Final = ("O0", "O1", "O2")


class AutoBoost:
    """Stores a program's choice. No level changes results here, as on MindSpore's CPU.

    Args:
        level: "O0", "O1" or "O2"; others count as "O0".
        boost_config_dict: the choices within a level.

    """

    def __init__(self, level: str = "O0", boost_config_dict: Mapping[str, object] | str = "") -> None:
        self.level = level if level in _LEVELS else "O0"
        self.boost_config_dict = boost_config_dict

    def network_auto_process_train(self, network: Cell, optimizer: Optimizer) -> tuple[Cell, Optimizer]:
        """The network and the optimizer, unchanged."""
        return network, optimizer

    def network_auto_process_eval(self, network: Cell) -> Cell:
        """The network, unchanged."""
        return network
