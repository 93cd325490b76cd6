"""Questions about texts: which of a series are listed; asked by the API and by the search."""

from __future__ import annotations

import numpy as np

from mindinsight.runs.models import Series
from mindinsight.store import ColumnStore, Rows, Table

MAX_BYTES = 32 << 20
"""So much is read of event files for one answer."""


def places_of(store: ColumnStore, series: Series, first: int, end: int | None, at_most: int) -> tuple[int, Rows]:
    """Returns how many texts a series has, and the places of some of them.

    Args:
        store: where the places are.
        series: the series.
        first: index of the first one wanted.
        end: index behind the last one wanted; None for as many as there may be.
        at_most: so many at once.
    """
    total = store.count(Table.PLACES, series.run_id, series.pk)
    stop = min(total, first + at_most, total if end is None else end)
    return total, store.read(Table.PLACES, series.run_id, series.pk, first, max(first, stop))


def within_bytes(places: Rows, at_most: int = MAX_BYTES) -> Rows:
    """Returns the first of some places, as many as can be read without reading too much; one at least."""
    fitting = int(np.searchsorted(np.cumsum(places["length"].astype(np.int64)), at_most, side="right"))
    return places[: max(1, fitting)]
