"""The twelve steps from pictures to a fine-tuned network."""

from __future__ import annotations

import gzip
import re
import struct
from pathlib import Path

import numpy as np
import pytest

from tests.examples.running import EXAMPLES, run
from tests.framework.train.recorded import read_run


def losses(text: str) -> list[float]:
    return [float(value) for value in re.findall(r"loss is ([\d.e+-]+)", text)]


def test_the_steps_are_marked_in_their_order() -> None:
    text = (EXAMPLES / "mnist.py").read_text()
    steps = re.findall(r"^ *# (\d+)\. ", text, re.MULTILINE)
    assert steps == [str(number) for number in range(1, 13)]


def test_98_percent_of_the_digits_are_right(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("mnist", "--summary-dir", str(tmp_path), "--save", str(tmp_path))
    text = capsys.readouterr().out
    found = re.search(r"test: accuracy ([\d.]+)", text)
    assert found is not None
    assert float(found[1]) >= 0.98
    tuned = re.search(r"fine-tuned: accuracy ([\d.]+)", text)
    assert tuned is not None
    assert float(tuned[1]) >= 0.975
    recorded = read_run(tmp_path)
    assert recorded.notes["Accuracy"] == pytest.approx(float(found[1]), abs=1e-4)
    assert recorded.notes["network"] == "LeNet5"
    assert recorded.steps("scalar", "loss/auto")[:3] == [1, 10, 20]
    assert (tmp_path / "lenet5.ckpt").is_file()


def test_both_modes_print_the_same_losses(capsys: pytest.CaptureFixture[str]) -> None:
    found = []
    for mode in ("graph", "pynative"):
        run("mnist", "--mode", mode, "--epochs", "1", "--print-every", "8")
        found.append(losses(capsys.readouterr().out))
    assert len(found[0]) == 11
    assert found[0] == pytest.approx(found[1], rel=1e-4)


def write_mnist(directory: Path, prefix: str, count: int) -> None:
    rng = np.random.default_rng(0)
    pictures = rng.integers(0, 256, (count, 28, 28), dtype=np.uint8)
    labels = rng.integers(0, 10, count, dtype=np.uint8)
    with gzip.open(directory / f"{prefix}-images-idx3-ubyte.gz", "wb") as file:
        file.write(struct.pack(">IIII", 2051, count, 28, 28) + pictures.tobytes())
    with gzip.open(directory / f"{prefix}-labels-idx1-ubyte.gz", "wb") as file:
        file.write(struct.pack(">II", 2049, count) + labels.tobytes())


def test_files_of_mnist_are_taken_where_they_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_mnist(tmp_path, "train", 64)
    write_mnist(tmp_path, "t10k", 32)
    run("mnist", "--data", str(tmp_path), "--epochs", "1", "--print-every", "1")
    assert len(losses(capsys.readouterr().out)) == 4
