"""The input pipelines of real runs, as the lineage page shows them."""

from __future__ import annotations

import shutil
from pathlib import Path

from playwright.sync_api import expect

from tests.dashboard import wait_until

from .conftest import StartDashboard
from .visits import Visits


def test_in_what_the_pipelines_of_real_runs_differ(
    real_data: Path, tmp_path: Path, start_dashboard: StartDashboard, visit: Visits
) -> None:
    base = tmp_path / "summaries"
    for path in (real_data / "mindspore" / "lenet").glob("*/*_lineage"):
        kept = base / path.parent.name / path.name
        kept.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, kept)
    dashboard = start_dashboard(base)
    wait_until(lambda: dashboard.get_json("/api/lineage/pipelines")["columns"], 30, "reading the lineage files")
    page = visit(dashboard, "/lineage?view=data")
    sentence = page.locator("[data-sentence]")
    expect(sentence).to_have_text("These 8 runs differ only in batch_size of Batch (32, 64, 128).")
    table = page.get_by_role("region", name="Input pipelines")
    expect(table.get_by_role("columnheader", name="drop_remainder")).to_be_visible()
    page.get_by_role("checkbox", name="Only differences").check()
    expect(table.get_by_role("columnheader", name="drop_remainder")).to_be_hidden()
    expect(table.get_by_role("columnheader", name="batch_size")).to_be_visible()
    for number in (1, 2):
        page.get_by_role("checkbox", name=f"Compare pipeline {number}").check()
    expect(sentence).to_have_text("These 7 runs differ only in batch_size of Batch (32, 64).")
    page.get_by_role("button", name="Details of pipeline 3").click()
    details = page.get_by_role("region", name="Pipeline 3")
    details.get_by_role("button", name="Batch").click()
    expect(details.locator("[data-operation]")).to_have_count(1)
    expect(details.locator("[data-operation=Batch]")).to_contain_text("128")
