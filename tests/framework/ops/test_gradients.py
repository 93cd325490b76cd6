"""First and second derivatives of every primitive against central differences in float64."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from framework.ad import value_and_grad
from framework.common.tensor import Tensor
from framework.engine.interpreter import interpret
from framework.infer import specialize
from framework.ir.abstract import AbstractTensor
from framework.ops import operations as P  # noqa: N812
from framework.ops.bprop import bprop_getters
from framework.opt.pipeline import optimize
from tests.framework.ops.every import PROGRAMS
from tests.framework.ops.programs import Program

Arrays = Sequence[np.ndarray]
Function = Callable[..., Any]

STEP = 1e-5


def pynative(fn: Function, inputs: Sequence[Tensor]) -> Any:
    """What a function returns, line by line."""
    return fn(*inputs)


def graph(fn: Function, inputs: Sequence[Tensor]) -> Any:
    """What a function returns, parsed, inferred, differentiated as a program, simplified and interpreted."""
    program = specialize(fn, [AbstractTensor(tuple(x.shape), x.dtype) for x in inputs])
    optimize(program.root)
    weights = [parameter.default for parameter in program.root.parameters[len(inputs) :]]
    return tensors(interpret(program.root, *(x.asnumpy() for x in (*inputs, *weights))))


def tensors(value: Any) -> Any:
    """Arrays, in whatever structure, as tensors."""
    if isinstance(value, tuple | list):
        return tuple(tensors(item) for item in value)
    return value if isinstance(value, Tensor) else Tensor(value)


#: How each mode runs a function.
MODES = {"PYNATIVE_MODE": pynative, "GRAPH_MODE": graph}


def with_gradients(fn: Function, count: int) -> Function:
    """A function that returns a value with its gradients by all of its arguments, as a tuple."""
    if count > 1:
        return value_and_grad(fn, tuple(range(count)))
    both = value_and_grad(fn)

    def of_one(x: Tensor) -> tuple[Tensor, tuple[Tensor]]:
        value, gradient = both(x)
        return value, (gradient,)

    return of_one


def weighted(program: Program) -> Function:
    """The sum of a program's output with weights that differ from element to element."""
    fn = program.fn
    shape = fn(*map(Tensor, program.inputs)).shape
    weights = Tensor(np.cos(np.arange(np.prod(shape), dtype=np.float64)).reshape(shape))

    def total(*inputs: Tensor) -> Tensor:
        return (fn(*inputs) * weights).sum()

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


def along_direction(gradients: Function, along: Sequence[Tensor]) -> Function:
    """What gradients say about the derivative along a direction, as a function of the arguments."""

    def derivative(*inputs: Tensor) -> Any:
        total = 0.0
        for gradient, d in zip(gradients(*inputs)[1], along):  # noqa: B905 - graph mode parses this form
            total = total + (gradient * d).sum()
        return total

    return derivative


def dot(gradients: Sequence[Tensor], along: Arrays) -> float:
    """The derivative along a direction."""
    return sum(float((gradient.asnumpy() * d).sum()) for gradient, d in zip(gradients, along, strict=True))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("program", PROGRAMS, ids=repr)
def test_first_derivative(program: Program, mode: str) -> None:
    fn = weighted(program)
    _, gradients = MODES[mode](with_gradients(fn, len(program.inputs)), [Tensor(x) for x in program.inputs])
    for x, gradient in zip(program.inputs, gradients, strict=True):
        assert gradient.shape == x.shape
        assert gradient.asnumpy().dtype == np.float64
    for seed in range(3):
        along = directions(program.inputs, seed)
        assert dot(gradients, along) == pytest.approx(slope(fn, program.inputs, along), rel=1e-6, abs=1e-7)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("program", [program for program in PROGRAMS if program.orders > 1], ids=repr)
def test_second_derivative(program: Program, mode: str) -> None:
    count = len(program.inputs)
    gradients = with_gradients(weighted(program), count)
    first = along_direction(gradients, tuple(map(Tensor, directions(program.inputs, 7))))
    _, second = MODES[mode](with_gradients(first, count), [Tensor(x) for x in program.inputs])
    for seed in range(2):
        other = directions(program.inputs, seed)
        assert dot(second, other) == pytest.approx(slope(first, program.inputs, other), rel=1e-5, abs=1e-6)


#: Checked by tests of their own: hooks, operators of several devices, and norms.
ELSEWHERE = {
    *("AllGather", "AllReduce", "AlltoAll", "Broadcast", "CollectiveGather", "CollectiveScatter", "NeighborExchange"),
    *("Receive", "Reduce", "ReduceScatter", "Send"),
    *("HookBackward", "InsertGradientOf", "LpNorm", "StopGradient"),
    # Differences are real: test_tensor_methods.py checks these.
    *("Angle", "Complex", "Conj", "Imag", "Real"),
}


def test_every_primitive_with_a_backward_function_is_checked() -> None:
    checked = {program.name.split("-")[0] for program in PROGRAMS} | ELSEWHERE
    primitives = {name: item for name in P.__all__ if isinstance(item := getattr(P, name), type)}
    differentiable = {item.__name__ for item in primitives.values() if bprop_getters.has(item)}
    assert differentiable - checked == set()


def test_nothing_flows_through_stop_gradient() -> None:
    x = Tensor(np.array([2.0, 3.0]))
    _, (gradient,) = with_gradients(lambda x: (P.StopGradient()(x) * x).sum(), 1)(x)
    np.testing.assert_array_equal(gradient.asnumpy(), [2.0, 3.0])
