"""A dashboard with data for every address, and the values of its names. Used by the tests of the folder."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import numpy as np

from summaries import SummaryWriter
from summaries.schema.debugger_pb2 import State
from tests.dashboard import Dashboard, wait_until
from tests.mindinsight.debugger.fake_training import Training, paused
from tests.mindinsight.graphs.recorded import proto

KINDS = ("images", "distributions", "tensors", "text")
SPARE = 12
"""Runs that may be removed without an end to all the others."""


@dataclass(frozen=True)
class Filled:
    """A dashboard and what names the things in it.

    Attributes:
        dashboard: the dashboard.
        series: numbers of series, by kind of recorded values.
        runs: numbers of runs that stay.
        uids: ids of runs that stay.
        spare: ids of runs that may be removed.
        graphs: what questions about graphs take as `graph`.
        views: ids of saved views.
        exports: ids of exports.
        sessions: ids of debugger sessions, and their numbers.
        store: identity of the store.
    """

    dashboard: Dashboard
    series: dict[str, list[int]]
    runs: list[int]
    uids: list[str]
    spare: list[str]
    graphs: list[str]
    views: list[str]
    exports: list[str]
    sessions: dict[str, int]
    store: str


@contextmanager
def filled_dashboard(base: Path, real_files: Path | None = None, **options: Any) -> Iterator[Filled]:
    """A dashboard with runs of every kind, views, exports and sessions of the debugger.

    Args:
        base: directory of the runs; must exist.
        real_files: directory of files that MindSpore and TensorBoard wrote.
        options: further options of `Dashboard.start`.
    """
    _write_runs(base)
    if real_files is not None:
        for name in ("lenet/adam_lr001_b32", "tensors"):
            shutil.copytree(real_files / "mindspore" / name, base / "real" / name)
        shutil.copytree(real_files / "tensorboard" / "sgd_lr5_diverges", base / "real" / "tensorboard")
    with ExitStack() as stack:
        dashboard = stack.enter_context(Dashboard.start(base, reload_interval=0.2, **options))
        sessions = _debug(dashboard, stack)
        yield _look_at(dashboard, sessions)


def _write_runs(base: Path) -> None:
    random = np.random.default_rng(7)
    for number, name in enumerate(("first", "second", "group/third")):
        with SummaryWriter(base / name) as writer:
            writer.add_hparams({"lr": 0.1 * (number + 1), "optimizer": "adam"}, {"accuracy": 0.5 + number / 10})
            for step in range(300):
                writer.add_scalar("loss", 3 / (step + 1) + number, step)
                writer.add_scalar("accuracy", float("nan") if step % 50 == 7 else step / 300, step)
            for step in range(4):
                writer.add_image("pictures", random.random((3, 6, 8)), step)
                writer.add_histogram("weights", random.normal(size=200), step)
                writer.add_tensor("values", random.normal(size=(4, 5, 6)).astype(np.float32), step)
                writer.add_text("notes", f"# Step {step}\nthe learning rate was halved", step)
            writer.add_live_edit("lr", 0.1, 0.2, 3, author="ada", note="slower")
            writer.add_graph(proto())
    for number in range(SPARE):
        with SummaryWriter(base / "spare" / f"run{number:02}") as writer:
            writer.add_scalar("loss", 1.0, 0)


def _debug(dashboard: Dashboard, stack: ExitStack) -> dict[str, int]:
    """Sessions of one training that is paused, and of two that are over."""
    keys = []
    for number in range(3):
        training = stack.enter_context(Training(dashboard)).greet(name=f"toy{number}", pid=4000 + number)
        training.say(paused(8, has_previous=True))
        keys.append(training.session)
        ask(dashboard, "POST", f"/api/debugger/sessions/{training.session}/tensors", {"full_name": "w"})
        training.show(np.arange(24, dtype=np.float32).reshape(2, 3, 4), step=8)
        if number:
            training.say(State(status=State.RUNNING, step=9))
            training.close()

    def rows() -> dict[str, int]:
        told = dashboard.get_json("/api/debugger/sessions")["sessions"]
        return {row["id"]: row["number"] for row in told}

    return dict(wait_until(lambda: set(keys) <= rows().keys() and rows(), what="the sessions"))


def _look_at(dashboard: Dashboard, sessions: dict[str, int]) -> Filled:
    def everything_read() -> list[dict[str, Any]] | None:
        rows = dashboard.get_json("/api/runs")["results"]
        read = len(rows) >= 3 + SPARE and all(row["bytes"] == row["bytes_read"] for row in rows)
        return rows if read and all(_series(dashboard, kind) for kind in KINDS) else None

    rows = wait_until(everything_read, 60, "every run")
    stay = [row for row in rows if not row["name"].startswith("spare/")]
    numbers = [row["number"] for row in stay]
    views = [
        ask(dashboard, "POST", "/api/views", {"name": f"view {each}", "page": "scalars", "query": "a=1"})["id"]
        for each in range(3)
    ]
    exports = [
        ask(dashboard, "POST", "/api/exports", {"runs": numbers[:1], "format": kind})["id"]
        for kind in ("csv", "tensorboard", "mindspore")
    ]
    graphs = [row["graph"] for row in dashboard.get_json("/api/graphs/sources")["sources"]]
    for graph in graphs[:2]:
        wait_until(lambda graph=graph: dashboard.get(f"/api/graphs/inside?graph={graph}")[0] == 200, 60, "the graph")
    return Filled(
        dashboard,
        {kind: _series(dashboard, kind) for kind in (*KINDS, "scalars")},
        numbers,
        [row["id"] for row in stay],
        [row["id"] for row in rows if row["name"].startswith("spare/")],
        graphs,
        views,
        exports,
        sessions,
        dashboard.get_json("/api/status")["store"],
    )


def _series(dashboard: Dashboard, kind: str) -> list[int]:
    tags = dashboard.get_json(f"/api/{kind}/tags")["tags"]
    return [series["series"] for tag in tags for series in tag["series"]]


def ask(dashboard: Dashboard, method: str, path: str, body: object) -> Any:
    """Sends JSON with the token and returns the answer's.

    Raises:
        AssertionError: it was refused.
    """
    headers = {"Authorization": f"Bearer {dashboard.token}", "Content-Type": "application/json"}
    request = Request(dashboard.address + path, json.dumps(body).encode(), headers, method=method)
    try:
        with urlopen(request, timeout=20) as answer:
            return json.loads(answer.read() or b"null")
    except HTTPError as refusal:
        with refusal:
            raise AssertionError((path, refusal.code, refusal.read())) from None
