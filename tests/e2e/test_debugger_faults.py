"""Planted faults, looked for on the debugger's page as a person does.

Where numbers are lost or a watchpoint knows: arm what is recommended, go on, read. Where every number is finite: the
walks of `docs/pages/debugger.md`, step by step.
"""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Iterator

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from tests.dashboard import Dashboard
from tests.framework.debugger.faults import ALL, plant

from .debugger_page import choose, control, fact, go_on, open_paused, training, values
from .visits import Visits

IS_LONG = os.environ.get("MINDINSIGHT_TEST_COUNTS") == "long"
FEW = [
    ("log_of_zero", "graph", 2),
    ("bad_image", "pynative", 3),
    ("dead_relu", "graph", 1),
    ("wrong_axis", "pynative", 1),
    ("loss_scale", "graph", 1),
    ("shifted_labels", "graph", 1),
]
CASES = list(itertools.product(ALL, ("graph", "pynative"), range(5))) if IS_LONG else FEW
SENTENCES = {
    "log_of_zero": "Log at faults.py:",
    "learning_rate": "updates have grown until",
    "float16": "left the range of float16",
    "bad_image": "Input data contains NaN: 1 of 768 values, in sample ",
}


@pytest.fixture(scope="module")
def dashboard(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dashboard]:
    with Dashboard.start(tmp_path_factory.mktemp("faults")) as started:
        yield started


@pytest.mark.parametrize(("kind", "mode", "seed"), CASES)
def test_what_was_planted_is_found(dashboard: Dashboard, visit: Visits, kind: str, mode: str, seed: int) -> None:
    page = visit(dashboard, "/debugger")
    with training(dashboard, "faulty", kind, str(seed), mode):
        open_paused(page)
        if kind in WALKS:
            for step in (1, 2):
                go_on(page, "F10")
                expect(control(page)).to_contain_text(f"step {step}")
                expect(control(page)).to_contain_text("after the steps")
            WALKS[kind](page)
        else:
            page.get_by_role("button", name="Arm ").click()
            expect(page.get_by_text("checked 0 times").first).to_be_visible()
            go_on(page)
            if kind in SENTENCES:
                read_the_cause(page, SENTENCES[kind])
            else:
                read_the_hits(page, plant(kind, seed).culprits)


def read_the_cause(page: Page, sentence: str) -> None:
    """Continues until the card is there; a condition that is true before numbers are lost pauses too."""
    bar, cause = control(page), page.get_by_role("region", name="Cause")
    for _ in range(20):
        expect(bar).to_contain_text("Paused", timeout=30_000)
        if cause.is_visible():
            break
        go_on(page)
    expect(cause).to_contain_text(sentence)


def read_the_hits(page: Page, culprits: tuple[str, ...]) -> None:
    """Reads the names of what was hit."""
    titles = page.get_by_role("region", name="Hits").locator(".hit .mono[title]")
    expect(titles.first).to_be_visible(timeout=30_000)
    found = [item.get_attribute("title") or "" for item in titles.all()]
    assert any(culprit in name for culprit in culprits for name in found), found


def walk_to_the_axis(page: Page) -> None:
    """Of a softmax that is chosen among the activations, columns add up to one instead of rows; `axis` says why."""
    panel = choose(page, "Softmax", "activation")
    shown = values(page, panel)
    np.testing.assert_allclose(shown.sum(axis=0), 1, rtol=1e-5)
    assert not np.allclose(shown.sum(axis=1), 1, rtol=1e-4)
    assert fact(panel, "axis") == "(0,)"
    # Its input leads on, to what says which dimension is which.
    panel.get_by_text("Inputs", exact=True).locator("xpath=..").get_by_role("button").first.click()
    expect(panel.get_by_text(f"[{', '.join(map(str, shown.shape))}]")).to_be_visible()


def walk_to_the_scale(page: Page) -> None:
    """A weight moves by half of its size and more; the optimizer reads a product with the factor."""
    panel = choose(page, "weight", "weight")
    weight = values(page, panel)
    panel.get_by_role("radio", name="Difference").click()
    expect(panel.get_by_text(" outside")).to_be_visible()
    panel.get_by_role("radio", name="Previous").click()
    before = values(page, panel)
    assert np.abs(weight - before).mean() > 0.5 * np.abs(before).mean()
    panel.get_by_role("radio", name="Current").click()
    choose(page, "ApplyMomentum")
    panel.get_by_role("button", name="Default/Mul-op0").click()
    expect(panel.get_by_text("Mul-op0").first).to_be_visible()
    assert fact(panel, "y") == "4096.0"
    scaled = values(page, panel)
    # What it multiplies is a gradient of a usual size.
    panel.get_by_text("Inputs", exact=True).locator("xpath=..").get_by_role("button").first.click()
    expect(panel.get_by_text("Mul-op0", exact=True)).to_have_count(0)
    np.testing.assert_allclose(scaled, 4096 * values(page, panel), rtol=1e-5)


def walk_to_the_labels(page: Page) -> None:
    """Row by row, the number of a picture's bar is not the label that came with it, but that of its neighbour."""
    labels = values(page, choose(page, "label", "input"))
    panel = choose(page, "data", "input")
    slices = panel.get_by_label("Slice", exact=True)
    shown = []
    rows = 10
    for row in range(rows):
        slices.fill(f"[{row}, 0, :, :]")
        slices.press("Enter")
        expect(panel.get_by_role("link", name=".npy")).to_have_attribute("href", re.compile(rf"slice=%5B{row}%2C"))
        shown.append((int(values(page, panel).mean(axis=1).argmax()) - 1) // 2)
    assert shown != labels[:rows].tolist()
    assert shown[:-1] == labels[1:rows].tolist()


WALKS = {"wrong_axis": walk_to_the_axis, "loss_scale": walk_to_the_scale, "shifted_labels": walk_to_the_labels}


def test_a_cause_stays(dashboard: Dashboard, visit: Visits) -> None:
    """It is one press away after a step, after a reload and in the hits, and a session that is over opens on it."""
    page = visit(dashboard, "/debugger")
    with training(dashboard, "faulty", "log_of_zero", "2", "graph"):
        open_paused(page)
        page.get_by_role("button", name="Arm ").click()
        expect(page.get_by_text("checked 0 times").first).to_be_visible()
        go_on(page)
        read_the_cause(page, SENTENCES["log_of_zero"])
        card = page.get_by_role("region", name="Cause")
        expect(page.get_by_role("button", name="Cause at step")).to_have_count(1)
        go_on(page, "F10")
        page.get_by_role("button", name="Cause at step").last.click()
        expect(card).to_contain_text(SENTENCES["log_of_zero"])
        page.reload()
        expect(card).to_contain_text(SENTENCES["log_of_zero"])
        page.get_by_role("button", name="Stop or detach").click()
        page.get_by_role("menuitem", name="Detach").click()
        expect(page.get_by_text("The debugger was detached")).to_be_visible()
    page.goto(page.url.split("&")[0])
    expect(card).to_contain_text(SENTENCES["log_of_zero"])
