"""A million points with twenty spikes of one step, and how many of them somebody gets to see."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from playwright.sync_api import Page

from benchmarks.measuring.data_sets import DATA
from benchmarks.measuring.figures import say
from benchmarks.measuring.large_files import OPENED
from summaries.records import frame
from summaries.schema.tensorboard_pb2 import Event

POINTS, SPIKES, TAG, RUN = 1_000_000, 20, "loss", "run_0000"
# How many separate strokes cross the middle of a chart, where only spikes come.
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


def places(points: int) -> list[int]:
    """Where the spikes are: at random, far enough from each other to be told apart at full view."""
    width = points // SPIKES
    within = np.random.default_rng(5).integers(width // 4, width * 3 // 4, SPIKES)
    return [number * width + int(place) for number, place in enumerate(within)]


def spiky_run(points: int) -> Path:
    """The directory of the run, made at first use, in TensorBoard's form."""
    base = DATA / f"spikes_{points}"
    stamp = DATA / f"{base.name}.made"
    if stamp.is_file():
        return base
    say(f"Making {base.name} …")
    (base / RUN).mkdir(parents=True, exist_ok=True)
    spikes = set(places(points))
    with (base / RUN / f"events.out.tfevents.{OPENED}.host.1.0").open("wb") as file:
        file.write(frame(Event(wall_time=OPENED, file_version="brain.Event:2").SerializeToString()))
        event = Event()
        value = event.summary.value.add(tag=TAG)
        for step in range(points):
            event.step, event.wall_time = step, OPENED + step * 0.001
            value.simple_value = 10.0 if step in spikes else 0.5 + 0.001 * (step % 7)
            file.write(frame(event.SerializeToString()))
    stamp.touch()
    return base


def strokes_on(page: Page, seconds: float = 30.0) -> int:
    """How many spikes can be told apart in the pixels of our first chart, once they are all there or time is up."""
    for _ in range(int(seconds * 10)):
        found = int(page.evaluate(f"({STROKES})(document.querySelector('.card canvas'))"))
        if found == SPIKES:
            return found
        page.wait_for_timeout(100)
    return found
