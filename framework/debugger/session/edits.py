"""Live edits of a training: changes the learning rate, and records the change in the run."""

from __future__ import annotations

import logging
import math
from collections.abc import Iterator

from framework.common import dtype as mstype
from framework.common.parameter import Parameter
from framework.common.tensor import Tensor
from framework.nn.cell import Cell
from framework.nn.optim.optimizer import Optimizer, optimizers_in
from summaries.schema import debugger_pb2 as wire
from summaries.writing.writer import SummaryWriter

__all__ = ["EditError", "Journal", "rates_of", "set_rate"]

_log = logging.getLogger("framework")


class EditError(ValueError):
    """A setting cannot be changed; says why."""


class Journal:
    """Records changes in the run: as `live_edit` among its events, and as `edits` in its lineage.

    Args:
        directory: Of the run; None: nothing is recorded.

    """

    def __init__(self, directory: str | None) -> None:
        self._directory = directory
        self._writer: SummaryWriter | None = None
        self._edits: list[str] = []

    def note(self, name: str, before: float, after: float, step: int) -> None:
        """Record a change; a failure to write is logged.

        Args:
            name: Of the setting.
            before: The former value.
            after: The new value.
            step: The last step with the former value.

        """
        if self._directory is None:
            return
        self._edits.append(f"{name} {before:.6g} to {after:.6g} after step {step}")
        try:
            if self._writer is None:
                self._writer = SummaryWriter(self._directory, environment=False, lazy=True)
            self._writer.add_live_edit(name, before, after, step, author="debugger")
            self._writer.add_hparams({"edits": "; ".join(self._edits)})
            self._writer.flush()
        except OSError as error:
            _log.error("The change of %s is not recorded in the run, because it cannot be written: %s", name, error)

    def close(self) -> None:
        """Close the files."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None


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
