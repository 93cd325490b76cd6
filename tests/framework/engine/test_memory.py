"""The memory plan: values share memory, and nobody notices."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import framework as ms
from framework import Parameter, Tensor, nn, ops
from framework.ad import grad
from framework.common.plain import PLAIN
from framework.engine.codegen.program import Executable, compile_program
from framework.engine.memory.plan import MemoryPlan
from framework.infer import specialize
from framework.ir.abstract import AbstractTensor
from framework.ops import PrimitiveWithInfer, prim_attr_register
from framework.opt.pipeline import optimize
from tests.framework import programs
from tests.framework.test_random_programs import COUNT, function_of, sources

MATRIX = AbstractTensor((3, 4), ms.float32)


def compiled(function: Any, *arguments: AbstractTensor, reuse: bool = True) -> Executable:
    program = specialize(function, arguments)
    optimize(program.root)
    return compile_program(program.root, reuse=reuse)


def arrays(value: Any) -> list[np.ndarray]:
    return [part for item in value for part in arrays(item)] if isinstance(value, tuple | list) else [value]


def check_places(plan: MemoryPlan) -> None:
    """No place holds two values at a time."""
    for one, other in itertools.combinations(plan.values.values(), 2):
        if one.block == other.block and one.place is other.place:
            first, second = sorted((one, other), key=lambda value: value.begin)
            assert first.end < second.begin or (first.end == second.begin and second.overwrites is first.node), str(
                plan
            )
    assert all(value.nbytes <= value.place.nbytes for value in plan.values.values())


def chain(x: Any) -> Any:
    for _ in range(6):
        x = ops.tanh(x * 0.5 + 1.0)
    return x


def test_a_chain_needs_one_place() -> None:
    run = compiled(chain, MATRIX)
    assert len(run.memory.places) == 1
    assert (run.memory.nbytes, run.memory.peak_live, run.memory.nbytes_without_reuse) == (48, 48, 17 * 48)
    check_places(run.memory)


def test_the_plan_is_shown() -> None:
    def function(x: Any) -> Any:
        y = ops.exp(x)
        return (y * x).sum(axis=0) - y.sum()

    assert str(compiled(function, MATRIX).memory).splitlines() == [
        "4 values in 3 places: 112 bytes; 116 without reuse, 112 alive at once",
        "1 more seen outside of the block: 16 bytes",
        "at most 128 bytes with what is elsewhere",
        "place        bytes  from    to  value",
        "    0           48     0     3  Default/Exp-op0 Float32[3, 4] in function",
        "    1           48     1     2  Default/Mul-op0 Float32[3, 4] in function",
        "    2           16     2     4  Default/ReduceSum-op0 Float32[4] in function",
        "    1            4     3     4  Default/ReduceSum-op1 Float32[] in function",
    ]


def views(x: Any) -> Any:
    y = x * 2.0
    turned = y.T.reshape(2, 6)
    z = x + 1.0
    parts = (turned, z * 3.0)
    return (parts[0] * 2.0).reshape(-1) + parts[1].reshape(-1), y[0]


def test_a_view_keeps_its_memory_busy() -> None:
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    run = compiled(views, MATRIX)
    for one, other in zip(arrays(run(x)), arrays(compiled(views, MATRIX, reuse=False)(x)), strict=True):
        np.testing.assert_array_equal(one, other)


UNARY = ("ops.tanh({})", "{} * 0.5", "-{}", "ops.relu({})", "{}.T.reshape(3, 4)", "{}[::-1]", "ops.softmax({})")
BINARY = ("{} + {}", "{} * {}", "{} - {}", "ops.maximum({}, {})", "({} @ {}.T) @ w", "({0} > {1}) * {0}", "{} + {}[0]")


@st.composite
def straight_lines(draw: Any) -> str:
    """A function that computes one after the other, and returns some of it."""
    names, lines = ["x", "w"], []
    for number in range(draw(st.integers(2, 14))):
        shape = draw(st.sampled_from((*UNARY, *BINARY)))
        first, second = draw(st.sampled_from(names)), draw(st.sampled_from(names))
        operands = [first] if shape in UNARY else [first, second]
        lines.append(f"    v{number} = {shape.format(*operands)}")
        names.append(f"v{number}")
    results = draw(st.lists(st.sampled_from(names), min_size=1, max_size=3))
    return "\n".join(["def program(x, w):", *lines, f"    return {', '.join(results)},"])


@settings(
    max_examples=2 * COUNT, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
)
@given(straight_lines(), st.integers(0, 5))
def test_reuse_changes_no_bit_and_no_result_that_is_kept(source: str, seed: int) -> None:
    function = function_of(source)
    run, plain = compiled(function, MATRIX, MATRIX), compiled(function, MATRIX, MATRIX, reuse=False)
    check_places(run.memory)
    rng = np.random.default_rng(seed)
    inputs = [[rng.standard_normal((3, 4), np.float32) for _ in range(2)] for _ in range(3)]
    kept = [arrays(run(*given)) for given in inputs]
    for values, results in zip(inputs, kept, strict=True):
        for result, wanted in zip(results, arrays(plain(*values)), strict=True):
            np.testing.assert_array_equal(result, wanted)


@settings(max_examples=COUNT, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
@given(sources())
def test_reuse_changes_no_bit_of_programs_with_control_flow_nor_of_their_gradients(source: str) -> None:
    function = function_of(source)
    total = lambda x: function(x).sum()  # noqa: E731
    vector = AbstractTensor((2,), ms.float64)
    run, plain = (compiled(grad(total), vector, reuse=reuse) for reuse in (True, False))
    check_places(run.memory)
    inputs = [np.array(values) for values in ([0.3, -0.4], [0.8, 0.9], [-0.7, -0.2])]
    kept = [run(x) for x in inputs]
    for x, result in zip(inputs, kept, strict=True):
        np.testing.assert_array_equal(result, plain(x))


@pytest.mark.parametrize("function", programs.EVERY, ids=lambda function: function.__name__)
def test_gradients_of_gradients_too(function: Callable[[Any], Any]) -> None:
    total = lambda x: function(x).sum()  # noqa: E731
    second = grad(lambda x: grad(total)(x).sum())
    vector = AbstractTensor((2,), ms.float64)
    run, plain = (compiled(second, vector, reuse=reuse) for reuse in (True, False))
    for values in programs.INPUTS:
        np.testing.assert_array_equal(run(np.array(values)), plain(np.array(values)))


def test_a_recursion_does_not_overwrite_what_its_callers_need() -> None:
    @ms.jit
    def nested(x: Any) -> Any:
        if x.sum() > 400.0:
            out = x * 1.0
        else:
            y = x * 2.0 + 1.0
            out = nested(x + 1.0) * 0.5 + y
        return out

    def plain(x: np.ndarray) -> np.ndarray:
        return x * 1.0 if x.sum() > 400.0 else plain(x + 1.0) * 0.5 + (x * 2.0 + 1.0)

    np.testing.assert_allclose(nested(Tensor(np.zeros(3))).asnumpy(), plain(np.zeros(3)), rtol=1e-12)


class Again(PrimitiveWithInfer):
    """Runs the compiled function that it is used in, while that runs."""

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["x"], outputs=["output"])

    def infer_shape(self, x: Any) -> Any:
        return x

    def infer_dtype(self, x: Any) -> Any:
        return x

    def compute(self, xp: Any, x: Any) -> Any:
        return x + (calls_itself(Tensor(x + 1.0)).asnumpy() if x[0] < 3.0 else 0.0)


again = Again()


@ms.jit
def calls_itself(x: Any) -> Any:
    y = x * 2.0 + 1.0
    return again(x * 1.0) + y * 1.0


def test_a_program_that_is_called_while_it_runs_has_other_memory() -> None:
    def plain(x: float) -> float:
        return x + (plain(x + 1.0) if x < 3.0 else 0.0) + x * 2.0 + 1.0

    assert calls_itself(Tensor([0.0, 0.0])).asnumpy().tolist() == [plain(0.0)] * 2


def test_threads_do_not_share_memory() -> None:
    run = compiled(lambda x: chain(x).sum(), AbstractTensor((200_000,), ms.float32))
    inputs = [np.full(200_000, value, np.float32) for value in (0.0, 1.0, 2.0, 3.0)]
    wanted = [run(x) for x in inputs]
    found: dict[int, list[Any]] = {place: [] for place in range(4)}

    def work(place: int) -> None:
        found[place] = [run(inputs[place]) for _ in range(20)]

    threads = [threading.Thread(target=work, args=(place,)) for place in found]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(result == wanted[place] for place, results in found.items() for result in results)
    assert all(len(results) == 20 for results in found.values())


class Layer(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.weight = Parameter(Tensor(np.ones((4, 4), np.float32)), name="weight")

    def construct(self, x: Any) -> Any:
        return (x @ self.weight).sum()


def address(parameter: Any) -> int:
    return int(parameter.asnumpy().__array_interface__["data"][0])


@pytest.fixture
def graph_mode() -> Any:
    ms.set_context(mode=ms.GRAPH_MODE)
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


@pytest.mark.usefixtures("graph_mode")
@pytest.mark.parametrize("optimizer", ["Momentum", "Adam"])
def test_parameters_are_updated_in_place_unless_somebody_holds_their_values(optimizer: str) -> None:
    layer = Layer()
    made = {"Momentum": lambda p: nn.Momentum(p, 0.1, 0.9), "Adam": lambda p: nn.Adam(p, 0.1)}[optimizer]
    step = nn.TrainOneStepCell(layer, made(layer.trainable_params())).set_train()
    x = Tensor(np.ones((2, 4), np.float32))
    step(x)
    first, place = float(layer.weight.asnumpy()[0, 0]), address(layer.weight)
    step(x)
    assert PLAIN or address(layer.weight) == place
    second = float(layer.weight.asnumpy()[0, 0])
    assert second < first
    held = layer.weight.asnumpy()
    step(x)
    assert not np.shares_memory(layer.weight.asnumpy(), held)
    np.testing.assert_array_equal(held, np.full((4, 4), second, np.float32))
    assert float(layer.weight.asnumpy()[0, 0]) < second


@pytest.mark.usefixtures("graph_mode")
def test_a_view_of_a_parameter_counts_as_holding_it() -> None:
    layer = Layer()
    step = nn.TrainOneStepCell(layer, nn.Momentum(layer.trainable_params(), 0.1, 0.9)).set_train()
    x = Tensor(np.ones((2, 4), np.float32))
    step(x)
    row = layer.weight.asnumpy()[1:, :]
    before = row.copy()
    step(x)
    np.testing.assert_array_equal(row, before)


def test_an_old_value_that_is_read_later_is_not_overwritten() -> None:
    weight = Parameter(Tensor(np.ones(3, np.float32)), name="weight")

    @ms.jit
    def function(x: Any) -> Any:
        old = weight * 1.0
        ops.assign_add(weight, x)
        return old + x, weight * 2.0

    for number in range(3):
        old, new = function(Tensor(np.ones(3, np.float32)))
        assert old.asnumpy().tolist() == [number + 2.0] * 3
        assert new.asnumpy().tolist() == [2.0 * number + 4.0] * 3
