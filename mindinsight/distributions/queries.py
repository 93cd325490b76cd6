"""Queries for histograms: the ones to show of a series, all of a line, the change of a series. Called by the API."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mindinsight.distributions.decoding import Histogram
from mindinsight.distributions.distances import distances
from mindinsight.distributions.shelf import Shelf, read_histograms
from mindinsight.distributions.views import Item
from mindinsight.runs.models import Series
from mindinsight.runs.recorded import as_dicts, event_file
from mindinsight.store import ColumnStore, Table


def chosen_places(store: ColumnStore, series: Series, at_most: int) -> tuple[int, list[dict[str, Any]]]:
    """Returns the number of histograms in a series, and the places of some of them.

    Args:
        store: the store with the places.
        series: the series.
        at_most: maximum number of places: the first, the last, and others evenly spaced by index.
    """
    places = store.read(Table.PLACES, series.run_id, series.pk)
    count = len(places)
    index = np.arange(count) if count <= at_most else np.linspace(0, count - 1, at_most).round().astype(np.int64)
    return count, as_dicts(places[index])


def place_at(store: ColumnStore, series: Series, step: int) -> tuple[int, list[dict[str, Any]]]:
    """Returns the number of histograms in a series, and the place of the newest one up to a step.

    Args:
        store: the store with the places.
        series: the series.
        step: the step. The list is empty if the series begins after it.
    """
    places = store.read(Table.PLACES, series.run_id, series.pk)
    (earlier,) = np.nonzero(places["step"] <= step)
    if not len(earlier):
        return len(places), []
    steps = places["step"][earlier]
    newest = earlier[np.nonzero(steps == steps.max())[0][-1]]
    return len(places), as_dicts(places[newest : newest + 1])


def line_items(store: ColumnStore, shelf: Shelf, lines: Sequence[tuple[Series, int | None]]) -> tuple[list[Item], int]:
    """Returns all readable histograms of some series in order of step, and the number of unreadable ones.

    Args:
        store: the store with the places.
        shelf: the cache of decoded histograms.
        lines: each series with the step before which it ends, or None for its own end.
    """
    items: list[Item] = []
    unreadable = 0
    for series, until in lines:
        places = store.read(Table.PLACES, series.run_id, series.pk)
        path, _ = event_file(series)
        found = shelf.histograms((store.identity, series.pk), path, places)
        steps, walls = places["step"].tolist(), places["wall"].tolist()
        for step, wall, histogram in zip(steps, walls, found, strict=True):
            if until is not None and step >= until:
                continue
            if histogram is None:
                unreadable += 1
            else:
                items.append(Item(step, wall, histogram))
    return sorted(items, key=lambda item: item.step), unreadable


def measure(store: ColumnStore, series: Series) -> dict[str, Any]:
    """Returns the distance of a series' last histogram from its first, and what is unusual in the last one."""
    places = store.read(Table.PLACES, series.run_id, series.pk)
    path, _ = event_file(series)
    first, last = read_histograms(path, places[[0, -1]]) if len(places) else (None, None)
    apart = distances(first, last) if first and last else None
    at = last.zero_bucket if last else -1
    return {
        "series": series.pk,
        "ks": apart and apart[0],
        "wasserstein": apart and apart[1] if apart and np.isfinite(apart[1]) else None,
        "at_zero": float(last.count[at] / last.finite) if last and at >= 0 else 0.0 if last else None,
        "exact_zero": bool(last and at >= 0 and last.width[at] == 0),
        "max_abs": _max_abs(last),
        "not_finite": last.nan_count + last.pos_inf_count + last.neg_inf_count if last else 0,
    }


def _max_abs(histogram: Histogram | None) -> float | None:
    if histogram is None or histogram.min is None or histogram.max is None:
        return None
    return max(abs(histogram.min), abs(histogram.max))
