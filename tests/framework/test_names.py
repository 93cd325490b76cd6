"""Both modes give an operator one name, in every compilation, and compute the same there.

What PyNative mode executes and a compiled program does not is what compilation removes: see docs/architecture.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import framework as ms
from framework import Tensor, nn, ops
from framework.engine.call.compiled import Compiled
from framework.observe import Execution, watching
from tests.framework import programs
from tests.framework.oracle.networks import Encoder, LeNet, WithLoss

Seen = dict[tuple[str, int], tuple[Execution, Any]]


@pytest.fixture(autouse=True)
def _mode() -> Iterator[None]:
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


def seen(call: Callable[[], Any]) -> Seen:
    """By name and iteration what executes in a call, and the arrays that it made."""
    found: Seen = {}

    def keep(execution: Execution) -> None:
        key = execution.full_name, execution.iteration
        assert key not in found
        found[key] = execution, [item.asnumpy().copy() for item in _tensors(execution.outputs)]

    with watching(keep):
        call()
    return found


def _tensors(value: Any) -> list[Tensor]:
    return list(value) if isinstance(value, tuple) else [value] if isinstance(value, Tensor) else []


def in_both_modes(make: Callable[[], Callable[[], Any]]) -> tuple[Seen, Seen]:
    """The executed operators in each mode, for a call that is created anew for each."""
    found = []
    for mode in (ms.PYNATIVE_MODE, ms.GRAPH_MODE):
        ms.set_context(mode=mode)
        ms.set_seed(3)
        found.append(seen(make()))
    return found[0], found[1]


def agree(eager: Seen, compiled: Seen, rtol: float = 1e-5) -> list[Execution]:
    """Compare what both have; returns what only PyNative mode executes, without what was merged."""
    assert compiled
    assert not compiled.keys() - eager.keys()
    for key, (_, wanted) in eager.items():
        if key in compiled:
            for one, other in zip(compiled[key][1], wanted, strict=True):
                np.testing.assert_allclose(one, other, rtol=rtol, atol=1e-6, err_msg=key[0])
    merged = {name for execution, _ in compiled.values() for name in execution.members[1:]}
    return [
        execution for key, (execution, _) in eager.items() if key not in compiled and execution.full_name not in merged
    ]


def does_nothing(execution: Execution) -> bool:
    """Whether an operator returned its input as it was."""
    output = execution.outputs.asnumpy()
    return any(
        item.shape == output.shape and np.array_equal(item.asnumpy(), output)
        for item in execution.inputs
        if isinstance(item, Tensor)
    )


def random(*shape: int, seed: int = 0) -> Tensor:
    return Tensor(np.random.default_rng(seed).standard_normal(shape).astype(np.float32))


class Shared(nn.Cell):
    """Calls one Cell four times, from two places."""

    def __init__(self) -> None:
        super().__init__()
        self.relu = nn.ReLU()
        self.layers = nn.CellList([nn.Dense(4, 4) for _ in range(3)])
        self.others = nn.CellList([nn.Dense(4, 4)])

    def construct(self, x: Any) -> Any:
        for layer in self.layers:
            x = self.relu(layer(x))
        return self.relu(self.others[0](x))


def test_a_cell_that_is_called_several_times() -> None:
    eager, compiled = in_both_modes(lambda: (lambda net: lambda: net(random(2, 4)))(Shared()))
    assert agree(eager, compiled) == []
    names = [name for name, _ in eager]
    assert [name for name in names if "ReLU" in name] == [f"Default/relu-ReLU/ReLU-op{i}" for i in range(4)]
    assert "Default/layers-CellList/0-Dense/MatMul-op0" in names
    assert "Default/others-CellList/0-Dense/MatMul-op0" in names


@pytest.mark.parametrize("function", programs.EVERY, ids=lambda function: function.__name__)
def test_control_flow_outside_of_cells(function: Callable[[Any], Any]) -> None:
    compiled = ms.jit(function)
    for values in programs.INPUTS:
        x = Tensor(np.array(values))
        in_graph = seen(lambda x=x: compiled(x))
        eager = seen(lambda x=x: compiled.plain(x))
        left_out = agree(eager, in_graph, 1e-12)
        read = {id(item) for execution, _ in eager.values() for item in execution.inputs}
        assert all(does_nothing(execution) or id(execution.outputs) not in read for execution in left_out)


@pytest.mark.parametrize("function", [programs.loops, programs.recurs, programs.mutual, programs.early])
def test_names_do_not_depend_on_which_mode_comes_first(function: Callable[[Any], Any]) -> None:
    x = Tensor(np.array([0.5, 1.25]))

    def own(x: Any) -> Any:
        return function(x)

    compiled = ms.jit(own)
    eager = seen(lambda: compiled.plain(x))
    assert agree(eager, seen(lambda: compiled(x)), 1e-12) == []


def test_iterations_of_a_loop_that_a_tensor_decides() -> None:
    compiled = ms.jit(programs.loops)
    x = Tensor(np.array([0.5, 1.25]))
    for found in (seen(lambda: compiled(x)), seen(lambda: compiled.plain(x))):
        rounds = [iteration for name, iteration in found if name == "Default/Mul-op1"]
        assert rounds == list(range(len(rounds)))
        assert len(rounds) > 3


def test_names_are_the_same_when_a_program_is_compiled_anew() -> None:
    network = Shared()
    ms.set_context(mode=ms.GRAPH_MODE)
    first = seen(lambda: network(random(2, 4)))
    again = seen(lambda: network(random(3, 4)))
    other = seen(lambda: Compiled(network)(random(2, 4)))
    assert list(first) == list(again) == list(other)


def training(network: Callable[[], nn.Cell], optimizer: str, *batch: Tensor) -> Callable[[], Callable[[], Any]]:
    """A step of training."""

    def make() -> Callable[[], Any]:
        made = network()
        options = {"momentum": 0.9} if optimizer == "Momentum" else {}
        kind = getattr(nn, optimizer)(made.trainable_params(), learning_rate=0.01, **options)
        step = nn.TrainOneStepCell(WithLoss(made), kind).set_train()
        return lambda: step(*batch)

    return make


@pytest.mark.parametrize("optimizer", ["Momentum", "Adam"])
def test_training_of_lenet(optimizer: str) -> None:
    labels = Tensor(np.array([3, 1], np.int32))
    eager, compiled = in_both_modes(training(LeNet, optimizer, random(2, 1, 32, 32), labels))
    left_out = agree(eager, compiled)
    assert {execution.primitive.name for execution in left_out} == {"SumLike", "OnesLike"}
    assert all(does_nothing(execution) for execution in left_out if execution.primitive.name == "SumLike")
    names = {name for name, _ in compiled}
    network = "Default/network-WithLoss/network-LeNet"
    assert f"{network}/conv1-Conv2d/Conv2D-op0" in names
    assert f"{network}/relu-ReLU/ReLU-op3" in names
    assert f"Gradients/{network}/conv1-Conv2d/Grad_Conv2D/Conv2DBackpropFilter-op0" in names
    kind = {"Momentum": "ApplyMomentum", "Adam": "Adam"}[optimizer]
    assert len([name for name in names if f"optimizer-{optimizer}/{kind}-op" in name]) == 8


class Classifier(nn.Cell):
    """A transformer block over vectors, and a product with what needs no gradient in front."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Dense(8, 64)
        self.encoder = Encoder()
        self.head = nn.Dense(64, 3)

    def construct(self, x: Any) -> Any:
        x = self.encoder(self.embed(x), ops.zeros_like(x)[0, 0, 0])
        return self.head(x.mean(axis=1))


