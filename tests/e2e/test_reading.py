"""A long back-log shows its progress, and nothing on the page moves meanwhile."""

from __future__ import annotations

import json
from typing import Any

from playwright.sync_api import Page, WebSocketRoute, expect

from tests.dashboard import Dashboard

from .conftest import StartDashboard
from .pages import card, row
from .training import falling, write_run
from .visits import Visits

BEHIND = {"bytes": 50_000_000_000, "bytes_read": 30_900_000_000}
READING = {"events_per_second": 3_200_000.0, "seconds_left": 11.5}


class Feed:
    """The server's side of a page's socket, with the real rows of runs.

    Args:
        page: the page, before it is opened.
        dashboard: whose rows they are.
    """

    def __init__(self, page: Page, dashboard: Dashboard) -> None:
        self._rows: list[dict[str, Any]] = dashboard.get_json("/api/runs")["results"]
        self._sockets: list[WebSocketRoute] = []
        page.route_web_socket("**/ws/live", self._greet)

    def tell(self, **changes: Any) -> None:
        """Says that all runs have changed so."""
        runs = [one | changes for one in self._rows]
        message = {"type": "runs", "complete": False, "runs": runs, "removed": [], "series": []}
        self._sockets[-1].send(json.dumps(message))

    def _greet(self, socket: WebSocketRoute) -> None:
        self._sockets.append(socket)
        socket.on_message(lambda _: None)
        socket.send(json.dumps({"type": "hello", "protocol": 2, "version": "", "store": "s", "now": 0, "limits": {}}))


def places(page: Page) -> list[Any]:
    """The positions of everything that must not move."""
    return list(
        page.evaluate(
            "[...document.querySelectorAll('tr, .li, .card, .toolbar, .sentence, .lead')].map((one) => {"
            " const { x, y, width, height } = one.getBoundingClientRect(); return [x, y, width, height] })"
        )
    )


def settled(page: Page) -> list[Any]:
    """The same, once nothing moves any more."""
    before, now = None, places(page)
    while before != now:
        page.wait_for_timeout(200)
        before, now = now, places(page)
    return now


def test_the_progress_is_told_without_moving_anything(start_dashboard: StartDashboard, visit: Visits) -> None:
    dashboard = start_dashboard()
    write_run(dashboard.base_directory / "large", {"loss": falling(30)})
    page = visit.window(dashboard)
    page.goto(dashboard.address + "/runs")
    expect(row(page, "large")).to_contain_text("30")
    feed = Feed(page, dashboard)
    page.goto(dashboard.address + "/runs")
    row(page, "large").click()
    details = page.get_by_role("complementary", name="Run large")
    expect(details).to_be_visible()
    expect(page.locator(".strip .live")).to_contain_text("live")
    before = settled(page)

    feed.tell(**BEHIND, reading=READING)

    text = "61 % of 50 GB read, 3.20M events/s, 12 s left"
    expect(details).to_contain_text(text)
    expect(row(page, "large")).to_contain_text(text)
    bars = page.get_by_role("progressbar")
    expect(bars).to_have_count(3)
    expect(bars.last).to_have_attribute("aria-valuetext", text)
    assert places(page) == before
    feed.tell(reading=None)
    expect(bars).to_have_count(0)
    assert places(page) == before


def test_the_charts_say_that_runs_are_still_read(start_dashboard: StartDashboard, visit: Visits) -> None:
    dashboard = start_dashboard()
    write_run(dashboard.base_directory / "large", {"loss": falling(30)})
    page = visit.window(dashboard)
    page.goto(dashboard.address + "/scalars")
    expect(card(page, "loss")).to_be_visible()
    feed = Feed(page, dashboard)
    page.goto(dashboard.address + "/scalars")
    expect(card(page, "loss")).to_be_visible()
    expect(page.locator(".strip .live")).to_contain_text("live")
    before = settled(page)
    feed.tell(**BEHIND, reading=READING)
    expect(page.get_by_text("Reading 1 run: 61 %, about 12 s left")).to_be_visible()
    assert places(page) == before
