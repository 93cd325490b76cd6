"""What a person waits for in the browser, on our pages and on TensorBoard's, with the same files.

Chromium opens each page in a fresh context, and a moment counts when a screenshot shows it: painting is part of it, and
both dashboards are timed alike. TensorBoard is opened when it has loaded everything, because its page stays empty when
it is opened earlier; that is its best case. "Longest frame" is the longest time between two frames.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.live_latency import tag_owners
from benchmarks.measuring import page_dashboards as pages
from benchmarks.measuring.asking import ask_until, get_json
from benchmarks.measuring.data_sets import DataSet, scalars
from benchmarks.measuring.environments import ROOT, our_program, tensorboard_program
from benchmarks.measuring.figures import Figure, Measurement, Options, median, quantile, run, say
from benchmarks.measuring.page_spikes import POINTS, RUN, SPIKES, TAG, places, spiky_run, strokes_on
from benchmarks.measuring.page_window import Window, time_change, windows
from benchmarks.measuring.painting import delays_of, read_notes
from benchmarks.measuring.processes import wait_for
from benchmarks.measuring.serving import (
    Dashboard,
    our_dashboard,
    ours_serves,
    tensorboard,
    tensorboard_serves,
    until_served,
)

TENSORBOARD = "TensorBoard 2.21"
SCROLL_FRAMES = 300
# Two screens a second: as fast as one can still look at curves.
READING_PIXELS = 25
LIVE_TAGS, LIVE_RATE = 50, 10.0
NAN = float("nan")


def timed(act: Callable[[], None]) -> float:
    """Seconds that something takes."""
    began = time.perf_counter()
    act()
    return time.perf_counter() - began


def open_ours(window: Window, address: str, query: str = "") -> float:
    """Seconds from the navigation until the first curve is on the screen."""
    return timed(lambda: _go(window, f"{address}/scalars{query}", pages.OUR_PLOT))


def open_tensorboard(window: Window, address: str) -> float:
    """The same for TensorBoard's page of time series."""
    return timed(lambda: _go(window, f"{address}/#timeseries", pages.TENSORBOARD_PLOT))


def _go(window: Window, address: str, plot: str) -> None:
    window.page.goto(address, wait_until="commit")
    window.until_curve(plot)


@contextmanager
def ours_with(data: DataSet) -> Iterator[Dashboard]:
    """Our dashboard once it serves everything."""
    with our_dashboard(our_program(), data.base) as dashboard:
        until_served(dashboard, ours_serves(dashboard.address, data))
        yield dashboard


@contextmanager
def tensorboard_with(data: DataSet) -> Iterator[Dashboard | None]:
    """TensorBoard once it serves everything, None where it cannot be installed."""
    program = tensorboard_program()
    if program is None:
        yield None
        return
    with tensorboard(program, data.base) as dashboard:
        until_served(dashboard, tensorboard_serves(dashboard.address, data))
        yield dashboard


# --- 5 tags with a million points each


def _million(options: Options) -> DataSet:
    data = scalars(100_000 if options.quick else 1_000_000)
    data.warm()
    return data


def measure_cold(options: Options) -> list[Figure]:
    """From the start of the program to the first curve, and the page alone when everything has been read."""
    data, times = _million(options), options.times(5, 2)
    ours, ours_warm, theirs, theirs_warm = [], [], [], []
    peer = tensorboard_program()
    with windows() as new_window:
        for turn in range(times):
            say(f"cold start, {turn + 1} of {times} …")
            with our_dashboard(our_program(), data.base) as dashboard:
                open_ours(new_window(), dashboard.address)
                ours.append(dashboard.program.seconds())
                until_served(dashboard, ours_serves(dashboard.address, data))
                ours_warm.append(open_ours(new_window(), dashboard.address))
            if peer is None:
                continue
            with tensorboard(peer, data.base) as dashboard:
                until_served(dashboard, tensorboard_serves(dashboard.address, data))
                theirs_warm.append(open_tensorboard(new_window(), dashboard.address))
                theirs.append(dashboard.program.seconds())
    what = f"start of the program to the first curve, 5 tags with {data.steps:,} points each"
    return [
        Figure("cold_first_curve", what, "s", median(ours), 2.0, _median(theirs), TENSORBOARD),
        Figure(
            "warm_first_curve", "the page alone, all read", "s", median(ours_warm), None, _median(theirs_warm),
            TENSORBOARD,
        ),
    ]  # fmt: skip


