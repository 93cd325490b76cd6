"""What frameworks log, as the writer takes it. Used by all integrations."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from summaries.writing.writer import SummaryWriter

__all__ = ["options_of", "write"]

_LONGEST = 500


def write(writer: SummaryWriter, values: Mapping[str, Any], step: int | None) -> list[str]:
    """Record values of a step under their names.

    Args:
        writer: Of the run.
        values: Numbers, arrays and tensors of one element, texts, or mappings of names to numbers.
        step: The step; None: numbered by the writer.

    Returns:
        The names of values that are none of these, and that are not recorded.
    """
    numbers: dict[str, Any] = {}
    left_out: list[str] = []
    for name, value in values.items():
        if isinstance(value, str):
            writer.add_text(name, value, step)
        elif isinstance(value, Mapping):
            writer.add_scalars(name, dict(value), step)
        elif isinstance(value, int | float) or getattr(value, "size", None) == 1 or _count(value) == 1:
            numbers[name] = float(value)
        else:
            left_out.append(name)
    if numbers:
        writer.add_scalars(numbers, step=step)
    return left_out


def _count(value: Any) -> int:
    """The number of elements of a tensor of PyTorch; 0 for anything else."""
    count = getattr(value, "numel", None)
    return int(count()) if callable(count) else 0


def options_of(values: Mapping[str, Any]) -> dict[str, Any]:
    """Hyper-parameters as lineage keeps them: numbers and texts; inner mappings get names with a slash."""
    found: dict[str, Any] = {}
    for name, value in values.items():
        if isinstance(value, Mapping):
            found.update((f"{name}/{inner}", item) for inner, item in options_of(value).items())
        elif isinstance(value, bool | int | float | str):
            found[str(name)] = value
        elif value is not None:
            found[str(name)] = json.dumps(value, default=str)[:_LONGEST]
    return found
