"""The order of effects on Parameters in a differentiated function: as written, whichever result is read first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import framework as ms
from framework import Parameter, Tensor, nn, ops

BOTH_MODES = pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
X = np.float32([1.0, 2.0, 3.0])


class Counted(nn.Cell):
    """Has a weight and a counter; a function with effects on them is passed in."""

    def __init__(self, function: Callable[[Any, Any], Any]) -> None:
        super().__init__()
        self.w = Parameter(Tensor(np.float32([2.0, 3.0, 4.0])), name="w")
        self.count = Parameter(Tensor(np.float32(0.0)), name="count", requires_grad=False)
        self.function = function

    def bump(self) -> Any:
        """Count without an argument, and return the new count."""
        ops.assign(self.count, self.count + 1.0)
        return self.count + 0.0

    def scaled(self, x: Any) -> Any:
        """x times the weight and the count so far; counts."""
        made = x * self.w * (self.count + 1.0)
        ops.assign(self.count, self.count * 2.0 + 1.0)
        return made

    def construct(self, x: Any) -> Any:
        return self.function(self, x)


def counts_before_a_call(net: Any, x: Any) -> Any:
    ops.assign(net.count, net.count + 10.0)
    return net.scaled(x).sum()


def counts_after_a_call(net: Any, x: Any) -> Any:
    made = net.scaled(x).sum()
    ops.assign(net.count, net.count + 10.0)
    return made


def calls_without_arguments(net: Any, x: Any) -> Any:
    ops.assign(net.count, net.count + 4.0)
    scale = net.bump()
    ops.assign(net.count, net.count * 3.0)
    return (x * net.w).sum() * scale + net.bump()


def calls_twice(net: Any, x: Any) -> Any:
    return (net.scaled(x) * net.scaled(x)).sum()


def chooses(net: Any, x: Any) -> Any:
    ops.assign(net.count, net.count + 1.0)
    made = net.scaled(x) if x.sum() > 0.0 else x * 0.0
    return made.sum()


def loops_after_counting(net: Any, x: Any) -> Any:
    ops.assign(net.count, net.count + 3.0)
    total, step = x * 0.0, net.count * 0.0
    while step < net.count:
        total = total + x * net.w
        step = step + 1.0
    return total


def counts_in_a_loop(net: Any, x: Any) -> Any:
    ops.assign(net.count, net.count + 3.0)
    total = x * 0.0
    while net.count < 6.0:
        ops.assign(net.count, net.count + 1.0)
        total = total + x * net.w * net.count
    ops.assign(net.count, net.count * 2.0)
    return total


def loops_without_variables(net: Any, x: Any) -> Any:
    ops.assign(net.count, net.count + 3.0)
    while net.count < 6.0:
        ops.assign(net.count, net.count + 1.0)
    return (x * net.w * net.count).sum()


def calls_itself(net: Any, x: Any) -> Any:
    def until_four() -> Any:
        ops.assign(net.count, net.count + 1.0)
        if net.count < 4.0:
            return until_four()
        return x * net.w * net.count

    ops.assign(net.count, net.count + 1.0)
    made = until_four()
    ops.assign(net.count, net.count + 1.0)
    return made


PROGRAMS = {
    # A function, the factor of x * w in its value, what the weight's gradient is in units of x, and the last count.
    counts_before_a_call: (11.0, 21.0),
    counts_after_a_call: (1.0, 11.0),
    calls_without_arguments: (5.0, 16.0),
    chooses: (2.0, 3.0),
    loops_after_counting: (3.0, 3.0),
    counts_in_a_loop: (15.0, 12.0),
    loops_without_variables: (6.0, 6.0),
    calls_itself: (4.0, 5.0),
}


@BOTH_MODES
@pytest.mark.parametrize("function", PROGRAMS)
def test_effects_keep_their_order(function: Any, mode: int) -> None:
    factor, last = PROGRAMS[function]
    ms.set_context(mode=mode)
    try:
        net = Counted(function)
        by_x, by_w = ms.grad(net, 0, (net.w,))(Tensor(X))
        np.testing.assert_allclose(by_w[0].asnumpy(), factor * X)
        np.testing.assert_allclose(by_x.asnumpy(), factor * np.float32([2.0, 3.0, 4.0]))
        assert float(net.count) == last
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)


@BOTH_MODES
def test_two_calls_see_each_others_effects(mode: int) -> None:
    ms.set_context(mode=mode)
    try:
        net = Counted(calls_twice)
        value, gradient = ms.value_and_grad(net)(Tensor(X))
        weight = np.float32([2.0, 3.0, 4.0])
        np.testing.assert_allclose(float(value), float((2.0 * (X * weight) ** 2).sum()))
        np.testing.assert_allclose(gradient.asnumpy(), 4.0 * X * weight**2)
        assert float(net.count) == 3.0
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)


def halves(x: Any) -> Any:
    return x / 2.0


def test_the_gradient_of_a_choice_of_functions_is_that_of_the_one_taken() -> None:
    def chosen(x: Any, y: Any, first: Any) -> Any:
        function = halves
        if first > 0.0:

            def function(z: Any) -> Any:
                return z * y

        return function(x).sum()

    for first, by_x, by_y in ((1.0, 3.0, 2.0), (-1.0, 0.5, 0.0)):
        x, y, first_tensor = Tensor(np.float32([2.0])), Tensor(np.float32([3.0])), Tensor(np.float32(first))
        found = ms.jit(ms.grad(chosen, (0, 1)))(x, y, first_tensor)
        assert [float(one) for one in found] == [by_x, by_y]


def test_the_gradient_of_an_element_that_a_tensor_chooses() -> None:
    def chosen(x: Any, index: Any) -> Any:
        return (x * x, x * 3.0, x + 5.0)[index].sum()

    x = Tensor(np.float32([2.0, 4.0]))
    for index, wanted in ((0, [4.0, 8.0]), (1, [3.0, 3.0]), (-1, [1.0, 1.0])):
        found = ms.jit(ms.grad(chosen))(x, Tensor(index))
        assert found.asnumpy().tolist() == wanted


def test_the_gradients_of_a_tuple_that_two_loops_use_add_up() -> None:
    def twice(x: Any, times: Any) -> Any:
        def power(pair: Any, left: Any) -> Any:
            if left > 0:
                return power((pair[0] * pair[1], pair[1]), left - 1)
            return pair[0]

        pair = (x, x * 2.0)
        return power(pair, times).sum() + power(pair, times + 1).sum()

    # x (2 x) + x (2 x)² for one time.
    found = ms.jit(ms.grad(twice))(Tensor(np.float32([2.0, 3.0])), Tensor(1))
    np.testing.assert_allclose(found.asnumpy(), [4 * 2 + 12 * 4, 4 * 3 + 12 * 9])
