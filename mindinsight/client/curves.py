"""Scalars as arrays: one curve per run, joined from the series of its files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from mindinsight.client.dataframes import require_pandas
from mindinsight.client.frames import NO_POINTS, Points
from mindinsight.client.runs import Run
from mindinsight.client.segments import Piece


@dataclass(frozen=True, eq=False)
class Curve:
    """The points of a scalar tag in one run.

    Attributes:
        run: the run.
        tag: the tag.
        step: int64 of shape (n,).
        wall_time: float64 of shape (n,), seconds since 1970.
        value: float64 of shape (n,); NaN and infinities are values.
        segment: int64 of shape (n,), the segment of each point (segments lie between restarts).
    """

    run: Run
    tag: str
    step: npt.NDArray[np.int64]
    wall_time: npt.NDArray[np.float64]
    value: npt.NDArray[np.float64]
    segment: npt.NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.step)

    def __repr__(self) -> str:
        span = f", steps {self.step[0]} to {self.step[-1]}" if len(self) else ""
        return f"<Curve {self.tag!r} of {self.run.name!r}: {len(self)} points{span}>"


def join(run: Run, tag: str, pieces: Sequence[Piece], fetch: Callable[[int], Points]) -> Curve:
    """Returns the curve made of the pieces, in their order.

    Args:
        run: the run.
        tag: the tag.
        pieces: the series and the part of each that counts.
        fetch: returns the points of a series.
    """
    parts = [(piece, _cut(fetch(piece.series), piece.before)) for piece in pieces]
    points = [NO_POINTS, *(points for _, points in parts)]
    return Curve(
        run,
        tag,
        step=np.concatenate([part.step for part in points]),
        wall_time=np.concatenate([part.wall_time for part in points]),
        value=np.concatenate([part.value for part in points]),
        segment=np.repeat(
            np.array([piece.segment for piece, _ in parts], np.int64),
            np.array([len(part.step) for _, part in parts], np.int64),
        ),
    )


def _cut(points: Points, before: float) -> Points:
    counts = points.step < before
    return Points(points.step[counts], points.wall_time[counts], points.value[counts])


def curves_frame(curves: Iterable[Curve]) -> Any:
    """Returns one tidy DataFrame of curves, with one row per point: run, tag, segment, step, wall_time and value.

    Raises:
        ClientError: pandas is not installed.
    """
    pandas = require_pandas()
    found = list(curves)
    names = [curve.run.name for curve in found]
    counts = [len(curve) for curve in found]
    whole: dict[str, Any] = {
        "run": pandas.Categorical.from_codes(np.repeat(np.arange(len(found)), counts), categories=names),
        "tag": found[0].tag if found else "",
    }
    for name in ("segment", "step", "wall_time", "value"):
        columns = [getattr(curve, name) for curve in found]
        whole[name] = np.concatenate(columns) if columns else np.empty(0)
    return pandas.DataFrame(whole)
