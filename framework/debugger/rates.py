"""The learning rates of a training step, and their changes while it runs."""

from __future__ import annotations

import math
from collections.abc import Iterator

from debugging.contract import EditError
from framework.common import dtype as mstype
from framework.common.parameter import Parameter
from framework.common.tensor import Tensor
from framework.nn.cell import Cell
from framework.nn.optim.optimizer import Optimizer, optimizers_in
from summaries.schema import debugger_pb2 as wire

__all__ = ["rates_of", "set_rate"]


def rates_of(network: Cell) -> list[wire.LearningRate]:
    """The learning rates of a training step, and which of them can be changed."""
    return [_message(name, rate, optimizer) for name, rate, optimizer in _rates(network)]


def set_rate(network: Cell, name: str, value: float) -> tuple[str, float]:
    """Change a learning rate from the next step on; returns its name and its former value.

    Args:
        network: The whole training step.
        name: Name of the rate's Parameter, as in `rates_of`; empty if there is only one.
        value: The new value.

    Raises:
        EditError: There is no such rate, a schedule computes it, or the value is invalid.

    """
    rates = _rates(network)
    found = [(known, rate) for known, rate, _ in rates if name in ("", known)]
    if len(found) != 1:
        names = ", ".join(known for known, _, _ in rates) or "none"
        raise EditError(f"no single learning rate is called {name!r}; there are: {names}")
    known, rate = found[0]
    if isinstance(rate, Cell) or rate.ndim:
        raise EditError(f"the learning rate {name!r} is computed by a schedule, which would set it again")
    if not math.isfinite(value) or value < 0:
        raise EditError(f"a learning rate must be a number of at least 0, not {value!r}")
    before = float(rate.asnumpy())
    rate.set_data(Tensor(value, mstype.float32))
    return known, before


def _rates(network: Cell) -> list[tuple[str, Parameter | Cell, Optimizer]]:
    return [item for optimizer in optimizers_in(network) for item in _rates_of(optimizer)]


def _rates_of(optimizer: Optimizer) -> Iterator[tuple[str, Parameter | Cell, Optimizer]]:
    for place, rate in enumerate(optimizer.rates):
        numbered = "learning_rate" if place == 0 else f"learning_rate_{place}"
        yield (rate.name if isinstance(rate, Parameter) else numbered), rate, optimizer


def _message(name: str, rate: Parameter | Cell, optimizer: Optimizer) -> wire.LearningRate:
    if isinstance(rate, Cell):
        # The rate of a schedule is unknown until a step computes it.
        return wire.LearningRate(name=name, value=math.nan)
    if rate.ndim == 0:
        return wire.LearningRate(name=name, value=float(rate.asnumpy()), can_change=True)
    values = rate.asnumpy()
    step = int(optimizer.global_step.asnumpy().reshape(-1)[0])
    return wire.LearningRate(name=name, value=float(values[min(step, len(values) - 1)]))
