"""LeNet is trained under the profiler, and the graph page colours its graph by the measured time and memory."""

from __future__ import annotations

import csv
import os
import re
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.dashboard import Dashboard, wait_until

from .graph_page import DRAWN, analysed, until
from .visits import Visits

GRAPH, PLAIN = "graph:lenet:0", "graph:plain:0"

TRAINING = textwrap.dedent(
    """
    import sys

    import numpy as np

    import framework as ms
    from framework import Tensor, nn
    from framework.model_zoo.lenet import LeNet5

    ms.set_context(mode=ms.GRAPH_MODE)
    net = LeNet5()
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    optimizer = nn.Momentum(net.trainable_params(), 0.01, 0.9)
    step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), optimizer).set_train()
    images, labels = Tensor(np.ones((8, 1, 32, 32), np.float32)), Tensor(np.arange(8, dtype=np.int32))
    base, found = sys.argv[1:]
    for run in ("lenet", "plain"):
        with ms.SummaryRecord(f"{base}/{run}", network=step) as record:
            record.add_value("scalar", "loss", step(images, labels))
            record.record(0)
    profiler = ms.Profiler(output_path=found, summary_dir=f"{base}/lenet")
    for _ in range(3):
        step(images, labels)
    profiler.analyse()
    """
)


@pytest.fixture(scope="module")
def profiled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Dashboard, Path]]:
    """A dashboard with a profiled training, and the profiler's output for spreadsheets."""
    base = tmp_path_factory.mktemp("profiled")
    script, found = base.parent / f"{base.name}.py", base.parent / f"{base.name}-found"
    script.write_text(TRAINING)
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    subprocess.run([sys.executable, str(script), str(base), str(found)], check=True, env=environment)
    with Dashboard.start(base) as dashboard:
        for graph in (GRAPH, PLAIN):
            wait_until(partial(analysed, dashboard, graph), 60, graph)
        yield dashboard, found / "operators.csv"


def rows(page: Page) -> list[str]:
    """The texts of the legend."""
    return page.get_by_role("list", name="Colours").get_by_role("listitem").all_inner_texts()


def choose_colour(page: Page, colour: str) -> None:
    """Colours boxes by something, and waits for it to be drawn."""
    page.get_by_label("Colour of boxes").select_option(colour)
    until(page, lambda now: now.get("colour") == [colour])
    page.locator(DRAWN).wait_for()


def test_boxes_are_coloured_by_measured_time_and_memory(profiled: tuple[Dashboard, Path], visit: Visits) -> None:
    dashboard, table = profiled
    page = visit(dashboard, f"/graph?graph={GRAPH}")
    page.locator(DRAWN).wait_for()
    choose_colour(page, "time")
    expect(page.get_by_role("list", name="Colours").get_by_role("listitem").first).to_have_text(re.compile("^≤ .*s$"))
    scale = [row for row in rows(page) if row.startswith("≤")]
    assert len(scale) == 5
    inside = dashboard.get_json(f"/api/graphs/inside?graph={GRAPH}&by=time")
    with table.open() as file:
        measured = {row["full_name"]: float(row["duration"]) for row in csv.DictReader(file)}
    told = sum(float(value or 0) for value in inside["overlay"]["values"])
    assert told == pytest.approx(sum(measured.values()), rel=0.02)
    before = page.locator(DRAWN).screenshot()
    choose_colour(page, "measured_memory")
    expect(page.get_by_role("list", name="Colours").get_by_role("listitem").first).to_have_text(re.compile("^≤ .*B$"))
    assert page.locator(DRAWN).screenshot() != before


def test_the_panel_tells_what_was_measured_of_an_operator(profiled: tuple[Dashboard, Path], visit: Visits) -> None:
    dashboard, table = profiled
    with table.open() as file:
        product = next(row for row in csv.DictReader(file) if row["full_name"].endswith("conv1-Conv2d/Conv2D-op0"))
    page = visit(dashboard, f"/graph?graph={GRAPH}&colour=time", locale="zh-CN")
    page.locator(DRAWN).wait_for()
    expect(page.get_by_label("方框的颜色")).to_have_value("time")
    page.keyboard.press("/")
    page.keyboard.type("conv1-Conv2d type:Conv2D -in:Gradients")
    page.keyboard.press("Enter")
    details = page.get_by_role("complementary", name="图的详情")
    expect(details).to_contain_text("实测")
    expect(details).to_contain_text(f"执行 {product['calls']} 次")
    expect(details).to_contain_text(re.compile(r"读写的内存[\d.]+ [kM]B"))


def test_a_run_without_a_profile_offers_no_such_colours(profiled: tuple[Dashboard, Path], visit: Visits) -> None:
    dashboard, _ = profiled
    for graph, measured in ((GRAPH, True), (PLAIN, False)):
        page = visit(dashboard, f"/graph?graph={graph}")
        page.locator(DRAWN).wait_for()
        choices = page.get_by_label("Colour of boxes").locator("option").all()
        assert ("time" in [one.get_attribute("value") for one in choices]) is measured
    page = visit(dashboard, f"/graph?graph={PLAIN}&colour=time")
    page.locator(DRAWN).wait_for()
    expect(page.get_by_text("This run has no profile")).to_be_visible()
