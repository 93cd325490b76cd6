from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from framework.ad import GradOperation, grad, value_and_grad
from framework.common import dtype as mstype
from framework.common.parameter import Parameter, ParameterTuple
from framework.common.tensor import Tensor
from framework.engine.interpreter import interpret
from framework.infer import specialize
from framework.ir.abstract import AbstractTensor
from framework.ir.manager import Manager
from framework.ir.text import to_text
from framework.ir.verify import verify
from framework.ops import functional as F  # noqa: N812
from framework.opt.pipeline import optimize
from tests.framework import programs

VECTOR = AbstractTensor((2,), mstype.float64)
SCALAR = AbstractTensor((), mstype.float64)


def compiled(function: Callable[..., Any], *abstracts: AbstractTensor) -> Callable[..., Any]:
    program = specialize(function, abstracts)
    verify(program.root, typed=True)
    optimize(program.root)
    verify(program.root, typed=True)
    return lambda *arguments: interpret(program.root, *arguments)


def summed(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda x: function(x).sum()


def central(function: Callable[[Any], Any], x: Any, step: float = 1e-6) -> Any:
    """The gradient by central differences."""
    ways = np.eye(len(x)) * step
    return np.array([(function(x + way) - function(x - way)) / (2 * step) for way in ways])


@pytest.mark.parametrize("function", programs.EVERY, ids=lambda function: function.__name__)
def test_first_gradients_are_the_slopes(function: Callable[[Any], Any]) -> None:
    gradient = compiled(grad(summed(function)), VECTOR)
    for values in programs.INPUTS:
        x = np.array(values)
        slopes = central(lambda x: summed(function)(Tensor(x)).asnumpy(), x)
        np.testing.assert_allclose(gradient(x), slopes, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("order", [2, 3])
@pytest.mark.parametrize("function", programs.EVERY, ids=lambda function: function.__name__)
def test_higher_gradients_are_those_of_the_tape(function: Callable[[Any], Any], order: int) -> None:
    if order == 3 and function in (programs.breaks, programs.nested_loops):
        pytest.skip("the third order of the largest programs takes seconds to compile")
    gradient: Any = function
    for _ in range(order):
        gradient = grad(summed(gradient))
    graph = compiled(gradient, VECTOR)
    for values in programs.INPUTS[:2]:
        x = np.array(values)
        np.testing.assert_allclose(graph(x), gradient(Tensor(x)).asnumpy(), rtol=1e-9, atol=1e-12)


def polynomial(x: Any) -> Any:
    a = x * x
    b = x * a
    return a + b


def test_the_polynomial_has_its_first_four_derivatives() -> None:
    function: Any = polynomial
    x = 3.0
    for expected in (x**2 + x**3, 2 * x + 3 * x**2, 2 + 6 * x, 6.0, 0.0):
        assert compiled(function, SCALAR)(np.array(x)) == expected
        function = grad(function)


def test_no_environment_is_left_without_control_flow() -> None:
    program = specialize(grad(summed(programs.closes_over)), [VECTOR])
    optimize(program.root)
    text = to_text(program.root)
    assert "Environ" not in text
    assert len(Manager(program.root).graphs) == 1


def test_gradients_with_respect_to_weights_and_several_arguments() -> None:
    weight, bias = Parameter(Tensor(np.array([2.0, 3.0])), name="w"), Parameter(Tensor(np.array([0.5, 0.5])), name="b")

    def net(x: Any, y: Any) -> Any:
        return (weight * x * y + bias).sum()

    both = GradOperation(get_all=True, get_by_list=True)(net, ParameterTuple((weight, bias)))
    x, y = np.array([1.0, 2.0]), np.array([5.0, 7.0])
    program = specialize(both, [VECTOR, VECTOR])
    (dx, dy), (dw, db) = interpret(program.root, x, y, *(w.default.asnumpy() for w in program.root.parameters[2:]))
    np.testing.assert_array_equal([dx, dy, dw, db], [[10.0, 21.0], [2.0, 6.0], [5.0, 14.0], [1.0, 1.0]])
    (ex, ey), (ew, eb) = both(Tensor(x), Tensor(y))
    np.testing.assert_array_equal([t.asnumpy() for t in (ex, ey, ew, eb)], [dx, dy, dw, db])


def test_a_gradient_may_be_taken_within_a_compiled_function() -> None:
    def step(x: Any) -> Any:
        value, slope = value_and_grad(lambda y: (y * y * x).sum())(x)
        return value + (slope * x).sum()

    x = np.array([1.0, 2.0])
    assert compiled(step, VECTOR)(x) == (x**3).sum() + (2 * x**3).sum()


def test_the_gradient_of_the_result_may_be_given() -> None:
    weighted = GradOperation(sens_param=True)(lambda x: x * x)
    x, sens = np.array([1.0, 2.0]), np.array([10.0, 1.0])
    np.testing.assert_array_equal(compiled(weighted, VECTOR, VECTOR)(x, sens), 2 * x * sens)
    np.testing.assert_array_equal(weighted(Tensor(x), Tensor(sens)).asnumpy(), 2 * x * sens)


def test_further_results_are_passed_on() -> None:
    def several(x: Any) -> Any:
        return (x * x).sum(), x + 1.0

    x = np.array([1.0, 2.0])
    slope, (other,) = compiled(grad(several, has_aux=True), VECTOR)(x)
    np.testing.assert_array_equal([slope, other], [2 * x, x + 1])


def test_no_gradient_flows_where_it_is_stopped() -> None:
    gradient = compiled(grad(lambda x: (x * F.stop_gradient(x)).sum()), VECTOR)
    np.testing.assert_array_equal(gradient(np.array([3.0, 4.0])), [3.0, 4.0])


def test_an_argument_that_nothing_depends_on_has_gradient_zero() -> None:
    gradient = compiled(grad(lambda x, y: x.sum(), grad_position=(0, 1)), VECTOR, VECTOR)
    np.testing.assert_array_equal(gradient(np.ones(2), np.ones(2)), [[1.0, 1.0], [0.0, 0.0]])


def test_backward_nodes_are_named_by_what_they_are_the_gradient_of() -> None:
    text = to_text(specialize(grad(summed(programs.straight)), [VECTOR]).root)
    assert "# Fullname with scope: (Gradients/Default/Grad_Mul-op1/Mul-op0)" in text


def test_going_backward_through_a_long_loop_is_no_deep_recursion() -> None:
    def long(x: Any) -> Any:
        i = 0
        while (x * 0.0).sum() + i < 3000.0:
            x = x * 1.001
            i = i + 1
        return x.sum()

    np.testing.assert_allclose(compiled(grad(long), VECTOR)(np.ones(2)), 1.001**3000)


def test_a_position_that_is_no_argument_is_refused() -> None:
    with pytest.raises(ValueError, match=r"names arguments \(3,\), but there are 1"):
        specialize(grad(programs.straight, grad_position=3), [VECTOR])
