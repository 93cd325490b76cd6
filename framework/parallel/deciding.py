"""Decides the division of each operator of a network: by the parallel mode and the search mode of the program."""

from __future__ import annotations

import logging

from framework import context
from framework.communication.worlds import WORLD, communicator
from framework.parallel.machines import get_machine
from framework.parallel.network import Network
from framework.parallel.rules.indices import Division
from framework.parallel.search import Answer, searched

__all__ = ["decided_divisions", "search_report"]

_log = logging.getLogger("framework")
#: By the rank, since several ranks may run in one process, and by the name of the program.
_answers: dict[tuple[int, str], Answer] = {}


def decided_divisions(network: Network, name: str) -> list[Division]:
    """A division for each operator of a network.

    With SEMI_AUTO_PARALLEL, operators without a strategy are divided as suits their neighbours; with AUTO_PARALLEL, by
    the setting `search_mode`. Both are the same on every rank, because they follow from the program alone.

    Args:
        network: the network; strategies of the program are in its operations.
        name: the name of the program, for the report.
    """
    mode = "sharding_propagation"
    if context.get_auto_parallel_context("parallel_mode") == context.ParallelMode.AUTO_PARALLEL:
        mode = context.get_auto_parallel_context("search_mode")
    answer = searched(network, get_machine(), mode)
    _answers[communicator(WORLD).rank, name] = answer
    _log.info("%s: %s", name, answer)
    return answer.divisions


def search_report(name: str = "") -> str:
    """What the divisions of the programs of this rank are, what they are believed to cost, and what else there was.

    Args:
        name: the name of a program; empty for all.

    Returns:
        A text: for each program its cost and its alternatives, and for each operator the numbers of its strategy.

    Example:
        >>> print(ms.parallel.search_report())
        <BLANKLINE>

    """
    own = communicator(WORLD).rank
    return "\n".join(
        f"{title}: {answer}" for (rank, title), answer in _answers.items() if rank == own and name in ("", title)
    )
