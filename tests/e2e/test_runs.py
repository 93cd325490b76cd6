"""The runs page: queries, columns, groups, marks, baseline, comparison, archive, export."""

from __future__ import annotations

import csv
import io
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from summaries import SummaryWriter
from tests.dashboard import Dashboard

from .conftest import StartDashboard
from .pages import reload, row
from .training import write_run
from .visits import Troubles, Visits

# Name, optimizer, learning rate, and accuracy by step.
RUNS = [
    ("adam_01", "adam", 0.1, [0.2, 0.7, 0.6]),
    ("adam_001", "adam", 0.01, [0.3, 0.8, 0.9]),
    ("sgd_01", "sgd", 0.1, [0.1, 0.4, 0.5]),
    ("sgd_001", "sgd", 0.01, [0.1, 0.2, float("nan")]),
]
COLUMNS = "cols=@step,max(acc),last(acc),lr,optimizer"


def write(base: Path) -> None:
    """Writes the runs of the table above."""
    for name, optimizer, rate, values in RUNS:
        with SummaryWriter(base / name) as writer:
            writer.add_hparams({"optimizer": optimizer, "lr": rate}, {})
            for step, value in enumerate(values):
                writer.add_scalar("acc", value, step)


@pytest.fixture(scope="module")
def untouched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dashboard]:
    """Those runs, for tests that only look at them."""
    base = tmp_path_factory.mktemp("runs")
    write(base)
    with Dashboard.start(base) as started:
        yield started


@pytest.fixture
def dashboard(start_dashboard: StartDashboard) -> Dashboard:
    """Those runs, for a test that changes something of them."""
    started = start_dashboard()
    write(started.base_directory)
    return started


def names(page: Page) -> list[str]:
    """The runs that are listed, from top to bottom."""
    return page.locator("table.runs tbody tr[id^=run-] .c-name .name").all_inner_texts()


def see(page: Page, *expected: str) -> None:
    """Waits until exactly these runs are listed, in this order."""
    expect(page.locator("table.runs tbody tr[id^=run-] .c-name .name")).to_have_text(list(expected))


def query(page: Page) -> Locator:
    return page.get_by_role("combobox", name="Find runs by name or query")


def test_a_query_finds_runs_and_says_how_many(untouched: Dashboard, visit: Visits) -> None:
    page = visit(untouched, f"/runs?sort=name&{COLUMNS}")
    see(page, "adam_001", "adam_01", "sgd_001", "sgd_01")
    query(page).fill("lr < 0.05 and max(acc) > 0.5")
    see(page, "adam_001")
    expect(page.locator(".query .count")).to_have_text(re.compile(r"^1 of 4 · \d+ ms$"))
    query(page).fill("optimizer = sgd")
    see(page, "sgd_001", "sgd_01")
    expect(page).to_have_url(re.compile(r"q=optimizer"))


def test_a_query_is_completed_by_keys_and_errors_point_at_their_place(
    untouched: Dashboard, visit: Visits, troubles: Troubles
) -> None:
    troubles.expect(r"status of 400")
    troubles.expect(r"/api/runs/order\?query=optimizer")
    page = visit(untouched, "/runs")
    query(page).click()
    page.keyboard.type("opt")
    expect(page.get_by_role("option", name=re.compile("^optimizer"))).to_be_visible()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    expect(query(page)).to_have_value("optimizer ")
    page.keyboard.type("= ")
    expect(page.get_by_role("alert")).to_contain_text("Character 12: expected a number or a text")
    expect(query(page)).to_have_attribute("aria-invalid", "true")
    page.keyboard.type("adam")
    expect(page.get_by_role("alert")).to_have_count(0)
    expect(page.locator(".query .count")).to_contain_text("2 of 4")


def test_errors_of_queries_are_chinese_on_the_chinese_page(
    untouched: Dashboard, visit: Visits, troubles: Troubles
) -> None:
    troubles.expect(r"status of 400")
    page = visit(untouched, "/runs?q=lr+%3C+1+state%3Acrash", locale="zh-CN")
    expect(page.get_by_role("alert")).to_contain_text("“and”、“or”或结尾")
    expect(page.locator(".mirror .bad")).to_have_text("state")
    page.goto(f"{untouched.address}/scalars")
    page.get_by_role("main").wait_for()
    page.get_by_role("searchbox", name="筛选训练").fill("state = crash")
    expect(page.get_by_role("alert")).to_contain_text("running, finished, crashed, stalled")
    expect(page.get_by_role("alert")).to_contain_text("之一")


