"""What people do with a graph: compare, walk through passes, colour, follow, search, save, and go on to other pages."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

import networkx as nx
import pytest
from playwright.sync_api import Locator, Page, expect

from mindinsight.graphs.model import Graph, graph_from_bytes
from tests.dashboard import Dashboard, wait_until
from tests.mindinsight.graphs.graph_edits import real_proto
from tests.mindinsight.graphs.passes.make_passes import make_passes

from .graph_page import DRAWN, analysed, boxes_drawn, hits, panel, query, selected_at, tree, until
from .visits import Visits

BERT, LENET = "graph:bert12:0", "graph:lenet:0"
UNFUSED, FUSED = "pass:bert12:passes/03_dead_code", "pass:bert12:passes/04_fuse"
DIFFERENCE = f"graph={UNFUSED}&with={FUSED}"


@pytest.fixture(scope="module")
def work(real_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dashboard]:
    """A dashboard with a network and its passes, and one with recorded values and an input pipeline."""
    base = tmp_path_factory.mktemp("graphs")
    for name, source in (("bert12", "bert12"), ("lenet", "lenet/adam_lr01_b64")):
        shutil.copytree(real_data / "mindspore" / source, base / name, copy_function=shutil.copyfile)
    make_passes(real_proto(real_data, "bert12"), base / "bert12" / "passes")
    with Dashboard.start(base) as dashboard:
        wait_until(lambda: {BERT, LENET, FUSED} <= set(named(dashboard)), 60, "the graphs")
        both = f"diff:{quote(UNFUSED, safe='')}~{quote(FUSED, safe='')}"
        for graph in (BERT, LENET, "dataset:lenet", UNFUSED, FUSED, both):
            wait_until(partial(analysed, dashboard, graph), 120, graph)
        yield dashboard


def named(dashboard: Dashboard) -> list[str]:
    """The names of all graphs."""
    sources = dashboard.get_json("/api/graphs/sources")["sources"]
    return [name for one in sources for name in [one["graph"], *(other["graph"] for other in one["passes"] or [])]]


@pytest.fixture(scope="module")
def bert(real_data: Path) -> Graph:
    """The graph of the network, read without the dashboard."""
    return graph_from_bytes(real_proto(real_data, "bert12").SerializeToString())


def opened(work: Dashboard, visit: Visits, state: str, **options: Any) -> Page:
    """The page in a state, once nothing moves any more."""
    page = visit(work, f"/graph?{state}", **options)
    page.locator(DRAWN).wait_for()
    return page


def saved(page: Page, kind: str) -> bytes:
    """The file that a choice of the menu gives."""
    page.get_by_role("button", name="Save the graph").click()
    with page.expect_download() as download:
        page.get_by_role("menuitem", name=kind).click()
    return Path(download.value.path()).read_bytes()


def legend(page: Page) -> Locator:
    """What the colours mean."""
    return page.get_by_role("list", name="Colours").get_by_role("listitem")


def test_a_comparison_tells_what_differs_in_the_picture_and_as_a_list(work: Dashboard, visit: Visits) -> None:
    page = opened(work, visit, DIFFERENCE)
    both = quote(f"diff:{quote(UNFUSED, safe='')}~{quote(FUSED, safe='')}", safe="")
    counts = work.get_json(f"/api/graphs/changes?graph={both}&reach=forward")["counts"]
    assert counts["added"] > 60
    assert counts["removed"] == 2 * counts["added"]
    for status in ("added", "removed", "changed"):
        expect(panel(page).get_by_role("button", name=re.compile(rf"{status} {counts[status]}$"))).to_be_visible()
    told = tree(page).get_by_role("treeitem", name=re.compile("^Stack EncoderLayer \N{MULTIPLICATION SIGN}12"))
    expect(told).to_contain_text(re.compile("\\+72 \u2212144 ~\\d+"))
    expect(tree(page).get_by_role("treeitem", name=re.compile("word_embeddings"))).not_to_contain_text("+")
    edges = panel(page).get_by_role("list", name="Edges")
    expect(edges.get_by_role("listitem").first).to_contain_text(re.compile("added|removed"))
    panel(page).get_by_role("button", name=re.compile("^\\+ added")).click()
    rows = panel(page).get_by_role("list", name="Differences").get_by_role("listitem")
    expect(rows.first).to_contain_text("FusedMatMulBiasAdd")
    picture = saved(page, "Drawing (SVG)").decode()
    assert re.search(">\\+72 \u2212144 ~\\d+<", picture)
    page.keyboard.press("n")
    until(page, lambda now: "box" in now)
    first = query(page)["box"]
    expect(panel(page).get_by_role("heading", name=re.compile("^Inputs"))).to_be_visible()
    page.keyboard.press("n")
    until(page, lambda now: now["box"] != first)
    page.keyboard.press("Shift+N")
    until(page, lambda now: now["box"] == first)
    page.get_by_role("button", name="End the comparison").click()
    until(page, lambda now: "with" not in now)
    page.locator(DRAWN).wait_for()
    expect(tree(page)).not_to_contain_text("\u2212144")


def test_the_graph_changes_as_passes_are_walked_through(work: Dashboard, visit: Visits) -> None:
    page = opened(work, visit, f"graph={UNFUSED}")
    slider = page.get_by_role("slider", name="Pass")
    expect(slider).to_have_attribute("aria-valuetext", "4 of 7: dead_code")
    operators = page.get_by_text(re.compile(r"^[\d,]+ operators$")).first
    before = operators.inner_text()
    picture = saved(page, "Drawing (SVG)")
    slider.focus()
    page.keyboard.press("ArrowRight")
    until(page, lambda now: now["graph"] == [FUSED])
    expect(slider).to_have_attribute("aria-valuetext", "5 of 7: fuse")
    expect(operators).not_to_have_text(before)
    page.locator(DRAWN).wait_for()
    assert saved(page, "Drawing (SVG)") != picture
    page.get_by_role("main").click(position={"x": 400, "y": 500})
    page.keyboard.press("[")
    until(page, lambda now: now["graph"] == [UNFUSED])
    expect(operators).to_have_text(before)


def test_what_is_drawn_is_saved(work: Dashboard, visit: Visits) -> None:
    page = opened(work, visit, f"graph={BERT}&reach=optimizer")
    boxes = boxes_drawn(page)
    pixels = saved(page, "Picture (PNG)")
    assert pixels.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = int.from_bytes(pixels[16:20]), int.from_bytes(pixels[20:24])
    assert min(width, height) > 600
    drawing = saved(page, "Drawing (SVG)").decode()
    assert drawing.startswith("<svg")
    for text in ("EncoderLayer \u00d712", "word_embeddings", "Gradients", "Optimizer"):
        assert f">{text}<" in drawing
    told = json.loads(saved(page, "Open boxes (JSON)"))
    assert told["graph"] == BERT
    (root,) = told["insides"]
    assert len(root["boxes"]) > boxes  # What is left out of the drawing is there.
    (stack,) = [box for box in root["boxes"] if box["name"] == "EncoderLayer"]
    assert (stack["kind"], stack["count"]) == ("stack", 12)
    ends = {box["index"] for box in root["boxes"]} | {-1, -2}
    assert root["edges"]
    assert all({edge["source"], edge["target"]} <= ends for edge in root["edges"])


def test_boxes_are_coloured_by_what_is_asked_for(work: Dashboard, visit: Visits) -> None:
    page = opened(work, visit, f"graph={BERT}")
    chosen = page.get_by_label("Colour of boxes")
    expect(legend(page).filter(has_text="matrix product")).to_be_visible()
    pictures = {saved(page, "Drawing (SVG)")}
    for value, entry in (("template", "EncoderLayer"), ("precision", "Float32"), ("memory", "≤")):
        chosen.select_option(value)
        expect(legend(page).filter(has_text=entry).first).to_be_visible()
        page.locator(DRAWN).wait_for()
        pictures.add(saved(page, "Drawing (SVG)"))
    assert len(pictures) == 4
    chosen.select_option("device")
    assert work.get_json(f"/api/graphs/overlay?graph={BERT}&by=device")["legend"] == []
    expect(legend(page)).to_have_text(["unknown"])
    chosen.select_option("none")
    expect(legend(page)).to_have_count(0)


def test_what_one_looks_at_stays_where_it_is(work: Dashboard, visit: Visits) -> None:
    page = opened(work, visit, f"graph={BERT}")
    row = tree(page).get_by_role("treeitem", name=re.compile("EncoderLayer"))
    row.click()
    before = selected_at(page)
    closed = boxes_drawn(page)
    corner = page.locator(DRAWN).bounding_box()
    assert corner
    middle = (corner["x"] + before[0] + before[2] / 2, corner["y"] + before[1] + before[3] / 2)
    page.mouse.dblclick(*middle)
    expect(row).to_have_attribute("aria-expanded", "true")
    page.locator(f"{DRAWN}:not([data-boxes='{closed}'])").wait_for()
    after = selected_at(page)
    assert abs(after[1] - before[1]) <= 2
    assert abs(after[0] + after[2] / 2 - before[0] - before[2] / 2) <= 2
    assert after[3] > 3 * before[3]
    pointer = after[0] + 30
    page.mouse.dblclick(corner["x"] + pointer, corner["y"] + after[1] + 12)
    expect(row).to_have_attribute("aria-expanded", "false")
    page.locator(f"{DRAWN}[data-boxes='{closed}']").wait_for()
    again = selected_at(page)
    assert abs(again[1] - before[1]) <= 2
    assert again[0] <= pointer <= again[0] + again[2]


def test_an_expression_finds_and_enter_goes_there(work: Dashboard, visit: Visits, bert: Graph) -> None:
    page = opened(work, visit, f"graph={BERT}")
    page.keyboard.press("/")
    page.keyboard.type(r"/layers\.(3|7)\.attention\.\w+\.weight$/ type:Parameter")
    names = [bert.text("name", node) for node in range(len(bert)) if bert.text("op", node) == "Parameter"]
    expected = [name for name in names if re.search(r"layers\.(3|7)\.attention\.\w+\.weight$", name)]
    assert expected
    expect(page.get_by_role("status").filter(has_text=f"{len(expected)} matches")).to_be_visible()
    page.keyboard.press("Enter")
    expect(hits(page).get_by_role("option", selected=True)).to_contain_text(expected[0])
    until(page, lambda now: "held" in now)
    expect(panel(page).get_by_text(expected[0], exact=True)).to_be_visible()
    page.keyboard.press("Enter")
    expect(hits(page).get_by_role("option", selected=True)).to_contain_text(expected[1])
    expect(panel(page).get_by_text(expected[1], exact=True)).to_be_visible()


def test_what_only_keeps_books_is_left_out_and_found_all_the_same(work: Dashboard, visit: Visits) -> None:
    page = opened(work, visit, f"graph={BERT}")
    few = boxes_drawn(page)
    rows = tree(page).get_by_role("treeitem")
    expect(rows.filter(has_text="MakeTuple")).to_have_count(1)
    assert few < rows.count()
    page.get_by_role("searchbox").fill("type:MakeTuple -in:Gradients")
    hits(page).get_by_role("option").first.click()
    page.locator(f"{DRAWN}[data-boxes='{few + 1}']").wait_for()
    expect(panel(page).get_by_text("MakeTuple", exact=True)).to_be_visible()
    page.get_by_role("searchbox").fill("")
    page.get_by_role("button", name=re.compile("^Hide operators")).click()
    until(page, lambda now: now["order"] == ["drawn"])
    page.locator(f"{DRAWN}[data-boxes='{rows.count()}']").wait_for()


def as_networkx(graph: Graph) -> nx.DiGraph[int]:
    """The edges of a graph."""
    found: nx.DiGraph[int] = nx.DiGraph()
    found.add_nodes_from(range(len(graph)))
    found.add_edges_from(zip(graph.in_src.tolist(), graph.in_dst.tolist(), strict=True))
    return found


def test_ways_are_followed_as_far_as_they_lead(work: Dashboard, visit: Visits, bert: Graph) -> None:
    page = opened(work, visit, f"graph={BERT}")
    page.get_by_role("searchbox").fill("type:Softmax -in:Gradients")
    options = hits(page).get_by_role("option")
    softmax = [node for node in range(len(bert)) if bert.text("op", node) == "Softmax"]
    expect(options).to_have_count(len(softmax))
    options.first.click()
    follow = panel(page)
    follow.get_by_role("spinbutton", name="Steps").fill("4")
    follow.get_by_role("button", name="Upstream").click()
    whole = as_networkx(bert)
    near = nx.single_source_shortest_path_length(whole.reverse(), softmax[0], cutoff=4)
    expect(follow.get_by_text(re.compile(rf"^{len(near) - 1} nodes reached"))).to_be_visible()
    follow.get_by_role("button", name="Start a path here").click()
    options.nth(len(softmax) - 1).click()
    follow.get_by_role("button", name=re.compile("^Path from ")).click()
    steps = nx.shortest_path_length(whole, softmax[0], softmax[-1])
    expect(follow.get_by_text(f"Shortest path: {steps} steps")).to_be_visible()
    until(page, lambda now: now["follow"] == [f"path~{softmax[0]}~{softmax[-1]}"])
    follow.get_by_role("button", name="Unmark").click()
    until(page, lambda now: "follow" not in now)


def test_nodes_lead_to_values_of_their_name(work: Dashboard, visit: Visits) -> None:
    tag = next(
        group["name"] for group in work.get_json("/api/distributions/tags")["tags"] if "conv1.weight" in group["name"]
    )
    page = opened(work, visit, f"graph={LENET}")
    page.get_by_role("searchbox").fill("conv1.weight type:Parameter")
    hits(page).get_by_role("option").first.click()
    panel(page).get_by_role("link", name=re.compile("^Distributions")).click()
    page.wait_for_url("**/distributions?**")
    expect(page.get_by_role("region", name=tag, exact=True)).to_be_visible()
    page.go_back()
    page.locator(DRAWN).wait_for()
    expect(panel(page).get_by_text("conv1.weight", exact=True)).to_be_visible()


def test_an_input_pipeline_is_a_graph_to_choose(work: Dashboard, visit: Visits) -> None:
    page = opened(work, visit, f"graph={LENET}")
    page.get_by_label("Graph", exact=True).select_option("dataset:lenet")
    until(page, lambda now: now["graph"] == ["dataset:lenet"])
    expect(tree(page).get_by_role("treeitem")).to_have_count(2)
    tree(page).get_by_role("treeitem", name=re.compile("Batch")).click()
    expect(panel(page).get_by_text("batch_size")).to_be_visible()
    expect(panel(page).get_by_role("button", name=re.compile("GeneratorDataset"))).to_be_visible()


def test_a_link_to_a_graph_that_is_gone_says_so(work: Dashboard, visit: Visits, troubles: Any) -> None:
    troubles.expect("status of 404")
    page = visit(work, "/graph?graph=file:lenet:gone.pb")
    expect(page.get_by_text("The graph cannot be shown")).to_be_visible()
    expect(page.get_by_text("gone.pb").first).to_be_visible()
    page.get_by_label("Graph", exact=True).select_option(LENET)
    page.locator(DRAWN).wait_for()
