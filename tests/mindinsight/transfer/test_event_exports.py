"""Exported event files, read with descriptors of TensorBoard's and MindSpore's that are not the product's."""

from __future__ import annotations

import io
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from google.protobuf.unknown_fields import UnknownFieldSet
from PIL import Image

from summaries import SummaryWriter
from tests.mindinsight.transfer.conftest import Mindinsight
from tests.mindinsight.transfer.event_files import (
    file_points,
    mindspore,
    payloads,
    record,
    scalar_event,
    tensorboard,
    write_tensorboard,
)

PNG = io.BytesIO()
Image.fromarray(np.arange(24, dtype=np.uint8).reshape(4, 6)).save(PNG, "PNG")
GREY = PNG.getvalue()


def exported(mindinsight: Mindinsight, run: Path, target: str) -> tuple[list[Any], str]:
    """The events of the only run's exported file, and the command's output."""
    out = run.parent.parent / "out"
    answer = mindinsight("export", run, "--format", target, "--output", out)
    (path,) = (path for path in (out / run.name).iterdir() if not path.name.endswith("_lineage"))
    assert not path.stat().st_mode & 0o222
    schema = tensorboard() if target == "tensorboard" else mindspore()
    return [schema.FromString(payload) for payload in payloads(path)], answer.output


def values(events: list[Any]) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for event in events:
        for value in event.summary.value:
            found.setdefault(value.tag, []).append(value)
    return found


def doubles(tensor: Any) -> list[float]:
    assert tensor.dtype == 2
    return list(np.frombuffer(tensor.tensor_content, "<f8"))


@pytest.fixture
def every_kind(tmp_path: Path) -> Path:
    """A run of our writer with a value of every kind."""
    directory = tmp_path / "base" / "run"
    rng = np.random.default_rng(7)
    with SummaryWriter(directory) as writer:
        for step in (1, 2):
            writer.add_scalar("loss", 0.5 / step, step)
            writer.add_histogram("weight", np.array([0.0, 1.0, 2.0, 4.0, np.nan, np.inf]), step, bins=4)
            writer.add_image("input", rng.integers(0, 255, (3, 4, 6), dtype=np.uint8), step)
            writer.add_text("note", "**bold** 标题", step)
            writer.add_tensor("logits", np.array([[1, 2**53 + 1], [-1, 0]]), step)
        writer.add_tensor("single", np.float32(3.5), 2)
        writer.add_tensor("half", np.array([1.5, -2], np.float16), 2)
        writer.add_graph(graph())
        writer.add_hparams({"lr": 0.1}, {"accuracy": 0.9})
    return directory


def graph() -> bytes:
    """A graph of one node, by MindSpore's descriptors."""
    event = mindspore()(wall_time=1.0)
    event.graph_def.name = "net"
    event.graph_def.node.add(name="1", op_type="ReLU")
    return bytes(event.graph_def.SerializeToString())


def test_tensorboard_gets_every_kind_in_tensorflow_2_s_form(mindinsight: Mindinsight, every_kind: Path) -> None:
    events, said = exported(mindinsight, every_kind, "tensorboard")
    assert events[0].file_version == "brain.Event:2"
    found = values(events)
    plugins = {tag: value[0].metadata.plugin_data.plugin_name for tag, value in found.items()}
    assert plugins == {
        "loss": "",
        "weight": "histograms",
        "input": "images",
        "note": "text",
        "logits": "tensors",
        "single": "tensors",
        "half": "tensors",
    }
    assert [value.simple_value for value in found["loss"]] == [0.5, 0.25]
    histogram = found["weight"][0].tensor
    assert [dim.size for dim in histogram.tensor_shape.dim] == [4, 3]
    assert doubles(histogram) == [0, 1, 1, 1, 2, 1, 2, 3, 1, 3, 4, 1]
    width, height, picture = found["input"][0].tensor.string_val
    assert (width, height) == (b"6", b"4")
    assert Image.open(io.BytesIO(picture)).size == (6, 4)
    assert [text.decode() for text in found["note"][0].tensor.string_val] == ["**bold** 标题"]
    logits = found["logits"][0].tensor
    assert (logits.dtype, [dim.size for dim in logits.tensor_shape.dim]) == (9, [2, 2])
    assert struct.unpack("<4q", logits.tensor_content) == (1, 2**53 + 1, -1, 0)
    assert (found["single"][0].tensor.dtype, found["single"][0].tensor.tensor_content) == (1, struct.pack("<f", 3.5))
    assert (found["half"][0].tensor.dtype, found["half"][0].tensor.tensor_content) == (19, struct.pack("<2e", 1.5, -2))
    assert "Left out: descriptions of the environment (1), graphs (1), because TensorBoard cannot store" in said
    assert "lineage files with hyper-parameters (1)" in said
    assert "Changed: histograms (2) lost their counts of NaN and infinite elements" in said


