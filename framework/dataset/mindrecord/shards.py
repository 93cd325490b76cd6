"""MindRecord files on disk: a header, then pages of equal size, and an SQLite index beside each file.

A file is the length of its head (64 bits, little-endian), the head as JSON, zeros up to `header_size`, then the pages.
A BLOB page has the blob parts of the rows of one group, a RAW page the raw parts of one or more groups; each part has
its length before it (64 bits, little-endian). The index says where both parts of each row are.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np

from framework.dataset.mindrecord.refusals import MRMOpenError
from framework.dataset.mindrecord.schema import Schema
from framework.dataset.runtime.rows import Array

__all__ = ["INDEX", "PLACES", "MindRecordFiles", "Shard", "files_of"]

INDEX: Final = ".db"
#: The columns of the index that say where a row is: page, begin and end of its raw part, then of its blob part.
PLACES: Final = (
    "PAGE_ID_RAW", "PAGE_OFFSET_RAW", "PAGE_OFFSET_RAW_END",
    "PAGE_ID_BLOB", "PAGE_OFFSET_BLOB", "PAGE_OFFSET_BLOB_END",
)  # fmt: skip
_LENGTH: Final = 8


class Shard:
    """One file.

    Args:
        path: path of the file.

    Raises:
        MRMOpenError: it is not there, or is no MindRecord file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            with path.open("rb") as file:
                size = int.from_bytes(file.read(_LENGTH), "little")
                text = file.read(size) if 0 < size < 1 << 27 else b""
            self.head: dict[str, Any] = json.loads(text)
            self.schema = Schema.from_user(self.head["schema"][0]["schema"], self.head["schema"][0].get("desc", ""))
        except OSError as error:
            raise MRMOpenError(f"{path} cannot be opened: {error.strerror}") from error
        except (ValueError, KeyError, IndexError, TypeError) as error:
            raise MRMOpenError(f"{path} is not a MindRecord file, or its header is damaged") from error

    @cached_property
    def places(self) -> Array:
        """The positions of the rows: Int64 (rows, 6), with the columns `PLACES`.

        Raises:
            MRMOpenError: the index is missing or damaged.
        """
        path = Path(f"{self.path}{INDEX}")
        if not path.is_file():
            raise MRMOpenError(f"{self.path} has no index: {path} is missing")
        query = f"SELECT {', '.join(PLACES)} FROM INDEXES ORDER BY ROW_ID"  # noqa: S608 - constant names
        try:
            with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as index:
                found = index.execute(query).fetchall()
        except sqlite3.Error as error:
            raise MRMOpenError(f"{path} is not an index of a MindRecord file ({error})") from error
        return np.asarray(found, np.int64).reshape(-1, len(PLACES))

    @cached_property
    def _bytes(self) -> Array:
        return np.memmap(self.path, np.uint8, "r")

    def parts(self, row: int) -> tuple[bytes, bytes]:
        """The raw and the blob part of a row.

        Raises:
            ValueError: the file and its index contradict each other.
        """
        raw, blob = self.places[row, :3], self.places[row, 3:]
        return self._part(*(int(place) for place in raw)), self._part(*(int(place) for place in blob))

    def _part(self, page: int, begin: int, end: int) -> bytes:
        start = int(self.head["header_size"]) + page * int(self.head["page_size"])
        data = self._bytes[start + begin : start + end].tobytes()
        size = int.from_bytes(data[:_LENGTH], "little")
        if len(data) != end - begin or size != len(data) - _LENGTH:
            raise ValueError(f"{self.path} and its index contradict each other at byte {start + begin}: one is damaged")
        return data[_LENGTH:]


class MindRecordFiles:
    """The rows of a set of files, one file after another.

    Args:
        files: path of one file, with which the others of its set are found, or the paths of all.
        columns: names of the fields to read, in order; None for all, by name.
        class_column: field that `PKSampler` takes for the class of a row.

    Raises:
        MRMOpenError: a file is missing or damaged.
        RuntimeError: there is no such field, or the files have different schemas.
    """

    def __init__(
        self, files: str | Path | Sequence[str | Path], columns: Sequence[str] | None = None, class_column: str = ""
    ) -> None:
        self.shards = [Shard(path) for path in files_of(files)]
        self.schema = self.shards[0].schema
        for shard in self.shards:
            if shard.schema.fields != self.schema.fields:
                raise MRMOpenError(f"{shard.path} has another schema than {self.shards[0].path}")
        self.columns = tuple(columns) if columns else tuple(self.schema.fields)
        self._class_column = class_column
        for name in self.columns:
            if name not in self.schema.fields:
                known = ", ".join(self.schema.fields)
                raise RuntimeError(f"column name: {name} can not be found in the schema, which has {known}")

    @cached_property
    def counts(self) -> list[int]:
        """The number of rows of each file."""
        return [len(shard.places) for shard in self.shards]

    @cached_property
    def _starts(self) -> Array:
        return np.concatenate([[0], np.cumsum(self.counts)])

    def __len__(self) -> int:
        return sum(self.counts)

    def _at(self, index: int) -> tuple[Shard, int]:
        number = int(np.searchsorted(self._starts, index, "right")) - 1
        return self.shards[number], index - int(self._starts[number])

    def row(self, index: int) -> tuple[Array, ...]:
        """The values of a row."""
        shard, row = self._at(index)
        return self.schema.decoded(*shard.parts(row), self.columns)

    def describe(self, index: int) -> str:
        """The file of a row, and the row's index in it."""
        shard, row = self._at(index)
        return f"row {row} of {shard.path}"

    def labels(self) -> Array | None:
        """The class of each row; None if no field is a class."""
        if self._class_column not in self.schema.fields:
            return None
        wanted = (self._class_column,)
        parts = (shard.parts(row) for shard in self.shards for row in range(len(shard.places)))
        return np.asarray([self.schema.decoded(*both, wanted)[0] for both in parts])


def files_of(files: str | Path | Sequence[str | Path]) -> list[Path]:
    """The paths of a set of files: a list is used as it is; a single file stands for all files that its header names.

    Raises:
        MRMOpenError: the list is empty, or the file cannot be read.
    """
    if not isinstance(files, str | Path):
        if not files:
            raise MRMOpenError("no MindRecord file is given")
        return [Path(path) for path in files]
    names = Shard(Path(files)).head.get("shard_addresses") or [Path(files).name]
    # One that was renamed alone is read alone.
    return [Path(files).with_name(Path(name).name) for name in names] if len(names) > 1 else [Path(files)]
