"""How fast event files become curves, and how much memory that takes.

Every part runs ours and TensorBoard's on the same files, in turn, with the files in the page cache. *Parsing* is one
thread on one file: our reader, which verifies both checksums of each record, compared with the log of TensorBoard's
data server, which by default verifies none. *Served* is the time from the spawn, with an empty workspace, until HTTP
reports all points of all runs; both are polled every 20 ms, or less often if responses take longer. *Memory* is the sum
over all processes, sampled every 50 ms. TensorBoard keeps 1000 points of a curve and some 50 histograms; ours keeps
all.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.measuring.asking import Connection, get_json
from benchmarks.measuring.data_sets import DataSet, histograms, mindspore_scalars, scalars
from benchmarks.measuring.environments import ROOT, our_program, plain_variables, tensorboard_program
from benchmarks.measuring.figures import Figure, Measurement, Options, median, run, say
from benchmarks.measuring.memory_watch import MemoryWatch
from benchmarks.measuring.processes import weigh
from benchmarks.measuring.rustboard import load_seconds, server_of
from benchmarks.measuring.serving import (
    Dashboard,
    Served,
    our_dashboard,
    ours_serves,
    tensorboard,
    tensorboard_serves,
    until_served,
)

SCRIPT = ROOT / "benchmarks" / "measuring" / "parse_calls.py"
TENSORBOARD, DATA_SERVER, MINDINSIGHT = "TensorBoard 2.21", "TensorBoard 2.21 data server", "MindInsight 2.3.1"
PYTHON_LOADER = "TensorBoard 2.21, --load_fast=false"
PARSE_TARGET, MEMORY_TARGET, AGAIN_TARGET_S = 5.0, 1.5, 1.0
RECORDED_MINDINSIGHT_EVENTS = 380.0
MILLION, HUNDRED_THOUSAND = 1_000_000, 100_000
SETTLE_S = 3.0


@dataclass(frozen=True)
class Case:
    """Files that both dashboards are started on.

    Attributes:
        name: end of its figures' names.
        data: makes the files; smaller ones in the quick version.
        target: how many times sooner than TensorBoard ours has to serve all; None where nothing was promised.
        kind: what TensorBoard calls the values, `scalars` or `histograms`.
    """

    name: str
    data: Callable[[bool], DataSet]
    target: float | None = None
    kind: str = "scalars"

    def ours(self, address: str, data: DataSet) -> Served:
        """Whether ours serves everything."""
        return ours_serves(address, data, "distributions" if self.kind == "histograms" else self.kind)

    def theirs(self, address: str, data: DataSet) -> Served:
        """Whether TensorBoard serves everything."""
        return tensorboard_serves(address, data, self.kind)


CASES = (
    Case("long_run", lambda quick: scalars(HUNDRED_THOUSAND if quick else MILLION), 2.0),
    Case("many_runs", lambda quick: scalars(100, runs=100 if quick else 1000, tags=10), 1.5),
    Case("histograms", lambda quick: histograms(100 if quick else 1000), kind="histograms"),
)


def size_of(data: DataSet) -> str:
    """How much there is, for people."""
    runs = f"{data.runs} runs x " if data.runs > 1 else ""
    return f"{runs}{len(data.tags)} tags x {data.steps:,}"


def parse_events(file: Path, repeats: int) -> tuple[float, int]:
    """Values per second that our reader reads, the median of several readings, and how many there are."""
    python = our_program().parent / "python"
    command = [str(python), str(SCRIPT), str(file), str(repeats)]
    output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=plain_variables()).stdout
    found = json.loads(output)
    return found["values"] / median(found["seconds"]), found["values"]


def measure_parsing(options: Options) -> list[Figure]:
    """Our reader and TensorBoard's data server in turn."""
    peer = tensorboard_program()
    figures = []
    for name, steps in (("parse_short", HUNDRED_THOUSAND), ("parse_long", MILLION)):
        if not options.wants(name) or (options.quick and steps == MILLION):
            continue
        data = scalars(steps)
        say(f"parsing {size_of(data)} …")
        data.warm()
        ours, values = parse_events(data.files()[0], options.times(5, 3))
        _check_count(values, data)
        theirs = _data_server_rate(peer, data, options.times(5, 3)) if peer else None
        target = theirs * PARSE_TARGET if theirs else None
        figures.append(
            Figure(
                name, f"parsing {size_of(data)}", "events/s", ours, target, theirs, DATA_SERVER if theirs else "",
                more_is_better=True,
            )
        )  # fmt: skip
    return figures + _measure_mindspore(options)