def test_what_tensorboard_does_not_know_as_a_scalar_is_none_when_read_back(
    mindinsight: Mindinsight, every_kind: Path, tmp_path: Path
) -> None:
    exported(mindinsight, every_kind, "tensorboard")
    (path,) = (tmp_path / "out" / "run").iterdir()
    assert {tag for tag, *_ in file_points(path)} == {"loss"}


def test_mindspore_gets_our_values_as_they_are(mindinsight: Mindinsight, every_kind: Path, tmp_path: Path) -> None:
    events, said = exported(mindinsight, every_kind, "mindspore")
    (source,) = every_kind.glob("*_MS")
    before = list(payloads(source))[1:]
    (path,) = (tmp_path / "out" / "run").glob("*_MS")
    after = list(payloads(path))[1:]
    assert sorted(before) == sorted(after)
    assert events[0].version == "MindSpore.Event:1"
    (lineage,) = (tmp_path / "out" / "run").glob("*_lineage")
    assert lineage.read_bytes() == next(iter(every_kind.glob("*_lineage"))).read_bytes()
    assert "left out" not in said.lower()


def tensorboard_values() -> list[dict[str, Any]]:
    """Values of TensorBoard's kinds: pictures and histograms of both ages, a text, tensors."""
    of = {
        name: {"plugin_data": {"plugin_name": name}} for name in ("images", "histograms", "text", "pr_curves", "mine")
    }
    rows = np.array([[0, 1, 3], [1, 2, 5]], "<f8")
    return [
        {
            "tag": "old",
            "histo": {"min": -1, "max": 2, "num": 4, "sum": 3, "bucket_limit": [-2, 0, 1e308], "bucket": [0, 1, 3]},
        },
        {
            "tag": "new",
            "metadata": of["histograms"],
            "tensor": {
                "dtype": 2,
                "tensor_shape": {"dim": [{"size": 2}, {"size": 3}]},
                "tensor_content": rows.tobytes(),
            },
        },
        {"tag": "picture", "image": {"height": 4, "width": 6, "colorspace": 1, "encoded_image_string": GREY}},
        {
            "tag": "pictures",
            "metadata": of["images"],
            "tensor": {"dtype": 7, "tensor_shape": {"dim": [{"size": 4}]}, "string_val": [b"6", b"4", GREY, GREY]},
        },
        {
            "tag": "note",
            "metadata": of["text"],
            "tensor": {"dtype": 7, "tensor_shape": {"dim": [{"size": 1}]}, "string_val": ["# 标题".encode()]},
        },
        {
            "tag": "tensor",
            "metadata": of["mine"],
            "tensor": {"dtype": 1, "tensor_shape": {"dim": [{"size": 2}, {"size": 2}]}, "float_val": [1.5, 2.5]},
        },
        {"tag": "curve", "metadata": of["pr_curves"], "tensor": {"dtype": 1, "tensor_shape": {"dim": [{"size": 1}]}}},
    ]


