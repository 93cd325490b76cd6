"""MindRecord files on disk: a header, then pages of equal size, and an SQLite index beside each file.

A file is the length of its header (64 bits, little-endian), the header as JSON, zeros up to `header_size`, then the
pages. A BLOB page has the blob parts of the rows of one group, a RAW page the raw parts of one or more groups; each
part has its length before it (64 bits, little-endian). The index says where both parts of each row are. Header, index
and lengths must agree before a row is decoded.
"""

from __future__ import annotations

import mmap
from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from framework.dataset.mindrecord.header import LENGTH, Header, read_header
from framework.dataset.mindrecord.index import index_of, read_places
from framework.dataset.mindrecord.refusals import MRMOpenError
from framework.dataset.runtime.rows import Array

__all__ = ["RowParts", "Shard", "shards_of"]

#: The columns of `Shard.places`.
_RAW, _BLOB = slice(0, 3), slice(3, 6)

#: The raw and the blob part of a row; None for one that is not needed.
RowParts = tuple[bytes | None, memoryview | None]


class Shard:
    """One file.

    Args:
        path: path of the file.

    Raises:
        MRMOpenError: it is not there, is no MindRecord file, or ends too early.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.header: Header = read_header(path)
        size = path.stat().st_size
        if size < self.header.end:
            late = next((one.number for one in self.header.pages if self.header.start(one.number) + one.size > size), 0)
            raise MRMOpenError(f"{path} ends too early, in page {late}: it has {size} bytes of {self.header.end}")

    def __getstate__(self) -> dict[str, Any]:
        # A process that gets a copy maps the file itself.
        return {name: value for name, value in self.__dict__.items() if name not in ("data", "as_array")}

    @cached_property
    def data(self) -> memoryview:
        """The bytes of the file, mapped."""
        with self.path.open("rb") as file:
            return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))

    @cached_property
    def as_array(self) -> npt.NDArray[np.uint8]:
        """The same as an array."""
        return np.frombuffer(self.data, np.uint8)

    @cached_property
    def places(self) -> Array:
        """The positions of the rows: Int64 (rows, 6), with the columns `index.PLACES`.

        Raises:
            MRMOpenError: the index is missing, damaged, or contradicts the header.
        """
        found = read_places(index_of(self.path), self.path.name)
        why = _contradiction(self.header, found)
        if why:
            raise MRMOpenError(
                f"{index_of(self.path)} and {self.path} contradict each other: {why}; one is damaged. "
                "`mindrecord check` says more, `mindrecord index` makes the index from the file"
            )
        return found

    @cached_property
    def spans(self) -> Array:
        """The bytes of each row in the file: Int64 (rows, 4), begin and end of the raw and of the blob part."""
        pages = self.header.header_size + self.places[:, [0, 0, 3, 3]] * self.header.page_size
        spans: Array = pages + self.places[:, [1, 2, 4, 5]]
        return spans

    def __len__(self) -> int:
        return self.header.rows

    def part(self, begin: int, end: int) -> memoryview:
        """A part of a row, in the mapped file.

        Raises:
            ValueError: the file and its index contradict each other.
        """
        data = self.data[begin:end]
        size = int.from_bytes(data[:LENGTH], "little")
        if size != len(data) - LENGTH:
            raise ValueError(_disagreement(self.path, begin, size, len(data) - LENGTH))
        return data[LENGTH:]

    def parts(self, row: int, needed: tuple[bool, bool]) -> RowParts:
        """The raw and the blob part of a row.

        Args:
            row: index of the row.
            needed: which of both are read; the other is None.

        Raises:
            ValueError: the file and its index contradict each other.
        """
        raw, raw_end, blob, blob_end = self.spans[row].tolist()
        return (
            self.part(raw, raw_end).tobytes() if needed[0] else None,
            self.part(blob, blob_end) if needed[1] else None,
        )


def _disagreement(path: Path, place: int, size: int, indexed: int) -> str:
    return (
        f"{path} and its index contradict each other at byte {place}: a part of {size} bytes is {indexed} bytes long "
        "in the index; one is damaged"
    )


def _contradiction(header: Header, places: Array) -> str:
    """What in the index cannot be, given the header; "" if it can be."""
    if len(places) != header.rows:
        return f"the index has {len(places)} rows, the header {header.rows}"
    if not len(places):
        return ""
    blobs = header.blobs
    starts = np.array([page.first_row for page in blobs])
    group = np.searchsorted([page.end_row for page in blobs], np.arange(len(places)), "right")
    first = np.arange(len(places)) == starts[group]
    last = np.append(first[1:], True)
    wanted = {
        "BLOB": (
            np.array([page.number for page in blobs])[group],
            np.zeros(len(blobs), np.int64)[group],
            np.array([page.size for page in blobs])[group],
        ),
        "RAW": _raw_groups(header, group),
    }
    for kind, columns in (("BLOB", _BLOB), ("RAW", _RAW)):
        page, begin, end = wanted[kind]
        found_page, found_begin, found_end = places[:, columns].T
        before = np.append(0, found_end[:-1])
        wrong = (
            (found_page != page)
            | (found_begin != np.where(first, begin, before))
            | (found_end < found_begin + LENGTH)
            | (found_end > end)
            | (last & (found_end != end))
        )
        if wrong.any():
            row = int(np.flatnonzero(wrong)[0])
            place = f"page {found_page[row]}, bytes {found_begin[row]} to {found_end[row]}"
            return f"row {row} cannot have its {kind} part in {place}"
    return ""


def _raw_groups(header: Header, group: Array) -> tuple[Array, Array, Array]:
    """The page, begin and end of the raw parts of each row's group; -1 for a group that no RAW page has."""
    found = {}
    for page in header.pages:
        if page.kind == "RAW_DATA":
            found.update({number: (page.number, begin, end) for number, begin, end in page.group_spans})
    table = np.array([found.get(number, (-1, -1, -1)) for number in range(len(header.blobs))])[group]
    return table[:, 0], table[:, 1], table[:, 2]


def shards_of(files: str | Path | Sequence[str | Path]) -> list[Shard]:
    """The files of a set: a list is used as it is; a single file stands for all files that its header names.

    Raises:
        MRMOpenError: the list is empty, a file cannot be read, or files do not belong together.
    """
    if not isinstance(files, str | Path):
        if not files:
            raise MRMOpenError("no MindRecord file is given")
        return _of_one_schema([Shard(Path(path)) for path in files])
    given = Shard(Path(files))
    names = given.header.addresses
    # One that was renamed alone is read alone.
    if len(names) == 1:
        return [given]
    if len(set(names)) < len(names):
        raise MRMOpenError(f"{given.path} names a file of its set twice: its header is damaged")
    shards = [Shard(given.path.with_name(name)) for name in names]
    for number, shard in enumerate(shards):
        if shard.header.shard_id != number or shard.header.addresses != names:
            raise MRMOpenError(f"{shard.path} is not file {number} of the set of {given.path}: one header is damaged")
    return _of_one_schema(shards)


def _of_one_schema(shards: list[Shard]) -> list[Shard]:
    for one, other in pairwise(shards):
        if one.header.schema.fields != other.header.schema.fields:
            raise MRMOpenError(f"{other.path} has another schema than {one.path}")
    return shards
