"""Tables of comma-separated values (RFC 4180), and the JSON lines of CLUE (https://www.cluebenchmarks.com)."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Final

import numpy as np

from framework.dataset.formats.lines import Lines
from framework.dataset.runtime.rows import Array

__all__ = ["CLUE_TASKS", "ClueLines", "Table"]

Default = int | float | str

_PAIR: Final = ("label", "sentence1", "sentence2")
_SPANS: Final = ("idx", "span1_index", "span1_text", "span2_index", "span2_text", "text")
#: The columns of each task: of its training and evaluation files, and of its test files.
CLUE_TASKS: Final[Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    "AFQMC": (_PAIR, ("id", "sentence1", "sentence2")),
    "CMNLI": (_PAIR, ("id", "sentence1", "sentence2")),
    "CSL": (("abst", "id", "keyword", "label"), ("abst", "id", "keyword")),
    "IFLYTEK": (("label", "label_des", "sentence"), ("id", "sentence")),
    "TNEWS": (("keywords", "label", "label_desc", "sentence"), ("id", "keywords", "sentence")),
    "WSC": (("idx", "label", *_SPANS[1:]), _SPANS),
}


class Table(Lines):
    """The rows of tables.

    Args:
        files: paths of the files.
        delimiter: the character between fields.
        defaults: for each column a value of its type, which stands for empty fields; empty for texts.
        names: names of the columns; empty if the first line of each file has them.
    """

    def __init__(self, files: Sequence[str], delimiter: str, defaults: Sequence[Default], names: Sequence[str]) -> None:
        super().__init__(files, quoted=True, skipped=0 if names else 1)
        self._delimiter = delimiter
        self._defaults = list(defaults)
        self._names = tuple(names)

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns.

        Raises:
            RuntimeError: files have different names, a name twice, or another number of them than there are defaults.
        """
        names = self._names or self._header(0)
        for number in range(1, 0 if self._names else len(self.files)):
            if self._header(number) != names:
                raise RuntimeError(
                    f"line 1 of {self.files[number]}: the columns {', '.join(self._header(number))} are other than"
                    f" {', '.join(names)} in {self.files[0]}"
                )
        doubled = [name for name in names if names.count(name) > 1]
        if doubled:
            raise RuntimeError(f"line 1 of {self.files[0]}: two columns are named {doubled[0]!r}")
        if self._defaults and len(self._defaults) != len(names):
            raise RuntimeError(f"there are {len(self._defaults)} column_defaults for {len(names)} columns")
        return names

    def _header(self, number: int) -> tuple[str, ...]:
        if not self.lines_of(number):
            raise RuntimeError(f"{self.files[number]} is empty; its first line should name the columns")
        return tuple(self._fields(self.text_at(number, 0)))

    def _fields(self, text: str) -> list[str]:
        try:
            return next(csv.reader([text], delimiter=self._delimiter, strict=True))
        except csv.Error as error:
            raise ValueError(f"the line is no row of a table: {error}") from error

    def row(self, index: int) -> tuple[Array, ...]:
        """The values of a row.

        Raises:
            ValueError: it has more or fewer fields than columns, or a field has another type.
        """
        fields = self._fields(self.line(index))
        if len(fields) != len(self.columns):
            raise ValueError(f"{len(fields)} fields for the {len(self.columns)} columns {', '.join(self.columns)}")
        defaults: Sequence[Default] = self._defaults or ("",) * len(fields)
        return tuple(map(_typed, self.columns, fields, defaults))


def _typed(name: str, field: str, default: Default) -> Array:
    if isinstance(default, str):
        return np.asarray(field or default)
    kind, dtype = (int, np.int32) if isinstance(default, int) else (float, np.float32)
    try:
        return np.asarray(kind(field) if field else default, dtype)
    except (ValueError, OverflowError) as error:
        raise ValueError(f"column {name!r} holds {np.dtype(dtype).name}, not {field!r}") from error


class ClueLines(Lines):
    """The JSON lines of a task of CLUE.

    Args:
        files: paths of the files.
        task: name of the task.
        usage: "train", "test" or "eval".
    """

    def __init__(self, files: Sequence[str], task: str, usage: str) -> None:
        super().__init__(files)
        self.columns = CLUE_TASKS[task][usage == "test"]

    def row(self, index: int) -> tuple[Array, ...]:
        """The values of a line.

        Raises:
            ValueError: the line is no JSON, or lacks a column.
        """
        try:
            found = json.loads(self.line(index))
        except json.JSONDecodeError as error:
            raise ValueError(f"the line is not JSON: {error}") from error
        if not isinstance(found, dict):
            raise ValueError(f"the line is JSON, but no object with the fields {', '.join(self.columns)}")
        target = found.get("target")
        flat = {**found, **(target if isinstance(target, dict) else {})}
        return tuple(_value(name, flat) for name in self.columns)


def _value(name: str, found: Mapping[str, Any]) -> Array:
    if name not in found:
        raise ValueError(f"there is no field {name!r}, only {', '.join(found)}")
    value = found[name]
    if isinstance(value, str) or (isinstance(value, list) and all(isinstance(item, str) for item in value)):
        return np.asarray(value, np.str_)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"field {name!r} holds a text, texts or a number, not {value!r}")
    if isinstance(value, float):
        return np.asarray(value, np.float32)
    try:
        return np.asarray(value, np.int32 if value < 0 else np.uint32)
    except OverflowError as error:
        raise ValueError(f"field {name!r} holds {value}, which needs more than 32 bits") from error
