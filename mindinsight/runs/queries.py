"""Queries about runs, answered with the rows of `api.md`. Called by the API and by the live socket."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NotRequired, TypedDict

import orjson
from django.db.models import Exists, F, OuterRef, Q, QuerySet, TextField
from django.db.models.functions import Cast

from mindinsight.api.json_numbers import json_number
from mindinsight.runs.marks import MarksRow, marks_of
from mindinsight.runs.models import EventFile, Run, RunMarks, Series, shown_value

if TYPE_CHECKING:
    from mindinsight.runs.search.tree import Column
    from mindinsight.runs.search.values import ColumnValue

MAX_ROWS = 10_000
NEWEST_FIRST = ("-opened", "name")
# With more runs, whole tables are read: databases limit the number of parameters.
_MANY = 500


class DamageRow(TypedDict):
    """The first damaged place in a run's files, and the number of such places."""

    count: int
    file: str
    offset: int
    reason: str
    message: str
    code: str
    detail: dict[str, int | str]


class LeadTagRow(TypedDict):
    """The scalar tag that represents a run in lists, and its newest series."""

    series: int
    name: str
    last_value: float | str | None


class SegmentRow(TypedDict):
    """A segment of a run, between two restarts."""

    number: int
    first_step: int
    last_step: int
    first_wall: float


class ReadingRow(TypedDict):
    """The rate at which older data is being read."""

    events_per_second: float
    seconds_left: float | None


class RunRow(TypedDict):
    """One run in lists."""

    number: int
    id: str
    name: str
    colour: int
    writer: str
    state: str
    state_since: float
    state_detail: dict[str, object]
    first_wall: float | None
    last_wall: float | None
    last_step: int | None
    tags: int
    points: int
    files: int
    bytes: int
    bytes_read: int
    disk_bytes: int | None
    reading: ReadingRow | None
    segments: list[SegmentRow]
    damage: DamageRow | None
    lead_tag: LeadTagRow | None
    marks: MarksRow | None
    columns: NotRequired[Mapping[str, ColumnValue]]


@dataclass(frozen=True)
class Wanted:
    """Condition and order of runs, and further columns of their rows.

    Attributes:
        condition: the condition.
        order: names and expressions to order by.
        columns: further values of the rows.
    """

    condition: Q = field(default_factory=Q)
    order: Sequence[Any] = NEWEST_FIRST
    columns: Sequence[Column] = ()


def matching(search: str = "", wanted: Wanted = Wanted()) -> QuerySet[Run]:
    """Runs that match, whose directory or display name contains `search`. Removed runs are left out."""
    runs = Run.objects.filter(wanted.condition, removed=Run.Removed.NO).order_by(*wanted.order)
    if not search:
        return runs
    called = RunMarks.objects.filter(run=OuterRef("name"), display_name__icontains=search)
    return runs.filter(Q(name__icontains=search) | Exists(called))


def rows(
    numbers: Collection[int] | None = None,
    search: str = "",
    limit: int = MAX_ROWS,
    offset: int = 0,
    wanted: Wanted = Wanted(),
) -> list[RunRow]:
    """Returns rows of runs.

    Args:
        numbers: only these runs.
        search: only runs whose name contains this.
        limit: maximum number of rows.
        offset: number of rows to skip.
        wanted: condition and order; default: all, newest first.
    """
    annotations = _column_annotations(wanted.columns)
    chosen = matching(search, wanted).annotate(**_TEXTS, **annotations)
    if numbers is not None:
        chosen = chosen.filter(pk__in=numbers)
    runs: list[dict[str, Any]] = list(chosen.values(*_FIELDS, *_TEXTS, *annotations)[offset : offset + limit])
    files = _files_of(runs, whole=numbers is None)
    leads = _leads_of(runs)
    marks = marks_of([run["name"] for run in runs])
    found = [
        _row(run, files.get(run["pk"], _NO_FILES), leads.get(run["lead_series"]), marks.get(run["name"]))
        for run in runs
    ]
    if wanted.columns:
        from mindinsight.runs.search import columns_of

        for row, run in zip(found, runs, strict=True):
            row["columns"] = columns_of(run, wanted.columns)
    return found


