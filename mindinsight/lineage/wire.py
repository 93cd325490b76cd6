"""A table as bytes: a header with its description, and the arrays of its columns. `api.md` describes the format.

Called by `api/table.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import orjson

from mindinsight.api.json_numbers import json_number
from mindinsight.lineage.columns import CategoryColumn, Column, Whole
from mindinsight.lineage.table import LineageTable

_ALIGNED = 8
_TYPES = {"float64": "f64", "uint8": "u8", "uint16": "u16", "uint32": "u32"}


class _Arrays:
    """The data after the header. Each array begins at a multiple of 8."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.length = 0

    def add(self, array: npt.NDArray[Any]) -> dict[str, Any]:
        """Adds an array and returns its position."""
        place = {"offset": self.length, "count": len(array)}
        data = array.astype(array.dtype.newbyteorder("<"), copy=False).tobytes()
        padded = data + bytes(-len(data) % _ALIGNED)
        self.parts.append(padded)
        self.length += len(padded)
        return place


def encode(table: LineageTable, facts: Mapping[str, Any]) -> bytes:
    """Returns a table as bytes.

    Args:
        table: the table.
        facts: further fields of the header.
    """
    arrays = _Arrays()
    columns = [_numbers_of_runs(table.runs, arrays), *(_column(column, arrays) for column in table.columns)]
    header = {**facts, "runs": len(table.runs), "columns": columns, "left_out": table.left_out}
    text = orjson.dumps(header)
    text += b" " * (-(4 + len(text)) % _ALIGNED)
    return b"".join([len(text).to_bytes(4, "little"), text, *arrays.parts])


def _numbers_of_runs(runs: Whole, arrays: _Arrays) -> dict[str, Any]:
    place = {"dtype": "u32", **arrays.add(runs.astype(np.uint32))}
    facts = {"name": "number", "group": "run", "kind": "number", "set": len(runs), "better": None}
    return {**facts, "array": place}


def _column(column: Column, arrays: _Arrays) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "name": column.name,
        "group": column.group,
        "kind": "category" if isinstance(column, CategoryColumn) else "number",
        "set": column.set,
        "better": column.better,
    }
    if isinstance(column, CategoryColumn):
        values = [json_number(value) if isinstance(value, float) else value for value in column.values]
        place = {"dtype": _TYPES[column.codes.dtype.name], **arrays.add(column.codes)}
        return {**facts, "values": values, "array": place}
    place = {"dtype": "f64", **arrays.add(column.values)}
    missing = {} if column.missing is None else {"missing": arrays.add(column.missing.astype(np.uint8))}
    return {**facts, "array": place, **missing}
