"""Search conditions of MindInsight's `filter_summary_lineage`, and answers in its form.

Called by `api/filter.py`. Names, operators and the form of the answer are those of MindInsight 2.3
(`mindinsight/lineagemgr/querier`). It knows only its own names, `metric/NAME` and `user_defined/NAME`.
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
"""MindInsight's names of parameters, and the names under which runs record them."""
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
    """An invalid condition.

    Attributes:
        field: the name of the wrong part.
    """

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(reason)
        self.field = field


@dataclass(frozen=True)
class Condition:
    """A parsed condition with order and page.

    Attributes:
        tests: name, operator and value of each test. All must hold.
        sorted_name: the name to sort by; default: newest first.
        descending: whether the order is descending.
        limit: number of rows of a page; None for all.
        offset: number of the page, counted from 0.
    """

    tests: tuple[tuple[str, str, Any], ...] = ()
    sorted_name: str | None = None
    descending: bool = False
    limit: int | None = None
    offset: int = 0


def read_condition(given: Mapping[str, Any]) -> Condition:
    """Parses a condition.

    Args:
        given: `{NAME: {OPERATOR: VALUE}, "sorted_name": NAME, "sorted_type": "descending", "limit": 10, "offset": 0}`.

    Raises:
        BadCondition: a part is unknown or makes no sense.
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
    """Returns the runs that match a condition, in MindInsight's form.

    Returns:
        `object`, the runs of the page; `customized`, the metrics and user-defined names of these runs with the type of
        a value; `count`, the number of runs that match.
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
    """Returns a run's value under a name of MindInsight, or None."""
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
    """Converts metrics to numbers, or to words where JSON has no number."""
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
    except TypeError:  # A text and a number cannot be compared.
        return False


def _order(one: Any, other: Any) -> int:
    """Missing values and NaN come first. Values that cannot be compared are ordered by type."""
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
