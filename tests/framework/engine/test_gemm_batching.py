"""Products of the steps of a sequence as one, and sums of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import framework as ms
from framework import Tensor, nn, ops
from framework.common.plain import PLAIN
from framework.engine.fusion import gemm_batching
from framework.ir.anf import CNode
from framework.ir.manager import Manager
from framework.observe import Execution, watching
from framework.ops import operations as P  # noqa: N812
from framework.profiler import Profiler

RNG = np.random.default_rng(5)
LENGTH, BATCH, WIDTH, UNITS = 9, 4, 6, 5


pytestmark = pytest.mark.usefixtures("tier_up_at_once")


def floats(*shape: int) -> Tensor:
    return Tensor(RNG.standard_normal(shape, np.float32) * np.float32(0.5))


def recurrent(xs: Any, w: Any, u: Any) -> Any:
    """A recurrent network over (length, batch, width), by hand."""
    h = ops.zeros((BATCH, UNITS), ms.float32)
    for t in range(LENGTH):
        h = ops.tanh(ops.matmul(xs[t], w) + ops.matmul(h, u))
    return h.sum()


def gradients_of_recurrent(xs: Any, w: Any, u: Any) -> list[Any]:
    """The same gradients by numpy, in Float64."""
    xs, w, u = (item.asnumpy().astype(np.float64) for item in (xs, w, u))
    states = [np.zeros((BATCH, UNITS))]
    for x in xs:
        states.append(np.tanh(x @ w + states[-1] @ u))
    dxs, dw, du, dh = np.zeros_like(xs), np.zeros_like(w), np.zeros_like(u), np.ones((BATCH, UNITS))
    for t in reversed(range(LENGTH)):
        inner = dh * (1 - states[t + 1] ** 2)
        dxs[t], dw, du, dh = inner @ w.T, dw + xs[t].T @ inner, du + states[t].T @ inner, inner @ u.T
    return [dxs, dw, du]


def called(function: Callable[..., Any], *arguments: Any, times: int = 3) -> tuple[Any, Any]:
    """What the last of some calls of the compiled function gives, and the compiled function."""
    compiled = ms.jit(function)
    for _ in range(times):
        made = compiled(*arguments)
    return made, compiled


def nodes_of(compiled: Any) -> Iterator[CNode]:
    yield from Manager(compiled.latest.executable.program).all_nodes()


def products_of(compiled: Any) -> list[tuple[int, ...]]:
    """The shapes of all products that a program computes."""
    return [node.abstract.shape for node in nodes_of(compiled) if isinstance(node.operator, P.MatMul)]  # type: ignore[union-attr]


def test_a_recurrent_network_has_one_product_of_its_inputs_and_one_for_each_matrix() -> None:
    arguments = floats(LENGTH, BATCH, WIDTH), floats(WIDTH, UNITS), floats(UNITS, UNITS)
    made, compiled = called(ms.grad(recurrent, grad_position=(0, 1, 2)), *arguments)
    for one, wanted in zip(made, gradients_of_recurrent(*arguments), strict=True):
        np.testing.assert_allclose(one.asnumpy(), wanted, rtol=1e-5, atol=1e-5)
    shapes = products_of(compiled)
    each, at_once = (LENGTH, 0) if PLAIN else (1, 1)
    assert shapes.count((LENGTH * BATCH, UNITS)) == at_once
    assert shapes.count((WIDTH, UNITS)) == shapes.count((UNITS, UNITS)) == each


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("turned", [False, True])
def test_parts_along_either_axis(axis: int, turned: bool) -> None:
    x, w = floats(10, 3, 4) if axis == 0 else floats(3, 10, 4), floats(5, 4) if turned else floats(4, 5)

    def function(x: Any, w: Any) -> Any:
        total = ops.zeros((3, 5), ms.float32)
        for t in range(10):
            part = x[t] if axis == 0 else x[:, t]
            total = ops.tanh(total + P.MatMul(transpose_b=turned)(part, w))
        return total

    made, compiled = called(function, x, w)
    total = np.zeros((3, 5))
    for part in np.moveaxis(x.asnumpy(), axis, 0).astype(np.float64):
        total = np.tanh(total + part @ (w.asnumpy().T if turned else w.asnumpy()))
    np.testing.assert_allclose(made.asnumpy(), total, rtol=1e-5, atol=1e-6)
    assert products_of(compiled) == ([(3, 5)] * 10 if PLAIN else [(30, 5)])


@pytest.mark.parametrize("case", ["few", "not all", "another matrix", "many rows", "double"])
def test_what_stays_apart(case: str) -> None:
    length = 7 if case == "few" else 9
    kind = np.float64 if case == "double" else np.float32
    x = Tensor(RNG.standard_normal((length, 300 if case == "many rows" else 3, 4)).astype(kind))
    w = Tensor(RNG.standard_normal((4, 5)).astype(kind))

    def function(x: Any, w: Any) -> Any:
        made = []
        for t in range(length - (case == "not all")):
            w = w * 0.5 if case == "another matrix" else w
            made.append(ops.matmul(x[t], w))
        return ops.stack(made)

    made, compiled = called(function, x, w)
    halves = 0.5 ** np.arange(1, length + 1)[:, None, None] if case == "another matrix" else 1.0
    wanted = (x.asnumpy() @ w.asnumpy() * halves)[: made.shape[0]]
    np.testing.assert_allclose(made.asnumpy(), wanted, rtol=1e-5, atol=1e-6)
    assert len(products_of(compiled)) == made.shape[0]


def test_a_sum_keeps_its_other_terms_and_what_others_read_of_it() -> None:
    def function(given: list[Any], other: Any) -> Any:
        total = other
        for place, (a, b) in enumerate(given):
            total = total + P.MatMul(transpose_a=True)(a, b)
            if place == 0:
                first = total
        return total, first * 2.0

    given = [(floats(2, 4), floats(2, 5)) for _ in range(9)]
    other = floats(4, 5)
    (made, first), compiled = called(function, given, other)
    terms = [a.asnumpy().astype(np.float64).T @ b.asnumpy() for a, b in given]
    np.testing.assert_allclose(made.asnumpy(), other.asnumpy() + sum(terms), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(first.asnumpy(), 2 * (other.asnumpy() + terms[0]), rtol=1e-5, atol=1e-6)
    assert products_of(compiled) == [(4, 5)] * (9 if PLAIN else 2), "what was read between, and the rest"


@pytest.mark.parametrize("most", [9 * (2 * 4 + 2 * 5), 9 * (2 * 4 + 2 * 5) - 1])
def test_what_would_keep_too_much_stays_apart(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gemm_batching, "MAX_ELEMENTS", most)

    def function(given: list[Any]) -> Any:
        total = P.MatMul(transpose_a=True)(*given[0])
        for a, b in given[1:]:
            total = total + P.MatMul(transpose_a=True)(a, b)
        return total

    given = [(floats(2, 4), floats(2, 5)) for _ in range(9)]
    made, compiled = called(function, given)
    terms = [a.asnumpy().astype(np.float64).T @ b.asnumpy() for a, b in given]
    np.testing.assert_allclose(made.asnumpy(), sum(terms), rtol=1e-5, atol=1e-6)
    assert len(products_of(compiled)) == (1 if most == 9 * (2 * 4 + 2 * 5) and not PLAIN else 9)


def test_thick_terms_stay_apart() -> None:
    def function(given: list[Any]) -> Any:
        total = P.MatMul(transpose_a=True)(*given[0])
        for a, b in given[1:]:
            total = total + P.MatMul(transpose_a=True)(a, b)
        return total

    given = [(floats(6, 4), floats(6, 5)) for _ in range(9)]
    made, compiled = called(function, given)
    terms = [a.asnumpy().astype(np.float64).T @ b.asnumpy() for a, b in given]
    np.testing.assert_allclose(made.asnumpy(), sum(terms), rtol=1e-5, atol=1e-6)
    assert len(products_of(compiled)) == 9, "all of them at once would take more memory than the sum"


def test_watchers_see_every_product_and_what_runs_without_them() -> None:
    arguments = floats(LENGTH, BATCH, WIDTH), floats(WIDTH, UNITS), floats(UNITS, UNITS)
    compiled = ms.jit(ms.grad(recurrent, grad_position=(1, 2)))
    for _ in range(3):
        compiled(*arguments)
    seen: list[tuple[str, Any, Any]] = []

    def see(one: Execution) -> None:
        if isinstance(one.primitive, P.MatMul):
            a, b = (item.asnumpy().copy() for item in one.inputs)
            a, b = (a.T if one.primitive.transpose_a else a), (b.T if one.primitive.transpose_b else b)
            seen.append((one.full_name, one.outputs.asnumpy().copy(), a @ b))

    with watching(see):
        watched = [item.asnumpy() for item in compiled(*arguments)]
    for one, other in zip(watched, compiled(*arguments), strict=True):
        np.testing.assert_array_equal(one, other.asnumpy())
    assert len({name for name, _, _ in seen}) == len(seen) > 4 * LENGTH - 3
    for _, made, wanted in seen:
        np.testing.assert_allclose(made, wanted, rtol=1e-5, atol=1e-6)


def test_a_profile_counts_the_work_that_is_done(tmp_path: Path) -> None:
    arguments = floats(LENGTH, BATCH, WIDTH), floats(WIDTH, UNITS), floats(UNITS, UNITS)

    def flops() -> int:
        _, compiled = called(ms.grad(recurrent, grad_position=(1, 2)), *arguments)
        with Profiler(output_path=str(tmp_path)) as profiler:
            compiled(*arguments)
        return sum(item.flops for item in profiler.profile.operators.values() if item.op_type == "MatMul")

    merged = flops()
    ms.kernels.use("numpy", "merged")
    assert merged == flops() > 0


def test_the_table_chooses() -> None:
    arguments = floats(LENGTH, BATCH, WIDTH), floats(WIDTH, UNITS), floats(UNITS, UNITS)
    merged, _ = called(ms.grad(recurrent, grad_position=(0, 1, 2)), *arguments)
    ms.kernels.use("numpy", "merged")
    apart, compiled = called(ms.grad(recurrent, grad_position=(0, 1, 2)), *arguments)
    assert len(products_of(compiled)) > 4 * LENGTH
    for one, other in zip(merged, apart, strict=True):
        np.testing.assert_allclose(one.asnumpy(), other.asnumpy(), rtol=1e-5, atol=1e-6)


def test_a_network_of_the_library_trains_the_same() -> None:
    def losses() -> list[float]:
        ms.set_seed(2)
        layer = nn.LSTM(WIDTH, UNITS, bidirectional=True)
        network = nn.WithLossCell(_Last(layer), nn.MSELoss())
        step = nn.TrainOneStepCell(network, nn.Momentum(network.trainable_params(), 0.1, 0.9)).set_train()
        given = np.random.default_rng(0)
        batch = [
            Tensor(given.standard_normal(shape).astype(np.float32))
            for shape in ((LENGTH, BATCH, WIDTH), (LENGTH, BATCH, 2 * UNITS))
        ]
        return [float(step(*batch).asnumpy()) for _ in range(6)]

    merged = losses()
    ms.kernels.use("numpy", "merged")
    np.testing.assert_allclose(merged, losses(), rtol=1e-5)


class _Last(nn.Cell):
    def __init__(self, layer: nn.Cell) -> None:
        super().__init__()
        self.layer = layer

    def construct(self, x: Any) -> Any:
        return self.layer(x)[0]
