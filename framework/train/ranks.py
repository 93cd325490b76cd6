"""The begin of a training on several ranks: all ranks have the same parameters and as many steps. `Model` calls it."""

from __future__ import annotations

from framework import context
from framework.communication.data_parallel import check_alike, digest, gradient_ranks, ranks_of_cut_operators
from framework.nn.cell import Cell
from framework.nn.wrap.grad_reducer import broadcast_parameters

__all__ = ["begin_together"]


def begin_together(network: Cell, steps: int) -> None:
    """Let all ranks begin alike; does nothing unless several ranks train together.

    With the setting `parameter_broadcast`, all get the parameters of rank 0.

    Args:
        network: the training step.
        steps: the number of steps of an epoch on this rank; 0 if it is not known.

    Raises:
        ValueError: two ranks have different parameters or another number of steps; it names them.
    """
    if gradient_ranks() == ranks_of_cut_operators() == 1:
        return
    parameters = [item for item in network.get_parameters() if not item.layerwise_parallel and not item.is_cut]
    if context.get_auto_parallel_context("parameter_broadcast"):
        broadcast_parameters(parameters)
    check_alike(
        [
            ("the number of steps of an epoch", str(steps), "give each rank as much data"),
            (
                "the checksum of the parameters",
                digest([item.asnumpy() for item in parameters]),
                "call set_seed with one seed on all ranks before the network is made, or write "
                "set_auto_parallel_context(parameter_broadcast=True)",
            ),
        ]
    )
