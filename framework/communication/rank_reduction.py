"""How the values of several ranks are combined: sum, maximum, minimum or product, in an order that is always the same.

Floating-point sums depend on their order. This module adds in a binary tree over ranks, ((0+1)+(2+3))+..., whichever
library carries the messages, so that a training repeats itself to the bit (`set_context(deterministic="ON")`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from framework.common.device import Array

__all__ = ["REDUCTIONS", "depends_on_order", "is_deterministic", "reduced", "set_deterministic"]

#: MindSpore's names of reductions, and the numpy functions that compute them.
REDUCTIONS: Final[dict[str, Callable[..., Array]]] = {
    "sum": np.add,
    "max": np.maximum,
    "min": np.minimum,
    "prod": np.multiply,
}
_deterministic = True


def set_deterministic(wanted: bool) -> None:
    """Choose whether sums have a fixed order; otherwise the communication library chooses one."""
    global _deterministic
    _deterministic = wanted


def is_deterministic() -> bool:
    """Whether sums have a fixed order."""
    return _deterministic


def depends_on_order(op: str, kind: str, ranks: int) -> bool:
    """Whether the order of a reduction can be seen in its bits.

    Args:
        op: the name of a reduction.
        kind: numpy's letter for the kind of the elements.
        ranks: how many values are combined; the sum of two is the same in either order.
    """
    return ranks > 2 and op in ("sum", "prod") and kind in "fcV"


def reduced(op: str, values: Sequence[Array]) -> Array:
    """Combine values in a binary tree over their positions.

    Args:
        op: "sum", "max", "min" or "prod".
        values: arrays of one shape and element type, by rank; they are not changed.

    Returns:
        A new array of that shape and element type.
    """
    combine = REDUCTIONS[op]
    # The logical forms keep Bool as it is.
    if values[0].dtype == np.bool_:
        combine = np.logical_or if op in ("sum", "max") else np.logical_and
    if len(values) == 1:
        return np.array(values[0])
    level = list(values)
    while len(level) > 1:
        pairs = [combine(level[at], level[at + 1]) for at in range(0, len(level) - 1, 2)]
        level = [*pairs, level[-1]] if len(level) % 2 else pairs
    return np.asarray(level[0]).astype(values[0].dtype, copy=False)
