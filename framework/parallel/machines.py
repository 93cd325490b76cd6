"""The machine that the search believes in: `set_machine` sets it, from a file or by its figures."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

from framework.parallel.cost import Machine

__all__ = ["Machine", "get_machine", "set_machine"]

_machine = Machine()


def get_machine() -> Machine:
    """The machine that the search of AUTO_PARALLEL believes in."""
    return _machine


def set_machine(machine: Machine | str | Path) -> None:
    """Say how fast a rank and its links are, for the search of AUTO_PARALLEL. All ranks must say the same.

    Args:
        machine: the figures, or a JSON file with some of `peak` (floating-point operations in a second), `memory` and
            `link` (bytes in a second) and `alpha` (seconds for each collective).

    Raises:
        ValueError: the file has another field, or a figure is not above zero.

    Example:
        >>> ms.parallel.set_machine(ms.parallel.Machine(peak=2e12, link=5e9))
        >>> print(ms.parallel.get_machine().link)
        5000000000.0
        >>> ms.parallel.set_machine(ms.parallel.Machine())

    """
    global _machine
    made = machine if isinstance(machine, Machine) else _read(Path(machine))
    for name, value in dataclasses.asdict(made).items():
        if (
            isinstance(value, bool)
            or not isinstance(value, int | float)
            or (value <= 0 and name != "alpha")
            or value < 0
        ):
            raise ValueError(f"machine: {name} must be a number above zero, not {value!r}")
    _machine = made


def _read(path: Path) -> Machine:
    fields = [item.name for item in dataclasses.fields(Machine)]
    given = json.loads(path.read_text())
    unknown = sorted(set(given) - set(fields)) if isinstance(given, dict) else [repr(given)]
    if unknown:
        raise ValueError(f"{path}: a machine has {', '.join(fields)}, not {', '.join(unknown)}")
    return Machine(**given)
