"""Both dashboards on a data set: how each is started, and how one asks whether it serves everything.

Ours says how many points of each series it serves. TensorBoard does not, so it is done when it knows all tags and the
last value of the last tag of the last run has the last step: at least as early as everything is there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlencode

from benchmarks.measuring.asking import ask_until, json_or_none
from benchmarks.measuring.data_sets import DataSet
from benchmarks.measuring.processes import Program
from benchmarks.startup import READY, free_port, our_command

Served = Callable[[], bool]
Commands = Callable[[], Sequence[str | Path]]


@dataclass(frozen=True)
class Dashboard:
    """A started dashboard.

    Attributes:
        program: its processes.
        address: scheme, host and port.
    """

    program: Program
    address: str


@contextmanager
def our_dashboard(program: Path, base: Path, workspace: Path | None = None) -> Iterator[Dashboard]:
    """Starts ours, in a fresh workspace unless one is given, and waits for its address."""
    with TemporaryDirectory() as folder:
        command = our_command(program, base, workspace or Path(folder, "workspace"))
        with Program(command) as started:
            yield Dashboard(started, started.seconds_until_line(READY)[1].split()[-1].rstrip("/"))


@contextmanager
def tensorboard(program: Path, base: Path, *options: str) -> Iterator[Dashboard]:
    """Starts TensorBoard; it is not waited for."""
    port = free_port()
    # By its module: the program itself names the Python of the folder that it was installed into.
    command: list[str | Path] = [
        program.with_name("python"),
        "-m",
        "tensorboard.main",
        "--logdir",
        base,
        "--port",
        str(port),
    ]
    with Program([*command, "--host", "127.0.0.1", *options]) as started:
        yield Dashboard(started, f"http://127.0.0.1:{port}")


@contextmanager
def aim(program: Path, repo: Path) -> Iterator[Dashboard]:
    """Starts Aim on one of its folders and waits for its first answer."""
    port = free_port()
    options: list[str | Path] = ["--repo", repo, "--host", "127.0.0.1", "--port", str(port), "--yes"]
    # It is not announced outside.
    with Program([program, "up", *options], AIM_UI_TELEMETRY_ENABLED="0") as started:
        started.seconds_until_answer(f"http://127.0.0.1:{port}/api/projects/")
        yield Dashboard(started, f"http://127.0.0.1:{port}")


@contextmanager
def model_explorer(program: Path, graph: Path) -> Iterator[Dashboard]:
    """Starts Model Explorer on a graph in its own JSON and waits for the address, which leads to the graph."""
    options = ["--port", str(free_port()), "--host", "127.0.0.1", "--no_open_in_browser", "--skip_health_check"]
    with Program([program, graph, *options], PYTHONUNBUFFERED="1") as started:
        yield Dashboard(started, started.line_with("http://").strip())


def ours_serves(address: str, data: DataSet, plugin: str = "scalars") -> Served:
    """Whether ours has all points of all series of a data set.

    All series are asked for as soon as the last run has its own: an answer with ten thousand takes what reads them the
    time that it counts. A new workspace numbers runs in the order in which they are read.

    Args:
        address: of the dashboard.
        data: the files that it watches.
        plugin: `scalars` or `distributions`.
    """
    columns = {"scalars": "scalars/series", "distributions": "distributions/tags"}[plugin]
    has_last = False

    def has(runs: int, query: str = "") -> bool:
        answer = json_or_none(f"{address}/api/{columns}{query}") or {}
        rows = [row for group in answer.get("tags", ()) for row in group["series"]]
        counts = answer.get("count") or [row["count"] for row in rows]
        return counts == [data.steps] * (runs * len(data.tags))

    def served() -> bool:
        nonlocal has_last
        has_last = has_last or has(1, f"?runs={data.runs}")
        return has_last and has(data.runs)

    return served


def tensorboard_serves(address: str, data: DataSet, plugin: str = "scalars") -> Served:
    """Whether TensorBoard has all tags of a data set, and the last step of the last one.

    Args:
        address: of TensorBoard.
        data: the files that it watches.
        plugin: `scalars` or `histograms`.
    """
    last = urlencode({"run": data.last_run, "tag": data.tags[-1]})
    knows_tags = False

    def served() -> bool:
        nonlocal knows_tags
        if not knows_tags:
            runs = json_or_none(f"{address}/data/plugin/{plugin}/tags") or {}
            knows_tags = sum(len(tags) for tags in runs.values()) == data.runs * len(data.tags)
        if not knows_tags:
            return False
        rows = json_or_none(f"{address}/data/plugin/{plugin}/{plugin}?{last}")
        return bool(rows) and rows[-1][1] == data.steps

    return served


def until_served(dashboard: Dashboard, served: Served) -> float:
    """Waits until everything is served; returns the seconds since the program's start."""
    ask_until(served, f"All data on {dashboard.address}")
    return dashboard.program.seconds()
