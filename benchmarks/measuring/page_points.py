"""Curves of a million points in the browser: a cold start, zooming, and spikes of one step. Measured by `pages.py`."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.measuring import page_dashboards as pages
from benchmarks.measuring.asking import ask_until, get_json
from benchmarks.measuring.data_sets import DataSet, scalars
from benchmarks.measuring.environments import our_program, tensorboard_program
from benchmarks.measuring.figures import Figure, Measurement, Options, say
from benchmarks.measuring.page_openings import (
    figure,
    open_ours,
    open_tensorboard,
    ours,
    ours_with,
    tensorboard_with,
    theirs,
)
from benchmarks.measuring.page_parts import Found, Outcome
from benchmarks.measuring.page_spikes import POINTS, RUN, SPIKES, TAG, places, spiky_run, strokes_on
from benchmarks.measuring.page_window import windows
from benchmarks.measuring.serving import our_dashboard, ours_serves, tensorboard, tensorboard_serves, until_served


def _million(options: Options) -> DataSet:
    data = scalars(100_000 if options.quick else 1_000_000)
    data.warm()
    return data


def measure_cold(options: Options) -> list[Figure]:
    """From the start of the program to the first curve, and the page alone when everything has been read."""
    data, times = _million(options), options.times(5, 2)
    found, peer = Outcome(), Outcome()
    for turn in range(times):
        say(f"cold start, {turn + 1} of {times} …")
        found.add(ours(our_cold_start, data))
        peer.add(theirs(tensorboard_cold_start, data))
    what = f"start of the program to the first curve, 5 tags with {data.steps:,} points each"
    return [
        figure("cold_first_curve", what, "s", found, 2.0, peer),
        figure("warm_first_curve", "the page alone, all read", "s", found, None, peer),
    ]


def our_cold_start(data: DataSet) -> Found:
    """Ours, opened as soon as it names its address."""
    with windows() as new_window:
        # A user who starts a dashboard has a browser open.
        window = new_window()
        with our_dashboard(our_program(), data.base) as dashboard:
            open_ours(window, dashboard.address)
            yield "cold_first_curve", dashboard.program.seconds()
            until_served(dashboard, ours_serves(dashboard.address, data))
            yield "warm_first_curve", open_ours(new_window(), dashboard.address)


def tensorboard_cold_start(data: DataSet) -> Found:
    """TensorBoard, opened as soon as it serves everything."""
    with windows() as new_window:
        window = new_window()
        with tensorboard_with(data) as dashboard:
            yield "warm_first_curve", open_tensorboard(window, dashboard.address)
            yield "cold_first_curve", dashboard.program.seconds()


def measure_zoom(options: Options) -> list[Figure]:
    """Dragging over a part of a chart until the points of that range are drawn."""
    data = _million(options)
    say("zooming …")
    found, peer = ours(our_zooms, data, options.times(6, 3)), theirs(tensorboard_zoom, data)
    asked = "requests for finer points after a zoom (TensorBoard zooms the points it has)"
    return [
        figure("zoom_refined", "mouse let go to the finer curve on the screen", "ms", found, 100.0),
        figure("zoom_requests", asked, "", found, None, peer, more_is_better=True),
    ]


def our_zooms(data: DataSet, times: int) -> Found:
    """Zooms into a part of our first chart, again and again."""
    with ours_with(data) as dashboard, windows() as new_window:
        window = new_window()
        window.page.add_init_script(pages.NOTE_ZOOM)
        open_ours(window, dashboard.address)
        window.page.wait_for_timeout(1000)
        for _ in range(times):
            zoom = pages.zoom_ours(window.page, 0.2, 0.8)
            yield "zoom_requests", float(zoom.requests)
            if zoom.refined is not None:
                yield "zoom_refined", zoom.refined


def tensorboard_zoom(data: DataSet) -> Found:
    """How often TensorBoard asks for points after a zoom."""
    with tensorboard_with(data) as dashboard, windows() as new_window:
        window = new_window()
        open_tensorboard(window, dashboard.address)
        window.page.wait_for_timeout(1000)
        asked: list[str] = []
        window.page.on("request", lambda request: asked.append(request.url))
        pages.drag_over(window.page, pages.TENSORBOARD_PLOT, 0.2, 0.8)
        window.page.wait_for_timeout(1500)
        yield "zoom_requests", float(sum("timeSeries" in url for url in asked))


def measure_spikes(options: Options) -> list[Figure]:
    """Spikes of one step: how many are in the pixels of the whole curve."""
    points = 100_000 if options.quick else POINTS
    spiky_run(points)
    say("spikes …")
    found, peer = ours(our_spikes, points), theirs(tensorboard_spikes, points)
    what = f"of {SPIKES} one-step spikes in {points:,} points, told apart in the pixels (TensorBoard: served at all)"
    return [figure("spikes", what, "", found, float(SPIKES), peer, more_is_better=True)]


def our_spikes(points: int) -> Found:
    """How many spikes are to be seen on our page."""
    with ours_with(DataSet(spiky_run(points), 1, [TAG], points)) as dashboard, windows() as new_window:
        window = new_window()
        open_ours(window, dashboard.address, "?smooth=0")
        yield "spikes", float(strokes_on(window.page))


def tensorboard_spikes(points: int) -> Found:
    """How many spikes TensorBoard serves."""
    base, program = spiky_run(points), tensorboard_program()
    if program is None:
        return
    with tensorboard(program, base) as dashboard:
        # Its last step is one less than there are.
        served = tensorboard_serves(dashboard.address, DataSet(base, 1, [TAG], points - 1))
        ask_until(served, f"All data on {dashboard.address}")
        steps = {row[1] for row in get_json(f"{dashboard.address}/data/plugin/scalars/scalars?run={RUN}&tag={TAG}")}
        yield "spikes", float(sum(place in steps for place in places(points)))


MEASUREMENTS: dict[Measurement, Sequence[str]] = {
    measure_cold: ("cold_first_curve", "warm_first_curve"),
    measure_zoom: ("zoom_refined", "zoom_requests"),
    measure_spikes: ("spikes",),
}