def test_training_of_a_transformer_block() -> None:
    labels = Tensor(np.array([2, 0], np.int32))
    eager, compiled = in_both_modes(training(Classifier, "Momentum", random(2, 5, 8), labels))

    def is_in_both(key: tuple[str, int]) -> bool:
        # Of reshapes in a row the last does it all, and so its gradient; what is read by several equal operators gets
        # its gradients added up in another place once these are one.
        return "/Sum_" not in key[0] and "Grad_Reshape" not in key[0]

    left_out = agree(*({key: found[key] for key in found if is_in_both(key)} for found in (eager, compiled)))
    assert {execution.primitive.name for execution in left_out} <= {"SumLike", "Reshape", "OnesLike"}
    assert len(compiled) > 100
    unknown = {name.rpartition("-")[0] for name, _ in compiled.keys() - eager.keys()}
    assert all("/Sum_" in name for name in unknown)


def test_gradients_through_control_flow() -> None:
    gradient = ms.grad(lambda x: programs.nested_loops(x).sum())
    x = Tensor(np.array([0.5, 1.25]))
    ms.set_context(mode=ms.PYNATIVE_MODE)
    eager = seen(lambda: gradient(x))
    compiled = seen(lambda: ms.jit(gradient)(x))

    def of_operators(found: Seen) -> Seen:
        # Zeros for ways that are not taken, and the order of sums, are those of the compiled program.
        return {key: item for key, item in found.items() if "Compiled/" not in key[0] and "/Sum_" not in key[0]}

    # A condition has a gradient in the compiled program, of zeros.
    only = {name for name, _ in of_operators(compiled).keys() - of_operators(eager).keys()}
    assert all("Grad_ReduceSum" in name for name in only)
    common = {key: item for key, item in of_operators(compiled).items() if key in eager}
    left_out = agree(of_operators(eager), common, 1e-12)
    # The gradient of the sum at the end is 1 everywhere, whatever the sum is, so nobody computes the sum.
    constants = {"OnesLike", "Reshape", "BroadcastLike", "ReduceSum"}
    assert {execution.primitive.name for execution in left_out} <= {"SumLike", "Mul"} | constants


