"""The header of a MindRecord file, checked: what it says about pages must be possible before a page is read."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from framework.dataset.mindrecord.refusals import MRMInvalidSchemaError, MRMOpenError
from framework.dataset.mindrecord.schema import Schema

__all__ = ["HEADER_SIZES", "LENGTH", "PAGE_SIZES", "VERSION", "Header", "Page", "read_header"]

#: The bytes of a length, before the header's text and before each part of a row.
LENGTH: Final = 8
VERSION: Final = "3.0"
#: The smallest and the largest size of a header and of a page.
HEADER_SIZES: Final = (1 << 14, 1 << 27)
PAGE_SIZES: Final = (1 << 15, 1 << 28)
_MOST_FILES: Final = 4096
_KINDS: Final = ("BLOB_DATA", "RAW_DATA")


@dataclass(frozen=True)
class Page:
    """A page as the header describes it.

    Attributes:
        number: position in the file, from 0.
        kind: "BLOB_DATA" or "RAW_DATA".
        of_kind: number among the BLOB pages, from 0; without a meaning for a RAW page.
        first_row: index of the first row of a BLOB page; 0 for a RAW page.
        end_row: index after the last row of a BLOB page; 0 for a RAW page.
        size: number of bytes that are used.
        groups: of the rows in it, the number of each group and the byte where it begins.
    """

    number: int
    kind: str
    of_kind: int
    first_row: int
    end_row: int
    size: int
    groups: tuple[tuple[int, int], ...]

    @property
    def rows(self) -> int:
        """The number of rows of a BLOB page."""
        return self.end_row - self.first_row

    @property
    def group_spans(self) -> list[tuple[int, int, int]]:
        """The number of each group of rows, and the bytes from which and up to which it is in the page."""
        ends = [*(begin for _, begin in self.groups[1:]), self.size]
        return [(group, begin, end) for (group, begin), end in zip(self.groups, ends, strict=False)]

    def to_json(self, shard_id: int) -> dict[str, Any]:
        """The page in the form of the header."""
        return {
            "end_row_id": self.end_row,
            "page_id": self.number,
            "page_size": self.size,
            "page_type": self.kind,
            "page_type_id": self.of_kind,
            "row_group_ids": [{"id": group, "offset": begin} for group, begin in self.groups],
            "shard_id": shard_id,
            "start_row_id": self.first_row,
        }


@dataclass(frozen=True)
class Header:
    """The header of a file.

    Attributes:
        path: path of the file.
        text_size: number of bytes of the text.
        header_size: byte at which the first page begins.
        page_size: distance of pages.
        pages: the pages, in order.
        schema: the fields of a row.
        addresses: names of all files of the set.
        shard_id: position of this file among them.
        index_fields: names of the fields in the index.
        saved: number of bytes that packing saved in all files.
    """

    path: Path
    text_size: int
    header_size: int
    page_size: int
    pages: tuple[Page, ...]
    schema: Schema
    addresses: tuple[str, ...]
    shard_id: int
    index_fields: tuple[str, ...]
    saved: int

    @property
    def rows(self) -> int:
        """The number of rows."""
        return sum(page.rows for page in self.pages)

    @property
    def blobs(self) -> tuple[Page, ...]:
        """The BLOB pages; the number of one is that of its group of rows."""
        return tuple(page for page in self.pages if page.kind == _KINDS[0])

    def start(self, page: int) -> int:
        """The byte at which a page begins."""
        return self.header_size + page * self.page_size

    @property
    def end(self) -> int:
        """The byte after the last one that is used."""
        ends = [self.start(page.number) + page.size for page in self.pages]
        return max([LENGTH + self.text_size, *ends])


class _WrongError(ValueError):
    """What is wrong with a header, in words."""


def read_header(path: Path) -> Header:
    """Read and check the header of a file.

    Raises:
        MRMOpenError: the file cannot be opened, or is no MindRecord file; the message says which entry is wrong.
    """
    try:
        with path.open("rb") as file:
            start = file.read(LENGTH)
            size = int.from_bytes(start, "little")
            text = file.read(size) if size <= HEADER_SIZES[1] - LENGTH else b""
    except OSError as error:
        raise MRMOpenError(f"{path} cannot be opened: {error.strerror}") from error
    try:
        if len(start) < LENGTH:
            raise _WrongError(f"it has only {len(start)} bytes")
        if not 0 < size <= HEADER_SIZES[1] - LENGTH:
            raise _WrongError(f"its first 8 bytes give the header a length of {size} bytes")
        if len(text) < size:
            raise _WrongError(f"it ends in the header, which has {size} bytes")
        return _checked(path, size, _parsed(text))
    except _WrongError as error:
        raise MRMOpenError(f"{path} is not a MindRecord file, or its header is damaged: {error}") from error


def _parsed(text: bytes) -> Mapping[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _WrongError(f"the text is not JSON ({error})") from error
    if not isinstance(found, dict):
        raise _WrongError("the text is not a JSON object")
    return found


def _checked(path: Path, size: int, found: Mapping[str, Any]) -> Header:
    if found.get("version") != VERSION:
        raise _WrongError(f"version is {found.get('version')!r}; this program reads {VERSION!r}")
    header_size = _number(found, "header_size", *HEADER_SIZES)
    page_size = _number(found, "page_size", *PAGE_SIZES)
    if size + LENGTH > header_size:
        raise _WrongError(f"a text of {size} bytes does not fit into header_size {header_size}")
    schema = _schema(_list(found, "schema"))
    pages = tuple(_page(number, entry, page_size) for number, entry in enumerate(_list(found, "page")))
    _check_order(pages)
    addresses = _addresses(_list(found, "shard_addresses"), path)
    return Header(
        path=path,
        text_size=size,
        header_size=header_size,
        page_size=page_size,
        pages=pages,
        schema=schema,
        addresses=addresses,
        shard_id=_number(found, "shard_id", 0, len(addresses) - 1),
        index_fields=_index_fields(_list(found, "index_fields"), schema),
        saved=_number(found, "compression_size", -(1 << 63), 1 << 64) if "compression_size" in found else 0,
    )


def _number(entry: Mapping[str, Any], name: str, least: int, most: int) -> int:
    value = entry.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise _WrongError(f"{name} is {str(value)[:80]}, not a number from {least} to {most}")
    return value


def _list(entry: Mapping[str, Any], name: str) -> Sequence[Any]:
    value = entry.get(name)
    if value is None:
        return []
    if not isinstance(value, list):
        raise _WrongError(f"{name} is {str(value)[:80]}, not a list")
    return value


def _schema(found: Sequence[Any]) -> Schema:
    if len(found) != 1 or not isinstance(found[0], dict):
        raise _WrongError(f"there are {len(found)} schemas instead of one")
    description = found[0].get("desc")
    try:
        schema = Schema.from_user(found[0].get("schema"), description if isinstance(description, str) else "")
    except MRMInvalidSchemaError as error:
        raise _WrongError(str(error)) from error
    if found[0].get("blob_fields", []) != [field.name for field in schema.blobs]:
        raise _WrongError(f"blob_fields {found[0].get('blob_fields')} are not those of the schema")
    return schema


def _page(number: int, entry: Any, page_size: int) -> Page:
    if not isinstance(entry, dict):
        raise _WrongError(f"page {number} is described by {str(entry)[:80]}")
    try:
        if _number(entry, "page_id", 0, 1 << 32) != number:
            raise _WrongError(f"page_id is {entry['page_id']}")
        kind = entry.get("page_type")
        if kind not in _KINDS:
            raise _WrongError(f"page_type is {str(kind)[:80]!r}")
        first = _number(entry, "start_row_id", 0, 1 << 62)
        end = _number(entry, "end_row_id", 0, 1 << 62)
        size = _number(entry, "page_size", 0, page_size)
        # Each row has at least its length.
        if kind == _KINDS[0] and not 0 <= end - first <= size // LENGTH:
            raise _WrongError(f"it has the rows {first} to {end} in {size} bytes")
        groups = tuple(_group(group, size) for group in _list(entry, "row_group_ids"))
        return Page(number, kind, _number(entry, "page_type_id", 0, number), first, end, size, groups)
    except _WrongError as error:
        raise _WrongError(f"page {number}: {error}") from error


def _group(entry: Any, size: int) -> tuple[int, int]:
    if not isinstance(entry, dict):
        raise _WrongError(f"row_group_ids has {str(entry)[:80]}")
    return _number(entry, "id", 0, 1 << 32), _number(entry, "offset", 0, size)


def _check_order(pages: Sequence[Page]) -> None:
    """BLOB pages are numbered from 0, and their rows follow each other. MindSpore numbers RAW pages otherwise."""
    row = 0
    for number, page in enumerate(page for page in pages if page.kind == _KINDS[0]):
        if page.of_kind != number:
            raise _WrongError(f"page {page.number}: page_type_id is {page.of_kind} instead of {number}")
        if page.first_row != row:
            raise _WrongError(f"page {page.number}: it begins with row {page.first_row} instead of row {row}")
        row = page.end_row


def _addresses(found: Sequence[Any], path: Path) -> tuple[str, ...]:
    if len(found) > _MOST_FILES or not all(isinstance(name, str) and Path(name).name for name in found):
        raise _WrongError(f"shard_addresses is {str(found)[:80]}, not a list of at most {_MOST_FILES} names")
    # MindSpore writes names; files of earlier versions have paths.
    return tuple(Path(name).name for name in found) or (path.name,)


def _index_fields(found: Sequence[Any], schema: Schema) -> tuple[str, ...]:
    known = {field.name for field in schema.raws}
    names: list[str] = []
    for entry in found:
        name = entry.get("index_field") if isinstance(entry, dict) else entry
        if not isinstance(name, str) or name not in known:
            raise _WrongError(f"index_fields has {str(name)[:80]!r}, which is no scalar of the schema")
        names.append(name)
    return tuple(names)
