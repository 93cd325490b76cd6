"""No page is wider than its window: the first page and a run's details. `test_shell.py` measures all the others."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.dashboard import Dashboard

from .conftest import StartDashboard
from .pages import wait_until_drawn
from .visits import Visits

SIZES = [(1024, 768), (1440, 900)]


def overflow(page: Page) -> int:
    """How many pixels of the document lie beyond the window's right edge."""
    return int(page.evaluate("document.scrollingElement.scrollWidth - document.documentElement.clientWidth"))


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_details_are_not_wider_than_the_window(size: tuple[int, int], showroom: Dashboard, visit: Visits) -> None:
    page = visit(showroom, "/runs", viewport={"width": size[0], "height": size[1]})
    page.locator("table.runs tbody tr[id]").first.click()
    expect(page.locator("aside.insp")).to_be_visible()
    assert overflow(page) == 0


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_the_first_page_is_not_wider_than_the_window(
    size: tuple[int, int], start_dashboard: StartDashboard, visit: Visits
) -> None:
    page = visit(start_dashboard(), viewport={"width": size[0], "height": size[1]})
    expect(page.get_by_role("heading", name="No runs yet")).to_be_visible()
    assert overflow(page) == 0


@pytest.mark.parametrize("language", ["en-US", "zh-CN"])
def test_the_controls_above_the_charts_are_one_line(language: str, showroom: Dashboard, visit: Visits) -> None:
    page = visit(showroom, "/scalars", viewport={"width": 1024, "height": 768}, locale=language)
    bar = page.locator("#main > .toolbar")
    expect(bar.get_by_role("searchbox")).to_be_visible()
    tall: float = bar.evaluate("(bar) => bar.getBoundingClientRect().height")
    assert tall == bar.evaluate("(bar) => parseFloat(getComputedStyle(bar).getPropertyValue('--bar')) * 16")
    assert bar.evaluate("(bar) => bar.scrollWidth - bar.clientWidth") == 0
    assert overflow(page) == 0


SHIFTS = """
window.shifts = [];
new PerformanceObserver((list) => {
  for (const { value, hadRecentInput, sources } of list.getEntries())
    if (!hadRecentInput)
      window.shifts.push([value, ...sources.map(({ node }) => node?.className ?? node?.nodeName ?? 'gone')]);
}).observe({ type: 'layout-shift', buffered: true });
"""
LOADED = (
    "/runs",
    "/scalars",
    "/overview",
    "/distributions",
    "/images",
    "/tensors",
    "/graph",
    "/lineage",
    "/text",
    "/debugger",
    "/settings",
)


@pytest.mark.parametrize("width", [1440, 1024])
def test_pages_do_not_move_while_they_load(width: int, showroom: Dashboard, visit: Visits) -> None:
    moved = {}
    for path in LOADED:
        page = visit(showroom, path, (SHIFTS,), viewport={"width": width, "height": 900})
        wait_until_drawn(page)
        page.wait_for_load_state("networkidle")
        shifts = page.evaluate("window.shifts")
        if sum(value for value, *_ in shifts) >= 0.02:
            moved[path] = shifts
        page.context.close()
    assert moved == {}, moved


@pytest.mark.parametrize("width", [1440, 1024])
def test_the_controls_of_the_charts_stay_where_they_are_while_zooming(
    width: int, showroom: Dashboard, visit: Visits
) -> None:
    page = visit(showroom, "/scalars", viewport={"width": width, "height": 900})
    bar = page.locator("#main > .toolbar")
    expect(page.locator(".card canvas").first).to_be_visible()
    chosen = "'.field, select, .tools .btn'"
    places = f"(bar) => [...bar.querySelectorAll({chosen})].map((one) => one.getBoundingClientRect().x)"
    before = bar.evaluate(places)
    high = bar.evaluate("(bar) => bar.getBoundingClientRect().height")
    page.locator(".card [role=slider]").first.press("+")
    expect(bar.locator(".range")).to_be_visible()
    assert bar.evaluate(places) == before
    assert bar.evaluate("(bar) => bar.getBoundingClientRect().height") == high
    assert overflow(page) == 0
