"""Spikes of one step among a million points: each is in the pixels of the page, at every zoom."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from summaries import SummaryWriter
from tests.dashboard import Dashboard

from .conftest import StartDashboard
from .pages import card
from .visits import Visits

POINTS = 1_000_000
SPIKES = 20
# How many separate strokes cross the middle of a chart, where only spikes come. Horizontal lines are in few rows.
STROKES = """(canvas) => {
  const { width, height } = canvas, top = Math.round(height * 0.3), rows = Math.round(height * 0.3)
  const pixels = canvas.getContext('2d').getImageData(0, top, width, rows).data
  let strokes = 0, inside = false
  for (let x = 0; x < width; x++) {
    let painted = 0
    for (let y = 0; y < rows; y++) painted += pixels[(y * width + x) * 4 + 3] > 60 ? 1 : 0
    const crossed = painted > rows / 2
    if (crossed && !inside) strokes++
    inside = crossed
  }
  return strokes
}"""


@pytest.fixture(scope="module")
def places() -> list[int]:
    """The positions of the spikes: random, and far enough apart to be distinguished at full view."""
    chosen = random.Random(5)
    width = POINTS // SPIKES
    return [number * width + chosen.randrange(width // 4, width * 3 // 4) for number in range(SPIKES)]


@pytest.fixture
def dashboard(start_dashboard: StartDashboard, tmp_path: Path, places: list[int]) -> Dashboard:
    spikes = set(places)
    with SummaryWriter(tmp_path / "summaries" / "run") as writer:
        for step in range(POINTS):
            writer.add_scalar("loss", 10.0 if step in spikes else 0.5 + 0.001 * (step % 7), step)
    return start_dashboard()


def strokes(page: Page) -> int:
    return int(card(page, "loss").locator("canvas").first.evaluate(STROKES))


def test_every_spike_is_in_the_pixels_at_every_zoom(dashboard: Dashboard, visit: Visits, places: list[int]) -> None:
    for first, last in ((0, POINTS), (0, POINTS // 2), (POINTS // 4, POINTS // 3), (places[7] - 600, places[7] + 600)):
        expected = sum(first <= place <= last for place in places)
        page = visit(dashboard, f"/scalars?smooth=0&range={first}~{last}")
        expect(card(page, "loss").locator("canvas").first).to_be_visible()
        page.wait_for_function(
            f"(expected) => ({STROKES})(document.querySelector('.card canvas')) === expected", arg=expected
        )
        assert strokes(page) == expected
