"""Very many runs and tags, groups, own charts and saved views on the scalars page, in a browser."""

from __future__ import annotations

import math
import re
from pathlib import Path

from playwright.sync_api import Page, expect

from summaries import SummaryWriter
from tests.dashboard import Dashboard, wait_until

from .conftest import StartDashboard
from .pages import card, tag_filter, wait_until_drawn
from .visits import Troubles, Visits

MANY, WIDE = 260, 3000


def write_sweep(base: Path, count: int = MANY) -> None:
    """Runs of three learning rates, each with a loss and an accuracy of 20 points."""
    for number in range(count):
        with SummaryWriter(base / f"lr{number % 3}_seed{number:03}") as writer:
            writer.add_hparams({"lr": 10.0 ** -(number % 3)}, {"score": 1.0})
            for step in range(20):
                writer.add_scalar("loss", (1 + number % 3) * math.exp(-step / 9) + number / 1000, step)
                writer.add_scalar("accuracy", step / 20, step)


def ready(start_dashboard: StartDashboard, base: Path, runs: int) -> Dashboard:
    dashboard = start_dashboard(base)
    wait_until(lambda: _read(dashboard) == runs, 120, "all runs are read")
    return dashboard


def _read(dashboard: Dashboard) -> int:
    runs = dashboard.get_json("/api/runs?limit=10000")["results"]
    return sum(1 for run in runs if run["points"] and run["bytes_read"] == run["bytes"])


def asked(page: Page, path: str) -> int:
    """How many requests went to an address."""
    return int(
        page.evaluate(
            "path => performance.getEntriesByType('resource').filter(e => e.name.includes(path)).length", path
        )
    )


def coloured(page: Page, tag: str) -> int:
    """Pixels of a chart's canvas that are neither empty nor grey."""
    return int(
        page.evaluate(
            """tag => {
              const found = [...document.querySelectorAll('[data-card]')].find(card => card.dataset.card === tag)
              const canvas = found.querySelector('canvas')
              const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
              let coloured = 0
              for (let at = 0; at < data.length; at += 4) {
                const [red, green, blue, alpha] = data.slice(at, at + 4)
                if (alpha && Math.max(red, green, blue) - Math.min(red, green, blue) > 40) coloured++
              }
              return coloured
            }""",
            tag,
        )
    )


def test_hundreds_of_runs_are_drawn_in_common(tmp_path: Path, start_dashboard: StartDashboard, visit: Visits) -> None:
    write_sweep(tmp_path / "summaries")
    dashboard = ready(start_dashboard, tmp_path / "summaries", MANY)
    page = visit(f"{dashboard.address}/scalars?runs=all&smooth=0")
    expect(card(page, "loss")).to_contain_text(f"density of {MANY} runs")
    wait_until(lambda: coloured(page, "loss") > 2000, 30, "the density is drawn")
    # No chart asks for the points of each of them.
    before = asked(page, "/api/scalars/points")
    tag_filter(page).fill("accuracy")
    expect(card(page, "accuracy")).to_contain_text(f"density of {MANY} runs")
    assert asked(page, "/api/scalars/points") == before

    page.goto(f"{dashboard.address}/scalars?runs=all&smooth=0&group=param:lr&full=loss")
    table = card(page, "loss").get_by_role("region", name="Groups of loss")
    expect(table.locator("tbody tr")).to_have_count(3)
    expect(table).to_contain_text("lr=0.01")
    expect(table).to_contain_text("87 of 87")
    # The exact mean of the last step of a group, as the server's definition has it.
    values = [(1 + n % 3) * math.exp(-19 / 9) + n / 1000 for n in range(0, MANY, 3)]
    last = table.locator("tbody tr", has_text="lr=1").first.locator("td").first.inner_text()
    assert abs(float(last) - sum(values) / len(values)) < 1e-4

    page.goto(f"{dashboard.address}/scalars?runs=all&smooth=0&many=top&full=loss")
    expect(card(page, "loss")).to_contain_text(f"10 of {MANY} runs")


# Columns of a chart's canvas in which the line of a density does not touch that of the column before.
GAPS = """canvas => {
  const { width, height } = canvas
  const { data } = canvas.getContext('2d').getImageData(0, 0, width, height)
  const inked = (x, y) => {
    const [red, green, blue, alpha] = data.slice(4 * (y * width + x), 4 * (y * width + x) + 4)
    return alpha > 20 && Math.max(red, green, blue) - Math.min(red, green, blue) > 40
  }
  let gaps = 0, before = null
  for (let x = 0; x < width; x++) {
    const rows = [...Array(height).keys()].filter(y => inked(x, y))
    const here = rows.length ? [rows[0], rows[rows.length - 1]] : null
    if (before && here && (here[0] > before[1] + 1 || before[0] > here[1] + 1)) gaps++
    before = here
  }
  return gaps
}"""


