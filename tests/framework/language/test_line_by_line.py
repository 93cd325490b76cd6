"""A compiled function that only Python can compute runs line by line: the same results, one warning, no program."""

# What a user may write is not what this project would.
# ruff: noqa
# mypy: ignore-errors
from __future__ import annotations

import logging
import math

import numpy as np
import pytest

import framework as ms
from framework import Parameter, Tensor, nn
from framework.engine.call.cells import cell_programs
from framework.ir.errors import GraphError

X = np.array([1.0, 2.0, 3.0], np.float32)


class Times:
    """A context that gives a number, and notes when it is left."""

    left = 0

    def __enter__(self):
        return 3

    def __exit__(self, *error):
        Times.left += 1


def by_numpy(x):
    return x * Tensor(np.sin(x.asnumpy()))


def by_context(x):
    with Times() as times:
        y = x * times
    return y


def by_list(x):
    return x * len([v for v in x.tolist() if v > 1])


def by_range(x):
    total = x
    for _ in range(int(x[1])):
        total = total + x
    return total


def by_slice(x):
    return x[: int(x[1])].sum() * x


def by_math(x):
    return x * math.sqrt(float(x.sum()))


def by_unlike_operands(x):
    y = x[0] > 5 or x[1]
    return x * y


def by_sorting(x):
    return sorted([x[2], x[0]])[0] * x


def by_key(x):
    return x * {6: 2, 7: 3}[int(x.sum())]


def by_method_of_a_text(x):
    return x * len(str(x).strip("[]").split())


SIX = np.float32(6)
FUNCTIONS = {
    by_numpy: X * np.sin(X),
    by_context: X * 3,
    by_list: X * 2,
    by_range: X * 3,
    by_slice: X * 3,
    by_math: X * np.sqrt(SIX),
    by_unlike_operands: X * 2,
    by_sorting: X,
    by_key: X * 2,
    by_method_of_a_text: X * 3,
}
GRADIENTS = {
    by_numpy: np.sin(X),
    by_context: np.full(3, 3.0),
    by_range: np.full(3, 3.0),
    by_math: np.full(3, np.sqrt(SIX)),
    by_unlike_operands: np.array([2.0, 8.0, 2.0]),
    by_key: np.full(3, 2.0),
}
"""Numpy, texts and Python's numbers carry no gradient, as in MindSpore."""


@pytest.mark.parametrize("function", FUNCTIONS)
def test_it_gives_what_python_gives(function):
    compiled = ms.jit(function)
    for run in (function, compiled, compiled):
        np.testing.assert_allclose(run(Tensor(X)).asnumpy(), FUNCTIONS[function], rtol=1e-6)


@pytest.mark.parametrize("function", GRADIENTS)
def test_its_gradient_is_that_of_the_operators(function):
    for gradient in (ms.grad(function), ms.grad(ms.jit(function)), ms.jit(ms.grad(function))):
        np.testing.assert_allclose(gradient(Tensor(X)).asnumpy(), GRADIENTS[function], rtol=1e-6)


@pytest.mark.parametrize("function", [by_numpy, by_context, by_range, by_unlike_operands])
def test_it_can_be_refused_instead(function):
    strict = ms.jit(function, fullgraph=True), ms.jit(jit_config=ms.JitConfig(jit_syntax_level="STRICT"))(function)
    for compiled in strict:
        with pytest.raises(GraphError, match=r"test_line_by_line.py(.|\n)*\^"):
            compiled(Tensor(X))
    compiled = ms.jit(function)
    compiled(Tensor(X))
    ms.set_context(jit_syntax_level=ms.STRICT)
    try:
        with pytest.raises(GraphError):
            compiled(Tensor(X))
    finally:
        ms.set_context(jit_syntax_level=ms.LAX)
    np.testing.assert_allclose(compiled(Tensor(X)).asnumpy(), FUNCTIONS[function], rtol=1e-6)


