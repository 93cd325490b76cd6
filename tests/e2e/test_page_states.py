"""What a page shows while there is nothing, not yet, no longer or nothing that matches."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Route, WebSocketRoute, expect

from tests.dashboard import Dashboard

from .conftest import StartDashboard, StartTraining
from .pages import card, row, tag_filter
from .visits import Troubles, Visits


def test_an_empty_dashboard_tells_what_to_run_and_fills_by_itself(
    start_dashboard: StartDashboard, start_training: StartTraining, visit: Visits
) -> None:
    dashboard = start_dashboard()
    page = visit(dashboard)
    expect(page.get_by_role("heading", name="No runs yet")).to_be_visible()
    code = page.get_by_label("Code to copy")
    expect(code).to_contain_text("SummaryCollector")
    expect(code).to_contain_text(str(dashboard.base_directory / "first_run"))
    page.get_by_role("radio", name="Any Python").click()
    expect(code).to_contain_text("with SummaryWriter(")
    expect(page.get_by_text("Watching")).to_be_visible()
    charts = visit(dashboard, "/scalars")
    expect(charts.get_by_text("No runs yet")).to_be_visible()
    page.evaluate("window.same = true")

    start_training(dashboard.base_directory / "first_run").write(20)

    expect(row(page, "first_run")).to_contain_text("20")
    expect(card(charts, "loss")).to_be_visible()
    assert page.evaluate("window.same"), "the page was loaded again"


@pytest.mark.parametrize(
    ("path", "title"), [("/runs", "The list of runs cannot be read"), ("/scalars", "The charts cannot be loaded")]
)
def test_an_error_says_so_and_can_be_tried_again(
    path: str, title: str, showroom: Dashboard, visit: Visits, troubles: Troubles
) -> None:
    troubles.expect("500")
    page = visit.window(showroom)
    silence(page)
    page.route("**/api/runs**", fail)
    page.goto(showroom.address + path)
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text(title)
    expect(alert).to_contain_text("disk_on_fire")
    page.unroute("**/api/runs**")
    alert.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("alert")).to_have_count(0)
    expect(page.get_by_text("lenet/adam", exact=True).first).to_be_visible()


@pytest.mark.parametrize("path", ["/runs", "/scalars"])
def test_a_slow_answer_shows_the_shape_of_what_comes(path: str, showroom: Dashboard, visit: Visits) -> None:
    page = visit.window(showroom)
    silence(page)
    waiting: list[Route] = []
    held = True
    page.route("**/api/runs**", lambda route: waiting.append(route) if held else route.continue_())
    page.goto(showroom.address + path)
    expect(page.locator("[aria-busy=true] .sk").first).to_be_visible()
    # From now on nothing waits, nor does what the page asks for while these are answered.
    held = False
    for route in waiting:
        route.continue_()
    expect(page.get_by_text("lenet/adam", exact=True).first).to_be_visible()
    expect(page.locator("[aria-busy=true]")).to_have_count(0)


def test_no_run_matches(showroom: Dashboard, visit: Visits) -> None:
    page = visit(showroom, "/runs")
    page.get_by_role("combobox", name="Find runs by name or query").fill("xyzzy")
    expect(page.get_by_text("No run matches “xyzzy”")).to_be_visible()
    page.get_by_role("button", name="Clear the search").click()
    expect(row(page, "lenet/adam")).to_be_visible()


def test_no_tag_matches_but_some_are_close(showroom: Dashboard, visit: Visits) -> None:
    page = visit(showroom, "/scalars")
    tag_filter(page).fill("acuracy")
    expect(page.get_by_text("No tag matches “acuracy”")).to_be_visible()
    page.get_by_role("button", name="accuracy", exact=True).click()
    expect(card(page, "accuracy")).to_be_visible()
    expect(card(page, "loss/train")).to_have_count(0)


def test_all_runs_hidden(showroom: Dashboard, visit: Visits) -> None:
    page = visit(showroom, "/scalars?runs=none")
    expect(page.get_by_text("All 5 runs are hidden")).to_be_visible()
    page.get_by_role("button", name="Show all").click()
    expect(card(page, "loss/train")).to_be_visible()


def test_an_unknown_address_leads_back(showroom: Dashboard, visit: Visits) -> None:
    page = visit(showroom, "/nowhere/at/all")
    expect(page.get_by_text("There is no page at this address")).to_be_visible()
    page.get_by_role("link", name="Go to Runs").click()
    expect(row(page, "lenet/adam")).to_be_visible()


def fail(route: Route) -> None:
    body = {"code": "disk_on_fire", "message": "The disk is on fire.", "detail": {}}
    route.fulfill(status=500, json=body)


def silence(page: Page) -> None:
    """Opens the live channel but passes no messages, so that the page learns about runs only by HTTP."""
    swallow: Callable[[WebSocketRoute], None] = lambda socket: socket.on_message(lambda message: None)  # noqa: E731
    page.route_web_socket("**/ws/live", swallow)
