"""No barrier on any page, in both themes and both languages, as axe-core finds them."""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from summaries import SummaryWriter
from tests.dashboard import Dashboard, wait_until

from .conftest import ROOT, StartDashboard
from .pages import PAGES, wait_until_drawn
from .visits import Visits

AXE = ROOT / "frontend" / "node_modules" / "axe-core" / "axe.min.js"
RUN = "axe.run(document, { resultTypes: ['violations'] })"

ROUTER = ROOT / "frontend" / "src" / "app" / "router.ts"
THEMES, LANGUAGES = ("light", "dark"), ("en-US", "zh-CN")
# Colours are the theme's and words the language's: two windows show all of both. A long run looks at every combination.
LOOKS = (
    list(itertools.product(THEMES, LANGUAGES))
    if os.environ.get("MINDINSIGHT_TEST_COUNTS") == "long"
    else list(zip(THEMES, LANGUAGES, strict=True))
)
RUNS = ("first", "second")
TEXT = "# Heading\n\n- **bold**, `code`\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n> quoted at step {step}"
# What a page shows once it has something to show: an address, and what is there then. ONE stands for a run's id.
FURNISHED = {
    "/overview": ".tile canvas, .tile .chart",
    "/overview?run=ONE": ".tile img",
    "/distributions": ".card canvas",
    "/distributions?view=heat": ".card canvas",
    "/images": "figure img",
    "/images?a=ONE~picture&compare=side": "aside img",
    "/tensors": "main canvas, main table, main [role=grid]",
    "/lineage?brush=params.lr|0.01..1&run=ONE": "figure.parallel[data-settled]",
    "/text": ".card .markdown table",
    "/text?form=raw": ".card pre",
    "/text?find=bold": ".results mark",
    "/text?text=ONE~notes&with=previous": "aside ins",
}


@pytest.fixture(scope="module")
def axe() -> str:
    """The source of axe-core, evaluated in the page: its policy would refuse a script element."""
    if not AXE.is_file():
        pytest.skip(f"axe-core is not installed ({Path(*AXE.parts[-4:])}); run `npm ci` in frontend/")
    return AXE.read_text(encoding="utf-8")


def barriers(page: Page, axe: str) -> list[str]:
    """What breaks a rule of axe-core, each with the first element that does."""
    page.evaluate(axe)
    found: list[dict[str, Any]] = page.evaluate(RUN)["violations"]
    return [f"{one['id']}: {one['nodes'][0]['target']} ({len(one['nodes'])} times): {one['help']}" for one in found]


@pytest.mark.parametrize(("theme", "language"), LOOKS)
def test_no_page_has_a_serious_barrier(theme: str, language: str, axe: str, showroom: Dashboard, visit: Visits) -> None:
    page = visit.window(showroom, color_scheme=theme, locale=language, reduced_motion="reduce")
    found = {}
    for path in PAGES:
        page.goto(showroom.address + path)
        wait_until_drawn(page)
        found[path] = barriers(page, axe)
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    found["shortcuts"] = barriers(page, axe)
    page.keyboard.press("Escape")
    page.keyboard.press("Control+k")
    page.keyboard.type("lo")
    expect(page.locator(".palette [data-highlighted]")).to_be_visible()
    found["palette"] = barriers(page, axe)
    page.keyboard.press("Escape")
    page.set_viewport_size({"width": 320, "height": 640})
    page.goto(showroom.address + "/scalars")
    page.locator(".top .runs").click()
    expect(page.get_by_role("listbox")).to_be_visible()
    found["the run column as a sheet"] = barriers(page, axe)
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(showroom.address + "/runs")
    page.locator("table.runs tbody tr[id]").first.click()
    expect(page.locator("aside.insp")).to_be_visible()
    found["details of a run"] = barriers(page, axe)
    openers = page.locator(".toolbar button[aria-expanded], .foot button[aria-expanded]")
    for at in range(openers.count()):
        openers.nth(at).click()
        expect(openers.nth(at)).to_have_attribute("aria-expanded", "true")
        page.locator("aside.insp h2, aside.insp .seg").first.wait_for()
        found[f"panel {at}"] = barriers(page, axe)
    page.keyboard.press("Escape")
    for key in ("j", "x", "j", "x", "c"):
        page.keyboard.press(key)
    page.locator("aside.compare tbody td").first.wait_for()
    found["comparison"] = barriers(page, axe)
    assert {place: list_ for place, list_ in found.items() if list_} == {}


@pytest.fixture(scope="module")
def furnished(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dashboard]:
    """Two runs that record something of every kind that has a page."""
    base, random = tmp_path_factory.mktemp("furnished"), np.random.default_rng(1)
    for at, name in enumerate(RUNS):
        with SummaryWriter(base / name) as writer:
            for step in range(0, 50, 10):
                writer.add_scalar("loss", 1 / (step + 1), step)
                writer.add_scalar("accuracy", step / 50, step)
                writer.add_histogram("fc.weight", random.normal(size=500), step)
                writer.add_image("picture", random.random((8, 8, 3)), step, dataformats="HWC")
                writer.add_tensor("logits", random.normal(size=(6, 4)).astype(np.float32), step)
                writer.add_text("notes", TEXT.format(step=step), step)
            writer.add_hparams({"lr": 0.1 / (at + 1), "optimizer": "adam"}, {"accuracy": 0.9 - at / 10})
    with Dashboard.start(base) as dashboard:
        kinds = ("scalars", "distributions", "images", "text")
        wait_until(lambda: all(dashboard.get_json(f"/api/{kind}/tags")["tags"] for kind in kinds), 30, "all kinds")
        yield dashboard


@pytest.mark.parametrize(("theme", "language"), LOOKS)
def test_no_furnished_page_has_a_serious_barrier(
    theme: str, language: str, axe: str, furnished: Dashboard, visit: Visits
) -> None:
    page = visit.window(furnished, color_scheme=theme, locale=language, reduced_motion="reduce")
    run = furnished.get_json("/api/runs")["results"][0]["id"][:12]
    found = {}
    for path, shown in FURNISHED.items():
        page.goto(furnished.address + path.replace("ONE", run))
        page.locator(shown).first.wait_for()
        found[path] = barriers(page, axe)
    assert {place: list_ for place, list_ in found.items() if list_} == {}


def test_no_page_is_left_out() -> None:
    routes = set(re.findall(r"path: '(/[a-z]+)'", ROUTER.read_text(encoding="utf-8"))) - {"/gallery"}
    assert routes <= {path.partition("?")[0] for path in (*PAGES, *FURNISHED)}


def test_the_first_page_has_no_serious_barrier(axe: str, start_dashboard: StartDashboard, visit: Visits) -> None:
    dashboard = start_dashboard()
    for theme in ("light", "dark"):
        page = visit(dashboard, color_scheme=theme)
        expect(page.get_by_role("heading", name="No runs yet")).to_be_visible()
        assert barriers(page, axe) == [], theme