def _data_server_rate(peer: Path, data: DataSet, repeats: int) -> float:
    server = server_of(peer)
    return data.values / median([load_seconds(server, data.base) for _ in range(repeats)])


def _measure_mindspore(options: Options) -> list[Figure]:
    """MindSpore's form, which TensorBoard cannot read."""
    if not options.wants("parse_mindspore"):
        return []
    data = mindspore_scalars(HUNDRED_THOUSAND if options.quick else MILLION)
    data.warm()
    rate, values = parse_events(data.files()[0], options.times(5, 3))
    _check_count(values, data)
    what = f"parsing {data.steps:,} events of MindSpore's form with {len(data.tags)} values each"
    return [
        Figure(
            "parse_mindspore", what, "events/s", rate / len(data.tags), None, RECORDED_MINDINSIGHT_EVENTS, MINDINSIGHT,
            peer_recorded=True, more_is_better=True,
        )
    ]  # fmt: skip


def _check_count(values: int, data: DataSet) -> None:
    if values != data.values:
        raise ValueError(f"The reader found {values:,} of {data.values:,} values in {data.base}.")


def measure_served(options: Options) -> list[Figure]:
    """Cold starts of both in turn, until everything is served."""
    ours, peer = our_program(), tensorboard_program()
    figures = []
    for case in CASES:
        if not options.wants(f"served_{case.name}"):
            continue
        data = case.data(options.quick)
        data.warm()
        mine: list[float] = []
        theirs: list[float] = []
        for turn in range(options.times(3, 1)):
            say(f"served {size_of(data)}, {turn + 1} …")
            mine.append(_time_ours(ours, case, data))
            if peer is not None:
                theirs.append(_time_tensorboard(peer, case, data))
        compared = (median(theirs), TENSORBOARD) if theirs else (None, "")
        target = median(theirs) / case.target if theirs and case.target else None
        what = f"spawn to all of {size_of(data)} served"
        figures.append(Figure(f"served_{case.name}", f"{what} ({case.kind})", "s", median(mine), target, *compared))
    return figures


def _time_ours(program: Path, case: Case, data: DataSet) -> float:
    with our_dashboard(program, data.base) as dashboard:
        return until_served(dashboard, case.ours(dashboard.address, data))


def _time_tensorboard(program: Path, case: Case, data: DataSet, *options: str) -> float:
    with tensorboard(program, data.base, *options) as dashboard:
        return until_served(dashboard, case.theirs(dashboard.address, data))


def measure_python_loader(options: Options) -> list[Figure]:
    """TensorBoard where it has no data server: half a minute, so not in the quick version."""
    peer = tensorboard_program()
    if options.quick or peer is None:
        return []
    say("TensorBoard's loader in Python …")
    case, data = CASES[0], CASES[0].data(True)
    data.warm()
    ours = _time_ours(our_program(), case, data)
    theirs = _time_tensorboard(peer, case, data, "--load_fast=false")
    what = f"spawn to all of {size_of(data)} served (scalars)"
    return [Figure("served_python_loader", what, "s", ours, None, theirs, PYTHON_LOADER)]