def _median(values: Sequence[float]) -> float | None:
    return median(values) if values else None


def measure_zoom(options: Options) -> list[Figure]:
    """Dragging over a part of a chart until the points of that range are drawn."""
    data = _million(options)
    with windows() as new_window:
        with ours_with(data) as dashboard:
            window = new_window()
            window.page.add_init_script(pages.NOTE_ZOOM)
            open_ours(window, dashboard.address)
            window.page.wait_for_timeout(1000)
            zooms = [pages.zoom_ours(window.page, 0.2, 0.8) for _ in range(options.times(6, 3))]
        refined = [zoom.refined for zoom in zooms if zoom.refined is not None]
        theirs = _tensorboard_zoom_requests(new_window, data)
    figures = [
        Figure(
            "zoom_refined", "mouse let go to the finer curve on the screen", "ms", median(refined) if refined else NAN,
            100.0,
        ),
    ]  # fmt: skip
    if theirs is not None:
        what = "requests for finer points after a zoom (TensorBoard zooms the points it has)"
        asked = median([float(zoom.requests) for zoom in zooms])
        figures.append(Figure("zoom_requests", what, "", asked, None, float(theirs), TENSORBOARD, more_is_better=True))
    return figures


def _tensorboard_zoom_requests(new_window: Callable[[], Window], data: DataSet) -> int | None:
    with tensorboard_with(data) as peer:
        if peer is None:
            return None
        window = new_window()
        open_tensorboard(window, peer.address)
        window.page.wait_for_timeout(1000)
        asked: list[str] = []
        window.page.on("request", lambda request: asked.append(request.url))
        pages.drag_over(window.page, pages.TENSORBOARD_PLOT, 0.2, 0.8)
        window.page.wait_for_timeout(1500)
        return sum("timeSeries" in url for url in asked)


# --- 1000 runs


def measure_runs(options: Options) -> list[Figure]:
    """Many runs: the page as it opens, all of them drawn, smoothed and filtered."""
    runs = 100 if options.quick else 1000
    data = scalars(100, runs=runs, tags=10)
    data.warm()
    with windows() as new_window:
        say(f"ours with {runs} runs …")
        ours = _our_runs(new_window, data)
        say(f"{TENSORBOARD} with {runs} runs …")
        theirs = _tensorboard_runs(new_window, data)
    rows: list[tuple[str, str, str, float | None]] = [
        ("runs_first_curve", f"{runs} runs with 10 tags, the page as it opens: first curve", "s", 1.0),
        ("runs_all_first", "all runs chosen: first curve", "s", None),
        ("runs_all_settled", "all runs chosen: nothing changes any more", "s", None),
        ("runs_longest_frame", "all runs chosen: longest frame", "ms", 100.0),
        ("runs_heap", "all runs drawn: heap of the page", "MB", 150.0),
        ("runs_smooth", "all runs drawn, smoothing changed: first repaint", "ms", 300.0),
        ("runs_filter", "all runs drawn, tags filtered: first repaint", "ms", 300.0),
    ]
    return [
        Figure(name, what, unit, ours[name], target, theirs.get(name), TENSORBOARD) for name, what, unit, target in rows
    ]


