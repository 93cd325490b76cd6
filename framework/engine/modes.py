"""Connects the engine with Cells, gradients and dumps: graph mode, `ms.grad` in graph mode, `save_graphs`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Final

from framework import context
from framework.ad import gradients
from framework.engine.call.cells import row_of_cell, run_cell
from framework.engine.call.compiled import Compiled
from framework.engine.call.graph_cells import run_on_tape
from framework.engine.compiler import set_dump
from framework.kernels import accelerated
from framework.kernels.fused import generated, load_llvm
from framework.nn import graph_mode
from framework.pynative.gradient import is_recording

__all__: list[str] = []


_DUMPS: Final = "MS_DUMP_IR"
"""The environment variable with the directory of dumps, for programs that do not ask for them."""


def _directory() -> Path | None:
    """Where programs are dumped; None for nowhere."""
    if context.get_context("save_graphs"):
        return Path(context.get_context("save_graphs_path"))
    named = os.environ.get(_DUMPS)
    return Path(named) if named else None


def _compiled_gradient(gradient: Any) -> Any:
    """What runs a gradient or a Jacobian compiled: in graph mode, and that of a jitted function in any mode.

    None where it is taken on the tape.
    """
    jitted = isinstance(getattr(gradient, "function", None), Compiled)
    if is_recording() or not (jitted or context.get_context("mode") == context.GRAPH_MODE):
        return None
    if gradient.compiled is None:
        gradient.compiled = Compiled(gradient)
    return gradient.compiled


def _load_compilers() -> None:
    """Load the libraries that compiled programs need, oneDNN and LLVM, where the first step would load them."""
    # A kernel that is asked whether it is fast loads the library that makes it so.
    _, has_llvm = accelerated.convolve.is_fast, generated.is_fast
    if has_llvm:
        load_llvm()


context.set_graph_mode_preparation(_load_compilers)
graph_mode.set_runner(run_cell)
graph_mode.set_row_maker(row_of_cell)
graph_mode.set_tape_runner(run_on_tape)
set_dump(_directory)
gradients.set_compiler(_compiled_gradient)
