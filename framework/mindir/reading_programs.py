"""`read_program`: reads a MindIR file in steps, each of which checks all that the next one relies on."""

from __future__ import annotations

from pathlib import Path

import framework.mindir.operators  # noqa: F401, fills the table
from framework.ir.anf import FuncGraph
from framework.mindir.container import read_model
from framework.mindir.translating import Translation
from framework.onnx.limits import Limits

__all__ = ["read_program"]


def read_program(path: Path, limits: Limits | None = None) -> FuncGraph:
    """Read a model file that `mindspore.export` wrote as a program of the IR.

    The file is not trusted: everything in it is checked before memory is taken, and nothing in it is executed.

    Args:
        path: the file. Weights in files beside it are read from its folder only.
        limits: bounds on what the file may ask for.

    Returns:
        The program, for `nn.GraphCell`. Its weights are Parameters under their names in the network.

    Raises:
        ModelError: the file is damaged, or needs what is not supported; the message lists all of that.
        OSError: it cannot be read.
    """
    bounds = limits or Limits()
    return Translation(read_model(path, bounds), path, bounds).root
