"""The data of a page is requested before its code runs, and only once."""

from __future__ import annotations

from urllib.parse import parse_qs

import pytest
from playwright.sync_api import expect

from tests.dashboard import Dashboard

from .pages import card
from .visits import Visits

ASKED = "() => performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname)"
QUESTIONS = """() => performance.getEntriesByType('resource').map(({ name, initiatorType }) => {
  const { pathname, search } = new URL(name)
  return [initiatorType, pathname, search]
})"""
# The shell itself writes whole addresses.
AHEAD = """() => [...document.querySelectorAll('link[rel=modulepreload]')].map((link) => link.getAttribute('href'))
  .filter((href) => href.startsWith('./'))
  .map((href) => new URL(href, document.baseURI).pathname)"""


@pytest.mark.parametrize(("query", "series"), [("", "?standard=true"), ("?runs=all", "")])
def test_code_and_data_are_asked_for_ahead(showroom: Dashboard, visit: Visits, query: str, series: str) -> None:
    page = visit(showroom, f"/scalars{query}")
    expect(card(page, "loss/train").locator("canvas").first).to_be_visible()
    asked: list[str] = page.evaluate(ASKED)
    code = [path for path in asked if path.startswith("/assets/") and path.endswith(".js")]
    assert {path for path in code if not path.startswith("/assets/index-")} <= set(page.evaluate(AHEAD))
    assert len(set(code)) == len(code)
    # A preload that no request matches would be asked for a second time.
    assert [path for path in asked if path == "/api/runs"] == ["/api/runs"]
    index = [(kind, search) for kind, path, search in page.evaluate(QUESTIONS) if path == "/api/scalars/series"]
    assert index[0] == ("link", series)
    assert ("fetch", series) not in index


def test_the_first_card_finds_its_points_on_their_way(showroom: Dashboard, visit: Visits) -> None:
    page = visit(showroom, "/scalars")
    expect(card(page, "loss/train").locator("canvas").first).to_be_visible()
    expect(page.get_by_role("listbox").get_by_role("option").first).to_be_visible()
    searches: list[str] = [search for _, path, search in page.evaluate(QUESTIONS) if path == "/api/scalars/points"]
    asked = [number for search in searches for number in parse_qs(search[1:])["series"][0].split(",")]
    # What was asked for ahead is not asked for once more by the card, for its own width.
    assert asked
    assert len(set(asked)) == len(asked)
