"""Connects the engine with the layers below: Cells, gradients and settings in graph mode."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from framework import context, graph_mode
from framework.engine.call.cells import cell_programs
from framework.engine.call.compiled import Compiled
from framework.engine.call.graph_cells import run_on_tape
from framework.ir.anf import FuncGraph
from framework.ir.errors import GraphError
from framework.kernels import accelerated
from framework.kernels.fused import generated, load_llvm
from framework.nn.cell import Cell
from framework.pynative.gradient import is_recording

__all__ = ["CompiledRunner"]


class CompiledRunner:
    """The engine as the `Runner` of graph mode (`framework.graph_mode`)."""

    def prepare(self) -> None:
        """Load the libraries that compiled programs need, oneDNN and LLVM, so that the first step need not."""
        # `is_fast` of a kernel loads the library that makes it fast.
        _, has_llvm = accelerated.convolve.is_fast, generated.is_fast
        if has_llvm:
            load_llvm()

    def run(self, cell: Cell, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Run a Cell compiled. While PyNative mode records a gradient, run it line by line."""
        if is_recording():
            return cell._run(args, kwargs)
        return cell_programs(cell)(*args, **kwargs)

    def compile(self, cell: Cell, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Compile a Cell for such arguments, without running it. What only Python can run stays as it is."""
        programs = cell_programs(cell)
        try:
            programs.compile(*args, **kwargs)
        except GraphError as error:
            if not error.python_only or programs.is_strict:
                raise

    def consecutive(self, cell: Cell) -> Callable[..., Any]:
        """A function for consecutive calls of a Cell, between which nothing changes but the arguments."""
        return cell_programs(cell).consecutive()

    def run_on_tape(self, graph: FuncGraph, inputs: tuple[Any, ...]) -> Any:
        """Run a program operator by operator, so that the tape records each."""
        return run_on_tape(graph, inputs)

    def compiled_gradient(self, gradient: Any) -> Compiled | None:
        """The compiled form of a gradient or a Jacobian: in graph mode, and in any mode for a jitted function.

        None if the tape computes it.
        """
        jitted = isinstance(getattr(gradient, "function", None), Compiled)
        if is_recording() or gradient.__dict__.get("on_the_tape") or not (jitted or context.is_graph_mode()):
            return None
        compiled: Compiled | None = gradient.compiled
        if compiled is None:
            compiled = gradient.compiled = _CompiledGradient(gradient)
        return compiled


class _CompiledGradient(Compiled):
    """The compiled form of a gradient. Line by line, the tape computes it."""

    def plain(self, *args: object, **kwargs: object) -> Any:
        """Compute it on the tape."""
        taped: Any = copy.copy(self.function)
        taped.on_the_tape = True
        return taped(*args, **kwargs)


graph_mode.register(CompiledRunner())
