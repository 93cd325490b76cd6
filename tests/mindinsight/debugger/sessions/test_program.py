"""Programs and graphs of trainings, which session has a step, and sessions that are removed."""

from __future__ import annotations

import gzip
import json
from typing import Any
from urllib.request import Request, urlopen

import pytest

from mindinsight.debugger.sessions.steps import find_step
from summaries import SummaryWriter
from summaries.schema.debugger_pb2 import BlobBegin, Line, Node, Output, Program
from tests.dashboard import Dashboard, wait_until
from tests.mindinsight.graphs.recorded import proto

from ..conftest import Attach, Open
from ..fake_training import name_of, paused


def program(nodes: int, digest: str = "5f0c", note: str = "0.1") -> Program:
    """A program of a chain of nodes."""
    return Program(
        digest=digest,
        files=["/home/me/train.py"],
        nodes=[
            Node(
                full_name=f"Default/network-Net/ReLU-op{number}",
                type="ReLU",
                outputs=[Output(dtype="float32", shape=[-1, 6])],
                inputs=[name_of(f"Default/network-Net/ReLU-op{number - 1}")],
                line=Line(line=12),
                attributes={"alpha": note},
            )
            for number in range(nodes)
        ],
    )


def test_the_program_is_asked_for_by_digest(dashboard: Dashboard, attach: Attach, browse: Open) -> None:
    training, page = attach(), browse()
    path = f"/api/debugger/sessions/{training.session}/program"
    assert dashboard.get(path)[0] == 404
    page.watch(training.session)
    training.say(program(3))
    assert page.hear("program")["program"] == {"digest": "5f0c", "nodes": 3}
    whole = dashboard.get_json(path)
    assert (whole["digest"], whole["files"]) == ("5f0c", ["/home/me/train.py"])
    node = whole["nodes"][2]
    assert (node["full_name"], node["kind"]) == ("Default/network-Net/ReLU-op2", "OTHER")
    assert node["outputs"] == [{"dtype": "float32", "shape": [-1, 6]}]
    assert node["inputs"] == [{"full_name": "Default/network-Net/ReLU-op1", "slot": 0, "iteration": 0}]
    assert node["line"] == {"file": 0, "line": 12, "function": ""}
    with urlopen(Request(dashboard.address + path, headers={"Accept-Encoding": "gzip"})) as answer:
        assert json.loads(gzip.decompress(answer.read())) == whole
        tag = answer.headers["ETag"]
    assert dashboard.get(path, **{"If-None-Match": tag})[0] == 304


def test_a_program_longer_than_a_message_comes_as_a_blob(dashboard: Dashboard, attach: Attach, browse: Open) -> None:
    training, page = attach(), browse()
    page.watch(training.session)
    data = program(1200, "long", "x" * 1000).SerializeToString()
    assert len(data) > 1 << 20
    training.send_blob(BlobBegin(id=1, content=BlobBegin.PROGRAM, bytes=len(data)), data)
    assert page.hear("program")["program"] == {"digest": "long", "nodes": 1200}


def test_a_program_of_too_many_nodes_sends_its_training_away(attach: Attach) -> None:
    training = attach()
    data = Program(digest="x", nodes=[Node()] * 100_001).SerializeToString()
    training.say(Program.FromString(data))
    assert training.closed_with() == 4429


