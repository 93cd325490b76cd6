"""Which runs a table shows and in which order, in groups or not, and the values of its columns.

Asked by `api/order.py`. A table of ten thousand runs gets their numbers at once and the values of those in view.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NotRequired, TypedDict

from django.db.models import Q

from mindinsight.api.json_numbers import json_number
from mindinsight.runs.models import Run
from mindinsight.runs.queries import Wanted, matching
from mindinsight.runs.search import best_direction, columns_of, shown, value_annotations
from mindinsight.runs.search.tree import Column
from mindinsight.runs.search.values import ColumnValue, has_mark

Shelf = Literal["active", "archived", "all"]


class ColumnStatistics(TypedDict):
    """What the runs of a group have in one column: numbers among them summed up, or the one value that all have."""

    n: int
    mean: float | str | None
    std: float | str | None
    min: float | str | None
    max: float | str | None
    best: float | str | None
    same: NotRequired[ColumnValue]


class GroupRow(TypedDict):
    """Runs that have the same value under a key; groups of the next level lie inside."""

    level: int
    key: ColumnValue
    first: int
    count: int
    columns: dict[str, ColumnStatistics]


@dataclass(frozen=True)
class Order:
    """Runs in the order of a table.

    Attributes:
        runs: their numbers.
        groups: each before the groups inside it; their `first` counts in `runs`.
    """

    runs: list[int]
    groups: list[GroupRow] = field(default_factory=list)


def on_shelf(shelf: Shelf) -> Q:
    """Returns the condition for runs of the archive, for the others, or for all."""
    if shelf == "all":
        return Q()
    archived = Q(has_mark(archived=True))
    return archived if shelf == "archived" else ~archived


def ordered(wanted: Wanted, by: Sequence[Column] = ()) -> Order:
    """Returns the runs that are wanted.

    Args:
        wanted: which and in which order; of its columns, groups tell statistics.
        by: what groups have in common, the outermost first.
    """
    runs = matching(wanted=wanted)
    if not by:
        return Order(list(runs.values_list("pk", flat=True)))
    columns = [*by, *wanted.columns]
    annotations = value_annotations(columns)
    rows = list(runs.annotate(**annotations).values("pk", *annotations))
    members = [_Member(row["pk"], [shown(row, at, column) for at, column in enumerate(columns)]) for row in rows]
    order = Order([])
    _group(order, members, 0, len(by), wanted.columns)
    return order


def values(numbers: Collection[int], columns: Sequence[Column]) -> dict[int, list[ColumnValue]]:
    """Returns the values of columns for some runs, by the runs' numbers; those that are gone are left out."""
    annotations = value_annotations(columns)
    runs = Run.objects.filter(pk__in=numbers, removed=Run.Removed.NO).annotate(**annotations)
    return {row["pk"]: list(columns_of(row, columns).values()) for row in runs.values("pk", *annotations)}


@dataclass(frozen=True)
class _Member:
    """A run with the values of what groups go by, and then of the columns."""

    run: int
    values: list[ColumnValue]


def _group(order: Order, members: Sequence[_Member], level: int, levels: int, columns: Sequence[Column]) -> None:
    """Adds runs in groups, which come in the order of their first runs."""
    if level == levels:
        order.runs.extend(member.run for member in members)
        return
    found: dict[tuple[type, ColumnValue], list[_Member]] = {}
    for member in members:
        key = member.values[level]
        found.setdefault((type(key), key), []).append(member)
    for (_, key), inside in found.items():
        statistics = {
            column.title: _statistics((member.values[levels + at] for member in inside), best_direction(column.operand))
            for at, column in enumerate(columns)
        }
        order.groups.append(
            {"level": level, "key": key, "first": len(order.runs), "count": len(inside), "columns": statistics}
        )
        _group(order, inside, level + 1, levels, columns)


_BEST: Mapping[str | None, Callable[[Iterable[float]], float]] = {"min": min, "max": max}


def _statistics(of: Iterable[ColumnValue], direction: Literal["min", "max"] | None) -> ColumnStatistics:
    """Sums up finite numbers: n, mean, standard deviation of a sample, and the ends."""
    found = list(of)
    numbers = [value for value in found if isinstance(value, (int, float)) and not isinstance(value, bool)]
    finite = [value for value in numbers if math.isfinite(value)]
    statistics: ColumnStatistics = {"n": len(finite), "mean": None, "std": None, "min": None, "max": None, "best": None}
    if finite:
        mean = math.fsum(value / len(finite) for value in finite)
        statistics["mean"] = mean
        statistics["min"], statistics["max"] = min(finite), max(finite)
        statistics["best"] = _BEST[direction](finite) if direction else None
        if len(finite) > 1:
            statistics["std"] = json_number(_sample_deviation(finite, mean))
    if found and all(type(value) is type(found[0]) and value == found[0] for value in found):
        statistics["same"] = found[0]
    return statistics


def _sample_deviation(values: Sequence[float], mean: float) -> float:
    """The standard deviation of a sample of at least two values."""
    # Scaled, so that squares of very large values stay finite.
    scale = max(abs(value - mean) for value in values) or 1.0
    squares = math.fsum(((value - mean) / scale) ** 2 for value in values)
    return scale * math.sqrt(squares / (len(values) - 1))


def labels(columns: Sequence[Column]) -> list[dict[str, Any]]:
    """Returns what a page has to know of columns: the text that asked for each, and which values are better."""
    return [{"title": column.title, "better": best_direction(column.operand)} for column in columns]