@dataclass(frozen=True)
class Memory:
    """Megabytes of all processes: the peak until everything was served, and some seconds after."""

    peak_pss: float
    peak_rss: float
    after_pss: float
    after_rss: float


def watch_memory(dashboard: Dashboard, served: Served) -> Memory:
    """Weighs a dashboard from its start until everything is served and has settled."""
    with MemoryWatch(dashboard.program) as watch:
        until_served(dashboard, served)
        time.sleep(SETTLE_S)
    after = weigh(dashboard.program.family())
    say("\n".join(f"{size:7.1f} MB  {name}" for name, size in after.by_process.items()))
    return Memory(watch.peak_pss, watch.peak_rss, after.pss, after.rss)


def measure_memory(options: Options) -> list[Figure]:
    """Weighs both in turn; apart from the times, for weighing takes some."""
    ours, peer = our_program(), tensorboard_program()
    figures: list[Figure] = []
    for case in CASES:
        if not options.wants(*memory_figures(case)):
            continue
        data = case.data(options.quick)
        data.warm()
        say(f"memory on {size_of(data)} …")
        with our_dashboard(ours, data.base) as dashboard:
            mine = watch_memory(dashboard, case.ours(dashboard.address, data))
        theirs = None
        if peer is not None:
            with tensorboard(peer, data.base) as dashboard:
                theirs = watch_memory(dashboard, case.theirs(dashboard.address, data))
        figures += _memory_rows(case, data, mine, theirs)
    return figures


def memory_figures(case: Case) -> list[str]:
    """The names of a case's four figures, in the order of `Memory`."""
    return [f"memory_{case.name}_{field.name}" for field in fields(Memory)]


def _memory_rows(case: Case, data: DataSet, mine: Memory, theirs: Memory | None) -> Iterator[Figure]:
    size = f"{size_of(data)} ({case.kind})"
    whats = (f"memory while reading {size}, peak PSS", "the same, peak RSS", "3 s later, PSS", "3 s later, RSS")
    sizes = zip(memory_figures(case), whats, astuple(mine), astuple(theirs) if theirs else [None] * 4, strict=True)
    for name, what, ours, peer in sizes:
        target = peer * MEMORY_TARGET if peer else None
        yield Figure(name, what, "MB", ours, target, peer, TENSORBOARD if peer else "")


def measure_again(options: Options) -> list[Figure]:
    """Starts again on what an earlier start has read: from the printed address to a curve's points."""
    program, case = our_program(), CASES[0]
    data = case.data(options.quick)
    seconds = []
    with tempfile.TemporaryDirectory() as folder:
        workspace = Path(folder, "workspace")
        with our_dashboard(program, data.base, workspace) as dashboard:
            until_served(dashboard, case.ours(dashboard.address, data))
        for _ in range(options.times(5, 2)):
            with our_dashboard(program, data.base, workspace) as dashboard:
                seconds.append(_first_curve(dashboard.address))
    what = f"started again on {size_of(data)}: from the printed address to the first curve"
    return [Figure("again_first_curve", what, "s", median(seconds), AGAIN_TARGET_S)]


def _first_curve(address: str) -> float:
    """Seconds for what a page asks before it can draw."""
    began = time.perf_counter()
    series = get_json(f"{address}/api/scalars/tags")["tags"][0]["series"][0]["series"]
    connection = Connection(address)
    connection.seconds(f"/api/scalars/points?series={series}&width=600")
    connection.close()
    return time.perf_counter() - began


MEASUREMENTS: dict[Measurement, Sequence[str]] = {
    measure_parsing: ("parse_short", "parse_long", "parse_mindspore"),
    measure_served: [f"served_{case.name}" for case in CASES],
    measure_python_loader: ("served_python_loader",),
    measure_memory: [name for case in CASES for name in memory_figures(case)],
    measure_again: ("again_first_curve",),
}

if __name__ == "__main__":
    sys.exit(run(__doc__.splitlines()[0], MEASUREMENTS))
