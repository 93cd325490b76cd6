"""What counts as a curve in a screenshot, and where the spikes of the benchmark are."""

from __future__ import annotations

import numpy as np

from benchmarks.measuring.page_spikes import SPIKES, places
from benchmarks.measuring.page_window import CURVE_PIXELS, Pixels, curve_pixels


def plot() -> Pixels:
    """An empty plot: three grid lines, and a cursor of dashes."""
    pixels = np.full((200, 300, 3), 255, np.uint8)
    pixels[[50, 100, 150]] = (226, 229, 234)
    pixels[::2, 250:252] = (80, 80, 80)
    return pixels


def test_an_empty_plot_has_no_curve() -> None:
    assert curve_pixels(plot()) == 0


def test_curves_and_densities_of_any_colour_are_seen() -> None:
    steps = np.arange(300)
    for colour in ((200, 205, 214), (38, 85, 209)):
        pixels = plot()
        pixels[(100 + 80 * np.sin(steps / 20)).astype(int), steps] = colour
        assert curve_pixels(pixels) >= 250
    band = plot()
    band[40:140, :240] = (210, 215, 225)
    assert curve_pixels(band) > CURVE_PIXELS


def test_spikes_are_apart_and_the_same_each_time() -> None:
    found = places(1_000_000)
    assert found == places(1_000_000)
    assert len(found) == SPIKES
    assert np.diff(found).min() >= 25_000
    assert 0 < found[0] < found[-1] < 1_000_000
