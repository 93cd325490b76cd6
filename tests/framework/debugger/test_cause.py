"""The search for a cause names what was planted, in networks and places that differ by seed, in both modes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import framework as ms
from debugging.cause import History, find_cause
from framework import Tensor, nn, ops
from framework.debugger.modes import set_mode
from summaries.schema import debugger_pb2 as wire
from tests.framework.debugger.faults import FINITE_LOST, first_not_finite, plant
from tests.framework.debugger.parts import nodes_of, runner_of

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")
VERDICTS = {
    "log_of_zero": {"log_of_zero"},
    "learning_rate": {"exploding_update"},
    "float16": {"float16_overflow"},
    "bad_image": {"not_finite_input"},
}


@pytest.fixture(autouse=True)
def _mode() -> Iterator[None]:
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


@pytest.mark.parametrize("mode", ["graph", "pynative"])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", FINITE_LOST)
def test_the_producer_is_named(kind: str, seed: int, mode: str) -> None:
    set_mode(mode)
    wanted = first_not_finite(plant(kind, seed))
    assert wanted is not None
    planted = plant(kind, seed)
    nodes, history = nodes_of(planted.training, planted.batches[0]), History()
    runner = runner_of(planted.training, nodes)
    for step, batch in enumerate(planted, 1):
        _, recording = runner.record(step, batch)
        if step == wanted[0]:
            break
        history.note(recording)
    cause = find_cause(recording, history, nodes)
    assert cause.verdict in VERDICTS[kind]
    name = cause.producer.tensor.full_name
    assert name == (wanted[1] or "data")
    assert all(culprit in name for culprit in planted.culprits)
    roles = [link.role for link in cause.chain]
    assert roles.count(wire.Link.PRODUCER) == 1
    assert roles[-1] == wire.Link.LOSS or recording.loss is None
    assert cause.propagators > 0
    if kind == "learning_rate":
        assert cause.facts["weight"].endswith(("weight", "bias"))
        assert float(cause.facts["weight_abs_max"]) > 1e6
    if kind == "bad_image":
        place = tuple(map(int, cause.facts["place"].strip("[]").split(",")))
        assert np.isnan(planted.batches[step - 1][0].asnumpy()[place])


class Of(nn.Cell):
    """One function, between operators that pass on what comes."""

    def __init__(self, function: Any) -> None:
        super().__init__()
        self.function = function

    def construct(self, x: Any) -> Any:
        """A number."""
        return (self.function(x * 1.0) + 1.0).sum()


@pytest.mark.parametrize(
    ("function", "given", "verdict", "kind"),
    [
        (ops.log, [1.0, 0.0], "log_of_zero", "Log"),
        (ops.log, [1.0, -2.0], "log_of_negative", "Log"),
        (ops.sqrt, [1.0, -2.0], "root_of_negative", "Sqrt"),
        (ops.exp, [1.0, 100.0], "exp_overflow", "Exp"),
        (lambda x: 1.0 / x, [1.0, 0.0], "division_by_zero", "Div"),
        (lambda x: x * x, [1.0, 1e30], "overflow", "Mul"),
        (lambda x: x * Tensor(np.array([1, np.inf], np.float32)), [1.0, 2.0], "not_finite_constant", "Mul"),
    ],
    ids=["log of zero", "log of negative", "root", "exp", "division", "product", "constant"],
)
def test_what_happened_follows_from_what_the_operator_computes(
    function: Any, given: Any, verdict: str, kind: str
) -> None:
    step, x = Of(function), Tensor(np.array(given, np.float32))
    nodes = nodes_of(step, (x,))
    _, recording = runner_of(step, nodes).record(1, (x,))
    cause = find_cause(recording, History(), nodes)
    assert cause.verdict == verdict
    assert kind in cause.producer.tensor.full_name or cause.producer.type == kind


def test_a_step_without_a_fault_has_none() -> None:
    step, x = Of(ops.exp), Tensor(np.ones(3, np.float32))
    nodes = nodes_of(step, (x,))
    _, recording = runner_of(step, nodes).record(1, (x,))
    cause = find_cause(recording, History(), nodes)
    assert cause.verdict == "nothing"
    assert cause.problem


@pytest.mark.parametrize("mode", ["graph", "pynative"])
def test_a_mask_of_infinities_that_does_not_reach_the_loss_is_no_cause(mode: str) -> None:
    def masked(x: Any) -> Any:
        far = ops.masked_fill(x, x < 0.0, -np.inf)
        return ops.log(ops.softmax(far) * 0.0 + x)

    set_mode(mode)
    step, x = Of(masked), Tensor(np.array([-1.0, 0.5, 2.0], np.float32))
    nodes = nodes_of(step, (x,))
    _, recording = runner_of(step, nodes).record(1, (x,))
    cause = find_cause(recording, History(), nodes)
    assert (cause.producer.type, cause.verdict) == ("Log", "log_of_negative")


def test_a_tensor_that_left_its_usual_range_is_the_beginning_of_the_chain() -> None:
    step, history = Of(lambda x: ops.log(ops.relu(x) * ops.relu(x))), History()
    nodes = nodes_of(step, (Tensor([1.0]),))
    runner = runner_of(step, nodes)
    random = np.random.default_rng(0)
    for number in range(1, 30):
        size = 10.0 ** (-6 * max(0, number - 25))
        x = Tensor((random.uniform(0.5, 1.5, 50) * size).astype(np.float32))
        _, recording = runner.record(number, (x,))
        cause = find_cause(recording, history, nodes)
        if cause.verdict != "nothing":
            break
        history.note(recording)
    assert cause.verdict == "log_of_zero"
    assert cause.history.left_at >= 26
    assert cause.history.usual_low > 0
    assert cause.chain[0].role in (wire.Link.FINITE, wire.Link.ABNORMAL)
