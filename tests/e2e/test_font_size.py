"""Pages at a larger font size of the browser: texts grow, nothing lies over another, nothing is wider than the window.

The size is Chromium's own setting for pages, not a style of the page.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.dashboard import Dashboard

from .conftest import FLAGS, chromium
from .test_layout import overflow

SIZE = 24
PLACES = ("/runs", "/scalars", "/distributions", "/overview", "/tensors", "/text", "/settings")

# Texts of buttons, heads and cells in view that lie over one another: neither contains the other, and both are whole.
OVER = """() => {
  const texts = [...document.querySelectorAll('h1, h2, h3, button, th, .tabs a, nav a, label')].filter((one) => {
    const box = one.getBoundingClientRect()
    return one.textContent.trim() && box.width > 2 && box.height > 2 && one.checkVisibility()
      && document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2)
        ?.closest('h1,h2,h3,button,th,a,label') === one
  })
  const found = []
  texts.forEach((one, at) => texts.slice(at + 1).forEach((other) => {
    if (one.contains(other) || other.contains(one)) return
    const [a, b] = [one.getBoundingClientRect(), other.getBoundingClientRect()]
    const across = Math.min(a.right, b.right) - Math.max(a.left, b.left)
    const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top)
    if (across > 3 && down > 3) found.push(`${one.textContent.trim()} | ${other.textContent.trim()}`)
  }))
  return found
}"""


@pytest.fixture(scope="module")
def large(browser: Browser) -> Iterator[Browser]:
    """A browser whose font size is 24 pixels. It shares the driver of the usual one."""
    flags = [*FLAGS, f"--blink-settings=defaultFontSize={SIZE}"]
    if os.geteuid() == 0:
        flags.append("--no-sandbox")
    other = browser.browser_type.launch(executable_path=chromium(), args=flags)
    yield other
    other.close()


def size_of(page: Page, selector: str) -> float:
    """The font size of an element in pixels."""
    found = page.locator(selector).first.evaluate("(one) => parseFloat(getComputedStyle(one).fontSize)")
    return float(found)


@pytest.mark.parametrize("place", PLACES)
def test_pages_follow_the_font_size(place: str, large: Browser, browser: Browser, showroom: Dashboard) -> None:
    sizes = []
    for which in (browser, large):
        page = which.new_page(viewport={"width": 1440, "height": 900}, locale="en-US")
        page.goto(showroom.address + place)
        expect(page.locator("main")).to_be_visible()
        page.wait_for_load_state("networkidle")
        sizes.append([size_of(page, selector) for selector in ("body", "nav a", "h1")])
        assert overflow(page) == 0
        assert page.evaluate(OVER) == []
        page.close()
    assert [round(after / before, 2) for before, after in zip(*sizes, strict=True)] == [SIZE / 16] * 3


def test_rows_of_a_list_are_as_high_as_their_texts(large: Browser, showroom: Dashboard) -> None:
    page = large.new_page(viewport={"width": 1440, "height": 900}, locale="en-US")
    page.goto(showroom.address + "/runs")
    rows = page.locator("table.runs tbody tr[id]")
    rows.first.wait_for()
    heights = {round(rows.nth(at).evaluate("(row) => row.getBoundingClientRect().height")) for at in range(3)}
    assert heights == {28 * SIZE // 16}
    page.close()
