"""A thousand runs, and ten thousand tags, in the browser. Measured by `pages.py`."""

from __future__ import annotations

import time
from collections.abc import Sequence

from benchmarks.measuring import page_dashboards as pages
from benchmarks.measuring.data_sets import DataSet, scalars
from benchmarks.measuring.figures import Figure, Measurement, Options, quantile, say
from benchmarks.measuring.page_openings import (
    NAN,
    TENSORBOARD,
    figure,
    open_ours,
    open_tensorboard,
    ours,
    ours_with,
    tensorboard_with,
    theirs,
)
from benchmarks.measuring.page_parts import Found
from benchmarks.measuring.page_window import time_change, windows

SCROLL_FRAMES = 300
# Two screens a second: as fast as one can still look at curves.
READING_PIXELS = 25
# Of a screen that makes 60 a second, as its clock tells them.
TWO_FRAMES_MS = 33.5
# With a thousand runs TensorBoard was seen to need more than five minutes for all of it.
RUNS_LIMIT_S = 150.0


def measure_runs(options: Options) -> list[Figure]:
    """Many runs: the page as it opens, all of them drawn, smoothed and filtered."""
    runs = 100 if options.quick else 1000
    data = scalars(100, runs=runs, tags=10)
    data.warm()
    say(f"ours with {runs} runs …")
    found = ours(our_runs, data)
    say(f"{TENSORBOARD} with {runs} runs …")
    peer = theirs(tensorboard_runs, data, seconds=RUNS_LIMIT_S)
    # Its page opens without any curve when there are more than 500 runs: then nothing stands for the first figure.
    opened = f"{runs} runs with 10 tags, the page as it opens: first curve"
    return [
        figure("runs_first_curve", opened, "s", found, 1.0),
        figure("runs_all_first", "all runs chosen: first curve", "s", found, None, peer),
        figure("runs_all_settled", "all runs chosen: nothing changes any more", "s", found, None, peer),
        figure("runs_longest_frame", "all runs chosen: longest frame", "ms", found, 100.0, peer),
        figure("runs_heap", "all runs drawn: heap of the page", "MB", found, 150.0, peer),
        figure("runs_smooth", "all runs drawn, smoothing changed: first repaint", "ms", found, 300.0, peer),
        figure("runs_filter", "all runs drawn, tags filtered: first repaint", "ms", found, 300.0, peer),
    ]


def our_runs(data: DataSet) -> Found:
    """Our page with many runs."""
    with ours_with(data) as dashboard, windows() as new_window:
        for _ in range(3):
            yield "runs_first_curve", open_ours(new_window(), dashboard.address)
        for _ in range(3):
            window = new_window()
            began = time.perf_counter()
            yield "runs_all_first", open_ours(window, dashboard.address, "?runs=all")
            box = window.box(pages.OUR_CHARTS)
            yield "runs_all_settled", window.settled(box) - began
            yield "runs_longest_frame", max(window.frames(), default=NAN)
        yield "runs_heap", window.heap_megabytes()
        for _ in range(3):
            yield "runs_smooth", time_change(window, box, lambda: pages.smooth_ours(window.page))[0]
        yield "runs_filter", time_change(window, box, lambda: pages.filter_ours(window.page, "metric_3"))[0]


def tensorboard_runs(data: DataSet) -> Found:
    """TensorBoard's page with many runs."""
    with tensorboard_with(data) as dashboard, windows() as new_window:
        window = new_window()
        window.page.goto(f"{dashboard.address}/#timeseries", wait_until="commit")
        box = window.box(pages.TENSORBOARD_CHARTS)
        window.box(pages.TENSORBOARD_PLOT)
        window.settled(box)
        window.forget_frames()
        began = time.perf_counter()
        if data.runs > 500:
            pages.select_all_in_tensorboard(window.page)
            window.until_curve(pages.TENSORBOARD_PLOT)
            yield "runs_all_first", time.perf_counter() - began
            yield "runs_all_settled", window.settled(box) - began
            yield "runs_longest_frame", max(window.frames(), default=NAN)
        yield "runs_heap", window.heap_megabytes()
        yield "runs_smooth", time_change(window, box, lambda: pages.smooth_in_tensorboard(window.page, 0.95))[0]
        yield "runs_filter", time_change(window, box, lambda: pages.filter_in_tensorboard(window.page, "_3"))[0]


def measure_tags(options: Options) -> list[Figure]:
    """Very many tags: first curves, and scrolling through all charts.

    Through all of them in 300 frames, a screen is gone after one frame: then our page shows names. So what it takes to
    scroll as fast as one can look, with every chart drawn, stands beside it.
    """
    data = scalars(10, runs=1, tags=1000 if options.quick else 12_345)
    data.warm()
    say(f"{len(data.tags)} tags …")
    found, peer = ours(our_tags, data), theirs(tensorboard_tags, data)
    what = f"{len(data.tags):,} tags"
    first_page = f"{TENSORBOARD}, its first page of 12 alone"
    scrolled = f"{what}: frames while scrolling through all, 95 of 100"
    return [
        figure("tags_first_curve", f"{what}: first curve, all read", "s", found, 1.0, peer),
        figure("tags_scroll", scrolled, "ms", found, TWO_FRAMES_MS, peer, first_page),
        figure("tags_scroll_longest", "of them, the longest", "ms", found),
        figure("tags_reading", "at two screens a second, every chart drawn", "ms", found, TWO_FRAMES_MS),
        figure("tags_reading_longest", "of them, the longest", "ms", found),
        figure("tags_cards", "charts in the page at the end", "", found, 60.0),
    ]


def our_tags(data: DataSet) -> Found:
    """Our page with many tags."""
    with ours_with(data) as dashboard, windows() as new_window:
        for _ in range(3):
            window = new_window()
            yield "tags_first_curve", open_ours(window, dashboard.address)
        window.page.wait_for_timeout(1000)
        reading = window.scroll_down(SCROLL_FRAMES, READING_PIXELS)
        yield "tags_reading", quantile(reading, 0.95)
        yield "tags_reading_longest", max(reading)
        frames = window.scroll_through(SCROLL_FRAMES)
        yield "tags_scroll", quantile(frames, 0.95)
        yield "tags_scroll_longest", max(frames)
        yield "tags_cards", float(window.page.locator(".card").count())


def tensorboard_tags(data: DataSet) -> Found:
    """TensorBoard's page with many tags."""
    with tensorboard_with(data) as dashboard, windows() as new_window:
        window = new_window()
        yield "tags_first_curve", open_tensorboard(window, dashboard.address)
        window.page.wait_for_timeout(1000)
        yield "tags_scroll", quantile(window.scroll_through(SCROLL_FRAMES), 0.95)


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
