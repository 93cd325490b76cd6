"""Gradients by Parameters that the same program changes in branches and loops: of the value that each has then."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import framework as ms
from framework import Parameter, Tensor, nn
from framework.ops import functional as F  # noqa: N812

BOTH_MODES = pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
X = np.float32([1.0, 2.0, 3.0])


class Half(nn.Cell):
    """A quarter of the squares of a weight, times x; its gradient is w x / 2."""

    def __init__(self) -> None:
        super().__init__()
        self.w = Parameter(Tensor(np.float32([4.0, 4.0, 4.0])), name="w")

    def construct(self, x: Any) -> Any:
        return (self.w * self.w * x).sum() / 4.0


class Guarded(nn.Cell):
    """A step of gradient descent where the sum of x is small, after the loss was computed once by itself."""

    def __init__(self) -> None:
        super().__init__()
        self.net = Half()
        self.grad = ms.GradOperation(get_by_list=True)(self.net, ms.ParameterTuple([self.net.w]))

    def construct(self, x: Any) -> Any:
        loss = self.net(x)
        gradient = self.grad(x)[0]
        if x.sum() < 10.0:
            F.assign(self.net.w, self.net.w - gradient)
        return loss


class Descent(nn.Cell):
    """Steps of gradient descent until the loss is small; returns their number."""

    def __init__(self) -> None:
        super().__init__()
        self.net = Half()
        self.weights = ms.ParameterTuple([self.net.w])

    def construct(self, x: Any, least: Any) -> Any:
        steps = 0
        loss, gradients = ms.value_and_grad(self.net, None, self.weights)(x)
        while loss > least:
            F.assign(self.net.w, self.net.w - 0.1 * gradients[0])
            loss, gradients = ms.value_and_grad(self.net, None, self.weights)(x)
            steps += 1
        return steps, loss


@BOTH_MODES
def test_a_weight_that_changes_on_one_way_only(mode: int) -> None:
    ms.set_context(mode=mode)
    step = Guarded()
    expected = step.net.w.asnumpy().copy()
    for scale in (1.0, 5.0, 0.5):
        x = X * np.float32(scale)
        loss = step(Tensor(x))
        assert loss.asnumpy() == pytest.approx((expected**2 * x).sum() / 4, rel=1e-5)
        if x.sum() < 10.0:
            expected = expected - expected * x / 2
        np.testing.assert_allclose(step.net.w.asnumpy(), expected, rtol=1e-5)


@BOTH_MODES
def test_a_weight_that_changes_in_a_loop(mode: int) -> None:
    ms.set_context(mode=mode)
    descent = Descent()
    steps, loss = descent(Tensor(X), Tensor(np.float32(1.0)))
    w, count = np.float32([4.0, 4.0, 4.0]), 0
    while (w**2 * X).sum() / 4 > 1.0:
        w, count = w - np.float32(0.1) * (w * X / 2), count + 1
    assert int(steps) == count > 3
    assert loss.asnumpy() == pytest.approx((w**2 * X).sum() / 4, rel=1e-4)
    np.testing.assert_allclose(descent.net.w.asnumpy(), w, rtol=1e-4)
