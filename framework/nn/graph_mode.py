"""Where Cells hand what the engine runs: a Cell that is called in graph mode, a program on the tape."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from framework import context

if TYPE_CHECKING:
    from framework.nn.cell import Cell

__all__ = ["on_tape", "row", "run", "set_row_maker", "set_runner", "set_tape_runner"]

TapeRunner = Callable[[Any, tuple[Any, ...]], Any]
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


_row_maker: Callable[[Cell], Callable[..., Any]] = lambda cell: cell  # noqa: E731


def set_row_maker(maker: Callable[[Cell], Callable[..., Any]]) -> None:
    """Say what is called in place of a Cell in graph mode many times in a row, while nothing changes but arguments."""
    global _row_maker
    _row_maker = maker


def row(cell: Cell) -> Callable[..., Any]:
    """What to call in place of a Cell for calls in a row, between which nothing changes but the arguments."""
    return _row_maker(cell) if context.get_context("mode") == context.GRAPH_MODE else cell


def _no_tape(graph: Any, inputs: tuple[Any, ...]) -> Any:
    raise RuntimeError(f"{graph} was run before its engine is there: import framework")


_tape_runner: TapeRunner = _no_tape


def set_tape_runner(runner: TapeRunner) -> None:
    """Say how a program runs operator by operator: `runner(graph, inputs)` returns its outputs."""
    global _tape_runner
    _tape_runner = runner


def on_tape(graph: Any, inputs: tuple[Any, ...]) -> Any:
    """Run a program operator by operator, so that the tape records each."""
    return _tape_runner(graph, inputs)
