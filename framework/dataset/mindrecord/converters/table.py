"""A table of comma-separated values to MindRecord files."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from framework.dataset.mindrecord.converters.writing import checked_count, checked_path, write_rows
from framework.dataset.mindrecord.writer import FileWriter

__all__ = ["CsvToMR"]

_LOGICAL: Final = {"True": 1, "False": 0, "true": 1, "false": 0, "TRUE": 1, "FALSE": 0}


def _integer(text: str) -> int:
    value = int(text)
    # Texts like 1_000 are numbers for Python only.
    if "_" in text or not -(1 << 63) <= value < 1 << 63:
        raise ValueError(text)
    return value


def _real(text: str) -> float:
    # A float would not hold all digits of an integer that is larger than int64.
    if "_" in text or (text.strip().lstrip("+-").isdecimal() and not _is(_integer, text)):
        raise ValueError(text)
    return float(text) if text else float("nan")


def _logical(text: str) -> int:
    return _LOGICAL[text]


#: Types of a column and how its texts are read, the narrowest first.
_TYPES: Final[tuple[tuple[str, Callable[[str], Any]], ...]] = (
    ("int64", _integer),
    ("float64", _real),
    ("int32", _logical),
    ("string", str),
)


class CsvToMR:
    """Converts a table with names in its first line: int64, float64, int32 for True and False, otherwise string.

    A column has the first of these types that all of its values have. An empty value is NaN in a column of numbers, and
    an empty text otherwise.

    Args:
        source: path of the table.
        destination: path of the MindRecord file.
        columns_list: names of the columns; None for all.
        partition_number: number of files.

    Raises:
        ValueError: an argument has a wrong type.

    """

    def __init__(
        self, source: str, destination: str, columns_list: Sequence[str] | None = None, partition_number: int = 1
    ) -> None:
        self.source = checked_path("source", source)
        self.destination = checked_path("destination", destination)
        if columns_list is not None and (
            not isinstance(columns_list, list) or not all(isinstance(name, str) for name in columns_list)
        ):
            raise ValueError(f"columns_list must be a list of names or None, not {columns_list!r}")
        self.columns_list = columns_list
        self.partition_number = checked_count(partition_number)

    def run(self) -> int:
        """Write the files.

        Returns:
            SUCCESS.

        Raises:
            OSError: the table cannot be read.
            RuntimeError: it has no such column, or a line has another number of values.
        """
        types = self._types()
        fields = {name: {"type": _TYPES[place][0]} for name, place in types.items()}
        readers = {name: _TYPES[place][1] for name, place in types.items()}
        rows = ({name: read(line[name]) for name, read in readers.items()} for line in self._lines(list(types)))
        writer = FileWriter(self.destination, self.partition_number)
        return write_rows(writer, fields, "csv_schema", None, rows)

    def transform(self) -> int:
        """Write the files, as `run` does."""
        return self.run()

    def _types(self) -> dict[str, int]:
        """The place of each column's type in the table of types."""
        types = dict.fromkeys(self._names(), 0)
        for line in self._lines(list(types)):
            for name, place in types.items():
                while not _is(_TYPES[place][1], line[name]):
                    place += 1
                    # Numbers and words of logic in one column are texts.
                    types[name] = place
        return self._settled(types)

    def _settled(self, types: dict[str, int]) -> dict[str, int]:
        """The types again, so that a value before the one that widened the type fits, too."""
        for line in self._lines(list(types)):
            for name, place in types.items():
                if not _is(_TYPES[place][1], line[name]):
                    types[name] = len(_TYPES) - 1
        return types

    def _names(self) -> list[str]:
        with Path(self.source).open(newline="", encoding="utf-8-sig") as file:
            known = next(csv.reader(file), [])
        if not known:
            raise RuntimeError(f"{self.source} is empty")
        wanted = known if self.columns_list is None else self.columns_list
        for name in wanted:
            if name not in known:
                raise RuntimeError(f"{self.source} has no column {name!r}, only {', '.join(known)}")
        return list(wanted)

    def _lines(self, names: list[str]) -> Iterator[dict[str, str]]:
        with Path(self.source).open(newline="", encoding="utf-8-sig") as file:
            lines = csv.reader(file)
            known = next(lines)
            places = {name: known.index(name) for name in names}
            for line in lines:
                if not line:
                    continue
                if len(line) != len(known):
                    raise RuntimeError(
                        f"{self.source}, line {lines.line_num}: it has {len(line)} values for {len(known)} columns"
                    )
                yield {name: line[place] for name, place in places.items()}


def _is(read: Callable[[str], Any], text: str) -> bool:
    try:
        read(text)
    except (ValueError, KeyError):
        return False
    return True
