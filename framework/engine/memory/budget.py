"""Enforces `set_context(max_device_memory=)`: a program that needs more memory is an error that names large values.

Called after compilation, before the program runs.
"""

from __future__ import annotations

from collections.abc import Iterable

from framework.common import budget
from framework.common.parameter import Parameter as Weight
from framework.engine.memory.plan import MemoryPlan

__all__ = ["check_budget"]

LISTED_VALUES = 5
"""The number of values that the error names."""


def check_budget(title: str, plan: MemoryPlan, weights: Iterable[Weight]) -> None:
    """Refuse a program that needs more memory than the limit.

    Args:
        title: the user's name of the program.
        plan: its memory plan.
        weights: the Parameters that it reads and writes.

    Raises:
        MemoryError: the plan and the Parameters together exceed the limit.
    """
    limit = budget.limit()
    if limit is None:
        return
    held = sum(weight.nbytes for weight in weights)
    if plan.peak + held <= limit:
        return
    # Large values with long lives are those that recomputation would free.
    values = [*plan.values.values(), *plan.unplanned.values()]
    largest = sorted(values, key=lambda value: value.nbytes * (value.end - value.begin), reverse=True)
    lines = [
        f"{title} needs {_size(plan.peak + held)} of memory, {_size(held)} of it for Parameters, and "
        f"max_device_memory is {_size(limit)}. Mark Cells with .recompute(), so that what lies within them is computed "
        "again going backward instead of kept; or take smaller batches. Large values that are kept long:",
        *(f"  {_size(one.nbytes):>10}  {one.node.full_name or one.node.operator}" for one in largest[:LISTED_VALUES]),
    ]
    raise MemoryError("\n".join(lines))


def _size(nbytes: int) -> str:
    return f"{nbytes / (1 << 20):,.1f} MB" if nbytes >= 1 << 20 else f"{nbytes / (1 << 10):,.1f} KB"
