"""Reads records of a run's data pipeline from its event file. Called by `recorded.py` and by the list.

A record has sums since the recording began. Records that cannot be what a training wrote are refused here, so that
nobody behind has to doubt a number.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from google.protobuf.message import DecodeError, Message

from mindinsight.runs.models import Series
from mindinsight.runs.recorded import event_file
from mindinsight.runs.recorded_values import named_problems, read_value
from summaries.beneath import FilePath, stat_file
from summaries.schema.summary_pb2 import DataPipeline

MOST_OPERATORS = 1000
"""Maximum number of operators in a pipeline."""
_REMEMBERED = 2000


@dataclass(frozen=True, slots=True)
class Record:
    """One record.

    Attributes:
        wall: when it was written, in seconds since 1970.
        content: the sums.
    """

    wall: float
    content: DataPipeline

    @property
    def shape(self) -> tuple[tuple[str, tuple[int, ...]], ...]:
        """What identifies the pipeline: the operators, and what each reads."""
        return tuple((one.op_type, tuple(one.children)) for one in self.content.operators)


class Records:
    """Reads records of one series.

    Args:
        series: the series.
    """

    def __init__(self, series: Series) -> None:
        self._path, self._file = event_file(series)
        try:
            self._inode = stat_file(self._path).st_ino
        except OSError:
            # Reading says what is wrong.
            self._inode = -1

    def read(self, place: Mapping[str, Any]) -> Record:
        """Reads the record at a place.

        Raises:
            Problem: `record_damaged`, `file_gone` or `file_unreadable`.
        """
        with named_problems(self._file, place["offset"]):
            where = (place["offset"], place["length"], place["start"], place["size"])
            return Record(place["wall"], _read(self._path, self._inode, where))


@lru_cache(maxsize=_REMEMBERED)
def _read(path: FilePath, _inode: int, where: tuple[int, int, int, int]) -> DataPipeline:
    """A record never changes, so it is read once. Another file of the same name is another inode."""
    offset, length, start, size = where
    return decode(read_value(path, {"offset": offset, "length": length, "start": start, "size": size}))


def decode(data: bytes) -> DataPipeline:
    """Returns the record in a serialized `DataPipeline`.

    Raises:
        ValueError: it is broken; the message completes "a value that ...".
    """
    try:
        found = DataPipeline.FromString(data)
    except DecodeError as error:
        raise ValueError(f"cannot be understood: {error}") from None
    if not 0 < len(found.operators) <= MOST_OPERATORS:
        raise ValueError(f"is a data pipeline of {len(found.operators)} operators")
    for number, operator in enumerate(found.operators):
        if operator.number != number or any(not 0 <= child < number for child in operator.children):
            raise ValueError("is a data pipeline whose operators are not in order")
    read = [child for operator in found.operators for child in operator.children]
    if sorted(read) != list(range(len(found.operators) - 1)):
        raise ValueError("is a data pipeline that is no tree")
    if found.HasField("finding") and not 0 <= found.finding.operator < len(found.operators):
        raise ValueError("is a data pipeline whose bottleneck is no operator of it")
    if not all(math.isfinite(value) and value >= 0 for value in _numbers(found)):
        raise ValueError("is a data pipeline with a number that is negative or not finite")
    return found


def _numbers(message: Message) -> Iterator[float]:
    """All numbers in a message."""
    for _, value in message.ListFields():
        repeated = not isinstance(value, Message | int | float | str)
        for one in value if repeated else (value,):
            if isinstance(one, Message):
                yield from _numbers(one)
            elif isinstance(one, int | float):
                yield one
