"""Programs with generated kernels compute what they compute without, which numpy's kernels define."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import framework as ms
from framework import Tensor, nn, ops
from framework.engine.fusion.fused_programs import WARM_UP_CALLS, FusedKernel
from framework.ir.manager import Manager
from framework.observe import Execution, watching
from tests.framework.sources import names_of

COUNT = 200 if os.environ.get("MINDINSIGHT_TEST_COUNTS") == "long" else 8
SHAPE = (48, 1024)


@pytest.fixture(autouse=True)
def _kernels() -> Iterator[None]:
    yield
    ms.kernels.use("fast", "fused")


def kernels_of(executable: Any) -> list[FusedKernel]:
    found = (node.operator for node in Manager(executable.program).all_nodes())
    return [operator for operator in found if isinstance(operator, FusedKernel)]


def with_and_without(function: Any, *arguments: Any) -> tuple[Any, Any, list[FusedKernel]]:
    """What a function gives with generated kernels and without, and these kernels."""
    compiled = ms.jit(function)
    made = compiled(*arguments)
    kernels = kernels_of(compiled.compile(*arguments).executable)
    ms.kernels.use("numpy", "fused")
    try:
        plain = ms.jit(function)
        wanted = plain(*arguments)
        assert not kernels_of(plain.compile(*arguments).executable)
    finally:
        ms.kernels.use("fast", "fused")
    return made, wanted, kernels


def arrays(value: Any) -> list[np.ndarray[Any, Any]]:
    return [item.asnumpy() for item in (value if isinstance(value, tuple) else (value,))]


def agree(made: Any, wanted: Any, rtol: float, atol: float) -> None:
    for one, other in zip(arrays(made), arrays(wanted), strict=True):
        assert one.dtype == other.dtype
        assert one.shape == other.shape
        np.testing.assert_allclose(one, other, rtol=rtol, atol=atol, equal_nan=True)


def sample(dtype: Any, seed: int = 0) -> Tensor:
    rng = np.random.default_rng(seed)
    if dtype == np.bool_:
        return Tensor(rng.random(SHAPE) < 0.5)
    numbers = rng.standard_normal(SHAPE) * 3
    if np.dtype(dtype).kind == "f":
        numbers[0, :8] = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-40, 80.0, -80.0]
    return Tensor(numbers.astype(dtype))


FLOATS = (
    "Abs", "Ceil", "Erf", "ErfGeLU", "Exp", "Expm1", "Floor", "GeLU", "HSigmoid", "HSwish", "IsFinite", "IsNan", "Log",
    "Log1p", "Neg", "ReLU", "ReLU6", "Reciprocal", "Rint", "Rsqrt", "SiLU", "Sigmoid", "Sign", "Softplus", "Softsign",
    "Sqrt", "Square", "Tanh", "Trunc",
)  # fmt: skip
NUMBERS = (
    "Add", "Sub", "Mul", "Maximum", "Minimum", "SquaredDifference", "Equal", "NotEqual", "Less", "LessEqual", "Greater",
    "GreaterEqual", "LogicalAnd", "LogicalOr",
)  # fmt: skip


@pytest.mark.fast_path
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_operators_on_one_tensor(dtype: Any) -> None:
    operators = [getattr(ops, name)() for name in FLOATS]

    def all_of_them(x: Any) -> Any:
        return tuple(operator(x) for operator in operators)

    with np.errstate(all="ignore"):
        made, wanted, kernels = with_and_without(all_of_them, sample(dtype))
    assert sum(len(kernel.cluster.steps) for kernel in kernels) == len(FLOATS)
    bound = 8 * float(np.finfo(dtype).eps)
    for name, one, other in zip(FLOATS, made, wanted, strict=True):
        # Sums of terms that cancel: of their size, not of the result's.
        absolute = {"GeLU": 20, "ErfGeLU": 20, "SiLU": 4, "Sigmoid": 2, "HSwish": 4, "Softplus": 2}.get(name, 0) * bound
        np.testing.assert_allclose(one.asnumpy(), other.asnumpy(), bound, absolute, err_msg=name)


@pytest.mark.fast_path
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.int64])
def test_operators_on_two_tensors_are_exact(dtype: Any) -> None:
    operators = [getattr(ops, name)() for name in NUMBERS]
    quotient = [ops.RealDiv(), ops.Div()] if np.dtype(dtype).kind == "f" else []

    def all_of_them(x: Any, y: Any) -> Any:
        return tuple(operator(x, y) for operator in (*operators, *quotient))

    with np.errstate(all="ignore"):
        made, wanted, kernels = with_and_without(all_of_them, sample(dtype), sample(dtype, 1))
    assert sum(len(kernel.cluster.steps) for kernel in kernels) == len(operators) + len(quotient)
    agree(made, wanted, 0, 0)


def mixed(x: Any, n: Any, b: Any, row: Any, column: Any) -> Any:
    y = ops.select(b, x * row + n, x / 3) - column
    positive = ops.logical_and(y > 0, ops.logical_not(b))
    z = ops.cast(positive, ms.float32) * ops.cast(n, ms.float32) + ops.cast(ops.cast(y, ms.int32), ms.float32)
    return z, ops.cast(y, ms.float64) * 0.1, positive, ops.cast(y, ms.bool_), n * 2 + ops.cast(b, ms.int32)


@pytest.mark.fast_path
def test_types_and_shapes_are_mixed() -> None:
    x, n, b = (sample(dtype) for dtype in (np.float32, np.int32, np.bool_))
    x = Tensor(np.nan_to_num(x.asnumpy(), posinf=5, neginf=-5))
    row = Tensor(np.linspace(-1, 1, SHAPE[1], dtype=np.float32))
    column = Tensor(np.linspace(-2, 2, SHAPE[0], dtype=np.float32).reshape(-1, 1))
    made, wanted, kernels = with_and_without(mixed, x, n, b, row, column)
    assert len(kernels) == 1
    agree(made, wanted, 0, 0)


@pytest.mark.fast_path
def test_arrays_that_do_not_lie_in_order_are_computed_too() -> None:
    whole = np.random.default_rng(0).standard_normal(SHAPE)

    def views(x: Any) -> Any:
        return ops.tanh(x[:, ::2] * 2.0 + 1.0), ops.exp(-ops.abs(ops.transpose(x, (1, 0)) + 0.5))

    made, wanted, kernels = with_and_without(views, Tensor(whole))
    assert len(kernels) == 2
    assert sum(item.strided for kernel in kernels for item in kernel.cluster.inputs) == 1
    agree(made, wanted, 1e-13, 1e-13)


def chain(x: Any) -> Any:
    y = ops.tanh(x * 1.1 + 0.1)
    y = ops.exp(-(y * 0.9)) + 0.5
    return ops.relu(ops.square(y / 1.5) - 0.25) * 0.7


@pytest.mark.fast_path
def test_a_chain_and_its_gradient_are_one_kernel() -> None:
    x = Tensor(np.random.default_rng(2).standard_normal(SHAPE))
    made, wanted, kernels = with_and_without(ms.grad(lambda x: chain(x).sum()), x)
    assert len(kernels) == 1
    assert len(kernels[0].cluster.inputs) == len(kernels[0].cluster.outputs) == 1
    agree(made, wanted, 1e-12, 1e-14)


@pytest.mark.fast_path
def test_small_programs_are_fused_when_they_are_called_often() -> None:
    x = Tensor(np.linspace(-2, 2, 7))
    compiled = ms.jit(lambda x: ops.tanh(x * 2.0) + 1.0)
    results = []
    for calls in range(1, WARM_UP_CALLS + 3):
        results.append(compiled(x).asnumpy())
        assert bool(kernels_of(compiled.latest.executable)) == (calls >= WARM_UP_CALLS)  # type: ignore[union-attr]
    for result in results:
        np.testing.assert_allclose(result, np.tanh(x.asnumpy() * 2) + 1, rtol=1e-14, atol=1e-15)
    assert compiled.compilations == 1


@pytest.mark.fast_path
def test_watchers_see_every_operator_and_kernels_list_their_members() -> None:
    x = Tensor(np.random.default_rng(0).standard_normal(SHAPE))
    compiled = ms.jit(lambda x: ops.tanh(x * 2.0) + 1.0)
    wanted = compiled(x).asnumpy()
    (kernel,) = [node for node in Manager(compiled.latest.executable.program).all_nodes() if "Fused" in str(node)]  # type: ignore[union-attr]
    seen: list[Execution] = []
    with watching(seen.append):
        np.testing.assert_allclose(compiled(x).asnumpy(), wanted, rtol=1e-14, atol=1e-15)
    assert [execution.primitive.name for execution in seen] == ["Mul", "Tanh", "Add"]
    assert list(kernel.also) == [execution.full_name for execution in seen]


def normalized(x: Any) -> Any:
    """A layer normalization by hand."""
    centred = x - ops.ReduceMean(keep_dims=True)(ops.tanh(x), 1)
    variance = ops.ReduceMean(keep_dims=True)(centred * centred, -1)
    return centred * ops.rsqrt(variance + 1e-5)


def distances(x: Any, y: Any) -> Any:
    """The sums and means of squares in each row, and what is left to do for the mean of all."""
    squares = ops.square(x - y)
    return ops.ReduceMean()(squares, 1), ops.ReduceSum()(squares, 1), squares.mean()


@pytest.mark.fast_path
@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("function", [normalized, distances])
def test_sums_are_part_of_kernels(function: Any, count: int) -> None:
    rng = np.random.default_rng(7)
    given = [Tensor(rng.standard_normal((64, 1024)).astype(np.float32)) for _ in range(2)]
    given = given[: 1 if function is normalized else 2]
    made, wanted, kernels = with_and_without(function, *given)
    agree(made, wanted, 2e-6, 2e-6)
    sums = [output for kernel in kernels for output in kernel.cluster.outputs if output.reduction]
    assert len(sums) == 2
    derived = ms.grad(lambda *given: sum(ops.tanh(item).sum() for item in _each(function(*given))))
    agree(*with_and_without(derived, *given)[:2], 1e-4, 1e-6)


def _each(value: Any) -> Any:
    return value if isinstance(value, tuple) else (value,)


@pytest.mark.fast_path
def test_long_sums_of_everything_stay_apart() -> None:
    x = Tensor(np.ones((1 << 17, 2), np.float32))
    made, _, kernels = with_and_without(lambda x: ((x * 2.0 + 1.0).sum(), (x * 0.5).mean(1)), x)
    assert [item.asnumpy().shape for item in made] == [(), (1 << 17,)]
    assert float(made[0].asnumpy()) == 6 * (1 << 17)
    sums = [output for kernel in kernels for output in kernel.cluster.outputs if output.reduction]
    assert [(output.reduction, output.axes) for output in sums] == [("mean", (1,))]


def test_watchers_see_sums_as_they_are_without_them() -> None:
    rng = np.random.default_rng(8)
    x, y = (Tensor(rng.standard_normal((64, 1024)).astype(np.float32)) for _ in range(2))
    compiled = ms.jit(distances)
    made = arrays(compiled(x, y))
    seen: list[tuple[str, Any]] = []
    with watching(lambda one: seen.append((one.primitive.name, one.outputs.asnumpy().copy()))):
        watched = arrays(compiled(x, y))
    for one, other in zip(made, watched, strict=True):
        np.testing.assert_array_equal(one, other)
    assert sorted(name for name, _ in seen) == ["ReduceMean", "ReduceMean", "ReduceSum", "Square", "Sub"]
    for name, value in seen:
        assert not name.startswith("Reduce") or any(np.array_equal(value, one) for one in made)


class Layers(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Dense(64, 96), nn.Dense(96, 8)
        self.norm = nn.LayerNorm((96,))

    def construct(self, x: Any) -> Any:
        x = ops.gelu(self.norm(self.first(x)))
        return ops.sigmoid(self.second(x)) * ops.softplus(x[:, :8])


@pytest.mark.parametrize("optimizer", [nn.Momentum, nn.Adam])
def test_training_ends_at_the_same_weights(optimizer: Any) -> None:
    x = np.random.default_rng(4).standard_normal((512, 64)).astype(np.float32)

    def trained() -> list[np.ndarray[Any, Any]]:
        ms.set_seed(1)
        network = Layers()
        loss = nn.WithLossCell(network, nn.MSELoss())
        made = optimizer(network.trainable_params(), 0.01, **({"momentum": 0.9} if optimizer is nn.Momentum else {}))
        step = nn.TrainOneStepCell(loss, made).set_train()
        for _ in range(5):
            step(Tensor(x), Tensor(np.zeros((512, 8), np.float32)))
        return [weight.asnumpy() for weight in network.trainable_params()]

    ms.set_context(mode=ms.GRAPH_MODE)
    try:
        fused = trained()
        ms.kernels.use("numpy", "fused")
        plain = trained()
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    for one, other in zip(fused, plain, strict=True):
        np.testing.assert_allclose(one, other, rtol=2e-4, atol=2e-6)


VALUES = ("{} * {} - 0.25", "ops.tanh({})", "{} / ({} * {} + 1.5)", "ops.maximum({}, {})", "ops.exp(-ops.abs({}))",
          "{} + row", "ops.select({} > 0.1, {}, column)", "{} @ square", "{}.mean(1, keep_dims=True) + {}",
          "ops.sigmoid({}) * {}", "{}[:, ::-1] * 0.5", "ops.cast({} > {}, ms.float64) - {}")  # fmt: skip


@st.composite
def sources(draw: Any) -> str:
    lines = []
    for number in range(draw(st.integers(3, 9))):
        names = ("x", *(f"v{before}" for before in range(number)))
        shape = draw(st.sampled_from(VALUES))
        taken = [draw(st.sampled_from(names)) for _ in range(shape.count("{}"))]
        lines.append(f"    v{number} = {shape.format(*taken)}")
    chosen = {draw(st.sampled_from([f"v{n}" for n in range(len(lines))])) for _ in range(2)}
    ends = " + ".join(sorted({*chosen, f"v{len(lines) - 1}"}))
    return "\n".join(["def program(x, row, column, square):", *lines, f"    return {ends}"])


@settings(max_examples=COUNT, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
@given(sources())
def test_random_programs_and_their_gradients(source: str) -> None:
    rng = np.random.default_rng(5)
    shapes = (300, 128), (128,), (300, 1), (128, 128)
    given_ = [Tensor(rng.uniform(-1, 1, shape) * 0.5) for shape in shapes]
    function = names_of(source, ops=ops, ms=ms)["program"]
    made, wanted, _ = with_and_without(function, *given_)
    agree(made, wanted, 1e-11, 1e-11)
    gradient = ms.grad(lambda *arguments: function(*arguments).sum(), (0, 1, 2, 3))
    made, wanted, _ = with_and_without(gradient, *given_)
    # Relative to the largest element: gradients of weights are sums of many terms.
    for one, other in zip(arrays(made), arrays(wanted), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-11 * max(1.0, float(np.abs(other).max())))
