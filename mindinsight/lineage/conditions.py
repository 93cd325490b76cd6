"""Search conditions as MindInsight's `filter_summary_lineage` takes them, and answers in its form.

Asked by `api/filter.py`. Names, operators and the form of the answer are those of MindInsight 2.3
(`mindinsight/lineagemgr/querier`); only names of its own, `metric/NAME` and `user_defined/NAME` are known there.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mindinsight.runs.details import RunDetails

FIELDS = {
    "train_dataset_path": "train_dataset_path",
    "train_dataset_count": "train_dataset_size",
    "test_dataset_path": "valid_dataset_path",
    "test_dataset_count": "valid_dataset_size",
    "network": "network",
    "optimizer": "optimizer",
    "learning_rate": "learning_rate",
    "epoch": "epoch",
    "batch_size": "batch_size",
    "device_num": "device_num",
    "loss_function": "loss_function",
    "model_size": "model_size",
}
"""MindInsight's names of parameters, and the names under which runs note them."""
SUMMARY_DIR, LOSS = "summary_dir", "loss"
METRIC, USER_DEFINED = "metric/", "user_defined/"
_KNOWN = frozenset({*FIELDS.values(), "parallel_mode", "model_path", "dataset_operations"})


def _contains(value: Any, among: Any) -> bool:
    return value in among


OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "eq": operator.eq,
    "lt": operator.lt,
    "gt": operator.gt,
    "le": operator.le,
    "ge": operator.ge,
    "in": _contains,
    "not_in": lambda value, among: value not in among,
}
_LISTS = ("in", "not_in")


class BadCondition(ValueError):  # noqa: N818
    """A condition that cannot be understood.

    Attributes:
        field: the name in it that is wrong.
    """

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(reason)
        self.field = field


@dataclass(frozen=True)
class Condition:
    """Which runs, in which order, and which part of them.

    Attributes:
        tests: name, operator and value that has to hold for all.
        sorted_name: what they are ordered by; newest first without it.
        descending: the other way round.
        limit: rows of a page; None for all.
        offset: number of the page, from 0.
    """

    tests: tuple[tuple[str, str, Any], ...] = ()
    sorted_name: str | None = None
    descending: bool = False
    limit: int | None = None
    offset: int = 0


def read_condition(given: Mapping[str, Any]) -> Condition:
    """Returns the condition that a dictionary means.

    Args:
        given: `{NAME: {OPERATOR: VALUE}, "sorted_name": NAME, "sorted_type": "descending", "limit": 10, "offset": 0}`.

    Raises:
        BadCondition: something in it is not known, or makes no sense.
    """
    tests: list[tuple[str, str, Any]] = []
    paging = {"sorted_name", "sorted_type", "limit", "offset", "lineage_type"}
    for name, expected in given.items():
        if name not in paging:
            tests += [(_field(name, name), *test) for test in _tests(name, expected)]
    sorted_name = given.get("sorted_name")
    kind = given.get("sorted_type")
    if kind not in (None, "ascending", "descending"):
        raise BadCondition("sorted_type", "'ascending' or 'descending' is expected")
    paged = "limit" in given or "offset" in given
    return Condition(
        tuple(tests),
        None if sorted_name is None else _field(sorted_name, "sorted_name"),
        kind == "descending",
        _whole(given, "limit", 10, 1, 100) if paged else None,
        _whole(given, "offset", 0, 0, 100_000),
    )


def _tests(name: str, expected: Any) -> list[tuple[str, Any]]:
    if not isinstance(expected, Mapping):
        raise BadCondition(name, f'an object such as {{"eq": …}} is expected; {", ".join(OPERATORS)} are known')
    for sign, value in expected.items():
        if sign not in OPERATORS:
            raise BadCondition(name, f"'{sign}' is not an operator; {', '.join(OPERATORS)} are")
        if (sign in _LISTS) != isinstance(value, (list, tuple)):
            raise BadCondition(name, f"'{sign}' takes {'a list' if sign in _LISTS else 'one value'}")
    return list(expected.items())