def test_a_density_has_no_gaps_where_it_is_steep(
    tmp_path: Path, start_dashboard: StartDashboard, visit: Visits
) -> None:
    for number in range(45):
        with SummaryWriter(tmp_path / "summaries" / f"run{number:02}") as writer:
            for step in range(50):
                writer.add_scalar("zigzag", float(step % 2), step)
    dashboard = ready(start_dashboard, tmp_path / "summaries", 45)
    page = visit(f"{dashboard.address}/scalars?runs=all&smooth=0&many=density")
    expect(card(page, "zigzag")).to_contain_text("density of 45 runs")
    wait_until(lambda: coloured(page, "zigzag") > 2000, 30, "the density is drawn")
    assert card(page, "zigzag").locator("canvas").first.evaluate(GAPS) == 0


# Whether some of a card can be seen.
CARD_IN_VIEW = """() => [...document.querySelectorAll('[data-card]')].some(card => {
  const { top, bottom } = card.getBoundingClientRect()
  return bottom > 0 && top < innerHeight
})"""


def test_of_thousands_of_tags_only_those_in_view_are_drawn(
    tmp_path: Path, start_dashboard: StartDashboard, visit: Visits
) -> None:
    with SummaryWriter(tmp_path / "summaries" / "wide") as writer:
        for number in range(WIDE):
            for step in range(3):
                writer.add_scalar(f"layer{number % 30}/w{number}", float(step * number), step)
    dashboard = ready(start_dashboard, tmp_path / "summaries", 1)
    page = visit(f"{dashboard.address}/scalars")
    wait_until_drawn(page)
    scroll = page.locator(".scroll.charts")
    for share in (0.25, 0.5, 1):
        scroll.evaluate("(element, share) => element.scrollTo(0, element.scrollHeight * share)", share)
        # A row that comes into view has frames at first; its cards take their turns.
        wait_until(lambda: page.evaluate(CARD_IN_VIEW), 10, "a card in view")
        assert page.locator("[data-card]").count() < 60
    page.get_by_role("button", name="Tags", exact=True).click()
    tree = page.get_by_role("tree", name="Tags")
    expect(tree.get_by_role("treeitem").first).to_contain_text("100")
    assert tree.get_by_role("treeitem").count() < 60
    tree.get_by_role("treeitem", name="layer7").click()
    expect(tag_filter(page)).to_have_value("^layer7/")
    expect(page.locator(".toolbar")).to_contain_text("100 of 3,000")


def test_a_view_is_saved_found_and_linked(
    tmp_path: Path, start_dashboard: StartDashboard, visit: Visits, troubles: Troubles
) -> None:
    troubles.expect("409")
    write_sweep(tmp_path / "summaries", 3)
    dashboard = ready(start_dashboard, tmp_path / "summaries", 3)
    page = visit(f"{dashboard.address}/scalars?y=log&tag=loss&chart=Both=loss,accuracy")
    wait_until_drawn(page)
    expect(page.locator(".card").filter(has_text="Both").first).to_be_visible()
    page.get_by_role("button", name="Views").click()
    menu = page.get_by_role("dialog", name="Saved views")
    menu.get_by_role("textbox").fill("losses")
    menu.get_by_role("button", name="Save").click()
    expect(menu.get_by_role("button", name="losses", exact=True)).to_be_visible()
    menu.get_by_role("textbox").fill("losses")
    menu.get_by_role("button", name="Save").click()
    expect(menu.get_by_role("alert")).to_contain_text("There is a view named “losses” already")

    (view,) = dashboard.get_json("/api/views")["views"]
    page.goto(f"{dashboard.address}/v/{view['id']}")
    expect(tag_filter(page)).to_have_value("loss")
    expect(page).to_have_url(re.compile("y=log"))

    page.goto(f"{dashboard.address}/scalars")
    wait_until_drawn(page)
    page.get_by_role("button", name="Views").click()
    page.get_by_role("button", name="losses", exact=True).click()
    expect(tag_filter(page)).to_have_value("loss")
    page.get_by_role("button", name="Views").click()
    page.get_by_role("button", name="Remove losses").click()
    expect(page.get_by_role("dialog", name="Saved views")).to_contain_text("No views yet")


def test_charts_are_walked_enlarged_and_pinned_by_keys(
    tmp_path: Path, start_dashboard: StartDashboard, visit: Visits
) -> None:
    write_sweep(tmp_path / "summaries", 3)
    dashboard = ready(start_dashboard, tmp_path / "summaries", 3)
    page = visit(f"{dashboard.address}/scalars")
    # Cards find their places as tags arrive, and what had the focus then may be drawn anew.
    for tag in ("loss", "accuracy"):
        expect(card(page, tag).locator("canvas").first).to_be_visible()
    page.wait_for_load_state("networkidle")
    page.keyboard.press("c")
    expect(card(page, "loss")).to_be_focused()
    page.keyboard.press("j")
    expect(card(page, "accuracy")).to_be_focused()
    page.keyboard.press("Alt+ArrowLeft")
    expect(page.locator("[data-card]").first).to_have_attribute("data-card", "accuracy")
    expect(card(page, "accuracy")).to_be_focused()
    page.keyboard.press("f")
    expect(page.locator("[data-card]")).to_have_count(1)
    expect(page).to_have_url(re.compile("full=accuracy"))
    page.keyboard.press("f")
    expect(card(page, "loss")).to_be_visible()
