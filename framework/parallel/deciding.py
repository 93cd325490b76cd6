"""Decides the division of each operator of a network: by the parallel mode and the search mode of the program."""

from __future__ import annotations

from framework.parallel.choosing import propagated
from framework.parallel.cost import Machine
from framework.parallel.network import Network
from framework.parallel.rules.indices import Division

__all__ = ["decided_divisions"]


def decided_divisions(network: Network, name: str) -> list[Division]:
    """A division for each operator of a network.

    Args:
        network: the network; strategies of the program are in its operations.
        name: the name of the program, for the report.
    """
    return propagated(network, Machine())
