"""Distributions: of files with known histograms, and of those that MindSpore and TensorBoard wrote."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from summaries import SummaryWriter
from tests.dashboard import Dashboard, wait_until

from .conftest import StartDashboard
from .test_accessibility import axe, barriers  # noqa: F401  (a fixture)
from .visits import Visits

STEPS = 200
VIEWS = ("Ridge", "Offset", "Overlay", "Heat map", "Bands")


def weights(run: int, step: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Evenly spaced numbers, so that every percentile is known: wider in the second run, moving with the steps."""
    return np.linspace(-1.0, 1.0, 9000) * (run + 1) + step / 1000


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dashboard]:
    """Two runs with 200 histograms of one tag, one of them with NaN at step 600; and tags without surprises."""
    base = tmp_path_factory.mktemp("distributions")
    for run, name in enumerate(("first", "second")):
        with SummaryWriter(base / name) as writer:
            for step in range(0, 10 * STEPS, 10):
                values = weights(run, step)
                if step == 600:
                    values = np.append(values, [np.nan, np.nan, np.inf])
                writer.add_histogram("conv1.weight", values, step)
            writer.add_histogram("fc.bias", np.arange(10.0), 0)
    with Dashboard.start(base) as dashboard:
        wait_until(lambda: tags(dashboard) == ["conv1.weight", "fc.bias"], 30, "reading the histograms")
        yield dashboard


def tags(dashboard: Dashboard) -> list[str]:
    return [tag["name"] for tag in dashboard.get_json("/api/distributions/tags")["tags"]]


def only(dashboard: Dashboard, name: str) -> str:
    """The part of an address that shows one run."""
    run = next(run for run in dashboard.get_json("/api/runs")["results"] if run["name"] == name)
    return f"runs={run['id'][:12]}"


def card(page: Page, name: str) -> Locator:
    return page.get_by_role("region", name=name, exact=True).last


def drawn(of: Locator) -> str:
    return str(of.locator("canvas").first.evaluate("(canvas) => canvas.toDataURL()"))


def wait_until_inked(of: Locator) -> None:
    """Waits until something was drawn on a card's canvas."""
    canvas = of.locator("canvas").first
    canvas.wait_for()
    wait_until(lambda: len(drawn(of)) > 4000, 15, "a drawn canvas")


def test_a_step_is_told_as_it_was_written(known: Dashboard, visit: Visits) -> None:
    page = visit(known, f"/distributions?{only(known, 'first')}&open=none&at=1000")
    weight = card(page, "conv1.weight")
    expect(weight).to_contain_text("step 1,000 · median 1, half in 0.5 to 1.5, nine tenths in 0.1 to 1.9")
    expect(weight).not_to_contain_text("asked")


def test_the_nearest_earlier_step_is_shown_and_named(known: Dashboard, visit: Visits) -> None:
    page = visit(known, f"/distributions?{only(known, 'first')}&open=none&at=1237")
    expect(card(page, "conv1.weight")).to_contain_text("step 1,230 (requested 1,237)")
    expect(card(page, "conv1.weight")).to_contain_text("step 1,230 · median 1.23")


def test_what_is_not_finite_is_counted_beside(known: Dashboard, visit: Visits) -> None:
    page = visit(known, f"/distributions?{only(known, 'first')}&open=none&at=600")
    weight = card(page, "conv1.weight")
    expect(weight).to_contain_text("step 600 · median 0.6, half in 0.1 to 1.1")
    expect(weight).to_contain_text("✕ NaN 2 · ▲ Inf 1")
    expect(weight).to_contain_text("✕ NaN or Inf in 1 row")


def test_every_view_draws_something_else(known: Dashboard, visit: Visits) -> None:
    page = visit(known, f"/distributions?{only(known, 'first')}&open=none&tag=conv1")
    weight = card(page, "conv1.weight")
    pictures = []
    for view in VIEWS:
        page.get_by_role("radio", name=view).click()
        wait_until_inked(weight)
        wait_until(lambda: drawn(weight) not in pictures, 15, f"another picture for {view}")
        pictures.append(drawn(weight))
    assert len(set(pictures)) == len(VIEWS)
    expect(page).to_have_url(re.compile("view=bands"))