def _our_runs(new_window: Callable[[], Window], data: DataSet) -> dict[str, float]:
    with ours_with(data) as dashboard:
        found = {"runs_first_curve": open_ours(new_window(), dashboard.address)}
        window = new_window()
        began = time.perf_counter()
        found["runs_all_first"] = open_ours(window, dashboard.address, "?runs=all")
        box = window.box(pages.OUR_CHARTS)
        found["runs_all_settled"] = window.settled(box) - began
        found["runs_longest_frame"] = max(window.frames(), default=NAN)
        found["runs_heap"] = window.heap_megabytes()
        found["runs_smooth"] = time_change(window, box, lambda: pages.smooth_ours(window.page))[0]
        found["runs_filter"] = time_change(window, box, lambda: pages.filter_ours(window.page, "metric_3"))[0]
        return found


def _tensorboard_runs(new_window: Callable[[], Window], data: DataSet) -> dict[str, float]:
    """Its page opens without any curve when there are more than 500 runs: then nothing stands for the first figure."""
    with tensorboard_with(data) as dashboard:
        if dashboard is None:
            return {}
        window, found = new_window(), dict[str, float]()
        window.page.goto(f"{dashboard.address}/#timeseries", wait_until="commit")
        box = window.box(pages.TENSORBOARD_CHARTS)
        window.box(pages.TENSORBOARD_PLOT)
        window.settled(box)
        window.forget_frames()
        began = time.perf_counter()
        if data.runs > 500:
            pages.select_all_in_tensorboard(window.page)
            window.until_curve(pages.TENSORBOARD_PLOT)
            found["runs_all_first"] = time.perf_counter() - began
            found["runs_all_settled"] = window.settled(box) - began
            found["runs_longest_frame"] = max(window.frames(), default=NAN)
        found["runs_heap"] = window.heap_megabytes()
        found["runs_smooth"] = time_change(window, box, lambda: pages.smooth_in_tensorboard(window.page, 0.95))[0]
        found["runs_filter"] = time_change(window, box, lambda: pages.filter_in_tensorboard(window.page, "_3"))[0]
        return found


# --- 12,345 tags


def measure_tags(options: Options) -> list[Figure]:
    """Very many tags: first curves, and scrolling through all charts.

    Through all of them in 300 frames, a screen is gone after one frame: then our page shows names. So what it takes to
    scroll as fast as one can look, with every chart drawn, stands beside it.
    """
    data = scalars(10, runs=1, tags=1000 if options.quick else 12_345)
    data.warm()
    with windows() as new_window:
        with ours_with(data) as dashboard:
            window = new_window()
            first = open_ours(window, dashboard.address)
            window.page.wait_for_timeout(1000)
            reading = window.scroll_down(SCROLL_FRAMES, READING_PIXELS)
            frames = window.scroll_through(SCROLL_FRAMES)
            cards = float(window.page.locator(".card").count())
        with tensorboard_with(data) as peer:
            peer_first, peer_frames = None, list[float]()
            if peer is not None:
                window = new_window()
                peer_first = open_tensorboard(window, peer.address)
                window.page.wait_for_timeout(1000)
                peer_frames = window.scroll_through(SCROLL_FRAMES)
    late = None if not peer_frames else quantile(peer_frames, 0.95)
    what = f"{len(data.tags):,} tags"
    return [
        Figure("tags_first_curve", f"{what}: first curve, all read", "s", first, 1.0, peer_first, TENSORBOARD),
        Figure(
            "tags_scroll", f"{what}: frames while scrolling through all, 95 of 100", "ms", quantile(frames, 0.95), 33.0,
            late, f"{TENSORBOARD}, its first page of 12 alone",
        ),
        Figure("tags_scroll_longest", "of them, the longest", "ms", max(frames)),
        Figure("tags_reading", "at two screens a second, every chart drawn", "ms", quantile(reading, 0.95), 33.0),
        Figure("tags_reading_longest", "of them, the longest", "ms", max(reading)),
        Figure("tags_cards", "charts in the page at the end", "", cards, 60.0),
    ]  # fmt: skip