def test_mindspore_gets_tensorboard_s_values(mindinsight: Mindinsight, tmp_path: Path) -> None:
    run = tmp_path / "base" / "run"
    event = {"wall_time": 5.5, "step": 3, "summary": {"value": tensorboard_values()}}
    write_tensorboard(run, scalar_event(3, 5.5, third=1 / 3, half=0.5), event, {"wall_time": 1.0, "graph_def": b"x"})
    events, said = exported(mindinsight, run, "mindspore")
    assert not [field for event in events for field in UnknownFieldSet(event)]
    found = {tag: value[0] for tag, value in values(events).items()}
    assert found["third"].scalar_value == np.float32(1 / 3)
    assert "Changed: scalars (1) were rounded to the 32 bits" in said
    buckets = [(bucket.left, bucket.width, bucket.count) for bucket in found["old"].histogram.buckets]
    assert buckets == [(-1, 1, 1), (0, 2, 3)]
    histogram = found["old"].histogram
    assert (histogram.min, histogram.max, histogram.sum, histogram.count) == (-1, 2, 3, 4)
    assert [(b.left, b.width, b.count) for b in found["new"].histogram.buckets] == [(0, 1, 3), (1, 1, 5)]
    for tag in ("picture", "pictures", "pictures/1"):
        image = found[tag].image
        assert (image.width, image.height, image.colorspace, image.encoded_image) == (6, 4, 1, GREY)
    assert list(found["tensor"].tensor.dims) == [2, 2]
    assert list(found["tensor"].tensor.float_data) == [1.5, 2.5, 2.5, 2.5]
    assert {event.step for event in events[1:]} == {3}
    assert "Left out: graphs (1), precision-recall curves (1), because MindInsight cannot store them." in said
    # A text stands in a field that MindInsight passes over and that our reader finds.
    (note,) = (UnknownFieldSet(value)[0] for value in [found["note"]])
    assert note.field_number == 1000
    assert "# 标题".encode() in note.data


def test_tensorboard_s_values_stay_as_they_are(mindinsight: Mindinsight, tmp_path: Path) -> None:
    run = tmp_path / "base" / "run"
    written = {"wall_time": 5.5, "step": 3, "summary": {"value": tensorboard_values()}}
    write_tensorboard(run, written, {"wall_time": 1.0, "graph_def": b"net"})
    events, said = exported(mindinsight, run, "tensorboard")
    assert [value for event in events for value in event.summary.value] == list(tensorboard()(**written).summary.value)
    assert [event.graph_def for event in events if event.graph_def] == [b"net"]
    assert "Left out" not in said


def test_a_restart_stands_where_it_stood(mindinsight: Mindinsight, tmp_path: Path) -> None:
    run = tmp_path / "base" / "run"
    text = tensorboard_values()[4]
    before = [scalar_event(step, 10.0 + step, loss=0.5) for step in range(4)]
    after = [scalar_event(step, 20.0 + step, loss=0.25) for step in (3, 4)]
    start = {"wall_time": 19.0, "step": 2, "session_log": {"status": 1}}
    values_before, values_after = (
        {"wall_time": wall, "step": 2, "summary": {"value": [text]}} for wall in (15.0, 19.5)
    )
    stop = {"wall_time": 30.0, "step": 9, "session_log": {"status": 2}}
    write_tensorboard(run, *before, values_before, start, values_after, *after, stop)
    events, _ = exported(mindinsight, run, "tensorboard")
    walls = [event.wall_time for event in events[1:]]
    place = walls.index(19.0)
    assert set(walls[:place]) == {10.0, 11.0, 12.0, 13.0, 15.0}
    assert set(walls[place + 1 :]) == {19.5, 23.0, 24.0}
    assert (events[place + 1].session_log.status, events[place + 1].step) == (1, 2)


