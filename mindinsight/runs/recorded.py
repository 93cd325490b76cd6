"""Queries for series of other kinds than scalars: lists of them, and the paths of their event files.

Used by the apps that show such values, each for its own kind (`distributions`, `images`, `tensors`, `text`, `graphs`).
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, TypedDict

import numpy as np
from django.conf import settings

from mindinsight.api.problems import Problem
from mindinsight.runs.models import Series
from mindinsight.store import ColumnStore, Originals, Rows, Table
from mindinsight.stored_names import beneath
from summaries.beneath import FilePath
from summaries.kinds import Kind

MAX_BYTES = 32 << 20
"""Maximum bytes of event files that are read for one answer."""
_WORDS = {Kind.HISTOGRAM: "histograms", Kind.IMAGE: "images", Kind.TENSOR: "tensors", Kind.TEXT: "texts"}


class SeriesRow(TypedDict):
    """One series without the name of its tag."""

    run: int
    series: int
    segment: int
    count: int
    first_step: int | None
    last_step: int | None
    last_wall: float | None


class TagGroup(TypedDict):
    """All series with one name."""

    name: str
    series: list[SeriesRow]


def open_store() -> ColumnStore:
    """Returns the store of the dashboard."""
    return ColumnStore(settings.ENVIRONMENT.data_directory / "columns")


def tag_groups(kind: Kind, runs: Collection[int] | None = None) -> list[TagGroup]:
    """Returns the tags of a kind, sorted by name, of some or all runs."""
    found = Series.objects.filter(kind=kind, count__gt=0, run__removed="")
    if runs is not None:
        found = found.filter(run_id__in=runs)
    groups: dict[str, TagGroup] = {}
    for series in found.order_by("tag", "run_id", "segment", "first_step", "id"):
        groups.setdefault(series.tag, {"name": series.tag, "series": []})["series"].append(_row(series))
    return list(groups.values())


def all_series(kind: Kind, runs: Collection[int] | None = None) -> list[Series]:
    """Returns the series of a kind with their files, in order of their first records."""
    found = Series.objects.filter(kind=kind, count__gt=0, run__removed="").select_related("file")
    return list((found if runs is None else found.filter(run_id__in=runs)).order_by("pk"))


def find_series(kind: Kind, number: int) -> Series | None:
    """Returns a series of a kind with its file, or None if it does not exist."""
    return Series.objects.filter(kind=kind, pk=number).select_related("file").first()


def known_series(kind: Kind, number: int) -> Series:
    """Returns a series of a kind with its file.

    Raises:
        Problem: `unknown_series`.
    """
    series = find_series(kind, number)
    if series is None:
        message = f"There is no series {number} of {_WORDS[kind]}; its run may have been removed."
        raise Problem("unknown_series", message, 404, series=number)
    return series


def event_file(series: Series) -> tuple[FilePath, str]:
    """Returns the path at which the event file of a series can be read, and its path relative to the base directory."""
    file, environment = series.file, settings.ENVIRONMENT
    originals = Originals(environment.data_directory / "columns")
    return originals.find(series.run_id, file.pk, beneath(environment.base_directory, file.path)), file.path


def places_of(store: ColumnStore, series: Series, first: int, end: int | None, at_most: int) -> tuple[int, Rows]:
    """Returns the number of values in a series, and the places of some of them.

    Args:
        store: the store with the places.
        series: the series.
        first: index of the first value.
        end: index after the last value; None for no limit.
        at_most: maximum number of places.
    """
    total = store.count(Table.PLACES, series.run_id, series.pk)
    stop = min(total, first + at_most, total if end is None else end)
    return total, store.read(Table.PLACES, series.run_id, series.pk, first, max(first, stop))


def within_bytes(places: Rows, at_most: int = MAX_BYTES) -> Rows:
    """Returns the first places whose records can be read together without too many bytes; at least one."""
    fitting = int(np.searchsorted(np.cumsum(places["length"].astype(np.int64)), at_most, side="right"))
    return places[: max(1, fitting)]


def as_dicts(places: Rows) -> list[dict[str, Any]]:
    """Returns rows of places as dictionaries with Python numbers."""
    names = places.dtype.names or ()
    return [dict(zip(names, row, strict=True)) for row in places.tolist()]


def _row(series: Series) -> SeriesRow:
    return {
        "run": series.run_id,
        "series": series.pk,
        "segment": series.segment,
        "count": series.count,
        "first_step": series.first_step,
        "last_step": series.last_step,
        "last_wall": series.last_wall,
    }
