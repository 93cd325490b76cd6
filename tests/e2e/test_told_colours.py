"""The graph page colours a training's graph by the gradients that it recorded and by what its watchpoints hit."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.dashboard import Dashboard, wait_until
from tests.mindinsight.debugger.browser import Browser

from .graph_page import DRAWN, analysed, panel, until
from .visits import Visits

ROOT = Path(__file__).parents[2]
DATA = Path(os.environ.get("MINDINSIGHT_TEST_DATA", ROOT.parent / "shared" / "data"))
GRAPH = "graph:lenet:0"

TRAINING = textwrap.dedent(
    """
    import sys

    import numpy as np

    import framework as ms
    from framework import nn
    from framework.debugger import Debugger
    from framework.model_zoo.lenet import LeNet5

    ms.set_context(mode=ms.GRAPH_MODE)
    ms.set_seed(1)
    address, token, directory, wanted, paused = sys.argv[1:]
    net = LeNet5()
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    model = ms.Model(net, loss, nn.Momentum(net.trainable_params(), 0.01, 0.9))
    rng = np.random.default_rng(0)
    images = rng.normal(size=(4, 8, 1, 32, 32)).astype(np.float32)
    labels = rng.integers(0, 10, (4, 8)).astype(np.int32)
    collector = ms.SummaryCollector(
        directory, collect_freq=2, collect_specified_data={"collect_gradients": wanted == "True"}
    )
    callbacks = [collector]
    if paused == "True":
        callbacks.append(Debugger(address, token, pause_at_start=True))
    model.train(1, list(zip(images, labels)), callbacks=callbacks)
    """
)


def train(dashboard: Dashboard, script: Path, run: str, gradients: bool, paused: bool) -> subprocess.Popen[bytes]:
    """A training of its own process."""
    script.write_text(TRAINING)
    base = script.parent / "summaries"
    command = [sys.executable, str(script), dashboard.address, dashboard.token, str(base / run)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen([*command, str(gradients), str(paused)], env=environment)


def watch_everything(dashboard: Dashboard) -> None:
    """Has a watchpoint hit every weight, without a pause, and the training go on."""
    with Browser(dashboard) as page:
        rows = page.hear("sessions", lambda message: message["sessions"])["sessions"]
        session = rows[0]["id"]
        state = page.watch(session)["state"]
        if not state or state["status"] != "PAUSED":
            page.hear("state", lambda message: message["state"]["status"] == "PAUSED")
        page.control(session)
        watchpoint = {
            "id": 1, "condition": "weight_change_too_large", "enabled": True, "log_only": True,
            "targets": {"kinds": ["WEIGHT"]},
            "settings": [{"name": "abs_mean_update_ratio_gt", "value": 0.0, "enabled": True}],
        }  # fmt: skip
        assert page.reply(page.ask(session, {"set_watchpoints": {"watchpoints": [watchpoint]}}))["ok"]
        assert page.reply(page.ask(session, {"go_on": {}}))["ok"]
        page.hear("bye")


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dashboard]:
    """A dashboard with a watched training that collects gradients, one that does neither, and one of PyTorch."""
    directory = tmp_path_factory.mktemp("told")
    base = directory / "summaries"
    base.mkdir()
    real = DATA / "tensorboard" / "sgd_lr0.1"
    if real.is_dir():
        shutil.copytree(real, base / "torch")
    with Dashboard.start(base) as dashboard:
        for run, told in (("lenet", True), ("plain", False)):
            with train(dashboard, directory / "train.py", run, told, told) as training:
                try:
                    if told:
                        watch_everything(dashboard)
                    assert training.wait(60) == 0
                finally:
                    training.kill()
            address = GRAPH.replace("lenet", run)
            wait_until(partial(analysed, dashboard, address), 60, address)
        # Files are read, and sessions stored, a moment after the training is over.
        wait_until(lambda: told_of(dashboard, "gradient")["step"] == 4, 60, "the last gradients")
        wait_until(lambda: hits_of(told_of(dashboard, "hits")) == logged(dashboard) > 0, 60, "the last hits")
        yield dashboard


def told_of(dashboard: Dashboard, colour: str) -> dict[str, Any]:
    """What the boxes at the top of the training's graph are coloured by."""
    status, body = dashboard.get(f"/api/graphs/overlay?graph={GRAPH}&by={colour}")
    found: dict[str, Any] = json.loads(body) if status == 200 else {"step": None, "values": []}
    return found


