"""The page of graphs on graphs that MindSpore recorded: read at a glance, opened, searched, followed and linked."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from summaries import SummaryWriter
from summaries.schema.anf_ir_pb2 import GraphProto
from tests.dashboard import Dashboard, wait_until

from .conftest import StartDashboard
from .graph_page import DRAWN, analysed, boxes_drawn, query, tree, until
from .pages import reload
from .test_accessibility import axe, barriers  # noqa: F401
from .visits import Visits

NETWORKS = ("bert12", "resnet50")
MOST_BOXES = 60


@pytest.fixture(scope="module")
def known(real_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dashboard]:
    """A dashboard that has read and analysed the real graphs."""
    base = tmp_path_factory.mktemp("graphs")
    for name in NETWORKS:
        shutil.copytree(real_data / "mindspore" / name, base / name, copy_function=shutil.copyfile)
    with Dashboard.start(base) as dashboard:
        wait_until(lambda: len(graphs(dashboard)) == len(NETWORKS), 60, "the graphs of two networks")
        for graph in graphs(dashboard).values():
            wait_until(partial(analysed, dashboard, graph), 120, graph)
        yield dashboard


def graphs(dashboard: Dashboard) -> dict[str, str]:
    """What each run's graph is called in questions."""
    names = {run["number"]: run["name"] for run in dashboard.get_json("/api/runs")["results"]}
    sources = dashboard.get_json("/api/graphs/sources")["sources"]
    return {names[one["run"]]: one["graph"] for one in sources if one["kind"] == "graph"}


def opened(known: Dashboard, visit: Visits, name: str, query: str = "", **options: Any) -> Page:
    """The page of a network's graph, once nothing moves any more."""
    page = visit(known, f"/graph?graph={graphs(known)[name]}{query}", **options)
    page.locator(DRAWN).wait_for()
    return page


def test_what_is_drawn_first_is_asked_for_ahead_and_once(known: Dashboard, visit: Visits) -> None:
    page = opened(known, visit, "resnet50")
    questions = page.evaluate(
        "() => performance.getEntriesByType('resource').map(({ name, initiatorType }) => [initiatorType, name])"
    )
    (first,) = [kind for kind, name in questions if "/api/graphs/inside?" in name]
    assert first == "link"
    assert not [name for _, name in questions if "/api/graphs/overlay?" in name]


def stack(page: Page, name: str, count: int) -> Locator:
    """The row of a stack in the outline."""
    return tree(page).get_by_role("treeitem", name=re.compile(rf"^Stack {name}\w* .{count}"))


@pytest.mark.parametrize("name", NETWORKS)
def test_a_network_fits_one_screen(known: Dashboard, visit: Visits, name: str) -> None:
    page = opened(known, visit, name)
    boxes = boxes_drawn(page)
    assert 1 < boxes <= MOST_BOXES
    page.get_by_role("radio", name="+ Optimizer").click()
    page.locator(f"{DRAWN}:not([data-boxes='{boxes}'])").wait_for()
    assert boxes < boxes_drawn(page) <= MOST_BOXES


def inside_counts(known: Dashboard, name: str, prefix: str) -> list[int]:
    """Occurrences of stacks by name over the forward part, in the order of the drawing, however deep they lie."""
    found: list[int] = []

    def look(path: str, depth: int) -> None:
        answer = known.get_json(f"/api/graphs/inside?graph={graphs(known)[name]}&box={path.replace('#', '%23')}")
        for box in answer["boxes"]:
            if box["phase"] != "forward":
                continue
            own = f"{path}.{box['index']}" if path else str(box["index"])
            if box["name"].startswith(prefix) and box["kind"] in ("stack", "one"):
                found.append(box["count"])
            elif box["kind"] in ("group", "one") and depth < 6:
                look(own, depth + 1)

    look("", 0)
    return found


def test_the_twelve_encoder_layers_of_bert_are_one_stack(known: Dashboard, visit: Visits) -> None:
    assert 12 in inside_counts(known, "bert12", "")
    page = opened(known, visit, "bert12")
    for _ in range(6):
        if stack(page, "", 12).count():
            break
        row = tree(page).locator("[aria-expanded=false]:not([data-kind=stack])").first
        row.click()
        page.keyboard.press("ArrowRight")
        expect(row).to_have_attribute("aria-expanded", "true")
    expect(stack(page, "", 12).first).to_be_visible()


