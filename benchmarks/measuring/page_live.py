"""A page that is open while a training writes: its frames, its delay and what it holds. Measured by `pages.py`."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from benchmarks.live_latency import tag_owners
from benchmarks.measuring import page_dashboards as pages
from benchmarks.measuring.asking import get_json
from benchmarks.measuring.environments import ROOT, our_program
from benchmarks.measuring.figures import Figure, Measurement, Options, median, say
from benchmarks.measuring.page_openings import NAN, TENSORBOARD, figure, ours
from benchmarks.measuring.page_parts import Found
from benchmarks.measuring.page_window import Window, windows
from benchmarks.measuring.painting import delays_of, read_notes
from benchmarks.measuring.processes import wait_for
from benchmarks.measuring.serving import our_dashboard

LIVE_TAGS, LIVE_RATE = 50, 10.0
# A hundred thousand points take a minute to write.
MEMORY_LIMIT_S = 180.0


@contextmanager
def live_page(new_window: Callable[[], Window], rate: float, steps: int) -> Iterator[tuple[Window, _Training, str]]:
    """Our page on a training of fifty tags that has begun and waits."""
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder, "summaries")
        base.mkdir()
        training = _Training(base / "live", rate, steps, Path(folder, "flushed.json"))
        try:
            with our_dashboard(our_program(), base) as dashboard:
                wait_for(lambda: len(tag_owners(dashboard.address)) == LIVE_TAGS, "the training on the dashboard")
                window = new_window()
                window.page.goto(f"{dashboard.address}/scalars?runs=all")
                window.page.locator(pages.OUR_PLOT).first.wait_for()
                window.page.wait_for_timeout(1500)
                yield window, training, dashboard.address
        finally:
            training.kill()


class _Training:
    """A process that runs `page_writer`."""

    def __init__(self, directory: Path, rate: float, steps: int, log: Path) -> None:
        module = "benchmarks.measuring.page_writer"
        command = [sys.executable, "-m", module, str(directory), str(LIVE_TAGS), str(rate), str(steps), str(log)]
        self._log = log
        self._process = subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        self.hear()

    def hear(self) -> None:
        """Waits until it says something."""
        if self._process.stdout is not None:
            self._process.stdout.readline()

    def go_on(self) -> None:
        """Lets it write, or end."""
        if self._process.stdin is not None:
            self._process.stdin.write("\n")

    def flushed(self) -> dict[str, list[float]]:
        """Ends it; when each step was flushed."""
        self.go_on()
        self._process.wait(30)
        return dict(get_json(self._log.as_uri()))

    def kill(self) -> None:
        """Ends it, whatever it does."""
        self._process.kill()
        self._process.wait()


def measure_live(options: Options) -> list[Figure]:
    """Fifty charts that get ten points a second each; those in view are drawn."""
    say("live points …")
    found = ours(our_live, 6 if options.quick else 20)
    what = f"{LIVE_TAGS} charts at {LIVE_RATE:g} points a second each"
    point = found.of("live_point")
    return [
        figure("live_frames", f"{what}: frames a second", "", found, 50.0, more_is_better=True),
        figure("live_longest_frame", "of them, the longest", "ms", found),
        figure("live_busy", "main thread at work, of each second", "ms", found),
        figure("live_charts", "charts in view, drawn", "", found),
        Figure(
            "live_point", "flush to the pixels, without any setting, median", "ms", NAN if point is None else point,
            100.0, 25_000.0, f"{TENSORBOARD} page, auto reload switched on", peer_recorded=True,
        ),
    ]  # fmt: skip


def our_live(seconds: int) -> Found:
    """Our page while fifty curves grow for a number of seconds."""
    with (
        windows() as new_window,
        live_page(new_window, LIVE_RATE, int(seconds * LIVE_RATE)) as (window, training, address),
    ):
        training.go_on()
        window.page.wait_for_timeout(1000)
        window.forget_frames()
        busy, began, wall = window.busy_seconds(), time.perf_counter(), time.time()
        window.page.wait_for_timeout((seconds - 2) * 1000)
        took, busy = time.perf_counter() - began, window.busy_seconds() - busy
        frames, ended = window.frames(), time.time()
        yield "live_frames", len(frames) / took
        yield "live_longest_frame", max(frames, default=NAN)
        yield "live_busy", 1000 * busy / took
        training.hear()
        window.page.wait_for_timeout(500)
        notes, owners = read_notes(window.page), tag_owners(address)
        drawn = {tag for tag, _, _ in notes.painted}
        yield "live_charts", float(len(drawn))
        seen = {tag: run for tag, run in owners.items() if tag in drawn}
        delays, _ = delays_of(notes.painted, seen, training.flushed(), wall, ended)
        if delays:
            yield "live_point", median(delays)


def measure_memory(options: Options) -> list[Figure]:
    """What the page's script holds after many updates, compared with after a few."""
    updates, rate = (10_000, 20.0) if options.quick else (100_000, 40.0)
    say("memory of the page …")
    found = ours(our_memory, updates, rate, seconds=MEMORY_LIMIT_S)
    return [
        figure("memory_growth", f"heap of the page after {updates:,} further updates", "MB", found, 5.0),
        figure("memory_heap", "heap of the page then", "MB", found),
    ]


def our_memory(updates: int, rate: float) -> Found:
    """Our page before and after a number of points."""
    warm = updates // 5
    steps = (updates + warm) // LIVE_TAGS
    with windows() as new_window, live_page(new_window, rate, steps) as (window, training, _):
        training.go_on()
        window.page.wait_for_timeout(warm / LIVE_TAGS / rate * 1000)
        before = window.heap_megabytes()
        training.hear()
        window.page.wait_for_timeout(1500)
        after = window.heap_megabytes()
        yield "memory_growth", after - before
        yield "memory_heap", after


MEASUREMENTS: dict[Measurement, Sequence[str]] = {
    measure_live: ("live_frames", "live_longest_frame", "live_busy", "live_charts", "live_point"),
    measure_memory: ("memory_growth", "memory_heap"),
}
