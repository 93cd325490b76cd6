"""The points of all members of a group, prepared for pixel columns. Used by `api`.

The points of short series are in one array, so that numpy handles a thousand runs in a few steps. Long series stay
curves with levels, so that a view of them is as fast as for a single run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mindinsight.scalars.curves.curve import LEVELS_FROM, Axis, Curve
from mindinsight.scalars.curves.looks import (
    NOTHING_AROUND,
    PLAIN,
    Along,
    Around,
    Look,
    look_at,
    series_around,
    smoothed_alone,
)
from mindinsight.scalars.groups.members import Member
from mindinsight.store import ColumnStore, Rows, one_after_another

Numbers = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]


@dataclass(frozen=True)
class LongPart:
    """A long series of a member.

    Attributes:
        member: index of the member in the group.
        curve: the points in order of x.
    """

    member: int
    curve: Curve

    def x_of(self, place: int) -> float:
        """x of a point relative to the chart's origin."""
        return float(self.curve.x[place] - self.curve.origin)

    @property
    def ends(self) -> Numbers:
        """x of the first and the last point."""
        return np.array([self.x_of(0), self.x_of(-1)] if len(self.curve.points) else [])


@dataclass(frozen=True)
class GroupPoints:
    """The points of a group.

    Attributes:
        members: number of members.
        x: x of the points of short series; finite, and ascending for each member; shape (n,).
        value: values of these points; finite.
        member: index of the member of each point; ascending.
        longs: the long series.
    """

    members: int
    x: Numbers
    value: Numbers
    member: Indices
    longs: tuple[LongPart, ...]

    def extent(self, above_zero: bool = False) -> tuple[float, float] | None:
        """Returns the lowest and the highest x, or None if there are no points.

        Args:
            above_zero: whether only x above zero counts, as on a logarithmic axis.
        """
        found = [self.x] + [long.curve.x - long.curve.origin if above_zero else long.ends for long in self.longs]
        held = [x[x > 0] if above_zero else x for x in found]
        ends = [(float(x.min()), float(x.max())) for x in held if len(x)]
        return (min(low for low, _ in ends), max(high for _, high in ends)) if ends else None


def gather(store: ColumnStore, members: Sequence[Member], look: Look = PLAIN) -> GroupPoints:
    """Returns the points of a group.

    Args:
        store: the store with the points.
        members: the members.
        look: the x axis, and the smoothing that is applied to each member first.
    """
    shorts, longs = _read_parts(store, members, look)
    axis = Axis.STEP if look.x in (Along.STEP, Along.RELATIVE_STEP) else Axis.WALL
    x, value, member_of = _joined(shorts, axis)
    return GroupPoints(len(members), x, value, member_of, tuple(longs))


def _read_parts(store: ColumnStore, members: Sequence[Member], look: Look) -> tuple[list[_Short], list[LongPart]]:
    """Reads and smooths the series of all members. Those with many points stay curves with levels."""
    shorts: list[_Short] = []
    longs: list[LongPart] = []
    alone: list[int] = []
    around = _around(store, members, look)
    parts = [(place, member, part) for place, member in enumerate(members) for part in member.parts]
    read = store.read_points([(part.run, part.series) for _, _, part in parts])
    for (place, member, part), points in zip(parts, read, strict=True):
        here = around.get(part.series, NOTHING_AROUND)
        if len(points) < LEVELS_FROM and look.tag is None and not here.before and not here.after:
            # Like `look_at`, but not run by run for a thousand runs.
            alone.append(len(shorts))
        else:
            curve = look_at(store, part.run, part.series, len(points), look, here)
            if member.end_of(part) is None and len(curve.points) >= LEVELS_FROM:
                longs.append(LongPart(place, curve))
                continue
            points = curve.points
        shorts.append(_Short(place, here.origin, points, member.end_of(part)))
    if look.weight:
        for at, points in zip(alone, smoothed_alone([shorts[at].points for at in alone], look), strict=True):
            shorts[at] = shorts[at]._replace(points=points)
    return shorts, longs


def _around(store: ColumnStore, members: Sequence[Member], look: Look) -> Mapping[int, Around]:
    """The further data of each series, if the look needs it."""
    if not look.needs_others:
        return {}
    return series_around(look, [part for one in members for part in (*one.parts, *one.beside)], store)


class _Short(NamedTuple):
    member: int
    origin: float
    points: Rows
    end: int | None

    @property
    def kept(self) -> Rows:
        """The points that no later segment replaces."""
        return self.points if self.end is None else self.points[self.points["step"] < self.end]


def _joined(shorts: list[_Short], axis: Axis) -> tuple[Numbers, Numbers, Indices]:
    """Joins the points of short series that have a place in the chart into one array."""
    if not shorts:
        return np.empty(0), np.empty(0), np.empty(0, np.int64)
    kept = [short.kept for short in shorts]
    lengths = [len(points) for points in kept]
    points = one_after_another(kept)
    x, value = points[axis.value].astype(np.float64), points["value"]
    member = np.repeat([short.member for short in shorts], lengths)
    x -= np.repeat([short.origin for short in shorts], lengths)
    placed = np.isfinite(x) & np.isfinite(value)
    if not placed.all():
        x, value, member = x[placed], value[placed], member[placed]
    if not _in_order(x, member):
        order = np.lexsort((x, member))
        x, value, member = x[order], value[order], member[order]
    return x, value, member


def _in_order(x: Numbers, member: Indices) -> bool:
    return bool(((np.diff(x) >= 0) | (np.diff(member) > 0)).all())
