"""What mattered, on functions whose parameters matter in known ways."""

from __future__ import annotations

import os
from functools import cache
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_diabetes
from sklearn.ensemble import ExtraTreesRegressor
from sklearn.inspection import permutation_importance

from benchmarks.importance import in_order, shares
from benchmarks.measuring.known_effects import FUNCTIONS, made
from mindinsight.lineage.importance.columns import Column, category_column, number_column
from mindinsight.lineage.importance.fits import Size
from mindinsight.lineage.importance.gap import gap
from mindinsight.lineage.importance.study import study

LONG = os.environ.get("MINDINSIGHT_TEST_COUNTS") == "long"
SEEDS = 50 if LONG else 1
SIZE = None if LONG else Size(trees=60, halves=8, half_trees=12, repeats=1, judged=500)
SMALL = Size(trees=10, halves=3, half_trees=3, repeats=1, judged=500)

# Sobol's total indices, integrated by hand or by a hundred thousand runs, times the share that is no noise.
TRUTH = {
    "sign": {"p0": 0.9, "p1": 0.9},
    "xor": {"p0": 0.9, "p1": 0.9},
    # a² has variance 4/45, 0.3 b has 0.03.
    "valley": {"p0": 0.9 * (4 / 45) / (4 / 45 + 0.03), "p1": 0.9 * 0.03 / (4 / 45 + 0.03)},
}


@cache
def run(name: str, seed: int = 0) -> dict[str, Any]:
    columns, target = made(name, 200, seed)
    return study(columns, target, size=SIZE, seed=seed)


def codes(found: dict[str, Any]) -> list[str]:
    return [notice["code"] for notice in found["notices"]]


def numbers(**columns: Any) -> list[Column]:
    return [number_column(name, np.asarray(values, float)) for name, values in columns.items()]


@pytest.mark.parametrize("name", TRUTH)
def test_what_matters_comes_first(name: str) -> None:
    truth = _truth(name)
    right = [in_order(shares(run(name, seed)), truth) for seed in range(SEEDS)]
    assert sum(right) >= 0.96 * SEEDS


def test_intervals_hold_the_truth() -> None:
    held = [
        row["low"] <= _truth(name)[row["name"]] <= row["high"]
        for name in TRUTH
        for seed in range(SEEDS)
        for row in run(name, seed)["parameters"]
    ]
    assert sum(held) >= 0.9 * len(held)


def _truth(name: str) -> dict[str, float]:
    return {f"p{place}": 0.0 for place in range(8)} | TRUTH[name]


def test_a_pure_interaction_is_told_as_one_and_rank_correlation_misses_it() -> None:
    found = run("xor")
    first = found["interactions"][0]
    assert {first["a"], first["b"]} == {"p0", "p1"}
    assert first["low"] > 0
    assert all(row["low"] <= 0.02 for row in found["interactions"][1:])
    ranks = {row["name"]: row for row in found["parameters"]}
    assert ranks["p0"]["rank_low"] < 0 < ranks["p0"]["rank_high"]


def test_effects_have_the_shape_of_the_function() -> None:
    found = run("valley")
    (valley,) = (effect for effect in found["effects"] if effect["name"] == "p0")
    at = {round(x, 1): mean for x, mean in zip(valley["x"], valley["mean"], strict=True)}
    assert valley["mean"][0] - min(at.values()) == pytest.approx(1.0, abs=0.35)
    assert all(
        low <= mean <= high for low, mean, high in zip(valley["low"], valley["mean"], valley["high"], strict=True)
    )


def test_log_scales_categories_and_missing_values_are_understood() -> None:
    found = run("sweep")
    kinds = {row["name"]: row["kind"] for row in found["parameters"]}
    assert (kinds["p0"], kinds["p1"], kinds["p2"]) == ("log", "category", "number")
    assert [row["name"] for row in found["parameters"][:2]] == ["p0", "p1"]
    effects = {effect["name"]: effect for effect in found["effects"]}
    optimizer = dict(zip(effects["p1"]["categories"], effects["p1"]["mean"], strict=True))
    assert max(optimizer, key=lambda name: optimizer[name]) == "RMSProp"
    assert effects["p2"]["missing"]["mean"] < min(effects["p2"]["mean"])


