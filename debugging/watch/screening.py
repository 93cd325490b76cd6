"""Evaluates simple conditions of all weights at once: tells for which weights no watchpoint holds.

Used by `Watchpoints` behind each step. What may hold is evaluated again, weight by weight, as `conditions.py` says.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from debugging.tensors.statistics import Changes, changes_between
from debugging.watch.watchpoint import ArmedWatchpoint

__all__ = ["Screened", "Screening"]

_Mask = np.ndarray[Any, Any]


def _may_be_infinite(seen: Changes, values: Mapping[str, float]) -> _Mask:
    return ~seen.finite


def _may_be_unchanged(seen: Changes, values: Mapping[str, float]) -> _Mask:
    # Numbers that are NaN in both may count as equal.
    return np.equal(seen.apart, 0) | ~seen.finite


def _may_have_changed(seen: Changes, values: Mapping[str, float]) -> _Mask:
    limit, epsilon = values["abs_mean_update_ratio_gt"], values["epsilon"]
    # Multiplied out, and with a margin: the condition itself divides.
    return seen.sum_change >= 0.999 * limit * (seen.sum_before + epsilon * seen.both)


#: What says of all weights for which of them a condition may hold, by the condition.
_MASKS: Final[Mapping[str, Callable[[Changes, Mapping[str, float]], _Mask]]] = {
    "weight_overflow": _may_be_infinite,
    "weight_not_changed": _may_be_unchanged,
    "weight_change_too_large": _may_have_changed,
}


@dataclass(frozen=True, slots=True)
class Screened:
    """What is known of weights without a look at each.

    Attributes:
        quiet: Names of weights for which no watchpoint holds.
        finite: Whether all elements are finite, by name, for these weights.
        nbytes: Bytes that were read.
    """

    quiet: frozenset[str]
    finite: Mapping[str, bool]
    nbytes: int


class Screening:
    """The weights whose watchpoints can be evaluated at once.

    Args:
        watching: Watchpoints by the names of weights.
        asked: Names of weights whose statistics an expression needs.
    """

    def __init__(self, watching: Mapping[str, Sequence[ArmedWatchpoint]], asked: Collection[str]) -> None:
        self._tolerance = _tolerance_of(watching)
        by_name = {name: [one for one in armed if not _is_at_first(one)] for name, armed in watching.items()}
        self.names = [
            name
            for name, armed in by_name.items()
            if name not in asked and all(_can_screen(one, self._tolerance) for one in armed)
        ]
        self._places: list[tuple[ArmedWatchpoint, list[int]]] = []
        places: dict[int, list[int]] = {}
        for place, name in enumerate(self.names):
            for one in by_name[name]:
                if id(one) not in places:
                    places[id(one)] = []
                    self._places.append((one, places[id(one)]))
                places[id(one)].append(place)

    def screen(self, arrays: Sequence[Any], before: Mapping[str, Any]) -> Screened:
        """Evaluate the watchpoints; those of quiet weights are counted as evaluated.

        Args:
            arrays: The current values of the weights, as `names` has them.
            before: Their former values by name, as far as these are needed.
        """
        former = [_fitting(array, before.get(name)) for name, array in zip(self.names, arrays, strict=True)]
        seen = changes_between(arrays, former, *self._tolerance)
        known = np.array([array is not None for array in former])
        loud = np.zeros(len(arrays), np.bool_)
        for armed, places in self._places:
            assert armed.condition is not None  # noqa: S101
            holds = _MASKS[armed.condition.name](seen, armed.values)
            if armed.condition.from_before:
                holds = holds | ~known
            loud[places] |= holds[places]
        for armed, places in self._places:
            armed.checks += len(places) - int(np.count_nonzero(loud[places]))
        quiet = [place for place, is_loud in enumerate(loud.tolist()) if not is_loud]
        return Screened(
            frozenset(self.names[place] for place in quiet),
            {self.names[place]: bool(seen.finite[place]) for place in quiet},
            sum(arrays[place].nbytes * (1 + (former[place] is not None)) for place in quiet),
        )


def _is_at_first(armed: ArmedWatchpoint) -> bool:
    return armed.condition is not None and armed.condition.at_first


def _tolerance_of(watching: Mapping[str, Sequence[ArmedWatchpoint]]) -> tuple[float, float]:
    """The tolerance of the first watchpoint that compares with one; other tolerances are not screened."""
    for armed in (one for several in watching.values() for one in several):
        if armed.condition is not None and armed.condition.name == "weight_not_changed":
            return armed.values["rtol"], armed.values["atol"]
    return 0.0, 0.0


def _can_screen(armed: ArmedWatchpoint, tolerance: tuple[float, float]) -> bool:
    if armed.condition is None or armed.condition.name not in _MASKS:
        return False
    if armed.condition.name == "weight_not_changed":
        return (armed.values.get("rtol"), armed.values.get("atol")) == tolerance
    needed = {"abs_mean_update_ratio_gt", "epsilon"} if armed.condition.name == "weight_change_too_large" else set()
    return needed <= armed.values.keys()


def _fitting(array: Any, before: Any) -> Any:
    """The former value of a weight; None if it had another shape or type."""
    is_alike = before is not None and before.shape == array.shape and before.dtype == array.dtype
    return before if is_alike else None
