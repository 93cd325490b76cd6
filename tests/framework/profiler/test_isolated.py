"""What the isolated mode says of a training: the same operators in both modes, with counts that can be had by hand."""

import csv
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import framework as ms
from framework import Profiler, Tensor, nn, ops
from framework.observe import is_watched
from framework.ops import operations as P  # noqa: N812
from framework.ops.primitive import Primitive
from framework.profiler import flops_of
from summaries import EventFileReader, Kind
from summaries.profile import read_profile
from summaries.records import read_record


@pytest.fixture(autouse=True, params=[ms.PYNATIVE_MODE, ms.GRAPH_MODE], ids=["pynative", "graph"])
def mode(request: pytest.FixtureRequest) -> Iterator[int]:
    ms.set_context(mode=request.param)
    yield request.param
    ms.set_context(mode=ms.PYNATIVE_MODE)


class Net(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(1, 6, 5, pad_mode="valid")
        self.flatten = nn.Flatten()
        self.dense = nn.Dense(6 * 24 * 24, 10)

    def construct(self, x: Any) -> Any:
        return self.dense(self.flatten(ops.relu(self.conv(x))))


IMAGES = Tensor(np.ones((4, 1, 28, 28), np.float32))


def test_operators_calls_flops_and_bytes() -> None:
    net = Net()
    with Profiler(start_profile=False, mode="isolated") as profiler:
        for _ in range(3):
            net(IMAGES)
    operators = profiler.profile.operators
    by_type = {item.op_type: item for item in operators.values()}
    assert {item.calls for item in operators.values()} == {3}
    assert "Default/conv-Conv2d/Conv2D-op0" in operators
    # 25 products and 25 sums for each of the pixels.
    assert by_type["Conv2D"].flops == 3 * 4 * 6 * 24 * 24 * 25 * 2
    assert by_type["MatMul"].flops == 3 * 4 * 10 * (6 * 24 * 24) * 2
    assert by_type["ReLU"].flops == 3 * 4 * 6 * 24 * 24
    assert by_type["Conv2D"].memory == 4 * 6 * 24 * 24 * 4
    assert by_type["MatMul"].bytes_moved == 3 * 4 * (4 * 3456 + 10 * 3456 + 40)
    assert all(item.duration > 0 for item in operators.values())
    assert sum(item.duration for item in operators.values()) <= profiler.profile.duration


def test_a_training_step_has_the_flops_of_its_gradients() -> None:
    network = nn.SequentialCell([nn.Dense(8, 16), nn.ReLU(), nn.Dense(16, 3)])
    loss = nn.WithLossCell(network, nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"))
    step = nn.TrainOneStepCell(loss, nn.Momentum(network.trainable_params(), 0.1, 0.9)).set_train()
    batch = Tensor(np.ones((5, 8), np.float32)), Tensor(np.zeros(5, np.int32))
    with Profiler(start_profile=False, mode="isolated") as profiler:
        step(*batch)
    products = [item for item in profiler.profile.operators.values() if item.op_type == "MatMul"]
    # Forward 5 x 8 x 16 and 5 x 16 x 3; back by both weights, and by what is between the layers.
    assert sum(item.flops for item in products) == 2 * (2 * 5 * 8 * 16 + 3 * 5 * 16 * 3)
    assert [item.calls for item in products] == [1] * 5


def test_durations_are_those_of_kernels() -> None:
    class Slow(P.Neg):
        def compute(self, xp: Any, x: Any) -> Any:
            time.sleep(0.02)
            return -x

    slow, x = Slow(), Tensor([1.0])
    call = ms.jit(lambda x: ops.exp(slow(ops.exp(x)))) if ms.get_context("mode") == ms.GRAPH_MODE else None
    with Profiler(start_profile=False, mode="isolated") as profiler:
        _ = call(x) if call else ops.exp(slow(ops.exp(x)))
    most = profiler.profile.by_time()[0]
    assert most.op_type == "Slow"
    assert most.duration >= 0.02


def test_a_table_a_spreadsheet_and_a_timeline(tmp_path: Path) -> None:
    profiler = Profiler(tmp_path / "found", mode="isolated")
    Net()(IMAGES)
    profiler.analyse()
    operators = profiler.profile.operators
    lines = profiler.profile.table(2).splitlines()
    assert lines[0].split()[:3] == ["operator", "calls", "ms"]
    assert [line.split()[0] for line in lines[1:3]] == [item.full_name for item in profiler.profile.by_time()[:2]]
    assert lines[3] == f"and {len(operators) - 2} more"
    with (tmp_path / "found" / "operators.csv").open() as file:
        rows = {row["full_name"]: row for row in csv.DictReader(file)}
    assert {name: int(row["flops"]) for name, row in rows.items()} == {k: v.flops for k, v in operators.items()}
    events = json.loads((tmp_path / "found" / "trace.json").read_text())["traceEvents"]
    spans = [event for event in events if event["ph"] == "X"]
    assert [span["args"]["full_name"] for span in spans] == list(operators)
    ends = [span["ts"] + span["dur"] for span in spans]
    assert all(end <= span["ts"] + 0.01 for end, span in zip(ends, spans[1:], strict=False))
    assert ends[-1] <= profiler.profile.duration * 1e6


def test_starting_again_goes_on_and_nothing_is_left_behind() -> None:
    net = Net()
    before = Primitive.__call__
    profiler = Profiler(mode="isolated")
    net(IMAGES)
    profiler.stop()
    net(IMAGES)
    profiler.start()
    net(IMAGES)
    profiler.stop()
    assert {item.calls for item in profiler.profile.operators.values()} == {2}
    assert not is_watched()
    assert Primitive.__call__ is before


def test_what_is_wrong_is_told() -> None:
    profiler = Profiler(start_profile=False, mode="isolated")
    with pytest.raises(RuntimeError, match="the profiler is not started"):
        profiler.stop()
    with profiler, pytest.raises(RuntimeError, match="the profiler is started already"):
        profiler.start()


@pytest.mark.parametrize(
    ("primitive", "inputs", "output", "wanted"),
    [
        (P.BatchMatMul(), [(2, 3, 4), (2, 4, 5)], (2, 3, 5), 2 * 2 * 3 * 4 * 5),
        (P.MatMul(transpose_a=True), [(4, 3), (4, 5)], (3, 5), 2 * 3 * 4 * 5),
        (P.Conv2D(6, 3, group=3), [(1, 3, 8, 8), (6, 1, 3, 3)], (1, 6, 6, 6), 2 * 6 * 36 * 9),
        (P.ReduceSum(), [(3, 4)], (), 12),
        (P.Add(), [(3, 1), (1, 4)], (3, 4), 12),
        (P.Reshape(), [(3, 4)], (12,), 0),
    ],
    ids=["BatchMatMul", "MatMul", "Conv2D", "ReduceSum", "Add", "Reshape"],
)
def test_flops_by_hand(primitive: Any, inputs: list[tuple[int, ...]], output: tuple[int, ...], wanted: int) -> None:
    assert flops_of(primitive, [Tensor(np.zeros(shape)) for shape in inputs], Tensor(np.zeros(output))) == wanted


def test_sums_go_into_the_run_of_a_summary(tmp_path: Path) -> None:
    net = Net()
    profiler = Profiler(tmp_path / "found", mode="isolated", summary_dir=tmp_path / "run")
    net(IMAGES)
    net(IMAGES)
    profiler.analyse()
    (file,) = (tmp_path / "run").iterdir()
    ((_, _, places),) = [one for one in EventFileReader(file).read(1 << 30).others() if one[1] is Kind.PROFILE]
    recorded = read_profile(read_record(file, int(places["offset"][0]), int(places["length"][0])))
    assert recorded is not None
    assert {one.full_name for one in recorded.operators} == set(profiler.profile.operators)
    for one in recorded.operators:
        measured = profiler.profile.operators[one.full_name]
        assert (one.op_type, one.calls, one.memory) == (measured.op_type, 2, measured.memory)
        assert (one.duration, one.flops, one.bytes_moved) == (measured.duration, measured.flops, measured.bytes_moved)
