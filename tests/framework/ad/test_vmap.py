"""`vmap` against a loop over numpy's slices, in both modes, with gradients inside and around it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import framework as ms
from framework import Tensor, nn, ops

WAYS = {"pynative": lambda fn: fn, "compiled": ms.jit, "graph": lambda fn: fn}


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest) -> Iterator[Any]:
    if request.param == "graph":
        ms.set_context(mode=ms.GRAPH_MODE)
    yield WAYS[request.param]
    ms.set_context(mode=ms.PYNATIVE_MODE)


def array(*shape: int) -> Any:
    return np.random.default_rng(sum(shape)).normal(size=shape)


def equal(found: Any, wanted: Any) -> None:
    assert found.shape == wanted.shape
    np.testing.assert_allclose(found.asnumpy(), wanted, rtol=1e-10)


def test_axes_of_arguments_and_results(way: Any) -> None:
    x, y = array(3, 2, 4), array(2, 3)

    def f(x: Any, y: Any) -> Any:
        return (x * y).sum(axis=0)

    for axes, out in (((1, 0), 0), ((-2, -3), 1), ((1, 0), -1)):
        found = way(ms.vmap(f, axes, out))(Tensor(x), Tensor(y[..., None]))
        equal(found, np.stack([(x[:, i] * y[i][:, None]).sum(axis=0) for i in range(2)], axis=out))
    one = way(ms.vmap(f, (0, None)))(Tensor(x), Tensor(y[0, :2, None]))
    equal(one, np.stack([(x[i] * y[0, :2, None]).sum(axis=0) for i in range(3)]))
    equal(way(ms.vmap(lambda x: x.sum(), 2))(Tensor(x)), x.sum(axis=(0, 1)))


def test_structures(way: Any) -> None:
    x, y, z = array(2, 3), array(4, 2), array(3)

    def f(x: Any, pair: Any, factor: Any) -> Any:
        return x * pair[0].sum() * factor, (x + pair[1], pair[0])

    given = Tensor(x), (Tensor(y), Tensor(z)), 2.0
    first, (second, third) = way(ms.vmap(f, (0, (1, None), None), (1, (0, -1))))(*given)
    equal(first, np.stack([x[i] * y[:, i].sum() * 2.0 for i in range(2)], axis=1))
    equal(second, x + z)
    equal(third, y)


def test_results_that_are_the_same_in_every_call(way: Any) -> None:
    x, y = array(2, 3), array(4)

    def f(x: Any, y: Any) -> Any:
        return x * 2, y, ops.exp(y * 2)

    first, second, third = way(ms.vmap(f, (0, None), (0, None, None)))(Tensor(x), Tensor(y))
    equal(first, x * 2)
    equal(second, y)
    equal(third, np.exp(y * 2))


def test_within_itself(way: Any) -> None:
    x, y = array(3, 2), array(4, 2)
    dots = ms.vmap(ms.vmap(lambda a, b: (a * b).sum(), (None, 0)), (0, None))
    equal(way(dots)(Tensor(x), Tensor(y)), x @ y.T)


def test_gradients_of_each_example(way: Any) -> None:
    x, w = array(3, 2), array(2)

    def loss(w: Any, x: Any) -> Any:
        return ops.tanh((w * x).sum())

    by_example = way(ms.vmap(ms.grad(loss), (None, 0)))(Tensor(w), Tensor(x))
    equal(by_example, x * (1 - np.tanh(x @ w) ** 2)[:, None])


def test_the_gradient_of_a_batch(way: Any) -> None:
    x, w = array(3, 2), array(2)

    def loss(w: Any, x: Any) -> Any:
        return ms.vmap(lambda x: ops.tanh((w * x).sum()))(x).sum()

    equal(way(ms.grad(loss))(Tensor(w), Tensor(x)), (x * (1 - np.tanh(x @ w) ** 2)[:, None]).sum(axis=0))
    by_x = way(ms.grad(loss, 1))(Tensor(w), Tensor(x))
    equal(by_x, w * (1 - np.tanh(x @ w) ** 2)[:, None])


def test_operators_that_look_at_values(way: Any) -> None:
    x = array(3, 5)
    equal(way(ms.vmap(lambda x: ops.sort(x)[0]))(Tensor(x)), np.sort(x))
    chosen = way(ms.vmap(lambda x: x * 2 if x.sum() > 0 else -x))
    equal(chosen(Tensor(x)), np.stack([row * 2 if row.sum() > 0 else -row for row in x]))


class Within(nn.Cell):
    def construct(self, x: Any) -> Any:
        return ops.vmap(lambda x: x.sum() * x, in_axes=1, out_axes=1)(x)


def test_in_a_cell(way: Any) -> None:
    x = array(2, 3)
    equal(Within()(Tensor(x)), x * x.sum(axis=0))


def test_a_list_of_cells(way: Any) -> None:
    cells = nn.CellList([nn.Dense(2, 3) for _ in range(3)])
    x = array(3, 2).astype(np.float32)
    wanted = np.stack([x[i] @ cell.weight.asnumpy().T + cell.bias.asnumpy() for i, cell in enumerate(cells)])
    np.testing.assert_allclose(way(ms.vmap(cells))(Tensor(x)).asnumpy(), wanted, rtol=1e-5)
    shared = way(ms.vmap(cells, None))(Tensor(x[0])).asnumpy()
    np.testing.assert_allclose(shared[0], wanted[0], rtol=1e-5)
    assert shared.shape == (3, 3)


def test_what_does_not_fit(way: Any) -> None:
    x, y = Tensor(array(3, 2)), Tensor(array(2, 2))
    for axes, out, given, message in (
        (0, 0, (x, y), "must have the same length"),
        (2, 0, (x, x), "has no axis 2"),
        ((0, 0, 0), 0, (x, x), "do not match 2 values"),
        (0, None, (x, x), "differs between the calls"),
        (0, 0, (x, 1.0), "not a tensor"),
    ):
        with pytest.raises(ValueError, match=message):
            way(ms.vmap(lambda x, y: x + y, axes, out))(*given)


def test_axes_are_integers() -> None:
    with pytest.raises(ValueError, match="no axis to map"):
        ms.vmap(lambda x: x, None)
    with pytest.raises(TypeError, match="ints and None"):
        ms.vmap(lambda x: x, 0.5)
    with pytest.raises(TypeError, match="fn is a function"):
        ms.vmap([1, 2])
