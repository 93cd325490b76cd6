"""Waiting times for the lineage of a sweep of ten thousand runs with forty columns: table, page, importance.

Times of the table are from the request to the last byte, over one open connection. *Cold* is the first request to a new
web server, which decodes the recorded values of all runs; *unchanged* is the request of a page that has the response
already. Each query uses another number, so that no cached response counts. The page is opened in a new context of
Chromium and is usable when all lines are drawn; a brush is dragged in moves, each after the previous one is drawn.
TensorBoard's recorded times are those of its HParams page for half the runs and 8 of 23 axes. Both pages are also
opened on the same files: ours with its 8 axes of all runs, TensorBoard's with its first 5 of 32 parameters and all
results, and without the runs that lack one of these five. Anything not drawn within a minute counts as not done.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import quote

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.measuring.asking import Connection, ask_until, get_json, json_or_none
from benchmarks.measuring.environments import our_program, tensorboard_program
from benchmarks.measuring.figures import Figure, Measurement, Options, median, run, say
from benchmarks.measuring.hparams_page import LIMIT_S, open_and_brush, until_known
from benchmarks.measuring.page_brushes import Brushed, drag_brush, open_page
from benchmarks.measuring.page_window import Window, windows
from benchmarks.measuring.serving import Dashboard, our_dashboard, tensorboard
from benchmarks.measuring.sweep_files import CATEGORIES, METRICS, NUMBERS, hparams_sweep, sweep, with_parameters

TABLE = "/api/lineage/table"
COLD_MS, FILTER_MS = 500.0, 100.0
PAGE_S, FIRST_MS, WHOLE_MS, IMPORTANCE_S = 1.5, 32.0, 300.0, 10.0
PEER = "TensorBoard 2.21, HParams page of 5,000 runs"
PEER_S, PEER_BRUSH_MS = 6.0, 500.0
BESIDE = (100, 500)
PAGE_BESIDE = "TensorBoard 2.21, HParams page"
NAN = float("nan")
# Of each time: seconds until all lines were drawn, milliseconds of a brush's move.
Times = list[tuple[float, float]]
# The parameters that its axes are of, the first five by name.
DRAWN = {f"choice_{at}" for at in range(5)}
# Not the one that the page takes by itself, whose study is there.
TARGET = "metrics.score_1/accuracy"
# The last but one, of a result: its brush changes lines on both sides.
AXIS = 6


def measure_table(options: Options) -> Sequence[Figure]:
    """The table of a sweep, by a dashboard that has read it and was started again."""
    with _sweep_served(options) as (dashboard, what):
        say("asking …")
        return _ask(dashboard, options, what)


def measure_page(options: Options) -> Sequence[Figure]:
    """The page of a sweep in the browser."""
    opened: list[float] = []
    brushed: list[Brushed] = []
    with _sweep_served(options) as (dashboard, what), windows() as new_window:
        for turn in range(options.times(3, 1) + 1):
            say(f"opening the page ({turn}) …")
            window, began = new_window(), time.perf_counter()
            open_page(window, f"{dashboard.address}/lineage")
            # The first time decodes what all runs note.
            if turn:
                opened.append(time.perf_counter() - began)
                brushed.append(drag_brush(window, AXIS))
            window.page.context.close()
    first = [one for drag in brushed for one in drag.first]
    whole = [one for drag in brushed for one in drag.whole]
    page = f"the page until all lines are drawn and the list is there: {what}"
    brush = "a move of a brush until lines follow"
    return [
        Figure("lineage_page", page, "s", median(opened), PAGE_S, PEER_S, PEER, peer_recorded=True),
        Figure("lineage_brush", brush, "ms", median(first), FIRST_MS, PEER_BRUSH_MS, PEER, peer_recorded=True),
        Figure("lineage_brush_longest", "the longest of these", "ms", max(first)),
        Figure("lineage_brushed", "until all lines are drawn", "ms", median(whole), WHOLE_MS),
        Figure("lineage_brushed_longest", "the longest of these", "ms", max(whole)),
    ]


def measure_importance(options: Options) -> Sequence[Figure]:
    """What mattered, from the first question to the answer."""
    with _sweep_served(options) as (dashboard, what):
        say("asking what mattered …")
        address = f"{dashboard.address}/api/lineage/importance?target={quote(TARGET)}"
        began = time.perf_counter()
        ask_until(lambda: get_json(address)["state"] not in ("waiting", "running"), "What mattered")
        seconds = time.perf_counter() - began
        state = get_json(address)["state"]
        if state != "done":
            raise ValueError(f"what mattered ended as {state!r}")
    return [Figure("lineage_importance", f"what mattered: {what}", "s", seconds, IMPORTANCE_S)]


def measure_beside(runs: int, options: Options) -> Sequence[Figure]:
    """Our page and TensorBoard's, in turn, on the same files."""
    if options.quick and runs != BESIDE[0]:
        return []
    peer, base, times = tensorboard_program(), hparams_sweep(runs), options.times(3, 1)
    with windows() as new_window:
        say(f"{runs:,} runs of TensorBoard's hparams: ours …")
        ours = _ask_ours(base, runs, times, new_window)
        theirs: Times = []
        if peer is not None:
            say("TensorBoard …")
            theirs = _ask_peer(peer, base, runs, times, new_window)
    name = PAGE_BESIDE if theirs else f"{PAGE_BESIDE}, did not finish in {LIMIT_S:g} s"
    page = f"{runs:,} runs of TensorBoard's hparams: the page until all lines are drawn"
    brush = f"{runs:,} runs of TensorBoard's hparams: a move of a brush until all lines are drawn"
    cases = ((f"lineage_beside_{runs}", page, "s", 0), (f"lineage_beside_brush_{runs}", brush, "ms", 1))
    figures = []
    for figure, what, unit, at in cases:
        known = median([one[at] for one in theirs]) if theirs else NAN
        own = median([one[at] for one in ours])
        figures.append(Figure(figure, what, unit, own, None, None if peer is None else known, name))
    return figures


