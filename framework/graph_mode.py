"""Graph mode for the layers below the engine: the engine's functions for Cells, gradients and settings.

The engine is a layer above them, so it registers its runner here (`framework.engine.modes`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn, Protocol

__all__ = ["Runner", "compiled", "compiled_gradient", "consecutive", "on_tape", "prepare", "register", "run"]


class Runner(Protocol):
    """Compiles and runs Cells, gradients, and programs that were loaded from files."""

    def prepare(self) -> None:
        """Load what compiled programs need. Called each time graph mode is chosen."""

    def run(self, cell: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Run a Cell compiled; returns its outputs."""

    def compile(self, cell: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Compile a Cell for such arguments, without running it."""

    def consecutive(self, cell: Any) -> Callable[..., Any]:
        """A function for consecutive calls of a Cell, between which nothing changes but the arguments."""

    def run_on_tape(self, graph: Any, inputs: tuple[Any, ...]) -> Any:
        """Run a program operator by operator, so that the tape records each; returns its outputs."""

    def compiled_gradient(self, gradient: Any) -> Callable[..., Any] | None:
        """The compiled form of a gradient or Jacobian; None if the tape computes it."""


class _NoRunner:
    """The runner before the engine registers its own."""

    def prepare(self) -> None:
        pass

    def run(self, cell: object, args: tuple[Any, ...], kwargs: dict[str, Any]) -> NoReturn:
        self._refuse(type(cell).__name__)

    def compile(self, cell: object, args: tuple[Any, ...], kwargs: dict[str, Any]) -> NoReturn:
        self._refuse(type(cell).__name__)

    def consecutive(self, cell: Callable[..., Any]) -> Callable[..., Any]:
        return cell

    def run_on_tape(self, graph: Any, inputs: tuple[Any, ...]) -> NoReturn:
        self._refuse(graph.name)

    def compiled_gradient(self, gradient: object) -> None:
        return None

    def _refuse(self, name: str) -> NoReturn:
        raise RuntimeError(f"{name} was called in graph mode before the engine was loaded: import framework first")


_runner: Runner = _NoRunner()


def register(runner: Runner) -> None:
    """Set the runner of this process."""
    global _runner
    _runner = runner


def prepare() -> None:
    """Load what compiled programs need, so that the first step need not."""
    _runner.prepare()


def run(cell: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Run a Cell compiled."""
    return _runner.run(cell, args, kwargs)


def compiled(cell: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Compile a Cell for such arguments, without running it."""
    _runner.compile(cell, args, kwargs)


def consecutive(cell: Callable[..., Any]) -> Callable[..., Any]:
    """A function for consecutive calls of a Cell, between which nothing changes but the arguments."""
    return _runner.consecutive(cell)


def on_tape(graph: object, inputs: tuple[Any, ...]) -> Any:
    """Run a program operator by operator, so that the tape records each."""
    return _runner.run_on_tape(graph, inputs)


def compiled_gradient(gradient: Callable[..., Any]) -> Callable[..., Any] | None:
    """The compiled form of a gradient or Jacobian; None if the tape computes it."""
    return _runner.compiled_gradient(gradient)
