"""Gradients of a tensor that was cut into parts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import framework as ms
from framework import Tensor, ops
from framework.ir.manager import Manager

X = np.random.default_rng(3).standard_normal((4, 6)).astype(np.float32)


def operators(compiled: Any) -> list[str]:
    root = compiled.latest.root
    return [getattr(node.operator, "name", "") for node in Manager(root).all_nodes()]


def gradient(function: Callable[[Any], Any], x: Any = X) -> tuple[Any, list[str]]:
    """The gradient of a function's sum, the same in both modes, and the operators that compute it in graph mode."""
    derived = ms.grad(lambda x: function(x).sum())
    compiled = ms.jit(derived)
    made = compiled(Tensor(x)).asnumpy()
    np.testing.assert_allclose(made, derived(Tensor(x)).asnumpy(), rtol=1e-6)
    return made, operators(compiled)


def weighted(parts: list[Any]) -> Any:
    """A sum with another factor for each part, so that none is mistaken for another."""
    total = 0.0
    for place, part in enumerate(parts):
        total = total + (part * part).sum() * (place + 1.0)
    return total


@pytest.mark.parametrize(
    ("cut", "factors", "joined"),
    [
        (lambda x: [x[:, :2], x[:, 2:5], x[:, 5:]], [1, 1, 2, 2, 2, 3], "Concat"),
        (lambda x: [x[:, 4:], x[:, :4]], [2, 2, 2, 2, 1, 1], "Concat"),
        (lambda x: [x[..., :-3], x[..., -3:]], [1, 1, 1, 2, 2, 2], "Concat"),
        (lambda x: [x[1:], x[:1]], [[2], [1], [1], [1]], "Concat"),
        (lambda x: [x[0], x[1], x[2], x[3]], [[1], [2], [3], [4]], "Stack"),
        (lambda x: [x[-1], x[-3], x[0], x[2]], [[3], [2], [4], [1]], "Stack"),
        (lambda x: [x[:, 3], x[:, 0], x[:, 1], x[:, 5], x[:, 4], x[:, 2]], [2, 3, 6, 1, 5, 4], "Stack"),
    ],
)
def test_parts_that_make_up_the_whole_are_joined(cut: Any, factors: Any, joined: str) -> None:
    made, names = gradient(lambda x: weighted(cut(x)))
    np.testing.assert_allclose(made, 2 * X * np.array(factors), rtol=1e-6)
    assert joined in names
    assert "GetItemGrad" not in names


@pytest.mark.parametrize(
    ("cut", "factors"),
    [
        (lambda x: [x[:, :2], x[:, 2:5]], [1, 1, 2, 2, 2, 0]),
        (lambda x: [x[:, :4], x[:, 2:]], [1, 1, 3, 3, 2, 2]),
        (lambda x: [x[:, ::2], x[:, 1::2]], [1, 2, 1, 2, 1, 2]),
        (lambda x: [x[:2, :3], x[2:, :3], x[:, 3:]], [[1, 1, 1, 3, 3, 3]] * 2 + [[2, 2, 2, 3, 3, 3]] * 2),
        (lambda x: [x[0:1], x[1], x[2], x[3]], [[1], [2], [3], [4]]),
        (lambda x: [x[None, :, :3], x[None, :, 3:]], [1, 1, 1, 2, 2, 2]),
        (lambda x: [x[Tensor([0, 0])], x[1:]], [[2], [2], [2], [2]]),
    ],
)
def test_other_parts_are_added_up(cut: Any, factors: Any) -> None:
    made, names = gradient(lambda x: weighted(cut(x)))
    np.testing.assert_allclose(made, 2 * X * np.array(factors), rtol=1e-6)
    assert "GetItemGrad" in names


def test_second_derivatives() -> None:
    def function(x: Any) -> Any:
        return (x[:, :3] * x[:, :3] * x[:, 3:]).sum()

    first, second = X[:, :3].astype(np.float64), X[:, 3:].astype(np.float64)
    twice, _ = gradient(lambda x: (ms.grad(function)(x) ** 2).sum())
    # The first derivatives are 2 a b and a^2.
    wanted = np.concatenate([8 * first * second**2 + 4 * first**3, 8 * first**2 * second], 1)
    np.testing.assert_allclose(twice, wanted, rtol=1e-4)


def test_gates_of_a_recurrent_network() -> None:
    def function(x: Any) -> Any:
        i, f = ops.sigmoid(x[:, :3]), ops.tanh(x[:, 3:])
        return i * f

    made, names = gradient(function)
    sigmoid, tanh = 1 / (1 + np.exp(-X[:, :3].astype(np.float64))), np.tanh(X[:, 3:].astype(np.float64))
    wanted = np.concatenate([tanh * sigmoid * (1 - sigmoid), sigmoid * (1 - tanh**2)], 1)
    np.testing.assert_allclose(made, wanted, rtol=1e-5, atol=1e-7)
    assert "GetItemGrad" not in names
