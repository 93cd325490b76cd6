"""The lineage table: all runs and everything that they record, decoded. Made by `Client.lineage`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mindinsight.client.dataframes import require_pandas
from mindinsight.client.numbers import as_noted

_TYPES = {"f64": "<f8", "u8": "<u1", "u16": "<u2", "u32": "<u4"}


@dataclass(frozen=True, eq=False)
class LineageTable:
    """Runs and their recorded values, newest first.

    Attributes:
        names: names of the runs.
        columns: the columns by name: `params.NAME`, `metrics.NAME`, `last(TAG)`, `number`, `opened`, `duration`,
        `last_step` and `state`. Numbers are float64 with NaN for missing values; other values are objects with None for
        missing ones.
    """

    names: Sequence[str]
    columns: Mapping[str, np.ndarray]

    def __len__(self) -> int:
        return len(self.names)

    def to_pandas(self) -> Any:
        """Returns a `pandas.DataFrame` with one row per run, indexed by name.

        Raises:
            ClientError: pandas is not installed.
        """
        return require_pandas().DataFrame(dict(self.columns), index=list(self.names))


def decode_table(data: bytes) -> dict[str, np.ndarray]:
    """Decodes the columns of a table. `mindinsight/lineage/api.md` describes the format.

    Raises:
        ValueError: the bytes are not a table.
        KeyError: a part is missing.
    """
    length = int.from_bytes(data[:4], "little")
    header, arrays = json.loads(data[4 : 4 + length]), data[4 + length :]
    columns: dict[str, np.ndarray] = {}
    for column in header["columns"]:
        place = column["array"]
        found = np.frombuffer(arrays, _TYPES[place["dtype"]], place["count"], place["offset"])
        if column["kind"] == "category":
            words = np.array([None, *map(as_noted, column["values"])], object)
            columns[column["name"]] = words[found]
        else:
            columns[column["name"]] = found.astype(np.int64 if place["dtype"] == "u32" else np.float64)
    return columns
