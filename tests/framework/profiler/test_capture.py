"""A capture is of the real program: the same kernels, the same weights bit for bit, and no moment without a name."""

import gzip
import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import framework as ms
from framework import Tensor, dataset, nn, ops
from framework.engine.codegen.program import Executable
from framework.engine.fusion.fused_programs import FusedKernel
from framework.ir.manager import Manager
from framework.profiler import Profiler
from framework.profiler.record import Record, read_record_file
from framework.profiler.timeline import sums_of
from framework.tracing import RECORDER

pytestmark = pytest.mark.fast_path
MODES = [ms.PYNATIVE_MODE, ms.GRAPH_MODE]
STEPS = 24


@pytest.fixture(autouse=True, params=MODES, ids=["pynative", "graph"])
def mode(request: pytest.FixtureRequest) -> Iterator[int]:
    ms.set_context(mode=request.param)
    yield request.param
    ms.set_context(mode=ms.PYNATIVE_MODE)


class Net(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3, pad_mode="valid", weight_init="ones")
        self.dense = nn.Dense(4 * 36, 10, weight_init="ones", bias_init="zeros")
        self.flatten = nn.Flatten()

    def construct(self, x: Any) -> Any:
        x = ops.tanh(self.conv(x)) * 0.5 + 0.25
        return self.dense(self.flatten(ops.sigmoid(x)))