def test_the_pointer_reads_steps_and_buckets(known: Dashboard, visit: Visits) -> None:
    page = visit(known, f"/distributions?{only(known, 'first')}&open=none&tag=conv1&view=heat")
    weight = card(page, "conv1.weight")
    wait_until_inked(weight)
    plot = weight.get_by_role("slider")
    box = plot.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(weight).to_contain_text(
        re.compile(r"steps [\d,]+ to [\d,]+ \(8 together\) · \S+ to \S+ · [\d,]+ values \(\d\.\d%\)")
    )
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(page).to_have_url(re.compile(r"at=\d+"))


def test_the_keyboard_does_all_of_it(known: Dashboard, visit: Visits) -> None:
    page = visit(known, f"/distributions?{only(known, 'first')}&open=none&tag=conv1&at=1990")
    weight = card(page, "conv1.weight")
    plot = weight.get_by_role("slider")
    plot.focus()
    page.keyboard.press("Home")
    expect(plot).to_have_attribute("aria-valuetext", re.compile("^step 0 · median"))
    page.keyboard.press("ArrowUp")
    expect(plot).to_have_attribute("aria-valuetext", re.compile(r"^step 0 · .* to .* · 100 values \(1\.1%\)"))
    page.keyboard.press("End")
    expect(plot).to_have_attribute("aria-valuetext", re.compile("^step 1,990"))
    page.keyboard.press("t")
    table = weight.get_by_role("region", name="conv1.weight: values by step")
    expect(table).to_be_focused()
    expect(table.get_by_role("row").nth(1)).to_contain_text(re.compile("1,920 . 1,990"))
    expect(table.get_by_role("row").nth(1)).to_contain_text("72,000")
    page.keyboard.press("t")
    expect(plot).to_be_focused()


def test_two_steps_and_two_runs_are_compared(known: Dashboard, visit: Visits) -> None:
    page = visit(known, "/distributions?runs=all&tag=conv1&at=1000")
    compare = page.get_by_role("region", name="Compare")
    # Half of the interval lies beyond the other's end: from -1..1 to 0..2.
    expect(compare).to_contain_text(re.compile(r"KS distance (0\.5|0\.25)\D"))
    compare.get_by_role("combobox", name="Compare with").select_option(index=1)
    # Of -1..1 and -2..2, both moved by the same, a quarter more lies below the lower end.
    expect(compare).to_contain_text("KS distance 0.25")
    expect(compare).to_contain_text("Clearly different: the shares below")
    # Outwards from the same middle: half of the width on average.
    expect(compare).to_contain_text("Wasserstein distance 0.5")


def test_every_step_can_be_reached(known: Dashboard, visit: Visits) -> None:
    page = visit(known, f"/distributions?{only(known, 'first')}&tag=conv1&at=1000")
    large = page.get_by_role("group", name="conv1.weight, enlarged")
    expect(large.locator(".numbers")).to_contain_text("step 1,000")
    large.locator(".main-card").get_by_role("slider").focus()
    for step in ("1,010", "1,020", "1,030"):
        page.keyboard.press("ArrowRight")
        expect(large.locator(".numbers")).to_contain_text(f"step {step}")
    expect(large.locator(".numbers")).to_contain_text("mean 1.03")
    expect(large).to_contain_text("9,000 values")


def test_layers_are_sorted_by_change(known: Dashboard, visit: Visits) -> None:
    page = visit(known, f"/distributions?{only(known, 'first')}")
    layers = page.locator("button.mini")
    expect(layers).to_have_count(2)
    page.get_by_role("combobox", name="Order of tags").select_option("change")
    expect(layers.first).to_contain_text("conv1.weight")
    # -1..1 moved by 1.99: all but half a percent lies beyond.
    expect(layers.first).to_contain_text("✕ 1")
    layers.last.click()
    expect(page.get_by_role("group", name="fc.bias, enlarged")).to_be_visible()
    expect(layers.last).to_have_attribute("aria-pressed", "true")


