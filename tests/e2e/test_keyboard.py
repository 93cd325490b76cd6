"""A tour without a mouse."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.dashboard import Dashboard

from .pages import card, newest_step, row, tag_filter, wait_until_drawn
from .visits import Visits

# A shadow, because only that follows round corners; in a list it is around the row that the keys act on, and in a
# compound field around the field.
RING = """() => {
  const element = document.activeElement
  const row = document.getElementById(element.getAttribute('aria-activedescendant') ?? '')
  const places = [element, element.closest('.field'), row, row?.querySelector('td')]
  return places.some((place) => place && getComputedStyle(place).boxShadow !== 'none')
}"""


def focused(page: Page) -> str:
    return str(page.evaluate("document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent"))


def test_every_page_is_reached_and_explained(showroom: Dashboard, visit: Visits) -> None:
    page = visit(showroom, "/runs")
    expect(row(page, "lenet/adam")).to_be_visible()
    page.keyboard.press("?")
    sheet = page.get_by_role("dialog", name="Keyboard shortcuts")
    expect(sheet).to_contain_text("Go to Scalars")
    page.keyboard.press("Escape")
    expect(sheet).to_have_count(0)
    page.keyboard.press("g")
    page.keyboard.press("s")
    expect(card(page, "loss/train")).to_be_visible()
    page.keyboard.press("g")
    page.keyboard.press("r")
    expect(row(page, "lenet/adam")).to_be_visible()


def test_runs_are_searched_opened_and_hidden(showroom: Dashboard, visit: Visits) -> None:
    page = visit(showroom, "/runs")
    expect(row(page, "lenet/adam")).to_be_visible()
    page.keyboard.press("/")
    page.keyboard.type("lenet")
    expect(row(page, "diverged")).to_have_count(0)
    # Closes what completes the query, then empties the field.
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    expect(row(page, "diverged")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("k")
    first = page.locator("table.runs tbody tr").first
    expect(first).to_have_class("active")
    page.keyboard.press("Space")
    expect(page.get_by_role("main").get_by_role("button", name="Show all")).to_be_visible()
    page.keyboard.press("Space")
    expect(page.get_by_role("main").get_by_role("button", name="Show all")).to_have_count(0)
    page.keyboard.press("Enter")
    expect(page.get_by_role("complementary", name="Run ")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("complementary", name="Run ")).to_have_count(0)


def test_tags_are_filtered_and_the_cursor_walks(showroom: Dashboard, visit: Visits) -> None:
    page = visit(showroom, "/scalars")
    expect(card(page, "loss/train")).to_be_visible()
    page.keyboard.press("/")
    expect(tag_filter(page)).to_be_focused()
    page.keyboard.type("loss/val")
    expect(card(page, "loss/train")).to_have_count(0)
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    expect(card(page, "loss/train")).to_be_visible()
    cursor = newest_step(page)
    expect(cursor).to_be_visible()
    page.keyboard.press("Home")
    expect(cursor).to_have_attribute("aria-valuenow", "1")
    page.keyboard.press("ArrowRight")
    expect(cursor).to_have_attribute("aria-valuenow", "2")
    page.keyboard.press("Shift+ArrowRight")
    expect(cursor).to_have_attribute("aria-valuenow", "12")
    page.keyboard.press("ArrowLeft")
    expect(cursor).to_have_attribute("aria-valuenow", "11")
    page.keyboard.press("End")
    expect(cursor).to_have_attribute("aria-valuetext", "step 300, following the newest")
    page.keyboard.press("j")
    page.keyboard.press("Space")
    expect(page.get_by_text("4 of 5 shown")).to_be_visible()


def test_a_chart_is_read_without_a_mouse(showroom: Dashboard, visit: Visits) -> None:
    page = visit(showroom, "/scalars?smooth=0")
    chart = card(page, "loss/train").get_by_role("slider")
    expect(chart).to_have_attribute("aria-valuemax", "300")
    chart.focus()
    page.keyboard.press("Home")
    expect(chart).to_have_attribute("aria-valuenow", "1")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(chart).to_have_attribute("aria-valuenow", "4")
    expect(chart).to_have_attribute("aria-valuetext", re.compile("diverged NaN"))
    page.keyboard.press("t")
    table = card(page, "loss/train").get_by_role("table")
    expect(table).to_contain_text("✕ NaN")


def test_the_skip_link_comes_first_and_skips(showroom: Dashboard, visit: Visits) -> None:
    page = visit(showroom, "/runs")
    wait_until_drawn(page)
    page.keyboard.press("Tab")
    assert focused(page) == "Skip to the page"
    expect(page.get_by_role("link", name="Skip to the page")).to_be_in_viewport()
    page.keyboard.press("Enter")
    expect(page.get_by_role("main")).to_be_focused()


@pytest.mark.parametrize("path", ["/runs", "/scalars", "/settings"])
def test_the_focus_is_always_seen(path: str, showroom: Dashboard, visit: Visits) -> None:
    page = visit(showroom, path)
    wait_until_drawn(page)
    unseen = []
    for _ in range(30):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement === document.body"):
            break
        if not page.evaluate(RING):
            unseen.append(focused(page))
    assert unseen == []
