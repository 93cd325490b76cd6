"""Opening profiles of one and ten million slices: processor time until the timeline and the sums are there, and memory.

The first opening turns the trace into columns; another one reads the columns. A window is the slowest of twenty.
PyTorch's plug-in of TensorBoard reads and adds up the same trace at every opening. The heap is that of the page with
the timeline of the whole profile.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.measuring.environments import ROOT, plain_variables, torch_tb_profiler_python
from benchmarks.measuring.figures import Figure, Measurement, Options, median, run, say
from benchmarks.measuring.profile_traces import torch_trace
from tests.dashboard import Dashboard
from tests.e2e.conftest import FLAGS, chromium

CALLS = ROOT / "benchmarks" / "measuring" / "profile_calls.py"
PEER = ROOT / "benchmarks" / "measuring" / "profile_peer.py"
PLUGIN = "torch-tb-profiler 0.4.3"
MILLION = 1_000_000
FIRST_S = {MILLION: 1.5, 10 * MILLION: 15.0}
AGAIN_S = {MILLION: 0.5, 10 * MILLION: 0.8}
WINDOW_MS, HEAP_MB = 150.0, 80.0


def call(python: str | Path, script: Path, *arguments: str | Path) -> dict[str, float]:
    """Runs a script and returns the numbers that it prints."""
    done = subprocess.run(
        [python, script, *arguments], check=True, stdout=subprocess.PIPE, text=True, env=plain_variables()
    )
    numbers: dict[str, float] = json.loads(done.stdout)
    return numbers


def measure_one(options: Options) -> list[Figure]:
    """A million slices."""
    return measure(MILLION, "1m", options)


def measure_ten(options: Options) -> list[Figure]:
    """Ten million slices."""
    return [] if options.quick else measure(10 * MILLION, "10m", options)


def measure(slices: int, name: str, options: Options) -> list[Figure]:
    """All figures of the server's side for one size."""
    say(f"{slices:,} slices …")
    trace = torch_trace(slices)
    with TemporaryDirectory() as folder:
        columns = Path(folder, "columns")
        first = call(sys.executable, CALLS, "first", trace, columns)
        repeats = range(options.times(5, 2))
        again = median([call(sys.executable, CALLS, "again", trace, columns)["seconds"] for _ in repeats])
        window = median([call(sys.executable, CALLS, "window", trace, columns)["seconds"] for _ in repeats])
    theirs, missing = peer(trace) if slices == MILLION else (None, "")
    plugin = PLUGIN if theirs or missing else ""
    what = f"{slices:,} slices"
    first_s, again_s = FIRST_S[slices], AGAIN_S[slices]

    def opening(figure: str, text: str, ours: float, target: float) -> Figure:
        name_of = f"{figure}_{name}"
        return Figure(name_of, f"{what}, {text}", "s", ours, target, theirs, plugin, peer_missing=missing)

    return [
        opening("first", "first opening", first["seconds"], first_s),
        opening("again", "another opening", again, again_s),
        Figure(f"window_{name}", f"{what}, slowest window", "ms", 1000 * window, WINDOW_MS),
        Figure(f"bytes_{name}", f"{what}, columns, bytes a slice", "bytes", first["bytes"] / slices),
        Figure(f"memory_{name}", f"{what}, memory of the worker's process at most", "MB", first["memory"] / 1e6),
    ]


def peer(trace: Path) -> tuple[float | None, str]:
    """Seconds of the plug-in, or why it has no number."""
    python = torch_tb_profiler_python()
    if python is None:
        return None, "it cannot be installed here"
    try:
        return call(python, PEER, trace)["seconds"], ""
    except subprocess.CalledProcessError:
        return None, "it failed on this trace"


def measure_heap(options: Options) -> list[Figure]:
    """The heap of the page with a timeline."""
    say("the page …")
    slices = MILLION
    trace = torch_trace(slices)
    with TemporaryDirectory() as folder, Dashboard.start(Path(folder)) as dashboard, sync_playwright() as playwright:
        os.link(trace, Path(folder, trace.name))
        browser = playwright.chromium.launch(executable_path=chromium(), args=[*FLAGS, "--no-sandbox"])
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.goto(f"{dashboard.address}/profiler?view=timeline")
        timeline = page.get_by_role("application")
        timeline.wait_for(timeout=120_000)
        page.locator("canvas.timeline:not([data-slices='0'])").wait_for(timeout=60_000)
        session = page.context.new_cdp_session(page)
        session.send("HeapProfiler.collectGarbage")
        usage = session.send("Runtime.getHeapUsage")
        browser.close()
    # The columns of slices are buffers beside the heap.
    heap = (usage["usedSize"] + usage.get("backingStorageSize", 0)) / 1e6
    return [Figure("heap_1m", f"{slices:,} slices, heap and buffers of the page", "MB", heap, HEAP_MB)]


def _names(size: str) -> list[str]:
    return [f"{figure}_{size}" for figure in ("first", "again", "window", "bytes", "memory")]


MEASUREMENTS: dict[Measurement, Sequence[str]] = {
    measure_one: _names("1m"),
    measure_ten: _names("10m"),
    measure_heap: ("heap_1m",),
}

if __name__ == "__main__":
    sys.exit(run(__doc__.splitlines()[0], MEASUREMENTS))
