"""The cards of the lineage page: what mattered leads to its effect, a box brushes, the best runs follow."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from summaries import SummaryWriter
from tests.dashboard import Dashboard

from .pages import reload
from .visits import Visits

# What the worker has to work out first, with the processor for itself or not.
WORKED_OUT = 60_000
RATES = [10 ** (-4 + 3 * place / 11) for place in range(12)]


def accuracy(rate: float, optimizer: str) -> float:
    """Best at a rate of 0.01, with a little less of it for one of two optimizers."""
    return 0.95 - 0.1 * (math.log10(rate) + 2) ** 2 - (0.02 if optimizer == "sgd" else 0.0)


@pytest.fixture(scope="module")
def sweep(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dashboard]:
    """Two dozen runs over learning rates and optimizers; `sgd_00` is the worst, `adam_07` the best."""
    base = tmp_path_factory.mktemp("sweep")
    for optimizer in ("adam", "sgd"):
        for number, rate in enumerate(RATES):
            with SummaryWriter(base / f"{optimizer}_{number:02}") as writer:
                writer.add_hparams(
                    {"lr": rate, "optimizer": optimizer, "epochs": 90}, {"accuracy": accuracy(rate, optimizer)}
                )
    with Dashboard.start(base) as started:
        yield started


def best(page: Page) -> list[str]:
    """The runs that are listed as the best ones."""
    return page.get_by_role("region", name="Best of the selection").locator("tbody .name").all_inner_texts()


def test_what_mattered_leads_to_its_effect_and_a_box_brushes(sweep: Dashboard, visit: Visits) -> None:
    page = visit(sweep, "/lineage")
    mattered = page.get_by_role("region", name="Parameter importance")
    expect(mattered).to_contain_text("n = 24", timeout=WORKED_OUT)
    expect(mattered.get_by_role("row").nth(1)).to_contain_text("lr")
    expect(mattered).to_contain_text("The same in all runs, so their effect is unknown: epochs.")
    mattered.get_by_role("button", name="Show the effect of optimizer").click()
    effect = page.get_by_role("region", name="Runs by")
    expect(effect.get_by_label("x axis")).to_have_value("params.optimizer")
    assert best(page)[0] == "adam_07"
    plot = effect.get_by_role("slider")
    plot.scroll_into_view_if_needed()
    box = plot.bounding_box()
    assert box is not None
    # The right half: the second of the two optimizers.
    page.mouse.move(box["x"] + 0.6 * box["width"], box["y"] + 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 2, box["y"] + box["height"] - 30, steps=3)
    page.mouse.up()
    expect(page.get_by_role("main")).to_contain_text("12 of 24 runs")
    assert {name.split("_")[0] for name in best(page)} == {"sgd"}


def signed(text: str) -> float:
    """The number at the beginning of a text, with the signs of the page."""
    found = re.match(r"[+\N{MINUS SIGN}]?[\d.]+", text)
    assert found is not None, text
    return float(found[0].replace("\N{MINUS SIGN}", "-"))


def test_a_gap_is_explained_and_runs_are_compared(sweep: Dashboard, visit: Visits) -> None:
    page = visit(sweep, "/lineage")
    page.get_by_role("button", name="Explain the gap").click()
    gap = page.get_by_role("complementary", name="The gap between the best run and")
    gap.get_by_label("Explain").select_option(label="sgd_00")
    between = accuracy(RATES[7], "adam") - accuracy(RATES[0], "sgd")
    expect(gap).to_contain_text("adam_07 reached", timeout=WORKED_OUT)
    expect(gap).to_contain_text(f"{between:.4f} between them")
    rows = {row.get_by_role("rowheader").inner_text(): row for row in gap.locator("tbody tr").all()}
    assert list(rows) == ["lr", "optimizer", "All of them together", "Not explained"]
    expect(rows["optimizer"]).to_contain_text("adam")
    expect(rows["optimizer"]).to_contain_text("sgd")
    together, rest = (signed(rows[name].locator("td").last.inner_text()) for name in list(rows)[2:])
    # What all changes do together, and what is left over, are the gap.
    assert math.isclose(together + rest, between, abs_tol=0.001)
    page.keyboard.press("Escape")

    listed = page.get_by_role("region", name="Best of the selection")
    for name in ("adam_07", "adam_08"):
        listed.get_by_label(f"Choose {name} to compare").check()
    expect(page).to_have_url(re.compile("selected="))
    reload(page)
    listed.get_by_role("button", name="Compare 2").click()
    comparison = page.get_by_role("complementary", name="Comparison of 2 runs")
    expect(comparison.locator("tbody").first.get_by_role("rowheader")).to_have_text(["Parameters", "lr"])
    expect(comparison).to_contain_text("accuracy")
    expect(comparison).not_to_contain_text("epochs")
    expect(comparison).to_contain_text("No differences in: Environment.")
    comparison.get_by_role("checkbox").check()
    expect(comparison.locator("tbody").first.get_by_role("rowheader")).to_have_text(
        ["Parameters", "lr", "optimizer", "epochs"]
    )
