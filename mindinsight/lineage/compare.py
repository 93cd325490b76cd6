"""Compares some runs side by side. Differences come first. Called by `api/compare.py`.

A section is a function that returns the runs' values by name. Add a new kind of facts to `SECTIONS`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypedDict

from mindinsight.lineage.environments import environments_of, pipelines_of
from mindinsight.runs.details import RunDetails, run_details

Facts = Sequence[Mapping[str, Any]]
"""The values of each run by name, in order of the runs. Missing names are left out."""


class CompareRow(TypedDict):
    """The values of runs under one name."""

    name: str
    values: list[Any]
    set: list[bool]
    same: bool


class CompareSection(TypedDict):
    """Rows of one kind."""

    name: str
    rows: list[CompareRow]


def _noted(of: Literal["params", "metrics"]) -> Callable[[Sequence[RunDetails]], Facts]:
    return lambda runs: [run[of] for run in runs]


SECTIONS: dict[str, Callable[[Sequence[RunDetails]], Facts]] = {
    "params": _noted("params"),
    "metrics": _noted("metrics"),
    "pipeline": pipelines_of,
    "environment": environments_of,
}
"""The sections of a comparison, in the order of the answer."""


def compare(numbers: Sequence[int]) -> tuple[list[int], list[CompareSection]]:
    """Returns the existing runs in the requested order, and their values in each section."""
    found = {run["number"]: run for run in run_details(numbers)}
    runs = [found[number] for number in numbers if number in found]
    sections: list[CompareSection] = [
        {"name": name, "rows": _rows(facts_of(runs))} for name, facts_of in SECTIONS.items()
    ]
    return [run["number"] for run in runs], sections


def _rows(facts: Facts) -> list[CompareRow]:
    """Returns one row for each name that any run has. Differing rows come first, each kind in alphabetical order."""
    rows = [_row(name, facts) for name in sorted({name for of_run in facts for name in of_run})]
    return sorted(rows, key=lambda row: row["same"])


def _row(name: str, facts: Facts) -> CompareRow:
    found = [name in of_run for of_run in facts]
    values = [of_run.get(name) for of_run in facts]
    # 1 equals True in Python, but they are different values.
    same = all(found) and all((value, type(value) is bool) == (values[0], type(values[0]) is bool) for value in values)
    return {"name": name, "values": values, "set": found, "same": same}
