"""The time of a curve from the request to the last byte of the response.

A view is what a chart of 2000 pixels can show: first, lowest, highest and last point of each pixel column, over all
points. Each request is repeated over one open connection, with another width each time, so that no cached response
counts; figures are medians. *In the view* is the same request to the same code without a web server. The floor is an
empty response. TensorBoard is asked for the same curve, of which it has kept 1000 points.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import urlencode

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.measuring.asking import Connection, get_json
from benchmarks.measuring.data_sets import DataSet, scalars
from benchmarks.measuring.environments import ROOT, our_program, tensorboard_program
from benchmarks.measuring.figures import Figure, Measurement, Options, median, run, say
from benchmarks.measuring.serving import (
    Dashboard,
    our_dashboard,
    ours_serves,
    tensorboard,
    tensorboard_serves,
    until_served,
)

SCRIPT = ROOT / "benchmarks" / "measuring" / "query_calls.py"
TENSORBOARD = "TensorBoard 2.21, its 1000 points"
WIDTH = 2000
VIEW_TARGET_MS, MANY_TARGET_MS = 5.0, 60.0
MILLION, HUNDRED_THOUSAND = 1_000_000, 100_000
WARM_UP = 3


class Asked:
    """Questions to one dashboard of ours, on one connection.

    Args:
        dashboard: a dashboard that serves all it watches.
        repeats: how often each question is asked.
    """

    def __init__(self, dashboard: Dashboard, repeats: int) -> None:
        self.series = all_series(dashboard.address)
        self._web = web_variables(dashboard)
        self._connection = Connection(dashboard.address)
        self._repeats = repeats

    def paths(self, what: str, **parameters: object) -> list[str]:
        """The question as often as it is asked, each time a pixel wider."""
        return [
            f"/api/scalars/{what}?{urlencode(parameters | {'width': WIDTH + turn}, safe=',')}"
            for turn in range(self._repeats)
        ]

    def over_http(self, paths: Sequence[str]) -> float:
        """Milliseconds, the median over all paths."""
        return time_paths(self._connection, paths)

    def in_the_view(self, paths: Sequence[str]) -> float:
        """Milliseconds without a web server, the median over all paths."""
        command = [str(our_program().parent / "python"), str(SCRIPT)]
        done = subprocess.run(
            command, input=json.dumps(paths), check=True, stdout=subprocess.PIPE, text=True, env=dict(self._web)
        )
        return median(json.loads(done.stdout)["seconds"]) * 1000

    def unchanged(self, path: str) -> float:
        """Milliseconds of a response that reports no change (304)."""
        tag = {name.lower(): value for name, value in self._connection.ask(path)[1].items()}["etag"]
        known = {"If-None-Match": tag}
        return median([self._connection.seconds(path, known, 304) for _ in range(self._repeats)]) * 1000

    def floor(self) -> float:
        """Milliseconds for an empty answer."""
        return self.over_http(["/healthz"] * self._repeats)


def time_paths(connection: Connection, paths: Sequence[str]) -> float:
    """Milliseconds of an answer, the median over all paths after some for warming up."""
    for path in paths[:WARM_UP]:
        connection.seconds(path)
    return median([connection.seconds(path) for path in paths]) * 1000


def all_series(address: str) -> list[int]:
    """The numbers of all scalar series."""
    groups = get_json(f"{address}/api/scalars/tags")["tags"]
    return [series["series"] for group in groups for series in group["series"]]


def web_variables(dashboard: Dashboard) -> Mapping[str, str]:
    """The environment variables of a dashboard's web server."""
    for process in dashboard.program.family():
        if "mindinsight.config.web" in process.cmdline():
            return process.environ()
    raise RuntimeError("The dashboard has no web server.")


