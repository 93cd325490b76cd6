"""The columns of a dataset by name, type and shape: MindSpore's `ds.Schema`, from Python or a JSON file."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from framework.common import dtype as mstype

__all__ = ["Schema"]


class Schema:
    """The columns of a dataset.

    Args:
        schema_file: JSON file with `columns`, and `datasetType` and `numRows` if they are known; None for no column.

    Raises:
        RuntimeError: the file is no schema.
    """

    def __init__(self, schema_file: str | None = None) -> None:
        self.dataset_type = ""
        self.num_rows = 0
        self.columns: dict[str, tuple[np.dtype[Any], list[int] | None]] = {}
        if schema_file:
            try:
                self.from_json(json.loads(Path(schema_file).read_text()))
            except (OSError, ValueError) as error:
                raise RuntimeError(f"{schema_file} is no schema ({error})") from error

    def add_column(self, name: str, de_type: Any, shape: Sequence[int] | None = None) -> None:
        """Add a column.

        Args:
            name: name of the column.
            de_type: element type, MindSpore's or its name.
            shape: shape of the values, with at most one -1; None for any number of them.

        Raises:
            TypeError: there is no such type.
        """
        text = str(de_type).lower() == "string"
        dtype = np.dtype("S") if text else de_type.numpy if isinstance(de_type, mstype.DType) else np.dtype(de_type)
        self.columns[str(name)] = (dtype, None if shape is None else list(shape))

    def parse_columns(self, columns: Mapping[str, Mapping[str, Any]] | Sequence[Mapping[str, Any]]) -> None:
        """Add columns that are described by dictionaries with `type` and `shape`.

        Args:
            columns: descriptions by name, or a list of descriptions that have a `name`.

        Raises:
            RuntimeError: a description has no name or no type.
        """
        listed = [{"name": name, **one} for name, one in columns.items()] if isinstance(columns, Mapping) else columns
        for one in listed:
            if "name" not in one or "type" not in one:
                raise RuntimeError(f"a column needs a name and a type, not {one!r}")
            self.add_column(one["name"], one["type"], one.get("shape"))

    def from_json(self, json_obj: Mapping[str, Any]) -> None:
        """Read the columns from a description.

        Raises:
            RuntimeError: it has no columns, or something unknown.
        """
        unknown = set(json_obj) - {"datasetType", "numRows", "columns"}
        if unknown or "columns" not in json_obj:
            raise RuntimeError(f"a schema has columns, datasetType and numRows, not {', '.join(json_obj)}")
        self.dataset_type, self.num_rows = json_obj.get("datasetType", ""), int(json_obj.get("numRows", 0))
        self.parse_columns(json_obj["columns"])

    def to_json(self) -> str:
        """The schema as JSON text."""
        columns = [
            {"name": name, "type": "string" if dtype.kind == "S" else dtype.name}
            | ({} if shape is None else {"shape": shape, "rank": len(shape)})
            for name, (dtype, shape) in self.columns.items()
        ]
        known: dict[str, Any] = {"columns": columns}
        if self.dataset_type:
            known["datasetType"] = self.dataset_type
        if self.num_rows:
            known["numRows"] = self.num_rows
        return json.dumps(known, indent=2)

    def __str__(self) -> str:
        return self.to_json()