def test_the_graph_is_drawn_as_any_other(dashboard: Dashboard, attach: Attach, browse: Open) -> None:
    training, page = attach(), browse()
    path = f"/api/debugger/sessions/{training.session}/graph"
    assert dashboard.get(path)[0] == 404
    page.watch(training.session)
    data = proto().SerializeToString()
    training.send_blob(BlobBegin(id=1, content=BlobBegin.GRAPH, bytes=len(data)), data)
    told = page.hear("graph")["graph"]
    assert dashboard.get_json(path) == told
    assert (told["graph"], told["bytes"]) == (f"debugger:{training.session}", len(data))
    question = f"/api/graphs/substructures?graph={told['graph']}"

    def analysed() -> Any:
        answer = json.loads(dashboard.get(question)[1])
        assert answer["state"] in ("waiting", "running", "done"), answer
        return answer["state"] == "done" and answer

    found = wait_until(analysed, 20, "the analysis")
    nodes = len(proto().node) + len(proto().parameters) + len(proto().const_vals)
    assert (found["graph"], found["found"]["nodes"]) == (told["digest"], nodes)
    assert dashboard.get(f"/api/graphs/inside?graph={told['graph']}")[0] == 200
    assert dashboard.get("/api/graphs/inside?graph=debugger:ffffffffffffffff")[0] == 404
    assert dashboard.get("/api/graphs/inside?graph=debugger:..%2f..%2fetc")[0] == 400


def test_a_step_of_a_run_leads_to_its_session(dashboard: Dashboard, attach: Attach) -> None:
    directory = dashboard.base_directory / "lenet" / "adam"
    with SummaryWriter(directory, environment=False) as writer:
        writer.add_scalar("loss", 0.5, 1)
    runs = wait_until(lambda: dashboard.get_json("/api/runs")["results"], 20, "the run")
    uid = runs[0]["id"]
    path = f"/api/debugger/steps?run={uid}"
    assert dashboard.get_json(f"{path}&step=8")["answer"] == "none"
    training = attach(summary_dir=str(directory), name="train.py")
    training.say(paused(8, has_previous=True))
    answer = wait_until(
        lambda: (told := dashboard.get_json(f"{path}&step=8"))["answer"] == "current" and told, what="the session"
    )
    assert (answer["session"]["id"], answer["session"]["run"]) == (training.session, uid)
    assert (answer["session"]["name"], answer["session"]["run_name"]) == ("lenet/adam", "lenet/adam")
    assert [dashboard.get_json(f"{path}&step={step}")["answer"] for step in (7, 6, 9)] == [
        "previous",
        "passed",
        "ahead",
    ]
    assert dashboard.get(f"/api/debugger/steps?run={'0' * 32}&step=1")[0] == 404
    training.close()
    wait_until(lambda: dashboard.get_json(f"{path}&step=8")["answer"] == "over", what="the end")


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ({"step": 5, "status": "paused", "has_current": True}, "current"),
        ({"step": 5, "status": "paused", "has_current": False, "can_run_again": False}, "passed"),
        ({"step": 5, "status": "running", "has_current": True}, "passed"),
        ({"step": 6, "status": "paused", "has_previous": True}, "previous"),
        ({"step": 6, "status": "paused"}, "passed"),
        ({"step": 2, "status": "running"}, "ahead"),
        ({"step": 5, "status": "lost", "connected": False}, "over"),
    ],
)
def test_what_a_session_can_do_for_a_step(said: dict[str, Any], answer: str) -> None:
    usual = {"name": "a", "connected": True, "has_current": False, "has_previous": False, "can_run_again": False}
    row = usual | said
    assert find_step([(row, row)], "a", 5).answer == answer
    best = {**usual, "step": 5, "status": "paused", "has_current": True}
    assert find_step([(row, row), (best, best)], "a", 5).answer == "current"


def test_a_session_is_removed_once_its_training_is_gone(dashboard: Dashboard, attach: Attach, browse: Open) -> None:
    training, page = attach(), browse()
    path = f"/api/debugger/sessions/{training.session}"
    page.watch(training.session)
    training.say(program(2))
    page.hear("program")
    assert page.send(path, None, "DELETE")[0] == 409
    training.close()
    page.hear("connection")
    directory = next(dashboard.workspace.rglob(f"debugger/{training.session}"))
    assert page.send(path, None, "DELETE")[0] == 204
    assert page.hear("removed")["session"] == training.session
    assert dashboard.get(path)[0] == 404
    assert not directory.exists()
