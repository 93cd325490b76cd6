"""The 17 conditions of MindInsight: their names, settings, and what they measure of a tensor.

A condition holds if any of its enabled settings does; `Measured` has the set and the actual value of each.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, Literal

from debugging.tensors.statistics import (
    Change,
    Statistics,
    change_between,
    is_finite,
    statistics_of,
    within,
    zeros_in,
)
from debugging.watch.problems import WatchError
from summaries.schema import debugger_pb2 as wire

__all__ = ["CONDITIONS", "Condition", "Measured", "Observed", "Setting", "settings_of"]

Sort = Literal["weight", "gradient", "activation", "tensor"]


class Observed:
    """A tensor under observation, with lazy statistics.

    Args:
        array: Its elements.
        before: Its elements a step ago; None if unknown.
        inputs: Inputs of the operator that made it.
        known: Its statistics, if they are known already.
    """

    def __init__(
        self, array: Any, before: Any = None, inputs: Iterable[Any] = (), known: Statistics | None = None
    ) -> None:
        self.array = array
        self.before = before
        self._inputs = inputs
        self._changes: dict[tuple[float, float], Change] = {}
        if known is not None:
            self.__dict__["statistics"] = known

    @cached_property
    def statistics(self) -> Statistics:
        """Statistics of its elements."""
        return statistics_of(self.array)

    @cached_property
    def is_finite(self) -> bool:
        """Whether every element is finite; cheaper than all statistics."""
        if "statistics" in self.__dict__:
            return self.statistics.is_finite
        if any(change.both == self.array.size for change in self._changes.values()):
            return True
        return is_finite(self.array)

    @property
    def is_finite_known(self) -> bool:
        """Whether `is_finite` is known without reading the elements."""
        return bool({"is_finite", "statistics"} & self.__dict__.keys() or self._changes)

    @cached_property
    def zero_percentage(self) -> float:
        """The percentage of zeros; cheaper than all statistics."""
        if "statistics" in self.__dict__:
            return self.statistics.zero_percentage
        return 100.0 * zeros_in(self.array) / self.array.size if self.array.size else 0.0

    @cached_property
    def inputs_finite(self) -> bool:
        """Whether all inputs of the operator are finite."""
        return all(map(is_finite, self._inputs))

    def change(self, rtol: float | None = None, atol: float = 0.0) -> Change | None:
        """The change since the step before; None if that is unknown.

        Args:
            rtol: Relative tolerance of close elements (`change_between`); None: only the sums are needed.
            atol: Absolute tolerance.
        """
        if self.before is None:
            return None
        # Several conditions need the same change of one weight. The sums do not depend on the tolerance.
        if rtol is None:
            if self._changes:
                return next(iter(self._changes.values()))
            rtol = 0.0
        if (rtol, atol) not in self._changes:
            self._changes[rtol, atol] = change_between(self.array, self.before, rtol, atol)
        return self._changes[rtol, atol]

    def percentage_within(self, low: float, high: float) -> float:
        """The percentage of elements between two numbers."""
        if self.statistics.is_finite and low <= self.statistics.min and self.statistics.max <= high:
            return 100.0
        return 100.0 * within(self.array, low, high) / self.statistics.count if self.statistics.count else 0.0


@dataclass(frozen=True, slots=True)
class Measured:
    """A setting and the measured value.

    Attributes:
        name: Of the setting.
        set: Value of the setting.
        actual: The measured value.
        hit: Whether the setting holds.
    """

    name: str
    set: float
    actual: float
    hit: bool

    @property
    def message(self) -> wire.Measured:
        """As a message."""
        return wire.Measured(name=self.name, set=self.set, actual=self.actual, hit=self.hit)


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting of a condition.

    Attributes:
        name: Its name.
        default: Its default value; None: it is disabled.
        supports: Whether it only modifies other settings and never holds by itself.
        hidden: Whether it is for experts.
    """

    name: str
    default: float | None = None
    supports: bool = False
    hidden: bool = False


