"""Jacobians and their products in both modes: closed forms, central differences, torch.func, and what they cost."""

from __future__ import annotations

import inspect
import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import framework as ms
from framework import Parameter, Tensor, nn, ops
from framework.observe import watching

TORCH = Path(__file__).parents[3] / "benchmarks/.envs/torch/bin/python"
STEP = 1e-6
X = np.array([[0.3, -0.7], [1.1, 0.4]])
Y = np.array([[0.9, 0.2], [-0.5, 1.3]])


@pytest.fixture(params=["PYNATIVE_MODE", "GRAPH_MODE"])
def in_mode(request: pytest.FixtureRequest) -> Iterator[Callable[[Any], Any]]:
    """Both ways in which graph mode gets a function; in PyNative mode the function as it is."""
    ms.set_context(mode=getattr(ms, request.param))
    yield (lambda fn: fn) if request.param == "PYNATIVE_MODE" else ms.jit
    ms.set_context(mode=ms.PYNATIVE_MODE)


def tensors(*arrays: Any) -> tuple[Tensor, ...]:
    return tuple(Tensor(np.array(array)) for array in arrays)


def smooth(x: Any, y: Any) -> Any:
    """From two matrices to a matrix and a vector."""
    return ops.tanh(x) @ y * x, (x * y).sum(axis=1) + ops.exp(y[0])


def slopes(fn: Callable[..., Any], inputs: tuple[np.ndarray, ...], position: int, output: int) -> np.ndarray:
    """The Jacobian by central differences."""
    columns = []
    for place in np.ndindex(inputs[position].shape):
        ends = []
        for sign in (1, -1):
            moved = [array.copy() for array in inputs]
            moved[position][place] += sign * STEP
            result = fn(*tensors(*moved))
            ends.append((result[output] if isinstance(result, tuple) else result).asnumpy())
        columns.append((ends[0] - ends[1]) / (2 * STEP))
    return np.stack(columns, -1).reshape(*columns[0].shape, *inputs[position].shape)


