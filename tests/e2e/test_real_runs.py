"""Files that MindSpore and TensorBoard wrote, as their owners would see them."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.dashboard import Dashboard, wait_until

from .pages import canvas, card, row
from .visits import Visits

LENET = (
    "adam_lr001_b32",
    "adam_lr01_b64",
    "mom_lr001_b32",
    "mom_lr01_b32",
    "mom_lr05_b64",
    "rms_lr001_b128",
    "sgd_lr05_b32",
    "sgd_lr1_b64",
)


@pytest.fixture(scope="module")
def real(real_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dashboard]:
    base = tmp_path_factory.mktemp("real")
    for folder in ("mindspore", "tensorboard"):
        # Copies, because the originals may be read-only, which is how a writer marks a finished run.
        shutil.copytree(real_data / folder, base / folder, copy_function=shutil.copyfile)
    with Dashboard.start(base) as dashboard:
        wait_until(lambda: all_read(dashboard), 60, "reading the real files")
        yield dashboard


def all_read(dashboard: Dashboard) -> bool:
    runs = dashboard.get_json("/api/runs")["results"]
    return bool(runs) and all(run["bytes_read"] == run["bytes"] for run in runs)


def test_every_run_is_listed(real: Dashboard, visit: Visits) -> None:
    page = visit(real, "/runs")
    names = [f"mindspore/lenet/{name}" for name in LENET]
    names += [f"mindspore/{name}" for name in ("resnet50", "bert12", "long_scalars_1e5", "tensors")]
    listed = {run["name"] for run in real.get_json("/api/runs")["results"]}
    assert set(names) <= listed
    assert {name.split("/")[1] for name in listed if name.startswith("tensorboard/")} == {
        path.name for path in (real.base_directory / "tensorboard").iterdir()
    }
    for name in names:
        expect(row(page, name)).to_be_visible()
    expect(row(page, "mindspore/long_scalars_1e5")).to_contain_text("100k")


def test_their_curves_are_drawn(real: Dashboard, visit: Visits) -> None:
    page = visit(real, "/scalars?runs=all&tag=^loss/")
    expect(card(page, "loss/auto")).to_be_visible()
    expect(card(page, "loss/auto").locator("figcaption")).to_contain_text("min")
    wait_until(lambda: len(canvas(page, "loss/auto")) > 5000, 15, "drawn curves")


def test_what_is_no_number_is_marked(real: Dashboard, visit: Visits) -> None:
    number = next(run for run in real.get_json("/api/runs")["results"] if run["name"].endswith("long_scalars_1e5"))
    page = visit(real, f"/scalars?runs={number['id'][:12]}")
    expect(card(page, "loss")).to_contain_text("5 NaN, first at ")
    expect(card(page, "grad_norm")).to_contain_text("10 Inf, first at ")
