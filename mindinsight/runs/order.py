"""The order and groups of a table's runs, and the values of its columns.

Called by `api/order.py`. A table of ten thousand runs gets all their numbers at once, but only the values of visible
rows.
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
    """The values of a group's runs in one column: a summary of the numbers, or the common value."""

    n: int
    mean: float | str | None
    std: float | str | None
    min: float | str | None
    max: float | str | None
    best: float | str | None
    same: NotRequired[ColumnValue]


class GroupRow(TypedDict):
    """Runs with the same value under a key. The groups of the next level are inside."""

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
        groups: each group before the groups inside it. `first` is an index in `runs`.
    """

    runs: list[int]
    groups: list[GroupRow] = field(default_factory=list)


def on_shelf(shelf: Shelf) -> Q:
    """Returns the condition for archived runs, for all others, or for all runs."""
    if shelf == "all":
        return Q()
    archived = Q(has_mark(archived=True))
    return archived if shelf == "archived" else ~archived


def ordered(wanted: Wanted, by: Sequence[Column] = ()) -> Order:
    """Returns the requested runs.

    Args:
        wanted: condition and order. Groups have statistics of its columns.
        by: keys of the groups, the outermost first.
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
    """Returns the values of columns for some runs, by the runs' numbers. Missing runs are left out."""
    annotations = value_annotations(columns)
    runs = Run.objects.filter(pk__in=numbers, removed=Run.Removed.NO).annotate(**annotations)
    return {row["pk"]: list(columns_of(row, columns).values()) for row in runs.values("pk", *annotations)}


@dataclass(frozen=True)
class _Member:
    """The values of a run: first the keys of groups, then the columns."""

    run: int
    values: list[ColumnValue]


def _group(order: Order, members: Sequence[_Member], level: int, levels: int, columns: Sequence[Column]) -> None:
    """Adds runs in groups. Groups are in the order of their first runs."""
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
    """Summarises finite numbers: n, mean, sample standard deviation, minimum and maximum."""
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
    """The sample standard deviation of at least two values."""
    # Scaled, so that squares of very large values stay finite.
    scale = max(abs(value - mean) for value in values) or 1.0
    squares = math.fsum(((value - mean) / scale) ** 2 for value in values)
    return scale * math.sqrt(squares / (len(values) - 1))


def labels(columns: Sequence[Column]) -> list[dict[str, Any]]:
    """Returns the descriptions of columns: the requested text, and which values are better."""
    return [{"title": column.title, "better": best_direction(column.operand)} for column in columns]
