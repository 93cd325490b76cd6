"""The measurements of a run's profiler, by node of its graphs. Used by the views of colours and of one node.

A run may have several profiles; the newest one counts. Operators are found in a graph by their full names, so the
profile applies to every graph of the run: the recorded one, and those of compiler passes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from mindinsight.api.problems import Problem
from mindinsight.runs.models import Series
from mindinsight.runs.recorded import as_dicts, event_file, open_store
from mindinsight.runs.recorded_values import named_problems
from mindinsight.store import Table
from summaries.beneath import FilePath
from summaries.kinds import Kind

if TYPE_CHECKING:  # Web servers import the reading of records at the first request for one.
    from mindinsight.graphs.model import Graph
    from summaries.schema.summary_pb2 import Profile

_REMEMBERED = 8
_FIELDS = ("duration", "memory", "flops", "bytes_moved", "calls")
_NOTHING = [float("nan")] * len(_FIELDS)


@dataclass(frozen=True, slots=True)
class Measured:
    """The measurements of operators. Equal objects come from the same record.

    Attributes:
        path: the event file.
        file: path relative to the base directory.
        offset, length: position and size of the record in bytes.
        wall: time of the record, in seconds since 1970.
    """

    path: FilePath
    file: str
    offset: int
    length: int
    wall: float

    def of_nodes(self, graph: Graph, field: str) -> npt.NDArray[np.float64]:
        """Returns one of `duration` (seconds), `memory` (bytes), `flops`, `bytes_moved` and `calls` for each node.

        Args:
            graph: the graph. Nodes without measurements get NaN.
            field: the requested field.

        Raises:
            Problem: the record cannot be read.
        """
        nodes, table = _found(self, graph)
        values = np.full(len(graph), np.nan)
        values[nodes] = table[_FIELDS.index(field)]
        return values

    def amounts(self, field: str, unit: str) -> MeasuredAmounts:
        """Returns one of the fields as an amount for colours."""
        return MeasuredAmounts(self, field, unit)

    def of_node(self, graph: Graph, node: int) -> dict[str, float] | None:
        """Returns all measurements of a node by field; None if there are none or the record cannot be read."""
        try:
            nodes, table = _found(self, graph)
        except Problem:
            return None
        at = np.flatnonzero(nodes == node)
        return dict(zip(_FIELDS, table[:, at[0]].tolist(), strict=True)) if len(at) else None


@dataclass(frozen=True, slots=True)
class MeasuredAmounts:
    """One field of a profile.

    Attributes:
        measured: the profile.
        field: a field of `Measured.of_nodes`.
        unit: `seconds` or `bytes`.
    """

    measured: Measured
    field: str
    unit: str
    step: int | None = None

    @property
    def version(self) -> Measured:
        """Identifies the record."""
        return self.measured

    def of_nodes(self, graph: Graph) -> npt.NDArray[np.float64]:
        """Returns the amount of each node; NaN if nothing was measured."""
        return self.measured.of_nodes(graph, self.field)


def newest_profile(run: int | None) -> Measured | None:
    """Returns the newest measurements of a run, or None if there are none.

    Args:
        run: the run's number; None for a graph without a run.
    """
    if run is None:
        return None
    # Step records of TensorFlow have a tag.
    found = Series.objects.filter(kind=Kind.PROFILE, run=run, tag="", count__gt=0, run__removed="")
    series = found.select_related("file").order_by("-last_wall", "-pk").first()
    if series is None:
        return None
    place = as_dicts(open_store().read(Table.PLACES, run, series.pk)[-1:])[0]
    return Measured(*event_file(series), place["offset"], place["length"], place["wall"])


@lru_cache(maxsize=_REMEMBERED)
def _found(measured: Measured, graph: Graph) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """The measured nodes, and the measurements: one row for each of `_FIELDS`."""
    from summaries.profile import read_profile
    from summaries.records import read_record

    with named_problems(measured.file, measured.offset):
        profile = read_profile(read_record(measured.path, measured.offset, measured.length))
    if profile is None:
        message = f"The record at byte {measured.offset} of {measured.file} is not a readable profile."
        raise Problem("record_damaged", message, 404, file=measured.file, offset=measured.offset)
    rows = {operator.full_name: operator for operator in profile.operators}
    used, place = np.unique(np.asarray(graph.full_name), return_inverse=True)
    row_of = np.asarray([_row(rows, name) for name in graph.strings.many(used)], np.float64).reshape(-1, len(_FIELDS))
    nodes = np.flatnonzero(~np.isnan(row_of[place.ravel(), 0]))
    return nodes, row_of[place.ravel()[nodes]].T


def _row(rows: Mapping[str, Profile.Operator], name: str) -> list[float]:
    found = rows.get(name) if name else None
    return _NOTHING if found is None else [getattr(found, field) for field in _FIELDS]
