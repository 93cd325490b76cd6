"""Images as a person sees them: at a step, closely, two against each other; of our files and of real ones."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Locator, Page, expect

from summaries import SummaryWriter
from tests.dashboard import Dashboard, wait_until
from tests.mindinsight.images.pictures import old_image, picture, tensorboard_file

from .conftest import StartDashboard
from .pages import reload
from .test_accessibility import axe, barriers
from .visits import Visits

__all__ = ["axe"]

SIDE = 8
STEPS = {"first": (0, 10, 20, 30), "second": (0, 15, 30)}


def pixels(run: str, step: int) -> Any:
    """A picture whose red encodes the column, green the row, blue run and step."""
    array = np.zeros((SIDE, SIDE, 3), np.uint8)
    array[..., 0] = np.arange(SIDE) * 10
    array[..., 1] = np.arange(SIDE)[:, None] * 10
    array[..., 2] = step + (100 if run == "second" else 0)
    return array


def write(base: Path) -> None:
    """Writes the pictures of the table above, and a run with one that is none."""
    for run, steps in STEPS.items():
        with SummaryWriter(base / run) as writer:
            for step in steps:
                writer.add_image("val/sample", pixels(run, step), step, dataformats="HWC")
    hostile = b"<svg xmlns='http://www.w3.org/2000/svg' onload='document.title = 1'/>"
    events = [old_image("hostile", 0, hostile), old_image("fine", 0, picture("JPEG", 40, 20))]
    tensorboard_file(base / "third" / "events.out.tfevents.1.host", events)


@pytest.fixture(scope="module")
def dashboard(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dashboard]:
    """Those pictures, for tests that only look at them."""
    base = tmp_path_factory.mktemp("images")
    write(base)
    with Dashboard.start(base) as dashboard:
        wait_until(lambda: len(dashboard.get_json("/api/images/tags")["tags"]) == 3, 30, "reading the images")
        yield dashboard


def cell(page: Page, tag: str, run: str) -> Locator:
    return page.get_by_role("figure", name=f"{tag} of {run}", exact=True)


def test_one_step_for_all(dashboard: Dashboard, visit: Visits) -> None:
    page = visit(dashboard, "/images?at=15&tag=val|fine")
    expect(cell(page, "val/sample", "second")).to_contain_text(re.compile("step 15 ?8 . 8"))
    expect(cell(page, "val/sample", "first")).to_contain_text("▲ 10, requested 15")
    page.keyboard.press("ArrowRight")
    expect(cell(page, "val/sample", "first")).to_contain_text(re.compile("step 20 ?8 . 8"))
    expect(cell(page, "val/sample", "second")).to_contain_text("▲ 15, requested 20")
    film = page.get_by_role("region", name=re.compile("Recorded steps of"))
    page.get_by_role("button", name="val/sample", exact=True).click()
    expect(film).to_contain_text(re.compile("[34] recorded steps"))
    film.get_by_role("button", name="step 0", exact=True).click()
    expect(cell(page, "val/sample", "first")).to_contain_text(re.compile("step 0 ?8 . 8"))


def test_pixels_have_values_and_one_zoom(dashboard: Dashboard, visit: Visits) -> None:
    page = visit(dashboard, "/images?at=30&tag=val")
    frame = cell(page, "val/sample", "first").get_by_role("group")
    # Both pictures have found their places.
    for run in ("first", "second"):
        expect(cell(page, "val/sample", run).get_by_role("img")).to_be_visible()
    box = frame.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] * 5.5 / SIDE, box["y"] + box["height"] * 2.5 / SIDE)
    expect(cell(page, "val/sample", "first")).to_contain_text("5, 2: 50 20 30")
    expect(cell(page, "val/sample", "second")).to_contain_text("5, 2: 50 20 130")
    page.mouse.down()
    page.mouse.up()
    page.mouse.wheel(0, -600)
    expect(page).to_have_url(re.compile("zoom="))
    expect(cell(page, "val/sample", "second")).to_contain_text("5, 2: 50 20 130")
    page.mouse.move(0, 0)
    frame.focus()
    page.keyboard.press("0")
    expect(page).not_to_have_url(re.compile("zoom="))


def test_two_are_compared(dashboard: Dashboard, visit: Visits) -> None:
    page = visit(dashboard, "/images?at=30&tag=val")
    cell(page, "val/sample", "first").get_by_role("checkbox").check()
    cell(page, "val/sample", "second").get_by_role("checkbox").check()
    panel = page.get_by_role("complementary", name="Picture")
    expect(panel.get_by_role("img")).to_have_count(2)
    panel.get_by_role("radio", name="Difference").click()
    # Blue is higher by 100 everywhere: a third of it in the mean of the channels.
    expect(panel).to_contain_text("+33.33")
    colours = "(canvas) => [...canvas.getContext('2d').getImageData(3, 3, 1, 1).data]"
    red, _, blue, _ = panel.locator(".two canvas").evaluate(colours)
    assert red > blue
    panel.get_by_role("radio", name="Blink").click()
    expect(panel.get_by_role("figure")).to_contain_text("of second")
    expect(panel.get_by_role("figure")).to_contain_text("of first")
    reload(page)
    expect(panel.get_by_role("radio", name="Blink")).to_be_checked()


def test_a_curtain_and_pixels(dashboard: Dashboard, visit: Visits) -> None:
    page = visit(dashboard, "/images?at=30&tag=val&compare=swipe")
    cell(page, "val/sample", "first").get_by_role("checkbox").check()
    panel = page.get_by_role("complementary", name="Picture")
    panel.get_by_role("combobox", name="Channel").select_option("red")
    # The middle of a picture without a zoom: columns 0 to 7 of rows 2 to 6.
    expect(panel.get_by_role("row").first).to_have_text("010203040506070")
    expect(panel).to_contain_text(re.compile("8 . 8 · colour"))
    cell(page, "val/sample", "second").get_by_role("checkbox").check()
    curtain = panel.get_by_role("slider", name="Position of the curtain")
    curtain.focus()
    page.keyboard.press("Home")
    expect(panel.locator(".over")).to_have_css("clip-path", "inset(0px 0px 0px 0%)")


def test_steps_side_by_side(dashboard: Dashboard, visit: Visits) -> None:
    page = visit(dashboard, "/images?at=20&tag=val")
    page.get_by_role("combobox", name="Run").select_option("first")
    page.get_by_role("radio", name="By step").click()
    grid = page.get_by_role("region", name="Images by tag and run")
    expect(grid.get_by_role("figure")).to_have_count(4)
    expect(grid.get_by_role("img").nth(1)).to_have_attribute("alt", re.compile("step 10, 8 . 8"))
    expect(grid.locator(".run.here")).to_have_text("step 20")
    # The arrow keys of a choice belong to it as long as it has the focus.
    page.get_by_role("main").focus()
    page.keyboard.press("ArrowLeft")
    expect(grid.locator(".run.here")).to_have_text("step 10")


def test_light_changes_what_is_seen_and_not_the_values(dashboard: Dashboard, visit: Visits) -> None:
    page = visit(dashboard, "/images?at=30&tag=val")
    picture_of = cell(page, "val/sample", "first").get_by_role("img")
    expect(picture_of).to_have_css("filter", "none")
    before = picture_of.screenshot()
    page.keyboard.press("a")
    panel = page.get_by_role("complementary", name="Picture")
    panel.get_by_role("slider", name="Gamma").fill("2")
    expect(page).to_have_url(re.compile("gamma=2"))
    wait_until(lambda: picture_of.screenshot() != before, 5, "another look")
    box = picture_of.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] * 5.5 / SIDE, box["y"] + box["height"] * 2.5 / SIDE)
    expect(cell(page, "val/sample", "first")).to_contain_text("5, 2: 50 20 30")
    page.mouse.move(0, 0)
    # Nor does a key of the page reach it from a field.
    page.get_by_role("main").focus()
    page.keyboard.press("0")
    expect(picture_of).to_have_css("filter", "none")


def test_the_recorded_bytes_are_saved(dashboard: Dashboard, visit: Visits) -> None:
    page = visit(dashboard, "/images?at=10&tag=val")
    cell(page, "val/sample", "first").get_by_role("checkbox").check()
    with page.expect_download() as coming:
        page.get_by_role("link", name="Save file").click()
    saved = Image.open(coming.value.path())
    np.testing.assert_array_equal(np.asarray(saved), pixels("first", 10))
    assert coming.value.suggested_filename.startswith("first-val_sample-10")


def test_it_plays_every_recorded_step(dashboard: Dashboard, visit: Visits) -> None:
    page = visit(dashboard, "/images?tag=val&speed=2")
    expect(cell(page, "val/sample", "first")).to_contain_text("step 30")
    page.get_by_role("button", name="Play the recorded steps").click()
    expect(page.get_by_role("button", name="Pause playback")).to_be_visible()
    expect(page.get_by_role("button", name="Play the recorded steps")).to_be_visible()
    expect(cell(page, "val/sample", "first")).to_contain_text("step 30")


def test_what_is_no_picture_runs_nothing(dashboard: Dashboard, visit: Visits, troubles: Any) -> None:
    troubles.expect("415")
    page = visit(dashboard, "/images")
    expect(cell(page, "hostile", "third")).to_contain_text("not PNG, JPEG, GIF, BMP or WebP")
    expect(cell(page, "hostile", "third")).to_contain_text(re.compile(r"events.out.tfevents.1.host, byte \d+"))
    expect(cell(page, "fine", "third")).to_contain_text(re.compile("40 . 20"))
    expect(page).to_have_title("Images · MindInsight")


def test_a_new_image_appears(start_dashboard: StartDashboard, visit: Visits) -> None:
    dashboard = start_dashboard()
    write(dashboard.base_directory)
    page = visit(dashboard, "/images?tag=val")
    expect(cell(page, "val/sample", "first")).to_contain_text("step 30")
    with SummaryWriter(dashboard.base_directory / "first") as writer:
        writer.add_image("val/sample", pixels("first", 40), 40, dataformats="HWC")
    expect(cell(page, "val/sample", "first")).to_contain_text("step 40")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_no_barriers(dashboard: Dashboard, visit: Visits, troubles: Any, axe: str, theme: str) -> None:
    troubles.expect("415")
    runs = {run["name"]: run["id"][:12] for run in dashboard.get_json("/api/runs")["results"]}
    path = f"/images?at=15&compare=difference&a={runs['first']}~val/sample&b={runs['second']}~val/sample"
    page = visit(dashboard, path, color_scheme=theme, viewport={"width": 1024, "height": 768})
    expect(page.locator(".two canvas")).to_be_visible()
    expect(cell(page, "hostile", "third")).to_contain_text("not shown")
    assert barriers(page, axe) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_real_files(real_data: Path, start_dashboard: StartDashboard, visit: Visits, tmp_path: Path) -> None:
    base = tmp_path / "summaries"
    names = ("mindspore/lenet/adam_lr001_b32", "mindspore/tensors", "tensorboard/adam_lr0.001")
    for name in names:
        shutil.copytree(real_data / name, base / name, copy_function=shutil.copyfile)
    dashboard = start_dashboard(base)
    wait_until(lambda: len(dashboard.get_json("/api/images/tags")["tags"]) >= len(names), 60, "reading real files")
    page = visit(dashboard, "/images?runs=all")
    expect(cell(page, "input_data/auto", names[0]).get_by_role("img")).to_be_visible()
    expect(cell(page, "batch", names[2]).get_by_role("img")).to_be_visible()
    wait_until(
        lambda: page.evaluate("[...document.querySelectorAll('.cell img')].every((image) => image.naturalWidth > 0)"),
        10,
        "pictures",
    )
