"""Programs in their final form: matrices laid out for products, and expressions in the place of small operators."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import framework as ms
from framework import Tensor, nn, ops
from framework.common.plain import PLAIN
from framework.observe import Execution, watching
from tests.framework.sources import names_of

RNG = np.random.default_rng(11)


pytestmark = pytest.mark.usefixtures("tier_up_at_once")


def floats(*shape: int, scale: float = 1.0) -> Tensor:
    return Tensor(RNG.standard_normal(shape, np.float32) * np.float32(scale))


def rounds(x: Any, w: Any, n: Any) -> Any:
    i = 0
    while i < n:
        x = ops.tanh(ops.matmul(x, w))
        i = i + 1
    return x.sum()


def gradient_of_rounds(x: Any, w: Any, n: int, cotangent: float = 1.0) -> tuple[Any, Any]:
    """The same gradients by numpy, in Float64."""
    x, w = x.astype(np.float64), w.astype(np.float64)
    states = [x]
    for _ in range(n):
        states.append(np.tanh(states[-1] @ w))
    dx, dw = np.full_like(states[-1], cotangent), np.zeros_like(w)
    for before, after in zip(states[-2::-1], states[:0:-1], strict=True):
        inner = dx * (1 - after**2)
        dx, dw = inner @ w.T, dw + before.T @ inner
    return dx, dw


def kept(one: Execution) -> Execution:
    """With values that stay after the watcher has returned."""
    inputs = tuple(Tensor(item.asnumpy().copy()) if isinstance(item, Tensor) else item for item in one.inputs)
    outputs = Tensor(one.outputs.asnumpy().copy()) if isinstance(one.outputs, Tensor) else one.outputs
    return replace(one, inputs=inputs, outputs=outputs)


def source_of(compiled: Any) -> str:
    return str(compiled.latest.executable.source)


@pytest.mark.parametrize("count", [0, 1, 5])
def test_gradient_of_a_loop_lays_its_matrix_out_once(count: int) -> None:
    x, w, n = floats(40, 24), floats(24, 24, scale=0.2), Tensor(count)
    compiled = ms.jit(ms.grad(rounds, grad_position=(0, 1)))
    early = [item.asnumpy() for item in compiled(x, w, n)]
    for _ in range(3):
        late = [item.asnumpy() for item in compiled(x, w, n)]
    assert source_of(compiled).count("# LaidOut") == (0 if PLAIN else 1)
    for made, first, wanted in zip(late, early, gradient_of_rounds(x.asnumpy(), w.asnumpy(), count), strict=True):
        np.testing.assert_allclose(made, first, rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(made, wanted, rtol=2e-4, atol=2e-5)


@pytest.mark.fast_path
def test_the_table_says_and_chooses() -> None:
    (row,) = [row for row in ms.kernels.table() if row.name == "layouts"]
    assert row.implementation.startswith("numpy")
    ms.kernels.use("numpy", "layouts")
    compiled = ms.jit(ms.grad(rounds))
    x, w = floats(40, 24), floats(24, 24, scale=0.2)
    for _ in range(3):
        made = compiled(x, w, Tensor(4)).asnumpy()
    assert "LaidOut" not in source_of(compiled)
    ms.kernels.use("fast", "layouts")
    other = ms.jit(ms.grad(rounds))
    for _ in range(3):
        with_layouts = other(x, w, Tensor(4)).asnumpy()
    assert "LaidOut" in source_of(other)
    np.testing.assert_allclose(with_layouts, made, rtol=1e-5, atol=1e-6)


def unrolled(steps: int) -> Any:
    def function(x: Any, w: Any) -> Any:
        for _ in range(steps):
            x = ops.sigmoid(ops.matmul(x, w))
        return x.sum()

    return function


@pytest.mark.fast_path
@pytest.mark.parametrize(("steps", "rows", "laid_out"), [(8, 32, True), (7, 32, False), (8, 31, False)])
def test_what_pays(steps: int, rows: int, laid_out: bool) -> None:
    compiled = ms.jit(ms.grad(unrolled(steps)))
    x, w = floats(rows, 16), floats(16, 16)
    early = compiled(x, w).asnumpy()
    for _ in range(3):
        late = compiled(x, w).asnumpy()
    assert ("LaidOut" in source_of(compiled)) is laid_out
    np.testing.assert_allclose(late, early, rtol=1e-4, atol=1e-7)


def test_a_matrix_that_the_loop_changes_stays() -> None:
    def function(x: Any, w: Any, n: Any) -> Any:
        i = 0
        while i < n:
            x = ops.tanh(ops.matmul(x, w.transpose(1, 0)))
            w = w * 0.5
            i = i + 1
        return x

    compiled = ms.jit(ms.grad(lambda x, w, n: function(x, w, n).sum()))
    x, w = floats(32, 16), floats(16, 16)
    early = compiled(x, w, Tensor(3)).asnumpy()
    for _ in range(3):
        late = compiled(x, w, Tensor(3)).asnumpy()
    np.testing.assert_allclose(late, early, rtol=1e-5, atol=1e-7)


class Weighted(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Dense(16, 16)

    def construct(self, x: Any) -> Any:
        for _ in range(9):
            x = ops.tanh(self.layer(x))
        return (x * x).mean()


def test_weights_are_laid_out_anew_in_every_step() -> None:
    def losses() -> list[float]:
        ms.set_seed(2)
        network = Weighted()
        step = nn.TrainOneStepCell(network, nn.Momentum(network.trainable_params(), 0.5, 0.9)).set_train()
        x = Tensor(np.random.default_rng(0).standard_normal((32, 16), np.float32))
        found = [float(step(x).asnumpy()) for _ in range(8)]
        assert ("LaidOut" in source_of(step._programs)) is any(row.name == "layouts" and row.implementation != "numpy"
                                                               for row in ms.kernels.table())  # fmt: skip
        return found

    with_layouts = losses()
    ms.kernels.use("numpy", "layouts")
    np.testing.assert_allclose(with_layouts, losses(), rtol=1e-5)


def test_watchers_see_products_as_the_program_has_them() -> None:
    x, w = floats(40, 24), floats(24, 24, scale=0.2)
    compiled = ms.jit(ms.grad(rounds))
    for _ in range(3):
        compiled(x, w, Tensor(3))
    seen: list[Execution] = []
    with watching(lambda one: seen.append(kept(one))):
        watched = compiled(x, w, Tensor(3)).asnumpy()
    np.testing.assert_array_equal(watched, compiled(x, w, Tensor(3)).asnumpy())
    products = [one for one in seen if one.primitive.name == "MatMul"]
    assert len(products) == 6
    for one in products:
        a, b = (item.asnumpy() for item in one.inputs)
        np.testing.assert_array_equal(b, w.asnumpy())
        wanted = a @ (b.T if one.primitive.transpose_b else b)
        np.testing.assert_allclose(one.outputs.asnumpy(), wanted, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("sign", ["<", "<=", ">", ">=", "==", "!="])
@pytest.mark.parametrize(
    ("limit", "begin"),
    [(Tensor(3), 0), (Tensor(3, ms.int32), 0), (Tensor(2.5, ms.float32), 0), (Tensor(2.5, ms.float32), 0.5)],
)
def test_conditions_of_single_elements(sign: str, limit: Tensor, begin: Any) -> None:
    source = f"""