def test_a_purge_step_becomes_a_restart_in_tensorboard_s_form(
    mindinsight: Mindinsight, run: Path, tmp_path: Path
) -> None:
    with SummaryWriter(run, purge_step=5) as writer:
        writer.add_scalar("loss", 1.0, 5, 1795229700.0)
    events, _ = exported(mindinsight, run.rename(tmp_path / "base" / "run"), "tensorboard")
    (start,) = [event for event in events if event.HasField("session_log")]
    assert (start.session_log.status, start.step) == (1, 5)
    assert [event.step for event in events[events.index(start) + 1 :]] == [5]


def test_kinds_under_one_tag_get_names_of_their_own(mindinsight: Mindinsight, tmp_path: Path) -> None:
    run = tmp_path / "base" / "run"
    with SummaryWriter(run) as writer:
        writer.add_scalar("weight", 1.0, 1)
        writer.add_histogram("weight", np.arange(5.0), 1)
    events, said = exported(mindinsight, run, "tensorboard")
    assert set(values(events)) == {"weight", "weight/histogram"}
    assert "histograms (1) got their kind behind their tag" in said


def test_what_is_broken_inside_a_sound_record_is_counted(mindinsight: Mindinsight, tmp_path: Path) -> None:
    run = tmp_path / "base" / "run"
    metadata = {"plugin_data": {"plugin_name": "histograms"}}
    huge = {"dim": [{"size": 1 << 40}, {"size": 3}]}
    bad = [
        {"tag": "huge", "metadata": metadata, "tensor": {"dtype": 2, "tensor_shape": huge, "double_val": [1]}},
        {"tag": "flat", "metadata": metadata, "tensor": {"dtype": 2, "tensor_content": bytes(24)}},
        {"tag": "uneven", "histo": {"bucket_limit": [1, 2], "bucket": [1]}},
        {"tag": "nan", "histo": {"bucket_limit": [float("nan")], "bucket": [1]}},
    ]
    write_tensorboard(run, {"wall_time": 1.0, "step": 1, "summary": {"value": bad}}, scalar_event(1, 1.0, loss=0.5))
    events, said = exported(mindinsight, run, "mindspore")
    assert set(values(events)) == {"loss"}
    assert "histograms (3), because they are broken or of a type that only TensorBoard has" in said
    assert "histograms (1), because their buckets are not finite" in said


def test_a_file_without_its_head_is_taken_for_what_its_name_says(mindinsight: Mindinsight, tmp_path: Path) -> None:
    run = tmp_path / "base" / "run"
    path = write_tensorboard(run, scalar_event(1, 1.0, loss=0.5))
    path.write_bytes(b"".join(record(payload) for payload in list(payloads(path))[1:]))
    events, _ = exported(mindinsight, run, "tensorboard")
    assert set(values(events)) == {"loss"}


def test_only_graphs(mindinsight: Mindinsight, every_kind: Path, tmp_path: Path) -> None:
    answer = mindinsight("export", every_kind, "--kind", "graph", "--format", "mindspore", "--output", tmp_path / "out")
    assert "with 0 scalars and 1 other value to" in answer.stdout
    (path,) = (tmp_path / "out" / "run").iterdir()
    _, event = (mindspore().FromString(payload) for payload in payloads(path))
    assert event.graph_def.node[0].op_type == "ReLU"


def test_explanations_are_counted(mindinsight: Mindinsight, tmp_path: Path) -> None:
    run = tmp_path / "base" / "run"
    run.mkdir(parents=True)
    version = mindspore()(wall_time=1.0, version="MindSpore.Event:1").SerializeToString()
    explanation = struct.pack("<Bd", 9, 2.0) + b"\x32\x02\x08\x07"
    (run / "events.out.events.summary.1795229620.0.host_MS").write_bytes(record(version) + record(explanation))
    for target in ("csv", "mindspore"):
        answer = mindinsight("export", run, "--format", target, "--output", tmp_path / "out")
        assert "explanations of a model's answers (1), because no format holds them" in answer.stderr
