"""Learning rates of MindSpore's optimizers: read at each step, changed where they are Parameters."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import mindspore as ms
import numpy as np
from mindspore import nn, ops

from debugging.contract import EditError

__all__ = ["Rate", "rates_of", "set_rate"]


class Rate(NamedTuple):
    """A learning rate.

    Attributes:
        name: `learning_rate`, or `learning_rate_1` and so on for further groups and optimizers.
        holder: What gives it: a Parameter, or the Cell of a schedule.
        optimizer: Whose it is.
    """

    name: str
    holder: Any
    optimizer: Any

    @property
    def parameter(self) -> Any:
        """The Parameter that holds it; None with a schedule."""
        if isinstance(self.holder, ms.Parameter):
            return self.holder
        inner = getattr(self.holder, "learning_rate", None)
        # MindSpore wraps a fixed rate in a Cell if another group has a schedule.
        return inner if isinstance(inner, ms.Parameter) and inner.ndim == 0 else None

    @property
    def value(self) -> float:
        """The rate of the next step; NaN if a schedule of the user's cannot tell."""
        if isinstance(self.holder, int | float):
            return float(self.holder)
        if self.parameter is not None:
            return float(self.parameter.asnumpy())
        listed = getattr(self.holder, "learning_rate", None)
        step = int(self.optimizer.global_step.asnumpy().reshape(-1)[0])
        if isinstance(listed, ms.Parameter):
            values = listed.asnumpy()
            return float(values[min(step, len(values) - 1)])
        try:
            # Not a call of the Cell, which graph mode would compile.
            found = self.holder.construct(ms.Tensor([step], ms.int32))
            return float(np.asarray(found.asnumpy()).reshape(-1)[0])
        except Exception:
            return math.nan


def rates_of(optimizers: list[Any]) -> list[Rate]:
    """The learning rate of each group of each optimizer."""
    holders: list[tuple[Any, Any]] = []
    for optimizer in optimizers:
        held: Any = getattr(optimizer, "learning_rate", None)
        if hasattr(optimizer, "param_groups"):
            held = [group["lr"] for group in optimizer.param_groups]
        if isinstance(held, list | tuple | nn.CellList):
            # Weights of one group share what holds their rate.
            holders += [(one, optimizer) for one in {id(one): one for one in held}.values()]
        elif held is not None:
            holders.append((held, optimizer))
    names = ["learning_rate", *(f"learning_rate_{place}" for place in range(1, len(holders)))]
    return [Rate(name, holder, optimizer) for name, (holder, optimizer) in zip(names, holders, strict=False)]


def set_rate(rates: list[Rate], name: str, value: float) -> tuple[str, float]:
    """Change a rate from the next step on; returns its name and its former value.

    Raises:
        EditError: it cannot be changed.
    """
    found = [rate for rate in rates if name in ("", rate.name)]
    if len(found) != 1:
        known = ", ".join(rate.name for rate in rates) or "none"
        raise EditError(f"no single learning rate is called {name!r}; there are: {known}")
    if not math.isfinite(value) or value < 0:
        raise EditError(f"a learning rate must be a number of at least 0, not {value!r}")
    (rate,) = found
    if rate.parameter is None:
        kind = type(rate.holder).__name__.lstrip("_")
        raise EditError(f"the schedule {kind} computes this learning rate from the step: only a fixed one can change")
    before = rate.value
    ops.assign(rate.parameter, ms.Tensor(value, rate.parameter.dtype))
    return rate.name, before
