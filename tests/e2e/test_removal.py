"""A run can be taken away from the dashboard, come back, and go for good; its files go only when that was typed."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Page, expect

from tests.dashboard import Dashboard, wait_until

from .conftest import StartDashboard
from .pages import row
from .training import falling, write_run
from .visits import Visits


def move_to_trash(page: Page, run: str) -> None:
    """Presses the button in the run's details."""
    row(page, run).click()
    page.get_by_role("complementary", name=f"Run {run}").get_by_role("button", name="Move to trash").click()


def files_of(dashboard: Dashboard, run: str) -> list[Path]:
    """The files in a run's folder."""
    return list((dashboard.base_directory / run).glob("*"))


def count(dashboard: Dashboard) -> int:
    return int(dashboard.get_json("/api/runs")["count"])


def test_a_removed_run_comes_back_with_undo(start_dashboard: StartDashboard, visit: Visits) -> None:
    dashboard = start_dashboard()
    for name in ("kept", "gone"):
        write_run(dashboard.base_directory / name, {"loss": falling(30)})
    page = visit(dashboard, "/runs")
    move_to_trash(page, "gone")
    expect(row(page, "gone")).to_have_count(0)
    expect(row(page, "kept")).to_be_visible()
    wait_until(lambda: count(dashboard) == 1, 10, "the removal")
    assert files_of(dashboard, "gone")

    page.get_by_role("button", name="Undo", exact=True).click()
    expect(row(page, "gone")).to_contain_text("30")


def test_event_files_are_deleted_only_when_their_run_is_named(start_dashboard: StartDashboard, visit: Visits) -> None:
    dashboard = start_dashboard(environment={"MINDINSIGHT_TRASH_DAYS": "30"})
    for name in ("gone", "kept"):
        write_run(dashboard.base_directory / name, {"loss": falling(30)})
    (dashboard.base_directory / "gone" / "notes.txt").write_text("mine")
    page = visit(dashboard, "/runs")
    move_to_trash(page, "gone")
    wait_until(lambda: count(dashboard) == 1, 10, "the removal")

    page.get_by_role("main").get_by_role("button", name="Trash").click()
    trash = page.get_by_role("complementary", name="Trash")
    expect(trash).to_contain_text("30 days left")
    trash.get_by_role("button", name="Delete files…").click()
    expect(trash).to_contain_text("This cannot be undone.")
    confirm = trash.get_by_role("button", name="Delete files", exact=True)
    expect(confirm).to_be_disabled()
    page.keyboard.press("Tab")
    trash.get_by_role("textbox").fill("kept")
    expect(confirm).to_be_disabled()
    trash.get_by_role("textbox").fill("gone")
    confirm.click()
    expect(trash).to_contain_text("The trash is empty.")
    wait_until(lambda: [path.name for path in files_of(dashboard, "gone")] == ["notes.txt"], 10, "the deletion")
    assert files_of(dashboard, "kept")


def test_a_run_of_the_trash_can_be_restored_later(start_dashboard: StartDashboard, visit: Visits) -> None:
    dashboard = start_dashboard()
    for name in ("gone", "kept"):
        write_run(dashboard.base_directory / name, {"loss": falling(30)})
    page = visit(dashboard, "/runs")
    for name in ("gone", "kept"):
        expect(row(page, name)).to_be_visible()
    page.keyboard.press("j")
    page.keyboard.press("x")
    page.keyboard.press("j")
    page.keyboard.press("x")
    expect(page.get_by_role("toolbar", name="Selected runs")).to_contain_text("2 selected")
    page.keyboard.press("Delete")
    expect(page.get_by_role("heading", name="No runs yet")).to_be_visible()
    wait_until(lambda: count(dashboard) == 0, 10, "the removal")
    visit(dashboard, "/runs")
    page.get_by_role("button", name="Undo", exact=True).click()
    expect(row(page, "kept")).to_contain_text("30")
    expect(row(page, "gone")).to_contain_text("30")


def test_a_run_that_cannot_be_deleted_stays_in_the_trash_with_the_reason(
    start_dashboard: StartDashboard, visit: Visits
) -> None:
    dashboard = start_dashboard()
    for name in ("gone", "kept"):
        write_run(dashboard.base_directory / name, {"loss": falling(30)})
    page = visit(dashboard, "/runs")
    move_to_trash(page, "gone")
    wait_until(lambda: count(dashboard) == 1, 10, "the removal")
    directory, moved = dashboard.base_directory / "gone", dashboard.workspace / "moved"
    directory.rename(moved)
    directory.symlink_to(moved)

    page.get_by_role("main").get_by_role("button", name="Trash").click()
    trash = page.get_by_role("complementary", name="Trash")
    trash.get_by_role("button", name="Delete files…").click()
    trash.get_by_role("textbox").fill("gone")
    trash.get_by_role("button", name="Delete files", exact=True).click()
    expect(trash).to_contain_text("there is a symbolic link in its path")
    expect(trash).to_contain_text("The event files of 1 run were not deleted.")
    assert list(moved.iterdir())
