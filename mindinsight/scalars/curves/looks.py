"""The presentation of a series: the x axis, its scale, and the smoothing of values. Used by the API.

Consecutive files of one segment are smoothed as one curve, and the origin of a run is common to all its series with the
name. An answer therefore does not depend on how a training distributed its points over files.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise

import numpy as np

from mindinsight.scalars.curves.curve import Axis, Curve, along, joined, load, load_many
from mindinsight.scalars.curves.scales import LINEAR, Scale, ScaleKind
from mindinsight.scalars.curves.smoothing import smoothed, smoothed_each
from mindinsight.scalars.curves.windows import window_gaussian, window_mean
from mindinsight.scalars.queries import Part
from mindinsight.store import ColumnStore, Rows, Table

TAG = "tag:"
"""The prefix of an x axis with another scalar."""


class Along(StrEnum):
    """The quantity on the x axis."""

    STEP = "step"
    RELATIVE_STEP = "relative_step"
    RELATIVE_TIME = "relative_time"
    WALL = "wall"


class SmoothingKind(StrEnum):
    """The method of smoothing."""

    EMA = "ema"
    MEAN = "mean"
    GAUSSIAN = "gaussian"


_SMOOTH = {SmoothingKind.EMA: smoothed, SmoothingKind.MEAN: window_mean, SmoothingKind.GAUSSIAN: window_gaussian}
_AXES = {
    Along.STEP: Axis.STEP,
    Along.RELATIVE_STEP: Axis.STEP,
    Along.RELATIVE_TIME: Axis.WALL,
    Along.WALL: Axis.WALL,
}


@dataclass(frozen=True)
class Look:
    """The presentation of a series.

    Attributes:
        x: an `Along`, or `tag:` and the name of another scalar.
        scale: scale of the x axis.
        kind: method of smoothing.
        weight: strength of smoothing; 0 for none.
    """

    x: str = Along.STEP
    scale: Scale = LINEAR
    kind: SmoothingKind = SmoothingKind.EMA
    weight: float = 0.0

    @property
    def tag(self) -> str | None:
        """The scalar on the x axis."""
        return self.x.removeprefix(TAG) if self.x.startswith(TAG) else None

    @property
    def plain_axis(self) -> Axis | None:
        """The quantity on the x axis if points are shown unchanged on a linear scale; else None."""
        plain = self.tag is None and not self.weight and self.scale.kind is ScaleKind.LINEAR
        return _AXES[Along(self.x)] if plain else None

    @property
    def needs_others(self) -> bool:
        """Whether an answer depends on other series of the run."""
        return self.weight > 0 or self.x not in (Along.STEP, Along.WALL)


Span = tuple[int, int]
"""Number of a series, and number of its points."""


@dataclass(frozen=True)
class Around:
    """The data of a run that an answer needs besides the series itself.

    Attributes:
        origin: x that is shown as zero.
        before: the series that it continues.
        after: the series that continue it.
        x: series of the scalar on the x axis.
    """

    origin: float = 0.0
    before: tuple[Span, ...] = ()
    after: tuple[Span, ...] = ()
    x: tuple[Span, ...] = ()


PLAIN = Look()
NOTHING_AROUND = Around()


def series_around(look: Look, parts: Collection[Part], store: ColumnStore) -> Mapping[int, Around]:
    """Returns the data of its run that each series needs.

    Args:
        look: the presentation.
        parts: all series of the runs with one of the names.
        store: the store with the points.
    """
    counts: dict[int, int] = {}

    def spans(chosen: Collection[Part]) -> tuple[Span, ...]:
        # Most series have no others with their name, and then their points need not be counted.
        for one in chosen:
            if one.series not in counts:
                counts[one.series] = store.count(Table.POINTS, one.run, one.series)
        return tuple((one.series, counts[one.series]) for one in chosen)

    families: dict[tuple[int, str], list[Part]] = {}
    for part in parts:
        families.setdefault((part.run, part.tag), []).append(part)
    found: dict[int, Around] = {}
    for (run, _), family in families.items():
        origin = _origin(look, family)
        of_x = families.get((run, look.tag), []) if look.tag is not None else []
        for part in family:
            before, after = _chain(part, family) if look.weight and len(family) > 1 else ([], [])
            beside = [one for one in of_x if one.segment == part.segment]
            found[part.series] = Around(origin, spans(before), spans(after), spans(beside))
    return found


def _origin(look: Look, family: Sequence[Part]) -> float:
    if look.x == Along.RELATIVE_STEP:
        return min((part.first_step for part in family if part.first_step is not None), default=0)
    if look.x == Along.RELATIVE_TIME:
        return min((part.first_wall for part in family if part.first_wall is not None), default=0.0)
    return 0.0


def _chain(part: Part, family: Sequence[Part]) -> tuple[list[Part], list[Part]]:
    """The parts before and after one, if consecutive files of its segment continue each other."""
    chain = sorted(
        (one for one in family if one.segment == part.segment and one.first_step is not None),
        key=lambda one: (one.first_step or 0, one.series),
    )
    overlaps = any((one.last_step or 0) > (next_one.first_step or 0) for one, next_one in pairwise(chain))
    if overlaps or part not in chain:
        return [], []
    at = chain.index(part)
    return chain[:at], chain[at + 1 :]


def smoothed_alone(series: Sequence[Rows], look: Look) -> list[Rows]:
    """Returns the points of single series in order of step, with presented values.

    Args:
        series: all recorded points of each series.
        look: the presentation, of which only the smoothing is used.
    """
    ordered = [_in_order(points) for points in series]
    if not look.weight:
        return ordered
    if look.kind is SmoothingKind.EMA:
        return smoothed_each(ordered, look.weight)
    return [_SMOOTH[look.kind](points, look.weight) for points in ordered]


def _in_order(points: Rows) -> Rows:
    step = points["step"]
    return points if (step[1:] >= step[:-1]).all() else points[np.argsort(step, kind="stable")]


def look_at(store: ColumnStore, run: int, series: int, end: int, look: Look, around: Around) -> Curve:
    """Returns the first `end` points of a series as presented.

    Args:
        store: the store with the points.
        run: number of the run.
        series: number of the series.
        end: number of points.
        look: the presentation.
        around: further data of the run.
    """
    tag, axis = look.tag, _AXES.get(Along(look.x)) if look.tag is None else Axis.WALL
    if tag is None and not look.weight and axis is not None:
        curve = load(store, run, series, end, axis)
        return replace(curve, origin=around.origin, scale=look.scale)
    points = load(store, run, series, end, Axis.STEP).points
    if look.weight:
        points = _smoothed(points, look, load_many(store, run, around.before), load_many(store, run, around.after))
    if tag is not None or axis is None:
        return replace(joined(points, load_many(store, run, around.x), end), scale=look.scale)
    return replace(along(points, axis), total=end, origin=around.origin, scale=look.scale)


def _smoothed(points: Rows, look: Look, before: Sequence[Rows], after: Sequence[Rows]) -> Rows:
    whole = np.concatenate([*before, points, *after]) if before or after else points
    first = sum(len(rows) for rows in before)
    return _SMOOTH[look.kind](whole, look.weight)[first : first + len(points)]
