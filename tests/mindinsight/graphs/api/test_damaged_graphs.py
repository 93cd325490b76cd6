"""Graphs with several damages at once through the API: every question is answered, or the graph is refused in words."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from django.test import Client
from google.protobuf.message import DecodeError
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mindinsight.environment import Environment
from mindinsight.graphs.tasks import analyse
from mindinsight.runs.models import Run
from summaries.schema.anf_ir_pb2 import GraphProto
from tests.mindinsight.graphs.graph_edits import copied
from tests.mindinsight.graphs.recorded import proto
from tests.mindinsight.graphs.test_hostile_graphs import DAMAGES, Damage

GRAPH = "file:damaged:net.pb"
OPERATORS = 70
EXAMPLES = 2000 if os.environ.get("MINDINSIGHT_TEST_COUNTS") == "long" else 12
OPENED = 5
"""So many boxes of a container are opened."""
Ask = Callable[..., dict[str, Any]]
QUERIES = ["Dense", "/./", "/(/", "type:Add", "shape:1", "attr:axis=1", "in:Layer", "-weight", "-", "type:", "층"]


@cache
def base() -> GraphProto:
    """A layer of a transformer and the beginning of the next."""
    graph = proto()
    del graph.node[OPERATORS:]
    graph.outputs.add(name=graph.node[-1].name)
    return graph


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """A file that went through a few damages, as far as it can still be read in between."""
    content = base().SerializeToString()
    damages: list[Damage] = draw(st.lists(st.sampled_from(DAMAGES), min_size=1, max_size=3))
    chance = random.Random(draw(st.integers(0, 2**32)))
    for damage in damages:
        try:
            content = damage(copied(GraphProto.FromString(content)), chance)
        except (DecodeError, IndexError, TypeError, ValueError):  # Too broken to be damaged in this way.
            break
    return content


@pytest.fixture
def folder(environment: Environment, db: None) -> Path:
    """The directory of a run with the graph before any damage."""
    directory = environment.base_directory / "damaged"
    directory.mkdir()
    (directory / "whole.pb").write_bytes(base().SerializeToString())
    Run.objects.create(name="damaged")
    return directory


def asking(client: Client, worker: list[int], graph: str) -> Ask:
    """Sends requests about a graph and accepts only status 200, or the given one."""

    def ask(what: str = "inside", status: tuple[int, ...] = (200,), **said: object) -> dict[str, Any]:
        words = "".join(f"&{name}={quote(str(value), safe='')}" for name, value in said.items())
        path = f"/api/graphs/{what}?graph={quote(graph, safe='')}{words}"
        answer = client.get(path)
        if answer.status_code == 202:
            analyse(worker[-1])
            answer = client.get(path)
        assert answer.status_code in status, (path, answer.content)
        return dict(answer.json())

    return ask


def walk(ask: Ask, box: str = "", depth: int = 0) -> Iterator[tuple[str, dict[str, Any]]]:
    """Some boxes below a box, with their paths."""
    for found in ask(box=box)["boxes"][:OPENED]:
        path = f"{box}.{found['index']}" if box else str(found["index"])
        path += "#0" if found["kind"] == "stack" else ""
        yield path, found
        if found["inside"] and depth < 3:
            yield from walk(ask, path, depth + 1)


def assert_all_is_answered(ask: Ask, nodes: int, chance: random.Random) -> None:
    """Asks every question there is about a graph."""
    for path, box in walk(ask):
        if box["kind"] == "stack":
            ask("instances", box=path.removesuffix("#0"), left=0, right=box["count"] - 1)
        if box["inside"]:
            for by in ("op", "device", "precision", "memory", "kernel", "time", "measured_memory"):
                ask("overlay", box=path, by=by)
            ask("outline", box=path)
    for _ in range(2):
        node, other = chance.randrange(nodes), chance.randrange(nodes)
        assert ask("node", node=node)["node"] == node
        ask("box", node=node)
        for direction in ("up", "down"):
            ask("trace", node=node, direction=direction)
        ask("path", source=node, target=other)
    ask("node", (404,), node=nodes)
    for query in QUERIES:
        assert ask("search", query=query)["total"] <= nodes
    for structure in ask("substructures")["found"]["substructures"]:
        ask("substructure", id=structure["id"])


@settings(max_examples=EXAMPLES, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(damaged(), st.integers(0, 2**32))
def test_every_question_about_a_damaged_graph_is_answered(
    client: Client, folder: Path, worker: list[int], environment: Environment, content: bytes, seed: int
) -> None:
    (folder / "net.pb").write_bytes(content)
    ask = asking(client, worker, GRAPH)
    refused = ask(status=(200, 409)).get("code")
    if refused:
        assert refused == "graph_damaged"
        assert ask(status=(409,))["message"].startswith("net.pb: ")
    else:
        nodes = ask("substructures")["found"]["nodes"]
        assert_all_is_answered(ask, nodes, random.Random(seed))
        both = asking(client, worker, f"diff:file%3Adamaged%3Awhole.pb~{quote(GRAPH)}")
        assert both("changes")["counts"]["same"] <= nodes
        both()
    shutil.rmtree(environment.data_directory / "graphs", ignore_errors=True)
