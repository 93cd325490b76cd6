"""Whatever is killed, the page reports it and recovers, and no point is lost or duplicated."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.dashboard import Dashboard, wait_until

from .conftest import StartDashboard, StartTraining
from .pages import newest_step, points, row
from .training import Training, value_of
from .visits import Troubles, Visits

SAID = {
    "worker": "The reader of event files stopped",
    "redis": "The message broker has been down",
    "web": "Connection lost",
}
# Some outages are over before a person has read the sentence; the page must still have said it.
KEEP_WHAT_IS_SAID = """
window.said = new Set()
new MutationObserver(() => {
  for (const element of document.querySelectorAll('.health .notice, .strip .live')) window.said.add(element.textContent)
}).observe(document, { subtree: true, childList: true, characterData: true })
"""


@pytest.mark.parametrize("victim", SAID)
def test_the_dashboard_survives_the_end_of_a_part(
    victim: str, start_dashboard: StartDashboard, start_training: StartTraining, visit: Visits, troubles: Troubles
) -> None:
    if victim == "web":
        troubles.expect(
            r"ERR_CONNECTION_REFUSED|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE|ERR_SOCKET_NOT_CONNECTED|WebSocket"
        )
    dashboard = start_dashboard()
    training = start_training(dashboard.base_directory / "run")
    training.write(30)
    page = visit(dashboard, "/scalars", scripts=(KEEP_WHAT_IS_SAID,))
    expect(newest_step(page)).to_have_attribute("aria-valuenow", "30")
    page.evaluate("window.same = true")

    kill_until_said(dashboard, victim, page)
    training.write(30)

    expect(newest_step(page)).to_have_attribute("aria-valuenow", "60", timeout=30_000)
    expect(page.locator(".health .notice")).to_have_count(0, timeout=30_000)
    training.write(30)
    wait_until(lambda: 90 in page.evaluate("Object.values(window.painted)"), 20, "painting step 90")
    assert page.evaluate("window.same"), "the page was loaded again"
    assert points(dashboard, "run", "loss") == written(training)


def test_a_killed_training_is_called_crashed(
    start_dashboard: StartDashboard, start_training: StartTraining, visit: Visits
) -> None:
    dashboard = start_dashboard()
    training = start_training(dashboard.base_directory / "run")
    training.write(30)
    page = visit(dashboard, "/runs")
    expect(row(page, "run")).to_contain_text("running")
    training.kill()
    expect(row(page, "run")).to_contain_text("crashed", timeout=10_000)
    row(page, "run").click()
    details = page.get_by_role("complementary", name="Run run")
    expect(details).to_contain_text(f"The run ended without closing its file: process {training.pid} on ")
    assert points(dashboard, "run", "loss") == written(training)


def kill_until_said(dashboard: Dashboard, victim: str, page: Page) -> None:
    """Kills a part, again should it have come back before the page could notice."""
    struck: set[int] = set()

    def said() -> bool:
        pid = dashboard.pids().get(victim)
        if pid is not None and pid not in struck:
            struck.add(dashboard.kill(victim))
        return any(SAID[victim] in text for text in page.evaluate("[...window.said]"))

    wait_until(said, 30, f"saying that {victim} is gone")
    if victim == "web":
        wait_until(lambda: any("reconnecting" in text for text in page.evaluate("[...window.said]")), 10, "saying so")


def written(training: Training) -> list[tuple[int, float]]:
    return [(step, value_of("loss", step)) for step in range(1, training.last + 1)]
