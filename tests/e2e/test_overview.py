"""The training overview: everything of one run on a page, live, of our files and of real ones."""

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

from .conftest import StartDashboard, StartTraining
from .pages import all_read, newest_step
from .visits import Visits


@pytest.fixture(scope="module")
def real(real_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dashboard]:
    base = tmp_path_factory.mktemp("real")
    shutil.copytree(real_data / "tensorboard" / "adam_lr0.001", base / "torch", copy_function=shutil.copyfile)
    shutil.copytree(real_data / "mindspore" / "lenet" / "adam_lr001_b32", base / "lenet", copy_function=shutil.copyfile)
    with Dashboard.start(base) as dashboard:
        wait_until(lambda: all_read(dashboard, 2), 60, "reading the real files")
        yield dashboard


def address_of(dashboard: Dashboard, name: str) -> str:
    """The overview of a run."""
    run = next(one for one in dashboard.get_json("/api/runs")["results"] if one["name"] == name)
    return f"/overview?run={run['id'][:12]}"


def tile(page: Page, name: str) -> Locator:
    return page.get_by_role("main").get_by_role("region", name=name, exact=True).first


def test_a_pytorch_run(real: Dashboard, visit: Visits) -> None:
    page = visit(real, address_of(real, "torch"))
    expect(tile(page, "Progress")).to_contain_text("138")
    expect(tile(page, "Scalars").locator("canvas").first).to_be_visible()
    expect(tile(page, "Scalars")).to_contain_text("loss/train")
    picture = tile(page, "Images").get_by_role("img")
    expect(picture).to_have_attribute("alt", "batch at step 138")
    page.wait_for_function("() => document.querySelector('.tile img').naturalWidth > 0")
    expect(tile(page, "Distributions").locator("svg path").first).to_be_attached()
    expect(tile(page, "Text").get_by_role("heading", name="Digits")).to_be_visible()
    expect(tile(page, "Hyper-parameters")).to_contain_text("Adam")
    expect(tile(page, "Metrics")).to_contain_text("accuracy/val")


def test_a_mindspore_run_says_what_it_does_not_record(real: Dashboard, visit: Visits) -> None:
    page = visit(real, address_of(real, "lenet"))
    expect(tile(page, "Images").get_by_role("img")).to_have_attribute("alt", re.compile("^input_data/auto at step"))
    expect(tile(page, "Text")).to_contain_text("add_text")
    expect(tile(page, "Hyper-parameters")).to_contain_text("learning_rate")


def test_tiles_lead_to_their_pages_with_run_and_step(real: Dashboard, visit: Visits) -> None:
    page = visit(real, address_of(real, "torch") + "&at=100")
    tile(page, "Distributions").get_by_role("link", name="Open Distributions of this run").click()
    expect(page).to_have_url(re.compile(r"/distributions\?(?=.*runs=[0-9a-f]{4,})(?=.*at=100)"))
    page.go_back()
    tile(page, "Scalars").get_by_role("link", name="loss/train").click()
    expect(page).to_have_url(re.compile(r"/scalars\?(?=.*tag=\^loss/train\$)"))
    expect(page.get_by_role("region", name="loss/train", exact=True)).to_be_visible()


def test_tiles_show_what_was_recorded_by_the_step_cursor(
    start_dashboard: StartDashboard, visit: Visits, tmp_path: Path
) -> None:
    with SummaryWriter(tmp_path / "summaries" / "run") as writer:
        for step in range(1, 31):
            writer.add_scalar("loss", step / 4, step)
        for step in (10, 20, 30):
            writer.add_image("picture", np.full((4, 4, 3), step, np.uint8), step, dataformats="HWC")
            writer.add_text("note", f"written at {step}", step)
            writer.add_histogram("weight", np.arange(100.0) * step, step)
    page = visit(start_dashboard(), "/overview?at=22")
    picture = tile(page, "Images")
    expect(picture.get_by_role("img")).to_have_attribute("alt", re.compile("at step 20"))
    expect(picture).to_contain_text("▲ step 20")
    expect(tile(page, "Text")).to_contain_text("written at 20")
    expect(tile(page, "Distributions").locator(".says")).to_have_attribute("title", "step 20")
    expect(tile(page, "Scalars").locator("figcaption b")).to_have_text("5.500")
    newest_step(page).press("Home")
    for name in ("Images", "Text", "Distributions"):
        expect(tile(page, name)).to_contain_text("Nothing recorded by this step")
    newest_step(page).press("End")
    expect(picture.get_by_role("img")).to_have_attribute("alt", re.compile("at step 30"))
    expect(tile(page, "Text")).to_contain_text("written at 30")


def test_keys_go_from_run_to_run(real: Dashboard, visit: Visits) -> None:
    page = visit(real, "/runs")
    expect(page.get_by_role("row").nth(1)).to_be_visible()
    page.keyboard.press("g")
    page.keyboard.press("o")
    choice = page.get_by_role("combobox", name="Run")
    # Until the runs are there nothing is chosen, and the keys have nothing to go through.
    expect(choice).to_have_value(re.compile(r"\d+"))
    first = choice.input_value()
    page.keyboard.press("j")
    expect(choice).not_to_have_value(first)
    page.keyboard.press("k")
    expect(choice).to_have_value(first)


def test_it_is_live_and_nothing_moves(
    start_dashboard: StartDashboard, start_training: StartTraining, visit: Visits, tmp_path: Path
) -> None:
    training = start_training(tmp_path / "summaries" / "run", "loss", "accuracy")
    training.write(10)
    page = visit(start_dashboard(), "/overview")
    expect(tile(page, "Progress")).to_contain_text("running")
    expect(tile(page, "Scalars").locator("canvas").first).to_be_visible()
    before = {name: tile(page, name).bounding_box() for name in ("Scalars", "Images", "Files")}
    training.write(200)
    expect(tile(page, "Progress")).to_contain_text("210")
    with SummaryWriter(tmp_path / "summaries" / "run") as writer:
        writer.add_image("picture", np.zeros((4, 4, 3), np.uint8), 210, dataformats="HWC")
    expect(tile(page, "Images").get_by_role("img")).to_be_visible()
    assert before == {name: tile(page, name).bounding_box() for name in before}


def test_an_empty_directory_and_a_link_to_nothing(
    start_dashboard: StartDashboard, visit: Visits, real: Dashboard
) -> None:
    page = visit(start_dashboard(), "/overview")
    expect(page.get_by_text("No runs yet")).to_be_visible()
    page = visit(real, "/overview?run=ffffffffffff")
    page.get_by_role("button", name="Show the newest run").click()
    expect(tile(page, "Progress")).to_be_visible()
