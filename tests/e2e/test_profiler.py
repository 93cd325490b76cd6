"""A trace on the profiler page: read, drawn, chosen, searched and added up."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from summaries import SummaryWriter
from tests.dashboard import Dashboard

from .visits import Visits


@pytest.fixture(scope="module")
def dashboard(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dashboard]:
    """A run with a trace of two threads."""
    base = tmp_path_factory.mktemp("traces")
    with SummaryWriter(base / "lenet") as writer:
        writer.add_scalar("loss", 1.0, 0)
    events: list[dict[str, Any]] = [
        {
            "ph": "X",
            "name": f"op{number % 7}",
            "cat": "cpu_op",
            "pid": 1,
            "tid": number % 2,
            "ts": number * 10,
            "dur": 8,
        }
        for number in range(400)
    ]
    events.append({"ph": "X", "name": "rare", "pid": 1, "tid": 0, "ts": 5000, "dur": 50, "args": {"Ev Idx": 77}})
    (base / "lenet" / "host.pt.trace.json").write_text(json.dumps({"traceEvents": events}))
    with Dashboard.start(base) as dashboard:
        yield dashboard


def test_a_trace_is_read_searched_and_added_up(dashboard: Dashboard, visit: Visits) -> None:
    page: Page = visit(f"{dashboard.address}/profiler")
    expect(page.get_by_text("401 slices")).to_be_visible(timeout=30_000)
    page.get_by_role("radio", name="Timeline").click()
    timeline = page.get_by_role("application")
    expect(timeline).not_to_have_attribute("data-slices", "0")
    page.get_by_role("searchbox").fill("rare")
    page.get_by_role("searchbox").press("Enter")
    panel = page.get_by_role("complementary", name="Chosen slice")
    expect(panel.get_by_text("50 µs").first).to_be_visible()
    expect(panel.get_by_text("77")).to_be_visible()
    expect(page).to_have_url(re.compile(r"(?=.*slice=)(?=.*window=)"))
    page.get_by_role("radio", name="Operators").click()
    page.get_by_role("searchbox").fill("")
    page.get_by_role("button", name="Show everything").click()
    expect(page.get_by_role("row", name="op0")).to_contain_text("464 µs")
