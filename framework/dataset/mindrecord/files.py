"""The rows of a set of MindRecord files, for `ds.MindDataset` and `FileReader`."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from functools import cached_property
from pathlib import Path
from typing import Final

import numpy as np

from framework.dataset.mindrecord.columns import block_of
from framework.dataset.mindrecord.shards import Shard, shards_of
from framework.dataset.runtime.rows import Array, Column

__all__ = ["MindRecordFiles"]


class MindRecordFiles:
    """The rows of a set of files, one file after another.

    Args:
        files: path of one file, with which the others of its set are found, or the paths of all.
        columns: names of the fields to read, in order; None for all, by name.
        class_column: field that `PKSampler` takes for the class of a row.

    Raises:
        MRMOpenError: a file is missing or damaged.
        RuntimeError: there is no such field, or the files have different schemas.
    """

    #: Several threads may read rows at once.
    concurrent: Final = True

    def __init__(
        self, files: str | Path | Sequence[str | Path], columns: Sequence[str] | None = None, class_column: str = ""
    ) -> None:
        self.shards = shards_of(files)
        self.schema = self.shards[0].header.schema
        self.columns = tuple(columns) if columns else tuple(self.schema.fields)
        self._class_column = class_column
        for name in self.columns:
            if name not in self.schema.fields:
                known = ", ".join(self.schema.fields)
                raise RuntimeError(f"column name: {name} can not be found in the schema, which has {known}")

    @cached_property
    def counts(self) -> list[int]:
        """The number of rows of each file."""
        return [len(shard.places) for shard in self.shards]

    @property
    def fixed(self) -> dict[str, int]:
        """The bytes of the columns whose values have one shape in all rows: numbers, and arrays of one length."""
        fields = [self.schema.fields[name] for name in self.columns]
        return {field.name: field.nbytes for field in fields if field.nbytes}

    @cached_property
    def _starts(self) -> Array:
        return np.concatenate([[0], np.cumsum(self.counts)])

    def __len__(self) -> int:
        return int(self._starts[-1])

    @cached_property
    def _needed(self) -> tuple[bool, bool]:
        return self.schema.parts_of(self.columns)

    def _at(self, index: int) -> tuple[Shard, int]:
        if len(self.shards) == 1:
            return self.shards[0], index
        number = int(np.searchsorted(self._starts, index, "right")) - 1
        return self.shards[number], index - int(self._starts[number])

    def row(self, index: int) -> tuple[Array, ...]:
        """The values of a row."""
        shard, row = self._at(index)
        return self.schema.decoded(*shard.parts(row, self._needed), self.columns)

    def block(self, places: Array) -> tuple[Column, ...] | None:
        """The values of many rows by column; None if they have to be read one by one.

        Raises:
            ValueError: a row is damaged.
        """
        numbers = np.searchsorted(self._starts, places, "right") - 1
        if not len(places):
            return None
        parts = [
            block_of(self.shards[number], places[numbers == number] - self._starts[number], self.columns)
            for number in np.unique(numbers).tolist()
        ]
        if len(parts) == 1:
            return parts[0]
        return _merged(parts, numbers)

    def only(self, columns: tuple[str, ...]) -> MindRecordFiles:
        """The same rows with some of the fields."""
        other = copy(self)
        other.columns = columns
        # It is found again for these fields.
        vars(other).pop("_needed", None)
        return other

    def describe(self, index: int) -> str:
        """The file of a row, and the row's index in it."""
        shard, row = self._at(index)
        return f"row {row} of {shard.path}"

    def labels(self) -> Array | None:
        """The class of each row; None if no field is asked for as the class.

        Raises:
            ValueError: there is no such field, or a row is damaged.
        """
        if not self._class_column:
            return None
        if self._class_column not in self.schema.fields:
            raise ValueError(
                f"Invalid data, 'class_column': {self._class_column} can not found in fields of mindrecord files. "
                "Please check 'class_column' in PKSampler."
            )
        wanted = (self._class_column,)
        needed = self.schema.parts_of(wanted)
        parts = (shard.parts(row, needed) for shard in self.shards for row in range(len(shard)))
        return np.asarray([self.schema.decoded(*both, wanted)[0] for both in parts])


def _merged(parts: Sequence[tuple[Column, ...] | None], numbers: Array) -> tuple[Column, ...] | None:
    """The columns of rows that lie in several files, in their order."""
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    # Where each row of the files, one file after the other, belongs.
    order = np.argsort(np.argsort(numbers, kind="stable"))
    columns: list[Column] = []
    for column in zip(*known, strict=True):
        arrays = [one for one in column if isinstance(one, np.ndarray)]
        even = len(arrays) == len(column) and len({(one.dtype, one.shape[1:]) for one in arrays}) == 1
        if even:
            columns.append(np.concatenate(arrays)[order])
        else:
            apart = [value for one in column for value in one]
            columns.append([apart[place] for place in order.tolist()])
    return tuple(columns)