def test_runs_together(known: Dashboard, visit: Visits) -> None:
    page = visit(known, "/distributions?runs=all&tag=conv1&pool=together&open=none")
    both = card(page, "conv1.weight of 2 runs together")
    # Of -1..1 and -2..2, a quarter lies beyond either half of the narrow one.
    expect(both).to_contain_text(re.compile(r"steps [\d,]+ to 1,990 \(16 together\) · median 1\.9"))


def test_what_is_shown_can_be_saved(known: Dashboard, visit: Visits) -> None:
    page = visit(known, f"/distributions?{only(known, 'first')}&tag=conv1&at=600")
    main = page.locator(".main-card")
    expect(main).to_contain_text("step 600")
    saved = {}
    for kind in ("Rows as CSV", "Buckets of this step as CSV", "Picture (PNG)", "Drawing (SVG)"):
        main.get_by_role("button", name="Save").click()
        with page.expect_download() as coming:
            page.get_by_role("menuitem", name=kind).click()
        saved[kind] = Path(coming.value.path()).read_bytes()
    rows = saved["Rows as CSV"].decode().splitlines()
    assert rows[0].startswith("first_step,last_step,histograms,finite")
    assert [sum(float(row.split(",")[at]) for row in rows[1:]) for at in (2, 3)] == [STEPS, STEPS * 9000]
    buckets = [row.split(",") for row in saved["Buckets of this step as CSV"].decode().splitlines()[1:]]
    counts, edges = np.histogram(weights(0, 600), 90)
    assert [float(row[3]) for row in buckets] == counts.tolist()
    np.testing.assert_allclose([float(row[1]) for row in buckets], edges[:-1])
    assert saved["Picture (PNG)"].startswith(b"\x89PNG")
    assert b"<svg" in saved["Drawing (SVG)"][:100]
    assert b"conv1.weight" in saved["Drawing (SVG)"]


def test_no_serious_barrier(
    known: Dashboard,
    visit: Visits,
    axe: str,  # noqa: F811
) -> None:
    for theme, language in (("light", "en-US"), ("dark", "zh-CN")):
        page = visit(known, "/distributions?runs=all", color_scheme=theme, locale=language)
        page.locator(".pane canvas").first.wait_for()
        assert barriers(page, axe) == []
        page = visit(known, "/distributions?runs=all&tag=conv1", color_scheme=theme, locale=language)
        wait_until_inked(page.locator(".at-large .main-card"))
        assert barriers(page, axe) == []
        page.locator(".main-card .acts > button").first.click()
        page.locator("table").first.wait_for()
        assert barriers(page, axe) == []


@pytest.mark.parametrize("size", [(1440, 900), (1024, 768), (720, 450)])
def test_nothing_hangs_over_the_edge(known: Dashboard, visit: Visits, size: tuple[int, int]) -> None:
    page = visit(known, "/distributions?runs=all", viewport={"width": size[0], "height": size[1]})
    page.locator(".card canvas").first.wait_for()
    wide = page.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")
    assert wide[0] <= wide[1]


def test_real_files(real_data: Path, start_dashboard: StartDashboard, visit: Visits, tmp_path: Path) -> None:
    base = tmp_path / "real"
    shutil.copytree(real_data / "mindspore" / "lenet" / "adam_lr001_b32", base / "lenet", copy_function=shutil.copyfile)
    dashboard = start_dashboard(base)
    wait_until(lambda: "conv1.weight/auto" in tags(dashboard), 60, "reading the real file")
    page = visit(dashboard, "/distributions")
    expect(page.get_by_role("group", name=re.compile("enlarged"))).to_contain_text("150 values")
    page.get_by_role("button", name="Close the large view").click()
    layer = card(page, "fc1")
    parts = (layer.get_by_role("group", name=name, exact=True) for name in ("weight/auto", "bias/auto"))
    for of in (card(page, "conv1.weight/auto"), card(page, "conv2.weight/auto"), *parts):
        wait_until_inked(of)
        expect(of).to_contain_text(re.compile(r"median .*, half in .* to .*, nine tenths in"))
