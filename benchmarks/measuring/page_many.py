"""A thousand runs, and ten thousand tags, in the browser. Measured by `pages.py`."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from benchmarks.measuring import page_dashboards as pages
from benchmarks.measuring.data_sets import DataSet, scalars
from benchmarks.measuring.figures import Figure, Measurement, Options, quantile, say
from benchmarks.measuring.page_openings import (
    NAN,
    TENSORBOARD,
    open_ours,
    open_tensorboard,
    ours_with,
    tensorboard_with,
)
from benchmarks.measuring.page_window import Window, time_change, windows

SCROLL_FRAMES = 300
# Two screens a second: as fast as one can still look at curves.
READING_PIXELS = 25


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


MEASUREMENTS: dict[Measurement, Sequence[str]] = {
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
}
