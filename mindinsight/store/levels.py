"""Coarser summaries of a series' points: an entry for each 64 points (level 1) and each 4096 (level 2).

An entry has all values of its block that a chart could need, so that a view of a million points reads only a few
thousand. Made by `level_files`, read by the queries of `mindinsight.scalars`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mindinsight.store.kernel import library
from mindinsight.store.tables import Rows

BLOCK = 64
"""Number of points per entry of level 1, and of entries of level 1 per entry of level 2."""

LEVEL = np.dtype(
    [
        ("step_first", "<i8"),
        ("wall_first", "<f8"),
        ("min", "<f8"),
        ("max", "<f8"),
        ("sum", "<f8"),
        ("min_at", "<u2"),
        ("max_at", "<u2"),
        ("finite", "<u2"),
        ("nan", "<u2"),
        ("pos_inf", "<u2"),
        ("neg_inf", "<u2"),
        ("step_falls", "<u2"),
        ("wall_falls", "<u2"),
    ]
)
"""A block of points. 56 bytes.

`min`, `max` and `sum` are computed from the `finite` values; without any they are +inf, -inf and 0. `min_at` and
`max_at` are the positions of the first lowest and highest value in the block. `step_falls` and `wall_falls` count the
points of the block whose step or wall time is lower than that of the previous point, which may be in the previous
block.
"""

_COUNTS = ("finite", "nan", "pos_inf", "neg_inf")


@dataclass(frozen=True)
class Levels:
    """The summaries of the first points of a series.

    Attributes:
        one: rows of LEVEL, one for every complete block of 64 points.
        two: rows of LEVEL, one for every complete block of 4096 points. `min_at` and `max_at` count points.
    """

    one: Rows
    two: Rows


def summarise(points: Rows, before: Rows) -> Rows:
    """Returns entries of level 1.

    Args:
        points: rows of POINT, in complete blocks.
        before: the point before them; no row if they are the first points.
    """
    if library.KERNEL is not None:
        found = np.empty(len(points) // BLOCK, LEVEL)
        library.KERNEL.summarise(np.ascontiguousarray(points), np.ascontiguousarray(before), found)
        return found
    value = np.ascontiguousarray(points["value"]).reshape(-1, BLOCK)
    entries = np.zeros(len(value), LEVEL)
    entries["step_first"] = points["step"][::BLOCK]
    entries["wall_first"] = points["wall"][::BLOCK]
    for column in ("step", "wall"):
        entries[f"{column}_falls"] = _falls(points[column], before[column])
    finite = np.isfinite(value)
    if finite.all():
        entries["finite"] = BLOCK
        _fill_extremes(entries, value, value, value)
    else:
        _count_kinds(entries, value, finite)
        _fill_extremes(
            entries, np.where(finite, value, np.inf), np.where(finite, value, -np.inf), np.where(finite, value, 0.0)
        )
    return entries


def condense(ones: Rows) -> Rows:
    """Returns entries of level 2.

    Args:
        ones: entries of level 1, 64 for each of level 2.
    """
    if library.KERNEL is not None:
        found = np.empty(len(ones) // BLOCK, LEVEL)
        library.KERNEL.condense(np.ascontiguousarray(ones), found)
        return found
    blocks = ones.reshape(-1, BLOCK)
    entries = np.zeros(len(blocks), LEVEL)
    for column in ("step_first", "wall_first"):
        entries[column] = blocks[column][:, 0]
    for column in (*_COUNTS, "step_falls", "wall_falls"):
        entries[column] = blocks[column].sum(axis=1, dtype=np.uint16)
    with np.errstate(over="ignore", invalid="ignore"):
        entries["sum"] = blocks["sum"].sum(axis=1)
    row = np.arange(len(blocks))
    for column, place in (("min", blocks["min"].argmin(axis=1)), ("max", blocks["max"].argmax(axis=1))):
        entries[column] = blocks[column][row, place]
        entries[f"{column}_at"] = place * BLOCK + blocks[f"{column}_at"][row, place]
    return entries


def intact(entries: Rows, points: int) -> npt.NDArray[np.bool_]:
    """Returns which entries have been written. A hole in a file reads as zeros.

    Args:
        entries: rows of LEVEL.
        points: number of points that each entry summarises.
    """
    found: npt.NDArray[np.bool_] = np.equal(entries["finite"], points)
    if found.all():
        return found
    total = sum(entries[column].astype(np.int64) for column in _COUNTS)
    return np.asarray(total == points)


def _falls(column: npt.NDArray[np.float64], before: npt.NDArray[np.float64]) -> npt.NDArray[np.uint16]:
    fell = np.empty(len(column), np.bool_)
    if len(column):
        fell[0] = len(before) and not column[0] >= before[0]
    np.logical_not(column[1:] >= column[:-1], out=fell[1:])
    falls: npt.NDArray[np.uint16] = fell.reshape(-1, BLOCK).sum(axis=1, dtype=np.uint16)
    return falls


def _count_kinds(entries: Rows, value: npt.NDArray[np.float64], finite: npt.NDArray[np.bool_]) -> None:
    masks = (finite, np.isnan(value), value == np.inf, value == -np.inf)
    for column, mask in zip(_COUNTS, masks, strict=True):
        entries[column] = mask.sum(axis=1)


def _fill_extremes(
    entries: Rows,
    for_min: npt.NDArray[np.float64],
    for_max: npt.NDArray[np.float64],
    for_sum: npt.NDArray[np.float64],
) -> None:
    row = np.arange(len(entries))
    entries["min_at"] = for_min.argmin(axis=1)
    entries["max_at"] = for_max.argmax(axis=1)
    entries["min"] = for_min[row, entries["min_at"]]
    entries["max"] = for_max[row, entries["max_at"]]
    with np.errstate(over="ignore", invalid="ignore"):
        entries["sum"] = for_sum.sum(axis=1)
