"""How a series is looked at: what lies along x, on which scale, and how its values are smoothed. Asked by the API.

Files of one segment that go on from one another are smoothed as one curve, and a run's origin is that of all its series
under the name, so that an answer does not depend on how a training spread its points over files.
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
"""The prefix of an x axis that is another scalar."""


class Along(StrEnum):
    """What lies along x."""

    STEP = "step"
    RELATIVE_STEP = "relative_step"
    RELATIVE_TIME = "relative_time"
    WALL = "wall"


class SmoothingKind(StrEnum):
    """How values are smoothed."""

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
    """How a series is looked at.

    Attributes:
        x: an `Along`, or `tag:` and the name of another scalar.
        scale: how x is put along its axis.
        kind: how values are smoothed.
        weight: how strongly, 0 for not at all.
    """

    x: str = Along.STEP
    scale: Scale = LINEAR
    kind: SmoothingKind = SmoothingKind.EMA
    weight: float = 0.0

    @property
    def tag(self) -> str | None:
        """The scalar that lies along x."""
        return self.x.removeprefix(TAG) if self.x.startswith(TAG) else None

    @property
    def plain_axis(self) -> Axis | None:
        """What lies along x where points are shown as they are on a linear scale; else None."""
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
    """What an answer needs of a run beside the series itself.

    Attributes:
        origin: x that counts as zero.
        before: series that it continues.
        after: series that go on from it.
        x: series of the scalar along x.
    """

    origin: float = 0.0
    before: tuple[Span, ...] = ()
    after: tuple[Span, ...] = ()
    x: tuple[Span, ...] = ()


PLAIN = Look()
NOTHING_AROUND = Around()


def series_around(look: Look, parts: Collection[Part], store: ColumnStore) -> Mapping[int, Around]:
    """Returns what each series needs of its run.

    Args:
        look: how they are looked at.
        parts: all series of the runs that have one of the names.
        store: where the points lie.
    """
    counts: dict[int, int] = {}

    def spans(chosen: Collection[Part]) -> tuple[Span, ...]:
        # Most series have none beside them, and thousands are not counted for nothing.
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
    """The parts before and after one, where the files of its segment go on from one another."""
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
    """Returns the points of series that no other one continues, in order of step, with the values that are looked at.

    Args:
        series: all points of each, as they were recorded.
        look: how they are smoothed.
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
    """Returns the first `end` points of a series as they are looked at.

    Args:
        store: where the points lie.
        run: number of the run.
        series: number of the series.
        end: how many points.
        look: how.
        around: what that needs of the run.
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