# --- live


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
    seconds = 6 if options.quick else 20
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
        training.hear()
        window.page.wait_for_timeout(500)
        notes, owners = read_notes(window.page), tag_owners(address)
        drawn = {tag for tag, _, _ in notes.painted}
        seen = {tag: run for tag, run in owners.items() if tag in drawn}
        delays, _ = delays_of(notes.painted, seen, training.flushed(), wall, ended)
    what = f"{LIVE_TAGS} charts at {LIVE_RATE:g} points a second each"
    return [
        Figure("live_frames", f"{what}: frames a second", "", len(frames) / took, 50.0, more_is_better=True),
        Figure("live_longest_frame", "of them, the longest", "ms", max(frames, default=NAN)),
        Figure("live_busy", "main thread at work, of each second", "ms", 1000 * busy / took),
        Figure("live_charts", "charts in view, drawn", "", float(len(drawn))),
        Figure(
            "live_point", "flush to the pixels, without any setting, median", "ms", median(delays) if delays else NAN,
            100.0, 25_000.0, f"{TENSORBOARD} page, auto reload switched on", peer_recorded=True,
        ),
    ]  # fmt: skip


def measure_memory(options: Options) -> list[Figure]:
    """What the page's script holds after many updates, compared with after a few."""
    updates, rate = (10_000, 20.0) if options.quick else (100_000, 40.0)
    warm = updates // 5
    steps = (updates + warm) // LIVE_TAGS
    with windows() as new_window, live_page(new_window, rate, steps) as (window, training, _):
        training.go_on()
        window.page.wait_for_timeout(warm / LIVE_TAGS / rate * 1000)
        before = window.heap_megabytes()
        training.hear()
        window.page.wait_for_timeout(1500)
        after = window.heap_megabytes()
    return [
        Figure("memory_growth", f"heap of the page after {updates:,} further updates", "MB", after - before, 5.0),
        Figure("memory_heap", "heap of the page then", "MB", after),
    ]


# --- spikes


def measure_spikes(options: Options) -> list[Figure]:
    """Spikes of one step: how many are in the pixels of the whole curve."""
    points = 100_000 if options.quick else POINTS
    base, peer = spiky_run(points), tensorboard_program()
    data = DataSet(base, 1, [TAG], points)
    with our_dashboard(our_program(), base) as dashboard, windows() as new_window:
        until_served(dashboard, ours_serves(dashboard.address, data))
        window = new_window()
        open_ours(window, dashboard.address, "?smooth=0")
        ours = strokes_on(window.page)
    theirs = None
    if peer is not None:
        with tensorboard(peer, base) as dashboard:
            address = f"{dashboard.address}/data/plugin/scalars/scalars?run={RUN}&tag={TAG}"
            served = tensorboard_serves(dashboard.address, DataSet(base, 1, [TAG], points - 1))
            ask_until(served, f"All data on {dashboard.address}")
            steps = {row[1] for row in get_json(address)}
            theirs = float(sum(place in steps for place in places(points)))
    what = f"of {SPIKES} one-step spikes in {points:,} points, told apart in the pixels (TensorBoard: served at all)"
    return [
        Figure("spikes", what, "", float(ours), float(SPIKES), theirs, TENSORBOARD, more_is_better=True),
    ]


MEASUREMENTS: dict[Measurement, Sequence[str]] = {
    measure_cold: ("cold_first_curve", "warm_first_curve"),
    measure_zoom: ("zoom_refined", "zoom_requests"),
    measure_runs: (
        "runs_first_curve",
        "runs_all_first",
        "runs_all_settled",
        "runs_longest_frame",
        "runs_heap",
        "runs_smooth",
        "runs_filter",
    ),
    measure_tags: (
        "tags_first_curve",
        "tags_scroll",
        "tags_scroll_longest",
        "tags_reading",
        "tags_reading_longest",
        "tags_cards",
    ),
    measure_live: ("live_frames", "live_longest_frame", "live_busy", "live_charts", "live_point"),
    measure_memory: ("memory_growth", "memory_heap"),
    measure_spikes: ("spikes",),
}

if __name__ == "__main__":
    sys.exit(run(__doc__.splitlines()[0], MEASUREMENTS))
