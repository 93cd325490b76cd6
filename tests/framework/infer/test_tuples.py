"""Named tuples and ParameterTuples within compiled functions are what they are in Python, and gradients go through."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import framework as ms
from framework import Parameter, ParameterTuple, Tensor
from framework.ir.errors import InferenceError

Pair = namedtuple("Pair", "x y")
WEIGHTS = [Parameter(Tensor(np.array([0.5, 2.0])), name="first"), Parameter(Tensor(np.array([3.0])), name="second")]


class State(NamedTuple):
    value: Any
    rate: Any = 2.0


def chosen(x: Any) -> Any:
    state = State(x * 2.0, rate=3.0) if x.sum() > 0.0 else State(x * x, 4.0)
    value, rate = state
    return state.value * state.rate + value * len(state) + (rate if isinstance(state, State) else 0.0)


def in_a_loop(x: Any) -> Any:
    state = State(x * x, x)
    while state.value.sum() < 20.0:
        state = State(state.value * 2.0 + 1.0, rate=state.rate + 1.0)
    return state.value * state[1]


def nested(x: Any) -> Any:
    pair = Pair([State(x), x * 3.0], {"a": Pair(x, 1.5)})
    return pair.x[0].value * pair.y["a"].y + pair.x[0].rate * pair.x[1]


@pytest.mark.parametrize("function", [chosen, in_a_loop, nested])
@pytest.mark.parametrize("values", [[0.5, 1.0], [-0.5, -1.0]])
def test_both_modes_and_gradients_agree(function: Callable[[Any], Any], values: list[float]) -> None:
    x = Tensor(np.array(values))
    np.testing.assert_allclose(ms.jit(function)(x).asnumpy(), function(x).asnumpy())
    slope = ms.grad(lambda x: function(x).sum())
    np.testing.assert_allclose(ms.jit(slope)(x).asnumpy(), slope(x).asnumpy())


def test_they_are_passed_and_returned() -> None:
    x = Tensor([1.0, 2.0])
    found = ms.jit(lambda pair: State(pair.x + pair.y))(Pair(x, 3.0))
    assert type(found) is State
    assert (found.value.asnumpy().tolist(), found.rate) == ([4.0, 5.0], 2.0)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda x: Pair(x), "Pair() lacks a value for y"),
        (lambda x: Pair(x, 1, 2), "Pair() has 2 fields: its fields are x, y"),
        (lambda x: State(x, value=x), "State() has no further field for 'value'"),
        (lambda x: Pair(x, x).z, "has no attribute 'z'"),
        (lambda x: ParameterTuple([x]), "a ParameterTuple holds Parameters"),
    ],
)
def test_what_does_not_fit_is_told(function: Callable[[Any], Any], message: str) -> None:
    with pytest.raises(InferenceError, match=message.replace("(", r"\(").replace(")", r"\)")):
        ms.jit(function)(Tensor([1.0]))


def test_a_parameter_tuple_names_what_gradients_are_taken_by() -> None:
    def slopes(x: Any) -> Any:
        weights = ParameterTuple(w for w in WEIGHTS)
        return ms.ops.GradOperation(get_by_list=True)(lambda x: (x * WEIGHTS[0] * WEIGHTS[1]).sum(), weights)(x)

    x = Tensor(np.array([2.0, 5.0]))
    for one, other in zip(ms.jit(slopes)(x), slopes(x), strict=True):
        np.testing.assert_allclose(one.asnumpy(), other.asnumpy())
