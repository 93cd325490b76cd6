"""Runs in the database and beside it, and the results of queries, computed in plain Python."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from mindinsight.api.json_numbers import json_number
from mindinsight.runs.models import EventFile, Run, RunMarks, Series
from mindinsight.runs.search.tree import (
    All,
    Among,
    AnyOf,
    Call,
    Comparison,
    Containing,
    Field,
    Flag,
    Like,
    Name,
    Not,
    Operand,
    Term,
)

numbers = count(1)


@dataclass
class Made:
    """A run as it was made.

    Attributes:
        scalars: for each tag, its segments in order: last value, lowest, highest.
        marks: None where nobody made some.
    """

    name: str
    state: str = "finished"
    params: dict[str, Any] = field(default_factory=dict)
    metrics: dict[str, Any] = field(default_factory=dict)
    scalars: dict[str, list[tuple[float, float, float]]] = field(default_factory=dict)
    marks: dict[str, Any] | None = None
    first_wall: float | None = None
    last_wall: float | None = None
    last_step: int | None = None
    points: int = 0

    def store(self) -> Run:
        """Puts it into the database as the reader does: NaN is null, what is noted has words for what is no number."""
        run = Run.objects.create(
            name=self.name,
            state=self.state,
            params={name: _storable(value) for name, value in self.params.items()},
            metrics={name: _storable(value) for name, value in self.metrics.items()},
            first_wall=self.first_wall,
            last_wall=self.last_wall,
            last_step=self.last_step,
            point_count=self.points,
        )
        file = EventFile.objects.create(run=run, path=f"{self.name}/events")
        for tag, segments in self.scalars.items():
            for number, (last, low, high) in enumerate(segments):
                facts = {"segment": number, "stretch": number, "count": 1, "last_step": 1, "last_wall": 1.0}
                stored = None if math.isnan(last) else last
                Series.objects.create(
                    id=next(numbers), run=run, file=file, tag=tag, kind="scalar", last_value=stored, min=low, max=high,
                    **facts,
                )  # fmt: skip
        if self.marks is not None:
            RunMarks.objects.create(run=self.name, **self.marks)
        return run


NOW = 6000.0
"""The time at which the tests' queries are asked, in seconds since 1970."""


def _storable(value: Any) -> Any:
    return json_number(value) if isinstance(value, float) else value


def matches(run: Made, term: Term) -> bool:
    """Whether a query's tree holds for a run."""
    match term:
        case All(terms):
            return all(matches(run, one) for one in terms)
        case AnyOf(terms):
            return any(matches(run, one) for one in terms)
        case Not(inner):
            return not matches(run, inner)
        case Flag(mark):
            return bool((run.marks or {}).get(mark.name))
        case Comparison(left, sign, right):
            return any(COMPARE[sign](value, moment(left, right)) for value in of_kind(run, left, right))
        case Among(left, values):
            return any(value == moment(left, right) for right in values for value in of_kind(run, left, right))
        case Like(left, pattern):
            parts = [".*" if letter == "*" else "." if letter == "?" else re.escape(letter) for letter in pattern]
            glob = re.compile("".join(parts), re.IGNORECASE | re.DOTALL | re.ASCII)
            return any(glob.fullmatch(value) for value in texts(run, left))
        case Containing(left, part):
            return any(part.lower() in value.lower() for value in texts(run, left))


def moment(left: Operand, right: Any) -> Any:
    """What a value is compared with: a negative time counts back from now."""
    return NOW + right if left == Field("started") and not isinstance(right, str) and right < 0 else right


COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "=": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
}


def of_kind(run: Made, operand: Operand, other: float | str) -> list[Any]:
    """The values of an operand that can be compared with another value: none, one, or a run's tags."""
    if isinstance(other, str):
        return list(texts(run, operand))
    found = number(run, operand)
    return [] if found is None else [found]


def number(run: Made, operand: Operand) -> float | None:
    """An operand as a number."""
    match operand:
        case Call("last", tag):
            return first(last_value(run, tag), noted_number(run.metrics, tag))
        case Call(function, tag):
            segments = run.scalars.get(tag, [])
            lowest, highest = (min((s[1] for s in segments), default=None), max((s[2] for s in segments), default=None))
            return first(lowest if function == "min" else highest, noted_number(run.metrics, tag))
        case Name(name, source):
            params = noted_number(run.params, name)
            if source == "param":
                return params
            metric = first(noted_number(run.metrics, name), last_value(run, name))
            return metric if source == "metric" else first(params, metric)
        case Field("duration"):
            return None if run.first_wall is None or run.last_wall is None else run.last_wall - run.first_wall
        case Field("icon"):
            return (run.marks or {}).get("icon") or None
        case Field(name):
            known = {"step": run.last_step, "points": run.points, "started": run.first_wall}
            return known[name] if name in known else (run.marks or {}).get("colour")


def texts(run: Made, operand: Operand) -> list[str]:
    """An operand as a text; tags may be several."""
    match operand:
        case Name(name, source):
            places = {"any": [run.params, run.metrics], "param": [run.params], "metric": [run.metrics]}[source]
            found = [text for place in places if (text := noted_text(place, name)) is not None]
            return found[:1]
        case Field("tag"):
            return list((run.marks or {}).get("tags", []))
        case Field("note"):
            return [note] if (note := (run.marks or {}).get("note")) else []
        case Field("name"):
            return [run.name]
        case Field("state"):
            return [run.state]
    return []


def first(*values: float | None) -> float | None:
    return next((value for value in values if value is not None), None)


def noted_number(place: dict[str, Any], name: str) -> float | None:
    value = place.get(name)
    if isinstance(value, str) and value in ("Infinity", "-Infinity"):
        return float(value)
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) and value == value else None


def noted_text(place: dict[str, Any], name: str) -> str | None:
    value = place.get(name)
    if isinstance(value, bool):
        return "true" if value else "false"
    value = _storable(value)
    return value if isinstance(value, str) else None


def last_value(run: Made, tag: str) -> float | None:
    segments = run.scalars.get(tag)
    return None if not segments or math.isnan(segments[-1][0]) else segments[-1][0]