def measure_one(options: Options) -> list[Figure]:
    """All questions about one curve of a million points."""
    data = scalars(MILLION, tags=1)
    data.warm()
    say("one curve …")
    with our_dashboard(our_program(), data.base) as dashboard:
        until_served(dashboard, ours_serves(dashboard.address, data))
        asked = Asked(dashboard, options.times(40, 15))
        return _ask_about_one(asked, data, options)


def _ask_about_one(asked: Asked, data: DataSet, options: Options) -> list[Figure]:
    number, last = asked.series[0], data.steps
    view = asked.paths("points", series=number)
    raw = [f"/api/scalars/raw?series={number}&first={turn}" for turn in range(5)]
    theirs = _ask_tensorboard(data, options)
    compared = (theirs, TENSORBOARD if theirs else "")
    size = f"{data.steps:,} points"
    return [
        Figure("query_floor", "an empty answer", "ms", asked.floor()),
        Figure("query_view", f"{size} to {WIDTH} pixels", "ms", asked.over_http(view), VIEW_TARGET_MS, *compared),
        Figure("query_view_inside", "the same, in the view", "ms", asked.in_the_view(view), VIEW_TARGET_MS),
        _figure(asked, "query_view_wall", "the same by wall time", asked.paths("points", series=number, x="wall")),
        _figure(
            asked,
            "query_view_part",
            "a third of it",
            asked.paths("points", series=number, **{"from": last // 3, "to": last * 2 // 3}),
        ),
        _figure(asked, "query_smoothed", "all of it, smoothed", asked.paths("points", series=number, smoothing=0.9)),
        _figure(asked, "query_buckets", "all of it in buckets", asked.paths("buckets", series=number, format="binary")),
        _figure(asked, "query_buckets_json", "the same as JSON", asked.paths("buckets", series=number, format="json")),
        _figure(asked, "query_raw", f"all {size} themselves, binary", raw),
        Figure("query_unchanged", "a view that the page already has (304)", "ms", asked.unchanged(view[0])),
    ]


def _figure(asked: Asked, name: str, what: str, paths: Sequence[str]) -> Figure:
    return Figure(name, what, "ms", asked.over_http(paths))


def _ask_tensorboard(data: DataSet, options: Options) -> float | None:
    """Milliseconds for one curve of TensorBoard's, or None where there is no TensorBoard."""
    peer = tensorboard_program()
    if peer is None:
        return None
    with tensorboard(peer, data.base) as dashboard:
        until_served(dashboard, tensorboard_serves(dashboard.address, data))
        path = f"/data/plugin/scalars/scalars?{urlencode({'run': data.last_run, 'tag': data.tags[-1]})}"
        return time_paths(Connection(dashboard.address), [path] * options.times(40, 15))


def measure_many(options: Options) -> list[Figure]:
    """Fifty curves in one question."""
    data = scalars(HUNDRED_THOUSAND if options.quick else MILLION, runs=10)
    data.warm()
    say(f"fifty curves of {data.steps:,} points …")
    with our_dashboard(our_program(), data.base) as dashboard:
        until_served(dashboard, ours_serves(dashboard.address, data))
        asked = Asked(dashboard, options.times(15, 7))
        view = asked.paths("points", series=",".join(map(str, asked.series)))
        http, inside = asked.over_http(view), asked.in_the_view(view)
    what = f"{len(asked.series)} curves of {data.steps:,} points to {WIDTH} pixels, one question"
    return [
        Figure("query_many", what, "ms", http, MANY_TARGET_MS),
        Figure("query_many_inside", "the same, in the view", "ms", inside),
    ]


MEASUREMENTS: dict[Measurement, Sequence[str]] = {
    measure_one: (
        "query_floor",
        "query_view",
        "query_view_inside",
        "query_view_wall",
        "query_view_part",
        "query_smoothed",
        "query_buckets",
        "query_buckets_json",
        "query_raw",
        "query_unchanged",
    ),
    measure_many: ("query_many", "query_many_inside"),
}

if __name__ == "__main__":
    sys.exit(run(__doc__.splitlines()[0], MEASUREMENTS))
