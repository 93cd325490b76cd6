"""A full disk of the workspace is said on every page, in both languages, and the sentence goes by itself."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.dashboard import Dashboard, wait_until
from tests.small_disk import SmallDisk

from .conftest import StartDashboard, StartTraining
from .pages import newest_step, points
from .training import value_of
from .visits import Troubles, Visits

PAGES = ("/runs", "/scalars", "/graph", "/lineage", "/settings", "/no-such-page")


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[SmallDisk]:
    """A disk of 24 MiB."""
    with SmallDisk(tmp_path / "disk", 24) as made:
        yield made


@pytest.fixture
def dashboard(start_dashboard: StartDashboard, disk: SmallDisk) -> Dashboard:
    """A dashboard whose workspace is on that disk."""
    return start_dashboard(workspace=disk.path / "workspace", disk=disk)


def test_a_full_disk_is_said_until_there_is_room_again(
    dashboard: Dashboard, disk: SmallDisk, start_training: StartTraining, visit: Visits
) -> None:
    training = start_training(dashboard.base_directory / "run")
    training.write(30)
    page = visit(dashboard, "/scalars")
    expect(newest_step(page)).to_have_attribute("aria-valuenow", "30")
    notice = page.locator(".health .notice")
    expect(notice).to_have_count(0)

    disk.fill()
    training.write(30)
    expect(notice).to_contain_text("A disk is full.")
    expect(notice).to_contain_text(str(disk.path))
    expect(page.locator(".health [role=status]").last).to_have_text("A disk is full.")

    disk.empty()
    expect(notice).to_have_count(0)
    expect(newest_step(page)).to_have_attribute("aria-valuenow", "60", timeout=20_000)
    assert points(dashboard, "run", "loss") == [(step, value_of("loss", step)) for step in range(1, 61)]


@pytest.mark.parametrize(("language", "words"), [("en", "A disk is full."), ("zh-CN", "磁盘已满")])
def test_every_page_says_it(
    dashboard: Dashboard, disk: SmallDisk, start_training: StartTraining, visit: Visits, language: str, words: str
) -> None:
    start_training(dashboard.base_directory / "run").write(10)
    disk.fill()
    wait_until(lambda: dashboard.get_json("/api/status")["disk"], 20, "a full disk")
    page = visit(dashboard, "/runs", locale=language)
    for address in PAGES:
        page.goto(dashboard.address + address)
        expect(page.locator(".health .notice")).to_contain_text(words)


def test_a_view_that_cannot_be_saved_says_why(
    dashboard: Dashboard, disk: SmallDisk, start_training: StartTraining, visit: Visits, troubles: Troubles
) -> None:
    troubles.expect(r"507")
    start_training(dashboard.base_directory / "run").write(10)
    page = visit(dashboard, "/scalars")
    expect(newest_step(page)).to_have_attribute("aria-valuenow", "10")
    disk.fill()
    page.get_by_role("button", name="Views").click()
    menu = page.get_by_role("dialog", name="Saved views")
    menu.get_by_role("textbox").fill("mine")
    menu.get_by_role("button", name="Save").click()
    expect(menu.get_by_role("alert")).to_contain_text("is full, so nothing was changed. Make room there")
