"""Reads MindRecord files row by row, outside of pipelines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from framework.dataset.mindrecord.files import MindRecordFiles
from framework.dataset.mindrecord.refusals import MRMCloseError, MRMFetchDataError, ParamTypeError, ParamValueError
from framework.dataset.runtime.rows import Array

__all__ = ["FileReader", "plain_row"]


class FileReader:
    """Reads the rows of MindRecord files as dictionaries.

    Args:
        file_name: path of one file, with which the others of its set are found, or a list of paths.
        num_consumer: accepted for compatibility; has no effect.
        columns: names of the fields to read; None for all.
        operator: must be None.

    Raises:
        ParamTypeError: an argument has the wrong type.
        ParamValueError: `num_consumer` is less than 1.
        MRMOpenError: a file is missing or damaged.

    """

    def __init__(
        self,
        file_name: str | Sequence[str],
        num_consumer: int = 4,
        columns: Sequence[str] | None = None,
        operator: None = None,
    ) -> None:
        check_consumers(num_consumer)
        if columns is not None and not isinstance(columns, list | tuple):
            raise ParamTypeError(f"columns must be a list of names, not {columns!r}")
        if operator is not None:
            raise NotImplementedError("FileReader: operator must be None; give the names of columns")
        self._opened: MindRecordFiles | None = MindRecordFiles(file_name, columns)

    @property
    def _files(self) -> MindRecordFiles:
        if self._opened is None:
            raise MRMCloseError("the reader is closed; make another one")
        return self._opened

    def get_next(self) -> Iterator[dict[str, Any]]:
        """Yield the rows: an int, a float or a str for a scalar, bytes, and arrays by the names of the fields.

        Raises:
            MRMFetchDataError: a row is damaged.
            MRMCloseError: the reader is closed.
        """
        for index in range(len(self._files)):
            yield plain_row(self._files, index)

    def schema(self) -> dict[str, Any]:
        """The fields of the files, in the form that `FileWriter.add_schema` takes."""
        found: dict[str, Any] = self._files.schema.to_json()["schema"]
        return found

    def len(self) -> int:
        """The number of rows."""
        return len(self._files)

    def close(self) -> None:
        """Close the files; nothing can be read after that."""
        self._opened = None


def check_consumers(num_consumer: int) -> None:
    """Check a number of threads.

    Raises:
        ParamTypeError: it is no int.
        ParamValueError: it is less than 1.
    """
    if not isinstance(num_consumer, int) or isinstance(num_consumer, bool):
        raise ParamTypeError(f"num_consumer must be an int, not {num_consumer!r}")
    if num_consumer < 1:
        raise ParamValueError(f"num_consumer must be at least 1, not {num_consumer}")


def plain_row(files: MindRecordFiles, index: int) -> dict[str, Any]:
    """The values of a row by field: an int, a float or a str for a scalar, bytes, and arrays.

    Raises:
        MRMFetchDataError: the row is damaged.
    """
    try:
        values = files.row(index)
    except ValueError as error:
        raise MRMFetchDataError(f"{files.describe(index)}: {error}") from error
    return {name: _plain(value) for name, value in zip(files.columns, values, strict=True)}


def _plain(value: Array) -> Any:
    if value.dtype.kind == "S":
        return value.tobytes()
    return value.item() if value.ndim == 0 else value
