"""How tests find things on the pages, in the words that a screen reader hears."""

from __future__ import annotations

from playwright.sync_api import Locator, Page

from tests.dashboard import Dashboard


def card(page: Page, tag: str) -> Locator:
    """The chart of a tag on the scalars page."""
    return page.get_by_role("region", name=tag, exact=True)


def canvas(page: Page, tag: str) -> str:
    """The pixels of a tag's chart."""
    return str(card(page, tag).locator("canvas").first.evaluate("(canvas) => canvas.toDataURL()"))


def newest_step(page: Page) -> Locator:
    """The step cursor at the bottom of the page; `aria-valuenow` is its position."""
    return page.get_by_role("slider", name="Step cursor")


def row(page: Page, run: str) -> Locator:
    """A run's row on the runs page."""
    return page.get_by_role("row").filter(has=page.get_by_text(run, exact=True))


def tag_filter(page: Page) -> Locator:
    """The field that narrows the tags of the scalars page."""
    return page.get_by_role("main").get_by_role("searchbox")


def points(dashboard: Dashboard, run: str, tag: str) -> list[tuple[int, float]]:
    """Every point that the dashboard has of a tag, in its order."""
    number = next(one["number"] for one in dashboard.get_json("/api/runs")["results"] if one["name"] == run)
    groups = dashboard.get_json(f"/api/scalars/tags?runs={number}")["tags"]
    (series,) = next(group["series"] for group in groups if group["name"] == tag)
    answer = dashboard.get_json(f"/api/scalars/points?series={series['series']}&width=10000&format=json")
    (frame,) = answer["frames"]
    assert frame["kind"] == "points"
    return list(zip(frame["step"], frame["value"], strict=True))


def reload(page: Page) -> None:
    """Reloads the page. A change reaches the address one task later; a test can be quicker than that."""
    page.evaluate("async () => { for (let task = 0; task < 5; task++) await new Promise((done) => setTimeout(done)) }")
    page.reload()


# Every page of the product, and the ones that nobody wants to see.
PAGES = (
    "/runs",
    "/runs?q=lenet&sort=name",
    "/scalars",
    "/scalars?tag=zzz",
    "/scalars?range=50~150&superseded=hide",
    "/scalars?runs=none",
    "/overview",
    "/overview?run=ffffffff",
    "/distributions",
    "/images",
    "/images?runs=none",
    "/tensors",
    "/graph",
    "/graph?runs=none",
    "/lineage",
    "/lineage?view=data",
    "/pipeline",
    "/text",
    "/text?runs=none",
    "/tensors?runs=none",
    "/debugger",
    "/profiler",
    "/settings",
    "/no/such/page",
)


def all_read(dashboard: Dashboard, runs: int) -> bool:
    """Whether this many runs exist and all their bytes have been read."""
    found = dashboard.get_json("/api/runs")["results"]
    return len(found) == runs and all(run["bytes_read"] == run["bytes"] for run in found)


def wait_until_drawn(page: Page) -> None:
    """Waits until the page is complete."""
    drawn = "table.runs tbody tr[id], .card canvas, .pipelines, .tile, .state, .setting, h1.title, .box h1"
    page.locator(drawn).first.wait_for()
