"""A worker that is killed while it searches a graph: the search starts again within seconds."""

from __future__ import annotations

import json
import random
import time
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from mindinsight.graphs import analyses
from mindinsight.graphs.models import Analysis
from mindinsight.graphs.tasks import analyse
from summaries import SummaryWriter
from summaries.schema.anf_ir_pb2 import GraphProto
from tests.dashboard import Dashboard, wait_until
from tests.mindinsight.published import answer

ASKED = "/api/graphs/inside?graph=graph:big:0"


def irregular(nodes: int) -> GraphProto:
    """A graph that takes seconds to be read, searched and drawn: many small repeats that overlap."""
    chance = random.Random(1)
    graph = GraphProto(name="irregular")
    for number in range(nodes):
        node = graph.node.add(name=str(number), op_type=f"Op{chance.randrange(4)}", scope="Default")
        for source in {chance.randrange(max(0, number - 9), number) for _ in range(2)} if number else ():
            node.input.add(name=str(source))
    return graph


@pytest.mark.processes
def test_a_killed_search_starts_again(tmp_path: Path) -> None:
    with SummaryWriter(tmp_path / "runs" / "big") as writer:
        writer.add_graph(irregular(80_000))
    with Dashboard.start(tmp_path / "runs") as dashboard:
        wait_until(lambda: dashboard.get_json("/api/status")["runs"] == 1, 30)
        wait_until(lambda: state_of(dashboard) == "running", 60, "the search under way")
        old = dashboard.kill("worker")
        killed = time.monotonic()
        states = []
        while not (states and states[-1] == "waiting"):
            assert time.monotonic() < killed + 5, f"the search still counts as under way: {states}"
            states.append(state_of(dashboard))
        dashboard.wait_for_restart("worker", old)
        wait_until(lambda: state_of(dashboard) == "running", 30, "the search under way again")
        wait_until(lambda: state_of(dashboard) == "done", 60, "the end of the search")


def state_of(dashboard: Dashboard) -> str:
    return str(asked(dashboard).get("state", "done"))


def asked(dashboard: Dashboard) -> dict[str, Any]:
    status, body = dashboard.get(ASKED)
    assert status in (200, 202), body
    found: dict[str, Any] = json.loads(body)
    return found


def test_a_search_under_way_is_not_ordered_again(client: Client, series: int, worker: list[int]) -> None:
    analysis, lock = under_way(client, series)
    assert lock.acquire()
    answer(client, f"/api/graphs/substructures?series={series}", 202)
    assert len(worker) == 1
    analyse(worker[0])
    analysis.refresh_from_db()
    assert analysis.state == Analysis.State.RUNNING, "a second order of a search that is under way does nothing"
    lock.release()
    answer(client, f"/api/graphs/substructures?series={series}", 202)
    assert len(worker) == 2
    analyse(worker[1])
    assert answer(client, f"/api/graphs/substructures?series={series}")["state"] == "done"


def test_an_order_that_nobody_carries_out_is_given_again(client: Client, series: int, worker: list[int]) -> None:
    answer(client, f"/api/graphs/substructures?series={series}", 202)
    Analysis.objects.update(changed=time.time() - analyses.OVERDUE - 1)
    other = Analysis.objects.create(
        graph="0" * 64, equivalence="op", min_size=2, version=analyses.VERSION, series=1, state=Analysis.State.RUNNING
    )
    lock = analyses.search_lock(other)
    assert lock.acquire()
    answer(client, f"/api/graphs/substructures?series={series}", 202)
    assert len(worker) == 1, "the worker searches another graph first"
    lock.release()
    answer(client, f"/api/graphs/substructures?series={series}", 202)
    assert len(worker) == 2


def under_way(client: Client, series: int) -> Any:
    answer(client, f"/api/graphs/substructures?series={series}", 202)
    analysis = Analysis.objects.get()
    Analysis.objects.update(state=Analysis.State.RUNNING, changed=time.time() - 60)
    return analysis, analyses.search_lock(analysis)
