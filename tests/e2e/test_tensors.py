"""Tensors in the browser: slices, jumps, comparison, files, levels of detail; known arrays, and MindSpore's files."""

from __future__ import annotations

import io
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
from .pages import reload
from .test_accessibility import axe, barriers  # noqa: F401  (a fixture)
from .visits import Visits

NAN_AT = (101, 74, 1, 2)


def gradient(step: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    """Known everywhere: the number of the element, moved by the step in one place, and with NaN and Inf at step 20."""
    array = (np.arange(160 * 120 * 3 * 4).reshape(160, 120, 3, 4) / 1000).astype(np.float32)
    if step >= 10:
        array[5, 6, 0, 0] += 1
    if step >= 20:
        array[NAN_AT] = np.nan
        array[7, 8, 0, 0] = np.inf
    return array


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dashboard]:
    """Two runs with tensors of four axes at three steps, one with a large matrix besides, and a scalar tensor."""
    base = tmp_path_factory.mktemp("tensors")
    for name in ("first", "second"):
        with SummaryWriter(base / name) as writer:
            for step in (0, 10, 20):
                writer.add_tensor("grad/conv.weight", gradient(step) * (2 if name == "second" else 1), step)
            if name == "first":
                writer.add_tensor("matrix", np.arange(2000 * 1500, dtype=np.float32).reshape(2000, 1500), 20)
                writer.add_tensor("scale", np.float64(0.1), 20)
    with Dashboard.start(base) as dashboard:
        wait_until(
            lambda: len(dashboard.get_json("/api/tensors/tags")["tags"]) == 3, timeout=30, what="tensors that were read"
        )
        yield dashboard


def run_id(dashboard: Dashboard, name: str) -> str:
    return str(next(run["id"] for run in dashboard.get_json("/api/runs")["results"] if run["name"] == name)[:12])


def grid(page: Page) -> Locator:
    return page.get_by_role("grid")


def wait_until_drawn(page: Page) -> None:
    expect(page.locator("[role=grid][data-drawn=true]")).to_be_visible(timeout=20_000)


def the_cell(page: Page) -> Locator:
    """The screen reader text of the cell cursor."""
    return grid(page).get_by_role("gridcell")


def open_gradient(visit: Visits, dashboard: Dashboard, query: str = "") -> Page:
    page = visit(dashboard, f"/tensors?tensor={run_id(dashboard, 'first')}~grad/conv.weight&panel=open{query}")
    wait_until_drawn(page)
    return page


def test_a_slice_shows_what_was_written(known: Dashboard, visit: Visits) -> None:
    page = open_gradient(visit, known, "&slice=[:, :, 1, 2]&cell=3.4")
    expect(the_cell(page)).to_have_text(f"[3, 4, 1, 2]: {gradient(20)[3, 4, 1, 2]:.4g}"[:28], timeout=10_000)
    figures = page.get_by_label("Statistics of the slice")
    expect(figures).to_contain_text("NaN1")
    field = page.get_by_role("combobox", name="Slice")
    field.fill("[::2, 7, :, -1]")
    field.press("Enter")
    expect(grid(page)).to_have_attribute("aria-rowcount", "80")
    expect(grid(page)).to_have_attribute("aria-colcount", "3")
    page.wait_for_url(re.compile("slice="))
    field.fill("[:, 500]")
    expect(page.get_by_text("Index 500 is outside axis 1, which has 120 entries.")).to_be_visible()
    field.press("Escape")
    field.press("Escape")
    expect(field).to_have_value("[::2, 7, :, 3]")


def test_statistics_are_of_the_slice_and_beside_them_of_the_whole(known: Dashboard, visit: Visits) -> None:
    page = open_gradient(visit, known, "&slice=[:, :, 1, 2]")
    figures = page.get_by_label("Statistics of the slice")
    part, whole = gradient(20)[:, :, 1, 2], gradient(20)
    for name, of in (("mean", np.mean), ("std", np.std)):
        figure = figures.locator("div").filter(has=page.get_by_text(name, exact=True))
        expect(figure.locator("dd")).to_have_text(f"{of(part[np.isfinite(part)], dtype=float):#.4g}", timeout=10_000)
        expect(figure).to_have_attribute(
            "title", re.compile(re.escape(f"{of(whole[np.isfinite(whole)], dtype=float):#.4g}"))
        )


def test_keys_move_the_cell_and_zoom(known: Dashboard, visit: Visits) -> None:
    page = open_gradient(visit, known, "&slice=[:, :, 0, 0]")
    grid(page).focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowRight", "Shift+ArrowDown"):
        page.keyboard.press(key)
    expect(the_cell(page)).to_contain_text("[12, 1, 0, 0]")
    page.keyboard.press("Control+End")
    expect(the_cell(page)).to_contain_text("[159, 119, 0, 0]: 230.4")
    page.keyboard.press("0")
    expect(page.get_by_role("radio", name="Heat map")).to_be_checked()
    wait_until_drawn(page)
    for _ in range(12):
        page.keyboard.press("+")
    expect(page.get_by_role("radio", name="Grid")).to_be_checked()
    page.wait_for_url(re.compile(r"cell=159\.119"))


def test_jumps_go_to_the_next_nan_wherever_it_is(known: Dashboard, visit: Visits) -> None:
    page = open_gradient(visit, known, "&slice=[:, :, 0, 0]")
    page.locator("#main").focus()
    page.keyboard.press("n")
    expect(the_cell(page)).to_have_text(f"[{', '.join(map(str, NAN_AT))}]: NaN")
    expect(page.get_by_role("combobox", name="Slice")).to_have_value("[:, :, 1, 2]")
    expect(page.get_by_text("the slice was moved there")).to_be_visible()
    page.get_by_role("button", name="max", exact=True).click()
    expect(the_cell(page)).to_contain_text("[159, 119, 1, 2]: 230.4")
    page.keyboard.press("i")
    expect(the_cell(page)).to_have_text("[7, 8, 0, 0]: Inf")


