"""Writes MindRecord files: rows go to shards and fill pages; headers and indexes are written at the end."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Self

from framework.dataset.mindrecord.refusals import (
    SUCCESS,
    MindRecordError,
    MRMDefineIndexError,
    MRMInvalidSchemaError,
    MRMOpenError,
    ParamTypeError,
    ParamValueError,
)
from framework.dataset.mindrecord.schema import Schema
from framework.dataset.mindrecord.shards import INDEX, Shard

__all__ = ["FileWriter"]

_MOST_SHARDS: Final = 1000
_HEADER_SIZES: Final = (1 << 14, 1 << 27)
_PAGE_SIZES: Final = (1 << 15, 1 << 28)
_SQL_TYPES: Final = {
    "int32": "INTEGER",
    "int64": "INTEGER",
    "float32": "NUMERIC",
    "float64": "NUMERIC",
    "string": "TEXT",
}
_PLACE_COLUMNS: Final = (
    "ROW_ID", "PAGE_ID_RAW", "PAGE_OFFSET_RAW", "PAGE_OFFSET_RAW_END",
    "ROW_GROUP_ID", "PAGE_ID_BLOB", "PAGE_OFFSET_BLOB", "PAGE_OFFSET_BLOB_END",
)  # fmt: skip


@dataclass
class _Page:
    """A page that is being filled."""

    number: int
    of_type: int
    data: bytearray = field(default_factory=bytearray)
    first_row: int = 0
    rows: int = 0
    groups: list[dict[str, int]] = field(default_factory=list)

    def to_json(self, shard: int, kind: str) -> dict[str, Any]:
        return {
            "end_row_id": self.first_row + self.rows if kind == "BLOB_DATA" else 0,
            "page_id": self.number,
            "page_size": len(self.data),
            "page_type": kind,
            "page_type_id": self.of_type,
            "row_group_ids": self.groups,
            "shard_id": shard,
            "start_row_id": self.first_row,
        }


class _ShardWriter:
    """Fills the pages of one file. A group is the rows of one BLOB page; their raw parts are together in a RAW page."""

    def __init__(self, path: Path, number: int, header_size: int, page_size: int, head: Mapping[str, Any]) -> None:
        self.path, self.number = path, number
        self.header_size, self.page_size = header_size, page_size
        self.pages: list[dict[str, Any]] = list(head.get("page") or ())
        self.rows: list[tuple[Any, ...]] = []
        self.count = sum(page["end_row_id"] - page["start_row_id"] for page in self.pages)
        self.first = self.count
        if not head:
            path.write_bytes(b"")
        self._blob: _Page | None = None
        self._raw: _Page | None = None
        self._group: list[tuple[bytes, int, int, tuple[Any, ...]]] = []

    def _new_page(self, kind: str) -> _Page:
        of_type = sum(page["page_type"] == kind for page in self.pages)
        page = _Page(len(self.pages), of_type, first_row=self.count if kind == "BLOB_DATA" else 0)
        self.pages.append(page.to_json(self.number, kind))
        return page

    def add(self, raw: bytes, blob: bytes, indexed: tuple[Any, ...]) -> None:
        raw, blob = _with_length(raw), _with_length(blob)
        if max(len(raw), len(blob)) > self.page_size:
            raise MindRecordError(
                f"Page size: {self.page_size} is too small to save a raw row, which has {max(len(raw), len(blob))} "
                "bytes; set_page_size makes pages larger"
            )
        used = sum(len(one) for one, *_ in self._group)
        full = self._blob is not None and len(self._blob.data) + len(blob) > self.page_size
        if full or used + len(raw) > self.page_size:
            self.end_group()
        if self._blob is None:
            self._blob = self._new_page("BLOB_DATA")
            self._blob.groups.append({"id": self._blob.of_type, "offset": 0})
        begin = len(self._blob.data)
        self._blob.data += blob
        self._blob.rows += 1
        self.count += 1
        self._group.append((raw, begin, len(self._blob.data), indexed))

    def end_group(self) -> None:
        """Write the BLOB page of the group, and put its raw parts into a RAW page."""
        if self._blob is None:
            return
        size = sum(len(one) for one, *_ in self._group)
        if self._raw is not None and len(self._raw.data) + size > self.page_size:
            self._write(self._raw, "RAW_DATA")
            self._raw = None
        self._raw = self._raw or self._new_page("RAW_DATA")
        self._raw.groups.append({"id": self._blob.of_type, "offset": len(self._raw.data)})
        for raw, begin, end, indexed in self._group:
            start = len(self._raw.data)
            self._raw.data += raw
            places = (self._raw.number, start, len(self._raw.data), self._blob.of_type, self._blob.number, begin, end)
            self.rows.append((self.first + len(self.rows), *places, *indexed))
        self._write(self._blob, "BLOB_DATA")
        self._blob, self._group = None, []

    def _write(self, page: _Page, kind: str) -> None:
        self.pages[page.number] = page.to_json(self.number, kind)
        self._write_at(self.header_size + page.number * self.page_size, page.data)

    def _write_at(self, place: int, data: bytes | bytearray) -> None:
        with self.path.open("r+b") as file:
            file.seek(place)
            file.write(data)

    def end(self, head: Mapping[str, Any], indexes: Sequence[tuple[str, str]]) -> None:
        """Write the remaining rows, the header and the index."""
        self.end_group()
        if self._raw is not None:
            self._write(self._raw, "RAW_DATA")
        made = {**head, "page": self.pages or None, "shard_id": self.number}
        text = json.dumps(made, separators=(",", ":")).encode()
        if len(text) + 8 > self.header_size:
            raise MindRecordError(f"{self.path}: a head of {self.header_size} bytes is too small; use set_header_size")
        self._write_at(0, _with_length(text))
        self._write_index(indexes)

    def _write_index(self, indexes: Sequence[tuple[str, str]]) -> None:
        path = Path(f"{self.path}{INDEX}")
        columns = [f"{name} INT NOT NULL" for name in _PLACE_COLUMNS]
        keys = ["ROW_ID"]
        for number, (name, kind) in enumerate(indexes):
            columns += [f"INC_{number} INT", f"{name}_0 {_SQL_TYPES[kind]}"]
            keys.append(f"INC_{number}")
        count = len(_PLACE_COLUMNS) + 2 * len(indexes)
        with closing(sqlite3.connect(path)) as index:
            if not self.first:
                index.execute("DROP TABLE IF EXISTS INDEXES")
                index.execute("DROP TABLE IF EXISTS SHARD_NAME")
                index.execute(f"CREATE TABLE INDEXES({', '.join(columns)}, PRIMARY KEY({', '.join(keys)}))")
                index.execute("CREATE TABLE SHARD_NAME(NAME TEXT NOT NULL)")
                index.execute("INSERT INTO SHARD_NAME VALUES(?)", (self.path.name,))
            marks = ", ".join("?" * count)
            index.executemany(f"INSERT INTO INDEXES VALUES({marks})", self.rows)
            index.commit()


def _with_length(data: bytes) -> bytes:
    return len(data).to_bytes(8, "little") + data


class FileWriter:
    """Writes rows to MindRecord files, which `ds.MindDataset` and MindSpore read.

    Args:
        file_name: path of the file; with several shards a number is added to it.
        shard_num: number of files that the rows are distributed to, from 1 to 1000.
        overwrite: replace files that exist.

    Raises:
        ParamValueError: `shard_num` is out of range.
        ParamTypeError: an argument has the wrong type.

    """

    def __init__(self, file_name: str, shard_num: int = 1, overwrite: bool = False) -> None:
        if not isinstance(file_name, str) or not file_name:
            raise ParamTypeError(f"file_name must be a path, not {file_name!r}")
        if not isinstance(shard_num, int) or isinstance(shard_num, bool):
            raise ParamTypeError(f"shard_num must be an int, not {shard_num!r}")
        if not 1 <= shard_num <= _MOST_SHARDS:
            raise ParamValueError(f"shard_num must lie between 1 and {_MOST_SHARDS}, not {shard_num}")
        if not isinstance(overwrite, bool):
            raise ParamTypeError(f"overwrite must be a bool, not {overwrite!r}")
        digits = len(str(shard_num - 1))
        names = [f"{file_name}{number:0{digits}}" for number in range(shard_num)] if shard_num > 1 else [file_name]
        self._paths = [Path(name) for name in names]
        self._overwrite = overwrite
        self._header_size, self._page_size = 1 << 24, 1 << 25
        self._schema: Schema | None = None
        self._indexes: list[str] | None = None
        self._shards: list[_ShardWriter] | None = None
        self._heads: list[Mapping[str, Any]] = [{} for _ in names]
        self._saved = 0
        self._done = False

    @classmethod
    def open_for_append(cls, file_name: str) -> Self:
        """Create a writer that adds rows to existing files.

        Args:
            file_name: path of the file, or of the first one of several.

        Raises:
            MRMOpenError: it is no MindRecord file.
        """
        first = Shard(Path(file_name))
        names = first.head.get("shard_addresses") or [first.path.name]
        made = cls(file_name)
        made._paths = [first.path.with_name(Path(name).name) for name in names]
        made._heads = [Shard(path).head for path in made._paths]
        made._header_size, made._page_size = first.head["header_size"], first.head["page_size"]
        made._schema = first.schema
        made._indexes = [one["index_field"] for one in first.head["index_fields"] or ()]
        made._saved = first.head["compression_size"]
        return made

    def add_schema(self, content: Mapping[str, Any], desc: str | None = None) -> int:
        """Set the fields of the rows.

        Args:
            content: a dictionary from names to types: `{"label": {"type": "int32"}, "x": {"type": "float32", "shape":
                [-1, 4]}}`. Types are int32, int64, float32, float64, string and bytes; a shape makes an array.
            desc: a text for people.

        Returns:
            The number of the schema, 0.

        Raises:
            MRMInvalidSchemaError: it is no schema, or there is one already.
        """
        if self._schema is not None:
            raise MRMInvalidSchemaError("a set of files has one schema, which is set already")
        self._schema = Schema.from_user(content, desc or "")
        return 0

    def add_index(self, index_fields: Sequence[str]) -> int:
        """Set the fields of the index, besides the positions of the rows; the default is the first scalar.

        Args:
            index_fields: names of scalars or texts.

        Returns:
            SUCCESS.

        Raises:
            ParamTypeError: it is no list of names.
            MRMDefineIndexError: a field is not there, or is bytes or an array.
        """
        if not isinstance(index_fields, list | tuple) or not all(isinstance(name, str) for name in index_fields):
            raise ParamTypeError(f"index_fields must be a list of names, not {index_fields!r}")
        known = {one.name for one in self._known_schema().raws}
        for name in index_fields:
            if name not in known:
                raise MRMDefineIndexError(
                    f"field {name!r} cannot be an index: it is not a scalar or a text of the schema"
                )
        self._indexes = list(index_fields)
        return SUCCESS

    def _known_schema(self) -> Schema:
        if self._schema is None:
            raise MRMInvalidSchemaError("there is no schema yet; call add_schema first")
        return self._schema

    def set_header_size(self, header_size: int) -> int:
        """Set the header size of each file, before the first row: a power of two from 16 KiB to 128 MiB."""
        self._header_size = _size("header_size", header_size, _HEADER_SIZES)
        return SUCCESS

    def set_page_size(self, page_size: int) -> int:
        """Set the size of pages, before the first row: a power of two from 32 KiB to 256 MiB; no row may be larger."""
        self._page_size = _size("page_size", page_size, _PAGE_SIZES)
        return SUCCESS

    def write_raw_data(self, raw_data: Sequence[Mapping[str, Any]], parallel_writer: bool = False) -> int:
        """Write rows; each shard gets a run of equal length.

        Args:
            raw_data: dictionaries with a value for each field: an int, a float, a str, bytes, or an array.
            parallel_writer: accepted for compatibility; has no effect.

        Returns:
            SUCCESS.

        Raises:
            ParamTypeError: the rows are not a list of dictionaries.
            MindRecordError: a value does not fit its field, a row is larger than a page, or a file exists.
        """
        if not isinstance(raw_data, list | tuple):
            raise ParamTypeError(f"raw_data must be a list of rows, not a {type(raw_data).__name__}")
        if not isinstance(parallel_writer, bool):
            raise ParamTypeError("parallel_writer must be a bool")
        for row in raw_data:
            if not isinstance(row, Mapping):
                raise ParamTypeError(f"a row must be a dictionary, not {row!r}")
        schema, shards = self._known_schema(), self._opened()
        each, more = divmod(len(raw_data), len(shards))
        rows = iter(raw_data)
        for number, shard in enumerate(shards):
            for _ in range(each + (number < more)):
                row = next(rows)
                raw, blob, saved = schema.encoded(row)
                self._saved += saved
                # Before each value the index has a column that tells several values of one row apart.
                indexed = tuple(value for name, _ in self._index_columns() for value in (0, row[name]))
                shard.add(raw, blob, indexed)
        return SUCCESS

    def _index_columns(self) -> list[tuple[str, str]]:
        schema = self._known_schema()
        names = [one.name for one in schema.raws[:1]] if self._indexes is None else self._indexes
        return [(name, schema.fields[name].type) for name in names]

    def _opened(self) -> list[_ShardWriter]:
        if self._done:
            raise MindRecordError("these files are complete; open_for_append adds rows")
        if self._shards is None:
            for path, head in zip(self._paths, self._heads, strict=True):
                if path.exists() and not head and not self._overwrite:
                    raise MRMOpenError(f"{path} exists already; FileWriter(..., overwrite=True) replaces it")
            self._shards = [
                _ShardWriter(path, number, self._header_size, self._page_size, head)
                for number, (path, head) in enumerate(zip(self._paths, self._heads, strict=True))
            ]
        return self._shards

    def commit(self) -> int:
        """Write the remaining rows, and complete the files with their headers and indexes.

        Returns:
            SUCCESS.
        """
        schema, columns = self._known_schema(), self._index_columns()
        head = {
            "header_size": self._header_size,
            "index_fields": [{"index_field": name, "schema_id": 0} for name, _ in columns] or None,
            "page_size": self._page_size,
            "compression_size": self._saved,
            "schema": [schema.to_json()],
            "shard_addresses": [path.name for path in self._paths],
            "statistics": None,
            "version": "3.0",
        }
        for shard in self._opened():
            shard.end(head, columns)
        self._done = True
        return SUCCESS


def _size(name: str, value: int, limits: tuple[int, int]) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise ParamTypeError(f"{name} must be an int, not {value!r}")
    if not limits[0] <= value <= limits[1] or value & (value - 1):
        raise ParamValueError(f"{name} must be a power of two from {limits[0]} to {limits[1]}, not {value}")
    return value
