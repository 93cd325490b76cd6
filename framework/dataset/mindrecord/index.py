"""The SQLite index beside a MindRecord file: where the parts of each row are, and the values of some fields."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import numpy as np

from framework.dataset.mindrecord.refusals import MRMOpenError
from framework.dataset.mindrecord.schema import Schema
from framework.dataset.runtime.rows import Array

__all__ = ["INDEX", "PLACES", "Indexed", "index_of", "read_places", "read_values", "write_index"]

INDEX: Final = ".db"
#: The columns of the index that say where a row is: page, begin and end of its raw part, then of its blob part.
PLACES: Final = (
    "PAGE_ID_RAW", "PAGE_OFFSET_RAW", "PAGE_OFFSET_RAW_END",
    "PAGE_ID_BLOB", "PAGE_OFFSET_BLOB", "PAGE_OFFSET_BLOB_END",
)  # fmt: skip
_COLUMNS: Final = ("ROW_ID", *PLACES[:3], "ROW_GROUP_ID", *PLACES[3:])
_SQL_TYPES: Final = {
    "int32": "INTEGER",
    "int64": "INTEGER",
    "float32": "NUMERIC",
    "float64": "NUMERIC",
    "string": "TEXT",
}
_CHUNK: Final = 1 << 16

#: A row of the index: its number, `PLACES[:3]`, its group, `PLACES[3:]`, and then 0 and the value of each field.
Indexed = tuple[Any, ...]


def index_of(path: Path) -> Path:
    """The path of a file's index."""
    return Path(f"{path}{INDEX}")


def _column(name: str) -> str:
    """The column of a field of the only schema."""
    return f"{name.replace('-', '_').replace('.', '_')}_0"


def _opened(path: Path) -> sqlite3.Connection:
    # Each byte that has a meaning in an address is escaped.
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)


def read_places(path: Path, name: str) -> Array:
    """The positions of the rows of a file: Int64 (rows, 6), with the columns `PLACES`.

    Args:
        path: path of the index.
        name: name of the file that the index belongs to.

    Raises:
        MRMOpenError: the index is missing or damaged, or belongs to another file.
    """
    if not path.is_file():
        raise MRMOpenError(
            f"{path.with_name(name)} has no index: {path} is missing; `mindrecord index` makes it from the file"
        )
    query = f"SELECT ROW_ID, {', '.join(PLACES)} FROM INDEXES ORDER BY ROW_ID"  # noqa: S608 - constant names
    chunks = [np.zeros((0, 1 + len(PLACES)), np.int64)]
    try:
        with closing(_opened(path)) as index:
            names = [str(found) for (found,) in index.execute("SELECT NAME FROM SHARD_NAME")]
            cursor = index.execute(query)
            while block := cursor.fetchmany(_CHUNK):
                chunks.append(np.array(block, np.int64))
    except (sqlite3.Error, ValueError, TypeError, OverflowError) as error:
        raise MRMOpenError(
            f"{path} is not an index of a MindRecord file, or is damaged ({error}); `mindrecord index` makes it again"
        ) from error
    if names != [name]:
        raise MRMOpenError(
            f"{path} is the index of {', '.join(names) or 'no file'}, not of {name}; `mindrecord index` makes it again"
        )
    found = np.concatenate(chunks)
    if not np.array_equal(found[:, 0], np.arange(len(found))):
        raise MRMOpenError(f"{path} does not number the rows from 0 on; `mindrecord index` makes it again")
    return found[:, 1:]


def read_values(path: Path, fields: Sequence[str]) -> list[tuple[Any, ...]]:
    """The values of fields in the index, by row.

    Raises:
        MRMOpenError: the index does not have them.
    """
    query = f"SELECT {', '.join(map(_column, fields))} FROM INDEXES ORDER BY ROW_ID"  # noqa: S608 - checked names
    try:
        with closing(_opened(path)) as index:
            return index.execute(query).fetchall()
    except sqlite3.Error as error:
        raise MRMOpenError(f"{path} has no values of {', '.join(fields)} ({error})") from error


def write_index(path: Path, name: str, schema: Schema, fields: Sequence[str], rows: Iterable[Indexed]) -> None:
    """Write a new index. It is not whole until this returns, so it should have a hidden name until then.

    Args:
        path: path of the index: of an empty file, or of none.
        name: name of the file that the index belongs to.
        schema: the fields of the file.
        fields: names of the fields whose values are in the index.
        rows: the rows of the index.
    """
    columns = [f"{column} INT NOT NULL" for column in _COLUMNS]
    keys = ["ROW_ID"]
    for number, field in enumerate(fields):
        columns += [f"INC_{number} INT", f"{_column(field)} {_SQL_TYPES[schema.fields[field].type]}"]
        keys.append(f"INC_{number}")
    with closing(sqlite3.connect(path)) as index:
        # A journal would be a second file to clean up.
        index.execute("PRAGMA journal_mode = OFF")
        index.execute("PRAGMA synchronous = OFF")
        index.execute(f"CREATE TABLE INDEXES({', '.join(columns)}, PRIMARY KEY({', '.join(keys)}))")
        index.execute("CREATE TABLE SHARD_NAME(NAME TEXT NOT NULL)")
        index.execute("INSERT INTO SHARD_NAME VALUES(?)", (name,))
        index.executemany(f"INSERT INTO INDEXES VALUES({', '.join('?' * len(columns))})", rows)
        index.commit()