def test_shares_agree_with_scikit_learn() -> None:
    """On real data, and up to what calibration and other trees change."""
    x, y = load_diabetes(return_X_y=True)
    found = shares(study([number_column(str(place), x[:, place]) for place in range(x.shape[1])], y, size=SIZE))
    half = len(y) // 2
    model = ExtraTreesRegressor(50, random_state=0).fit(x[:half], y[:half])
    theirs = permutation_importance(model, x[half:], y[half:], n_repeats=3, random_state=0).importances_mean / 2
    ours = np.array([found[str(place)] for place in range(x.shape[1])])
    assert ours.argmax() == theirs.argmax()
    assert np.corrcoef(ours, theirs)[0, 1] > 0.9


def test_noise_is_called_noise() -> None:
    found = run("nothing")
    assert "no_signal" in codes(found)
    assert all(row["low"] <= 0.02 for row in found["parameters"])


def test_the_same_question_gets_the_same_answer() -> None:
    columns, target = made("sweep", 40, 0)
    assert study(columns, target, size=SMALL) == study(columns, target, size=SMALL)


def test_parameters_that_cannot_be_told_apart_are_named() -> None:
    rng = np.random.default_rng(0)
    rate = rng.uniform(size=60)
    columns = [
        *numbers(rate=rate, lr=10 * rate, near=rate + 0.02 * rng.normal(size=60), one=np.ones(60)),
        category_column("run", np.arange(60), [f"run {place}" for place in range(60)]),
    ]
    found = study(columns, rate, size=SMALL)
    told = {notice["code"]: notice["names"] for notice in found["notices"]}
    assert told == {
        "same": ["rate", "lr"],
        "confounded": ["rate", "near"],
        "constant": ["one"],
        "identifier": ["run"],
    }
    assert found["parameters"][0]["same"] in (["lr"], [])
    assert [row["name"] for row in found["parameters"]].count("lr") == 0


@pytest.mark.parametrize(
    ("target", "code", "n"),
    [
        ([1.0, 2.0, 3.0], "too_few", 3),
        ([1.0] * 12, "constant_target", 12),
        ([np.nan] * 12, "no_target", 0),
        ([np.inf] * 12, "not_numeric", 0),
    ],
)
def test_says_why_there_is_nothing_to_say(target: list[float], code: str, n: int) -> None:
    found = study(numbers(a=np.arange(len(target))), np.array(target))
    assert code in codes(found)
    assert (found["n"], found["fit"], found["parameters"]) == (n, None, [])


def test_infinities_and_missing_values_everywhere_do_no_harm() -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(size=(30, 3))
    values[rng.uniform(size=(30, 3)) < 0.2] = np.nan
    values[:3, 0] = [np.inf, -np.inf, 1e300]
    target = np.where(np.isnan(values[:, 1]), 1.0, 0.0) + 0.1 * rng.normal(size=30)
    target[5], target[6] = np.nan, np.inf
    found = study(numbers(a=values[:, 0], b=values[:, 1], c=values[:, 2]), target, size=SIZE)
    assert found["left_out"] == {"no_target": 1, "not_finite": 1}
    assert found["parameters"][0]["name"] == "b"


def test_very_many_values_are_shortened() -> None:
    rng = np.random.default_rng(0)
    words = rng.integers(0, 40, 80)
    found = study(
        [category_column("word", words, [f"w{place}" for place in range(40)])], (words < 20) * 1.0, size=SMALL
    )
    assert "many_values" in codes(found)
    assert found["parameters"][0]["distinct"] == 30


def test_the_gap_between_the_best_run_and_another_is_explained() -> None:
    rng = np.random.default_rng(0)
    a, b, c = rng.integers(0, 2, (3, 80)).astype(float)
    target = 3 * a + b + 0.05 * rng.normal(size=80)
    run = int(np.flatnonzero((a == 0) & (b == 1))[0])
    found = gap(numbers(a=a, b=b, c=c), target, run, "max", size=SIZE)
    assert found["best_value"] == target.max()
    assert found["gap"] == pytest.approx(target.max() - target[run])
    first = found["parts"][0]
    assert (first["name"], first["run_value"], first["best_value"]) == ("a", 0.0, 1.0)
    assert first["low"] <= 3.0 <= first["high"]
    assert first["change"] == pytest.approx(3.0, abs=0.2)
    assert abs(found["unexplained"]) < 0.3
    with pytest.raises(ValueError, match="no finite value"):
        gap(numbers(a=a), np.full(80, np.nan), 0, "max")


assert set(TRUTH) <= set(FUNCTIONS)
