"""What a training writes is on the page without a reload."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, WebSocketRoute, expect

from tests.dashboard import Dashboard, wait_until

from .conftest import StartDashboard, StartTraining
from .pages import canvas, newest_step, row
from .training import value_of
from .visits import Visits


@pytest.mark.smoke
def test_a_curve_grows_while_somebody_looks(
    start_dashboard: StartDashboard, start_training: StartTraining, visit: Visits
) -> None:
    dashboard = start_dashboard()
    training = start_training(dashboard.base_directory / "lenet", "loss")
    training.write(50)
    page = visit(dashboard, "/scalars")
    wait_until_painted(page, 50)
    page.evaluate("window.same = true")
    before = canvas(page, "loss")
    training.write(50)
    wait_until_painted(page, 100)
    expect(newest_step(page)).to_have_attribute("aria-valuenow", "100")
    assert canvas(page, "loss") != before
    assert page.evaluate("window.same"), "the page was loaded again"


def test_a_zoomed_view_stays_where_it_is_until_it_is_told_to_follow(
    start_dashboard: StartDashboard, start_training: StartTraining, visit: Visits
) -> None:
    dashboard = start_dashboard()
    training = start_training(dashboard.base_directory / "lenet", "loss")
    training.write(50)
    page = visit(dashboard, "/scalars?smooth=0&range=10~40")
    wait_until_painted(page, 50)
    before = canvas(page, "loss")
    training.write(50)
    wait_until_painted(page, 100)
    expect(newest_step(page)).to_have_attribute("aria-valuenow", "100")
    assert canvas(page, "loss") == before
    page.get_by_role("button", name="Follow newest").first.click()
    expect(page).to_have_url(re.compile("range=70~100(>|%3E)"))
    assert canvas(page, "loss") != before


def test_a_run_appears_on_an_open_page(
    start_dashboard: StartDashboard, start_training: StartTraining, visit: Visits
) -> None:
    dashboard = start_dashboard()
    start_training(dashboard.base_directory / "first").write(5)
    page = visit(dashboard, "/runs")
    expect(row(page, "first")).to_be_visible()
    second = start_training(dashboard.base_directory / "deeper" / "second")
    second.write(5)
    expect(row(page, "deeper/second")).to_contain_text("running", timeout=3000)
    second.finish()
    expect(row(page, "deeper/second")).to_contain_text("finished", timeout=5000)


def test_a_new_tag_gets_its_chart(
    start_dashboard: StartDashboard, start_training: StartTraining, visit: Visits
) -> None:
    dashboard = start_dashboard()
    start_training(dashboard.base_directory / "one", "loss").write(5)
    page = visit(dashboard, "/scalars")
    expect(page.get_by_role("region", name="loss", exact=True)).to_be_visible()
    start_training(dashboard.base_directory / "two", "accuracy").write(5)
    expect(page.get_by_role("region", name="accuracy", exact=True)).to_be_visible()


def test_what_happens_between_the_first_answers_and_the_open_socket_is_not_missed(
    start_dashboard: StartDashboard, start_training: StartTraining, visit: Visits
) -> None:
    dashboard = start_dashboard()
    training = start_training(dashboard.base_directory / "run")
    training.write(5)
    wait_until(lambda: seen_by_the_server(dashboard) == 5, 10, "the first points")
    page = visit.window(dashboard)
    waiting: list[WebSocketRoute] = []
    page.route_web_socket("**/ws/live", lambda socket: waiting.append(socket))
    page.goto(dashboard.address + "/runs")
    row(page, "run").click()
    details = page.get_by_role("complementary", name="Run run")
    expect(details.locator("dl.values")).to_contain_text(f"{value_of('loss', 5):.4g}")
    training.write(5)
    wait_until(lambda: seen_by_the_server(dashboard) == 10, 10, "the next points")
    waiting[0].connect_to_server()
    expect(details).to_contain_text("step 10")
    expect(details.locator("dl.values")).to_contain_text(f"{value_of('loss', 10):.4g}")


def seen_by_the_server(dashboard: Dashboard) -> int:
    """The last step in the rows that pages are shown."""
    return max((run["last_step"] or 0 for run in dashboard.get_json("/api/runs")["results"]), default=0)


def wait_until_painted(page: Page, step: int) -> None:
    # Not Playwright's wait_for_function: it evaluates text in the page, which the page's policy forbids.
    wait_until(lambda: page.evaluate(f"Object.values(window.painted).includes({step})"), 20, f"painting step {step}")
