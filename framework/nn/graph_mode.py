"""Graph mode as Cells see it: the interface of the engine, which compiles and runs them.

The engine is a layer above this package, so it registers its runner here (`framework.engine.modes`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn, Protocol

from framework import context

if TYPE_CHECKING:
    from framework.ir.anf import FuncGraph
    from framework.nn.cell import Cell

__all__ = ["Runner", "consecutive", "on_tape", "register", "run"]


class Runner(Protocol):
    """Runs compiled Cells, and programs that were loaded from files."""

    def run(self, cell: Cell, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Run a Cell compiled; returns its outputs."""

    def consecutive(self, cell: Cell) -> Callable[..., Any]:
        """A function for consecutive calls of a Cell, between which nothing changes but the arguments."""

    def run_on_tape(self, graph: FuncGraph, inputs: tuple[Any, ...]) -> Any:
        """Run a program operator by operator, so that the tape records each; returns its outputs."""


class _NoRunner:
    """The runner before the engine registers its own."""

    def run(self, cell: Cell, args: tuple[Any, ...], kwargs: dict[str, Any]) -> NoReturn:
        self._refuse(type(cell).__name__)

    def consecutive(self, cell: Cell) -> Cell:
        return cell

    def run_on_tape(self, graph: FuncGraph, inputs: tuple[Any, ...]) -> NoReturn:
        self._refuse(graph.name)

    def _refuse(self, name: str) -> NoReturn:
        raise RuntimeError(f"{name} was called in graph mode before the engine was loaded: import framework first")


_runner: Runner = _NoRunner()


def register(runner: Runner) -> None:
    """Set the runner of this process."""
    global _runner
    _runner = runner


def run(cell: Cell, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Run a Cell compiled."""
    return _runner.run(cell, args, kwargs)


def consecutive(cell: Cell) -> Callable[..., Any]:
    """What to call in place of a Cell for consecutive calls, between which nothing changes but the arguments."""
    return _runner.consecutive(cell) if context.get_context("mode") == context.GRAPH_MODE else cell


def on_tape(graph: FuncGraph, inputs: tuple[Any, ...]) -> Any:
    """Run a program operator by operator, so that the tape records each."""
    return _runner.run_on_tape(graph, inputs)
