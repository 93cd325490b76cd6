"""A learning rate that is changed on the debugger's page, marked where the curves show what came of it."""

from __future__ import annotations

import os
import re

from playwright.sync_api import expect

from .conftest import StartDashboard
from .debugger_page import control, go_on, open_paused, training
from .visits import Visits

STEPS = 30
CHANGE = re.compile(rf"lenet: learning_rate 0\.1 → 0\.01 after step {STEPS}\b")


def test_a_change_of_the_learning_rate_is_marked_on_the_charts(start_dashboard: StartDashboard, visit: Visits) -> None:
    dashboard = start_dashboard()
    page, charts = visit(dashboard, "/debugger"), visit(dashboard, f"/scalars?range=0~{2 * STEPS}")
    with training(dashboard, "recorded", os.fspath(dashboard.base_directory / "lenet")):
        bar = open_paused(page)
        page.get_by_label("Steps per press").fill(str(STEPS))
        page.keyboard.press("F10")
        expect(bar).to_contain_text(f"step {STEPS}")
        page.get_by_label("Learning rate").fill("0.01")
        # The key counts behind what was written.
        go_on(page)
        expect(page.get_by_text(re.compile(r"Learning rate: 0\.1\d* → 0\.01"))).to_be_visible()
        expect(control(page)).to_contain_text("Running")

        # The page that was open all the while, and nothing was pressed there.
        chart = charts.get_by_role("figure", name="loss")
        expect(chart).to_contain_text(CHANGE, timeout=30_000)
        # A change is no restart.
        expect(chart).not_to_contain_text("restarted")
        go_on(page)
        expect(control(page)).to_contain_text("Paused")

        # At its foot the pointer reads it.
        charts.bring_to_front()
        box = chart.locator(".u-over").bounding_box()
        assert box is not None
        charts.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] - 5)
        expect(chart.locator(".tip")).to_have_text(CHANGE)
    # So does the tile of the run's own page.
    charts.goto(f"{dashboard.address}/overview")
    expect(charts.get_by_role("figure", name="loss").first).to_contain_text(CHANGE)
