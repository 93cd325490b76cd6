"""Everything works below a path, as behind a proxy."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from tests.dashboard import Dashboard

from .pages import card, newest_step, row
from .training import falling, write_run
from .visits import Visits

PREFIX = "/team/mind-insight"


@pytest.fixture(scope="module")
def prefixed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dashboard]:
    base = tmp_path_factory.mktemp("prefixed")
    write_run(base / "run", {"loss": falling(50)})
    with Dashboard.start(base, url_path_prefix=PREFIX) as dashboard:
        yield dashboard


def test_every_page_its_files_and_its_socket_stay_below_the_prefix(prefixed: Dashboard, visit: Visits) -> None:
    assert prefixed.address.endswith(PREFIX)
    page = visit.window(prefixed)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("websocket", lambda socket: asked.append(socket.url))
    page.goto(prefixed.address)
    expect(row(page, "run")).to_be_visible()
    page.get_by_role("link", name="Scalars").click()
    expect(card(page, "loss")).to_be_visible()
    expect(newest_step(page)).to_have_attribute("aria-valuenow", "50")
    page.get_by_role("link", name="Settings").click()
    expect(page.get_by_role("heading", name="Settings", exact=True)).to_be_visible()
    expect(page.locator(".live, .health .notice").filter(has_text="reconnecting")).to_have_count(0)
    paths = [urlsplit(url).path for url in asked]
    assert [path for path in paths if path != PREFIX and not path.startswith(f"{PREFIX}/")] == []
    assert f"{PREFIX}/ws/live" in paths


@pytest.mark.parametrize("path", ["/runs", "/scalars?smooth=0.9", "/settings", "/no/such/page", "/api/docs/"])
def test_deep_links_can_be_opened_and_reloaded(path: str, prefixed: Dashboard, visit: Visits) -> None:
    page = visit(prefixed, path)
    title = {"/no/such/page": "Not found", "/api/docs/": "API"}.get(path, "MindInsight")
    for _ in range(2):
        assert page.url.startswith(prefixed.address)
        expect(page).to_have_title(re.compile(title))
        page.reload()


def test_outside_the_prefix_there_is_nothing(prefixed: Dashboard, visit: Visits) -> None:
    outside = Dashboard.__new__(Dashboard)
    outside.address, outside.workspace = f"http://127.0.0.1:{prefixed.port}", Path(prefixed.workspace)
    for path in ("/api/runs", "/runs", "/theme.js", f"{PREFIX}x/runs"):
        assert outside.get(path)[0] == 404, path
