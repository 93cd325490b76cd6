"""Pauses a training from the page, and times until a tensor is on the screen. Called by `benchmarks/debugger.py`.

Time runs in the page: from the key that pauses to the end of the frame in which the tensor's values were drawn, of the
output of the network's first operator (32 x 6 x 28 x 28, float32: 602 kB), which the page has chosen before.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Page, sync_playwright

from benchmarks.live_latency import FLAGS
from benchmarks.measuring.environments import ROOT, plain_variables
from tests.e2e.conftest import chromium

TENSOR = "Conv2D-op0"
SIZE = {"width": 1440, "height": 900}
WAIT_MS = 60_000
# The grid says the value of the cell that is chosen once its tile is there, in the same turn in which it asks for the
# frame that paints it.
WATCH = """() => {
  window.timed = { paused: 0, statistics: 0, values: 0 }
  document.addEventListener('keydown', (event) => {
    if (event.key === 'F8') window.timed = { paused: performance.now(), statistics: 0, values: 0 }
  }, true)
  const seen = (name) => {
    window.timed[name] = Infinity
    requestAnimationFrame(() => setTimeout(() => { window.timed[name] = performance.now() }))
  }
  new MutationObserver(() => {
    if (!window.timed.paused) return
    const panel = document.querySelector('aside.insp')
    if (!window.timed.statistics && panel?.querySelector('dl[aria-label=Statistics] dd')) seen('statistics')
    const cell = panel?.querySelector('[role=gridcell]')?.textContent?.trim() ?? ''
    if (!window.timed.values && /\\d$/.test(cell)) seen('values')
  }).observe(document.body, { subtree: true, childList: true, characterData: true })
}"""
DONE = "() => Number.isFinite(window.timed.values) && window.timed.values > 0 && window.timed.statistics > 0"
READ = "() => [window.timed.statistics - window.timed.paused, window.timed.values - window.timed.paused]"


def time_pauses(mode: str, times: int, url: str, token: str) -> list[tuple[float, float]]:
    """Milliseconds until the statistics and until the values are on the screen, of each pause; the first comes first.

    Args:
        mode: "graph" or "pynative".
        times: how often it is paused.
        url: the dashboard.
        token: its token.
    """
    script = ROOT / "benchmarks" / "measuring" / "debugger_training.py"
    command = [sys.executable, str(script), mode, url, token]
    variables = plain_variables(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    with subprocess.Popen(command, env=variables) as training, _page(url) as page:
        try:
            return _paused(page, times)
        finally:
            training.kill()


def _paused(page: Page, times: int) -> list[tuple[float, float]]:
    bar = page.get_by_role("group", name="Control of the training")
    bar.get_by_text("Paused").wait_for(timeout=WAIT_MS)
    page.keyboard.press("F10")
    bar.get_by_text("after the steps").wait_for(timeout=WAIT_MS)
    page.get_by_label("Find nodes").fill(TENSOR)
    page.get_by_role("grid", name="Nodes").locator("tbody tr[aria-rowindex]").first.click()
    page.locator("aside.insp [role=gridcell]").first.wait_for(state="attached", timeout=WAIT_MS)
    page.get_by_label("Find nodes").blur()
    page.evaluate(WATCH)
    found = []
    for _ in range(times):
        page.keyboard.press("F8")
        bar.get_by_text("Running").wait_for()
        page.get_by_text("Pause the training to see its values.").wait_for()
        page.wait_for_timeout(300)  # a person looks at a curve that runs, not at the change of a button
        page.keyboard.press("F8")
        page.wait_for_function(DONE, timeout=WAIT_MS)
        statistics, values = page.evaluate(READ)
        found.append((float(statistics), float(values)))
    return found


@contextmanager
def _page(url: str) -> Iterator[Page]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=list(FLAGS))
        try:
            page = browser.new_page(viewport=SIZE, locale="en-US", color_scheme="light")
            page.goto(f"{url}/debugger")
            yield page
        finally:
            browser.close()
