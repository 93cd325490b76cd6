"""The address carries the view: a reload and a copied link show what was seen, and the back button leads back."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.dashboard import Dashboard

from .pages import card, newest_step, reload, row, tag_filter
from .visits import Visits


@pytest.fixture
def arranged(showroom: Dashboard, visit: Visits) -> Page:
    """The scalars page after a person has changed everything that can be changed."""
    page = visit(showroom, "/scalars")
    tag_filter(page).fill("loss")
    page.get_by_label("x axis").select_option("relative")
    page.get_by_label("y axis").select_option("log")
    page.get_by_label("Smoothing as a number").fill("0.9")
    page.get_by_label("Smoothing as a number").press("Enter")
    page.get_by_role("option").filter(has_text="diverged").click()
    newest_step(page).press("Home")
    newest_step(page).press("Shift+ArrowRight")
    # The cursor reaches the address a moment later than the page.
    expect(page).to_have_url(re.compile(r"[?&]at=\d+"))
    return page


def assert_arranged(page: Page) -> None:
    expect(tag_filter(page)).to_have_value("loss")
    expect(page.get_by_label("x axis")).to_have_value("relative")
    expect(page.get_by_label("y axis")).to_have_value("log")
    expect(page.get_by_label("Smoothing as a number")).to_have_value("0.90")
    expect(page.get_by_role("option").filter(has_text="diverged")).to_have_attribute("aria-selected", "false")
    expect(page.get_by_role("option").filter(has_text="lenet/adam")).to_have_attribute("aria-selected", "true")
    expect(newest_step(page)).to_have_attribute("aria-valuenow", "11")
    expect(card(page, "loss/train")).to_be_visible()
    expect(card(page, "accuracy")).to_have_count(0)


def test_a_reload_changes_nothing(arranged: Page) -> None:
    assert_arranged(arranged)
    address = arranged.url
    reload(arranged)
    assert_arranged(arranged)
    assert arranged.url == address


def test_a_copied_link_shows_the_same_to_somebody_else(arranged: Page, visit: Visits) -> None:
    arranged.context.grant_permissions(["clipboard-read", "clipboard-write"])
    arranged.get_by_role("button", name="Copy link to this view").click()
    expect(arranged.get_by_text("Link copied")).to_be_visible()
    link = arranged.evaluate("navigator.clipboard.readText()")
    assert link == arranged.url
    assert_arranged(visit(link))


def test_the_chosen_runs_and_the_cursor_travel_to_other_pages(arranged: Page) -> None:
    arranged.get_by_role("link", name="Runs", exact=True).click()
    expect(arranged).to_have_url(re.compile(r"/runs\?"))
    expect(row(arranged, "lenet/adam")).to_be_visible()
    expect(newest_step(arranged)).to_have_attribute("aria-valuenow", "11")
    expect(arranged).to_have_url(re.compile(r"(?=.*[?&]runs=)(?=.*[?&]at=)"))
    query = parse_qs(urlsplit(arranged.url).query)
    assert set(query) == {"runs", "at"}
    arranged.go_back()
    assert_arranged(arranged)


def test_one_step_back_leaves_the_page(showroom: Dashboard, visit: Visits) -> None:
    page = visit(showroom, "/runs")
    page.get_by_role("link", name="Scalars").click()
    expect(card(page, "loss/train")).to_be_visible()
    for text in ("l", "lo", "los"):
        tag_filter(page).fill(text)
    expect(page).to_have_url(re.compile("tag=los"))
    page.go_back()
    expect(page).to_have_url(re.compile(r"/runs(\?|$)"))
    expect(row(page, "lenet/adam")).to_be_visible()
    assert urlsplit(page.url).path == "/runs"


def test_an_open_run_and_the_search_are_in_the_address(showroom: Dashboard, visit: Visits) -> None:
    page = visit(showroom, "/runs")
    page.get_by_role("combobox", name="Find runs by name or query").fill("lenet")
    row(page, "lenet/sgd").click()
    page.get_by_role("button", name="Duration").click()
    expect(page.get_by_role("complementary", name="Run lenet/sgd")).to_be_visible()
    expect(page).to_have_url(re.compile("(?=.*q=)(?=.*run=)(?=.*sort=)"))
    reload(page)
    expect(page.get_by_role("complementary", name="Run lenet/sgd")).to_be_visible()
    expect(page.get_by_role("combobox", name="Find runs by name or query")).to_have_value("lenet")
    expect(page.get_by_role("columnheader", name="Duration")).to_have_attribute("aria-sort", "descending")
    expect(row(page, "diverged")).to_have_count(0)


@pytest.mark.parametrize(
    "query", ["x=sideways&y=%00&smooth=lots&range=5~1&at=1e999&pin=%25", "runs=zzzz&tag=(", "at=-5"]
)
def test_a_broken_link_still_shows_the_page(query: str, showroom: Dashboard, visit: Visits) -> None:
    page = visit(showroom, f"/scalars?{query}")
    expect(tag_filter(page)).to_be_visible()
    expect(page.locator(".card, .state").first).to_be_visible()
