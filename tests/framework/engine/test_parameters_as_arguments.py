"""Parameters and constant tensors as arguments of compiled functions; the numbers are those of MindSpore 2.10."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import framework as ms
from framework import Parameter, Tensor, nn, ops
from framework.common import initializer as initializers
from framework.ops.primitive import Primitive


@pytest.fixture(params=[ms.PYNATIVE_MODE, ms.GRAPH_MODE], ids=["pynative", "graph"])
def mode(request: pytest.FixtureRequest) -> Iterator[int]:
    ms.set_context(mode=request.param)
    yield request.param
    ms.set_context(mode=ms.PYNATIVE_MODE)


class Held(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.p = Parameter(Tensor([1.0, 2.0]), name="p")


class Assigning(Held):
    def construct(self, q: Any) -> Any:
        self.p = self.p + 1
        return q * 1


class Adding(Held):
    def construct(self, q: Any) -> Any:
        ops.assign_add(self.p, q)
        return q


def in_place(x: Any) -> Any:
    ops.assign_add(x, Tensor([1.0, 1.0]))
    return x * 2


@pytest.mark.parametrize(("kind", "wanted"), [(Assigning, [2.0, 3.0]), (Adding, [2.0, 4.0])])
def test_an_argument_that_is_the_cells_own_parameter_changes_with_it(mode: int, kind: Any, wanted: list[float]) -> None:
    net = kind()
    other = net(Tensor([5.0, 5.0]))  # The program for a tensor must not be taken for the Parameter.
    np.testing.assert_array_equal(other.asnumpy(), [5.0, 5.0])
    net.p.set_data(Tensor([1.0, 2.0]))
    np.testing.assert_array_equal(net(net.p).asnumpy(), wanted)
    np.testing.assert_array_equal(net.p.asnumpy(), wanted)
    net.p.set_data(Tensor([1.0, 2.0]))
    np.testing.assert_array_equal(net(net.p).asnumpy(), wanted)
    np.testing.assert_array_equal(net(Tensor([5.0, 5.0])).asnumpy(), [5.0, 5.0])


@pytest.mark.parametrize("make", [lambda: Parameter(Tensor([1.0, 2.0]), name="q"), lambda: Tensor([1.0, 2.0])])
def test_an_argument_is_changed_in_place(mode: int, make: Any) -> None:
    given = make()
    out = ms.jit(in_place)(given) if mode == ms.GRAPH_MODE else in_place(given)
    np.testing.assert_array_equal(out.asnumpy(), [4.0, 6.0])
    np.testing.assert_array_equal(given.asnumpy(), [2.0, 3.0])


def test_two_parameters_of_one_name_are_refused() -> None:
    a, b = Parameter(Tensor([1.0]), name="a"), Parameter(Tensor([2.0]), name="a")
    for error in (ValueError, RuntimeError):
        with pytest.raises(error, match="its name 'a' already exists"):
            ms.jit(lambda x: x + a + b)(Tensor([1.0]))
        with pytest.raises(error, match="its name 'a' already exists"):
            ms.jit(lambda x, y: x + y)(a, b)
    one, two = Parameter(Tensor([1.0])), Parameter(Tensor([2.0]))
    assert ms.jit(lambda x, y: x + y)(one, two).asnumpy().item() == 3.0


def branch(x: Any, y: Any) -> Any:
    if x < 3:
        return y + y
    return y


def test_a_constant_argument_is_known_while_compiling(mode: int) -> None:
    x, y = Tensor([0], const_arg=True), Tensor([1.0])
    assert x.const_arg
    assert not y.const_arg
    compiled = ms.jit(branch)
    assert compiled(x, y).asnumpy().item() == 2.0
    x[0] = 7
    assert compiled(x, y).asnumpy().item() == 1.0
    assert compiled(Tensor([0], const_arg=True), y).asnumpy().item() == 2.0
    assert compiled.compilations == 2
    with pytest.raises(TypeError):
        Tensor([0], const_arg=1)  # type: ignore[arg-type]
    x.set_const_arg(False)
    assert not x.const_arg


def test_there_is_no_gradient_by_a_constant_argument_in_graph_mode() -> None:
    ms.set_context(mode=ms.GRAPH_MODE)
    assert ms.grad(nn.ReLU())(Tensor([3.0], const_arg=True)) == ()
    assert ops.GradOperation(get_all=True)(nn.ReLU())(Tensor([3.0], const_arg=True)) == ()
    ms.set_context(mode=ms.PYNATIVE_MODE)


def product(x: Any) -> Any:
    return x[0][1] * x[1]


def test_gradients_of_a_list_are_a_list(mode: int) -> None:
    inputs = ms.mutable([[Tensor([1.0]), Tensor([2.0])], Tensor([3.0])])
    (first, second), third = by = ms.grad(product)(inputs)
    assert isinstance(by, list)
    assert isinstance(by[0], list)
    assert [item.asnumpy().item() for item in (first, second, third)] == [0.0, 3.0, 2.0]


def test_a_compiled_function_makes_no_parameters_and_draws_no_initial_numbers() -> None:
    with pytest.raises(ValueError, match="cannot make a Parameter"):
        ms.jit(lambda x: Parameter(x, name="weight"))(Tensor([1.0]))
    with pytest.raises(RuntimeError, match="cannot use initializer"):
        ms.jit(lambda x: x + initializers.initializer("ones", [1], ms.float32))(Tensor([1.0]))
    with pytest.raises(RuntimeError, match="cannot use One"):
        ms.jit(lambda: Tensor(shape=(1, 3), dtype=ms.float32, init=initializers.One()))()


def test_primitives_by_the_name_of_a_function_of_numbers() -> None:
    add = Primitive("scalar_add")
    assert add(1, 2) == 3
    assert ms.jit(lambda x: add(x, 2))(1) == 3


class Plain(nn.Cell):
    def construct(self, x: Any) -> Any:
        return x


def test_attributes_keep_their_kind() -> None:
    net = Held()
    net.p = Tensor([5, 6])
    assert isinstance(net.p, Parameter)
    assert net.trainable_params() == [net.p]
    np.testing.assert_array_equal(net.p.asnumpy(), np.array([5.0, 6.0], np.float32))
    with pytest.raises(TypeError):
        net.p = 3
    with pytest.raises(KeyError):
        net.p = Plain()
    net.p = None
    assert net.trainable_params() == []
    with pytest.raises(KeyError):
        net.p = Plain()
    net.p = Parameter(Tensor([1.0]))
    assert len(net.trainable_params()) == 1
    net.inner = Plain()
    for other, error in ((3, TypeError), (Tensor([1.0]), TypeError), (Parameter(Tensor([1.0])), KeyError)):
        with pytest.raises(error):
            net.inner = other
    del net.inner
    net.inner = 3
    assert net.inner == 3


class Stepping(Held):
    def construct(self, x: Any) -> Any:
        self.p = self.p + x
        return self.p * 2


def test_a_parameter_that_construct_assigns_stays_one(mode: int) -> None:
    net = Stepping()
    np.testing.assert_array_equal(net(Tensor([1.0, 1.0])).asnumpy(), [4.0, 6.0])
    assert isinstance(net.p, Parameter)
    np.testing.assert_array_equal(net.p.asnumpy(), [2.0, 3.0])


class Loss(Held):
    def construct(self, x: Any) -> Any:
        return (self.p * x).sum()


def test_a_step_that_is_compiled_as_a_whole_runs_the_hooks_of_parameters(
    mode: int, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("framework.engine.call.compiled._told", set())
    net = Loss()
    step = ms.jit(ms.value_and_grad(net, None, net.trainable_params()))
    x = Tensor([1.0, 2.0])
    np.testing.assert_array_equal(step(x)[1][0].asnumpy(), [1.0, 2.0])
    handle = net.p.register_hook(lambda gradient: gradient * 10)
    with caplog.at_level(logging.WARNING, logger="framework"):
        for _ in range(2):
            np.testing.assert_array_equal(step(x)[1][0].asnumpy(), [10.0, 20.0])
    assert len(caplog.records) == 1
    assert "has a hook" in caplog.text
    handle.remove()
    np.testing.assert_array_equal(step(x)[1][0].asnumpy(), [1.0, 2.0])
    held = Parameter(Tensor([1.0, 2.0]), name="held")
    plain = ms.jit(lambda y: ms.grad(lambda z: (held * z).sum(), None, [held])(y))
    np.testing.assert_array_equal(plain(x)[0].asnumpy(), [1.0, 2.0])
    held.register_hook(lambda gradient: gradient * 10)
    np.testing.assert_array_equal(plain(x)[0].asnumpy(), [10.0, 20.0])