def test_the_bottlenecks_of_resnet_are_read_by_stage(known: Dashboard) -> None:
    assert inside_counts(known, "resnet50", "Bottleneck") == [3, 4, 6, 3]


def first_stack(page: Page) -> Locator:
    """The row of the first stack in the outline."""
    return tree(page).locator("[role=treeitem][data-kind=stack]").first


def test_a_stack_is_unrolled_and_rolled_again(known: Dashboard, visit: Visits) -> None:
    page = opened(known, visit, "bert12")
    row = first_stack(page)
    path = str(row.get_attribute("data-path"))
    row.click()
    panel = page.get_by_role("complementary", name="Details of the graph")
    panel.get_by_role("button", name="Unroll").click()
    until(page, lambda now: now.get("open") == [f"{path}#*"])
    instances = tree(page).locator(f"[role=treeitem][data-path^='{path}#']:not([data-path*='.'])")
    expect(instances).to_have_count(12)
    reload(page)
    page.locator(DRAWN).wait_for()
    expect(instances).to_have_count(12)
    panel.get_by_role("button", name="Stack again").click()
    expect(instances).to_have_count(0)
    until(page, lambda now: now.get("open") == [f"{path}#0"])


def test_a_stack_opens_where_it_stands_and_shows_its_occurrences(known: Dashboard, visit: Visits) -> None:
    page = opened(known, visit, "bert12")
    row = first_stack(page)
    row.click()
    panel = page.get_by_role("complementary", name="Details of the graph")
    expect(panel.get_by_role("group", name="Occurrences").get_by_role("button").nth(1)).to_be_visible()
    row.dblclick()
    expect(row).to_have_attribute("aria-expanded", "true")
    page.locator(DRAWN).wait_for()
    path = str(row.get_attribute("data-path"))
    until(page, lambda now: now.get("open", [""])[0].startswith(path))
    panel.get_by_role("group", name="Occurrences").get_by_role("button").nth(1).click()
    until(page, lambda now: f"{path}#1" in now.get("open", [""])[0])
    panel.get_by_role("button", name=re.compile("^Compare 2 and ")).click()
    expect(panel.get_by_role("heading", name=re.compile("^Occurrences 2 and "))).to_be_visible()


def test_arrows_walk_the_outline(known: Dashboard, visit: Visits) -> None:
    page = opened(known, visit, "resnet50")
    page.keyboard.press("o")
    expect(tree(page)).to_be_focused()
    page.keyboard.press("Home")
    expect(tree(page).get_by_role("treeitem", selected=True)).to_have_attribute("aria-posinset", "1")
    page.keyboard.press("ArrowDown")
    expect(tree(page).get_by_role("treeitem", selected=True)).to_have_attribute("aria-posinset", "2")


def test_a_search_jumps_and_says_what_is_wrong_with_it(known: Dashboard, visit: Visits) -> None:
    page = opened(known, visit, "resnet50")
    page.keyboard.press("/")
    page.keyboard.type("type:Conv2D")
    results = page.get_by_role("listbox", name="Boxes and nodes that match")
    expect(results.get_by_role("option").first).to_contain_text("Conv2D")
    page.keyboard.press("Enter")
    expect(results.get_by_role("option", selected=True)).to_have_attribute("aria-posinset", "1")
    until(page, lambda now: "box" in now)
    panel = page.get_by_role("complementary", name="Details of the graph")
    expect(panel.get_by_role("heading", name=re.compile("^Inputs"))).to_be_visible()
    page.get_by_role("searchbox").fill("/(/")
    expect(page.get_by_role("status").filter(has_text="/(/")).to_be_visible()


def test_links_of_a_node_lead_on_and_back(known: Dashboard, visit: Visits) -> None:
    page = opened(known, visit, "resnet50", "&find=type:Conv2D")
    page.get_by_role("listbox", name="Boxes and nodes that match").get_by_role("option").nth(2).click()
    panel = page.get_by_role("complementary", name="Details of the graph")
    outputs = panel.locator("h2", has_text="Outputs").locator("xpath=following-sibling::ul[1]")
    until(page, lambda now: "box" in now)
    before = query(page)["box"]
    reader = outputs.get_by_role("button").first
    op = reader.inner_text().strip()
    reader.click()
    until(page, lambda now: now["box"] != before)
    expect(panel.get_by_role("definition").first).to_have_text(op)
    panel.get_by_role("button", name="Upstream").click()
    expect(panel.get_by_text(re.compile(r"^[\d,]+ nodes? reached"))).to_be_visible()