def test_heads_sort_and_move_and_the_address_remembers(untouched: Dashboard, visit: Visits) -> None:
    page = visit(untouched, f"/runs?{COLUMNS}")
    page.get_by_role("button", name="acc max").click()
    see(page, "adam_001", "adam_01", "sgd_01", "sgd_001")
    expect(row(page, "sgd_001").locator("td.c-value").nth(1)).to_contain_text("NaN")
    page.get_by_role("button", name="lr", exact=True).press("Alt+ArrowLeft")
    heads = page.locator("table.runs thead th .head > .trunc")
    expect(heads).to_have_text(["Name", "Step", "acc", "lr", "acc", "optimizer"])
    reload(page)
    expect(heads).to_have_text(["Name", "Step", "acc", "lr", "acc", "optimizer"])
    see(page, "adam_001", "adam_01", "sgd_01", "sgd_001")


def test_columns_are_chosen_from_what_any_run_has(untouched: Dashboard, visit: Visits) -> None:
    page = visit(untouched, "/runs?sort=name")
    page.get_by_role("button", name="8 columns: choose").click()
    panel = page.get_by_role("complementary", name="Columns and groups")
    panel.get_by_role("button", name="acc mean").click()
    panel.get_by_role("checkbox", name="lr").uncheck()
    expect(row(page, "adam_01").locator("td.c-value")).to_have_text(["0.7000", "adam", "0.5000"])
    reload(page)
    expect(row(page, "adam_01").locator("td.c-value")).to_have_text(["0.7000", "adam", "0.5000"])


def test_groups_tell_mean_and_deviation_and_fold(untouched: Dashboard, visit: Visits) -> None:
    page = visit(untouched, f"/runs?{COLUMNS}&group=optimizer&sort=name")
    group = page.locator("tr.group").first
    expect(group).to_contain_text("optimizer adam 2 runs")
    expect(group.locator("td.c-value").first).to_contain_text("0.8000 ±0.14")
    see(page, "adam_001", "adam_01", "sgd_001", "sgd_01")
    group.click()
    expect(group).to_have_attribute("aria-expanded", "false")
    see(page, "sgd_001", "sgd_01")


def test_tags_notes_and_colours_outlive_the_dashboard_and_notes_cannot_do_harm(
    start_dashboard: StartDashboard, visit: Visits, tmp_path: Path
) -> None:
    dashboard = start_dashboard(workspace=tmp_path / "workspace")
    write(dashboard.base_directory)
    page = visit(dashboard, "/runs")
    row(page, "adam_01").click()
    page.get_by_role("button", name="+ tag").click()
    page.keyboard.type("候选")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Remove the tag 候选")).to_be_visible()
    page.get_by_role("button", name="Write a note").click()
    page.keyboard.type("# Next\n\n**repeat** with <img src=x onerror=alert(1)> `5` seeds")
    page.keyboard.press("Control+Enter")
    expect(page.locator(".note strong")).to_have_text("repeat")
    expect(page.locator(".note h3")).to_have_text("Next")
    assert page.locator(".note img").count() == 0
    page.get_by_role("button", name="green").click()
    expect(page.get_by_role("button", name="green")).to_have_attribute("aria-pressed", "true")
    page.goto(dashboard.address + "/runs?q=" + "tag:候选")
    see(page, "adam_01")

    page.close()
    dashboard.stop()
    page = visit(start_dashboard(workspace=tmp_path / "workspace"), "/runs?q=tag:候选")
    see(page, "adam_01")
    row(page, "adam_01").click()
    expect(page.locator(".note strong")).to_have_text("repeat")
    expect(page.get_by_role("button", name="green")).to_have_attribute("aria-pressed", "true")


def test_the_baseline_is_what_others_are_held_against(dashboard: Dashboard, visit: Visits) -> None:
    page = visit(dashboard, f"/runs?{COLUMNS}&sort=name")
    row(page, "adam_01").click()
    details = page.get_by_role("complementary", name="Run adam_01")
    details.get_by_role("button", name="Set as baseline").click()
    expect(row(page, "adam_001").locator(".delta").first).to_have_text("+0.2")
    row(page, "adam_001").click()
    inspector = page.get_by_role("complementary", name="Run adam_001")
    expect(inspector).to_contain_text("Differs from baseline in 1 of 2 parameters")
    expect(inspector.locator(".diff").first).to_contain_text("lr")


def test_clicks_select_rows_and_two_are_compared(untouched: Dashboard, visit: Visits) -> None:
    page = visit(untouched, "/runs?sort=name")
    row(page, "adam_001").click()
    bar = page.get_by_role("toolbar", name="Selected runs")
    expect(bar).to_contain_text("Select one more run")
    row(page, "sgd_001").click(modifiers=["Shift"])
    expect(bar).to_contain_text("3 selected")
    row(page, "adam_01").get_by_role("checkbox").uncheck()
    bar.get_by_role("button", name="Compare").click()
    expect(page.get_by_role("complementary", name="Comparison of 2 runs")).to_be_visible()


