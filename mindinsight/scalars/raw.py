"""Every point of a series, piece by piece: frames, CSV or JSON. Used by the API.

A piece is made after the previous one has been sent, so that answers of any length take little memory.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import orjson

from mindinsight.api.frames import Kind, encode
from mindinsight.api.json_numbers import json_number
from mindinsight.scalars.json_frames import numbers
from mindinsight.store import Rows

# In binary form 640 KiB to 768 KiB.
PIECE_POINTS = 32_768


@dataclass(frozen=True)
class Stretch:
    """Consecutive points of a series.

    Attributes:
        run: number of the run.
        series: number of the series.
        first: index of the first point.
        stored: time when the newest point was stored, in seconds since 1970.
        points: rows of POINT, mapped into memory.
    """

    run: int
    series: int
    first: int
    stored: float
    points: Rows

    def pieces(self) -> Iterator[tuple[int, Rows]]:
        """The points in pieces, each with the index of its first point. Without points there is one empty piece."""
        for at in range(0, max(1, len(self.points)), PIECE_POINTS):
            yield self.first + at, self.points[at : at + PIECE_POINTS]


def as_frames(stretch: Stretch) -> Iterator[bytes]:
    """Concatenated frames of kind 1."""
    for first, piece in stretch.pieces():
        end = first + len(piece)
        yield encode(Kind.POINTS, stretch.run, stretch.series, first, end, stretch.stored, piece)


def as_csv(stretch: Stretch) -> Iterator[bytes]:
    """A table with a header line. Values that are not finite are written as in JSON."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("step", "wall_time", "value"))
    for _, piece in stretch.pieces():
        writer.writerows((step, json_number(wall), json_number(value)) for step, wall, value in piece.tolist())
        yield text.getvalue().encode()
        text.seek(0)
        text.truncate()


@dataclass(frozen=True)
class Named:
    """Points of a series with its run, tag and segment.

    Attributes:
        run: name of the run.
        tag: name of the tag.
        segment: number of the run's segment.
        points: rows of POINT, mapped into memory.
    """

    run: str
    tag: str
    segment: int
    points: Rows


def as_table(parts: Iterable[Named]) -> Iterator[bytes]:
    """One table of several series as CSV, with run, tag and segment in the first columns."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("run", "tag", "segment", "step", "wall_time", "value"))
    for part in parts:
        names = (part.run, part.tag, part.segment)
        for at in range(0, len(part.points), PIECE_POINTS):
            piece = part.points[at : at + PIECE_POINTS].tolist()
            writer.writerows((*names, step, json_number(wall), json_number(value)) for step, wall, value in piece)
            yield text.getvalue().encode()
            text.seek(0)
            text.truncate()
    yield text.getvalue().encode()


def as_json(stretch: Stretch) -> Iterator[bytes]:
    """The object for `format=json` of points, with one frame that has every point."""
    head = {"run": stretch.run, "series": stretch.series, "kind": "points", "first": stretch.first}
    yield b'{"frames":[' + orjson.dumps({**head, "end": stretch.first + len(stretch.points)})[:-1]
    for name, column in (("step", "step"), ("wall_time", "wall"), ("value", "value")):
        yield f',"{name}":['.encode()
        for first, piece in stretch.pieces():
            comma = b"," if first > stretch.first else b""
            yield comma + orjson.dumps(numbers(piece[column]), option=orjson.OPT_SERIALIZE_NUMPY)[1:-1]
        yield b"]"
    yield b"}]}"


FORMATS: dict[str, tuple[str, Callable[[Stretch], Iterator[bytes]]]] = {
    "binary": ("application/octet-stream", as_frames),
    "csv": ("text/csv; charset=utf-8", as_csv),
    "json": ("application/json", as_json),
}
"""Media type of each format, and the function that makes its pieces."""
