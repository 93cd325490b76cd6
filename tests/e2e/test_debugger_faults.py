"""Planted faults, looked for on the debugger's page as a person does: arm what is recommended, go on, read."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.dashboard import Dashboard
from tests.framework.debugger.faults import FINITE_LOST, SHOWN_BY_WATCHPOINTS, plant

from .visits import Visits

ROOT = Path(__file__).resolve().parents[2]
IS_LONG = os.environ.get("MINDINSIGHT_TEST_COUNTS") == "long"
KINDS, MODES = (*FINITE_LOST, *SHOWN_BY_WATCHPOINTS), ("graph", "pynative")
CASES = list(itertools.product(KINDS, MODES, range(5) if IS_LONG else range(1)))
FEW = [("log_of_zero", "graph", 2), ("bad_image", "pynative", 3), ("dead_relu", "graph", 1)]
SENTENCES = {
    "log_of_zero": "Log at faults.py:",
    "learning_rate": "updates have grown until",
    "float16": "left the range of float16",
    "bad_image": "The data itself is not finite: data came in with",
}


@pytest.fixture(scope="module")
def dashboard(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dashboard]:
    with Dashboard.start(tmp_path_factory.mktemp("faults")) as started:
        yield started


def go_on(page: Page, bar: Locator) -> None:
    """Continues, and waits until the page has heard of it: a pause of before would be taken for the next one."""
    before = bar.inner_text()
    page.keyboard.press("F8")
    expect(bar).not_to_have_text(before, use_inner_text=True)


@pytest.mark.parametrize(("kind", "mode", "seed"), CASES if IS_LONG else FEW)
def test_what_was_planted_is_named(dashboard: Dashboard, visit: Visits, kind: str, mode: str, seed: int) -> None:
    page: Page = visit(dashboard, "/debugger")
    module = "tests.mindinsight.debugger.faulty"
    command = [sys.executable, "-m", module, dashboard.address, dashboard.token, kind, str(seed), mode]
    with subprocess.Popen(command, cwd=ROOT, env=dict(os.environ)) as training:
        try:
            bar = page.get_by_role("group", name="Control of the training")
            expect(bar.or_(page.get_by_role("row").filter(has_text="Paused")).first).to_be_visible(timeout=60_000)
            if not bar.is_visible():
                page.get_by_role("row").filter(has_text="Paused").get_by_role("link").first.click()
            expect(bar).to_contain_text("Paused")
            page.get_by_role("button", name="Arm ").click()
            expect(page.get_by_text("seen 0").first).to_be_visible()
            go_on(page, bar)
            if kind in SENTENCES:
                cause = page.get_by_role("region", name="Cause")
                for _ in range(20):
                    # What a condition sees before numbers are lost pauses too.
                    expect(bar).to_contain_text("Paused", timeout=30_000)
                    if cause.is_visible():
                        break
                    go_on(page, bar)
                expect(cause).to_contain_text(SENTENCES[kind])
            else:
                hits = page.get_by_role("region", name="Hits")
                titles = hits.locator(".hit .mono[title]")
                expect(titles.first).to_be_visible(timeout=30_000)
                found = [item.get_attribute("title") or "" for item in titles.all()]
                culprits = plant(kind, seed).culprits
                assert any(culprit in name for culprit in culprits for name in found)
        finally:
            training.kill()
