"""Reads MindRecord files row by row, outside of pipelines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from framework.dataset.mindrecord.files import MindRecordFiles
from framework.dataset.mindrecord.refusals import ParamTypeError

__all__ = ["FileReader"]


class FileReader:
    """Reads the rows of MindRecord files as dictionaries.

    Args:
        file_name: path of one file, with which the others of its set are found, or a list of paths.
        num_consumer: accepted for compatibility; has no effect.
        columns: names of the fields to read; None for all.
        operator: must be None.

    Raises:
        ParamTypeError: `columns` is no list.
        MRMOpenError: a file is missing or damaged.

    """

    def __init__(
        self,
        file_name: str | Sequence[str],
        num_consumer: int = 4,
        columns: Sequence[str] | None = None,
        operator: None = None,
    ) -> None:
        if columns is not None and not isinstance(columns, list | tuple):
            raise ParamTypeError(f"columns must be a list of names, not {columns!r}")
        if operator is not None:
            raise NotImplementedError("FileReader: operator must be None; give the names of columns")
        self._files = MindRecordFiles(file_name, columns)

    def get_next(self) -> Iterator[dict[str, Any]]:
        """Yield the rows: an int, a float or a str for a scalar, bytes, and arrays by the names of the fields."""
        for index in range(len(self._files)):
            values = self._files.row(index)
            yield {name: _plain(value) for name, value in zip(self._files.columns, values, strict=True)}

    def schema(self) -> dict[str, Any]:
        """The fields of the files, in the form that `FileWriter.add_schema` takes."""
        found: dict[str, Any] = self._files.schema.to_json()["schema"]
        return found

    def len(self) -> int:
        """The number of rows."""
        return len(self._files)

    def close(self) -> None:
        """Does nothing, because no file stays open; MindSpore's readers have this method."""


def _plain(value: np.ndarray[Any, Any]) -> Any:
    if value.dtype.kind == "S":
        return value.tobytes()
    return value.item() if value.ndim == 0 else value