def _field(name: Any, said_by: str) -> str:
    if isinstance(name, str) and (
        name in FIELDS or name in (SUMMARY_DIR, LOSS) or name.startswith((METRIC, USER_DEFINED))
    ):
        return name
    known = ", ".join([SUMMARY_DIR, *FIELDS, LOSS])
    raise BadCondition(said_by, f"'{name}' is not a field; {known}, {METRIC}NAME and {USER_DEFINED}NAME are")


def _whole(given: Mapping[str, Any], name: str, default: int, least: int, most: int) -> int:
    value = given.get(name, default)
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise BadCondition(name, f"a whole number from {least} to {most} is expected")
    return value


def filtered(runs: Sequence[RunDetails], condition: Condition) -> dict[str, Any]:
    """Returns the runs for which a condition holds as MindInsight tells them.

    Returns:
        `object`, the runs of the page; `customized`, which metrics and user-defined names they have, with the type of
        a value; `count`, for how many runs the condition holds.
    """
    found = [
        run for run in runs if all(_holds(value_of(run, name), sign, value) for name, sign, value in condition.tests)
    ]
    if condition.sorted_name is not None:
        by = functools.partial(value_of, name=condition.sorted_name)
        found.sort(
            key=functools.cmp_to_key(lambda one, other: _order(by(one), by(other))), reverse=condition.descending
        )
    page = found
    if condition.limit is not None:
        page = found[condition.offset * condition.limit : (condition.offset + 1) * condition.limit]
    return {"customized": _customized(page), "object": [_told(run) for run in page], "count": len(found)}


def value_of(run: RunDetails, name: str) -> Any:
    """Returns what a run has under a name of MindInsight's, None where it has nothing."""
    if name == SUMMARY_DIR:
        return _directory(run)
    if name == LOSS:
        return _number(run["metrics"].get(LOSS))
    if name.startswith(METRIC):
        return _number(run["metrics"].get(name.removeprefix(METRIC)))
    if name.startswith(USER_DEFINED):
        return _user_defined(run).get(name.removeprefix(USER_DEFINED))
    return run["params"].get(FIELDS[name])


def _number(metric: Any) -> Any:
    """Metrics are numbers, and words where JSON has none for them."""
    return float(metric) if isinstance(metric, str) else metric


def _directory(run: RunDetails) -> str:
    return "./" if run["name"] == "." else f"./{run['name']}"


def _user_defined(run: RunDetails) -> dict[str, Any]:
    return {name: value for name, value in run["params"].items() if name not in _KNOWN}


def _holds(value: Any, sign: str, expected: Any) -> bool:
    if value is None and sign in ("lt", "gt", "le", "ge"):
        return False
    try:
        return bool(OPERATORS[sign](value, expected))
    except TypeError:  # A text and a number have no order.
        return False


def _order(one: Any, other: Any) -> int:
    """Nothing and NaN come before everything; what has no order goes by its type."""
    there = one is not None and one == one, other is not None and other == other
    if not all(there):
        return int(there[0]) - int(there[1])
    try:
        return int(one > other) - int(one < other)
    except TypeError:
        kinds = type(one).__name__, type(other).__name__
        return int(kinds[0] > kinds[1]) - int(kinds[0] < kinds[1])


def _customized(runs: Sequence[RunDetails]) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for run in runs:
        for prefix, noted in ((METRIC, run["metrics"]), (USER_DEFINED, _user_defined(run))):
            for name, value in noted.items():
                label = f"{prefix}{name}"
                found[label] = {"label": label, "required": prefix == METRIC, "type": type(value).__name__}
    return found


def _told(run: RunDetails) -> dict[str, Any]:
    lineage: dict[str, Any] = {name: run["params"].get(noted) for name, noted in FIELDS.items()}
    lineage |= {LOSS: run["metrics"].get(LOSS), "metric": run["metrics"], "user_defined": _user_defined(run)}
    return {SUMMARY_DIR: _directory(run), "model_lineage": lineage}
