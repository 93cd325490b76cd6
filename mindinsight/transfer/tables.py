"""Tables of scalars: their columns, and writers for CSV and Parquet. Called by `export`."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from mindinsight.transfer.errors import TransferError

if TYPE_CHECKING:
    import pyarrow as pa

COLUMNS = ("run", "tag", "segment", "step", "wall_time", "value")
SUMMARY_COLUMNS = ("tag", "step", "wall_time (unit: seconds)", "value")
TENSORBOARD_COLUMNS = ("Wall time", "Step", "Value")


@dataclass(frozen=True, slots=True)
class Rows:
    """Some rows of a run's table.

    Attributes:
        tags: tags, indexed by `tag`.
        points, tag, segment: one entry for each row.
    """

    tags: list[str]
    points: NDArray[np.void]
    tag: NDArray[np.int32]
    segment: NDArray[np.int32]


class CsvTable:
    """Writes CSV by RFC 4180 in UTF-8. Numbers have enough digits to be exact.

    Args:
        file: the output file.
        run: the run's name, for the first column.
    """

    def __init__(self, file: BinaryIO, run: str) -> None:
        self._text = io.TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
        self._rows = csv.writer(self._text)
        self._run = run
        self._rows.writerow(COLUMNS)

    def write(self, rows: Rows) -> None:
        """Appends rows. Raises OSError if the file cannot be written."""
        run, tags = self._run, rows.tags
        columns = zip(rows.tag.tolist(), rows.segment.tolist(), rows.points.tolist(), strict=True)
        self._rows.writerows((run, tags[tag], segment, *point) for tag, segment, point in columns)

    def close(self) -> None:
        """Writes the remaining data. The file stays open."""
        self._text.flush()
        self._text.detach()


class ParquetTable:
    """Writes Parquet, with one row group for each window.

    Args:
        file: the output file.
        run: the run's name, for the first column.
    """

    def __init__(self, file: BinaryIO, run: str) -> None:
        arrow, parquet = import_arrow()
        self._arrow: Any = arrow
        self._schema = table_schema(arrow)
        self._writer: Any = parquet.ParquetWriter(file, self._schema)
        self._run = run

    def write(self, rows: Rows) -> None:
        """Appends rows. Raises OSError if the file cannot be written."""
        arrow, points = self._arrow, rows.points
        columns = [
            arrow.repeat(arrow.scalar(self._run, arrow.string()), len(points)),
            arrow.array(rows.tags, arrow.string()).take(arrow.array(rows.tag)),
            arrow.array(rows.segment),
            *(arrow.array(np.ascontiguousarray(points[name])) for name in ("step", "wall", "value")),
        ]
        self._writer.write_table(arrow.Table.from_arrays(columns, schema=self._schema))

    def close(self) -> None:
        """Writes the remaining data. The file stays open."""
        self._writer.close()


def import_arrow() -> tuple[Any, Any]:
    """Returns pyarrow and its Parquet part.

    Raises:
        TransferError: pyarrow is not installed.
    """
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise TransferError(
            "Parquet files need the package pyarrow, which is not installed. Install it: "
            "pip install 'mindinsight[parquet]'"
        ) from error
    return pyarrow, pyarrow.parquet


def table_schema(arrow: Any) -> pa.Schema:
    """Returns the types of `COLUMNS` in Parquet files."""
    types = (arrow.string(), arrow.string(), arrow.int32(), arrow.int64(), arrow.float64(), arrow.float64())
    return arrow.schema(list(zip(COLUMNS, types, strict=True)))
