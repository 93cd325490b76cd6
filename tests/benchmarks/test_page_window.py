"""What counts as a curve in a screenshot, and where the spikes of the benchmark are."""

from __future__ import annotations

import numpy as np

from benchmarks.measuring.page_spikes import SPIKES, places
from benchmarks.measuring.page_window import coloured


def test_a_curve_is_coloured_and_text_is_not() -> None:
    greys = np.array([[[255, 255, 255], [0, 0, 0], [86, 96, 112], [27, 33, 43]]], np.uint8)
    curves = np.array([[[38, 85, 209], [66, 80, 102], [175, 90, 17]]], np.uint8)
    assert (coloured(greys), coloured(curves)) == (0, 3)


def test_spikes_are_apart_and_the_same_each_time() -> None:
    found = places(1_000_000)
    assert found == places(1_000_000)
    assert len(found) == SPIKES
    assert np.diff(found).min() >= 25_000
    assert 0 < found[0] < found[-1] < 1_000_000
