"""The rows of `api.md`: one recorded text, cut if it is long, with an error if it cannot be read."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, TypedDict

from mindinsight.api.json_numbers import json_number
from mindinsight.api.problems import Problem
from mindinsight.text.decoding import NOTHING, RecordedText
from mindinsight.text.records import read_text
from summaries.beneath import FilePath


class TextRow(TypedDict):
    """One recorded text. If `error` is set, all fields but index, step and wall time are empty."""

    index: int
    step: int
    wall_time: float | str | None
    shape: tuple[int, ...]
    cells: Sequence[str]
    characters: int
    complete: bool
    markdown: bool
    sound: bool
    error: dict[str, object] | None


def text_row(path: FilePath, file: str, place: Mapping[str, Any], index: int, at_most: int) -> TextRow:
    """Reads one text.

    Args:
        path: where the event file can be read.
        file: the event file relative to the base directory, for errors.
        place: a row of places.
        index: the row's index in its series.
        at_most: maximum number of characters.
    """
    try:
        return _row(place, index, read_text(path, file, place), at_most)
    except Problem as problem:
        return _row(place, index, NOTHING, at_most, problem.body)


def _row(
    place: Mapping[str, Any], index: int, found: RecordedText, at_most: int, error: dict[str, object] | None = None
) -> TextRow:
    cells, cut = _first_characters(found.cells, at_most)
    return {
        "index": index,
        "step": place["step"],
        "wall_time": json_number(place["wall"]),
        "shape": found.shape,
        "cells": cells,
        "characters": sum(len(cell) for cell in found.cells),
        "complete": error is None and not cut and len(cells) == math.prod(found.shape),
        "markdown": found.markdown,
        "sound": found.sound,
        "error": error,
    }


def _first_characters(cells: Sequence[str], at_most: int) -> tuple[Sequence[str], bool]:
    """Returns the first cells up to a number of characters (the last one cut), and whether any are missing."""
    left = at_most
    for count, cell in enumerate(cells):
        if len(cell) > left:
            return [*cells[:count], cell[:left]], True
        left -= len(cell)
    return cells, False