def curve(x: Any) -> Any:
    return ops.tanh(x) * ops.exp(x)


def within(x: Any) -> Any:
    return ms.jacrev(curve)(x * 2.0).sum() + ms.jacrev(curve)(x).max()


class Taking(nn.Cell):
    """Takes a Jacobian of a Cell that it holds."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Dense(3, 2)

    def construct(self, x: Any) -> Any:
        return ms.jacrev(self.inner)(x) * ms.jacrev(self.inner)(x * 2.0)


VECTOR, ROWS = Tensor([0.2, -0.5, 1.0]), Tensor([[0.2, -0.5, 1.0], [1.0, 0.0, 2.0]])
BY_ROWS: dict[str, Callable[[], Callable[[], Any]]] = {
    "of a function": lambda: lambda: ms.jacrev(curve)(VECTOR),
    "of a Cell": lambda: functools.partial(ms.jacrev(nn.Dense(3, 2)), ROWS),
    "a product": lambda: functools.partial(ms.vjp(curve, VECTOR)[1], VECTOR),
    "within a function": lambda: lambda: ms.jit(within)(VECTOR),
    "within a Cell": lambda: functools.partial(Taking(), ROWS),
}
FORWARD: dict[str, Callable[[], Callable[[], Any]]] = {
    "of a function": lambda: lambda: ms.jacfwd(curve)(VECTOR),
    "of a Cell": lambda: functools.partial(ms.jacfwd(nn.Dense(3, 2)), ROWS),
    "a product": lambda: lambda: ms.jvp(curve, VECTOR, VECTOR),
    "Hessian": lambda: lambda: ms.hessian(lambda x: curve(x).sum())(VECTOR),
}


@pytest.mark.parametrize("name", BY_ROWS)
def test_jacobians(name: str) -> None:
    eager, compiled = in_both_modes(BY_ROWS[name])
    agree(eager, compiled)
    assert not any(name.startswith("Compiled/") for name, _ in compiled)


@pytest.mark.parametrize("name", FORWARD)
def test_forward_mode(name: str) -> None:
    eager, compiled = in_both_modes(FORWARD[name])
    names = {name for name, _ in compiled if not name.startswith("Compiled/") and "/Sum_" not in name}
    if name != "Hessian":
        assert names <= {name for name, _ in eager}
    # The operators of the function and those around the ways back run as often, and compute the same.
    own = [key for key in compiled if key[0].startswith("Default/")]
    agree(eager, {key: compiled[key] for key in own})
    assert len(own) > 6 or name == "a product"
