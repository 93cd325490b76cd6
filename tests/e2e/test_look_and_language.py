"""Theme and language: taken from the system, switched by a person, right at first paint, whole everywhere."""

from __future__ import annotations

import re
from typing import Literal

import pytest
from playwright.sync_api import Page, expect

from tests.dashboard import Dashboard

from .pages import PAGES, reload, wait_until_drawn
from .visits import Visits

# What the root element says at the very moment at which there is something to paint.
NOTE_FIRST_PAINT = """
new MutationObserver((_, observer) => {
  if (!document.body) return
  observer.disconnect()
  window.first = { theme: document.documentElement.dataset.theme, lang: document.documentElement.lang }
}).observe(document, { childList: true, subtree: true })
"""
Scheme = Literal["light", "dark"]
KEY_NAME = re.compile(r"\b(?:app|runs|scalars|images|charts|components|settings)\.[a-z][A-Za-z]*(?:\.[A-Za-z0-9]+)*\b")
HAN = re.compile(r"[\u4e00-\u9fff]")
ALL_WORDS = """() => {
  const words = [document.title, document.body.innerText]
  for (const element of document.querySelectorAll('[title], [aria-label], [placeholder], [aria-valuetext]')) {
    for (const { name, value } of element.attributes) if (/title|label|holder|text/.test(name)) words.push(value)
  }
  return words.join('\\n')
}"""


def first_paint(page: Page) -> dict[str, str]:
    return dict(page.evaluate("window.first"))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_theme_follows_the_system_and_never_flashes(scheme: Scheme, showroom: Dashboard, visit: Visits) -> None:
    page = visit(showroom, "/runs", scripts=(NOTE_FIRST_PAINT,), color_scheme=scheme)
    wait_until_drawn(page)
    assert first_paint(page)["theme"] == scheme
    expect(page.locator("html")).to_have_attribute("data-theme", scheme)
    other: Scheme = "dark" if scheme == "light" else "light"
    page.emulate_media(color_scheme=other)
    expect(page.locator("html")).to_have_attribute("data-theme", other)


def test_a_chosen_theme_stays(showroom: Dashboard, visit: Visits) -> None:
    page = visit(showroom, "/runs", scripts=(NOTE_FIRST_PAINT,), color_scheme="dark")
    page.get_by_role("button", name="Theme: system").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "light")
    light = page.evaluate("getComputedStyle(document.body).backgroundColor")
    reload(page)
    wait_until_drawn(page)
    assert first_paint(page)["theme"] == "light"
    page.get_by_role("button", name="Theme: light").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    expect(page.locator("body")).not_to_have_css("background-color", light)


def test_the_language_follows_the_browser_and_can_be_switched(showroom: Dashboard, visit: Visits) -> None:
    page = visit(showroom, "/runs", scripts=(NOTE_FIRST_PAINT,), locale="zh-CN")
    wait_until_drawn(page)
    assert first_paint(page)["lang"] == "zh-CN"
    link = page.get_by_role("navigation").get_by_role("link").first
    expect(link).to_have_text(HAN)
    page.locator("button.lang").click()
    expect(link).to_have_text("Runs")
    expect(page.locator("html")).to_have_attribute("lang", "en")
    expect(page).to_have_title("Runs · MindInsight")
    reload(page)
    wait_until_drawn(page)
    assert first_paint(page)["lang"] == "en"


@pytest.mark.parametrize("language", ["en-US", "zh-CN"])
def test_every_word_is_there(language: str, showroom: Dashboard, visit: Visits) -> None:
    page = visit.window(showroom, locale=language)
    for path in PAGES:
        page.goto(showroom.address + path)
        wait_until_drawn(page)
        assert_no_key_names(page, path)
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    assert_no_key_names(page, "the sheet of shortcuts")


def assert_no_key_names(page: Page, where: str) -> None:
    words = str(page.evaluate(ALL_WORDS))
    assert KEY_NAME.findall(words) == [], where
    assert "undefined" not in words, where
