"""The exact content of each pixel column of a curve: extremes, first and last points, counts and sums.

Called by `envelope` and `buckets`. The compiled library computes it, or numpy if there is none.
"""

from __future__ import annotations

import numpy as np

from mindinsight.scalars.curves.cover import Cover
from mindinsight.scalars.curves.curve import Curve
from mindinsight.scalars.curves.pixels import Indices, Pixels
from mindinsight.scalars.kernel import library
from mindinsight.store import Rows

COLUMN = np.dtype(
    [
        *((name, "<i8") for name in ("low", "high", "first", "last", "nan_at", "pos_at", "neg_at")),
        *((name, "<i8") for name in ("finite", "nan", "pos_inf", "neg_inf")),
        *((name, "<f8") for name in ("min", "max", "sum")),
    ]
)
"""A pixel column. Places are indices of points; -1 if there is none.

`low` and `high` are the first points with the lowest and highest finite value, `first` and `last` the first and
last finite points, `nan_at`, `pos_at` and `neg_at` the first points of a kind that is not finite. Four counts follow,
then `min` and `max` (inf and -inf without a finite value) and the `sum` of the finite values.
"""

_KINDS = (("finite", "first"), ("nan", "nan_at"), ("pos_inf", "pos_at"), ("neg_inf", "neg_at"))


def fill_columns(curve: Curve, pixels: Pixels) -> Rows:
    """Returns rows of COLUMN, one for each column with points."""
    columns = np.empty(len(pixels.starts), COLUMN)
    if library.KERNEL is not None:
        library.KERNEL.fill_columns(curve.points, curve.levels, pixels.edges, columns)
    elif len(columns):
        _fill_by_numpy(Cover(curve, pixels), columns)
    return columns


def shown_points(curve: Curve, pixels: Pixels) -> Rows:
    """Returns the points that a chart with these columns needs, and the neighbours on either side, in order."""
    if library.KERNEL is not None:
        return library.KERNEL.show_points(curve.points, curve.levels, pixels.edges)
    before = [pixels.first - 1] if pixels.first else []
    after = [pixels.end] if pixels.end < len(curve.points) else []
    places = np.concatenate([np.array(before, np.int64), _standing_out(curve, pixels), np.array(after, np.int64)])
    # Selecting them as bytes is several times faster than field by field.
    shown: Rows = curve.points.view(f"V{curve.points.itemsize}")[places].view(curve.points.dtype)
    return shown


def _standing_out(curve: Curve, pixels: Pixels) -> Indices:
    cover = Cover(curve, pixels)
    found = [cover.lowest()[1], cover.highest()[1], cover.last("finite"), *(cover.first(kind) for kind, _ in _KINDS)]
    places: Indices = np.unique(np.concatenate(found))
    return places[np.searchsorted(places, 0) :]


def _fill_by_numpy(cover: Cover, columns: Rows) -> None:
    columns["min"], columns["low"] = cover.lowest()
    columns["max"], columns["high"] = cover.highest()
    columns["last"] = cover.last("finite")
    columns["sum"] = cover.total()
    for kind, place in _KINDS:
        columns[kind], columns[place] = cover.count(kind), cover.first(kind)
