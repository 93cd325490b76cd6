"""Damaged graphs on the page: each is drawn with its defects or refused with a message, and the page keeps working."""

from __future__ import annotations

import os
import random
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from summaries import SummaryWriter
from tests.dashboard import Dashboard, wait_until
from tests.mindinsight.graphs.graph_edits import copied, real_proto
from tests.mindinsight.graphs.test_hostile_graphs import DAMAGES, beginning

from .graph_page import DRAWN, analysed, panel
from .visits import Troubles, Visits

EACH = 25 if os.environ.get("MINDINSIGHT_TEST_COUNTS") == "long" else 3
"""So many graphs of each of the twelve kinds of damage."""


@pytest.fixture(scope="module")
def damaged(real_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dashboard]:
    """A dashboard with one run whose directory is full of damaged graphs."""
    base = tmp_path_factory.mktemp("damaged")
    with SummaryWriter(base / "run") as writer:
        writer.add_scalar("loss", 1.0, 1)
    bases = [beginning(real_proto(real_data, name)) for name in ("lenet/mom_lr01_b32", "bert12", "resnet50")]
    for damage in DAMAGES:
        chance = random.Random(damage.__name__)
        for number in range(EACH):
            content = damage(copied(bases[number % len(bases)]), chance)
            (base / "run" / f"{damage.__name__}_{number}.pb").write_bytes(content)
    with Dashboard.start(base) as dashboard:
        wait_until(lambda: len(graphs(dashboard)) == EACH * len(DAMAGES), 30, "the graphs")
        for graph in graphs(dashboard):  # All are asked for before the first is waited for.
            analysed(dashboard, graph)
        for graph in graphs(dashboard):
            wait_until(partial(analysed, dashboard, graph), 120, graph)
        yield dashboard


def graphs(dashboard: Dashboard) -> list[str]:
    """The names of all graphs."""
    return [one["graph"] for one in dashboard.get_json("/api/graphs/sources")["sources"]]


def opened(page: Page, graph: str) -> str:
    """Chooses a graph in the page; returns why it is refused, nothing for one that is drawn."""
    name = graph.rpartition(":")[2]
    page.get_by_label("Graph", exact=True).select_option(graph)
    title = panel(page).locator(f"[title='{name}']")
    refusal = page.locator("main p").get_by_text(re.compile(rf"{re.escape(name)}: "))
    title.or_(refusal).first.wait_for()
    if refusal.count():
        return refusal.first.inner_text()
    page.locator(DRAWN).wait_for()
    return ""


def test_damaged_graphs_are_drawn_or_refused(damaged: Dashboard, visit: Visits, troubles: Troubles) -> None:
    troubles.expect("status of 409")  # The browser tells of every answer that is a refusal.
    page = visit(damaged, f"/graph?graph={graphs(damaged)[0]}")
    refused: list[str] = []
    for graph in graphs(damaged):
        why = opened(page, graph)
        if why:
            assert re.search(r": [^.].{20,}[.)]", why, re.DOTALL), why
            refused.append(graph)
        elif any(kind in graph for kind in (":dropped", ":duplicated", ":circled", ":named")):
            expect(page.get_by_role("button", name=re.compile(r"^[\d,]+ defects?$"))).to_be_visible()
            expect(panel(page).get_by_role("heading", name=re.compile(r"defects?$"))).to_be_visible()
    assert 0 < len(refused) < len(graphs(damaged)) / 2
    assert not [graph for graph in refused if not re.search(":(flipped|truncated|spliced|emptied)", graph)]
