"""Reads rows from tables of scalars (CSV and Parquet files) and checks each. Called by `runs`."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from mindinsight.transfer.errors import TransferError
from mindinsight.transfer.tables import (
    COLUMNS,
    SUMMARY_COLUMNS,
    TENSORBOARD_COLUMNS,
    import_arrow,
    table_schema,
)
from summaries.checks import check_tag

_WHOLE = re.compile(r"[+-]?[0-9]{1,30}")
_INFINITE = re.compile(r"[+-]?inf(inity)?", re.IGNORECASE)
_INT64 = range(-(1 << 63), 1 << 63)
_UNIT = " (unit: seconds)"  # In MindInsight's tables, except those of its first versions.
_MOST_SEGMENTS = 1000
_ROWS_AT_ONCE = 1 << 16

_FORMS = (
    f"{','.join(COLUMNS)} (segment may be missing), as `mindinsight export` writes them; "
    f"{','.join(SUMMARY_COLUMNS)}, as `parse_summary` writes them; or "
    f"{','.join(TENSORBOARD_COLUMNS)}, as TensorBoard's page offers them"
)


class Row(NamedTuple):
    """One scalar of a table. `place` identifies the row for errors."""

    place: str
    run: str
    tag: str
    segment: int
    step: int
    wall: float
    value: float


def read_rows(path: Path, *, run: str, tag: str | None) -> Iterator[Row]:
    """Yields the rows of a table. The file name's suffix decides between Parquet and CSV.

    Args:
        path: the table.
        run: the run of tables without runs.
        tag: the tag of tables without tags.

    Raises:
        TransferError: a row or the whole file is malformed. The message says where and why.
        OSError: the file cannot be read.
    """
    if not path.is_file():  # It is read twice, which a pipe does not allow.
        raise TransferError(f"{path} is not a file. Write it to one first.")
    if path.suffix.lower() == ".parquet":
        yield from _parquet_rows(path)
    else:
        yield from _csv_rows(path, run, tag)


def _csv_rows(path: Path, run: str, tag: str | None) -> Iterator[Row]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.reader(file, strict=True)
        make: Callable[[str, list[str]], Row] | None = None
        while True:
            place = f"{path}, line {reader.line_num + 1}"
            try:
                fields = next(reader)
            except StopIteration:
                break
            except (csv.Error, UnicodeDecodeError) as error:
                raise TransferError(f"{place}: this is no CSV in UTF-8 ({error}). Nothing was imported.") from error
            if make is None:
                make = _row_maker(place, fields, run, tag)
            elif fields:
                yield make(place, fields)
        if make is None:
            raise TransferError(f"{path} is empty. The first line of a table names its columns: {_FORMS}.")


def _row_maker(place: str, header: list[str], run: str, tag: str | None) -> Callable[[str, list[str]], Row]:
    """Returns a function that makes a row of a line's fields, chosen by the table's first line."""
    header = [name.removesuffix(_UNIT) for name in header]
    names = set(header)
    known = [set(COLUMNS), set(COLUMNS) - {"segment"}, set(COLUMNS) - {"segment", "run"}, set(TENSORBOARD_COLUMNS)]
    if names not in known or len(names) != len(header):
        raise TransferError(f"{place}: no importable table has these columns. Known tables are: {_FORMS}.")
    if "tag" not in names and tag is None:
        raise TransferError(f"{place}: this table of TensorBoard's does not contain its tag. Give it with --tag.")
    index = {name: header.index(name) for name in header}
    wall, step, value = (
        index[ours if ours in index else theirs]
        for ours, theirs in zip(("wall_time", "step", "value"), TENSORBOARD_COLUMNS, strict=True)
    )

    def make(place: str, fields: list[str]) -> Row:
        if len(fields) != len(header):
            raise _malformed(place, f"there are {len(fields)} fields where the first line has {len(header)}")
        return Row(
            place,
            fields[index["run"]] if "run" in index else run,
            _tag(place, fields[index["tag"]] if "tag" in index else tag),
            _segment(place, fields[index["segment"]]) if "segment" in index else 0,
            _whole(place, "step", fields[step]),
            _number(place, "wall time", fields[wall]),
            _number(place, "value", fields[value]),
        )

    return make


def _parquet_rows(path: Path) -> Iterator[Row]:
    arrow, parquet = import_arrow()
    try:
        with parquet.ParquetFile(path) as file:
            if not file.schema_arrow.equals(table_schema(arrow)):
                raise TransferError(f"{path} has other columns than Parquet files of `mindinsight export`.")
            number = 0
            for batch in file.iter_batches(_ROWS_AT_ONCE):
                for fields in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                    number += 1
                    yield _parquet_row(f"{path}, row {number}", fields)
    except arrow.ArrowException as error:
        raise TransferError(f"{path} is not a sound Parquet file ({error}). Nothing was imported.") from error


def _parquet_row(place: str, fields: tuple[str, str, int, int, float, float]) -> Row:
    for name, field in zip(COLUMNS, fields, strict=True):
        if field is None:
            raise _malformed(place, f"{name} is missing")
    run, tag, segment, step, wall, value = fields
    return Row(place, run, _tag(place, tag), _segment(place, str(segment)), step, wall, value)


def _tag(place: str, tag: str | None) -> str:
    try:
        return check_tag(tag)
    except (TypeError, ValueError) as error:
        raise _malformed(place, str(error).rstrip(".")) from error


def _segment(place: str, text: str) -> int:
    number = _whole(place, "segment", text)
    if not 0 <= number < _MOST_SEGMENTS:
        raise _malformed(place, f"the segment {number} is not from 0 to {_MOST_SEGMENTS - 1}")
    return number


def _whole(place: str, name: str, text: str) -> int:
    if not _WHOLE.fullmatch(text):
        raise _malformed(place, f"the {name} {text[:40]!r} is not a whole number")
    number = int(text)
    if number not in _INT64:
        raise _malformed(place, f"the {name} {text} does not fit into 64 bits")
    return number


def _number(place: str, name: str, text: str) -> float:
    try:
        if "_" in text:  # Python's notation of numbers.
            raise ValueError
        number = float(text)
    except ValueError:
        raise _malformed(place, f"the {name} {text[:40]!r} is not a number") from None
    if math.isinf(number) and not _INFINITE.fullmatch(text.strip()):
        raise _malformed(place, f"the {name} {text[:40]} is beyond the range of 64-bit floats")
    return number


def _malformed(place: str, what: str) -> TransferError:
    return TransferError(f"{place}: {what}. Nothing was imported.")
