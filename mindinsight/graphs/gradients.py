"""The norms of a run's recorded gradients, by the name of the parameter or node. Used by the view of colours.

A recorded gradient is a series whose tag contains the name of a parameter (or node) and the word: histograms and
tensors such as `conv1.weight/grad`, `gradients/conv1.weight` or `conv1.weight.grad`, and scalars that are named as
norms, such as `conv1.weight/grad_norm`. The newest value of each counts.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from django.conf import settings

from mindinsight.api.problems import Problem
from mindinsight.distributions.decoding import decode_histogram
from mindinsight.graphs.amounts import by_full_name
from mindinsight.runs.models import Series
from mindinsight.runs.recorded import as_dicts, event_file, open_store
from mindinsight.runs.recorded_values import named_problems, read_value
from mindinsight.store import Table
from mindinsight.tensors.arrays.elements import Array, portions, wide
from mindinsight.tensors.records import open_tensor
from summaries.kinds import Kind

if TYPE_CHECKING:  # Web servers import the reading of graphs at the first request for one.
    from mindinsight.graphs.model import Graph

_WORD = r"(?:grad|gradient)s?"
_NORM = r"(?:[._-]?(?:l2[._-]?)?norm)?"
_BEHIND = re.compile(rf"(?P<name>.+?)[./:_-]{_WORD}(?P<norm>{_NORM})(?:/auto)?", re.IGNORECASE)
_BEFORE = re.compile(rf"{_WORD}(?P<norm>{_NORM})[./:_-](?P<name>.+?)(?:/auto)?", re.IGNORECASE)
_KINDS = (Kind.SCALAR, Kind.TENSOR, Kind.HISTOGRAM)
"""Kinds of recorded gradients, the most exact kind first."""
_LARGEST_TENSOR = 64 << 20
"""Maximum bytes of a record. The norm of a larger tensor is not computed for a colour."""
_REMEMBERED = 8


@dataclass(frozen=True, slots=True)
class Gradient:
    """A recorded gradient.

    Attributes:
        name: name of the parameter or node.
        series: number of the series.
        count: number of values in the series.
        wall: time of the newest value, in seconds since 1970.
    """

    name: str
    series: int
    count: int
    wall: float


@dataclass(frozen=True, slots=True)
class Gradients:
    """The newest recorded gradients of a run.

    Attributes:
        found: one gradient for each name.
        step: step of the newest gradient.
    """

    found: tuple[Gradient, ...]
    step: int | None
    unit: str = "norm"

    @property
    def version(self) -> str:
        """Changes as soon as a new value is recorded."""
        return repr(self.found)

    def of_nodes(self, graph: Graph) -> npt.NDArray[np.float64]:
        """Returns the gradient norm of each node; NaN if unknown, infinity if it is not finite."""
        return by_full_name(graph, _norms(self.found))


def newest_gradients(run: int | None) -> Gradients | None:
    """Returns the recorded gradients of a run, or None if there are none.

    Args:
        run: the run's number; None for a graph without a run.
    """
    if run is None:
        return None
    kinds = [str(kind) for kind in _KINDS]
    rows = Series.objects.filter(run=run, kind__in=kinds, tag__icontains="grad", count__gt=0, run__removed="")
    best: dict[str, tuple[tuple[float, int], Series]] = {}
    for series in rows.order_by("pk"):
        rank = (series.last_wall or 0.0, -kinds.index(series.kind))
        for name in names_in(series.tag, is_number=series.kind == Kind.SCALAR):
            if name not in best or rank >= best[name][0]:
                best[name] = (rank, series)
    if not best:
        return None
    steps = [series.last_step for _, series in best.values() if series.last_step is not None]
    found = (Gradient(name, one.pk, one.count, one.last_wall or 0.0) for name, (_, one) in sorted(best.items()))
    return Gradients(tuple(found), max(steps, default=None))


def names_in(tag: str, *, is_number: bool) -> list[str]:
    """Returns the possible names of parameters or nodes in a gradient's tag; empty for other tags.

    Args:
        tag: the tag of a recorded series.
        is_number: whether its values are scalars. Scalars must be named as norms; other kinds must not.
    """
    found = [match for rule in (_BEHIND, _BEFORE) if (match := rule.fullmatch(tag)) is not None]
    return list(dict.fromkeys(match["name"] for match in found if bool(match["norm"]) is is_number))


@lru_cache(maxsize=_REMEMBERED)
def _norms(found: tuple[Gradient, ...]) -> dict[str, float]:
    """The norms of the newest readable values, by name."""
    rows = Series.objects.select_related("file").in_bulk([one.series for one in found])
    known = {one.name: _norm(rows[one.series], one.count - 1) for one in found if one.series in rows}
    return {name: norm for name, norm in known.items() if norm is not None}


def _norm(series: Series, index: int) -> float | None:
    if series.kind == Kind.SCALAR:
        return _told(math.nan if series.last_value is None else series.last_value)
    places = as_dicts(open_store().read(Table.PLACES, series.run_id, series.pk, index, index + 1))
    if not places or places[0]["length"] > _LARGEST_TENSOR:
        return None
    path, file = event_file(series)
    try:
        if series.kind == Kind.TENSOR:
            scratch = settings.ENVIRONMENT.data_directory
            key = ("gradient", series.pk, index, series.last_wall)
            return _told(_of_tensor(open_tensor(key, path, file, places[0], scratch).array))
        with named_problems(file, places[0]["offset"]):
            return _told(decode_histogram(read_value(path, places[0])).norm)
    except Problem:
        return None


def _of_tensor(array: Array) -> float:
    # Divided first, because squares of finite numbers may overflow.
    largest = max((float(np.abs(wide(part)).max()) for _, (part,) in portions([array])), default=0.0)
    if not largest or not math.isfinite(largest):
        return largest
    parts = (wide(part) / largest for _, (part,) in portions([array]))
    return largest * math.sqrt(sum(float(np.dot(part, part)) for part in parts))


def _told(norm: float) -> float:
    return norm if math.isfinite(norm) else math.inf