def test_a_directory_that_is_not_text_is_shown_and_renamed(start_dashboard: StartDashboard, visit: Visits) -> None:
    started = start_dashboard()
    for name in (b"trial_\xff", b"trial_1"):
        with SummaryWriter(os.fsdecode(os.fsencode(started.base_directory) + b"/batch/" + name)) as writer:
            writer.add_scalar("Accuracy", 0.5, 1)
    page = visit(started, "/runs?sort=name")
    see(page, "trial_1", "trial_\\xff")
    expect(page.locator("th.c-name")).to_contain_text("in batch/")
    row(page, "trial_\\xff").click()
    page.get_by_role("button", name="Rename the run").click()
    page.get_by_role("textbox", name="Name of batch/trial_\\xff").fill("not text")
    page.keyboard.press("Enter")
    see(page, "trial_1", "not text")
    page.get_by_role("button", name="Undo", exact=True).click()
    see(page, "trial_1", "trial_\\xff")
    query(page).fill("accuracy > 0.1")
    see(page, "trial_1", "trial_\\xff")


def test_a_selection_is_compared_by_keys(untouched: Dashboard, visit: Visits) -> None:
    page = visit(untouched, "/runs?sort=name")
    see(page, "adam_001", "adam_01", "sgd_001", "sgd_01")
    for key in ("j", "x", "j", "j", "X"):
        page.keyboard.press(key)
    expect(page.get_by_role("toolbar", name="Selected runs")).to_contain_text("3 selected")
    page.keyboard.press("c")
    drawer = page.get_by_role("complementary", name="Comparison of 3 runs")
    expect(drawer.locator(".loss canvas").first).to_be_visible()
    expect(drawer.locator(".loss li")).to_have_count(2)
    expect(drawer.get_by_role("link", name="Show these in charts")).to_have_attribute("href", re.compile("/scalars"))
    expect(drawer.locator("tbody tr").nth(1)).to_contain_text("lr")
    expect(drawer.locator("tbody tr").nth(2)).to_contain_text("optimizer")
    expect(page).to_have_url(re.compile("compare="))
    page.keyboard.press("Escape")
    expect(drawer).to_have_count(0)


def test_an_archived_run_is_out_of_sight_until_it_comes_back(dashboard: Dashboard, visit: Visits) -> None:
    page = visit(dashboard, "/runs?sort=name")
    see(page, "adam_001", "adam_01", "sgd_001", "sgd_01")
    page.keyboard.press("j")
    page.keyboard.press("A")
    see(page, "adam_01", "sgd_001", "sgd_01")
    page.get_by_role("button", name="1 in the archive").click()
    see(page, "adam_001")
    page.keyboard.press("j")
    page.keyboard.press("A")
    page.get_by_role("button", name="Back to the runs").click()
    see(page, "adam_001", "adam_01", "sgd_001", "sgd_01")


def test_a_pinned_run_stands_first(dashboard: Dashboard, visit: Visits) -> None:
    page = visit(dashboard, "/runs?sort=name")
    see(page, "adam_001", "adam_01", "sgd_001", "sgd_01")
    page.keyboard.press("End")
    row(page, "sgd_01").click()
    page.keyboard.press("p")
    see(page, "sgd_01", "adam_001", "adam_01", "sgd_001")


def test_the_list_is_taken_away_as_it_stands(untouched: Dashboard, visit: Visits) -> None:
    page = visit(untouched, f"/runs?{COLUMNS}&sort=-max(acc)&q=adam")
    see(page, "adam_001", "adam_01")
    page.keyboard.press("e")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download CSV").click()
    rows = list(csv.DictReader(io.StringIO(download.value.path().read_text(encoding="utf-8"))))
    assert [(one["name"], float(one["acc max"]), one["optimizer"]) for one in rows] == [
        ("adam_001", pytest.approx(0.9), "adam"), ("adam_01", pytest.approx(0.7), "adam"),
    ]  # fmt: skip
    with page.expect_download() as download:
        page.get_by_role("button", name="Download JSON").click()
    assert [one["lr"] for one in json.loads(download.value.path().read_text(encoding="utf-8"))] == [0.01, 0.1]


def test_a_new_run_appears_by_itself(dashboard: Dashboard, visit: Visits) -> None:
    page = visit(dashboard, "/runs?q=late")
    expect(page.get_by_text("No run matches “late”")).to_be_visible()
    write_run(dashboard.base_directory / "late", {"loss": [1.0]})
    see(page, "late")