@pytest.mark.parametrize("take", [ms.jacrev, ms.jacfwd])
def test_jacobians_against_central_differences(take: Any, in_mode: Any) -> None:
    found = in_mode(take(smooth, (0, 1)))(*tensors(X, Y))
    assert [len(row) for row in found] == [2, 2]
    for output in range(2):
        for position in range(2):
            wanted = slopes(smooth, (X, Y), position, output)
            np.testing.assert_allclose(found[output][position].asnumpy(), wanted, rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize("take", [ms.jacrev, ms.jacfwd])
def test_what_is_returned_for_one_or_several(take: Any, in_mode: Any) -> None:
    x, y = tensors(X, Y)
    assert in_mode(take(lambda x, y: x * y))(x, y).shape == (2, 2, 2, 2)
    assert [item.shape for item in in_mode(take(lambda x, y: x * y, (0, 1)))(x, y)] == [(2, 2, 2, 2)] * 2
    assert [item.shape for item in in_mode(take(smooth, 1))(x, y)] == [(2, 2, 2, 2), (2, 2, 2)]
    assert in_mode(take(lambda x, y: x * y, (1,)))(x, y).shape == (2, 2, 2, 2)
    jacobian, more = in_mode(take(lambda x, y: (x * y, x + y), 1, has_aux=True))(x, y)
    np.testing.assert_allclose(jacobian.asnumpy().reshape(4, 4), np.diag(X.ravel()))
    np.testing.assert_allclose(more.asnumpy(), X + Y)


@pytest.mark.parametrize("take", [ms.jacrev, ms.jacfwd])
def test_an_argument_that_does_not_count_has_zeros(take: Any, in_mode: Any) -> None:
    first, second = in_mode(take(lambda x, y: x * 2.0, (0, 1)))(*tensors(X, Y))
    np.testing.assert_array_equal(first.asnumpy().reshape(4, 4), 2 * np.eye(4))
    np.testing.assert_array_equal(second.asnumpy(), np.zeros((2, 2, 2, 2)))


def test_the_hessian_of_a_quadratic_form_and_of_a_product(in_mode: Any) -> None:
    matrix = np.array([[2.0, -1.0, 0.5], [0.0, 3.0, 1.0], [1.5, 0.0, 1.0]])
    a = Tensor(matrix)
    found = in_mode(ms.hessian(lambda x: (x @ a * x).sum()))(Tensor(np.array([1.0, 2.0, 3.0])))
    np.testing.assert_allclose(found.asnumpy(), matrix + matrix.T)
    (xx, xy), (yx, yy) = in_mode(ms.hessian(lambda x, y: (x * x * y).sum(), (0, 1)))(*tensors(X, Y))
    np.testing.assert_allclose(xx.asnumpy().reshape(4, 4), np.diag(2 * Y.ravel()))
    np.testing.assert_allclose(xy.asnumpy().reshape(4, 4), np.diag(2 * X.ravel()))
    np.testing.assert_allclose(yx.asnumpy(), xy.asnumpy())
    np.testing.assert_array_equal(yy.asnumpy(), np.zeros((2, 2, 2, 2)))
    found, more = in_mode(ms.hessian(lambda x: ((x * x).sum(), x + 1.0), has_aux=True))(Tensor(X))
    np.testing.assert_allclose(found.asnumpy().reshape(4, 4), 2 * np.eye(4))
    np.testing.assert_allclose(more.asnumpy(), X + 1)


def test_products_with_vectors(in_mode: Any) -> None:
    x, y, v = tensors(X, Y, np.array([[1.0, -2.0], [0.5, 3.0]]))
    jacobians = ms.jacrev(smooth, (0, 1))(x, y)
    value, tangent = in_mode(lambda x, y, v, w: ms.jvp(smooth, (x, y), (v, w)))(x, y, v, y)
    for output in range(2):
        parts = [np.tensordot(j.asnumpy(), d.asnumpy(), 2) for j, d in zip(jacobians[output], (v, y), strict=True)]
        np.testing.assert_allclose(tangent[output].asnumpy(), sum(parts))
        np.testing.assert_allclose(value[output].asnumpy(), smooth(x, y)[output].asnumpy())

    def pulled(x: Any, y: Any, v: Any, w: Any) -> Any:
        value, vjp_fn = ms.vjp(smooth, x, y)
        return value, vjp_fn(v, w), vjp_fn(v * 2.0, w * 0.0)

    w = Tensor(np.array([0.3, -1.0]))
    _, once, twice = in_mode(pulled)(x, y, v, w)
    for position in range(2):
        first = np.tensordot(v.asnumpy(), jacobians[0][position].asnumpy(), 2)
        second = np.tensordot(w.asnumpy(), jacobians[1][position].asnumpy(), 1)
        np.testing.assert_allclose(once[position].asnumpy(), first + second)
        np.testing.assert_allclose(twice[position].asnumpy(), 2 * first)


class Net(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.w = Parameter(Tensor(np.array([2.0, 3.0])), name="w")

    def construct(self, x: Any, y: Any) -> Any:
        return x**3 + y * self.w, y


def test_programs_of_the_documentation(in_mode: Any) -> None:
    x = Tensor(np.array([[1, 2], [3, 4]]).astype(np.float32))
    v = Tensor(np.ones((2, 2), np.float32))

    class Plain(nn.Cell):
        def construct(self, x: Any, y: Any) -> Any:
            return x**3 + y

    net = Plain()
    outputs, vjp_fn = ms.vjp(net, x, x)
    assert outputs.tolist() == [[2, 10], [30, 68]]
    assert [item.tolist() for item in vjp_fn(v)] == [[[3, 12], [27, 48]], [[1, 1], [1, 1]]]
    outputs, tangent = ms.jvp(net, (x, x), (v, v))
    assert (outputs.tolist(), tangent.tolist()) == ([[2, 10], [30, 68]], [[4, 13], [28, 49]])
    assert ms.jvp(lambda x: x**2, x, v)[1].tolist() == [[2, 4], [6, 8]]
    outputs, vjp_fn, more = ms.vjp(lambda x, y: (2 * x + y, y**3), x, x, has_aux=True)
    assert (outputs.tolist(), more.tolist()) == ([[3, 6], [9, 12]], [[1, 8], [27, 64]])
    assert [item.tolist() for item in vjp_fn(v)] == [[[2, 2], [2, 2]], [[1, 1], [1, 1]]]
    outputs, tangent, more = ms.jvp(lambda x, y: (x**3 + y, y), (x, x), (v, v), has_aux=True)
    assert (tangent.tolist(), more.tolist()) == ([[4, 13], [28, 49]], x.tolist())


def test_weights_of_a_cell(in_mode: Any) -> None:
    net, (x, y) = Net(), tensors(X, Y)

    def pulled(x: Any, y: Any) -> Any:
        _, vjp_fn, more = ms.vjp(net, x, y, weights=net.trainable_params(), has_aux=True)
        return vjp_fn(x), more

    (by_inputs, by_weights), more = pulled(x, y)
    np.testing.assert_allclose(by_inputs[0].asnumpy(), 3 * X**3)
    np.testing.assert_allclose(by_inputs[1].asnumpy(), X * [2.0, 3.0])
    np.testing.assert_allclose(by_weights[0].asnumpy(), (X * Y).sum(axis=0))
    np.testing.assert_array_equal(more.asnumpy(), Y)


@pytest.mark.parametrize("take", [ms.jacrev, ms.jacfwd])
def test_cells_and_compiled_functions_in_any_order_with_grad(take: Any, in_mode: Any) -> None:
    (x,) = tensors(np.array([0.5, -1.5, 2.0]))
    wanted = np.diag(6 * x.asnumpy())
    cube = ms.jit(lambda x: (x**3).sum())
    np.testing.assert_allclose(in_mode(take(ms.grad(cube)))(x).asnumpy(), wanted)
    np.testing.assert_allclose(ms.jit(take(ms.grad(cube)))(x).asnumpy(), wanted)
    unit = Tensor(np.eye(3))
    trace = in_mode(ms.grad(lambda x: (take(lambda x: x**3)(x) * unit).sum()))
    np.testing.assert_allclose(trace(x).asnumpy(), 6 * x.asnumpy())
    third = in_mode(take(take(take(cube))))(x)
    assert third.shape == (3, 3, 3)
    np.testing.assert_allclose(np.einsum("iii->i", third.asnumpy()), 6.0)


@pytest.mark.parametrize("take", [ms.jacrev, ms.jacfwd])
def test_control_flow(take: Any, in_mode: Any) -> None:
    def grow(x: Any) -> Any:
        while (x * x).sum() < 50.0:
            x = x * x + 0.5
        return x

    (x,) = tensors(np.array([1.25, 0.5]))
    np.testing.assert_allclose(in_mode(take(grow))(x).asnumpy(), slopes(grow, (x.asnumpy(),), 0, 0), rtol=1e-5)


def executed(call: Callable[[], Any]) -> int:
    count = 0

    def see(execution: Any) -> None:
        nonlocal count
        count += 1

    with watching(see):
        call()
    return count


@pytest.mark.parametrize("way", ["PYNATIVE_MODE", "GRAPH_MODE"])
def test_a_column_costs_one_pass_however_long_it_is(way: str) -> None:
    counts = []
    for size in (3, 40):
        base = Tensor(np.linspace(0.1, 1.0, size))
        take = ms.jacfwd(lambda x, base=base: ops.sin(x * base))
        call = ms.jit(take) if way == "GRAPH_MODE" else take
        (x,) = tensors(0.7)
        np.testing.assert_allclose(call(x).asnumpy(), base.asnumpy() * np.cos(0.7 * base.asnumpy()))
        counts.append(executed(lambda call=call, x=x: call(x)))
    assert counts[0] == counts[1] < 40


def test_columns_share_the_way_forward() -> None:
    (x,) = tensors(np.linspace(0.1, 1.0, 30))
    called = 0

    def fn(x: Any) -> Any:
        nonlocal called
        called += 1
        return ops.tanh(x).sum() * x

    for take in (ms.jacrev, ms.jacfwd):
        called = 0
        take(fn)(x)
        assert called == 1


@pytest.mark.parametrize("take", [ms.jacrev, ms.jacfwd])
def test_compiled_jacobians_of_several_sizes(take: Any) -> None:
    for size in (20, 50):
        compiled = ms.jit(take(lambda x: ops.tanh(x) * x.sum()))
        (x,) = tensors(np.linspace(-1.0, 1.0, size))
        wanted = np.diag((1 - np.tanh(x.asnumpy()) ** 2) * x.asnumpy().sum()) + np.tanh(x.asnumpy())[:, None]
        np.testing.assert_allclose(compiled(x).asnumpy(), wanted, atol=1e-12)


@pytest.mark.fast_path
@pytest.mark.parametrize("take", [ms.jacrev, ms.jacfwd])
def test_a_compiled_jacobian_is_a_loop(take: Any) -> None:
    sources = []
    for size in (20, 50):
        compiled = ms.jit(take(lambda x: ops.tanh(x) * x.sum()))
        sources.append(compiled.compile(*tensors(np.linspace(-1.0, 1.0, size))).executable.source)
    assert len(sources[0].splitlines()) == len(sources[1].splitlines())


def test_errors_say_what_does_not_fit(in_mode: Any) -> None:
    x, y = tensors(X, Y)
    with pytest.raises(TypeError, match="jacrev: grad_position is an int or a tuple of ints, not 'x'"):
        ms.jacrev(smooth, "x")
    with pytest.raises(ValueError, match="there are 2 arguments"):
        in_mode(ms.jacfwd(smooth, (0, 2)))(x, y)
    with pytest.raises(ValueError, match="the vectors must have the shapes of the inputs"):
        in_mode(lambda x, y: ms.jvp(smooth, (x, y), (x,)))(x, y)


def test_signatures_are_those_of_mindspore() -> None:
    shown = {name: str(inspect.signature(getattr(ms, name))).split(" ->")[0] for name in ("jvp", "vjp", "jacrev")}
    plain = {name: "".join(part.split(":")[0] for part in text) for name, text in shown.items()}
    names = {name: list(inspect.signature(getattr(ms, name)).parameters) for name in plain}
    assert names == {
        "jvp": ["fn", "inputs", "v", "has_aux"],
        "vjp": ["fn", "inputs", "weights", "has_aux"],
        "jacrev": ["fn", "grad_position", "has_aux"],
    }


_REFERENCE = """
import json, torch
from torch.func import jacrev, jacfwd, hessian, jvp
x, y = (torch.tensor(v, dtype=torch.float64) for v in json.loads(input()))
def fn(x, y):
    return torch.softmax(x @ y, -1) * torch.erf(x), torch.log(y * y + 1.0).sum(0)
def total(x, y):
    a, b = fn(x, y)
    return (a * a).sum() + (b * x).sum()
found = {
    "jacobian": [[v.tolist() for v in row] for row in jacrev(fn, (0, 1))(x, y)],
    "hessian": [[v.tolist() for v in row] for row in hessian(total, (0, 1))(x, y)],
    "jvp": [v.tolist() for v in jvp(fn, (x, y), (y, x))[1]],
}
print(json.dumps(found))
"""


@pytest.mark.skipif(not TORCH.exists(), reason="no torch: `make bench` makes its environment")
def test_against_torch(in_mode: Any) -> None:
    run = subprocess.run(
        [TORCH, "-c", _REFERENCE],
        input=json.dumps([X.tolist(), Y.tolist()]),
        capture_output=True,
        text=True,
        check=True,
    )
    wanted = json.loads(run.stdout)

    def fn(x: Any, y: Any) -> Any:
        return ops.softmax(x @ y, -1) * ops.erf(x), ops.log(y * y + 1.0).sum(axis=0)

    def total(x: Any, y: Any) -> Any:
        a, b = fn(x, y)
        return (a * a).sum() + (b * x).sum()

    x, y = tensors(X, Y)
    for take in (ms.jacrev, ms.jacfwd):
        for row, of_row in zip(in_mode(take(fn, (0, 1)))(x, y), wanted["jacobian"], strict=True):
            for one, other in zip(row, of_row, strict=True):
                np.testing.assert_allclose(one.asnumpy(), other, rtol=1e-9, atol=1e-12)
    for row, of_row in zip(in_mode(ms.hessian(total, (0, 1)))(x, y), wanted["hessian"], strict=True):
        for one, other in zip(row, of_row, strict=True):
            np.testing.assert_allclose(one.asnumpy(), other, rtol=1e-9, atol=1e-12)
    _, tangents = in_mode(lambda x, y: ms.jvp(fn, (x, y), (y, x)))(x, y)
    for one, other in zip(tangents, wanted["jvp"], strict=True):
        np.testing.assert_allclose(one.asnumpy(), other, rtol=1e-9, atol=1e-12)
