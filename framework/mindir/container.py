"""Reads a MindIR file of MindSpore into its message, after its size was checked; `reading_programs` calls it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from google.protobuf.message import DecodeError

from framework.ir.model_values import ModelError
from framework.onnx.limits import Limits
from summaries.schema.mind_ir_pb2 import Model

__all__ = ["read_model"]

_NEWEST_FORMAT: Final = 3


def read_model(path: Path, limits: Limits) -> Model:
    """Parse a model file.

    Args:
        path: the file.
        limits: what it may ask for.

    Raises:
        ModelError: it is too large, damaged, or of a version that cannot be read.
        OSError: it cannot be read.
    """
    size = path.stat().st_size
    if size > limits.file_bytes:
        raise ModelError(f"it has {size:,} bytes, and a model file may have {limits.file_bytes:,}")
    model = Model()
    try:
        model.ParseFromString(path.read_bytes())
    except (DecodeError, UnicodeDecodeError):
        raise ModelError("it is damaged, or its end is missing") from None
    if not model.HasField("graph"):
        raise ModelError("it has no graph: its end may be missing")
    if not model.little_endian:
        raise ModelError("it was written on a big-endian machine, and only little-endian files can be read")
    if model.mind_ir_version > _NEWEST_FORMAT:
        raise ModelError(
            f"its format has version {model.mind_ir_version}, and versions up to {_NEWEST_FORMAT} can be read"
        )
    if model.graph.map_parameter:
        names = ", ".join(item.name for item in model.graph.map_parameter[:5])
        raise ModelError(f"its parameters {names} are hash tables (MapParameter), which are not supported")
    return model
