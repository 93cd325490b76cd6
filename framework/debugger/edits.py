"""What may be changed in a training while it is debugged: the learning rate."""

from __future__ import annotations

import math
from collections.abc import Iterator

from framework.common import dtype as mstype
from framework.common.parameter import Parameter
from framework.common.tensor import Tensor
from framework.nn.cell import Cell
from framework.nn.optim.optimizer import Optimizer
from summaries.schema import debugger_pb2 as wire

__all__ = ["EditError", "rates_of", "set_rate"]


class EditError(ValueError):
    """Something cannot be changed; says why."""


def rates_of(network: Cell) -> list[wire.LearningRate]:
    """The learning rates of a training step, and which of them can be changed."""
    return [_message(name, rate, optimizer) for name, rate, optimizer in _rates(network)]


def set_rate(network: Cell, name: str, value: float) -> float:
    """Change a learning rate from the next step on; returns what it was.

    Args:
        network: the whole training step.
        name: of the rate's Parameter, as `rates_of` has it; empty where there is but one.
        value: the new one.

    Raises:
        EditError: there is no such rate, a schedule computes it, or it cannot have this value.

    """
    rates = _rates(network)
    found = [rate for known, rate, _ in rates if known == name] if name else [rate for _, rate, _ in rates]
    if len(found) != 1:
        names = ", ".join(known for known, _, _ in rates) or "none"
        raise EditError(f"there is no one learning rate {name!r}; there are: {names}")
    rate = found[0]
    if isinstance(rate, Cell) or rate.ndim:
        raise EditError(f"the learning rate {name!r} is computed by a schedule, which would set it again")
    if not math.isfinite(value) or value < 0:
        raise EditError(f"a learning rate is a number of at least 0, not {value!r}")
    before = float(rate.asnumpy())
    rate.set_data(Tensor(value, mstype.float32))
    return before


def _rates(network: Cell) -> list[tuple[str, Parameter | Cell, Optimizer]]:
    return [item for optimizer in _optimizers(network) for item in _rates_of(optimizer)]


def _optimizers(network: Cell) -> Iterator[Optimizer]:
    for _, cell in network.cells_and_names():
        if isinstance(cell, Optimizer):
            yield cell


def _rates_of(optimizer: Optimizer) -> Iterator[tuple[str, Parameter | Cell, Optimizer]]:
    for place, rate in enumerate(optimizer.rates):
        numbered = "learning_rate" if place == 0 else f"learning_rate_{place}"
        yield (rate.name if isinstance(rate, Parameter) else numbered), rate, optimizer


def _message(name: str, rate: Parameter | Cell, optimizer: Optimizer) -> wire.LearningRate:
    if isinstance(rate, Cell):
        # What a Cell computes is known to who runs it, and nobody runs it for this.
        return wire.LearningRate(name=name, value=math.nan)
    if rate.ndim == 0:
        return wire.LearningRate(name=name, value=float(rate.asnumpy()), can_change=True)
    values = rate.asnumpy()
    step = int(optimizer.global_step.asnumpy().reshape(-1)[0])
    return wire.LearningRate(name=name, value=float(values[min(step, len(values) - 1)]))
