"""Recorded, repeated, compared and interrupted steps; the training's results stay the same."""

from __future__ import annotations

import linecache
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import framework as ms
from debugging.steps.divergence import compare
from debugging.steps.stepper import Stop
from debugging.tensors.tensor_names import TensorName
from framework import Tensor, nn, ops
from framework.debugger.modes import set_mode
from framework.debugger.snapshot import Snapshot
from framework.observe import is_watched
from summaries.schema import debugger_pb2 as wire
from tests.framework.debugger.faults import plant
from tests.framework.debugger.networks import batch, training, weights
from tests.framework.debugger.parts import nodes_of, runner_of, stepper_of

MODES = ("graph", "pynative")
FIRST = "Default/network-WithLossCell/_backbone-Small/first-Dense/MatMul-op0"
LAST = "Default/network-WithLossCell/_backbone-Small/second-Dense/BiasAdd-op0"
RELU = "Default/network-WithLossCell/_backbone-Small/relu-ReLU/ReLU-op0"


@pytest.fixture(autouse=True)
def _mode() -> Iterator[None]:
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


@pytest.mark.parametrize("mode", MODES)
def test_a_step_run_again_leaves_everything_as_it_was(mode: str) -> None:
    alone, looked_at = [], []
    for found, looks in ((alone, False), (looked_at, True)):
        set_mode(mode)
        step = training()
        runner, before = runner_of(step, nodes_of(step, batch())), Snapshot(step)
        for number in range(1, 5):
            before.take(number - 1)
            found.append(step(*batch(number)).asnumpy().tobytes())
            if looks:
                first = runner.again(before, number, batch(number))
                other = runner.again(before, number, batch(number), "pynative" if mode == "graph" else "graph")
                assert first.mode == mode
                assert other.mode != mode
                assert first.loss is not None
                assert first.array(first.loss).tobytes() == found[-1]
        found.append(weights(step))
    assert alone == looked_at
    assert not is_watched()


@pytest.mark.parametrize("mode", MODES)
def test_a_step_that_fails_when_it_runs_again_leaves_everything_as_it_was(mode: str) -> None:
    set_mode(mode)
    step = training()
    runner, before = runner_of(step, nodes_of(step, batch())), Snapshot(step)
    before.take(0)
    step(*batch())
    then = weights(step)
    with pytest.raises((TypeError, ValueError)):
        runner.again(before, 1, (Tensor(np.zeros((5, 7), np.float32)), batch()[1]))
    assert weights(step) == then


@pytest.mark.parametrize("mode", MODES)
def test_a_snapshot_takes_the_memory_of_what_changes_and_nothing_else(mode: str) -> None:
    set_mode(mode)
    step = training()
    step(*batch())
    before = Snapshot(step)
    before.take(1)
    then = weights(step)
    assert before.nbytes == 0
    step(*batch(1))
    changed = [one.asnumpy().nbytes for one, old in zip(step.get_parameters(), then, strict=True)
               if one.asnumpy().tobytes() != old]  # fmt: skip
    assert sum(changed) <= before.nbytes <= sum(map(len, then))
    before.restore()
    assert weights(step) == then
    step(*batch(2))
    before.restore()
    assert weights(step) == then


def source_of(line: Any) -> str:
    return linecache.getline(line.file, line.line).strip()


def test_a_snapshot_that_was_never_taken_is_refused() -> None:
    with pytest.raises(RuntimeError, match="take"):
        Snapshot(training()).restore()


@pytest.mark.parametrize("mode", MODES)
def test_a_recording_has_all_tensors_with_their_names(mode: str) -> None:
    set_mode(mode)
    step = training()
    x, labels = batch()
    weight = step.parameters_dict()["first.weight"].asnumpy().copy()
    bias = step.parameters_dict()["first.bias"].asnumpy().copy()
    _, recording = runner_of(step, nodes_of(step, (x, labels))).record(1, (x, labels))
    made = x.asnumpy() @ weight.T
    np.testing.assert_allclose(recording.array(TensorName(FIRST)), made, rtol=1e-5)
    np.testing.assert_allclose(recording.array(TensorName(RELU)), np.maximum(made + bias, 0), rtol=1e-5)
    np.testing.assert_array_equal(recording.array(TensorName("first.weight")), weight)
    np.testing.assert_array_equal(recording.array(TensorName("data")), x.asnumpy())
    assert recording.array(TensorName("nowhere")) is None
    executed = recording.executed(TensorName(FIRST))
    assert executed is not None
    assert [str(name) for name, _ in executed.inputs if name is not None] == ["data", "first.weight"]
    assert recording.nbytes > 0


@pytest.mark.parametrize("mode", MODES)
def test_nodes_have_kinds_inputs_and_lines(mode: str) -> None:
    set_mode(mode)
    step = training()
    nodes = nodes_of(step, batch())
    _, recording = runner_of(step, nodes).record(1, batch())
    nodes.add_recorded(recording)
    program = nodes.program
    by_name = {node.full_name: node for node in program.nodes}
    assert by_name["data"].kind == wire.INPUT
    assert by_name["first.weight"].kind == wire.WEIGHT
    assert by_name["moments.first.weight"].kind == wire.STATE
    assert by_name[RELU].kind == wire.ACTIVATION
    assert list(by_name[FIRST].outputs[0].shape) == [5, 8]
    assert [item.full_name for item in by_name[FIRST].inputs] == ["data", "first.weight"]
    assert by_name[RELU].line.line > 0
    assert any(node.kind == wire.GRADIENT for node in program.nodes)
    assert all(item.full_name in by_name for node in program.nodes for item in node.inputs)
    order = [nodes.order(item.full_name) for item in recording.executions]
    assert order == sorted(order)
    assert nodes.graph


