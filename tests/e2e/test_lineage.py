"""Lineage in the browser: eight real trainings against their files, brushes by pointer and keys, signs that stay."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.dashboard import Dashboard, wait_until
from tests.mindinsight.lineage.test_real_lineage import LENET, noted_in, single

from .pages import reload
from .visits import Troubles, Visits

LENET_IN = Path("mindspore", "lenet")
COLUMNS = ("params.optimizer", "params.learning_rate", "params.batch_size", "metrics.loss")
AXES = "c:params.optimizer~l:params.learning_rate~c:params.batch_size~-l:metrics.loss~n:metrics.Accuracy"


@pytest.fixture(scope="module")
def sweep(real_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dashboard]:
    base = tmp_path_factory.mktemp("sweep")
    for name in LENET:
        # What lineage says stands in small files of its own.
        small = shutil.ignore_patterns("*_MS")
        shutil.copytree(real_data / LENET_IN / name, base / name, copy_function=shutil.copyfile, ignore=small)
    with Dashboard.start(base) as dashboard:
        wait_until(lambda: len(dashboard.get_json("/api/runs")["results"]) == len(LENET), 60, "reading the real files")
        yield dashboard


def rows(page: Page) -> Locator:
    return page.get_by_role("region", name="Runs").locator("tbody tr[id]")


def names(page: Page) -> list[str]:
    return rows(page).locator(".name").all_text_contents()


def settled(page: Page) -> Locator:
    figure = page.locator("figure.parallel[data-settled]")
    figure.wait_for()
    return figure


def test_real_runs_show_what_their_files_say_and_are_brushed(sweep: Dashboard, real_data: Path, visit: Visits) -> None:
    page = visit(sweep, f"/lineage?target=metrics.Accuracy&axes={AXES}&cols={'~'.join(COLUMNS)}")
    settled(page)
    expect(rows(page)).to_have_count(len(LENET))
    noted = {name: noted_in(real_data / LENET_IN / name) for name in LENET}
    accuracy = {name: said["metrics.Accuracy"] for name, said in noted.items()}
    best = sorted(accuracy.values(), reverse=True)
    assert [accuracy[name] for name in names(page)] == best
    for at, name in enumerate(names(page)):
        # The whole value stands in the tip of its cell.
        tips = rows(page).nth(at).locator("td[title]").evaluate_all("cells => cells.map((cell) => cell.title)")
        said = dict(zip(("metrics.Accuracy", *COLUMNS), tips, strict=True))
        assert said.pop("params.optimizer") == noted[name]["params.optimizer"]
        for column, text in said.items():
            assert noted[name][column] in (float(text), single(float(text))), (name, column)

    # By pointer: the upper part of the accuracy axis, which is the last one.
    stage, head = page.locator(".stage").bounding_box(), page.locator(".stage .head").last.bounding_box()
    assert stage
    assert head
    x = head["x"] + head["width"] / 2
    page.mouse.move(x, stage["y"] + 62)
    page.mouse.down()
    page.mouse.move(x, stage["y"] + 200, steps=3)
    page.mouse.up()
    expect(page).to_have_url(re.compile("brush=metrics.Accuracy"))
    left = names(page)
    assert 0 < len(left) < len(LENET)
    assert [accuracy[name] for name in left] == best[: len(left)]
    expect(page.locator(".toolbar")).to_contain_text(f"{len(left)} of 8 runs")

    # By keys: two ranges of the learning rate.
    page.get_by_role("button", name="Axis learning_rate").press("Enter")
    page.get_by_label("Ranges").fill("0.001, 0.05 .. 1")
    page.get_by_label("Ranges").press("Enter")
    page.keyboard.press("Escape")
    rates = {name: round(said["params.learning_rate"], 6) for name, said in noted.items()}
    within = [name for name in left if rates[name] == 0.001 or rates[name] >= 0.05]
    expect(rows(page)).to_have_count(len(within))
    assert names(page) == [name for name in left if name in within]
    expect(page).to_have_url(re.compile("learning_rate"))
    reload(page)
    settled(page)
    expect(rows(page)).to_have_count(len(within))
    page.keyboard.press("Escape")
    expect(rows(page)).to_have_count(len(LENET))


def write_note(page: Page, run: str, old: str, note: str) -> None:
    page.get_by_role("button", name=f"{old}: note on {run}").click()
    page.get_by_label(f"Note on {run}", exact=True).fill(note)


def test_signs_notes_and_hidden_runs_outlive_two_people_and_a_kill(
    sweep: Dashboard, visit: Visits, troubles: Troubles
) -> None:
    troubles.expect(r"ERR_CONNECTION|ERR_EMPTY_RESPONSE|ERR_SOCKET_NOT_CONNECTED|WebSocket")
    page, other = visit(sweep, "/lineage?sort=name"), visit(sweep, "/lineage?sort=name")
    first, second = sorted(LENET)[:2]
    expect(rows(page).first).to_contain_text(first)
    page.get_by_role("button", name=f"Icon of {first}").click()
    page.get_by_role("menuitemradio", name="flag").click()
    expect(other.get_by_role("button", name=f"Icon of {first}: flag")).to_be_visible()

    # Both write at once: who is later sees the note of the other before either is kept.
    write_note(page, first, "Write a note", "mine")
    write_note(other, first, "Write a note", "theirs")
    other.keyboard.press("Enter")
    conflict = page.get_by_role("alert").filter(has_text="theirs")
    expect(conflict).to_be_visible()
    expect(page.get_by_label(f"Note on {first}", exact=True)).to_have_value("mine")
    page.get_by_role("button", name="Keep theirs").click()
    expect(page.get_by_role("button", name=f"theirs: note on {first}")).to_be_visible()
    write_note(page, first, "theirs", "both")
    page.keyboard.press("Enter")
    expect(other.get_by_role("button", name=f"both: note on {first}")).to_be_visible()
    other.close()

    rows(page).nth(1).get_by_role("checkbox").check()
    page.get_by_role("button", name="Hide").click()
    expect(page.get_by_role("button", name="Show 1 hidden run")).to_be_visible()
    killed = sweep.kill("web")
    sweep.wait_for_restart("web", killed)
    page.reload()
    expect(page.get_by_role("button", name="Show 1 hidden run")).to_be_visible()
    expect(page.get_by_role("button", name=f"both: note on {first}")).to_be_visible()
    expect(page.get_by_role("button", name=f"Icon of {first}: flag")).to_be_visible()
    assert second not in names(page)
    page.get_by_role("button", name="Show 1 hidden run").click()
    expect(rows(page)).to_have_count(len(LENET))
