"""`SummaryRecord`: added values and recorded values of operators are in files that the dashboard's reader reads."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import framework as ms
from framework import Tensor, nn, ops
from summaries.schema.anf_ir_pb2 import GraphProto
from summaries.schema.lineage_pb2 import EvaluationLineage
from summaries.tensor import read_tensor
from tests.framework.train.recorded import read_run


def test_every_kind_of_value_is_read_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("framework.common.seed._seed", 1 << 70)
    picture = np.zeros((2, 1, 4, 4), np.float32)
    with ms.SummaryRecord(tmp_path) as record:
        for step in (1, 2):
            record.add_value("scalar", "loss", Tensor(1.0 / step))
            record.add_value("image", "input", Tensor(picture))
            record.add_value("tensor", "weights", Tensor([[1.0, 2.0]]))
            record.add_value("histogram", "weights", Tensor([1.0, 2.0, 2.0]))
            assert record.record(step)
        graph = GraphProto(name="net")
        graph.node.add(name="1", op_type="ReLU")
        record.add_value("graph", "net", graph)
        record.add_value("eval_lineage", "eval", EvaluationLineage(metric='{"Accuracy": 0.5}'))
        record.add_value("custom_lineage_data", "mine", {"lr": 0.1, "name": "a"})
        record.record(2)
    run = read_run(tmp_path)
    assert run.tags() == {("scalar", "loss"), ("image", "input"), ("tensor", "weights"), ("histogram", "weights")}
    assert run.values["scalar", "loss"] == [(1, 1.0), (2, 0.5)]
    assert read_tensor(run.values["tensor", "weights"][0][1]).tolist() == [[1.0, 2.0]]
    assert run.values["histogram", "weights"][1][1].histogram.count == 3
    assert [node.op_type for node in run.graphs[0].node] == ["ReLU"]
    assert run.notes == {"Accuracy": 0.5, "lr": 0.1, "name": "a"}
    assert [told.seed for told in run.environments] == [str(1 << 70)]


def test_what_operators_note_belongs_to_the_step_that_is_recorded_next(tmp_path: Path, mode: int) -> None:
    scalar = ops.ScalarSummary()

    class Doubled(nn.Cell):
        def construct(self, x: Any) -> Any:
            y = x * 2
            scalar("doubled", y)
            return y

    network = Doubled()
    with ms.SummaryRecord(tmp_path, network=network) as record:
        for step in (1, 2, 3):
            network(Tensor(float(step)))
            record.record(step)
        record.set_mode("eval")
        network(Tensor(100.0))
        record.record(4)
        record.set_mode("train")
        network(Tensor(5.0))
        network(Tensor(6.0))
        record.record(5, plugin_filter=lambda plugin: plugin == "scalar")
        network(Tensor(7.0))
        record.record(6, plugin_filter=lambda plugin: plugin == "image")
    run = read_run(tmp_path)
    assert run.values["scalar", "doubled"] == [(1, 2.0), (2, 4.0), (3, 6.0), (5, 10.0), (5, 12.0)]
    assert [node.op_type for graph in run.graphs for node in graph.node][:1] == (
        ["Mul"] if mode == ms.GRAPH_MODE else []
    )


def test_no_file_is_made_before_there_is_something_to_write(tmp_path: Path) -> None:
    with ms.SummaryRecord(tmp_path, file_prefix="mine", file_suffix="_run") as record:
        record.record(1)
        assert read_run(tmp_path).files == []
        record.add_value("scalar", "loss", Tensor(1.0))
        record.record(2)
        record.flush()
        assert read_run(tmp_path).scalars("loss") == [1.0]
        (file,) = read_run(tmp_path).files
        assert file.name.startswith("mine.out.events.summary.")
        assert file.name.endswith("_run")
        assert record.log_dir == str(file)


def test_a_file_stays_below_its_largest_size_and_is_whole(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING), ms.SummaryRecord(tmp_path, max_file_size=20_000) as record:
        for step in range(100):
            record.add_value("tensor", "weights", Tensor(np.zeros(200, np.float32)))
            record.record(step)
    run = read_run(tmp_path)
    (file,) = run.files
    steps = run.steps("tensor", "weights")
    assert file.stat().st_size <= 20_000 < file.stat().st_size + 1000
    assert steps == list(range(len(steps)))
    assert [r.getMessage() for r in caplog.records if "20000 bytes" in r.getMessage()] != []


def test_a_value_is_kept_as_it_was_when_it_was_added(tmp_path: Path) -> None:
    weights = np.zeros(4, np.float32)
    with ms.SummaryRecord(tmp_path) as record:
        record.add_value("tensor", "weights", weights)
        weights += 1
        record.record(1)
    assert read_tensor(read_run(tmp_path).values["tensor", "weights"][0][1]).tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda r: r.add_value("plot", "x", Tensor(1.0)), ValueError, "no plugin 'plot'"),
        (lambda r: r.add_value("scalar", "", Tensor(1.0)), ValueError, "not empty"),
        (lambda r: r.add_value("scalar", "x", Tensor([1.0, 2.0])), ValueError, "one number"),
        (lambda r: r.add_value("image", "x", Tensor([1.0])), ValueError, "channels"),
        (lambda r: r.add_value("scalar", "x", "text"), TypeError, "numbers"),
        (lambda r: r.add_value("graph", "x", 1), TypeError, "GraphProto"),
        (lambda r: r.add_value("train_lineage", "x", EvaluationLineage()), TypeError, "TrainLineage"),
        (lambda r: r.record("1"), TypeError, "integer"),
        (lambda r: r.set_mode("test"), ValueError, "'train' or 'eval'"),
    ],
)
def test_wrong_values_are_refused(tmp_path: Path, call: Any, error: type[Exception], message: str) -> None:
    with ms.SummaryRecord(tmp_path) as record, pytest.raises(error, match=message):
        call(record)


def test_a_closed_record_takes_nothing(tmp_path: Path) -> None:
    record = ms.SummaryRecord(tmp_path)
    record.close()
    record.close()
    assert not record.record(1)
    with pytest.raises(ValueError, match="max_file_size"):
        ms.SummaryRecord(tmp_path, max_file_size=0)


def test_parameters_are_recorded_as_they_were_while_the_training_goes_on(tmp_path: Path, mode: int) -> None:
    """Large tensors are not copied: a step gives a Parameter another array while the writer holds the previous one."""
    w = ms.Parameter(Tensor(np.zeros(300_000, np.float32)), name="w")

    class Counts(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.w = w

        def construct(self) -> Any:
            return ops.assign_add(self.w, Tensor(1.0))

    network = Counts()
    with ms.SummaryRecord(tmp_path) as record:
        for step in range(1, 31):
            network()
            record.add_value("tensor", "w", w)
            record.add_value("histogram", "w", w)
            record.record(step)
    run = read_run(tmp_path)
    for step, value in run.values["tensor", "w"]:
        assert set(read_tensor(value).tolist()) == {float(step)}
    assert [(step, value.histogram.min, value.histogram.max) for step, value in run.values["histogram", "w"]] == [
        (step, step, step) for step in range(1, 31)
    ]
