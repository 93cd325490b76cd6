"""A restarted run is one run with one curve; repeated steps can be distinguished."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, Page, expect

from tests.dashboard import wait_until

from .conftest import StartDashboard
from .pages import canvas, card, row
from .training import write_run
from .visits import Visits

BEFORE = "before the restart at step 51"


def point_at(page: Page, tag: str, step: float, last: float, from_foot: float = 60) -> None:
    """Puts the pointer at a step of a chart that shows steps 0 to `last`."""
    box = card(page, tag).locator(".u-over").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] * step / last, box["y"] + box["height"] - from_foot)


def value_row(page: Page, run: str) -> Locator:
    """A run's row in the table below the large chart."""
    return card(page, "loss").get_by_role("row").filter(has=page.get_by_text(run, exact=True))


def test_a_restarted_run_is_one_curve_and_says_what_is_older(start_dashboard: StartDashboard, visit: Visits) -> None:
    dashboard = start_dashboard()
    write_run(dashboard.base_directory / "again", {"loss": [9.0] * 101}, first=0)
    write_run(dashboard.base_directory / "again", {"loss": [4.0] * 50}, first=51)
    page = visit(dashboard, "/scalars?y=linear")
    expect(value_row(page, "again")).to_contain_text("4")
    expect(card(page, "loss").get_by_role("row")).to_have_count(2)

    point_at(page, "loss", 20, 100)
    expect(value_row(page, "again")).to_contain_text(BEFORE)
    expect(value_row(page, "again")).to_contain_text("9")
    point_at(page, "loss", 70, 100)
    expect(value_row(page, "again")).not_to_contain_text(BEFORE)
    point_at(page, "loss", 51, 100, from_foot=4)
    expect(page.get_by_text("again: restarted at step 51", exact=True)).to_be_visible()

    with_older = canvas(page, "loss")
    page.get_by_role("checkbox", name="Show superseded").uncheck()
    expect(page).to_have_url(re.compile("superseded=hide"))
    point_at(page, "loss", 20, 100)
    expect(value_row(page, "again")).not_to_contain_text(BEFORE)
    wait_until(lambda: canvas(page, "loss") != with_older, 10, "a chart without what is older")


def test_the_list_of_runs_tells_the_newest_segment(start_dashboard: StartDashboard, visit: Visits) -> None:
    dashboard = start_dashboard()
    write_run(dashboard.base_directory / "again", {"loss": [9.0] * 101}, first=0)
    write_run(dashboard.base_directory / "again", {"loss": [4.0] * 30}, first=51)
    page = visit(dashboard, "/runs")
    expect(row(page, "again").locator(".c-last")).to_have_text("4")
    row(page, "again").click()
    details = page.get_by_role("complementary", name="Run again")
    expect(details.get_by_text("restarted once")).to_be_visible()
    expect(details.get_by_role("listitem")).to_contain_text(
        [re.compile(r"steps 51 . 80"), re.compile(r"steps 0 . 100")]
    )


def test_a_file_that_goes_on_is_no_restart(start_dashboard: StartDashboard, visit: Visits) -> None:
    dashboard = start_dashboard()
    write_run(dashboard.base_directory / "on", {"loss": [9.0] * 50}, first=0)
    write_run(dashboard.base_directory / "on", {"loss": [4.0] * 50}, first=50)
    page = visit(dashboard, "/scalars")
    expect(value_row(page, "on")).to_contain_text("4")
    point_at(page, "loss", 20, 99)
    expect(value_row(page, "on")).to_contain_text("9")
    expect(page.get_by_role("checkbox", name="Show superseded")).to_have_count(0)
