"""The debugger's page as a person works on it; used by the tests that drive a training from there."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import Locator, Page, expect

from tests.dashboard import Dashboard

ROOT = Path(__file__).resolve().parents[2]


@contextmanager
def training(dashboard: Dashboard, module: str, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """A training in a process of its own, killed at the end.

    Args:
        dashboard: where it attaches.
        module: of this folder's neighbours, such as "faulty".
        arguments: further ones.
    """
    name = f"tests.mindinsight.debugger.{module}"
    command = [sys.executable, "-m", name, dashboard.address, dashboard.token, *arguments]
    with subprocess.Popen(command, cwd=ROOT, env=dict(os.environ)) as process:
        try:
            yield process
        finally:
            process.kill()


def control(page: Page) -> Locator:
    """The bar that shows the training's position, and continues it."""
    return page.get_by_role("group", name="Control of the training")


def open_paused(page: Page) -> Locator:
    """Opens the session that is paused; returns its bar."""
    bar = control(page)
    rows = page.get_by_role("row").filter(has_text="Paused")
    expect(bar.or_(rows).first).to_be_visible(timeout=60_000)
    if not bar.is_visible():
        rows.get_by_role("link").first.click()
    expect(bar).to_contain_text("Paused")
    return bar


def go_on(page: Page, key: str = "F8") -> None:
    """Continues, and waits until the page has heard of it: a pause of before would be taken for the next one."""
    bar = control(page)
    before = bar.inner_text()
    page.keyboard.press(key)
    expect(bar).not_to_have_text(before, use_inner_text=True)


def choose(page: Page, search: str, kind: str = "all kinds", place: int = 0) -> Locator:
    """Finds a node in the list and chooses it; returns the panel with its tensor.

    Args:
        page: the page.
        search: part of its name.
        kind: as the list of kinds says it.
        place: which of those that are found.
    """
    page.get_by_label("Kind").select_option(label=kind)
    page.get_by_label("Find nodes").fill(search)
    page.get_by_role("grid", name="Nodes").locator("tbody tr[aria-rowindex]").nth(place).click()
    panel = page.get_by_role("complementary", name="Tensor and session")
    expect(panel.get_by_text("zeros", exact=True)).to_be_visible(timeout=30_000)
    return panel


def values(page: Page, panel: Locator) -> np.ndarray[Any, Any]:
    """The slice that is shown, by the link below it."""
    link = panel.get_by_role("link", name=".npy")
    expect(link).to_be_visible(timeout=30_000)
    answer = page.request.get(link.evaluate("(link) => link.href"))
    assert answer.ok, answer.text()
    return np.asarray(np.load(io.BytesIO(answer.body())))


def fact(panel: Locator, name: str) -> str:
    """The text beside a label in the panel: a statistic, or an attribute of the operator."""
    return panel.get_by_text(name, exact=True).first.locator("xpath=following-sibling::dd[1]").inner_text()
