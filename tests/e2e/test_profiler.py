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


def steps(working: int) -> list[dict[str, Any]]:
    """Four steps that wait 500 us for data, work, and send gradients until 2000 us, with an allocation each."""
    events: list[dict[str, Any]] = []

    def add(name: str, category: str, begin: int, length: int) -> None:
        events.append({"ph": "X", "name": name, "cat": category, "pid": 1, "tid": 1, "ts": begin, "dur": length})

    for step in range(4):
        begin = 3000 * step
        add(f"ProfilerStep#{step}", "user_annotation", begin, 2500)
        add("enumerate(DataLoader)#_Iter.__next__", "user_annotation", begin, 500)
        add("aten::conv2d", "cpu_op", begin + 500, working)
        add("aten::mm", "cpu_op", begin + 550, working // 2)
        add("gloo:all_reduce", "cpu_op", begin + 500 + working, 2000 - working)
        size = {"Addr": step, "Bytes": 1000, "Total Allocated": 1000 * (step + 1), "Device Type": 0, "Device Id": -1}
        events.append({"ph": "i", "name": "[memory]", "pid": 1, "tid": 1, "ts": begin + 600, "args": size})
    return events


@pytest.fixture(scope="module")
def dashboard(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dashboard]:
    """A run with a trace of two threads, and a training of two ranks, the second of which is slow."""
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
    for rank in range(2):
        text = json.dumps({"traceEvents": steps(1000 + 400 * rank), "distributedInfo": {"rank": rank}})
        (base / "ranks").mkdir(exist_ok=True)
        (base / "ranks" / f"rank{rank}.trace.json").write_text(text)
    with Dashboard.start(base) as dashboard:
        yield dashboard


def test_a_trace_is_read_searched_and_added_up(dashboard: Dashboard, visit: Visits) -> None:
    page: Page = visit(f"{dashboard.address}/profiler?profile={ids(dashboard)['lenet/host.pt.trace.json']}")
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


def ids(dashboard: Dashboard) -> dict[str, str]:
    """The id of each trace, by its path."""
    return {one["path"]: one["id"] for one in dashboard.get_json("/api/profiles")["profiles"]}


def at(dashboard: Dashboard, path: str, rest: str) -> str:
    return f"{dashboard.address}/profiler?profile={ids(dashboard)[path]}&{rest}"


def test_the_overview_says_what_is_slow_and_leads_there(dashboard: Dashboard, visit: Visits) -> None:
    page = visit(at(dashboard, "ranks/rank0.trace.json", "view=overview"))
    verdict = page.get_by_role("heading", name="The training waits for its data: 20 % of each step.")
    expect(verdict).to_be_visible(timeout=30_000)
    expect(page.get_by_text("mean of 4 steps, 2.5 ms")).to_be_visible()
    top = page.locator("section", has_text="Operators with the most own time")
    expect(top.get_by_role("button", name="aten::conv2d")).to_be_visible()
    expect(top.get_by_text("ProfilerStep")).to_have_count(0)
    page.get_by_role("button", name="Show: Load data faster").press("Enter")
    expect(page.get_by_role("complementary", name="Chosen slice")).to_contain_text("enumerate(DataLoader)")
    expect(page.get_by_role("application")).to_have_attribute("data-curves", "1")


def test_memory_at_the_peak(dashboard: Dashboard, visit: Visits) -> None:
    page = visit(at(dashboard, "ranks/rank0.trace.json", "view=memory"))
    expect(page.get_by_text("The peak is 4.00 kB").or_(page.get_by_text("The peak is 4 kB"))).to_be_visible(
        timeout=30_000
    )
    expect(page.get_by_role("row", name="aten::conv2d")).to_have_count(4)
    page.get_by_role("radio", name="Memory").press("ArrowRight")
    expect(page).to_have_url(re.compile("view=ranks"))


def test_the_slow_rank_is_named(dashboard: Dashboard, visit: Visits) -> None:
    page = visit(at(dashboard, "ranks/rank0.trace.json", "view=ranks"))
    said = page.get_by_role("heading", name="The others wait for Rank 1: it works longest in 4 of 4 steps, by 400 µs")
    expect(said).to_be_visible(timeout=30_000)
    page.get_by_role("button", name="Rank 1", exact=True).click()
    expect(page).to_have_url(re.compile(ids(dashboard)["ranks/rank1.trace.json"]))


def test_two_traces_are_compared_by_name(dashboard: Dashboard, visit: Visits) -> None:
    other = ids(dashboard)["ranks/rank0.trace.json"]
    page = visit(at(dashboard, "ranks/rank1.trace.json", f"view=compare&with={other}"))
    expect(page.get_by_role("row", name="gloo:all_reduce")).to_contain_text("\N{MINUS SIGN}400 µs", timeout=30_000)
    expect(page.get_by_role("row", name="aten::mm")).to_contain_text("+200 µs")


def test_a_flame_graph_is_enlarged_and_kept_in_the_address(dashboard: Dashboard, visit: Visits) -> None:
    page = visit(at(dashboard, "ranks/rank0.trace.json", "view=operators&form=flame"))
    box = page.get_by_role("button", name=re.compile("^aten::mm · 2 ms"))
    expect(box).to_be_visible(timeout=30_000)
    box.press("Enter")
    expect(page.get_by_role("status").filter(has_text="4 calls")).to_be_visible()
    expect(page).to_have_url(re.compile("stack="))
    page.reload()
    expect(
        page.get_by_role("button", name=re.compile("^aten::mm")).and_(page.locator("[aria-pressed=true]"))
    ).to_be_visible()


@pytest.mark.parametrize(("language", "word"), [("en-US", "No other ranks"), ("zh-CN", "没有其他进程")])
def test_views_without_anything_to_show_say_so(dashboard: Dashboard, visit: Visits, language: str, word: str) -> None:
    address = at(dashboard, "lenet/host.pt.trace.json", "view=ranks")
    page = visit(address, locale=language)
    expect(page.get_by_text(word)).to_be_visible(timeout=30_000)
