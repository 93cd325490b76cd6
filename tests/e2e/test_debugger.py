"""The debugger's page with a real training: found, stopped, moved on, looked into, and gone."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import expect

from .conftest import StartDashboard
from .visits import Visits

ROOT = Path(__file__).resolve().parents[2]


def test_a_training_is_stopped_looked_into_and_killed(start_dashboard: StartDashboard, visit: Visits) -> None:
    dashboard = start_dashboard()
    page = visit(dashboard, "/debugger")
    expect(page.get_by_text("No training is attached")).to_be_visible()
    expect(page.get_by_role("main")).to_contain_text(f'callbacks=[Debugger("{dashboard.address}')

    command = [sys.executable, "-m", "tests.mindinsight.debugger.trained", dashboard.address, dashboard.token]
    with subprocess.Popen(command, cwd=ROOT, env=dict(os.environ)) as training:
        try:
            # The only training that is attached is opened by itself.
            bar = page.get_by_role("group", name="Control of the training")
            expect(bar).to_contain_text("Paused", timeout=60_000)
            nodes = page.get_by_role("grid", name="Nodes")
            expect(nodes.get_by_role("row").nth(3)).to_be_visible()

            page.keyboard.press("F10")
            expect(bar).to_contain_text("step 1")
            expect(bar).to_contain_text("after the steps")
            page.get_by_label("Find nodes").fill("first.weight")
            nodes.get_by_text(re.compile("first.weight")).first.click()
            panel = page.get_by_role("complementary", name="Tensor and session")
            expect(panel.get_by_text("[8, 6]")).to_be_visible()
            expect(panel.locator("canvas").first).to_be_visible()

            page.keyboard.press("Escape")
            page.keyboard.press("F8")
            expect(bar).to_contain_text("Running")
            page.keyboard.press("F8")
            expect(bar).to_contain_text("Paused")
        finally:
            training.kill()
    # A training that was killed is shown as such, with its last state.
    expect(page.get_by_text("This is its last state")).to_be_visible()
    expect(bar).to_contain_text("Lost")
