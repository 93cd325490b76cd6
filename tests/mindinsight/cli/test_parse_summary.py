"""`mindinsight parse_summary`: MindInsight's names, columns and choice of file, for files of all three writers."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from summaries import SummaryWriter
from tests.mindinsight.transfer.conftest import Mindinsight, mindinsight
from tests.mindinsight.transfer.event_files import file_points, write_tensorboard

__all__ = ["mindinsight"]


def parsed(mindinsight: Mindinsight, source: Path, output: Path) -> tuple[list[list[str]], dict[str, bytes], str]:
    """The table's rows, the images by name, and the command's output."""
    answer = mindinsight("parse_summary", "--summary-dir", source, "--output", output)
    (directory,) = output.iterdir()
    assert re.fullmatch(r"output_\d{8}_\d{6}_\d{6}", directory.name)
    assert {path.name for path in directory.iterdir()} == {"scalar.csv", "image"}
    with (directory / "scalar.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["tag", "step", "wall_time (unit: seconds)", "value"]
    return rows[1:], {path.name: path.read_bytes() for path in (directory / "image").iterdir()}, answer.output


def test_our_files(mindinsight: Mindinsight, tmp_path: Path) -> None:
    picture = np.arange(60, dtype=np.uint8).reshape(3, 4, 5)
    with SummaryWriter(tmp_path / "run") as writer:
        writer.add_scalar("loss/train", 0.1, 3, 100.25)
        writer.add_image("input/ü.1", picture, 3)
        writer.add_histogram("weight", np.arange(3.0), 3)
    rows, images, said = parsed(mindinsight, tmp_path / "run", tmp_path / "out")
    assert rows == [["loss/train", "3", "100.25", repr(float(np.float32(0.1)))]]
    assert list(images) == ["input%2F%C3%BC.1_3.png"]
    shown = np.asarray(Image.open(io.BytesIO(images["input%2F%C3%BC.1_3.png"])))
    assert (shown == picture.transpose(1, 2, 0)).all()
    assert "1 scalar and 1 image are in" in said


def test_only_the_latest_file_is_parsed(mindinsight: Mindinsight, tmp_path: Path) -> None:
    run = tmp_path / "run"
    for second, number in ((300, 3.0), (200, 2.0), (100, 1.0)):
        value = {"tag": "loss", "simple_value": number}
        write_tensorboard(run, {"wall_time": 1.0, "step": 1, "summary": {"value": [value]}}, second=second)
    with SummaryWriter(run / "below") as writer:
        writer.add_scalar("loss", 4.0, 1)
    rows, _, said = parsed(mindinsight, run, tmp_path / "out")
    assert rows == [["loss", "1", "1.0", "3.0"]]
    assert "events.out.tfevents.300.host" in said


def test_images_whose_names_would_be_the_same(mindinsight: Mindinsight, tmp_path: Path) -> None:
    jpeg = b"\xff\xd8\xff\xe0jpeg"
    tags = ["a/b", "a b", "损失", "../../etc", "x" * 1000, "ü" * 500, "a/b"]
    values = [{"tag": tag, "image": {"encoded_image_string": tag.encode()}} for tag in tags]
    values.append({"tag": "photo", "image": {"encoded_image_string": jpeg}})
    write_tensorboard(tmp_path / "run", {"wall_time": 1.0, "step": 7, "summary": {"value": values}})
    _, images, _ = parsed(mindinsight, tmp_path / "run", tmp_path / "out")
    assert images == {
        "a%2Fb_7.png": b"a/b",
        "a%2Fb_7_2.png": b"a/b",
        "a%20b_7.png": b"a b",
        "%E6%8D%9F%E5%A4%B1_7.png": "损失".encode(),
        "..%2F..%2Fetc_7.png": b"../../etc",
        "x" * 200 + "_7.png": b"x" * 1000,
        "%C3%BC" * 33 + "_7.png": "ü".encode() * 500,
        "photo_7.jpg": jpeg,
    }


@pytest.mark.parametrize("name", ["mindspore/lenet/adam_lr001_b32", "mindspore/tensors", "tensorboard/adam_lr0.001"])
def test_real_files(mindinsight: Mindinsight, real_files: Path, tmp_path: Path, name: str) -> None:
    run = real_files / name
    rows, images, _ = parsed(mindinsight, run, tmp_path / "out")
    (source,) = (path for path in run.glob("events.out*") if not path.name.endswith("_lineage"))
    assert [tuple(row) for row in rows] == [
        (tag, str(step), wall, value) for tag, step, wall, value in file_points(source)
    ]
    assert images
    for data in images.values():
        Image.open(io.BytesIO(data)).verify()


def test_damage(mindinsight: Mindinsight, tmp_path: Path) -> None:
    with SummaryWriter(tmp_path / "run") as writer:
        for step in range(10):
            writer.add_scalar("loss", 0.5, step)
    (path,) = (tmp_path / "run").iterdir()
    path.chmod(0o600)
    path.write_bytes(path.read_bytes()[:-3])
    rows, _, said = parsed(mindinsight, tmp_path / "run", tmp_path / "out")
    assert len(rows) == 9
    assert f"{path}: The last record" in said


def test_no_event_file(mindinsight: Mindinsight, tmp_path: Path) -> None:
    with SummaryWriter(tmp_path / "runs" / "below") as writer:
        writer.add_scalar("loss", 0.5, 1)
    out = tmp_path / "out"
    answer = mindinsight("parse_summary", "--summary-dir", tmp_path / "runs", "--output", out, status=1)
    assert "There is no event file" in answer.stderr
    assert not out.exists()
