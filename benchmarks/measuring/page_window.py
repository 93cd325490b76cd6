"""A browser window that is timed from outside, by its pixels: the same way for every dashboard.

A moment counts when a screenshot of the place in question shows it, so what is measured includes painting, and nothing
of a page has to be known but where its charts are. Screenshots of a few hundred pixels take some tens of milliseconds:
times are that much too long, for everyone alike.

A new window is not timed before the browser is through with it: Chromium loads pages of its own for some parts of the
window, which costs a processor the better part of a second. Nor is another window open meanwhile.
"""

from __future__ import annotations

import base64
import io
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import psutil
from numpy.typing import NDArray
from PIL import Image
from playwright.sync_api import Browser, CDPSession, FloatRect, Page, sync_playwright

from benchmarks.measuring.painting import take_notes

FLAGS = (
    "--no-sandbox",
    "--disable-background-networking",
    "--no-first-run",
    "--disable-component-update",
    "--disable-sync",
    "--disable-gpu",
    "--disable-quic",
    "--enable-precise-memory-info",
)
SIZE = {"width": 1440, "height": 900}
# What differs so much from the ground is drawn. Grid lines and cursors fill few rows and columns; what remains is a
# curve, a band or a density, of whatever colour.
DRAWN, CURVE_PIXELS = 10, 30
LINE_SHARE, MOST_LINES = 0.35, 24
STILL_S = 1.5
# The browser is at rest when its processes have hardly worked for so long.
REST_S, AT_REST, LONGEST_UNREST_S = 0.3, 0.05, 15.0
# When each frame began, since the last time somebody asked.
NOTE_FRAMES = """
window.__frames = []
const note = (now) => { window.__frames.push(now); requestAnimationFrame(note) }
requestAnimationFrame(note)
"""
# Where the first such element is once it has a size, looked for in each frame: Playwright itself looks every half a
# second at last, which is as much as what is measured.
FIND = """([selector, seconds]) => new Promise((found, failed) => {
  const until = performance.now() + seconds * 1000
  const look = () => {
    const { x, y, width, height } = document.querySelector(selector)?.getBoundingClientRect() ?? { width: 0 }
    if (width > 0 && height > 0) found({ x, y, width, height })
    else if (performance.now() > until) failed(new Error(`no ${selector} within ${seconds} s`))
    else requestAnimationFrame(look)
  }
  look()
})"""
# Moves whatever scrolls farthest by the same amount in each frame, from top to bottom or by the pixels that are named,
# and notes the frames.
SCROLL = """async ([frames, pixels]) => {
  const room = (element) => element.scrollHeight - element.clientHeight
  const box = [...document.querySelectorAll('*')].filter((one) => getComputedStyle(one).overflowY !== 'visible')
    .reduce((best, one) => room(one) > room(best) ? one : best, document.documentElement)
  const step = pixels ?? room(box) / frames, intervals = []
  let before = await new Promise(requestAnimationFrame)
  for (let frame = 1; frame <= frames; frame++) {
    box.scrollTop = Math.round(frame * step)
    const now = await new Promise(requestAnimationFrame)
    intervals.push(now - before)
    before = now
  }
  return intervals
}"""

Pixels = NDArray[np.uint8]


