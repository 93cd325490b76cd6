"""Finds texts in tables of texts. Used by the searches for nodes and for boxes."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from mindinsight.graphs.model import StringTable
from mindinsight.graphs.scene.terms import TermError

MOST_SECONDS = 5.0
"""The time limit of a regular expression in seconds."""

Found = npt.NDArray[np.bool]


def having(strings: StringTable, numbers: npt.NDArray[np.integer], test: Callable[[str], bool], column: str) -> Found:
    """Returns which of some texts pass a test. Each different text is tested once.

    Args:
        strings: the table.
        numbers: the numbers of the texts.
        test: the test.
        column: what the texts are, for the error.

    Raises:
        TermError: it took too long.
    """
    used = np.flatnonzero(np.bincount(numbers, minlength=len(strings)))
    held = np.zeros(len(strings), np.bool)
    begun = time.monotonic()
    for place, number in enumerate(used.tolist()):
        if test(strings[number]):
            held[number] = True
        if place % 256 == 0 and time.monotonic() - begun > MOST_SECONDS:
            raise TermError("This takes too long in a graph of this size; search for a plain text.", column, 0, 0)
    return np.asarray(held[numbers])


def strings_with(strings: StringTable, text: str) -> Found:
    """Returns which texts of a table contain a text. The case of ASCII letters does not matter.

    Args:
        strings: the table.
        text: the text in lower case.
    """
    held = np.zeros(len(strings), np.bool)
    needle = text.encode("utf-8", "replace")
    data, offsets = np.asarray(strings.data), np.asarray(strings.offsets)
    if not needle or len(data) < len(needle):
        held[:] = not needle
        return held
    span = len(data) - len(needle) + 1
    at = np.flatnonzero(_is(data[:span], needle[0]))
    for distance, byte in enumerate(needle[1:], 1):
        at = at[_is(data[at + distance], byte)]
    which = np.searchsorted(offsets, at, side="right") - 1
    held[which[at + len(needle) <= offsets[which + 1]]] = True
    return held


def _is(data: npt.NDArray[np.uint8], byte: int) -> Found:
    letter = chr(byte)
    same = data == byte
    return np.asarray(same | (data == ord(letter.upper())) if letter.isascii() and letter.isalpha() else same)
