"""Names are text, whatever is in them, and never break the page."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.dashboard import Dashboard

from .pages import card, reload, row, wait_until_drawn
from .training import falling, write_run
from .visits import Visits

MARKUP = "<img src=x onerror=alert(1)><script>window.bad=1</script>"
RUNS = {
    "markup": MARKUP,
    "emoji": "run 🚀 👩‍🔬 \U0001f1e8\U0001f1f3",
    "right to left": "تجربة/תצורה",
    "override": "invoice\u202egpj.exe",
    "braces": "{{ 7*7 }} ${7*7} %s {name}",
    "quotes": "\"double\" 'single' `back` \\ slash",
    "long": "/".join(["n" * 200] * 5)[:1000],
}
TAGS = [MARKUP, "{{ 7*7 }} @:app.help | plural", "emoji 🚀/loss", "דיוק", "t" * 1000, "a,b%2Cc&d=e#f", "loss"]


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dashboard]:
    base = tmp_path_factory.mktemp("hostile")
    for name in RUNS.values():
        write_run(base / name, {tag: falling(20) for tag in TAGS})
    with Dashboard.start(base) as dashboard:
        yield dashboard


@pytest.mark.parametrize("name", RUNS.values(), ids=RUNS)
def test_a_run_name_is_shown_as_text(name: str, hostile: Dashboard, visit: Visits) -> None:
    page = visit(hostile, "/runs")
    expect(row(page, name)).to_be_visible()
    row(page, name).click()
    details = page.get_by_role("complementary", name=f"Run {name}")
    expect(details.get_by_role("heading").first).to_have_text(name)
    assert page.evaluate("window.bad") is None
    assert page.evaluate("document.scrollingElement.scrollWidth <= innerWidth")


def test_tag_names_are_shown_as_text(hostile: Dashboard, visit: Visits) -> None:
    page = visit(hostile, "/scalars", viewport={"width": 1440, "height": 2400})
    wait_until_drawn(page)
    for tag in TAGS:
        expect(card(page, tag)).to_be_visible()
    assert page.evaluate("window.bad") is None
    assert page.evaluate("document.scrollingElement.scrollWidth <= innerWidth")


def test_a_pinned_odd_tag_survives_the_address(hostile: Dashboard, visit: Visits) -> None:
    page = visit(hostile, "/scalars", viewport={"width": 1440, "height": 2400})
    odd = card(page, "a,b%2Cc&d=e#f")
    odd.get_by_role("button", name="Pin", exact=True).click()
    expect(odd.get_by_role("button", name="Unpin", exact=True)).to_be_visible()
    reload(page)
    expect(odd.get_by_role("button", name="Unpin", exact=True)).to_be_visible()
