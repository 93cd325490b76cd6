"""Pages load nothing from elsewhere and break no rule of their own policy."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.dashboard import Dashboard, wait_until

from .pages import PAGES, card, wait_until_drawn
from .visits import Troubles, Visits


@pytest.mark.smoke
def test_no_page_breaks_its_policy_or_asks_another_host(showroom: Dashboard, visit: Visits) -> None:
    page = visit.window(showroom)
    for path in PAGES:
        answer = page.goto(showroom.address + path)
        assert answer is not None
        assert "default-src 'self'" in answer.headers["content-security-policy"], path
        wait_until_drawn(page)


def test_the_api_page_works_under_the_policy(showroom: Dashboard, visit: Visits) -> None:
    page = visit(showroom, "/api/docs/")
    expect(page.get_by_text("/api/scalars/points").first).to_be_visible()
    page.get_by_text("/api/status").first.click()
    page.get_by_role("button", name="Try it out").click()
    page.get_by_role("button", name="Execute").click()
    expect(page.get_by_text('"base_directory"').first).to_be_visible()


def test_the_policy_stops_what_is_foreign(showroom: Dashboard, visit: Visits, troubles: Troubles) -> None:
    """Shows that the tests above would see a breach."""
    troubles.expect(
        "content security policy|Content Security Policy|foreign: http://127.0.0.1:9/|failed: GET http://127.0.0.1:9/"
    )
    page = visit(showroom, "/scalars")
    expect(card(page, "loss/train")).to_be_visible()
    page.evaluate("fetch('http://127.0.0.1:9/').catch(() => {})")
    page.evaluate(
        "document.body.append(Object.assign(document.createElement('script'), { textContent: 'window.bad = 1' }))"
    )
    # What the console says arrives a moment later, and only while the page is asked something.
    wait_until(
        lambda: page.evaluate("true") and len([text for text in troubles.seen if "policy: " in text]) == 2,
        10,
        "both breaches",
    )
    assert page.evaluate("window.bad") is None
