"""`GradOperation`, `grad` and `value_and_grad` in every mode: on the tape, compiled, and one within the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import framework as ms
from framework import GradOperation, Parameter, ParameterTuple, Tensor, nn, ops
from framework.ir.errors import InferenceError

WAYS = {
    "on the tape": lambda fn: fn,
    "of a compiled function": lambda fn: fn,
    "compiled": ms.jit,
    "in graph mode": lambda fn: fn,
}


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest) -> Iterator[tuple[Callable[[Any], Any], Callable[[Any], Any]]]:
    """What is done with a function before its gradient is taken, and with the gradient."""
    if request.param == "in graph mode":
        ms.set_context(mode=ms.GRAPH_MODE)
    inner = ms.jit if request.param == "of a compiled function" else lambda fn: fn
    yield inner, WAYS[request.param]
    ms.set_context(mode=ms.PYNATIVE_MODE)


X = Tensor(np.array([1.0, -2.0, 3.0]))
Y = Tensor(np.array([0.5, 4.0, -1.0]))


def product(x: Any, y: Any) -> Any:
    return (x * x * y).sum()


def equal(found: Any, *wanted: Any) -> None:
    items = found if isinstance(found, tuple) else (found,)
    assert len(items) == len(wanted)
    for one, other in zip(items, wanted, strict=True):
        np.testing.assert_allclose(one.asnumpy(), other)


def test_all_arguments_and_one(way: Any) -> None:
    inner, outer = way
    equal(outer(GradOperation()(inner(product)))(X, Y), [1.0, -16.0, -6.0])
    equal(outer(GradOperation(get_all=True)(inner(product)))(X, Y), [1.0, -16.0, -6.0], [1.0, 4.0, 9.0])
    equal(outer(ms.grad(inner(product), (1, 0)))(X, Y), [1.0, 4.0, 9.0], [1.0, -16.0, -6.0])
    value, gradient = outer(ms.value_and_grad(inner(product), 1))(X, Y)
    assert float(value) == 7.5
    equal(gradient, [1.0, 4.0, 9.0])


def test_with_a_gradient_of_the_result(way: Any) -> None:
    inner, outer = way
    sens = Tensor(np.array([1.0, 10.0, 100.0]))
    gradient = outer(GradOperation(sens_param=True)(inner(lambda x, y: x * x * y)))
    equal(gradient(X, Y, sens), [1.0, -160.0, -600.0])
    both = outer(GradOperation(get_all=True, sens_param=True)(inner(lambda x, y: (x * y, x + y))))
    equal(both(X, Y, (sens, sens * 0.0)), [0.5, 40.0, -100.0], [1.0, -20.0, 300.0])


def test_auxiliary_results(way: Any) -> None:
    inner, outer = way
    gradient, (more, last) = outer(ms.grad(inner(lambda x, y: ((x * y).sum(), x + y, y)), has_aux=True))(X, Y)
    equal((gradient, more, last), Y.asnumpy(), (X + Y).asnumpy(), Y.asnumpy())


def test_higher_orders(way: Any) -> None:
    inner, outer = way

    def cube(x: Any) -> Any:
        return (x**4).sum()

    second = ms.grad(lambda x: ms.grad(inner(cube))(x).sum())
    equal(outer(second)(X), 12 * X.asnumpy() ** 2)
    third = ms.grad(lambda x: second(x).sum())
    equal(outer(third)(X), 24 * X.asnumpy())
    equal(outer(ms.grad(inner(lambda x: ms.jit(second)(x).sum())))(X), 24 * X.asnumpy())


def test_nothing_flows_where_it_is_stopped(way: Any) -> None:
    inner, outer = way
    equal(outer(ms.grad(inner(lambda x: (ops.stop_gradient(x * x) * x).sum())))(X), X.asnumpy() ** 2)
    second = ms.grad(lambda x: ops.stop_gradient(ms.grad(inner(lambda x: (x**3).sum()))(x)).sum())
    equal(outer(second)(X), np.zeros(3))


class Scaled(nn.Cell):
    """Has two weights, and declares the gradient of its inner Cell to be ten times its value."""

    def __init__(self) -> None:
        super().__init__()
        self.a = Parameter(Tensor(np.array([2.0, 3.0, 4.0])), name="a")
        self.b = Parameter(Tensor(np.array(5.0)), name="b")

    def construct(self, x: Any) -> Any:
        return (x * self.a * self.b).sum()


def test_weights(way: Any) -> None:
    _, outer = way
    net = Scaled()
    weights = ParameterTuple(net.trainable_params())
    by_a, by_b = (X * 5.0).asnumpy(), float((X * net.a).sum())
    equal(outer(GradOperation(get_by_list=True)(net, weights))(X), by_a, by_b)
    equal(outer(GradOperation(get_by_list=True)(net))(X), by_a, by_b)
    inputs, by_weight = outer(GradOperation(get_all=True, get_by_list=True)(net, weights))(X)
    equal(inputs, (net.a * 5.0).asnumpy())
    equal(by_weight, by_a, by_b)
    equal(outer(ms.grad(net, None, net.b))(X), by_b)
    with_sens = outer(GradOperation(get_by_list=True, sens_param=True)(net, weights))
    equal(with_sens(X, Tensor(np.array(2.0))), 2 * by_a, 2 * by_b)


def test_gradients_with_their_identifiers(way: Any) -> None:
    inner, outer = way
    position, gradient = outer(ms.grad(inner(product), 1, return_ids=True))(X, Y)
    assert position == 1
    equal(gradient, [1.0, 4.0, 9.0])
    both = outer(ms.grad(inner(product), (1, 0), return_ids=True))(X, Y)
    assert [position for position, _ in both] == [1, 0]
    equal(ms.get_grad(both, 0), [1.0, -16.0, -6.0])
    net = Scaled()
    weights = ParameterTuple(net.trainable_params())
    _, gradients = outer(ms.value_and_grad(net, 0, weights, return_ids=True))(X)
    assert [name for name, _ in gradients[1]] == ["a", "b"]
    equal(ms.get_grad(gradients, net.a), (X * 5.0).asnumpy())
    equal(ms.get_grad(gradients, net.b), float((X * net.a).sum()))
    equal(ms.get_grad(gradients, 0), (net.a * 5.0).asnumpy())
    equal(ms.get_grad(outer(ms.grad(net, None, net.b, return_ids=True))(X), net.b), float((X * net.a).sum()))
    with_aux = outer(ms.grad(inner(lambda x, y: ((x * y).sum(), x + y)), 1, has_aux=True, return_ids=True))
    found, (more,) = with_aux(X, Y)
    equal((ms.get_grad(found, 1), more), X.asnumpy(), (X + Y).asnumpy())


def test_a_gradient_that_was_not_taken_is_missed_in_every_mode(way: Any) -> None:
    inner, outer = way
    take = outer(lambda x, y: ms.get_grad(ms.grad(inner(product), 1, return_ids=True)(x, y), 0))
    with pytest.raises(RuntimeError, match="no gradient for 0, only for 1"):
        take(X, Y)


def countdown(x: Any, n: Any) -> Any:
    if n == 0:
        return x
    return jitted_countdown(x * 1.0001, n - 1)


jitted_countdown = ms.jit(countdown)


def test_of_a_recursion_deeper_than_python_allows() -> None:
    depth = 10_000
    expected = 1.0001**depth
    x, n = Tensor(np.array(1.0)), Tensor(depth)
    assert float(ms.grad(jitted_countdown)(x, n)) == pytest.approx(expected)
    assert float(ms.jit(lambda x: ms.grad(countdown)(x, n))(x)) == pytest.approx(expected)
    with pytest.raises(RecursionError, match=r"ms.grad\(f\)"):
        ms.grad(lambda x: jitted_countdown(x, n))(x)
    equal(ms.grad(lambda x: x * x)(x), 2.0)


@pytest.mark.parametrize("run", [lambda fn: fn, ms.jit], ids=["on the tape", "compiled"])
def test_a_gradient_is_looked_up_by_its_identifier(run: Any) -> None:
    net = Scaled()
    both = ms.grad(net, 0, (net.a, net.b), return_ids=True)

    def step(x: Any) -> Any:
        gradients = both(x)
        return ms.get_grad(gradients, net.b) + ms.get_grad(gradients, 0).sum()

    def made_within(x: Any) -> Any:
        return ms.get_grad(ms.grad(lambda y: (x * y * y).sum(), return_ids=True)(x), identifier=0)

    by_b = float((X * net.a).sum())
    equal(run(step)(X), by_b + 45.0)
    equal(run(made_within)(X), 2 * X.asnumpy() ** 2)
    with pytest.raises((RuntimeError, InferenceError), match="no gradient for 1, only for 0, 'a', 'b'"):
        run(lambda x: ms.get_grad(both(x), 1))(X)
    with pytest.raises((RuntimeError, InferenceError), match="without return_ids=True"):
        run(lambda x: ms.get_grad(ms.grad(net)(x), 0))(X)
    with pytest.raises((TypeError, InferenceError), match="must be a position or a Parameter"):
        run(lambda x: ms.get_grad(both(x), x))(X)


class Tenfold(nn.Cell):
    def construct(self, x: Any) -> Any:
        return x * x

    def bprop(self, x: Any, out: Any, dout: Any) -> Any:
        return (dout * 20.0 * x,)


def test_a_cell_that_says_how_to_go_backward(way: Any) -> None:
    inner, outer = way
    cell = Tenfold()
    equal(outer(ms.grad(inner(lambda x: (cell(x) * x).sum())))(X), (X * X * 21.0).asnumpy())
    second = ms.grad(lambda x: ms.grad(inner(lambda x: cell(x).sum()))(x).sum())
    equal(outer(second)(X), np.full(3, 20.0))


def test_training_within_a_loop_that_a_tensor_decides(way: Any) -> None:
    _, outer = way
    net = Scaled()
    optimizer = nn.SGD(net.trainable_params(), learning_rate=0.1)
    step = ms.value_and_grad(net, None, optimizer.parameters)

    def train(x: Any, rounds: Any) -> Any:
        i = rounds * 0
        while i < rounds:
            _, gradients = step(x)
            optimizer(gradients)
            i = i + 1
        return net(x)

    found = float(outer(train)(X, Tensor(np.array(3))))
    a, b, x = np.array([2.0, 3.0, 4.0]), 5.0, X.asnumpy()
    for _ in range(3):
        a, b = a - 0.1 * x * b, b - 0.1 * (x * a).sum()
    assert found == pytest.approx((x * a * b).sum(), rel=1e-4)
    np.testing.assert_allclose(net.a.asnumpy(), a, atol=1e-5)


def test_of_numbers_and_beside_them(way: Any) -> None:
    inner, outer = way

    def power(x: Any, count: Any) -> Any:
        return (x**count).sum()

    equal(outer(lambda x: x * ms.grad(inner(lambda y: y * y * x.sum()))(2.0))(X), X.asnumpy() * 8.0)
    equal(outer(lambda x: ms.grad(inner(power))(x, 3))(X), 3.0 * X.asnumpy() ** 2)


def test_all_results_count_unless_the_others_are_auxiliary(way: Any) -> None:
    inner, outer = way

    def pair(x: Any) -> Any:
        return (x * x).sum(), (x * 3.0).sum()

    (first, second), gradient = outer(ms.value_and_grad(inner(pair)))(X)
    equal((first, second), 14.0, 6.0)
    equal(gradient, 2.0 * X.asnumpy() + 3.0)
