"""Parameters changed before, within and after loops and recursion: every read sees what was written before it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import framework as ms
from framework import Parameter, Tensor, nn, ops


@pytest.fixture(autouse=True)
def _mode() -> Iterator[None]:
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


class Stateful(nn.Cell):
    """Two Parameters."""

    def __init__(self) -> None:
        super().__init__()
        self.w = Parameter(Tensor(np.float64(0.4)), name="w")
        self.v = Parameter(Tensor(np.float64(0.0)), name="v")


class AroundALoop(Stateful):
    """A loop without changes between two changes."""

    def construct(self, x):
        ops.assign(self.w, x * 0.5 + x)
        n, a = x * 0.0, x
        while n < 3.0:
            n = n + 1.0
            a = x * 0.25 + x
        ops.assign(self.w, x * 0.5 + a)
        return a * 1.0, self.w * 2.0


class WithoutVariables(Stateful):
    """A loop that passes nothing on from round to round."""

    def construct(self, x):
        ops.assign(self.w, x * 0.0)
        while self.w < 3.0:
            ops.assign(self.w, self.w + 1.0)
        ops.assign(self.w, self.w * 2.0)
        return self.w * 1.0


class Recursive(Stateful):
    """A function without arguments that calls itself, twice."""

    def grow(self):
        if self.w > 5.0 or self.w < 0.1:
            return self.v * 1.0
        ops.assign(self.w, self.w * 2.0)
        ops.assign(self.v, self.v + 1.0)
        return self.grow() + self.w

    def construct(self, x):
        ops.assign(self.w, x * 1.0)
        a = self.grow()
        ops.assign(self.w, self.w * 3.0 + a)
        return a * self.grow() + self.w


class GradientOfALoop(Stateful):
    """Changes around a loop in a function that is differentiated, twice."""

    def loss(self, x):
        ops.assign(self.v, x * self.w)
        n = x * 0.0
        while n < 3.0:
            n = n + 1.0
        ops.assign(self.v, self.v + n * x)
        return self.v * x

    def construct(self, x):
        gradient = ms.grad(self.loss)(x)
        ops.assign(self.w, gradient)
        return gradient * self.v + ms.grad(self.loss)(x)


class GradientOfRecursion(Stateful):
    """The gradient of a function that changes a Parameter whenever it calls itself."""

    def loss(self, x):
        def again():
            ops.assign(self.v, self.v + x)
            return self.v * x if self.v > 2.0 else again() + self.v

        ops.assign(self.v, x * x + 0.1)
        result = again()
        ops.assign(self.v, self.v * 3.0)
        return result * self.v

    def construct(self, x):
        return ms.grad(self.loss)(x)


class GradientWithoutVariables(Stateful):
    """The gradient of a loop that passes nothing on; what it changed is read after it."""

    def loss(self, x):
        ops.assign(self.v, x * x)
        while self.v < 3.0:
            ops.assign(self.v, self.v + x)
        ops.assign(self.w, self.v)
        return self.v * x * self.w

    def construct(self, x):
        return ms.grad(self.loss)(x) + self.v


PROGRAMS = [
    AroundALoop,
    WithoutVariables,
    Recursive,
    GradientOfALoop,
    GradientOfRecursion,
    GradientWithoutVariables,
]


def run(kind: type[Stateful], mode: int) -> list[list[float]]:
    """What calls of a new Cell return, one after the other, and its Parameters after each."""
    ms.set_context(mode=mode)
    program, found = kind(), []
    for x in (0.3, 0.5, 1.4):
        out = program(Tensor(np.float64(x)))
        results = out if isinstance(out, tuple) else (out,)
        found.append([float(item.asnumpy()) for item in (*results, program.w, program.v)])
    return found


@pytest.mark.parametrize("kind", PROGRAMS, ids=lambda kind: kind.__name__)
def test_effects_happen_in_the_order_of_the_source(kind: type[Stateful]) -> None:
    np.testing.assert_allclose(run(kind, ms.GRAPH_MODE), run(kind, ms.PYNATIVE_MODE), rtol=1e-12)
