"""Where a Cell that is called in graph mode is handed to; the engine says what happens there."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from framework.nn.cell import Cell

__all__ = ["run", "set_runner"]

Runner = Callable[["Cell", tuple[Any, ...], dict[str, Any]], Any]


def _not_there(cell: Cell, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    raise RuntimeError(f"{type(cell).__name__} was called in graph mode before its engine is there: import framework")


_runner: Runner = _not_there


def set_runner(runner: Runner) -> None:
    """Say how a Cell runs in graph mode: `runner(cell, args, kwargs)` returns its outputs."""
    global _runner
    _runner = runner


def run(cell: Cell, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Run a Cell compiled."""
    return _runner(cell, args, kwargs)
