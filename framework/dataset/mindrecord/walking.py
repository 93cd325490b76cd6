"""Finds the rows of a MindRecord file by its header and its lengths alone, without the index."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from framework.dataset.mindrecord.header import LENGTH, Page
from framework.dataset.mindrecord.index import Indexed
from framework.dataset.mindrecord.refusals import MRMOpenError
from framework.dataset.mindrecord.shards import Shard

__all__ = ["Walk", "indexed_row", "indexed_rows"]

_RAW: Final = "RAW_DATA"


class Walk:
    """The rows of a file, group by group.

    Args:
        shard: the file.
        report: takes each sentence about what is wrong.
    """

    def __init__(self, shard: Shard, report: Callable[[str], None]) -> None:
        self.shard = shard
        self._report = report
        self._groups = self._found_groups()

    def _found_groups(self) -> dict[int, tuple[Page, int, int]]:
        """The RAW page of each group of rows, and the bytes in it."""
        found: dict[int, tuple[Page, int, int]] = {}
        known = len(self.shard.header.blobs)
        for page in self.shard.header.pages:
            if page.kind != _RAW:
                continue
            for group, begin, end in page.group_spans:
                if group in found:
                    self._report(f"page {page.number} ({_RAW}) has the rows of BLOB page {group}, as another page has")
                elif group >= known:
                    self._report(f"page {page.number} ({_RAW}) has the rows of BLOB page {group}, which is not there")
                found[group] = (page, begin, end)
        return found

    def places(self) -> list[tuple[int, ...]]:
        """The first eight columns of the index: row, RAW page, begin, end, group, BLOB page, begin, end."""
        found: list[tuple[int, ...]] = []
        for page in self.shard.header.blobs:
            blobs = self._parts(page, 0, page.size, page.rows)
            if page.of_kind not in self._groups:
                self._report(f"no {_RAW} page has the rows of page {page.number} (BLOB_DATA)")
                continue
            raw_page, begin, end = self._groups[page.of_kind]
            raws = self._parts(raw_page, begin, end, page.rows)
            for number, (raw, blob) in enumerate(zip(raws, blobs, strict=False)):
                found.append((page.first_row + number, raw_page.number, *raw, page.of_kind, page.number, *blob))
        return found

    def _parts(self, page: Page, place: int, end: int, count: int) -> list[tuple[int, int]]:
        """The begin and end of consecutive parts in a page."""
        start, data = self.shard.header.start(page.number), self.shard.data
        found: list[tuple[int, int]] = []
        where = f"page {page.number} ({page.kind})"
        while place < end and len(found) < count:
            size = int.from_bytes(data[start + place : start + min(place + LENGTH, end)], "little")
            if place + LENGTH + size > end:
                self._report(
                    f"{where}, byte {start + place} of the file: a part of {size} bytes does not fit into the "
                    f"{max(end - place - LENGTH, 0)} that are left"
                )
                return found
            found.append((place, place + LENGTH + size))
            place += LENGTH + size
        if len(found) < count:
            self._report(f"{where} has {len(found)} rows instead of {count}")
        elif place < end:
            self._report(f"{where}, byte {start + place} of the file: {end - place} bytes belong to no row")
        return found


def indexed_rows(shard: Shard) -> list[Indexed]:
    """The rows of a file's index, made from the file.

    Raises:
        MRMOpenError: the file is damaged.
    """
    problems: list[str] = []
    places = Walk(shard, problems.append).places()
    if problems:
        raise MRMOpenError(f"{shard.path} is damaged: {problems[0]}")
    rows: list[Indexed] = []
    for place in places:
        try:
            rows.append(indexed_row(shard, place))
        except ValueError as error:
            raise MRMOpenError(f"{shard.path} is damaged: row {place[0]}: {error}") from error
    return rows


def indexed_row(shard: Shard, place: tuple[int, ...]) -> Indexed:
    """A row of a file's index, from its first columns.

    Raises:
        ValueError: the row is damaged.
    """
    fields = shard.header.index_fields
    if not fields:
        return place
    start = shard.header.start(place[1])
    values = shard.header.schema.scalars(shard.part(start + place[2], start + place[3]).tobytes(), fields)
    # Before each value the index has a column that tells several values of one row apart.
    return (*place, *(entry for value in values for entry in (0, value)))
