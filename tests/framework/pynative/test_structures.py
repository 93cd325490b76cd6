"""Gradients on the tape of functions that take and return structures, and of what does not depend on a variable."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

import framework as ms
from framework import Parameter, Tensor, ops
from framework.pynative.gradient import pullback, pushforward, record, value_and_gradient
from framework.pynative.tape import tape

X = np.float32([1.0, -2.0, 3.0])
Y = np.float32([4.0, 5.0, -6.0])


def plain(found: Any) -> Any:
    """Structures of tensors as structures of lists."""
    if isinstance(found, dict):
        return {key: plain(item) for key, item in found.items()}
    if isinstance(found, list | tuple):
        return tuple(plain(item) for item in found)
    return found.asnumpy().tolist()


class Pair(NamedTuple):
    first: Any
    second: Any


@pytest.mark.parametrize(
    ("argument", "function", "wanted"),
    [
        ({"a": X, "b": Y}, lambda p: p["a"] * p["a"] * p["b"], {"a": 2 * X * Y, "b": X * X}),
        ({"a": X, "b": Y}, lambda p: p["b"] * 3.0, {"a": 0 * X, "b": 0 * Y + 3}),
        ({"a": (X, Y)}, lambda p: p["a"][0] * p["a"][1], {"a": (Y, X)}),
        ([X, Y], lambda p: p[0] * p[1], (Y, X)),
        (Pair(X, Y), lambda p: p.first * p.second * p.second, (Y * Y, 2 * X * Y)),
        ((X, (Y, X)), lambda p: p[0] * p[1][1], (X, (0 * Y, X))),
    ],
)
def test_gradients_have_the_structure_of_the_argument(argument: Any, function: Any, wanted: Any) -> None:
    def tensors(item: Any) -> Any:
        if isinstance(item, np.ndarray):
            return Tensor(item)
        if isinstance(item, dict):
            return {key: tensors(part) for key, part in item.items()}
        return type(item)(*map(tensors, item)) if isinstance(item, Pair) else type(item)(map(tensors, item))

    def lists(item: Any) -> Any:
        if isinstance(item, np.ndarray):
            return item.tolist()
        if isinstance(item, dict):
            return {key: lists(part) for key, part in item.items()}
        return tuple(map(lists, item))

    _, (found,), _ = value_and_gradient(lambda p: function(p).sum(), [tensors(argument)])
    assert plain(found) == lists(wanted)


def test_numbers_are_variables_too() -> None:
    value, gradients, _ = value_and_gradient(lambda x, n, k: x * x * n, [3.0, 2, True], (0, 1))
    assert float(value) == 18.0
    assert [float(gradient) for gradient in gradients] == [12.0, 9.0]
    _, (unused,), _ = value_and_gradient(lambda n, x: x * 2.0, [7.0, Tensor(X)], (0,))
    assert float(unused) == 0.0


@pytest.mark.parametrize("argument", ["text", True, None, {"a": "text"}, [Tensor(X), "text"]])
def test_what_is_no_tensor_is_told_with_its_position(argument: Any) -> None:
    with pytest.raises(TypeError, match="argument 1 is a"):
        value_and_gradient(lambda x, y: x.sum(), [Tensor(X), argument], (0, 1))
    assert tape.depth == 0


@pytest.mark.parametrize(
    ("function", "wanted"),
    [
        (lambda x: (x * 2.0, x * x), 2 + 2 * X),
        (lambda x: [x * 2.0, (x * x,)], 2 + 2 * X),
        (lambda x: {"a": x * 2.0, "b": x * x}, 2 + 2 * X),
        (lambda x: (x * x, 5.0), 2 * X),
        (lambda x: (x * x, Tensor(Y)), 2 * X),
        (lambda x: (x, x * x), 1 + 2 * X),
    ],
)
@pytest.mark.parametrize("order", [1, 2])
def test_of_several_results_the_sum_is_differentiated(function: Any, wanted: Any, order: int) -> None:
    take = ms.grad(function)
    if order == 1:
        assert take(Tensor(X)).asnumpy().tolist() == wanted.tolist()
    else:
        # Each gradient has the slope 2.
        second = ms.grad(lambda x: take(x) * x)(Tensor(X)).asnumpy()
        np.testing.assert_allclose(second, wanted + 2 * X)


@pytest.mark.parametrize("order", [1, 2])
def test_a_result_that_is_returned_twice_counts_twice(order: int) -> None:
    def both(x: Any) -> Any:
        made = x * x
        return made, made

    if order == 1:
        assert ms.grad(both)(Tensor(X)).asnumpy().tolist() == (4 * X).tolist()
    else:
        assert ms.grad(ms.grad(both))(Tensor(X)).asnumpy().tolist() == [4.0, 4.0, 4.0]


def test_given_gradients_of_the_result_are_taken_in_its_order() -> None:
    def results(x: Any) -> Any:
        return {"a": x * 2.0, "b": (x * 3.0, x * 5.0)}

    sens = {"a": Tensor(X), "b": [Tensor(Y), Tensor(X + Y)]}
    _, (found,), _ = value_and_gradient(results, [Tensor(X)], sens=sens)
    np.testing.assert_allclose(found.asnumpy(), 2 * X + 3 * Y + 5 * (X + Y))
    with pytest.raises(TypeError, match="returned 3 tensors, sens holds 2"):
        value_and_gradient(results, [Tensor(X)], sens=(Tensor(X), Tensor(Y)))
    with pytest.raises(ValueError, match="does not fit an output"):
        value_and_gradient(results, [Tensor(X)], sens=(Tensor(X), Tensor(Y), Tensor(Y[:2])))


def test_what_does_not_depend_on_a_variable_has_gradient_zero_at_every_order() -> None:
    constant = Tensor(Y)
    assert ms.grad(lambda x: constant * 2.0)(Tensor(X)).asnumpy().tolist() == [0.0, 0.0, 0.0]
    second = ms.grad(lambda x: ms.grad(lambda y: constant * 2.0)(x) * x)
    assert second(Tensor(X)).asnumpy().tolist() == [0.0, 0.0, 0.0]


def test_one_output_of_several_may_be_used_at_every_order() -> None:
    def used(x: Any) -> Any:
        first, _, last = ops.split(x, 1)
        return (first * last * last).sum()

    assert ms.grad(used)(Tensor(X)).asnumpy().tolist() == [9.0, 0.0, 6.0]
    second = ms.grad(lambda x: ms.grad(used)(x).sum())(Tensor(X))
    assert second.asnumpy().tolist() == [6.0, 0.0, 8.0]


def test_weights_are_variables_only_while_the_gradient_is_taken() -> None:
    weight = Parameter(Tensor(Y), name="weight")
    unused = Parameter(Tensor(Y), name="unused")
    before = weight._node, unused._node
    _, _, found = value_and_gradient(lambda x: x * weight * weight, [Tensor(X)], (), (weight, unused))
    assert [gradient.asnumpy().tolist() for gradient in found] == [(2 * X * Y).tolist(), [0.0, 0.0, 0.0]]

    def fails(x: Any) -> Any:
        raise KeyError("as it happens")

    with pytest.raises(KeyError):
        value_and_gradient(fails, [Tensor(X)], (), (weight,))
    assert (weight._node, unused._node) == before
    assert tape.depth == 0


def test_one_way_forward_can_be_gone_back_often() -> None:
    with pullback(lambda x, y: (x * y, x + 1.0), [Tensor(X), Tensor(Y)], (0, 1)) as (value, pull):
        assert plain(value) == ((X * Y).tolist(), (X + 1).tolist())
        ones = Tensor(np.ones(3, np.float32))
        first = pull(ones, ones * 0.0)
        both = pull(ones, ones)
        default = pull(None, None)
    assert [one.asnumpy().tolist() for one in first] == [Y.tolist(), X.tolist()]
    assert [one.asnumpy().tolist() for one in both] == [(Y + 1).tolist(), X.tolist()]
    assert [one.asnumpy().tolist() for one in default] == [(Y + 1).tolist(), X.tolist()]
    assert tape.depth == 0


def test_derivatives_along_vectors() -> None:
    with pushforward(lambda x, y: (x * y, y * 2.0), [Tensor(X), Tensor(Y)], (0,)) as (value, push):
        assert plain(value) == ((X * Y).tolist(), (2 * Y).tolist())
        along, nothing = push(Tensor(X))
        again, _ = push(Tensor(2 * X))
        with pytest.raises(ValueError, match=r"the shapes of the inputs, \(3,\)"):
            push(Tensor(X[:2]))
    assert along.asnumpy().tolist() == (X * Y).tolist()
    assert again.asnumpy().tolist() == (2 * X * Y).tolist()
    assert nothing.asnumpy().tolist() == [0.0, 0.0, 0.0]
    with pushforward(lambda x: (x * x, x), [Tensor(X)], (0,), has_aux=True) as (value, push):
        assert push(Tensor(Y)).asnumpy().tolist() == (2 * X * Y).tolist()


def test_what_is_recorded_by_hand_may_have_several_outputs() -> None:
    def backward(x: Any, out: Any, dout: Any) -> Any:
        return (dout[0] * 10.0 + dout[1] * out[0],)

    def function(x: Any) -> Any:
        first, second = record(backward, [x], (Tensor(X), Tensor(Y)))
        return first * 2.0, second

    assert ms.grad(function)(Tensor(Y)).asnumpy().tolist() == (20.0 + X).tolist()
    outputs = Tensor(X), Tensor(Y)
    assert record(backward, [Tensor(X)], outputs) is outputs


@pytest.mark.parametrize(
    ("function", "wanted"),
    [
        (lambda x: 2.0 - x, -1 + 0 * X),
        (lambda x: x - 2.0, 1 + 0 * X),
        (lambda x: 2.0 / x, -2.0 / X**2),
        (lambda x: x / 2.0, 0.5 + 0 * X),
        (lambda x: x * 3, 3 + 0 * X),
        (lambda x: x**2.0, 2 * X),
        (lambda x: ops.maximum(x, 0.5), np.float32([1, 0, 1])),
    ],
)
def test_numbers_on_either_side_of_an_operator(function: Any, wanted: Any) -> None:
    np.testing.assert_allclose(ms.grad(function)(Tensor(X)).asnumpy(), wanted, rtol=1e-6)
    second = ms.grad(lambda x: ms.grad(function)(x) * x)(Tensor(X)).asnumpy()
    step = 1e-3
    slopes = [ms.grad(function)(Tensor((X + sign * step).astype(np.float64))).asnumpy() for sign in (1, -1)]
    np.testing.assert_allclose(second, wanted + (slopes[0] - slopes[1]) / (2 * step) * X, rtol=1e-3, atol=1e-4)
