"""Watchpoints of many weights at once, against numpy's reading of their conditions."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from debugging.tensors.step_nodes import StepNodes
from debugging.watch import Watchpoints
from summaries.schema import debugger_pb2 as wire

LIMIT = 0.5


class Weight:
    """A weight with the values that it has now."""

    def __init__(self, name: str, array: np.ndarray) -> None:
        self.name, self.array = name, array

    @property
    def current(self) -> np.ndarray:
        return self.array


def changed(before: np.ndarray, how: str) -> np.ndarray:
    """A weight after a step."""
    after = before.copy()
    if how == "step":
        after += np.abs(before) * 0.01
    elif how == "leap":
        after *= -3
    elif how == "nan":
        after.flat[-1] = np.nan
    elif how == "inf":
        after[...] = np.inf
    return after


def expected(before: np.ndarray, after: np.ndarray) -> set[str]:
    """The conditions that hold, by their definitions."""
    found = set()
    known = np.isfinite(before) & np.isfinite(after)
    if not np.isfinite(after).all():
        found.add("weight_overflow")
    if np.array_equal(before, after):
        found.add("weight_not_changed")
    if known.any():
        change = np.abs(after[known].astype(float) - before[known]).mean()
        if change / (np.abs(before[known].astype(float)).mean() + 1e-9) > LIMIT:
            found.add("weight_change_too_large")
    return found


def watchpoint(number: int, condition: str, **settings: float) -> wire.Watchpoint:
    values = [wire.Setting(name=name, value=value, enabled=True) for name, value in settings.items()]
    return wire.Watchpoint(id=number, condition=condition, settings=values, enabled=True, log_only=True)


@pytest.mark.parametrize("beside", [False, True], ids=["screened", "one by one"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16])
def test_hits_and_counts_of_many_weights(dtype: Any, beside: bool) -> None:
    rng = np.random.default_rng(3)
    ways = ["step", "same", "leap", "nan", "inf", "step"]
    before = {f"w{i}": rng.normal(size=(7, 11 + i)).astype(dtype) for i in range(len(ways))}
    before["empty"] = np.empty(0, dtype)
    weights = [Weight(name, array) for name, array in before.items()]
    debuggee: Any = SimpleNamespace(array_of=lambda item: item, weights=lambda: weights)
    watch = Watchpoints(StepNodes(weights, set(before)), debuggee)
    made = [
        watchpoint(1, "weight_overflow"),
        watchpoint(2, "weight_not_changed", rtol=0.0, atol=0.0),
        watchpoint(3, "weight_change_too_large", abs_mean_update_ratio_gt=LIMIT),
    ]
    # A condition that needs all statistics: its weights are looked at one by one.
    made += [watchpoint(4, "weight_too_large", max_gt=1e9)] if beside else []
    watch.set(made)
    watch.begin_step(2)
    for weight, how in zip(weights, [*ways, "same"], strict=True):
        weight.array = changed(before[weight.name], how)
    found: dict[str, set[str]] = {name: set() for name in before}
    names = {one.id: one.condition for one in made}
    for hit in watch.end_step(2):
        found[hit.tensor.full_name].add(names[hit.watchpoint])
    assert found == {weight.name: expected(before[weight.name], weight.array) for weight in weights}
    counts = {one.watchpoint.id: (one.checks, one.hits) for one in watch.watching().watched}
    hits = {number: sum(names[number] in held for held in found.values()) for number in names}
    assert counts == {number: (len(weights), hits[number]) for number in names}
    known = {weight.name: bool(np.isfinite(weight.array).all()) for weight in weights}
    assert {name: known[name] for name in watch.finite} == watch.finite


def test_a_weight_that_another_one_has_replaced_is_compared_with_nothing() -> None:
    weights = [Weight("w", np.ones((2, 2), np.float32)), Weight("v", np.ones(3, np.float32))]
    debuggee: Any = SimpleNamespace(array_of=lambda item: item, weights=lambda: weights)
    watch = Watchpoints(StepNodes(weights, {"w", "v"}), debuggee)
    watch.set([watchpoint(1, "weight_overflow")])
    watch.begin_step(5)
    weights[0].array = np.full((4, 4), np.nan, np.float32)
    assert [hit.tensor.full_name for hit in watch.end_step(5)] == ["w"]
