"""Reads an ONNX file into its message, after its size was checked; `framework.onnx.loading` calls it."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path
from typing import Final

from google.protobuf.message import DecodeError

from framework.ir.model_values import ModelError
from framework.onnx.limits import Limits
from framework.schema.onnx_pb2 import Model

__all__ = ["NEWEST_OPSET", "OLDEST_OPSET", "opset_of", "read_model"]

OLDEST_OPSET: Final = 1
NEWEST_OPSET: Final = 28
NEWEST_IR: Final = 15
_OWN_DOMAINS: Final = ("", "ai.onnx")


def read_model(path: Path, limits: Limits) -> Model:
    """Parse a model file.

    Args:
        path: the file.
        limits: what it may ask for.

    Raises:
        FileNotFoundError: there is no such file.
        ModelError: it is too large, is no ONNX file, or ends too early.
    """
    if not path.is_file():
        similar = get_close_matches(path.name, [item.name for item in path.parent.glob("*.onnx")], 3)
        hint = f"; {path.parent} has {', '.join(similar)}" if similar else ""
        raise FileNotFoundError(f"there is no model file {path}{hint}")
    size = path.stat().st_size
    if size > limits.file_bytes:
        raise ModelError(f"it has {size:,} bytes, and a model file may have {limits.file_bytes:,}")
    model = Model()
    try:
        model.ParseFromString(path.read_bytes())
    except (DecodeError, UnicodeDecodeError):
        raise ModelError("it is no ONNX file, or its end is missing") from None
    if not model.HasField("graph") or not model.opset_import:
        raise ModelError("it is no ONNX file: it has no graph, or does not say which opset its operators are of")
    if not 1 <= model.ir_version <= NEWEST_IR:
        raise ModelError(f"its format has version {model.ir_version}, and versions up to {NEWEST_IR} can be read")
    return model


def opset_of(model: Model) -> dict[str, int]:
    """The version of each domain of operators; ONNX's own domain is the empty text.

    Raises:
        ModelError: the version of ONNX's own operators is too old, too new or missing.
    """
    opsets = {_domain(item.domain): item.version for item in model.opset_import}
    version = opsets.get("")
    if version is not None and not OLDEST_OPSET <= version <= NEWEST_OPSET:
        raise ModelError(
            f"its operators are those of opset {version}, and opsets {OLDEST_OPSET} to {NEWEST_OPSET} can be read: "
            "export or convert it to one of these"
        )
    return opsets


def _domain(name: str) -> str:
    return "" if name in _OWN_DOMAINS else name