def hits_of(told: dict[str, Any]) -> int:
    """All of them."""
    return sum(int(value or 0) for value in told["values"])


def logged(dashboard: Dashboard) -> int:
    """How many hits the session of the training noted."""
    session = dashboard.get_json("/api/debugger/sessions")["sessions"][0]["id"]
    log = dashboard.get_json(f"/api/debugger/sessions/{session}")["log"]
    return sum(len(one["hits"]) for one in log)


def rows(page: Page) -> Locator:
    """The legend's."""
    return page.get_by_role("list", name="Colours").get_by_role("listitem")


def choose_colour(page: Page, colour: str) -> None:
    """Colours boxes by something, and waits for it to be drawn."""
    page.get_by_label("Colour of boxes").select_option(colour)
    until(page, lambda now: now.get("colour") == [colour])
    page.locator(DRAWN).wait_for()


def test_boxes_are_coloured_by_the_norms_of_recorded_gradients(trained: Dashboard, visit: Visits) -> None:
    page = visit(trained, f"/graph?graph={GRAPH}")
    page.locator(DRAWN).wait_for()
    before = page.locator(DRAWN).screenshot()
    choose_colour(page, "gradient")
    expect(page.get_by_text("Gradient norm, step 4")).to_be_visible()
    expect(rows(page).first).to_have_text(re.compile(r"^≤ [\d.e]+"))
    expect(rows(page).last).to_have_text("no gradient")
    assert page.locator(DRAWN).screenshot() != before
    # The way back is in the history, and a link shows the same.
    again = visit(trained, page.url.removeprefix(trained.address), locale="zh-CN")
    expect(again.get_by_text(re.compile("梯度范数.*第 4 步"))).to_be_visible()


def test_the_panel_tells_the_norm_of_a_box(trained: Dashboard, visit: Visits) -> None:
    page = visit(trained, f"/graph?graph={GRAPH}&colour=gradient")
    page.locator(DRAWN).wait_for()
    page.keyboard.press("/")
    page.keyboard.type("conv1-Conv2d type:Conv2D -in:Gradients")
    page.keyboard.press("Enter")
    expect(panel(page)).to_contain_text(re.compile(r"Gradient norm\s*[\d.]+"))


def test_boxes_are_coloured_by_hits_of_watchpoints(trained: Dashboard, visit: Visits) -> None:
    page = visit(trained, f"/graph?graph={GRAPH}&colour=hits")
    page.locator(DRAWN).wait_for()
    expect(page.get_by_text(re.compile("Watchpoint hits, step [34]"))).to_be_visible()
    expect(rows(page).first).to_have_text(re.compile(r"^≤ \d+$"))
    assert hits_of(told_of(trained, "hits")) == logged(trained) > 8


@pytest.mark.parametrize(
    ("colour", "title", "code"),
    [
        ("gradient", "This run has recorded no gradients", "collect_gradients"),
        ("hits", "No debugger was attached to this run", "Debugger("),
        ("time", "This run has no profile", "ms.Profiler("),
    ],
)
def test_a_run_that_tells_nothing_says_how_to_get_it(
    trained: Dashboard, visit: Visits, colour: str, title: str, code: str
) -> None:
    page = visit(trained, f"/graph?graph={GRAPH.replace('lenet', 'plain')}&colour={colour}")
    page.locator(DRAWN).wait_for()
    note = page.get_by_role("note").filter(has_text=title)
    expect(note.locator("code")).to_contain_text(code)
    expect(note.get_by_role("button", name="Copy")).to_be_visible()
    expect(rows(page)).to_have_count(0)


def test_gradients_that_pytorch_recorded_are_found_by_the_parameters_name(trained: Dashboard, visit: Visits) -> None:
    if not (DATA / "tensorboard").is_dir():
        pytest.skip(f"no runs in {DATA}; MINDINSIGHT_TEST_DATA names the directory that has them")
    source = next(one for one in trained.get_json("/api/graphs/sources")["sources"] if "torch" in one["graph"])
    wait_until(partial(analysed, trained, source["graph"]), 60, "torch's graph")
    page = visit(trained, f"/graph?graph={source['graph']}&colour=gradient")
    page.locator(DRAWN).wait_for()
    expect(page.get_by_text("Gradient norm, step 138")).to_be_visible()
    expect(rows(page).first).to_have_text(re.compile("^≤ "))
