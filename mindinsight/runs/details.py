"""Parameters, results, environments and tags of runs: rows for tables of runs and for scripts.

Called by `api/details.py`. It needs two database queries for any number of runs, and one more for environments.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from typing import Any, NotRequired, TypedDict

from django.db.models import Q

from mindinsight.api.json_numbers import json_number
from mindinsight.runs.models import Run, RunEnvironment, Series
from summaries.kinds import Kind

Noted = str | int | float | bool | None | list["Noted"]
# The columns that decide which series of a tag is the newest, and its last value.
_SERIES_FIELDS = ("run_id", "kind", "tag", "segment", "last_step", "last_wall", "last_value")
_SeriesValues = tuple[int, str, str, int, int | None, float | None, float | None]


class RunDetails(TypedDict):
    """One run's recorded parameters and metrics, the last value of each of its scalar tags, and all its tags."""

    number: int
    id: str
    name: str
    state: str
    segments: list[dict[str, object]]
    params: dict[str, Noted]
    metrics: dict[str, Noted]
    tags: dict[str, list[str]]
    environment: NotRequired[dict[str, Any] | None]


def run_details(
    numbers: Collection[int] | None = None,
    condition: Q = Q(),  # noqa: B008
    *,
    environment: bool = False,
) -> list[RunDetails]:
    """Returns the details of runs, newest first.

    Args:
        numbers: only these runs; default: all. Unknown numbers are ignored.
        condition: only runs that match it.
        environment: whether to include environments, which take some kilobytes per run.
    """
    runs = Run.objects.filter(condition, removed=Run.Removed.NO).order_by("-opened", "name")
    series = Series.objects.filter(count__gt=0)
    if condition:
        series = series.filter(run__in=runs.order_by())
    if numbers is not None:
        runs = runs.filter(pk__in=numbers)
        series = series.filter(run_id__in=numbers)
    found = _Tags(series.values_list(*_SERIES_FIELDS).iterator(10_000))
    details = [_details(run, found) for run in runs]
    if environment:
        known = RunEnvironment.objects.filter(run__in=runs.order_by())
        contents = dict(known.values_list("run_id", "content"))
        for run in details:
            run["environment"] = contents.get(run["number"])
    return details


class _Tags:
    """All tags of runs by kind, and the newest value of each scalar tag."""

    def __init__(self, series: Iterable[_SeriesValues]) -> None:
        self.of_run: dict[int, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
        self.last_values: dict[int, dict[str, float | None]] = defaultdict(dict)
        newest: dict[tuple[int, str], tuple[int, float, float]] = {}
        for run, kind, tag, segment, step, wall, value in series:
            self.of_run[run][kind].add(tag)
            # A series without a step has no counted points yet.
            order = (segment, -math.inf if step is None else step, wall or 0.0)
            if kind == Kind.SCALAR and order >= newest.get((run, tag), order):
                newest[run, tag] = order
                self.last_values[run][tag] = math.nan if value is None else value


def _details(run: Run, found: _Tags) -> RunDetails:
    values: dict[str, object] = {**found.last_values.get(run.pk, {}), **run.metrics}
    kinds = found.of_run.get(run.pk, {})
    return {
        "number": run.pk,
        "id": run.uid.hex,
        "name": run.name,
        "state": run.state,
        "segments": run.segments,
        "params": _json(run.params),
        "metrics": _json(values),
        "tags": {kind: sorted(kinds[kind]) for kind in sorted(kinds)},
    }


def _json(noted: Mapping[str, object]) -> dict[str, Noted]:
    return {name: _word(noted[name]) for name in sorted(noted)}


def _word(value: object) -> Noted:
    if isinstance(value, list):
        return [_word(item) for item in value]
    return json_number(value) if isinstance(value, float) else value  # type: ignore[return-value]
