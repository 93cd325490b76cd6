"""Fills the pages of a MindRecord file that is written."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from framework.dataset.mindrecord.header import LENGTH
from framework.dataset.mindrecord.index import Indexed
from framework.dataset.mindrecord.refusals import MRMCommitError, MRMWriteDatasetError

__all__ = ["EncodedRow", "ShardWriter", "check_size"]

#: The raw and the blob part of a row, and its values in the index.
EncodedRow = tuple[bytes, bytes, tuple[Any, ...]]


@dataclass
class _Page:
    """A page that is being filled."""

    number: int
    of_kind: int
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
            "page_type_id": self.of_kind,
            "row_group_ids": self.groups,
            "shard_id": shard,
            "start_row_id": self.first_row,
        }


class ShardWriter:
    """Fills the pages of one file. A group is the rows of one BLOB page; their raw parts are together in a RAW page.

    Args:
        path: the file that is written.
        number: its number in the set.
        sizes: of the header and of a page.
        pages: the pages that are in the file already, as its header describes them.
        rows: the rows of its index so far.
        text_size: the length of its header's text so far.
    """

    def __init__(
        self,
        path: Path,
        number: int,
        sizes: tuple[int, int],
        pages: Sequence[Mapping[str, Any]] = (),
        rows: Sequence[Indexed] = (),
        text_size: int = 0,
    ) -> None:
        self.number = number
        self.rows = list(rows)
        self._path = path
        self._header_size, self._page_size = sizes
        self._pages: list[Mapping[str, Any]] = list(pages)
        self._count = len(rows)
        self._text_size = text_size
        self._blob: _Page | None = None
        self._raw: _Page | None = None
        self._group: list[tuple[bytes, int, int, tuple[Any, ...]]] = []
        self._group_size = 0

    def _new_page(self, kind: str) -> _Page:
        of_kind = sum(page["page_type"] == kind for page in self._pages)
        page = _Page(len(self._pages), of_kind, first_row=self._count if kind == "BLOB_DATA" else 0)
        self._pages.append(page.to_json(self.number, kind))
        return page

    def add(self, row: EncodedRow) -> None:
        """Add a row to the pages.

        Raises:
            OSError: a page cannot be written.
        """
        raw, blob = _with_length(row[0]), _with_length(row[1])
        full = self._blob is not None and len(self._blob.data) + len(blob) > self._page_size
        if full or self._group_size + len(raw) > self._page_size:
            self.end_group()
        if self._blob is None:
            self._blob = self._new_page("BLOB_DATA")
            self._blob.groups.append({"id": 0, "offset": 0})
        begin = len(self._blob.data)
        self._blob.data += blob
        self._blob.rows += 1
        self._count += 1
        self._group.append((raw, begin, len(self._blob.data), row[2]))
        self._group_size += len(raw)

    def end_group(self) -> None:
        """Write the BLOB page of the group, and put its raw parts into a RAW page."""
        if self._blob is None:
            return
        if self._raw is not None and len(self._raw.data) + self._group_size > self._page_size:
            self._write(self._raw, "RAW_DATA")
            self._raw = None
        self._raw = self._raw or self._new_page("RAW_DATA")
        self._raw.groups.append({"id": self._blob.of_kind, "offset": len(self._raw.data)})
        for raw, begin, end, indexed in self._group:
            start = len(self._raw.data)
            self._raw.data += raw
            places = (self._raw.number, start, len(self._raw.data), self._blob.of_kind, self._blob.number, begin, end)
            self.rows.append((len(self.rows), *places, *indexed))
        self._write(self._blob, "BLOB_DATA")
        self._blob, self._group, self._group_size = None, [], 0

    def _write(self, page: _Page, kind: str) -> None:
        self._pages[page.number] = page.to_json(self.number, kind)
        self._write_at(self._header_size + page.number * self._page_size, page.data)

    def _write_at(self, place: int, data: bytes | bytearray) -> None:
        with self._path.open("r+b") as file:
            file.seek(place)
            file.write(data)

    def end(self, head: Mapping[str, Any]) -> None:
        """Write the remaining rows and the header.

        Args:
            head: what the headers of all files of the set have in common.

        Raises:
            MRMCommitError: the header is too large.
            OSError: the file cannot be written.
        """
        self.end_group()
        if self._raw is not None:
            self._write(self._raw, "RAW_DATA")
            self._raw = None
        made = {**head, "page": self._pages or None, "shard_id": self.number}
        text = json.dumps(made, separators=(",", ":")).encode()
        if len(text) + LENGTH > self._header_size:
            raise MRMCommitError(
                f"a header of {self._header_size} bytes is too small for {len(text) + LENGTH}; set_header_size makes "
                "it larger, set_page_size makes pages fewer"
            )
        # An older text may have been longer.
        self._write_at(0, _with_length(text) + bytes(max(self._text_size - len(text), 0)))


def _with_length(data: bytes) -> bytes:
    """The bytes with their number before them."""
    return len(data).to_bytes(LENGTH, "little") + data


def check_size(row: EncodedRow, page_size: int) -> None:
    """Refuse a row that no page can hold.

    Raises:
        MRMWriteDatasetError: it is too large.
    """
    size = max(len(row[0]), len(row[1])) + LENGTH
    if size > page_size:
        raise MRMWriteDatasetError(
            f"Page size: {page_size} is too small to save a raw row, which has {size} bytes; set_page_size makes pages "
            "larger"
        )
