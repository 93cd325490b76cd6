"""`load_onnx`: reads a model file in steps, each of which checks all that the next one relies on."""

from __future__ import annotations

from pathlib import Path

import framework.onnx.operators  # noqa: F401, fills the table
from framework.ir.model_values import ModelError
from framework.onnx.cell import OnnxCell
from framework.onnx.limits import Limits
from framework.onnx.reader.file import opset_of, read_model
from framework.onnx.reader.structure import check_structure
from framework.onnx.translating import Translation

__all__ = ["load_onnx"]


def load_onnx(path: str | Path, *, max_rounds: int | None = None, limits: Limits | None = None) -> OnnxCell:
    """Read a model in ONNX's format as a Cell. It runs in both modes, and can be trained on and saved.

    The file is not trusted: everything in it is checked before memory is taken, and nothing in it is executed.

    Args:
        path: the file. Weights in files beside it are read from its folder only.
        max_rounds: the most rounds of a loop in the model; more are an error. By default there may be any number.
        limits: bounds on what the model may ask for.

    Returns:
        The Cell. Weights that are floating-point numbers are its Parameters, under their names in the file.

    Raises:
        FileNotFoundError: there is no such file.
        ModelError: the file is no sound ONNX model, or needs what is not supported; the message lists all of that.
    """
    file, bounds = Path(path), limits or Limits()
    try:
        model = read_model(file, bounds)
        opsets = opset_of(model)
        order = check_structure(model, bounds)
        translation = Translation(model, order, opsets, file, bounds, max_rounds)
    except ModelError as error:
        raise ModelError(f"{file} cannot be loaded: {error}") from error
    return OnnxCell(translation.root)