class Unsupported(nn.Cell):
    """What graph mode does not take."""

    def construct(self, x: Any) -> Any:
        """The same."""
        with open("/dev/null"):  # noqa: PTH123
            return x * 2.0


def test_a_network_that_cannot_be_compiled_has_nodes_when_a_step_was_recorded() -> None:
    step, x = Unsupported(), Tensor([1.0])
    nodes = nodes_of(step, (x,))
    assert "with" in nodes.problem
    assert not nodes.graph
    _, recording = runner_of(step, nodes).record(1, (x,))
    assert nodes.add_recorded(recording)
    assert [node.full_name for node in nodes.program.nodes] == ["x", "Default/Mul-op0"]


def test_modes_that_agree_have_no_first_difference() -> None:
    step = training()
    nodes = nodes_of(step, batch())
    runner, before = runner_of(step, nodes), Snapshot(step)
    before.take(0)
    found = compare(runner.again(before, 1, batch(), "graph"), runner.again(before, 1, batch(), "pynative"), nodes)
    assert (found.first_mode, found.second_mode) == ("graph", "pynative")
    assert len(found.differences) > 20
    assert not found.HasField("first")
    assert [item.order for item in found.differences] == sorted(item.order for item in found.differences)


class Scaled(nn.Cell):
    """A product with a factor that the test changes."""

    def __init__(self) -> None:
        super().__init__()
        self.factor = 2.0

    def construct(self, x: Any) -> Any:
        """Another child of the product."""
        return ops.tanh(ops.exp(x) * self.factor)


def test_the_first_node_that_differs_is_told() -> None:
    step, x = Scaled(), Tensor([0.1, 0.2])
    nodes = nodes_of(step, (x,))
    runner = runner_of(step, nodes)
    _, first = runner.record(1, (x,))
    step.factor = 3.0
    _, second = runner.record(1, (x,))
    found = compare(first, second, nodes)
    assert found.first.full_name == "Default/Mul-op0"
    by_name = {item.tensor.full_name: item for item in found.differences}
    assert by_name["Default/Exp-op0"].same
    np.testing.assert_allclose(by_name["Default/Mul-op0"].max_abs, np.exp(np.float32(0.2)), rtol=1e-6)
    assert by_name["Default/Tanh-op0"].max_rel > 0


@pytest.mark.parametrize("mode", MODES)
def test_stops_behind_nodes(mode: str) -> None:
    set_mode(mode)
    step = training()
    stops: list[Stop] = []

    def stop(found: Stop) -> None:
        stops.append(found)
        if len(stops) < 3:
            stepper.next_node()
        elif len(stops) == 3:
            stepper.run_to(LAST)

    stepper = stepper_of(step, stop)
    runner = runner_of(step, nodes_of(step, batch()))
    stepper.next_node()
    runner.record(1, batch(), stepper)
    names = [item.execution.full_name for item in stops if item.execution is not None]
    assert names[0] == FIRST
    assert names[2:] == [RELU, LAST]
    assert all(item.stack for item in stops)
    assert not stepper.is_asked


def test_goes_line_by_line() -> None:
    step = training()
    lines: list[str] = []

    def stop(found: Stop) -> None:
        assert found.reason == "line"
        lines.append(source_of(found.stack[0]))
        stepper.next_line()

    stepper = stepper_of(step, stop)
    stepper.next_line()
    given = batch()
    with stepper.following(sys._getframe()):
        step(*given)
    assert lines == ["x = self.relu(self.first(x))", "x = self.dropout(x)", "return self.second(x)"]
    then = list(lines)
    step(*batch())
    assert lines == then


def outer(x: Any) -> Any:
    """Calls another function."""
    x = inner(x)
    return x + 1.0


def inner(x: Any) -> Any:
    """Is called."""
    x = x * 2.0
    return x * 3.0


class Calling(nn.Cell):
    """Calls functions."""

    def construct(self, x: Any) -> Any:
        """Something."""
        return outer(x)


def test_passes_over_functions() -> None:
    lines: list[str] = []

    def stop(found: Stop) -> None:
        lines.append(source_of(found.stack[0]))
        stepper.next_line(over=len(lines) > 1)

    stepper = stepper_of(nn.Identity(), stop)
    stepper.next_line()
    with stepper.following(sys._getframe()):
        Calling()(Tensor([1.0]))
    assert lines == ["return outer(x)", "x = inner(x)", "return x + 1.0"]


def test_numbers_that_an_operator_is_called_with_stand_among_its_attributes() -> None:
    planted = plant("loss_scale", 1)
    nodes = nodes_of(planted.training, planted.batches[0])
    scaled = [dict(node.attributes) for node in nodes if node.full_name.startswith("Default/Mul-op")]
    assert scaled
    assert all(attributes["y"] == "4096.0" for attributes in scaled)