def _step() -> tuple[nn.Cell, Callable[[], Any]]:
    rng = np.random.default_rng(0)
    network = Net()
    loss = nn.WithLossCell(network, nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"))
    train = nn.TrainOneStepCell(loss, nn.Momentum(network.trainable_params(), 0.1, 0.9)).set_train()
    images = Tensor(rng.normal(size=(8, 1, 8, 8)).astype(np.float32))
    labels = Tensor(rng.integers(0, 10, 8).astype(np.int32))
    return network, lambda: train(images, labels)


def _program() -> Executable:
    """The program that was captured last."""
    program = [site.sources[0]() for site in RECORDER.sites if site.kind == "program" and site.sources][-1]
    assert isinstance(program, Executable)
    return program


def _captured(folder: Path, before: int, steps: int, after: int = 0) -> tuple[nn.Cell, Record, Profiler]:
    network, step = _step()
    for _ in range(before):
        step()
    with Profiler(folder) as profiler:
        for _ in range(steps):
            step()
            profiler.step()
    for _ in range(after):
        step()
    (path,) = profiler.captures
    return network, read_record_file(path), profiler


@pytest.mark.parametrize(("before", "steps"), [(12, 4), (0, 14)], ids=["warm", "from the first call"])
def test_the_weights_are_those_of_the_same_run_without(tmp_path: Path, before: int, steps: int) -> None:
    network, _, _ = _captured(tmp_path, before, steps, STEPS - before - steps)
    other, step = _step()
    for _ in range(STEPS):
        step()
    for one, same in zip(network.get_parameters(), other.get_parameters(), strict=True):
        assert one.asnumpy().tobytes() == same.asnumpy().tobytes()


def test_slices_and_gaps_are_the_time_of_the_capture(tmp_path: Path) -> None:
    _, record, profiler = _captured(tmp_path, 12, 5)
    sums = sums_of(record)
    assert sum(sums.values()) == record.ended - record.began
    assert min(sums.values()) >= 0
    assert sum(profiler.profile.parts.values()) == pytest.approx(profiler.profile.duration)
    inside = [name for name in sums if name.startswith(("kernel", "loops", "python kernel", "operator", "backward"))]
    assert len(inside) > 4
    assert [step.step for step in record.steps] == [0, 1, 2, 3, 4]


def test_every_operator_of_the_program_is_there_once_a_step(tmp_path: Path, mode: int) -> None:
    _, record, profiler = _captured(tmp_path, 12, 5)
    calls = {name: one.calls for name, one in profiler.profile.operators.items()}
    if mode == ms.PYNATIVE_MODE:
        assert {
            calls[name] for name in ("Conv2D", "Tanh", "Sigmoid", "MatMul", "Conv2D backward", "Tanh backward")
        } == {5}
        return
    assert set(calls.values()) == {5}
    forward = [name.rpartition("/")[2].partition("-")[0] for name in calls if name.startswith("Default/network")]
    assert {"Conv2D", "Tanh", "Sigmoid", "MatMul", "SparseSoftmaxCrossEntropyWithLogits"} <= set(forward)
    fused = [site for site in record.sites if len(site.members) > 1]
    assert fused
    for site in fused:
        assert sum(member.share for member in site.members) == pytest.approx(1.0)


def test_the_captured_program_has_the_kernels_of_the_real_one(tmp_path: Path, mode: int) -> None:
    if mode == ms.PYNATIVE_MODE:
        pytest.skip("there is no program in PyNative mode")
    _, record, _ = _captured(tmp_path, 12, 3)
    program = _program()
    fused = [
        node for node in Manager(program.program).all_nodes() if isinstance(node.operator, FusedKernel)
    ]  # fmt: skip
    titles = Counter(site.title for site in record.sites if site.kind == "loops")
    calls = Counter(" ".join(node.operator.members.split()) for node in fused)
    assert set(calls) <= set(titles)
    assert "note(" not in program.source
    assert "clock()" not in program.source


def test_nothing_is_left_behind(tmp_path: Path, mode: int) -> None:
    add, call = Tensor.__add__, ops.operations.Tanh.__call__
    _, step = _step()
    for _ in range(12):
        step()
    with Profiler(tmp_path):
        step()
    assert not RECORDER.is_on
    before = len(RECORDER.slices), RECORDER.ring.take().shape[0]
    assert Tensor.__add__ is add
    if mode == ms.GRAPH_MODE:
        assert ops.operations.Tanh.__call__ is call
    step()
    assert (len(RECORDER.slices), RECORDER.ring.take().shape[0]) == before == (0, 0)


def test_the_timeline_has_the_slices_of_the_record(tmp_path: Path) -> None:
    _, record, profiler = _captured(tmp_path, 12, 3)
    (path,) = tmp_path.glob("*.trace.json.gz")
    with gzip.open(path, "rt") as file:
        trace = json.load(file)
    slices = [event for event in trace["traceEvents"] if event["ph"] == "X" and event["tid"] >= 2]
    wanted = Counter(record.sites[site].title for site in record.site.tolist())
    assert Counter(event["name"] for event in slices) == wanted
    steps = [event for event in trace["traceEvents"] if event["name"].startswith("ProfilerStep#")]
    assert [event["name"] for event in steps] == ["ProfilerStep#0", "ProfilerStep#1", "ProfilerStep#2"]
    main = [event for event in trace["traceEvents"] if event["ph"] == "X" and event["tid"] == 1]
    profiler.analyse()
    covered = sum(event["dur"] for event in main) + 1e3 * sum(
        (end - start) / 1e6 for start, end in _outermost(slices)
    )  # fmt: skip
    assert covered == pytest.approx((record.ended - record.began) / 1e3, rel=1e-6)


def _outermost(slices: list[dict[str, Any]]) -> list[tuple[float, float]]:
    """The slices of the first thread that are in no other, in nanoseconds."""
    found: list[tuple[float, float]] = []
    for event in sorted(slices, key=lambda one: (one["ts"], -one["dur"])):
        start, end = event["ts"] * 1e3, (event["ts"] + event["dur"]) * 1e3
        if event["tid"] == 2 and (not found or start >= found[-1][1] - 0.5):
            found.append((start, end))
    return found


def test_waiting_and_the_work_of_the_data_set_are_there(tmp_path: Path) -> None:
    network = nn.Dense(4, 2)
    rows = [(np.ones(4, np.float32), np.zeros(2, np.float32)) for _ in range(64)]
    data = dataset.GeneratorDataset(rows, ["x", "y"], shuffle=False).batch(4)
    model = ms.Model(network, nn.MSELoss(), nn.SGD(network.trainable_params(), 0.1))
    profiler = Profiler(tmp_path, steps=10)
    model.train(2, data, dataset_sink_mode=False)
    assert len(profiler.captures) == 1
    record = read_record_file(profiler.captures[0])
    assert [step.step for step in record.steps] == list(range(1, 11))
    assert sum(sums_of(record).values()) == record.ended - record.began
    assert any(site.kind == "data" for site in record.sites)
    assert "waiting for data" in profiler.profile.parts
    assert all(step.running > 0 for step in record.steps)


def test_a_killed_training_leaves_what_it_had(tmp_path: Path) -> None:
    _, step = _step()
    for _ in range(12):
        step()
    profiler = Profiler(tmp_path)
    for _ in range(3):
        step()
    profiler._measuring.write()  # type: ignore[union-attr] - the thread does so every second
    (path,) = tmp_path.glob("*.columns")
    left = path.read_bytes()
    profiler.stop()
    whole = read_record_file(path)
    other = tmp_path / "left"
    other.mkdir()
    (other / "profile_0_0.columns").write_bytes(left)
    ms.profiler.analyse(other)
    found = read_record_file(other / "profile_0_0.columns")
    assert 0 < len(found.site) <= len(whole.site)
    assert "did not end" in found.damage
    assert (other / "operators.csv").exists()
    assert (other / "profile_0_0.trace.json.gz").exists()


def test_what_is_alive_at_the_peak_adds_up(tmp_path: Path, mode: int) -> None:
    if mode == ms.PYNATIVE_MODE:
        pytest.skip("memory is planned in graph mode")
    network, record, _ = _captured(tmp_path, 12, 2)
    ((_, alive),) = record.memory.items()
    program = _program()
    weights = sum(p.nbytes for p in network.get_parameters())
    of_optimizer = sum(p.nbytes for p in network.trainable_params())
    held = {one.name: one.nbytes for one in alive if one.kind == "parameter"}
    rest = sum(held.values()) - weights - of_optimizer
    assert 0 <= rest < 64  # learning rate, momentum, and the number of the step
    # What an instance of the program really allocates, without the arrays that Python makes.
    (instance,) = [program._own.instance]
    made = [cell.cell_contents for cell in instance.__closure__ if hasattr(cell.cell_contents, "arrays")]
    table = made[0].arrays()[-1]
    allocated = sum(array.nbytes for array in table._arrays)
    told = sum(one.nbytes for one in alive if one.kind in ("workspace", "room") or one.kind == "value")
    outside = sum(value.nbytes for value in program.memory.unplanned.values())
    assert allocated <= told * 1.01
    assert told <= (allocated + outside) * 1.01