def test_a_link_shows_the_same(known: Dashboard, visit: Visits) -> None:
    page = opened(known, visit, "bert12")
    page.get_by_role("radio", name="+ Backward").click()
    page.get_by_label("Colour of boxes").select_option("precision")
    row = first_stack(page)
    row.click()
    row.dblclick()
    expect(row).to_have_attribute("aria-expanded", "true")
    page.locator(DRAWN).wait_for()
    until(page, lambda now: "open" in now and "box" in now)
    boxes = page.locator(DRAWN).get_attribute("data-boxes")
    other = visit(page.url)
    other.locator(DRAWN).wait_for()
    expect(other.locator(DRAWN)).to_have_attribute("data-boxes", str(boxes))
    expect(first_stack(other)).to_have_attribute("aria-expanded", "true")
    expect(first_stack(other)).to_have_attribute("aria-selected", "true")
    expect(other.get_by_label("Colour of boxes")).to_have_value("precision")
    expect(other.get_by_role("radio", name="+ Backward")).to_be_checked()
    page.keyboard.press("Control+z")
    expect(first_stack(page)).to_have_attribute("aria-expanded", "false")


@pytest.mark.parametrize("language", ["en-US", "zh-CN"])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_there_are_no_barriers(known: Dashboard, visit: Visits, axe: str, theme: str, language: str) -> None:  # noqa: F811
    page = opened(known, visit, "bert12", color_scheme=theme, locale=language, reduced_motion="reduce")
    page.locator("[role=treeitem]").first.click()
    page.locator("aside.insp h2").first.wait_for()
    assert barriers(page, axe) == []
    page.goto(f"{known.address}/graph?graph={graphs(known)['resnet50']}&find=type:Conv2D")
    page.locator("[role=option]").first.click()
    page.locator("aside.insp .ends").first.wait_for()
    assert barriers(page, axe) == []


def test_small_windows_show_everything(known: Dashboard, visit: Visits) -> None:
    page = opened(known, visit, "bert12", viewport={"width": 1024, "height": 768})
    for control in ("Colour of boxes", "When structures are equal", "Save the graph", "Diff"):
        expect(
            page.get_by_label(control, exact=True).or_(page.get_by_role("button", name=control, exact=True))
        ).to_be_in_viewport()
    assert page.evaluate("document.scrollingElement.scrollWidth <= document.documentElement.clientWidth")


def test_without_a_graph_it_says_how_one_is_recorded(showroom: Dashboard, visit: Visits) -> None:
    page = visit(showroom, "/graph")
    expect(page.get_by_text("These runs have recorded no graph")).to_be_visible()
    expect(page.get_by_text("writer.add_graph(network, inputs)")).to_be_visible()


def test_hostile_names_are_only_names(start_dashboard: StartDashboard, visit: Visits, tmp_path: Path) -> None:
    names = ["<img src=x onerror=console.error(1)>", "{{ 7 * 7 }}", "%2e%2e", "‮back", "a" * 3000, "空 白"]
    graph = GraphProto(name="<script>console.error(2)</script>")
    for number, name in enumerate(names):
        node = graph.node.add(
            name=f"{number}{name}", op_type=name, scope=f"Default/{name}", full_name=f"Default/{name}/{name}"
        )
        if number:
            node.input.add(name=f"{number - 1}{names[number - 1]}", type=0)
    graph.node[0].input.add(name="nothing of that name", type=0)
    with SummaryWriter(tmp_path / "summaries" / names[2]) as writer:
        writer.add_graph(graph)
    dashboard = start_dashboard()
    wait_until(lambda: dashboard.get_json("/api/graphs/sources")["sources"], 30, "the graph")
    page = visit(dashboard, "/graph")
    page.locator(DRAWN).wait_for(timeout=60_000)
    rows = tree(page).get_by_role("treeitem")
    for at in range(rows.count()):
        rows.nth(at).click()
        page.locator("aside.insp h2").first.wait_for()
    assert page.locator("main img, aside img, main script").count() == 0
    page.keyboard.press("Escape")
    page.get_by_role("button", name="1 defect").click()
    expect(page.get_by_text("input missing")).to_be_visible()
