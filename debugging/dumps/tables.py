"""Tables of a dump: `statistic.csv`, and the orders of execution. `mindspore.py` calls it."""

from __future__ import annotations

import csv
import io
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from debugging.dumps.damages import Damages
from summaries.beneath import Beneath

__all__ = ["StatisticRow", "read_below", "read_order", "read_statistics"]

_MOST: Final = 1 << 30
"""Most bytes of a table or graph."""
_COLUMNS: Final[Mapping[str, str]] = {
    "Op Type": "op_type", "Op Name": "op_name", "Task ID": "task_id", "Stream ID": "stream_id",
    "Timestamp": "time_stamp", "IO": "io", "Slot": "slot", "Data Size": "data_size", "Data Type": "data_type",
    "Shape": "shape", "Max Value": "max_value", "Min Value": "min_value", "Avg Value": "avg_value", "Count": "count",
    "Negative Zero Count": "negative_zero_count", "Positive Zero Count": "positive_zero_count",
    "NaN Count": "nan_count", "Negative Inf Count": "negative_inf_count", "Positive Inf Count": "positive_inf_count",
    "Zero Count": "zero_count", "L2Norm Value": "l2_value",
}  # fmt: skip
_TEXTS: Final = frozenset(("op_type", "op_name", "io", "data_type", "shape"))
_REQUIRED: Final = ("Op Name", "IO", "Slot")
_KNOWN_HASHES: Final = frozenset(("MD5", "SHA1", "Hash", "hash"))


@dataclass(slots=True)
class StatisticRow:
    """Statistics of one tensor, in MindInsight's words. What the dump did not say is None.

    Attributes:
        op_type: The type of the operator.
        op_name: Full name of the node, or its written name.
        io: "input" or "output".
        slot: Index of the input or output.
        shape: As text, such as "(2, 3)".
        count: Number of elements.
    """

    op_type: str = ""
    op_name: str = ""
    io: str = ""
    slot: int = 0
    task_id: float | None = None
    stream_id: float | None = None
    time_stamp: float | None = None
    data_size: float | None = None
    data_type: str = ""
    shape: str = ""
    max_value: float | None = None
    min_value: float | None = None
    avg_value: float | None = None
    l2_value: float | None = None
    count: float | None = None
    negative_zero_count: float | None = None
    positive_zero_count: float | None = None
    nan_count: float | None = None
    negative_inf_count: float | None = None
    positive_inf_count: float | None = None
    zero_count: float | None = None

    @property
    def tensor_name(self) -> str:
        """`name:io:slot`."""
        return f"{self.op_name}:{self.io}:{self.slot}"

    @property
    def is_finite(self) -> bool | None:
        """Whether all its elements are finite; None if the dump does not say."""
        counts = (self.nan_count, self.negative_inf_count, self.positive_inf_count)
        if any(count is not None for count in counts):
            return not any(counts)
        values = [one for one in (self.max_value, self.min_value, self.avg_value, self.l2_value) if one is not None]
        return all(map(math.isfinite, values)) if values else None


def read_below(root: Path, relative: str) -> bytes:
    """The bytes of a file below a folder; links are not followed.

    Raises:
        OSError: It cannot be read, or is longer than 1 GiB.
    """
    descriptor = Beneath(root, relative).open()
    with os.fdopen(descriptor, "rb") as file:
        data = file.read(_MOST + 1)
    if len(data) > _MOST:
        raise OSError(27, "it is longer than 1 GiB")
    return data


def read_order(root: Path, relative: str) -> list[str]:
    """The lines of an order of execution, without its head."""
    lines = read_below(root, relative).decode("utf-8", "replace").splitlines()
    return [line.strip() for line in lines if line.strip() and not line.startswith("NodeExecutionOrder")]


def read_statistics(root: Path, relative: str, damages: Damages) -> list[StatisticRow]:
    """The rows of a `statistic.csv`, whatever the order of its columns.

    Args:
        root: The dump.
        relative: Path of the table below it.
        damages: Gets unknown columns, and rows that cannot be read.
    """
    try:
        text = read_below(root, relative).decode("utf-8", "replace")
    except OSError as error:
        damages.add(f"the table cannot be read: {error.strerror}", relative)
        return []
    rows = csv.reader(io.StringIO(text, newline=""))
    head = [column.strip() for column in next(rows, [])]
    for column in head:
        if column not in _COLUMNS and column not in _KNOWN_HASHES:
            damages.add("a column of a statistic.csv is not known; it is left out", f"{relative}, column {column!r}")
    for column in _REQUIRED:
        if column not in head:
            damages.add("the table has no column that says whose tensors these are", f"{relative}, column {column!r}")
            return []
    found = []
    for number, cells in enumerate(rows, start=2):
        if not cells:
            continue
        row = _row(head, cells)
        if row is None:
            damages.add("a row of a statistic.csv cannot be read; it is left out", f"{relative}, line {number}")
        else:
            found.append(row)
    return found


def _row(head: list[str], cells: list[str]) -> StatisticRow | None:
    if len(cells) < len(head):
        return None
    row = StatisticRow()
    for column, cell in zip(head, cells, strict=False):
        field = _COLUMNS.get(column)
        if field is None:
            continue
        try:
            if field in _TEXTS:
                setattr(row, field, cell.strip())
            elif field == "slot":
                row.slot = int(cell)
            else:
                setattr(row, field, _number(cell))
        except ValueError:
            return None
    return row


def _number(cell: str) -> float | None:
    text = cell.strip().lower()
    if text in ("", "null", "none", "n/a"):
        return None
    if text in ("true", "false"):
        return float(text == "true")
    return float(text)
