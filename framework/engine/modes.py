"""Connects the engine with Cells, gradients and dumps: graph mode, `ms.grad` in graph mode, `save_graphs`."""

from __future__ import annotations

import copy
import os
from pathlib import Path
from typing import Any, Final

from framework import context
from framework.ad import gradients
from framework.engine.call.cells import CompiledCells
from framework.engine.call.compiled import Compiled
from framework.engine.compiler import set_dump
from framework.kernels import accelerated
from framework.kernels.fused import generated, load_llvm
from framework.nn import graph_mode
from framework.pynative.gradient import is_recording

__all__: list[str] = []


_DUMPS: Final = "MS_DUMP_IR"
"""The environment variable with the directory of dumps, if `save_graphs` is not set."""


def _directory() -> Path | None:
    """The directory where programs are dumped; None if they are not."""
    if context.get_context("save_graphs"):
        return Path(context.get_context("save_graphs_path"))
    named = os.environ.get(_DUMPS)
    return Path(named) if named else None


def _compiled_gradient(gradient: Any) -> Compiled | None:
    """The compiled form of a gradient or a Jacobian: in graph mode, and in any mode for a jitted function.

    None if the tape computes it.
    """
    jitted = isinstance(getattr(gradient, "function", None), Compiled)
    if (
        is_recording()
        or gradient.__dict__.get("on_the_tape")
        or not (jitted or context.get_context("mode") == context.GRAPH_MODE)
    ):
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


def _load_compilers() -> None:
    """Load the libraries that compiled programs need, oneDNN and LLVM, so that the first step need not."""
    # `is_fast` of a kernel loads the library that makes it fast.
    _, has_llvm = accelerated.convolve.is_fast, generated.is_fast
    if has_llvm:
        load_llvm()


context.set_graph_mode_preparation(_load_compilers)
graph_mode.register(CompiledCells())
set_dump(_directory)
gradients.set_compiler(_compiled_gradient)
