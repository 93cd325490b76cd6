"""Distances of histograms against scipy's of samples, and against numbers worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats  # type: ignore[import-untyped]

from mindinsight.distributions.decoding import Histogram
from mindinsight.distributions.distances import distances


def histogram(left: list[float], width: list[float], count: list[float]) -> Histogram:
    return Histogram(np.array(left), np.array(width), np.array(count), min=None, max=None, sum=None)


def of_samples(values: np.typing.NDArray[np.float64]) -> Histogram:
    """Every distinct number in a bucket of its own: nothing is lost."""
    numbers, counts = np.unique(values, return_counts=True)
    return Histogram(numbers, np.zeros(len(numbers)), counts.astype(float), min=None, max=None, sum=None)


@pytest.mark.parametrize("seed", range(6))
def test_numbers_of_scipy(seed: int) -> None:
    random = np.random.default_rng(seed)
    a, b = random.normal(0, 1, 200).round(2), random.normal(0.3 * seed, 1 + 0.2 * seed, 150).round(2)
    expected = stats.ks_2samp(a, b).statistic, stats.wasserstein_distance(a, b)
    assert distances(of_samples(a), of_samples(b)) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (([0.0], [1.0], [4.0]), ([0.0], [1.0], [9.0]), (0, 0)),
        (([0.0], [1.0], [4.0]), ([2.0], [1.0], [4.0]), (1, 2)),
        (([0.0], [2.0], [4.0]), ([1.0], [2.0], [4.0]), (0.5, 1)),
        # Lines that cross: x against 1/4 + x/2 on [0, 1], two triangles on either side of one half.
        (([0.0], [1.0], [4.0]), ([0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [1.0, 2.0, 1.0]), (0.25, 0.125)),
    ],
)
def test_by_hand(one: tuple[list[float], ...], other: tuple[list[float], ...], expected: tuple[float, float]) -> None:
    assert distances(histogram(*one), histogram(*other)) == pytest.approx(expected)
    assert distances(histogram(*other), histogram(*one)) == pytest.approx(expected)


def test_buckets_come_close_to_their_elements() -> None:
    random = np.random.default_rng(7)
    a, b = random.normal(0, 1, 20_000), random.normal(0.5, 2, 20_000)
    exact = distances(of_samples(a), of_samples(b))
    parts = []
    for values in (a, b):
        counts, edges = np.histogram(values, 90)
        parts.append(Histogram(edges[:-1], np.diff(edges), counts.astype(float), min=None, max=None, sum=None))
    assert distances(*parts) == pytest.approx(exact, abs=0.02)


def test_nothing_to_compare() -> None:
    assert distances(histogram([], [], []), histogram([0.0], [1.0], [1.0])) is None
