"""The live example that `make run` shows."""

from __future__ import annotations

from pathlib import Path

from tests.examples.running import run
from tests.framework.train.recorded import read_run


def test_a_run_shows_all_that_the_pages_have(tmp_path: Path) -> None:
    run("lenet", "--summary-dir", str(tmp_path), "--epochs", "1", "--pace", "0", "--optimizer", "adam", "--lr", "0.001")
    (directory,) = tmp_path.iterdir()
    assert directory.name == "lenet_adam_lr0.001_b32"
    recorded = read_run(directory)
    assert recorded.steps("scalar", "loss/auto") == [1, *range(2, 45, 2)]
    assert {kind for kind, _ in recorded.tags()} == {"scalar", "image", "histogram"}
    scalars = {tag for kind, tag in recorded.tags() if kind == "scalar"}
    assert scalars == {"loss/auto", "accuracy/test", "learning_rate"}
    assert ("image", "label/7") in recorded.tags()
    assert any(tag.endswith("/grad") for kind, tag in recorded.tags() if kind == "histogram")
    assert len(recorded.graphs) == 1
    assert recorded.notes["optimizer"] == "Adam"
    assert recorded.notes["Accuracy"] > 0.1
    assert recorded.scalars("loss/auto")[-1] < recorded.scalars("loss/auto")[0]
