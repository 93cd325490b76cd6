"""First and second derivatives of every primitive against central differences in float64."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from framework.common.tensor import Tensor
from framework.ops import operations as P  # noqa: N812
from framework.ops.bprop import bprop_getters
from framework.pynative import value_and_gradient
from tests.framework.ops.programs import PROGRAMS, Program

Arrays = Sequence[np.ndarray]

STEP = 1e-5


def pynative(fn: Callable[..., Any], inputs: Sequence[Tensor]) -> tuple[Any, Sequence[Tensor]]:
    """The value of a function and its gradients by all inputs, line by line."""
    value, gradients, _ = value_and_gradient(fn, inputs, range(len(inputs)))
    return value, gradients


#: How each mode takes a gradient.
MODES = {"PYNATIVE_MODE": pynative}


def weighted(fn: Callable[..., Any]) -> Callable[..., Any]:
    """The sum of a function's output with weights that differ from element to element."""

    def total(*inputs: Tensor) -> Tensor:
        out = fn(*inputs)
        weights = np.cos(np.arange(out.size, dtype=np.float64)).reshape(out.shape)
        return (out * Tensor(weights)).sum()

    return total


def directions(inputs: Arrays, seed: int) -> list[np.ndarray]:
    """A random direction in the space of all inputs."""
    rng = np.random.default_rng(seed)
    return [np.asarray(rng.standard_normal(item.shape)) for item in inputs]


def slope(fn: Callable[..., Any], inputs: Arrays, along: Arrays) -> float:
    """The derivative of a function of tensors along a direction, by central differences."""
    ends = [
        float(fn(*(Tensor(np.asarray(x + sign * STEP * d)) for x, d in zip(inputs, along, strict=True))))
        for sign in (1, -1)
    ]
    return (ends[0] - ends[1]) / (2 * STEP)


def product(gradients: Sequence[Tensor], along: Arrays) -> Tensor:
    """What gradients say about the derivative along a direction."""
    products = [(gradient * Tensor(d)).sum() for gradient, d in zip(gradients, along, strict=True)]
    return sum(products[1:], products[0])


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("program", PROGRAMS, ids=repr)
def test_first_derivative(program: Program, mode: str) -> None:
    fn = weighted(program.fn)
    _, gradients = MODES[mode](fn, [Tensor(x) for x in program.inputs])
    for x, gradient in zip(program.inputs, gradients, strict=True):
        assert gradient.shape == x.shape
        assert gradient.asnumpy().dtype == np.float64
    for seed in range(3):
        along = directions(program.inputs, seed)
        assert float(product(gradients, along)) == pytest.approx(slope(fn, program.inputs, along), rel=1e-6, abs=1e-7)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("program", [program for program in PROGRAMS if program.orders > 1], ids=repr)
def test_second_derivative(program: Program, mode: str) -> None:
    along = directions(program.inputs, 7)

    def first(*inputs: Tensor) -> Tensor:
        _, gradients = MODES[mode](weighted(program.fn), inputs)
        return product(gradients, along)

    _, second = MODES[mode](first, [Tensor(x) for x in program.inputs])
    for seed in range(2):
        other = directions(program.inputs, seed)
        assert float(product(second, other)) == pytest.approx(slope(first, program.inputs, other), rel=1e-5, abs=1e-6)


def test_every_primitive_with_a_backward_function_is_checked() -> None:
    checked = {program.name.split("-")[0] for program in PROGRAMS} | {"StopGradient"}
    primitives = {name: item for name in P.__all__ if isinstance(item := getattr(P, name), type)}
    differentiable = {item.__name__ for item in primitives.values() if bprop_getters.has(item)}
    assert differentiable - checked == set()


def test_nothing_flows_through_stop_gradient() -> None:
    x = Tensor(np.array([2.0, 3.0]))
    _, (gradient,), _ = value_and_gradient(lambda x: (P.StopGradient()(x) * x).sum(), [x])
    np.testing.assert_array_equal(gradient.asnumpy(), [2.0, 3.0])
