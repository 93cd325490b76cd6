"""How tests find things on the page of graphs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from urllib.parse import parse_qs, quote, urlsplit

from playwright.sync_api import Locator, Page

from tests.dashboard import Dashboard

DRAWN = "main [role=application][data-settled]"


def analysed(dashboard: Dashboard, graph: str) -> bool:
    """Whether a graph can be drawn or is finally refused; requests its analysis."""
    return dashboard.get(f"/api/graphs/inside?graph={quote(graph, safe='')}")[0] != 202


def tree(page: Page) -> Locator:
    """The outline."""
    return page.get_by_role("tree", name="Outline of the graph")


def panel(page: Page) -> Locator:
    """The details at the right."""
    return page.get_by_role("complementary", name="Details of the graph")


def hits(page: Page) -> Locator:
    """The list of search results."""
    return page.get_by_role("listbox", name="Boxes and nodes that match")


def query(page: Page) -> dict[str, list[str]]:
    """The page's state, as its address has it."""
    return parse_qs(urlsplit(page.url).query)


def until(page: Page, right: Callable[[dict[str, list[str]]], bool]) -> None:
    """Waits until the address has the expected parameters; a missing one is an empty list.

    On its way there the address may change for another reason, such as a box that is chosen.
    """
    page.wait_for_url(lambda url: right(defaultdict(list, parse_qs(urlsplit(url).query))), wait_until="commit")


def boxes_drawn(page: Page) -> int:
    """How many boxes the drawing has, once nothing moves."""
    return int(page.locator(DRAWN).get_attribute("data-boxes") or 0)


def selected_at(page: Page) -> tuple[int, int, int, int]:
    """Where the selected box is on the canvas, once nothing moves: left, top, width, height."""
    told = page.locator(f"{DRAWN}[data-selected]").get_attribute("data-selected") or ""
    left, top, width, height = map(int, told.split())
    return left, top, width, height
