"""Queries for scalars: the tags of runs, and their series. Called by the API and by the live socket."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple, TypedDict

from django.db import connection
from django.db.models import QuerySet

from mindinsight.api.json_numbers import json_number
from mindinsight.runs.models import Series, shown_value
from summaries.kinds import Kind


class SeriesRow(TypedDict):
    """One scalar series without its tag."""

    run: int
    series: int
    segment: int
    count: int
    first_step: int | None
    last_step: int | None
    first_wall: float | None
    last_wall: float | None
    last_value: float | str | None
    min: float | None
    max: float | None
    not_finite: int


class NamedSeriesRow(SeriesRow):
    """One scalar series with the name of its tag."""

    name: str


class TagGroup(TypedDict):
    """All series of one tag."""

    name: str
    series: list[SeriesRow]


def tag_groups(runs: Collection[int] | None = None) -> list[TagGroup]:
    """Returns the tags of some or all runs, sorted by name."""
    found = _scalars().order_by("tag", "run_id", "segment", "first_step")
    if runs is not None:
        found = found.filter(run_id__in=runs)
    groups: dict[str, TagGroup] = {}
    for tag, *values in found.values_list("tag", *_COLUMNS):
        groups.setdefault(tag, {"name": tag, "series": []})["series"].append(_row(values))
    return list(groups.values())


def series_rows(numbers: Collection[int]) -> list[NamedSeriesRow]:
    """Returns rows of those of these series that are scalars."""
    found = _scalars().filter(pk__in=numbers).order_by("pk").values_list("tag", *_COLUMNS)
    return [{**_row(values), "name": tag} for tag, *values in found]


_RUNS_OF_SERIES = "SELECT id, run_id FROM runs_series WHERE kind = %s AND id IN"


def runs_of_series(numbers: Collection[int]) -> dict[int, int]:
    """Returns the run's number of each existing series.

    Every view calls this first. Building this query from models took nearly half of a view's time, so it is plain SQL.
    """
    if not numbers:
        return {}
    places = ", ".join(["%s"] * len(numbers))
    with connection.cursor() as cursor:
        cursor.execute(f"{_RUNS_OF_SERIES} ({places})", [Kind.SCALAR.value, *numbers])
        return dict(cursor.fetchall())


class Part(NamedTuple):
    """The position of one series in its run's curve."""

    series: int
    run: int
    tag: str
    segment: int
    first_step: int | None
    last_step: int | None
    first_wall: float | None


def parts_beside(numbers: Collection[int], tag: str | None = None) -> list[Part]:
    """Returns all series with the same runs and names as these, and those with another name in their runs."""
    chosen = list(_scalars().filter(pk__in=numbers).values_list("run_id", "tag"))
    tags = {name for _, name in chosen} | ({tag} if tag is not None else set())
    found = _scalars().filter(run_id__in={run for run, _ in chosen}, tag__in=tags).order_by("pk")
    columns = ("pk", "run_id", "tag", "segment", "first_step", "last_step", "first_wall")
    return [Part(*values) for values in found.values_list(*columns)]


def names_of(numbers: Collection[int]) -> dict[int, tuple[str, str, int]]:
    """Returns the name of the run, the tag and the segment of each series."""
    found = _scalars().filter(pk__in=numbers).values_list("pk", "run__name", "tag", "segment")
    return {number: (run, tag, segment) for number, run, tag, segment in found}


# Columns instead of models: a thousand runs have ten thousand series, and making models of them takes most of the time.
_COLUMNS = (
    *("run_id", "pk", "segment", "count", "first_step", "last_step"),
    *("first_wall", "last_wall", "last_value", "min", "max", "not_finite"),
)


def _scalars() -> QuerySet[Series]:
    return Series.objects.filter(kind=Kind.SCALAR)


def _row(values: list[Any]) -> SeriesRow:
    run, series, segment, count, first_step, last_step, first_wall, last_wall, last, low, high, not_finite = values
    return {
        "run": run,
        "series": series,
        "segment": segment,
        "count": count,
        "first_step": first_step,
        "last_step": last_step,
        "first_wall": first_wall,
        "last_wall": last_wall,
        "last_value": json_number(shown_value(last, count)),
        "min": low,
        "max": high,
        "not_finite": not_finite,
    }
