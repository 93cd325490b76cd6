"""The other examples, each at a small size."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest

import framework as ms
from tests.examples.running import load, run
from tests.framework.train.recorded import read_run


@pytest.mark.parametrize("mode", ["graph", "pynative"])
def test_network_loss_and_optimizer_record_themselves(tmp_path: Path, mode: str) -> None:
    small = ("--width", "0.02", "--classes", "10", "--pictures", "8", "--batch-size", "2", "--epochs", "1")
    run("summary_operators", "--summary-dir", str(tmp_path), "--mode", mode, *small)
    recorded = read_run(tmp_path)
    assert recorded.steps("scalar", "loss") == [1, 2, 4]
    assert recorded.steps("image", "image") == [1, 2, 4]
    image = recorded.values["image", "image"][0][1].image
    assert (image.height, image.width) == (227, 2 * 227)
    weights = {tag for kind, tag in recorded.tags() if kind == "histogram"}
    assert {"conv1.weight", "conv1.weight.gradient", "fc3.bias", "fc3.bias.gradient"} <= weights
    assert len(weights) == 22
    assert all(recorded.steps("histogram", tag) == [1, 2, 4] for tag in weights)
    operators = {node.op_type for node in recorded.graphs[0].node}
    assert {"ImageSummary", "ScalarSummary", "HistogramSummary"} <= operators


def test_gpt_learns_its_own_source(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    small = ("--steps", "40", "--batch-size", "8", "--length", "24", "--hidden", "32", "--layers", "1", "--write", "5")
    run("gpt", "--summary-dir", str(tmp_path), "--print-every", "39", "--lr", "0.01", *small)
    text = capsys.readouterr().out
    losses = read_run(tmp_path).scalars("loss/auto")
    letters = re.search(r"letters of (\d+) kinds", text)
    assert letters is not None
    assert losses[0] == pytest.approx(math.log(int(letters[1])), rel=0.1)
    assert losses[-1] < 0.85 * losses[0]
    assert "class " in text


def test_an_operator_of_one_s_own_trains_in_both_modes(capsys: pytest.CaptureFixture[str]) -> None:
    try:
        assert load("custom_operator").main() == 0
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    text = capsys.readouterr().out
    slopes = re.findall(r"slope ([\d.-]+) \(difference ([\d.-]+)\)", text)
    assert len(slopes) == 3
    assert all(float(one) == pytest.approx(float(other), abs=2e-3) for one, other in slopes)
    accuracies = re.findall(r"accuracy ([\d.]+)", text)
    assert len(accuracies) == 2
    assert min(map(float, accuracies)) > 0.9


def test_a_sweep_notes_the_settings_and_the_outcome_of_a_dozen_runs(tmp_path: Path) -> None:
    run("sweep", "--summary-dir", str(tmp_path), "--epochs", "1", "--pictures", "64")
    notes = [read_run(directory).notes for directory in sorted(tmp_path.iterdir())]
    assert len(notes) == 12
    assert {(item["optimizer"], item["learning_rate"], item["hidden"]) for item in notes} == {
        (name, rate, hidden) for name in ("Adam", "Momentum") for rate in (0.1, 0.01, 0.001) for hidden in (16, 64)
    }
    assert all(0 <= item["Accuracy"] <= 1 for item in notes)
