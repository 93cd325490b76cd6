"""Works with TensorBoard's HParams page as a person does, and times it. Made for `benchmarks/lineage.py`.

The page shows a hundred runs until it is told to show more, so a person who wants to see a sweep opens the page, asks
for as many as there are, and goes over to its parallel axes. Each step is taken as soon as the one before is there. The
axes are those of the first five parameters and of all results, and runs that lack one of the five are not drawn.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from urllib.request import urlopen

from playwright.sync_api import Error as BrowserError

from benchmarks.measuring.asking import ask_until
from benchmarks.measuring.figures import say
from benchmarks.measuring.page_window import Window
from benchmarks.measuring.serving import Dashboard

LIMIT_S = 60.0
"""What is not there by then counts as not done: the runs after the start, and their lines after the page is opened."""
MOVES = 12
_PLOT = "tf-hparams-parallel-coords-plot"
_LINES = f"{_PLOT} svg g.foreground path"
# Milliseconds from each move of a pressed mouse to the frame after it; the page follows within the move.
_NOTE_MOVES = """
window.__moves = []
addEventListener('mousemove', (event) => {
  if (!event.buttons) return
  const moved = performance.now()
  requestAnimationFrame(() => {
    const turn = new MessageChannel()
    turn.port1.onmessage = () => { window.__moves.push(performance.now() - moved); turn.port1.close() }
    turn.port2.postMessage(null)
  })
}, true)
"""
_UNTIL_FOLLOWED = """(moves) => new Promise((found) => {
  const look = () => window.__moves.length >= moves ? found() : requestAnimationFrame(look)
  look()
})"""


def until_known(dashboard: Dashboard, runs: int) -> None:
    """Waits until TensorBoard knows all runs.

    Raises:
        TimeoutError: it does not within the limit.
    """

    def known() -> bool:
        try:
            with urlopen(f"{dashboard.address}/data/runs", timeout=LIMIT_S) as answer:
                return len(json.load(answer)) == runs
        except OSError:
            return False

    ask_until(known, "All runs", LIMIT_S)


def open_and_brush(
    new_window: Callable[[], Window], dashboard: Dashboard, runs: int, lines: int
) -> tuple[float, list[float]] | None:
    """Opens the page, has it draw all runs, and drags a brush along an axis.

    Args:
        new_window: opens windows.
        dashboard: TensorBoard, which knows all runs.
        runs: number of runs.
        lines: number of lines that it draws.

    Returns:
        Seconds until all lines are there, and milliseconds from each move of the brush until the next frame; None
        where it took longer than the limit.
    """
    window = new_window()
    page = window.page
    page.add_init_script(_NOTE_MOVES)
    page.set_default_timeout(LIMIT_S * 1000)
    try:
        began = time.perf_counter()
        page.goto(f"{dashboard.address}/#hparams", wait_until="commit")
        page.get_by_text("run_0003").first.wait_for()
        size = page.get_by_label("Max # of session groups per page:")
        size.fill(str(runs))
        size.press("Enter")
        page.get_by_text("Parallel Coordinates View").first.click()
        last = page.locator(f"{_LINES} >> nth={lines - 1}")
        last.wait_for(state="attached", timeout=max(1.0, 1000 * (LIMIT_S - (time.perf_counter() - began))))
        seconds = time.perf_counter() - began
        return seconds, _drag(window)
    except BrowserError as problem:
        say(f"TensorBoard's HParams page with {runs} runs: {str(problem).splitlines()[0]}")
        return None
    finally:
        page.context.close()


def _drag(window: Window) -> list[float]:
    """Drags a brush down the last axis."""
    page = window.page
    box = page.locator(f"{_PLOT} svg g.brush rect.overlay").last.bounding_box()
    if box is None:
        raise TimeoutError("no axis is in view")
    x = box["x"] + box["width"] / 2
    page.mouse.move(x, box["y"] + 8)
    page.mouse.down()
    for move in range(1, MOVES + 1):
        page.mouse.move(x, box["y"] + 8 + (box["height"] - 16) * move / MOVES)
        page.evaluate(_UNTIL_FOLLOWED, move)
    page.mouse.up()
    return [float(one) for one in page.evaluate("window.__moves")]