def test_one_warning_names_the_line(caplog):
    def told(x):
        return Tensor(np.cos(x.asnumpy())) * x

    compiled = ms.jit(told)
    with caplog.at_level(logging.WARNING, logger="framework"):
        for length in (3, 3, 2, 1):
            compiled(Tensor(X[:length]))
        ms.jit(told)(Tensor(X))
    (record,) = caplog.records
    message = record.getMessage()
    assert message.startswith("told runs line by line, not compiled, because of this line: a tensor has no 'asnumpy'")
    assert "return Tensor(np.cos(x.asnumpy())) * x" in message
    assert "^" in message


def test_it_is_tried_once_for_each_signature():
    compiled = ms.jit(by_numpy)
    for _ in range(5):
        compiled(Tensor(X))
    assert compiled.compilations == 1


def test_new_numbers_do_not_compile_again_and_again():
    compiled = ms.jit(lambda x, k: Tensor(x.asnumpy()) * k)
    for k in range(12):
        np.testing.assert_array_equal(compiled(Tensor(X), k).asnumpy(), X * k)
    assert compiled.compilations == 4


def test_an_error_of_the_function_is_its_own():
    with pytest.raises(KeyError) as caught:
        ms.jit(by_key)(Tensor(X * 2))
    assert caught.value.__context__ is None


def chooses(x, flag):
    return by_numpy(x) if flag else x * 2


def test_other_arguments_run_compiled():
    compiled = ms.jit(chooses)
    np.testing.assert_allclose(compiled(Tensor(X), True).asnumpy(), X * np.sin(X), rtol=1e-6)
    np.testing.assert_array_equal(compiled(Tensor(X), False).asnumpy(), X * 2)
    assert compiled.compile(Tensor(X), False) is not None
    with pytest.raises(GraphError):
        compiled.compile(Tensor(X), True)


class Inner(nn.Cell):
    def __init__(self):
        super().__init__()
        self.weight = Parameter(Tensor(np.full(3, 2.0, np.float32)), name="weight")
        self.steps = Parameter(Tensor(0.0), name="steps", requires_grad=False)

    def construct(self, x):
        ms.ops.assign_add(self.steps, Tensor(1.0))
        return x * self.weight


class Outer(nn.Cell):
    def __init__(self):
        super().__init__()
        self.inner = Inner()

    def construct(self, x):
        y = self.inner(x)
        return y * float(y.asnumpy().max())


def test_a_cell_around_compiled_cells_runs_line_by_line_and_they_do_not():
    net = Outer()
    ms.set_context(mode=ms.GRAPH_MODE)
    try:
        for count in range(1, 4):
            np.testing.assert_array_equal(net(Tensor(X)).asnumpy(), X * 12)
            assert float(net.inner.steps) == count, "what has an effect runs once"
        (part,) = cell_programs(net).parts
        assert part.compilations == 1, "the call of the inner Cell"
        gradient = ms.grad(lambda x: net(x).sum(), None, [net.inner.weight])(Tensor(X))
        np.testing.assert_array_equal(gradient[0].asnumpy(), X * 6)
        step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.SGD(net.trainable_params(), 0.001))
        losses = [float(step(Tensor(X), Tensor(X))) for _ in range(3)]
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    # mean((6 w x - x)^2) with w = 2, and the first step of w by numpy
    assert losses[0] == pytest.approx(np.mean((X * 12 - X) ** 2))
    assert losses == sorted(losses, reverse=True)


def mixed(x, w):
    scale = float((x * w).sum())
    y = x * w * scale + int(scale)
    return (y * y.sum().item()).sum()


def test_numbers_of_tensors_stay_in_the_program_and_have_no_gradient():
    w = np.array([0.5, 1.0, 2.0], np.float32)
    scale = (X * w).sum()
    y = X * w * scale + int(scale)
    compiled, gradient = ms.jit(mixed), ms.jit(ms.grad(mixed, (0, 1)))
    for _ in range(12):
        np.testing.assert_allclose(compiled(Tensor(X), Tensor(w)).asnumpy(), y.sum() ** 2, rtol=1e-6)
        by_x, by_w = gradient(Tensor(X), Tensor(w))
    np.testing.assert_allclose(by_x.asnumpy(), w * scale * y.sum(), rtol=1e-6)
    np.testing.assert_allclose(by_w.asnumpy(), X * scale * y.sum(), rtol=1e-6)
    assert compiled.compile(Tensor(X), Tensor(w)) is not None