@dataclass(frozen=True)
class Window:
    """One page in a browser of its own.

    Attributes:
        page: the page.
        tools: the browser's own measurements of it.
    """

    page: Page
    tools: CDPSession

    def box(self, selector: str, seconds: float = 90.0) -> FloatRect:
        """Waits for the first such element and returns what of it is in view."""
        found = self.page.locator(selector).first
        found.wait_for(timeout=seconds * 1000)
        box = found.bounding_box()
        if box is None:
            raise TimeoutError(f"{selector} is not in view")
        return _in_view(box)

    def _box_at_once(self, selector: str, seconds: float) -> FloatRect:
        """The same in the frame in which it is there; the selector is CSS, and the element in no shadow."""
        found: FloatRect = self.page.evaluate(FIND, [selector, seconds])
        return _in_view(found)

    def pixels(self, box: FloatRect) -> Pixels:
        """A screenshot of a part of the page."""
        clip = {**box, "scale": 1}
        # Playwright's own function waits for fonts and two frames first.
        picture = self.tools.send("Page.captureScreenshot", {"format": "png", "clip": clip, "optimizeForSpeed": True})
        return np.asarray(Image.open(io.BytesIO(base64.b64decode(picture["data"]))).convert("RGB"))

    def until_curve(self, selector: str, seconds: float = 90.0) -> None:
        """Waits until there is a curve in the first plot.

        Raises:
            TimeoutError: there is none.
        """
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if curve_pixels(self.pixels(self._box_at_once(selector, seconds))) >= CURVE_PIXELS:
                return
        raise TimeoutError(f"no curve in {selector} within {seconds:g} s")

    def until_changed(self, box: FloatRect, before: Pixels, seconds: float = 60.0) -> None:
        """Waits until a place looks different.

        Raises:
            TimeoutError: it does not.
        """
        deadline = time.monotonic() + seconds
        while np.array_equal(self.pixels(box), before):
            if time.monotonic() > deadline:
                raise TimeoutError(f"nothing changed within {seconds:g} s")

    def settled(self, box: FloatRect, seconds: float = 90.0) -> float:
        """Waits until a place has not changed for a while; returns when it last did, on the monotonic clock."""
        last, seen, deadline = time.perf_counter(), self.pixels(box), time.monotonic() + seconds
        while time.perf_counter() - last < STILL_S and time.monotonic() < deadline:
            now = self.pixels(box)
            if not np.array_equal(now, seen):
                last, seen = time.perf_counter(), now
        return last

    def forget_frames(self) -> None:
        """Restarts the recording of frames."""
        self.page.evaluate("window.__frames = []")

    def frames(self) -> list[float]:
        """Milliseconds from one frame to the next since they were forgotten."""
        began: list[float] = self.page.evaluate("window.__frames")
        return [after - before for before, after in pairwise(began)]

    def scroll_through(self, frames: int) -> list[float]:
        """Scrolls from top to bottom in a number of frames; returns the milliseconds of each."""
        return [float(one) for one in self.page.evaluate(SCROLL, [frames, None])]

    def scroll_down(self, frames: int, pixels: int) -> list[float]:
        """Scrolls down from the top by a number of pixels per frame; returns the milliseconds of each."""
        return [float(one) for one in self.page.evaluate(SCROLL, [frames, pixels])]

    def heap_megabytes(self) -> float:
        """What the page's script holds once nothing that could be let go is left (10⁶ bytes)."""
        self.tools.send("HeapProfiler.collectGarbage")
        return self._metric("JSHeapUsedSize") / 1e6

    def busy_seconds(self) -> float:
        """Seconds that the main thread has worked so far."""
        return self._metric("TaskDuration")

    def _metric(self, name: str) -> float:
        metrics = self.tools.send("Performance.getMetrics")["metrics"]
        return float(next(one["value"] for one in metrics if one["name"] == name))


def _in_view(box: FloatRect) -> FloatRect:
    """What of a box is in the window."""
    width, height = SIZE["width"], SIZE["height"]
    left, top = max(0.0, box["x"]), max(0.0, box["y"])
    right, bottom = min(width, box["x"] + box["width"]), min(height, box["y"] + box["height"])
    return {"x": left, "y": top, "width": right - left, "height": bottom - top}


def curve_pixels(pixels: Pixels) -> int:
    """How many pixels of a plot are drawn on, those of straight lines across all of it left out."""
    ground = np.median(pixels.reshape(-1, 3), axis=0)
    drawn = np.abs(pixels - ground).max(axis=2) > DRAWN
    for axis in (0, 1):
        lines = drawn.mean(axis=axis) > LINE_SHARE
        if lines.sum() <= MOST_LINES:
            drawn = drawn[:, ~lines] if axis == 0 else drawn[~lines]
    return int(drawn.sum())


def time_change(window: Window, box: FloatRect, act: Callable[[], None]) -> tuple[float, float]:
    """Milliseconds from an action until a place changes, and until it stops changing."""
    before = window.pixels(box)
    began = time.perf_counter()
    act()
    window.until_changed(box, before)
    first = time.perf_counter()
    last = window.settled(box)
    return (first - began) * 1000, (max(first, last) - began) * 1000


@contextmanager
def windows() -> Iterator[Callable[[], Window]]:
    """A running browser; the function opens a window in a context of its own, so that nothing is in its cache.

    The window before it is closed.
    """
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        yield lambda: _window(browser)
        browser.close()


def _window(browser: Browser) -> Window:
    for context in browser.contexts:
        context.close()
    context = browser.new_context(viewport={"width": SIZE["width"], "height": SIZE["height"]}, color_scheme="light")
    page = context.new_page()
    page.set_default_timeout(90_000)
    take_notes(page)
    page.add_init_script(NOTE_FRAMES)
    tools = context.new_cdp_session(page)
    tools.send("Performance.enable")
    _until_at_rest()
    return Window(page, tools)


def _until_at_rest() -> None:
    """Waits until the browser has nothing left to do for a new window."""
    deadline = time.monotonic() + LONGEST_UNREST_S
    before = _browser_seconds()
    while time.monotonic() < deadline:
        time.sleep(REST_S)
        now = _browser_seconds()
        if abs(now - before) <= AT_REST * REST_S:
            return
        before = now


def _browser_seconds() -> float:
    """Processor time of the browsers that this process has started."""
    total = 0.0
    for process in psutil.Process().children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            if "chrom" in process.name():
                used = process.cpu_times()
                total += used.user + used.system
    return total
