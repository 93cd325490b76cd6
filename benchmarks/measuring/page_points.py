"""Curves of a million points in the browser: a cold start, zooming, and spikes of one step. Measured by `pages.py`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from benchmarks.measuring import page_dashboards as pages
from benchmarks.measuring.asking import ask_until, get_json
from benchmarks.measuring.data_sets import DataSet, scalars
from benchmarks.measuring.environments import our_program, tensorboard_program
from benchmarks.measuring.figures import Figure, Measurement, Options, median, say
from benchmarks.measuring.page_openings import (
    NAN,
    TENSORBOARD,
    median_or_none,
    open_ours,
    open_tensorboard,
    ours_with,
    tensorboard_with,
)
from benchmarks.measuring.page_spikes import POINTS, RUN, SPIKES, TAG, places, spiky_run, strokes_on
from benchmarks.measuring.page_window import Window, windows
from benchmarks.measuring.serving import our_dashboard, ours_serves, tensorboard, tensorboard_serves, until_served


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
            # Whoever starts a dashboard has a browser open.
            window = new_window()
            with our_dashboard(our_program(), data.base) as dashboard:
                open_ours(window, dashboard.address)
                ours.append(dashboard.program.seconds())
                until_served(dashboard, ours_serves(dashboard.address, data))
                ours_warm.append(open_ours(new_window(), dashboard.address))
            if peer is None:
                continue
            window = new_window()
            with tensorboard(peer, data.base) as dashboard:
                until_served(dashboard, tensorboard_serves(dashboard.address, data))
                theirs_warm.append(open_tensorboard(window, dashboard.address))
                theirs.append(dashboard.program.seconds())
    what = f"start of the program to the first curve, 5 tags with {data.steps:,} points each"
    return [
        Figure("cold_first_curve", what, "s", median(ours), 2.0, median_or_none(theirs), TENSORBOARD),
        Figure(
            "warm_first_curve", "the page alone, all read", "s", median(ours_warm), None, median_or_none(theirs_warm),
            TENSORBOARD,
        ),
    ]  # fmt: skip


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
    measure_spikes: ("spikes",),
}
