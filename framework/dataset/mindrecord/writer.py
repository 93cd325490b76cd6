"""Writes MindRecord files: rows go to shards and fill pages; all files get their names when they are whole."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, Self, TypeVar

from framework.dataset.mindrecord.header import HEADER_SIZES, PAGE_SIZES, VERSION
from framework.dataset.mindrecord.index import index_of, write_index
from framework.dataset.mindrecord.pages import EncodedRow, ShardWriter, check_size
from framework.dataset.mindrecord.refusals import (
    SUCCESS,
    MindRecordError,
    MRMCommitError,
    MRMDefineIndexError,
    MRMInvalidHeaderSizeError,
    MRMInvalidPageSizeError,
    MRMInvalidSchemaError,
    MRMOpenError,
    MRMOpenForAppendError,
    MRMWriteDatasetError,
    ParamTypeError,
    ParamValueError,
)
from framework.dataset.mindrecord.schema import Schema
from framework.dataset.mindrecord.shards import Shard, shards_of
from framework.dataset.mindrecord.unfinished import Unfinished
from framework.dataset.mindrecord.walking import indexed_rows

__all__ = ["FileWriter"]

_MOST_SHARDS: Final = 1000
_MOST_THREADS: Final = 8
Result = TypeVar("Result")


class FileWriter:
    """Writes rows to MindRecord files, which `ds.MindDataset` and MindSpore read.

    The files have hidden names beside their places until `commit`, so that a file under its name is always whole.

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
        self._unfinished: Unfinished | None = None
        self._shards: list[ShardWriter] | None = None
        self._old: list[Shard] = []
        self._saved = 0
        self._done = False

    @classmethod
    def open_for_append(cls, file_name: str) -> Self:
        """Create a writer that adds rows to existing files. They are copied first, and stay as they are until `commit`.

        Args:
            file_name: path of the file, or of one of several.

        Raises:
            MRMOpenForAppendError: it is no MindRecord file.
        """
        if not isinstance(file_name, str):
            raise ParamTypeError(f"file_name must be a path, not {file_name!r}")
        try:
            shards = shards_of(file_name)
        except MRMOpenError as error:
            raise MRMOpenForAppendError(str(error)) from error
        first = shards[0].header
        made = cls(file_name)
        made._paths = [shard.path for shard in shards]
        made._old = shards
        made._header_size, made._page_size = first.header_size, first.page_size
        made._schema = first.schema
        made._indexes = list(first.index_fields)
        made._saved = first.saved
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
        self._check_open(before_rows=True)
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
        self._check_open(before_rows=True)
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
        self._check_open(before_rows=True)
        self._header_size = _size("header_size", header_size, HEADER_SIZES, MRMInvalidHeaderSizeError)
        return SUCCESS

    def set_page_size(self, page_size: int) -> int:
        """Set the size of pages, before the first row: a power of two from 32 KiB to 256 MiB; no row may be larger."""
        self._check_open(before_rows=True)
        self._page_size = _size("page_size", page_size, PAGE_SIZES, MRMInvalidPageSizeError)
        return SUCCESS

    def _check_open(self, *, before_rows: bool = False) -> None:
        if self._done:
            raise MindRecordError("these files are complete; open_for_append adds rows")
        if before_rows and (self._shards is not None or self._old):
            raise MindRecordError("schema, index and sizes are set before the first row is written")

    def write_raw_data(self, raw_data: Sequence[Mapping[str, Any]], parallel_writer: bool = False) -> int:
        """Write rows; each shard gets a run of equal length. If a row is refused, none is written.

        Args:
            raw_data: dictionaries with a value for each field: an int, a float, a str, bytes, or an array.
            parallel_writer: write each shard in a thread of its own.

        Returns:
            SUCCESS.

        Raises:
            ParamTypeError: the rows are not a list of dictionaries.
            MindRecordError: a value does not fit its field, a row is larger than a page, or a file exists.
            MRMWriteDatasetError: the disk is full, or does not take the rows for another reason. Nothing is left there.
        """
        if not isinstance(raw_data, list | tuple):
            raise ParamTypeError(f"raw_data must be a list of rows, not a {type(raw_data).__name__}")
        if not isinstance(parallel_writer, bool):
            raise ParamTypeError("parallel_writer must be a bool")
        for row in raw_data:
            if not isinstance(row, Mapping):
                raise ParamTypeError(f"a row must be a dictionary, not {row!r}")
        self._check_open()
        self._known_schema()
        self._check_free()
        count = len(self._paths)
        each, more = divmod(len(raw_data), count)
        starts = [number * each + min(number, more) for number in range(count + 1)]
        runs = [raw_data[start:end] for start, end in pairwise(starts)]
        run = _in_threads if parallel_writer else _in_turn
        encoded = run(lambda number: self._encoded(runs[number]), count)
        shards = self._opened()
        with self._discarding(MRMWriteDatasetError):
            run(lambda number: _add(shards[number], encoded[number][0]), count)
        self._saved += sum(saved for _, saved in encoded)
        return SUCCESS

    def _encoded(self, rows: Sequence[Mapping[str, Any]]) -> tuple[list[EncodedRow], int]:
        """Rows as bytes, and the number of bytes that packing saved."""
        schema, columns = self._known_schema(), self._index_columns()
        encoded: list[EncodedRow] = []
        total = 0
        for row in rows:
            raw, blob, saved = schema.encoded(row)
            # Before each value the index has a column that tells several values of one row apart.
            values = tuple(entry for name in columns for entry in (0, schema.fields[name].scalar(row[name])))
            encoded.append((raw, blob, values))
            check_size(encoded[-1], self._page_size)
            total += saved
        return encoded, total

    def _index_columns(self) -> list[str]:
        names = [one.name for one in self._known_schema().raws[:1]] if self._indexes is None else self._indexes
        return list(names)

    def _check_free(self) -> None:
        """Refuse files that exist, unless they are to be replaced or added to."""
        if self._overwrite or self._old or self._shards is not None:
            return
        for path in self._paths:
            for existing in (path, index_of(path)):
                if existing.exists():
                    raise MRMOpenError(f"{existing} exists already; FileWriter(..., overwrite=True) replaces it")

    def _opened(self) -> list[ShardWriter]:
        if self._shards is None:
            try:
                self._unfinished = Unfinished([entry for path in self._paths for entry in (path, index_of(path))])
            except OSError as error:
                raise MRMOpenError(f"{self._paths[0]} cannot be written: {error.strerror}") from error
            with self._discarding(MRMWriteDatasetError):
                self._shards = [self._shard(number, self._unfinished) for number in range(len(self._paths))]
        return self._shards

    def _shard(self, number: int, unfinished: Unfinished) -> ShardWriter:
        path, sizes = unfinished.hidden(self._paths[number]), (self._header_size, self._page_size)
        if not self._old:
            path.touch()
            return ShardWriter(path, number, sizes)
        old = self._old[number]
        shutil.copyfile(old.path, path)
        pages = [page.to_json(number) for page in old.header.pages]
        return ShardWriter(path, number, sizes, pages, indexed_rows(old), old.header.text_size)

    @contextmanager
    def _discarding(self, kind: type[MindRecordError]) -> Iterator[None]:
        """Remove the hidden files if an error comes; one of the system becomes one of MindRecord."""
        try:
            yield
        except BaseException as error:
            self.discard()
            if isinstance(error, OSError | sqlite3.Error):
                why = getattr(error, "strerror", None) or error
                raise kind(f"{self._paths[0]} cannot be written: {why}; nothing was kept") from error
            raise

    def discard(self) -> None:
        """Give up: remove what was written since the writer was made."""
        self._done = True
        if self._unfinished is not None:
            self._unfinished.discard()

    def commit(self) -> int:
        """Write the remaining rows, complete the files with headers and indexes, and give them their names.

        Returns:
            SUCCESS.

        Raises:
            MRMCommitError: a file cannot be written. Nothing is left on the disk.
        """
        self._check_open()
        schema, columns = self._known_schema(), self._index_columns()
        head = {
            "header_size": self._header_size,
            "index_fields": [{"index_field": name, "schema_id": 0} for name in columns] or None,
            "page_size": self._page_size,
            "compression_size": self._saved,
            "schema": [schema.to_json()],
            "shard_addresses": [path.name for path in self._paths],
            "statistics": None,
            "version": VERSION,
        }
        self._check_free()
        shards = self._opened()
        with self._discarding(MRMCommitError):
            assert self._unfinished is not None  # noqa: S101 - made with the shards
            for path, shard in zip(self._paths, shards, strict=True):
                shard.end(head)
                write_index(self._unfinished.hidden(index_of(path)), path.name, schema, columns, shard.rows)
            self._unfinished.complete()
        self._done = True
        return SUCCESS


def _add(shard: ShardWriter, rows: Sequence[EncodedRow]) -> None:
    for row in rows:
        shard.add(row)


def _in_turn(call: Callable[[int], Result], count: int) -> list[Result]:
    return [call(number) for number in range(count)]


def _in_threads(call: Callable[[int], Result], count: int) -> list[Result]:
    with ThreadPoolExecutor(min(count, _MOST_THREADS)) as threads:
        return list(threads.map(call, range(count)))


def _size(name: str, value: int, limits: tuple[int, int], kind: type[ParamValueError]) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise ParamTypeError(f"{name} must be an int, not {value!r}")
    if not limits[0] <= value <= limits[1] or value & (value - 1):
        raise kind(f"{name} must be a power of two from {limits[0]} to {limits[1]}, not {value}")
    return value