def _ask_ours(base: Path, runs: int, times: int, new_window: Callable[[], Window]) -> Times:
    """Seconds until all lines are drawn, and milliseconds of a brush's move, each time."""
    found = []
    with TemporaryDirectory() as folder, our_dashboard(our_program(), base, Path(folder, "workspace")) as dashboard:
        ask_until(lambda: _all_noted(dashboard, runs), "All runs")
        for _ in range(times):
            window, began = new_window(), time.perf_counter()
            open_page(window, f"{dashboard.address}/lineage")
            found.append((time.perf_counter() - began, median(drag_brush(window, AXIS).whole)))
            window.page.context.close()
    return found


def _ask_peer(peer: Path, base: Path, runs: int, times: int, new_window: Callable[[], Window]) -> Times:
    """The same of TensorBoard; nothing if it does not finish."""
    found = []
    with tensorboard(peer, base) as dashboard:
        try:
            until_known(dashboard, runs)
        except TimeoutError as problem:
            say(f"TensorBoard with {runs:,} runs: {problem}")
            return []
        for _ in range(times):
            done = open_and_brush(new_window, dashboard, runs, with_parameters(runs, DRAWN))
            if done is None:
                return []
            found.append((done[0], median(done[1])))
    return found


@contextmanager
def _sweep_served(options: Options) -> Iterator[tuple[Dashboard, str]]:
    """A dashboard that has read the sweep and was restarted, and a description of what it serves."""
    runs = options.times(10_000, 1000)
    workspace = Path(_read(runs).name)
    with our_dashboard(our_program(), sweep(runs), workspace) as dashboard:
        yield dashboard, f"{runs:,} runs with {NUMBERS + CATEGORIES + METRICS} columns"


@cache
def _read(runs: int) -> TemporaryDirectory[str]:
    """A workspace in which the sweep has been read, once for all that is measured of it."""
    folder: TemporaryDirectory[str] = TemporaryDirectory()
    say(f"reading {runs:,} runs …")
    with our_dashboard(our_program(), sweep(runs), Path(folder.name)) as dashboard:
        ask_until(lambda: _all_noted(dashboard, runs), "All runs")
    return folder


def _all_noted(dashboard: Dashboard, runs: int) -> bool:
    found = json_or_none(f"{dashboard.address}/api/runs/order?query={quote('score_0/accuracy > 0')}")
    return found is not None and len(found["runs"]) == runs


def _ask(dashboard: Dashboard, options: Options, what: str) -> list[Figure]:
    connection = Connection(dashboard.address)
    # The views of an app are imported when one of its addresses is asked for; a table of no runs reads nothing.
    connection.seconds(f"{TABLE}?query={quote('name:nothing')}")
    cold = connection.seconds(TABLE) * 1000
    repeats = options.times(15, 5)
    warm = median([connection.seconds(TABLE) for _ in range(repeats)]) * 1000
    tag = {name.lower(): value for name, value in connection.ask(TABLE)[1].items()}["etag"]
    known = {"If-None-Match": tag}
    unchanged = median([connection.seconds(TABLE, known, 304) for _ in range(repeats)]) * 1000
    small = [f"rate_07 < {1e-4 + turn * 1e-7:.8f}" for turn in range(repeats)]
    large = [f"choice_0 = Adam or score_0/accuracy > {0.3 + turn * 1e-4:.5f}" for turn in range(repeats)]
    figures = [
        Figure("lineage_cold", f"the table, cold: {what}", "ms", cold, COLD_MS),
        Figure("lineage_warm", "the same once more", "ms", warm),
        Figure("lineage_unchanged", "a table that the page already has (304)", "ms", unchanged),
        Figure("lineage_filter", "a query that finds a quarter of them", "ms", _queries(connection, small), FILTER_MS),
        Figure("lineage_filter_two", "a query of two conditions", "ms", _queries(connection, large), FILTER_MS),
    ]
    connection.close()
    return figures


def _queries(connection: Connection, queries: Sequence[str]) -> float:
    """Milliseconds of the table of a query, the median."""
    return median([connection.seconds(f"{TABLE}?query={quote(query)}") for query in queries]) * 1000


MEASUREMENTS: dict[Measurement, Sequence[str]] = {
    measure_table: ("lineage_cold", "lineage_warm", "lineage_unchanged", "lineage_filter", "lineage_filter_two"),
    measure_page: (
        "lineage_page",
        "lineage_brush",
        "lineage_brush_longest",
        "lineage_brushed",
        "lineage_brushed_longest",
    ),
    measure_importance: ("lineage_importance",),
    **{partial(measure_beside, runs): (f"lineage_beside_{runs}", f"lineage_beside_brush_{runs}") for runs in BESIDE},
}

if __name__ == "__main__":
    sys.exit(run(__doc__.splitlines()[0], MEASUREMENTS))
