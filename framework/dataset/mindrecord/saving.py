"""Writes the rows of a pipeline to MindRecord files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain, islice
from typing import Any, Final

import numpy as np

from framework.dataset.mindrecord.writer import FileWriter
from framework.dataset.runtime.rows import Array

__all__ = ["save_rows"]

_ROWS_AT_ONCE: Final = 1000
_TYPES: Final = {
    **dict.fromkeys(("bool", "int8", "uint8", "int16", "uint16", "int32"), "int32"),
    **dict.fromkeys(("uint32", "int64", "uint64"), "int64"),
    **dict.fromkeys(("float16", "float32"), "float32"),
    "float64": "float64",
}


def save_rows(rows: Iterable[Mapping[str, Array]], file_name: str, num_files: int) -> None:
    """Write rows.

    Args:
        rows: arrays by column; the first row says of which type and rank a column is.
        file_name: path of the file; with several files a number is added to it.
        num_files: number of files.

    Raises:
        ValueError: there is no row, or a column has no type in MindRecord.
    """
    stream = iter(rows)
    first = next(stream, None)
    if first is None:
        raise ValueError("save: there is no row to write")
    fields = {name: _field(name, value) for name, value in first.items()}
    writer = FileWriter(file_name, num_files)
    writer.add_schema(fields)
    every = chain([first], stream)
    while block := list(islice(every, _ROWS_AT_ONCE)):
        writer.write_raw_data([{name: _value(fields[name], value) for name, value in row.items()} for row in block])
    writer.commit()


def _field(name: str, value: Array) -> dict[str, Any]:
    if value.dtype.kind == "S" or (value.dtype == np.uint8 and value.ndim == 1):
        return {"type": "bytes"}
    if value.dtype.kind == "U" and value.ndim == 0:
        return {"type": "string"}
    if value.dtype.name not in _TYPES:
        raise ValueError(f"save: column {name!r} of {value.dtype} and shape {value.shape} has no type in MindRecord")
    kind = _TYPES[value.dtype.name]
    return {"type": kind} if value.ndim == 0 else {"type": kind, "shape": [-1, *value.shape[1:]]}


def _value(field: Mapping[str, Any], value: Array) -> Any:
    if field["type"] == "bytes":
        return value.tobytes()
    return value.astype(field["type"]) if "shape" in field else value.item()
