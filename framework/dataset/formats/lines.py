"""Files of lines: texts, tables and JSON lines. They are mapped into memory; a line becomes a text when it is read."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np

from framework.dataset.runtime.rows import Array

__all__ = ["Lines", "TextLines"]

_NEWLINE, _RETURN, _QUOTE = 10, 13, 34
_MARK: Final = b"\xef\xbb\xbf"


class Lines:
    """The lines of files, one file after another, without empty lines.

    Args:
        files: paths of the files.
        quoted: a line goes on after a line end between quotation marks.
        skipped: number of lines at the start of each file that are no rows.
    """

    #: Several threads may read lines at once.
    concurrent = True

    def __init__(self, files: Sequence[str], quoted: bool = False, skipped: int = 0) -> None:
        self.files = list(files)
        self._quoted = quoted
        self._skipped = skipped

    @cached_property
    def _data(self) -> list[Array]:
        return [
            np.memmap(path, np.uint8, "r") if Path(path).stat().st_size else np.zeros(0, np.uint8)
            for path in self.files
        ]

    @cached_property
    def _spans(self) -> list[Array]:
        """For each file the first byte of each line, and the one behind it."""
        return [self._spans_of(number) for number in range(len(self.files))]

    def _spans_of(self, number: int) -> Array:
        data = self._data[number]
        ends = data == _NEWLINE
        if self._quoted:
            inside = np.cumsum(data == _QUOTE, dtype=np.uint8) & 1
            ends &= inside == 0
        stops = np.append(np.flatnonzero(ends), len(data))
        starts = np.append(0, stops[:-1] + 1)
        if len(data) >= len(_MARK) and bytes(data[: len(_MARK)]) == _MARK:
            starts[0] = len(_MARK)
        returns = (stops > starts) & (data[np.maximum(stops - 1, 0)] == _RETURN) if len(data) else stops < 0
        spans = np.stack([starts, stops - returns], axis=1)
        spans = spans[spans[:, 1] > spans[:, 0]]
        if self._quoted and len(data) and inside[-1]:
            line = self._line_number(number, int(spans[-1, 0]))
            raise RuntimeError(f"line {line} of {self.files[number]}: a quotation mark is opened and never closed")
        return spans

    def _line_number(self, number: int, place: int) -> int:
        return int(np.count_nonzero(self._data[number][:place] == _NEWLINE)) + 1

    @cached_property
    def counts(self) -> list[int]:
        """The number of rows of each file.

        Raises:
            RuntimeError: no file has any.
        """
        counts = [max(len(spans) - self._skipped, 0) for spans in self._spans]
        if not sum(counts):
            raise RuntimeError(f"there is no row in {', '.join(self.files)}")
        return counts

    @cached_property
    def _starts(self) -> Array:
        return np.concatenate([[0], np.cumsum(self.counts)])

    def __len__(self) -> int:
        return sum(self.counts)

    def _place(self, index: int) -> tuple[int, int]:
        """The number of the file, and that of the line in it without empty ones."""
        number = int(np.searchsorted(self._starts, index, "right")) - 1
        return number, index - int(self._starts[number]) + self._skipped

    def line(self, index: int) -> str:
        """The text of a row.

        Raises:
            ValueError: it is not UTF-8.
        """
        return self.text_at(*self._place(index))

    def text_at(self, number: int, line: int) -> str:
        """The text of a line of a file, which counts from 0 without empty lines.

        Raises:
            ValueError: it is not UTF-8.
        """
        start, stop = (int(place) for place in self._spans[number][line])
        try:
            return bytes(self._data[number][start:stop]).decode()
        except UnicodeDecodeError as error:
            raise ValueError(f"the text is not UTF-8: byte {error.start + 1} of the line") from error

    def lines_of(self, number: int) -> int:
        """The number of lines of a file, with skipped ones."""
        return len(self._spans[number])

    def describe(self, index: int) -> str:
        """The file, and the line in it from 1 on, as an editor counts."""
        number, line = self._place(index)
        return f"line {self._line_number(number, int(self._spans[number][line][0]))} of {self.files[number]}"

    def labels(self) -> Array | None:
        """None: lines have no class."""
        return None


class TextLines(Lines):
    """Lines as texts, in one column."""

    columns: tuple[str, ...] = ("text",)

    def row(self, index: int) -> tuple[Array, ...]:
        """The text."""
        text: Any = self.line(index)
        return (np.asarray(text),)
