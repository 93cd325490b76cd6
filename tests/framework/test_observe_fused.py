"""Watching does not change results, to the bit, for any kernel."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import framework as ms
from framework import Tensor, nn, ops
from framework.engine.fusion.fused_programs import WARM_UP_CALLS
from framework.kernels.fused import APPROXIMATED, generated
from framework.observe import Execution, beside, watching
from tests.framework.debugger.networks import training, weights

pytestmark = pytest.mark.skipif(not generated.is_fast, reason="there is no compiler of kernels here")
OTHERS = ("HSigmoid", "HSwish", "Inv", "Reciprocal", "Rsqrt", "Softsign", "Sqrt")


@pytest.fixture(autouse=True)
def _mode() -> Iterator[None]:
    ms.set_context(mode=ms.GRAPH_MODE)
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


class Curved(nn.Cell):
    """Layers with operators between them whose generated kernels compute other last bits than numpy."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Dense(6, 40), nn.Dense(40, 3)

    def construct(self, x: Any) -> Any:
        """Logits."""
        x = self.first(x)
        return self.second(ops.tanh(x) * 1.5 + ops.sigmoid(x) - ops.exp(-x * x))


def rows(number: int, count: int) -> tuple[Tensor, Tensor]:
    random = np.random.default_rng(number)
    return (
        Tensor(random.standard_normal((count, 6), np.float32)),
        Tensor(random.integers(0, 3, count).astype(np.int32)),
    )


def curved() -> nn.Cell:
    """A step of training, with the same weights each time."""
    ms.set_seed(7)
    return training(Curved())


def trained(count: int, watch: Any) -> list[bytes]:
    """The weights after two times as many steps as come before kernels are generated."""
    step = curved()
    for number in range(2 * WARM_UP_CALLS):
        with watch(number):
            step(*rows(number, count))
    return weights(step)


@pytest.mark.parametrize("count", [4, 2000])
@pytest.mark.parametrize("names", [None, {"Default/network-WithLossCell/_backbone-Curved/Tanh-op0"}])
def test_a_training_that_is_watched_in_some_steps_has_the_same_weights(count: int, names: set[str] | None) -> None:
    seen: list[Execution] = []
    nobody = contextlib.nullcontext()
    alone = trained(count, lambda number: nobody)
    looked_at = trained(count, lambda number: watching(seen.append, names) if number % 3 else nobody)
    assert {item.primitive.name for item in seen} >= {"Tanh"}
    assert looked_at == alone


#: Those of two operands.
OF_TWO = ("ErfGeLUGrad",)


@pytest.mark.parametrize("name", [*sorted(APPROXIMATED), *OTHERS])
def test_an_operator_that_is_shown_computes_what_its_cluster_does(name: str) -> None:
    kind = getattr(ops.operations, name)

    class Net(nn.Cell):
        def construct(self, x: Any) -> Any:
            """A cluster of three."""
            return (kind()(x * 0.7, x) if name in OF_TWO else kind()(x * 0.7)) + 1.0

    numbers = np.random.default_rng(1).standard_normal((300, 200), np.float32) * np.float32(3)
    net, x = Net(), Tensor(np.abs(numbers) if name in ("Log", "Log1p", "Rsqrt", "Sqrt") else numbers)
    wanted = net(x).asnumpy().tobytes()
    seen: list[tuple[Any, str]] = []
    with watching(lambda item: seen.append((item.primitive, item.full_name))):
        assert net(x).asnumpy().tobytes() == wanted
    (shown,) = [primitive for primitive, _ in seen if primitive.name == name]
    assert type(shown) is kind


def test_calls_beside_the_training_do_not_count() -> None:
    step, alone = curved(), curved()
    for number in range(2 * WARM_UP_CALLS):
        before = [(one, one._data) for one in step.get_parameters()]
        step(*rows(number, 4))
        after = [(one, one._data) for one in step.get_parameters()]
        with beside():
            for one, array in before:
                one._data = array
            step(*rows(number, 4))
        for one, array in after:
            one._data = array
        alone(*rows(number, 4))
    assert weights(step) == weights(alone)
