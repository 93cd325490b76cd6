"""Hooks on the gradients of tensors. The numbers of single functions are MindSpore 2.10.0's (CPU, PyNative)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import framework as ms
from framework import Tensor, nn, ops
from framework.pynative.tape import tape

X, Y = Tensor(2.0), Tensor(3.0)


def doubled(gradient: Any) -> Any:
    return gradient * 2


def gradients(fn: Any) -> list[float]:
    return [float(item) for item in ms.GradOperation(get_all=True)(fn)(X, Y)]


def hooked(*hooks: Any, keep: bool = True) -> Any:
    def f(x: Any, y: Any) -> Any:
        z = x * y
        for hook in hooks:
            handle = z.register_hook(hook)
            if not keep:
                handle.remove()
                handle.remove()
        return z * y

    return f


def test_hooks_replace_gradients_in_order() -> None:
    assert gradients(hooked(doubled)) == [18.0, 18.0]
    assert gradients(hooked(doubled, lambda gradient: gradient + 1)) == [21.0, 20.0]
    assert gradients(hooked(doubled, keep=False)) == [9.0, 12.0]


def test_a_hook_that_returns_nothing_sees_the_gradient() -> None:
    seen: list[float] = []
    assert gradients(hooked(lambda gradient: seen.append(float(gradient)))) == [9.0, 12.0]
    assert seen == [3.0]


def test_a_hook_gets_all_that_contributes() -> None:
    def f(x: Any, y: Any) -> Any:
        z = x * y
        before = z * 3
        z.register_hook(doubled)
        return z * y + before

    assert gradients(f) == [36.0, 30.0]


def test_on_an_input_within_the_function() -> None:
    def f(x: Any, y: Any) -> Any:
        x.register_hook(doubled)
        return x * y

    assert gradients(f) == [6.0, 2.0]


def test_of_several_results_one_has_a_hook() -> None:
    def f(x: Any) -> Any:
        first, second = ops.split(x, 1)
        second.register_hook(doubled)
        return first + second

    assert ms.grad(f)(Tensor([1.0, 2.0])).tolist() == [1.0, 2.0]


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_on_tensors_that_are_there_before(mode: int) -> None:
    ms.set_context(mode=mode)
    try:
        x = Tensor(2.0)
        handle = x.register_hook(doubled)
        assert float(ms.grad(lambda x: x * 3)(x)) == 6.0
        handle.remove()
        assert float(ms.grad(lambda x: x * 3)(x)) == 3.0
        net = nn.Dense(1, 1)
        handle = net.weight.register_hook(doubled)
        assert ms.grad(net, None, net.weight)(Tensor([[2.0]])).tolist() == [[4.0]]
        handle.remove()
        assert ms.grad(net, None, net.weight)(Tensor([[2.0]])).tolist() == [[2.0]]
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)


def test_hooks_go_with_their_tensors() -> None:
    before = len(tape.kept_hooks)
    x = Tensor(2.0)
    x.register_hook(doubled)
    assert len(tape.kept_hooks) == before + 1
    del x
    assert len(tape.kept_hooks) == before
    gradients(hooked(doubled))
    assert not tape.hooks


def test_second_order() -> None:
    # The gradient is 8xy; going back through it, the hook doubles the gradient by y, too: 8y + 8x * 2 * 2x.
    def f(x: Any) -> Any:
        y = x * x
        y.register_hook(doubled)
        return y * y

    assert float(ms.grad(ms.grad(f))(X)) == 160.0


def test_hooks_of_a_tensor_are_told() -> None:
    def f(x: Any) -> Any:
        y = x * 2
        handle = y.register_hook(doubled)
        assert y.hooks() == [doubled]
        assert x.hooks() == []
        handle.remove()
        assert y.hooks() == []
        return y

    ms.grad(f)(X)
    weight = ms.Parameter(X)
    handle = weight.register_hook(doubled)
    assert weight.hooks() == [doubled]
    handle.remove()
    assert weight.hooks() == []


def test_hooks_are_functions() -> None:
    with pytest.raises(TypeError, match="must be a function"):
        Tensor(1.0).register_hook(3)
    with pytest.raises(TypeError, match="hook_fn is a function"):
        ops.HookBackward(3)
    with pytest.raises(TypeError, match="f is a function"):
        ops.InsertGradientOf(3)


@pytest.fixture(params=[ms.PYNATIVE_MODE, ms.GRAPH_MODE], ids=["pynative", "graph"])
def graph(request: pytest.FixtureRequest) -> Iterator[bool]:
    ms.set_context(mode=request.param)
    yield request.param == ms.GRAPH_MODE
    ms.set_context(mode=ms.PYNATIVE_MODE)


def test_insert_gradient_of(graph: bool) -> None:
    insert = ops.InsertGradientOf(doubled)
    for _ in range(3):
        assert gradients(lambda x, y: insert(x * y) * y) == [18.0, 18.0]


def test_hook_backward_works_line_by_line_alone(graph: bool) -> None:
    hook = ops.HookBackward(lambda gradient: gradient[0] * 2)
    for _ in range(3):
        assert gradients(lambda x, y: hook(x * y) * y) == ([9.0, 12.0] if graph else [18.0, 18.0])
    seen: list[Any] = []
    look = ops.HookBackward(seen.append)
    assert gradients(lambda x, y: look(x * y) * y) == [9.0, 12.0]
    assert [[float(item) for item in gradient] for gradient in seen] == ([] if graph else [[3.0]])


def nothing(gradient: Any) -> None:
    pass


def computed(x: Any, y: Any) -> Any:
    z = x * y
    z.register_hook(doubled)
    return z * y


def given(x: Any, y: Any) -> Any:
    x.register_hook(doubled)
    x = x * y
    x.register_hook(nothing)
    return x * y


@pytest.mark.parametrize(("function", "expected"), [(computed, [18.0, 18.0]), (given, [18.0, 12.0])])
def test_compiled_functions_run_the_hooks_of_a_tensor_that_is_not_used_yet(function: Any, expected: Any) -> None:
    assert gradients(function) == expected
    for taken in (ms.jit(ms.grad(function, (0, 1))), ms.grad(ms.jit(function), (0, 1))):
        assert [float(item) for item in taken(X, Y)] == expected


def used_before(x: Any, y: Any) -> Any:
    z = x * y
    more = z * 2
    z.register_hook(doubled)
    return z * more


def a_lambda(x: Any, y: Any) -> Any:
    z = x * y
    z.register_hook(lambda gradient: gradient * 2)
    return z * y


def test_compiled_functions_refuse_other_hooks() -> None:
    with pytest.raises(TypeError, match="used before"):
        ms.jit(ms.grad(used_before, 0))(X, Y)
    with pytest.raises(TypeError, match="defined outside of the compiled function"):
        ms.jit(ms.grad(a_lambda, 0))(X, Y)


class Around(nn.Cell):
    """A Cell with a hook, called within a compiled function."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.ReLU()
        self.inner.register_forward_hook(lambda cell, args, out: out * 100)

    @ms.jit
    def construct(self, x: Any) -> Any:
        return self.inner(x * 3)


def test_gradients_of_compiled_functions_leave_out_the_hooks_of_cells_as_the_functions_do() -> None:
    cell = Around()
    assert float(cell(X)) == 6.0
    assert float(ms.grad(cell)(X)) == 3.0