def function(n, x):
    i = {begin!r}
    while i {sign} n and i < 6:
        x = x + n * i
        i = i + 1
    return x
"""
    function = names_of(source)["function"]
    compiled = ms.jit(function)
    x = Tensor(np.float32([1.0, 2.0]))
    made = [compiled(limit, x).asnumpy() for _ in range(4)]
    wanted, i, n = x.asnumpy(), begin, limit.asnumpy()
    while eval(f"i {sign} n") and i < 6:  # noqa: S307, one of the signs above
        wanted, i = wanted + n * i, i + 1
    for one in made:
        np.testing.assert_allclose(one, wanted, rtol=1e-6)


@pytest.mark.fast_path
def test_the_head_of_a_loop_is_one_expression() -> None:
    compiled = ms.jit(rounds)
    for _ in range(3):
        compiled(floats(3, 4), floats(4, 4), Tensor(2))
    assert "Greater" not in source_of(compiled)
    assert "= bool(" in source_of(compiled)


def test_a_value_of_no_account_has_a_gradient_of_zeros() -> None:
    def function(x: Any, y: Any, n: Any) -> Any:
        while n > 0:
            x = x * y
            n = n - 1
        return x.sum()

    compiled = ms.jit(ms.grad(function, grad_position=(0, 1)))
    x, y = floats(3), floats(3)
    for count in (0, 0, 0, 2):
        dx, dy = compiled(x, y, Tensor(count))
        np.testing.assert_allclose(dx.asnumpy(), y.asnumpy() ** count, rtol=1e-5)
        np.testing.assert_allclose(dy.asnumpy(), count * x.asnumpy() * y.asnumpy() ** max(count - 1, 0), rtol=1e-5)


@pytest.mark.parametrize("kind", [np.int32, np.int64])
def test_a_number_of_rounds_is_python_s_in_the_loop(kind: type) -> None:
    compiled = ms.jit(ms.value_and_grad(rounds))
    x, w = floats(3, 3), floats(3, 3)
    for count in (0, 1, 5, 2, 7):
        value, gradient = compiled(x, w, Tensor(np.array(count, kind)))
        wanted, _ = gradient_of_rounds(x.asnumpy(), w.asnumpy(), count)
        np.testing.assert_allclose(gradient.asnumpy(), wanted, rtol=1e-4, atol=1e-6)
        assert value.asnumpy() == pytest.approx(forward(x, w, count), rel=1e-4)
    assert (".item()" in source_of(compiled)) is not PLAIN


def forward(x: Tensor, w: Tensor, count: int) -> float:
    state = x.asnumpy().astype(np.float64)
    for _ in range(count):
        state = np.tanh(state @ w.asnumpy())
    return float(state.sum())


def test_a_limit_that_is_no_whole_number_is_compared_by_numpy() -> None:
    """0.1 of Float32 is more than 0.1."""

    def until(x: Any, limit: Any) -> Any:
        i = 0.1
        while i < limit:
            x = x * 2.0
            i = i + 1.0
        return x

    compiled = ms.jit(until)
    for _ in range(3):
        assert compiled(Tensor(1.0), Tensor(np.float32(0.1))).asnumpy() == until(1.0, np.float32(0.1)) == 1.0
    assert ".item()" not in compiled.latest.executable.source


def choosing(x: Any, n: Any) -> Any:
    """Choices in the midst of things, one within another, and values that live across them."""
    kept = ops.tanh(x) * 2.0
    y = x
    for i in range(3):
        if n > i:
            if (y * kept).sum() > 0.0:
                y = ops.exp(y * 0.1) + kept
                y = y - kept * 0.5 if n > 2 else y + x
            else:
                y = y * kept
        z = ops.matmul(y, kept)
        y = z + y * 0.5
    return (y + kept).sum()


def test_choices_in_the_midst_of_things_hand_their_values_on() -> None:
    compiled, gradient = ms.jit(choosing), ms.jit(ms.value_and_grad(choosing))
    for number in range(4):
        x = floats(6, 6, scale=0.5 + number)
        for n in (0, 1, 2, 5):
            ms.set_context(mode=ms.PYNATIVE_MODE)
            wanted, derivative = ms.value_and_grad(choosing)(x, Tensor(n))
            ms.set_context(mode=ms.GRAPH_MODE)
            for _ in range(2):
                np.testing.assert_allclose(compiled(x, Tensor(n)).asnumpy(), wanted.asnumpy(), rtol=1e-4)
                value, made = gradient(x, Tensor(n))
                np.testing.assert_allclose(value.asnumpy(), wanted.asnumpy(), rtol=1e-4)
                scale = abs(derivative.asnumpy()).max()
                np.testing.assert_allclose(made.asnumpy(), derivative.asnumpy(), rtol=1e-3, atol=1e-5 * scale)


@pytest.mark.fast_path
def test_a_round_of_a_loop_is_one_function() -> None:
    compiled = ms.jit(ms.grad(rounds))
    for _ in range(3):
        compiled(floats(4, 4), floats(4, 4), Tensor(3))
    source = compiled.latest.executable.source
    assert "yield function, (" in source
    assert "def make_grad_loop_body" not in source


@pytest.mark.parametrize("count", [9, 40])
def test_choices_lie_within_one_another_as_deep_as_they_like(count: int) -> None:
    chain = "".join(f"x * {number}.5 if n == {number} else (" for number in range(count))
    source = f"def function(x, n):\n    y = {chain}x{')' * count}\n    return (ops.tanh(y) * y).sum()\n"
    function = names_of(source, ops=ops)["function"]
    gradient = ms.jit(ms.value_and_grad(function))
    x = floats(5)
    for n in (0, 7, 8, count - 1, count):
        factor = n + 0.5 if n < count else 1.0
        y = x.asnumpy().astype(np.float64) * factor
        for _ in range(2):
            value, made = gradient(x, Tensor(n))
        assert value.asnumpy() == pytest.approx((np.tanh(y) * y).sum(), rel=1e-5)
        wanted = factor * (np.tanh(y) + y * (1 - np.tanh(y) ** 2))
        np.testing.assert_allclose(made.asnumpy(), wanted, rtol=1e-4, atol=1e-5)
