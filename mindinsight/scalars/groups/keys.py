"""Groups runs by hyper-parameters and tags. Called by `api`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import Any, TypedDict

from mindinsight.runs.models import Run, RunMarks

# With more runs, all are read: databases limit the number of parameters.
_MANY = 500
TAGS = "tags"
PARAM = "param:"

Value = str | float | int | bool | None


class Key(TypedDict):
    """A key to group by."""

    key: str
    runs: int
    values: int


class RunGroup(TypedDict):
    """Runs with the same values."""

    values: list[Value]
    runs: list[int]


_Known = dict[int, dict[str, Value]]


def known_of(numbers: Collection[int]) -> _Known:
    """Returns the values of each run, by its number and by key. Runs without tags have an empty text."""
    found = Run.objects.filter(removed=Run.Removed.NO)
    if len(numbers) <= _MANY:
        found = found.filter(pk__in=numbers)
    wanted = set(numbers)
    rows = [row for row in found.values_list("pk", "name", "params") if row[0] in wanted]
    marks = RunMarks.objects.exclude(tags=[])
    tags = {name: ", ".join(sorted(tags)) for name, tags in marks.values_list("run", "tags")}
    return {
        number: {TAGS: tags.get(name, ""), **{f"{PARAM}{key}": _plain(value) for key, value in params.items()}}
        for number, name, params in rows
    }


def keys_of(known: _Known) -> list[Key]:
    """Returns the keys by which runs can be grouped. Those with the fewest groups come first."""
    values: dict[str, set[Value]] = defaultdict(set)
    runs: dict[str, int] = defaultdict(int)
    for of_run in known.values():
        for key, value in of_run.items():
            values[key].add(value)
            runs[key] += 1
    keys = [Key(key=key, runs=runs[key], values=len(found)) for key, found in values.items()]
    return sorted(keys, key=lambda one: (one["values"], one["key"]))


def groups_of(known: _Known, keys: Sequence[str]) -> list[RunGroup]:
    """Returns the runs grouped by their values of some keys, in order of the values. A missing value is None."""
    groups: dict[tuple[Value, ...], list[int]] = defaultdict(list)
    for number, of_run in sorted(known.items()):
        groups[tuple(of_run.get(key) for key in keys)].append(number)
    ordered = sorted(groups.items(), key=lambda item: [_rank(value) for value in item[0]])
    return [RunGroup(values=list(values), runs=runs) for values, runs in ordered]


def _plain(value: Any) -> Value:
    """A comparable value: lists in their written form."""
    return value if value is None or isinstance(value, (str, int, float)) else str(value)


def _rank(value: Value) -> tuple[int, float, str]:
    """Orders numbers before texts, and missing values last."""
    if value is None:
        return 2, 0.0, ""
    if isinstance(value, str):
        return 1, 0.0, value
    return 0, float(value), ""
