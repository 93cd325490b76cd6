"""No page is wider than its window: the first page and a run's details. `test_shell.py` measures all the others."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.dashboard import Dashboard

from .conftest import StartDashboard
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
    assert tall == bar.evaluate("(bar) => parseFloat(getComputedStyle(bar).minHeight)")
    # The field takes the room that is left.
    assert bar.evaluate("(bar) => bar.querySelector('.filter ~ .grow').getBoundingClientRect().width") < 2
    assert overflow(page) == 0
