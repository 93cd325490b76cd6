"""Questions about histograms: which of a series are shown, all of a line, how a series changed; asked by the API."""

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
    """Returns how many histograms a series has, and the places of some of them.

    Args:
        store: where the places are.
        series: the series.
        at_most: how many are chosen of more histograms: the first, the last, and evenly by index between them.
    """
    places = store.read(Table.PLACES, series.run_id, series.pk)
    count = len(places)
    index = np.arange(count) if count <= at_most else np.linspace(0, count - 1, at_most).round().astype(np.int64)
    return count, as_dicts(places[index])


def place_at(store: ColumnStore, series: Series, step: int) -> tuple[int, list[dict[str, Any]]]:
    """Returns how many histograms a series has, and the place of the newest one that is no later than a step.

    Args:
        store: where the places are.
        series: the series.
        step: the step that is asked for; the list is empty where the series begins after it.
    """
    places = store.read(Table.PLACES, series.run_id, series.pk)
    (earlier,) = np.nonzero(places["step"] <= step)
    if not len(earlier):
        return len(places), []
    steps = places["step"][earlier]
    newest = earlier[np.nonzero(steps == steps.max())[0][-1]]
    return len(places), as_dicts(places[newest : newest + 1])


def line_items(store: ColumnStore, shelf: Shelf, lines: Sequence[tuple[Series, int | None]]) -> tuple[list[Item], int]:
    """Returns all readable histograms of some series in order of step, and how many are not readable.

    Args:
        store: where the places are.
        shelf: keeps what was read.
        lines: each series with the step before which it ends, or None.
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
    """Returns how far the last histogram of a series is from its first one, and what is unusual in the last."""
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
