"""Changes of settings during a training, for marks on charts. Called by `api/edits.py`.

Each change is a separate record in an event file. There are few of them, so they are read when requested.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from mindinsight.api.json_numbers import json_number
from mindinsight.api.problems import Problem
from mindinsight.runs.models import Series
from mindinsight.runs.recorded import all_series, as_dicts, event_file, open_store, places_of, within_bytes
from mindinsight.runs.recorded_values import named_problems, read_value
from mindinsight.store import ColumnStore
from summaries.beneath import FilePath
from summaries.kinds import Kind
from summaries.live_edit import Edit, Setting, read_edit

MAX_EDITS = 1000
"""Maximum number of edits of one file, the newest ones. A chart could not show more."""
_UNREADABLE = Edit("", None, None)


def live_edits(runs: Collection[int] | None = None) -> list[dict[str, Any]]:
    """Returns the changes of some or all runs. The changes of each run are in order of step.

    Args:
        runs: numbers of runs. Unknown numbers are ignored.
    """
    store = open_store()
    rows = [row for series in all_series(Kind.LIVE_EDIT, runs) for row in _rows(store, series)]
    return sorted(rows, key=lambda row: (row["run"], row["step"], row["wall_time"] or 0.0))


def _rows(store: ColumnStore, series: Series) -> Iterator[dict[str, Any]]:
    first = max(0, series.count - MAX_EDITS)
    _, places = places_of(store, series, first, None, MAX_EDITS)
    path, file = event_file(series)
    for place in as_dicts(within_bytes(places)):
        edit, error = _read(path, file, place)
        yield {
            "run": series.run_id,
            "segment": series.segment,
            "step": place["step"],
            "wall_time": json_number(place["wall"]),
            "name": edit.name,
            "before": _json(edit.before),
            "after": _json(edit.after),
            "author": edit.author,
            "note": edit.note,
            "error": error,
        }


def _read(path: FilePath, file: str, place: Mapping[str, Any]) -> tuple[Edit, dict[str, object] | None]:
    try:
        with named_problems(file, place["offset"]):
            return read_edit(read_value(path, place)), None
    except Problem as problem:
        return _UNREADABLE, problem.body


def _json(setting: Setting | None) -> Setting | str | None:
    return json_number(setting) if isinstance(setting, float) else setting
