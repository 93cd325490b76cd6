"""The time of a point from the training's flush to the sockets of many open pages, and whether every socket gets every
point.

One training flushes a point of one of ten curves a hundred times a second; fifty sockets follow all ten. Then four
times a second, with five hundred sockets. Training, dashboard and sockets are separate processes on this machine and
share its processors; the processor time of each is shown. A point carries the time at which writing it began. All
sockets belong to one process, which receives one message after the other. TensorBoard has no push: its API is polled.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.live_latency import ask_tensorboard
from benchmarks.measuring.asking import ask_until, json_or_none
from benchmarks.measuring.environments import ROOT, our_program, tensorboard_program
from benchmarks.measuring.figures import Figure, Measurement, Options, median, run, say
from benchmarks.measuring.processes import cpu_seconds
from benchmarks.measuring.serving import Dashboard, our_dashboard

MEDIAN_TARGET_MS = 20.0
TENSORBOARD, RECORDED_TENSORBOARD_MS = "TensorBoard 2.21 API, --reload_interval 1", 640.0


@dataclass(frozen=True)
class Case:
    """A training and the sockets that follow it.

    Attributes:
        name: beginning of its figures' names.
        sockets: how many there are.
        tags: curves of the training; every socket follows all.
        rate: updates a second, each a point of one curve.
        target: of the median in milliseconds; None where nothing was promised.
    """

    name: str
    sockets: int
    tags: int
    rate: float
    target: float | None = None

    @property
    def what(self) -> str:
        """For people."""
        curves = "one curve" if self.tags == 1 else f"{self.tags} curves"
        return f"{self.sockets} sockets, {self.rate:g} updates/s of {curves}"


CASES = (
    Case("push_50", 50, 10, 100, MEDIAN_TARGET_MS),
    Case("push_50_one_curve", 50, 1, 100),
    Case("push_500", 500, 1, 4),
)


@contextmanager
def part(module: str, *arguments: object) -> Iterator[subprocess.Popen[str]]:
    """Starts a script of `measuring` that says `ready`, and waits until it does."""
    command = [sys.executable, "-m", f"benchmarks.measuring.{module}", *map(str, arguments)]
    process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        if _line(process) != "ready":
            raise RuntimeError(f"{module} did not become ready.")
        yield process
    finally:
        process.kill()
        process.communicate()


def _line(process: subprocess.Popen[str]) -> str:
    return process.stdout.readline().strip() if process.stdout else ""


def _tell(process: subprocess.Popen[str], what: object) -> dict[str, Any]:
    """Writes a line to a script and returns the JSON object that it answers.

    Raises:
        json.JSONDecodeError: it ended without a result; its output says why.
    """
    if process.stdin is not None:
        process.stdin.write(f"{what}\n")
        process.stdin.flush()
    return dict(json.loads(_line(process)))


def measure_case(case: Case, seconds: float) -> list[Figure]:
    """Runs one case for a number of seconds."""
    say(f"{case.what} …")
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder, "summaries")
        with (
            part("paced_writer", base / "training", case.tags, case.rate, seconds) as writer,
            our_dashboard(our_program(), base) as dashboard,
        ):
            series = ",".join(map(str, _series(dashboard, case.tags)))
            with part("socket_clients", dashboard.address, case.sockets, series) as sockets:
                used = cpu_seconds(dashboard.program.family())
                written = _tell(writer, "go")
                used = cpu_seconds(dashboard.program.family()) - used
                received = _tell(sockets, written["points"])
    say(f"  {written['rate']:.1f} updates/s written; {received['messages']} messages, {received['points']} points")
    return _figures(case, written, received, used / written["seconds"])


def _series(dashboard: Dashboard, tags: int) -> list[int]:
    """The numbers of the training's curves, as soon as there are all."""
    found: list[int] = []

    def known() -> bool:
        answer = json_or_none(f"{dashboard.address}/api/scalars/tags") or {"tags": []}
        found[:] = [series["series"] for group in answer["tags"] for series in group["series"]]
        return len(found) == tags

    ask_until(known, "The curves of the training")
    return found


def _figures(case: Case, written: dict[str, Any], received: dict[str, Any], server: float) -> list[Figure]:
    complete = 100 * received["complete"] / (case.sockets * case.tags)
    return [
        Figure(f"{case.name}_median", f"{case.what}: flush to receipt, median", "ms", received["median"], case.target),
        Figure(f"{case.name}_p99", "99 of 100 points", "ms", received["p99"]),
        Figure(
            f"{case.name}_complete", "sockets with all points in the end", "%", complete, 100.0, more_is_better=True
        ),
        Figure(f"{case.name}_server", "processors: the dashboard, of one core", "%", 100 * server),
        Figure(f"{case.name}_sockets", "the sockets' process", "%", 100 * received["cpu"]),
        Figure(f"{case.name}_writer", "the training", "%", 100 * written["cpu"]),
    ]


def names(case: Case) -> list[str]:
    """The names of a case's figures."""
    return [f"{case.name}_{part}" for part in ("median", "p99", "complete", "server", "sockets", "writer")]


def measure(options: Options) -> list[Figure]:
    """All cases, one after the other, then TensorBoard's polling beside the first."""
    figures: list[Figure] = []
    for case in CASES:
        if options.wants(*names(case), *(("push_vs_polling",) if case is CASES[0] else ())):
            figures += measure_case(case, 6.0 if options.quick else 20.0)
    if options.wants("push_vs_polling"):
        figures.append(_compare_polling(figures[0].ours, options))
    return figures


def _compare_polling(ours: float, options: Options) -> Figure:
    peer = None if options.quick else tensorboard_program()
    what = "flush to receipt against polling, medians"
    if peer is None:
        return Figure("push_vs_polling", what, "ms", ours, None, RECORDED_TENSORBOARD_MS, TENSORBOARD, True)
    say(f"{TENSORBOARD} …")
    return Figure("push_vs_polling", what, "ms", ours, None, median(ask_tensorboard(peer, 1, 20.0)), TENSORBOARD)


MEASUREMENTS: dict[Measurement, Sequence[str]] = {
    measure: [*(name for case in CASES for name in names(case)), "push_vs_polling"]
}

if __name__ == "__main__":
    sys.exit(run(__doc__.splitlines()[0], MEASUREMENTS))
