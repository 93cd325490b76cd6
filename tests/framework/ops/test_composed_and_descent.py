"""Operators that are composed of functions, and steps of descent, against numpy."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import framework as ms
from framework import Parameter, Tensor, nn, ops


@pytest.fixture(params=[ms.PYNATIVE_MODE, ms.GRAPH_MODE], ids=["pynative", "graph"], autouse=True)
def mode(request: pytest.FixtureRequest) -> Iterator[int]:
    ms.set_context(mode=request.param)
    yield request.param
    ms.set_context(mode=ms.PYNATIVE_MODE)


class Applied(nn.Cell):
    def __init__(self, operator: Any, *held: Any) -> None:
        super().__init__()
        self.operator = operator
        self.held = ms.ParameterTuple([Parameter(Tensor(item), name=f"held{i}") for i, item in enumerate(held)])

    def construct(self, *inputs: Any) -> Any:
        return self.operator(*self.held, *inputs)


RNG = np.random.default_rng(0)
VAR, SUM, GRAD = (RNG.normal(size=(3, 4)).astype(np.float32) for _ in range(3))
SQUARES = np.abs(RNG.normal(size=(3, 4))).astype(np.float32) + 0.1


def shrunk(values: Any, by: float) -> Any:
    return np.sign(values) * np.maximum(np.abs(values) - by, 0)


def test_steps_of_descent() -> None:
    net = Applied(ops.ApplyGradientDescent(), VAR)
    out = net(Tensor(0.1), Tensor(GRAD))
    np.testing.assert_allclose(out.asnumpy(), VAR - 0.1 * GRAD, rtol=1e-6)
    np.testing.assert_allclose(net.held[0].asnumpy(), VAR - 0.1 * GRAD, rtol=1e-6)
    net = Applied(ops.ApplyProximalGradientDescent(), VAR)
    wanted = shrunk(VAR - 0.1 * GRAD, 0.1 * 0.5) / (1 + 0.1 * 0.25)
    np.testing.assert_allclose(net(0.1, 0.5, 0.25, Tensor(GRAD)).asnumpy(), wanted, rtol=1e-5, atol=1e-7)
    net = Applied(ops.ApplyAdagradV2(epsilon=1e-2), VAR, SQUARES)
    var, accum = net(Tensor(0.1), Tensor(GRAD))
    np.testing.assert_allclose(accum.asnumpy(), SQUARES + GRAD**2, rtol=1e-6)
    np.testing.assert_allclose(var.asnumpy(), VAR - 0.1 * GRAD / (np.sqrt(SQUARES + GRAD**2) + 1e-2), rtol=1e-5)
    net = Applied(ops.ApplyAdagradDA(), VAR, SUM, SQUARES)
    var, total, squares = net(Tensor(GRAD), Tensor(0.1), Tensor(0.2), Tensor(0.3), Tensor(2))
    wanted = -0.1 * shrunk(SUM + GRAD, 0.2 * 2) / (0.3 * 2 * 0.1 + np.sqrt(SQUARES + GRAD**2))
    np.testing.assert_allclose(var.asnumpy(), wanted, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(total.asnumpy(), SUM + GRAD, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(squares.asnumpy(), SQUARES + GRAD**2, rtol=1e-6)


@pytest.mark.parametrize("keep", [0.0, 0.4, 1.0])
@pytest.mark.parametrize("dtype", [np.int32, np.float16, np.float32])
@pytest.mark.parametrize("volume", [False, True])
def test_dropout_of_channels(keep: float, dtype: Any, volume: bool) -> None:
    x = np.ones((20, 10, 2, 5, 4) if volume else (20, 10, 4, 5), dtype)
    out, mask = (item.asnumpy() for item in Applied((ops.Dropout3D if volume else ops.Dropout2D)(keep))(Tensor(x)))
    assert mask.shape == x.shape
    assert out.dtype == x.dtype
    channels = mask.reshape(200, -1)
    assert (channels.all(1) | ~channels.any(1)).all()
    np.testing.assert_allclose(out, np.where(mask, x / (keep or 1), 0).astype(dtype), rtol=1e-3)
    assert abs(channels[:, 0].mean() - keep) <= (0.15 if 0 < keep < 1 else 0)


def test_operators_that_are_functions() -> None:
    x, w, b = VAR, GRAD[:2], np.array([1.0, -1.0], np.float32)
    net = Applied(ops.Dense())
    np.testing.assert_allclose(net(Tensor(x), Tensor(w), Tensor(b)).asnumpy(), x @ w.T + b, rtol=1e-5)
    near = Applied(ops.ApproximateEqual(0.5))(Tensor(VAR), Tensor(GRAD)).asnumpy()
    np.testing.assert_array_equal(near, np.abs(VAR - GRAD) < 0.5)
    factor = np.array([[2.0, 0.0], [1.0, 3.0]], np.float32)
    found = Applied(ops.CholeskyInverse())(Tensor(factor)).asnumpy()
    np.testing.assert_allclose(found, np.linalg.inv(factor @ factor.T), rtol=1e-5)
    rows = Applied(ops.MatrixDiagV3())(Tensor([1, 2]), 1, -1, -1, Tensor(9)).asnumpy()
    np.testing.assert_array_equal(rows, [[9, 1, 9], [9, 9, 2], [9, 9, 9]])
    wanted = VAR / (1 + np.exp(-1.702 * np.abs(VAR))) * np.exp(0.851 * (VAR - np.abs(VAR)))
    np.testing.assert_allclose(Applied(ops.FastGeLU())(Tensor(VAR)).asnumpy(), wanted, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("p", [None, 2, -2, 1, np.inf, "fro"])
def test_condition_numbers(p: Any) -> None:
    x = RNG.normal(size=(2, 3, 3)).astype(np.float32)
    found = Applied(lambda given: ops.cond(given, p))(Tensor(x)).asnumpy()
    np.testing.assert_allclose(found, np.linalg.cond(x, p), rtol=1e-3)


def test_incomplete_gamma_functions_are_methods() -> None:
    # Numbers of MindSpore's own test.
    a, x = Tensor([2.0, 4.0], ms.float32), Tensor([2.0, 3.0], ms.float32)
    lower = Applied(lambda one, two: one.igamma(two))(a, x).asnumpy()
    np.testing.assert_allclose(lower, [0.593994, 0.35276785], rtol=1e-4)
    upper = Applied(lambda one, two: one.igammac(two))(a, x).asnumpy()
    np.testing.assert_allclose(upper, [0.406006, 0.64723215], rtol=1e-4)