def test_the_step_cursor_chooses_the_tensor(known: Dashboard, visit: Visits) -> None:
    page = open_gradient(visit, known, "&slice=[:, :, 1, 2]&cell=101.74&at=15")
    expect(page.get_by_text("step 10 (requested 15)")).to_be_visible()
    expect(the_cell(page)).to_contain_text(f"{float(gradient(10)[NAN_AT]):.1f}")
    page.get_by_role("button", name="Next logged step").click()
    expect(the_cell(page)).to_contain_text("NaN")


def test_two_steps_and_two_runs_are_compared(known: Dashboard, visit: Visits) -> None:
    page = open_gradient(visit, known, "&slice=[:, :, 0, 0]&at=10")
    with_ = page.get_by_role("combobox", name="Compare with")
    with_.select_option("previous")
    expect(page.get_by_text("1 of 19,200 outside")).to_be_visible()
    page.get_by_role("button", name="[5, 6]").click()
    expect(the_cell(page)).to_contain_text("[5, 6, 0, 0]")
    page.get_by_role("textbox", name="Absolute tolerance").fill("2")
    page.get_by_role("textbox", name="Absolute tolerance").press("Enter")
    expect(page.get_by_text("all 19,200 elements within")).to_be_visible()
    with_.select_option(f"run~{run_id(known, 'second')}")
    expect(page.get_by_text(re.compile("of 19,200 outside"))).to_be_visible()
    page.get_by_label("Show the signed difference in the grid").check()
    wait_until_drawn(page)
    expect(the_cell(page)).to_contain_text(f"\N{MINUS SIGN}{float(gradient(10)[5, 6, 0, 0]):.3f}"[:6])


def test_a_slice_is_taken_along(known: Dashboard, visit: Visits) -> None:
    page = open_gradient(visit, known, "&slice=[3:9, 5, ::-1, 2]")
    with page.expect_download() as npy:
        page.get_by_role("link", name=".npy", exact=True).click()
    assert npy.value.suggested_filename == "grad_conv.weight-20.npy"
    np.testing.assert_array_equal(np.load(npy.value.path()), gradient(20)[3:9, 5, ::-1, 2])
    with page.expect_download() as text:
        page.get_by_role("link", name=".csv", exact=True).click()
    found = np.loadtxt(io.BytesIO(Path(text.value.path()).read_bytes()), delimiter=",", dtype=np.float32)
    np.testing.assert_array_equal(found, gradient(20)[3:9, 5, ::-1, 2])


def test_millions_of_elements_are_looked_at_through_tiles(known: Dashboard, visit: Visits) -> None:
    page = visit(known, f"/tensors?tensor={run_id(known, 'first')}~matrix&view=heat")
    sent: list[int] = []
    page.on("response", lambda response: sent.append(len(response.body())) if "/tile?" in response.url else None)
    reload(page)
    wait_until_drawn(page)
    # Playwright hands over what has come meanwhile only while it is asked something.
    wait_until(lambda: grid(page).is_visible() and len(sent) > 1, 15, "tiles")
    assert sum(sent) < 8_000_000, "3 million elements of 4 bytes would be 12 MB"
    before = float(grid(page).get_attribute("data-zoom") or 0)
    box = grid(page).bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    for _ in range(10):
        page.mouse.wheel(0, -240)
    expect(page.get_by_role("radio", name="Grid")).to_be_checked()
    wait_until(lambda: float(grid(page).get_attribute("data-zoom") or 0) > before, 10, "a closer look")
    wait_until_drawn(page)


def test_a_table_says_the_same(known: Dashboard, visit: Visits) -> None:
    page = open_gradient(visit, known, "&slice=[:, :, 0, 0]&view=grid")
    page.locator("#main").focus()
    page.keyboard.press("t")
    table = page.get_by_role("table")
    expect(table).to_have_attribute("aria-rowcount", "161")
    expect(table.get_by_role("row").nth(1)).to_contain_text("0.01200")
    page.get_by_role("button", name="Rows after").click()
    expect(table.get_by_role("row").nth(1)).to_have_attribute("aria-rowindex", "34")


def test_tensors_of_mindspore(real_data: Path, start_dashboard: StartDashboard, visit: Visits, tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    shutil.copytree(real_data / "mindspore" / "tensors", tmp_path / "runs" / "lenet")
    dashboard = start_dashboard(tmp_path / "runs")
    wait_until(lambda: len(dashboard.get_json("/api/tensors/tags")["tags"]) == 4, 30, "four tensors")
    page = visit(dashboard, "/tensors")
    for tag in ("conv_act", "conv_weight", "labels", "logits"):
        listed = page.get_by_role("listbox", name="Tensors")
        listed.get_by_role("option", name=re.compile(f"^{tag}")).click()
        expect(page.get_by_role("heading", name=tag)).to_be_visible()
        wait_until_drawn(page)
        expect(page.get_by_label("Statistics of the slice")).to_contain_text("std")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("view", ["grid", "heat", "histogram", "table"])
def test_there_are_no_barriers(known: Dashboard, visit: Visits, axe: str, theme: str, view: str) -> None:  # noqa: F811
    path = f"/tensors?tensor={run_id(known, 'first')}~grad/conv.weight&with=previous&view={view}&panel=open"
    page = visit(known, path, color_scheme=theme)
    page.get_by_text(re.compile("of 19,200 outside")).wait_for()
    assert barriers(page, axe) == []
