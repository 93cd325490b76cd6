"""A training of ours with `SummaryCollector` beside the recording of the same one by MindSpore, on every page."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.dashboard import Dashboard, wait_until
from tests.framework.train.lenet_of_mindspore import train_like_mindspore

from .graph_page import DRAWN, analysed, panel, tree
from .pages import all_read, card, row
from .visits import Visits

THEIRS, OURS = "mom_lr01_b32", "mom_lr01_b32_again"
BOTH = (THEIRS, OURS)
TIMES = "\N{MULTIPLICATION SIGN}"
PARAMETERS = {f"{layer}.weight" for layer in ("conv1", "conv2", "fc1", "fc2", "fc3")} | {
    f"{layer}.bias" for layer in ("fc1", "fc2", "fc3")
}


@pytest.fixture(scope="module")
def both(real_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dashboard]:
    base = tmp_path_factory.mktemp("both")
    shutil.copytree(real_data / "mindspore" / "lenet" / THEIRS, base / THEIRS, copy_function=shutil.copyfile)
    # As long as theirs: five epochs of 44 steps.
    train_like_mindspore(base / OURS, 5, 1437)
    with Dashboard.start(base) as dashboard:
        wait_until(lambda: all_read(dashboard, 2), 60, "reading both runs")
        yield dashboard


def address(dashboard: Dashboard, name: str) -> str:
    """What a run is called in addresses."""
    return str(next(run["id"][:12] for run in dashboard.get_json("/api/runs")["results"] if run["name"] == name))


def region(page: Page, name: str) -> Locator:
    return page.get_by_role("main").get_by_role("region", name=name, exact=True).first


def test_the_list_tells_as_much_of_both(both: Dashboard, visit: Visits) -> None:
    page = visit(both, "/runs")
    for name in BOTH:
        expect(row(page, name)).to_be_visible()
    cells = [row(page, name).get_by_role("cell").all_inner_texts() for name in BOTH]
    assert [bool(text.strip()) for text in cells[0]] == [bool(text.strip()) for text in cells[1]]
    for name in BOTH:
        expect(row(page, name)).to_contain_text("220")


def test_one_chart_has_both_losses(both: Dashboard, visit: Visits) -> None:
    page = visit(both, "/scalars?runs=all")
    expect(page.locator("main figure canvas").first).to_be_visible()
    assert [tag["name"] for tag in both.get_json("/api/scalars/tags")["tags"]] == ["loss/auto"]
    for name in BOTH:
        expect(card(page, "loss/auto").get_by_text(name, exact=True)).to_be_visible()


def test_distributions_and_pictures_have_the_same_tags_and_sizes(both: Dashboard, visit: Visits) -> None:
    for kind, wanted in (("distributions", {f"{name}/auto" for name in PARAMETERS}), ("images", {"input_data/auto"})):
        found = both.get_json(f"/api/{kind}/tags")["tags"]
        assert {tag["name"] for tag in found} == wanted
        assert all(len(tag["series"]) == 2 for tag in found), kind
    page = visit(both, "/images?runs=all")
    cells = page.get_by_role("figure").filter(has_text=f"256 {TIMES} 128")
    expect(cells).to_have_count(2)
    for cell in cells.all():
        expect(cell).to_contain_text("step 220")


def test_the_overviews_have_the_same_parts_in_them(both: Dashboard, visit: Visits) -> None:
    parts = []
    for name in BOTH:
        page = visit(both, f"/overview?run={address(both, name)}")
        expect(region(page, "Progress")).to_contain_text("220")
        told = {"tiles": page.get_by_role("main").get_by_role("heading", level=2).all_inner_texts()}
        for tile in ("Hyper-parameters", "Metrics", "Distributions"):
            expect(region(page, tile)).to_contain_text(re.compile(r"\d"))
        told["settings"] = region(page, "Hyper-parameters").locator("dt, th").all_inner_texts()
        told["metrics"] = region(page, "Metrics").locator("dt, th").all_inner_texts()
        parts.append(told)
    assert parts[0] == parts[1]
    assert parts[0]["tiles"]


def test_the_graphs_are_drawn_of_the_same_operators(both: Dashboard, visit: Visits) -> None:
    names = {run["number"]: run["name"] for run in both.get_json("/api/runs")["results"]}
    sources = both.get_json("/api/graphs/sources")["sources"]
    graphs = {names[one["run"]]: one["graph"] for one in sources if one["kind"] == "graph"}
    outlines, repeated = [], []
    for name in BOTH:
        wait_until(partial(analysed, both, graphs[name]), 60, graphs[name])
        page = visit(both, f"/graph?graph={graphs[name]}")
        page.locator(DRAWN).wait_for()
        items = [plain(text) for text in tree(page).get_by_role("treeitem").all_inner_texts()]
        outlines.append([text for text in items if not re.match("Depend|MakeTuple|UpdateState", text)])
        expect(panel(page)).to_contain_text(f"Dense {TIMES}3")
        repeated.append(panel(page).inner_text().count(TIMES))
    assert outlines[0] == outlines[1]
    assert len(outlines[0]) == 13
    assert min(repeated) >= 2
    loss, *layers = gradients(both, graphs[THEIRS])
    assert gradients(both, graphs[OURS])[1:] == layers
    assert loss == "_loss_fn"
    assert len(layers) == 12


def gradients(dashboard: Dashboard, graph: str) -> list[str]:
    """The gradients in a graph: layers by name, operators by type."""
    (box,) = (row["box"] for row in outline(dashboard, graph) if row["name"] == "Gradients")
    return [row["op"] or row["name"] for row in outline(dashboard, graph, box)]


def outline(dashboard: Dashboard, graph: str, box: str = "") -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = dashboard.get_json(f"/api/graphs/outline?graph={graph}&box={box}")["rows"]
    return rows


def plain(text: str) -> str:
    """The name in a row of the outline."""
    return next(line.strip() for line in text.split("\n") if line.strip() not in ("", "Group", "Operator"))


def test_lineage_knows_the_same_of_both(both: Dashboard, visit: Visits) -> None:
    page = visit(both, "/lineage")
    rows = page.get_by_role("region", name="Runs").locator("tbody tr[id]")
    expect(rows).to_have_count(2)
    filled = [[bool(text.strip()) for text in rows.nth(at).locator("td").all_inner_texts()] for at in (0, 1)]
    assert filled[0] == filled[1]
    assert sum(filled[0]) >= 4
    page.goto(page.url.partition("?")[0] + "?view=data")
    expect(page.locator("[data-sentence]")).to_contain_text("same")
