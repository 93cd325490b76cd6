"""What a newcomer looks for first in runs of MindSpore and TensorBoard, and after how many clicks it is seen."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.dashboard import Dashboard, wait_until

from .pages import card, row
from .visits import Visits

# The example trained these; the accuracies are those of its own files.
BEST = "mindspore/lenet/mom_lr01_b32"
DIVERGED = "tensorboard/sgd_lr5_diverges"
HEALTHY = "tensorboard/sgd_lr0.1"


@pytest.fixture(scope="module")
def known(real_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dashboard]:
    base = tmp_path_factory.mktemp("first")
    for folder in ("mindspore/lenet", "tensorboard"):
        shutil.copytree(real_data / folder, base / folder, copy_function=shutil.copyfile)
    with Dashboard.start(base) as dashboard:
        wait_until(lambda: all_read(dashboard), 60, "reading the real files")
        yield dashboard


def all_read(dashboard: Dashboard) -> bool:
    runs = dashboard.get_json("/api/runs")["results"]
    return bool(runs) and all(run["bytes_read"] == run["bytes"] for run in runs)


def test_the_best_run_is_one_click_away(known: Dashboard, visit: Visits) -> None:
    page = visit(known, "/")
    page.get_by_role("link", name="Lineage").click()
    best = page.get_by_role("region", name="Best of the selection").locator("tbody tr").first
    expect(best.locator(".name")).to_have_text(BEST)
    expect(best).to_contain_text("0.9639")


def test_where_two_runs_part_is_three_clicks_away(known: Dashboard, visit: Visits) -> None:
    page = visit(known, "/runs")
    row(page, HEALTHY).click()
    row(page, DIVERGED).click(modifiers=["Control"])
    page.get_by_role("toolbar", name="Selected runs").get_by_role("button", name="Compare").click()
    drawer = page.get_by_role("complementary", name="Comparison of 2 runs")
    expect(drawer.locator(".loss canvas").first).to_be_visible()
    said = drawer.locator(".loss").get_by_text("leaves")
    expect(said).to_contain_text("sgd_lr5_diverges")
    step = re.search(r"at step (\d+)", said.inner_text())
    # The loss of the first steps is 2.3 in both; from the third on that of the diverging run is above 10.
    assert step is not None
    assert int(step.group(1)) <= 5


def test_the_charts_begin_with_what_most_runs_recorded(known: Dashboard, visit: Visits) -> None:
    page = visit(known, "/scalars?runs=all")
    expect(card(page, "loss/auto")).to_be_visible()
    first = page.locator("main section.card").first
    expect(first).to_have_attribute("aria-label", "loss/auto")


def test_layers_come_first_where_several_runs_are_shown(known: Dashboard, visit: Visits) -> None:
    page = visit(known, "/distributions?runs=all")
    layer = page.get_by_role("region", name="body.0.0", exact=True)
    runs = ("adam_lr0.001", "sgd_lr0.1", "sgd_lr5_diverges")
    for part in ("weight", "weight.grad", "bias", "bias.grad"):
        for run in runs:
            expect(layer.get_by_role("group", name=f"{part} of tensorboard/{run}", exact=True)).to_be_attached()
    toolbar(page).get_by_role("button", name="Cards, scale and runs").click()
    toolbar(page).get_by_label("Runs of one tag").select_option("overlaid")
    expect(layer.get_by_role("group")).to_have_count(4)
    assert toolbar(page).evaluate("(bar) => bar.scrollWidth <= bar.clientWidth")


def toolbar(page: Page) -> Locator:
    return page.get_by_role("main").get_by_role("group", name="Distributions")


def test_a_graph_of_pytorch_has_its_modules_and_no_holes(known: Dashboard, visit: Visits) -> None:
    names = {run["number"]: run["name"] for run in known.get_json("/api/runs")["results"]}
    sources = known.get_json("/api/graphs/sources")["sources"]
    graph = next(one["graph"] for one in sources if names[one["run"]] == HEALTHY)
    page = visit(known, f"/graph?graph={graph}")
    outline = page.get_by_role("tree")
    for name in ("x", "Sequential \u00d74", "flatten", "head", "output"):
        expect(outline.get_by_role("treeitem").filter(has_text=name).first).to_be_visible()
    expect(page.get_by_role("main")).not_to_contain_text("Missing")
    expect(page.get_by_role("main")).not_to_contain_text("defect")