def _column_annotations(columns: Sequence[Column]) -> dict[str, Any]:
    """The values of further columns. Importing the query language takes 19 ms, so only columns import it."""
    if not columns:
        return {}
    from mindinsight.runs.search import value_annotations

    return value_annotations(columns)


# Columns instead of models, and texts parsed by orjson: ten thousand rows then take a third of the time.
_FIELDS = (
    *("pk", "name", "colour", "writer", "state", "state_since", "first_wall", "last_wall", "last_step", "tag_count"),
    *("point_count", "lead_series", "bytes_on_disk"),
)
_TEXTS = {f"{name}_text": Cast(F(name), TextField()) for name in ("uid", "state_detail", "reading", "segments")}
_FILE_FIELDS = ("run_id", "path", "size", "offset", "complete", "damage_count")
_FileFacts = tuple[int, str, int, int, bool, int]


@dataclass
class _Files:
    """The fields of rows that come from a run's event files."""

    count: int = 0
    size: int = 0
    read: int = 0
    damages: int = 0
    damaged: str = ""

    def add(self, file: _FileFacts) -> None:
        _, path, size, offset, complete, damages = file
        self.count += 1
        self.size += size
        self.read += size if complete else offset
        if damages and not self.damages:
            self.damaged = path
        self.damages += damages


_NO_FILES = _Files()


def _files_of(runs: list[dict[str, Any]], whole: bool) -> dict[int, _Files]:
    files = EventFile.objects.order_by("path")
    if not whole or len(runs) < _MANY:
        files = files.filter(run__in=[run["pk"] for run in runs])
    of_run: dict[int, _Files] = defaultdict(_Files)
    for file in files.values_list(*_FILE_FIELDS):
        of_run[file[0]].add(file)
    return of_run


def _leads_of(runs: list[dict[str, Any]]) -> dict[int, LeadTagRow]:
    leads: Any = [run["lead_series"] for run in runs if run["lead_series"]]
    if len(leads) > _MANY:
        leads = Run.objects.filter(lead_series__isnull=False).values("lead_series")
    series = Series.objects.filter(pk__in=leads)
    return {
        number: {"series": number, "name": tag, "last_value": json_number(shown_value(last_value, count))}
        for number, tag, last_value, count in series.values_list("pk", "tag", "last_value", "count")
    }


def _row(run: Mapping[str, Any], files: _Files, lead: LeadTagRow | None, marks: MarksRow | None) -> RunRow:
    return {
        "number": run["pk"],
        "id": run["uid_text"].replace("-", ""),
        "name": run["name"],
        "colour": run["colour"],
        "writer": run["writer"],
        "state": run["state"],
        "state_since": run["state_since"],
        "state_detail": orjson.loads(run["state_detail_text"]),
        "first_wall": run["first_wall"],
        "last_wall": run["last_wall"],
        "last_step": run["last_step"],
        "tags": run["tag_count"],
        "points": run["point_count"],
        "files": files.count,
        "bytes": files.size,
        "bytes_read": files.read,
        "disk_bytes": run["bytes_on_disk"],
        "reading": None if run["reading_text"] is None else orjson.loads(run["reading_text"]),
        "segments": orjson.loads(run["segments_text"]),
        "damage": _damage(files),
        "lead_tag": lead,
        "marks": marks,
    }


def _damage(files: _Files) -> DamageRow | None:
    if not files.damages:
        return None
    first = EventFile.objects.values_list("damages", flat=True).get(path=files.damaged)[0]
    return {
        "count": files.damages,
        "file": files.damaged,
        "offset": first["offset"],
        "reason": first["reason"],
        "message": first["message"],
        # Rows of files that an older version has read have neither.
        "code": first.get("code", ""),
        "detail": first.get("detail", {}),
    }
