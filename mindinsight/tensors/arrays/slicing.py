"""Parses slices in Python's grammar, `[:, 3, ::2]`, without evaluating anything. Called by `api.py` for each request.

Only basic indexing is allowed, so that every slice is a view: integers, slices and one `...`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Item = int | slice
MAX_TEXT = 1000
"""Maximum characters of a slice."""
_TOKEN = re.compile(r"\s*(?:(?P<number>[+-]?\s*\d{1,18}(?![\d.eE_]))|(?P<dots>\.\.\.|…)|(?P<sign>[:,]))")
_WORD = re.compile(r"[A-Za-z_][\w.]*")


class SliceError(ValueError):
    """A slice that is invalid or does not fit the shape.

    Args:
        reason: stable name of the error, which pages translate.
        message: the error in English.
        position: index of the wrong character, from 0.
        **named: the values in the message.
    """

    def __init__(self, reason: str, message: str, position: int, **named: object) -> None:
        super().__init__(f"{message} (at character {position + 1})")
        self.reason = reason
        self.position = position
        self.named = named


@dataclass(frozen=True)
class Part:
    """One entry between commas and its position. `...` has no item."""

    item: Item | None
    position: int


def parse_slice(text: str) -> list[Part]:
    """Parses the entries of a slice. The outer brackets may be left out, and an empty text selects everything.

    Raises:
        SliceError: the text is not a slice.
    """
    if len(text) > MAX_TEXT:
        raise SliceError("too_long", f"The slice has more than {MAX_TEXT} characters", MAX_TEXT)
    position, end = len(text) - len(text.lstrip()), len(text.rstrip())
    if text[position:end].startswith("["):
        if not text[position:end].endswith("]"):
            raise SliceError("bracket", "The bracket that opens the slice is not closed by ]", end)
        position, end = position + 1, end - 1
    if not text[position:end].strip():
        return [Part(None, position)]
    return _parts(text, position, end)


def _parts(text: str, position: int, end: int) -> list[Part]:
    parts: list[Part] = []
    entry = _Entry(position)
    while (found := _TOKEN.match(text, position, end)) is not None and found.end() <= end:
        position = found.end()
        place = position - len(found[0].lstrip())
        if found["sign"] == ",":
            if entry.is_empty:
                raise SliceError("empty", "There is nothing before this comma", place)
            parts.append(entry.part())
            entry = _Entry(position)
        else:
            entry.take(found, place)
    if text[position:end].strip():
        raise _unknown(text, position, end)
    return parts if entry.is_empty else [*parts, entry.part()]


class _Entry:
    """The parser of one entry between two commas.

    Args:
        position: start of the entry, while it is empty.
    """

    def __init__(self, position: int) -> None:
        self.is_empty = True
        self._position = position
        self._numbers: list[int | None] = [None]
        self._is_dots = False

    def take(self, token: re.Match[str], place: int) -> None:
        """Adds a number, a colon or `...`.

        Raises:
            SliceError: it is not allowed here.
        """
        if self._is_dots or (token["dots"] and not self.is_empty):
            raise SliceError("character", "`...` stands alone between commas", place)
        if self.is_empty:
            self.is_empty, self._position = False, place
        if token["dots"]:
            self._is_dots = True
        elif token["sign"] == ":":
            if len(self._numbers) == 3:
                raise SliceError("character", "A slice has at most two colons", place)
            self._numbers.append(None)
        else:
            self._take_number(int(token["number"].replace(" ", "")), place)

    def _take_number(self, number: int, place: int) -> None:
        if self._numbers[-1] is not None:
            raise SliceError("character", "A comma is missing before this number", place)
        if len(self._numbers) == 3 and number == 0:
            raise SliceError("zero_step", "The step of a slice cannot be 0", place)
        self._numbers[-1] = number

    def part(self) -> Part:
        """Returns the entry."""
        if self._is_dots:
            return Part(None, self._position)
        if len(self._numbers) > 1:
            return Part(slice(*self._numbers, *[None] * (3 - len(self._numbers))), self._position)
        return Part(self._numbers[0], self._position)


def _unknown(text: str, position: int, end: int) -> SliceError:
    while text[position].isspace():
        position += 1
    word = _WORD.match(text, position, end)
    if word and word[0] in ("None", "newaxis", "np.newaxis", "numpy.newaxis"):
        return SliceError("newaxis", "A slice selects existing elements: it cannot add axes", position)
    if text[position] in "[(":
        return SliceError("list", "Lists of indices are not supported: use numbers and a:b:c", position)
    return SliceError("character", f"{text[position]!r} has no place in a slice", position)


def resolve(parts: Sequence[Part], shape: Sequence[int]) -> tuple[Item, ...]:
    """Returns one item for each axis of a shape. Integers count from the beginning.

    Raises:
        SliceError: the slice does not fit the shape.
    """
    rank = len(shape)
    gaps = [part for part in parts if part.item is None]
    if len(gaps) > 1:
        raise SliceError("ellipsis_twice", "A slice can have only one `...`", gaps[1].position)
    named = len(parts) - len(gaps)
    if named > rank:
        extra = [part for part in parts if part.item is not None][rank]
        message = f"The tensor has {rank} axes, and this is index number {rank + 1}"
        raise SliceError("too_many", message, extra.position, rank=rank)
    items: list[Item] = []
    for part in parts:
        if part.item is None:
            items += [slice(None)] * (rank - named)
        elif isinstance(part.item, slice):
            items.append(part.item)
        else:
            items.append(_from_front(part.item, shape, len(items), part.position))
    return (*items, *[slice(None)] * (rank - len(items)))


def _from_front(index: int, shape: Sequence[int], axis: int, position: int) -> int:
    size = shape[axis]
    if not -size <= index < size:
        message = f"Index {index} is outside axis {axis}, which has {size} entries"
        raise SliceError("out_of_range", message, position, index=index, axis=axis, size=size)
    return index % size


def slice_text(items: Sequence[Item]) -> str:
    """Returns the slice in Python's notation, including brackets."""
    return f"[{', '.join(_item_text(item) for item in items)}]" if items else "[()]"


def _item_text(item: Item) -> str:
    if not isinstance(item, slice):
        return str(item)
    ends = [str(item.start if item.start is not None else ""), str(item.stop if item.stop is not None else "")]
    return ":".join([*ends, str(item.step)] if item.step is not None else ends)


def taken(array: npt.NDArray[Any], items: Sequence[Item]) -> npt.NDArray[Any]:
    """Returns the view of an array for a resolved slice. It is never a copy and never a scalar."""
    view: npt.NDArray[Any] = array[(*items, ...)]
    return view


def index_in_whole(items: Sequence[Item], shape: Sequence[int], index: Sequence[int]) -> list[int]:
    """Returns the index in the whole tensor of an element of a sliced view."""
    inside = iter(index)
    found: list[int] = []
    for item, size in zip(items, shape, strict=True):
        found.append(range(size)[item][next(inside)] if isinstance(item, slice) else item)
    return found


def unflat_index(flat: int, shape: Sequence[int]) -> list[int]:
    """Returns the index of the element with a number in C order."""
    return [int(axis) for axis in np.unravel_index(flat, tuple(shape))] if shape else []
