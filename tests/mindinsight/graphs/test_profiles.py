"""What a profiler measured, on the nodes of the run's graph: sums by box, the newest profile, and damaged ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from mindinsight.environment import Environment
from summaries import SummaryWriter
from summaries.kinds import Kind
from summaries.schema.anf_ir_pb2 import GraphProto
from summaries.schema.summary_pb2 import Profile
from tests.mindinsight.graphs.recorded import asked_of_run, proto, run_with, take

SECONDS, BYTES = 0.25, 4096


def named() -> GraphProto:
    """The layers of a transformer, each operator with a full name."""
    graph = proto()
    for node in graph.node:
        node.full_name = f"{node.scope}/{node.op_type}-op{node.name}"
    return graph


def profile_of(graph: GraphProto, op_type: str, seconds: float = SECONDS) -> Profile:
    """A profile in which only operators of a type were measured."""
    chosen = [node.full_name for node in graph.node if node.op_type == op_type]
    return Profile(
        operators=[
            Profile.Operator(full_name=name, op_type=op_type, calls=2, duration=seconds, flops=8, memory=BYTES)
            for name in chosen
        ]
    )


@pytest.fixture
def run(environment: Environment, db: None) -> Path:
    """The directory of a run with a graph."""
    return run_with(environment, named())


@pytest.fixture
def ask(client: Client, worker: list[int], run: Path) -> Any:
    """Asks about the graph of the run."""
    return asked_of_run(client, worker)


def record(environment: Environment, directory: Path, profile: Profile) -> Path:
    """Writes a profile into a file of its own, as a profiler does, and takes it into the store."""
    with SummaryWriter(directory, filename_suffix="_profile") as writer:
        writer.add_profile(profile)
    assert writer.path is not None
    take(environment, writer.path, Kind.PROFILE)
    return writer.path


def test_without_a_profile_nothing_is_measured(ask: Any) -> None:
    assert ask("inside?box=")["measured"] is False
    for by in ("time", "measured_memory"):
        assert set(ask(f"overlay?box=&by={by}")["values"]) == {None}
    assert ask("node?node=0")["measured"] is None


def test_boxes_have_the_sums_of_what_was_measured_of_their_operators(
    ask: Any, run: Path, environment: Environment
) -> None:
    graph = named()
    record(environment, run, profile_of(graph, "MatMul"))
    products = sum(node.op_type == "MatMul" for node in graph.node)
    assert products > 5
    inside = ask("inside?box=&by=time")
    assert inside["measured"] is True
    assert inside["overlay"]["unit"] == "seconds"
    assert sum(float(value or 0) for value in inside["overlay"]["values"]) == pytest.approx(products * SECONDS)
    memory = ask("overlay?box=&by=measured_memory")
    assert memory["unit"] == "bytes"
    assert sum(int(value or 0) for value in memory["values"]) == products * BYTES
    (stack,) = [box for box in inside["boxes"] if box["kind"] == "stack"]
    assert float(inside["overlay"]["values"][inside["boxes"].index(stack)]) > SECONDS * stack["count"]
    one = ask(f"overlay?box={stack['index']}%232&by=time")["values"]
    assert 0 < sum(float(value or 0) for value in one) < products * SECONDS / 2


def test_a_node_tells_what_was_measured_of_it(ask: Any, run: Path, environment: Environment) -> None:
    record(environment, run, profile_of(named(), "MatMul"))
    (product, *_), (other, *_) = (ask(f"search?query=type:{op}&count=1")["rows"] for op in ("MatMul", "Softmax"))
    told = ask(f"node?node={product['node']}")["measured"]
    assert told == {"duration": SECONDS, "memory": BYTES, "flops": 8, "bytes_moved": 0, "calls": 2}
    assert ask(f"node?node={other['node']}")["measured"] is None


def test_the_newest_profile_counts(ask: Any, client: Client, run: Path, environment: Environment) -> None:
    record(environment, run, profile_of(named(), "MatMul"))
    first = client.get("/api/graphs/overlay?box=&by=time&graph=graph:a:0")
    record(environment, run, profile_of(named(), "MatMul", 2 * SECONDS))
    again = client.get("/api/graphs/overlay?box=&by=time&graph=graph:a:0", HTTP_IF_NONE_MATCH=first["ETag"])
    assert again.status_code == 200
    before, after = (sum(float(value or 0) for value in one.json()["values"]) for one in (first, again))
    assert after == pytest.approx(2 * before)


def test_a_damaged_profile_costs_its_colours_only(ask: Any, run: Path, environment: Environment) -> None:
    path = record(environment, run, profile_of(named(), "MatMul"))
    content = bytearray(path.read_bytes())
    content[-40] ^= 1
    path.write_bytes(content)
    assert ask("overlay?box=&by=time", 404)["code"] == "record_damaged"
    assert ask("inside?box=")["boxes"]
    assert ask("node?node=0")["measured"] is None
    path.unlink()
    assert ask("overlay?box=&by=time", 404)["code"] == "file_gone"