Values = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition.

    Attributes:
        name: MindInsight's name.
        short: Two or three letters.
        sort: The sort of tensor that it is for.
        settings: Its settings.
        measure: Measures a tensor.
        from_before: Whether it needs the tensor of the step before.
        at_first: Whether it is evaluated only before the first step.
        cheap: Whether it needs less than all statistics.
    """

    name: str
    short: str
    sort: Sort
    measure: Callable[[Observed, Values], Iterator[Measured]]
    settings: tuple[Setting, ...] = field(default=())
    from_before: bool = False
    at_first: bool = False
    cheap: bool = False

    @property
    def turn(self) -> int:
        """Its place in the order of evaluation: conditions whose results others can reuse come first."""
        return 0 if self.from_before and "rtol" in {item.name for item in self.settings} else 1 + 2 * self.cheap


def settings_of(condition: Condition, given: Iterable[wire.Setting]) -> dict[str, float]:
    """The enabled settings with their values.

    Args:
        condition: The condition.
        given: Settings of a watchpoint; the others have their defaults.

    Raises:
        WatchError: A setting is unknown, a value is NaN, or no setting is enabled.
    """
    known = {setting.name: setting for setting in condition.settings}
    values = _switched_on(condition, known, given)
    if condition.settings and all(known[name].supports for name in values):
        own = ", ".join(setting.name for setting in condition.settings if not setting.supports)
        raise WatchError(f"{condition.name} needs at least one of {own}", "bad_setting")
    ends = ("range_start_inclusive", "range_end_inclusive")
    if any(name.startswith("range_percentage") for name in values) and not all(end in values for end in ends):
        raise WatchError(
            f"{condition.name}: a percentage needs both ends of its range, {' and '.join(ends)}", "bad_setting"
        )
    return values


def _switched_on(condition: Condition, known: Mapping[str, Setting], given: Iterable[wire.Setting]) -> dict[str, float]:
    """The defaults, changed by the settings of a watchpoint."""
    values = {setting.name: setting.default for setting in condition.settings if setting.default is not None}
    for item in given:
        if item.name not in known:
            has = ", ".join(known) or "none"
            raise WatchError(f"{condition.name} has no setting {item.name!r}; it has {has}", "bad_setting")
        if not item.enabled:
            values.pop(item.name, None)
            continue
        if math.isnan(item.value):
            raise WatchError(f"{item.name} of {condition.name} needs a number", "bad_setting")
        values[item.name] = item.value
    return values


def _compared(values: Values, actual: Mapping[str, float]) -> Iterator[Measured]:
    """Compares measured values with the settings named `..._gt`, `..._lt`, `..._ge`."""
    for name, value in values.items():
        what, _, relation = name.rpartition("_")
        if what in actual:
            found = actual[what]
            holds = {"gt": found > value, "lt": found < value, "ge": found >= value}[relation]
            yield Measured(name, value, found, holds)


def _not_finite(seen: Observed, _: Values) -> Iterator[Measured]:
    if seen.is_finite:
        return
    found = seen.statistics
    for name, count in (("nan", found.nans), ("inf", found.pos_infs), ("neg_inf", found.neg_infs)):
        yield Measured(name, 0, count, count > 0)


def _overflow_within(seen: Observed, _: Values) -> Iterator[Measured]:
    """Elements that are not finite although all inputs are."""
    bad = 0 if seen.is_finite else seen.statistics.count - seen.statistics.finite
    yield Measured("not_finite", 0, bad, bool(bad) and seen.inputs_finite)


def _size(seen: Observed, values: Values) -> Iterator[Measured]:
    found = seen.statistics
    actual = {"abs_mean": found.abs_mean, "max": found.max, "min": found.min, "mean": found.mean}
    return _compared(values, actual)


def _zeros(seen: Observed, values: Values) -> Iterator[Measured]:
    return _compared(values, {"zero_percentage": seen.zero_percentage})


def _beginning(seen: Observed, values: Values) -> Iterator[Measured]:
    found = seen.statistics
    return _compared(values, {"zero_percentage": found.zero_percentage, "max": found.max, "min": found.min})


def _unchanged(seen: Observed, values: Values) -> Iterator[Measured]:
    change = seen.change(values["rtol"], values["atol"])
    if change is not None:
        apart = change.apart
        if values.get("equal_nan") and apart:
            apart -= min(apart, seen.statistics.nans)
        yield Measured("rtol", values["rtol"], apart, apart == 0)


def _changing(seen: Observed, values: Values) -> Iterator[Measured]:
    change = seen.change()
    return _compared(values, {} if change is None else {"abs_mean_update_ratio": change.ratio(values["epsilon"])})


def _range(seen: Observed, values: Values) -> Iterator[Measured]:
    found = seen.statistics
    actual = {"max_min": found.max - found.min}
    if "range_start_inclusive" in values and "range_end_inclusive" in values:
        actual["range_percentage"] = seen.percentage_within(
            values["range_start_inclusive"], values["range_end_inclusive"]
        )
    return _compared(values, actual)


_SIZES: Final = ("abs_mean", "max", "min", "mean")
_LARGE: Final = tuple(Setting(f"{name}_gt") for name in _SIZES)
_SMALL: Final = tuple(Setting(f"{name}_lt") for name in _SIZES)
_CLOSE: Final = (
    Setting("rtol", 1e-5),
    Setting("atol", 1e-8, supports=True, hidden=True),
    Setting("equal_nan", 0.0, supports=True, hidden=True),
)
_EPSILON: Final = Setting("epsilon", 1e-9, supports=True, hidden=True)
_RANGE: Final = (
    Setting("range_start_inclusive", supports=True),
    Setting("range_end_inclusive", supports=True),
    Setting("range_percentage_lt"),
    Setting("range_percentage_gt"),
    Setting("max_min_lt"),
    Setting("max_min_gt"),
)
_ZERO: Final = Setting("zero_percentage_ge", 100.0)
_UPDATE_GT: Final = Setting("abs_mean_update_ratio_gt", 0.1)
_UPDATE_LT: Final = Setting("abs_mean_update_ratio_lt", 1e-4)

CONDITIONS: Final[Mapping[str, Condition]] = {
    condition.name: condition
    for condition in (
        Condition(
            "weight_initialization", "WI", "weight", _beginning, (_ZERO, Setting("max_gt"), Setting("min_lt")),
            at_first=True,
        ),
        Condition("weight_overflow", "WO", "weight", _not_finite, cheap=True),
        Condition("gradient_exploding", "GE", "gradient", _not_finite, cheap=True),
        Condition("tensor_overflow", "TO", "tensor", _not_finite, cheap=True),
        Condition("operator_overflow", "OO", "tensor", _overflow_within, cheap=True),
        Condition("weight_too_large", "WL", "weight", _size, _LARGE),
        Condition("gradient_too_large", "GL", "gradient", _size, _LARGE),
        Condition("tensor_too_large", "TL", "tensor", _size, _LARGE),
        Condition("weight_too_small", "WS", "weight", _size, _SMALL),
        Condition("gradient_vanishing", "GV", "gradient", _size, _SMALL),
        Condition("tensor_too_small", "TS", "tensor", _size, _SMALL),
        Condition("tensor_all_zero", "TZ", "tensor", _zeros, (_ZERO,), cheap=True),
        Condition("weight_not_changed", "WNC", "weight", _unchanged, _CLOSE, from_before=True),
        Condition("weight_change_too_large", "WCL", "weight", _changing, (_UPDATE_GT, _EPSILON), from_before=True),
        Condition("weight_change_too_small", "WCS", "weight", _changing, (_UPDATE_LT, _EPSILON), from_before=True),
        Condition("activation_range", "AR", "activation", _range, _RANGE),
        Condition("tensor_range", "TR", "tensor", _range, _RANGE),
    )
}  # fmt: skip
