"""Which arguments gradient functions take, and which have gradients: as in MindSpore 2.10.0."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import framework as ms
from framework import GradOperation, Tensor, nn, ops

X, Y = Tensor(2.0), Tensor(4.0)
T = (Tensor(3.0),)


@pytest.fixture(params=[ms.PYNATIVE_MODE, ms.GRAPH_MODE], ids=["pynative", "graph"], autouse=True)
def _mode(request: pytest.FixtureRequest) -> Iterator[None]:
    ms.set_context(mode=request.param)
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


class WithTuple(nn.Cell):
    def construct(self, x: Any, t: Any, y: Any) -> Any:
        return x * t[0] * y


class WithDict(nn.Cell):
    def construct(self, x: Any, d: Any) -> Any:
        return x * d["a"]


class WithNumber(nn.Cell):
    def construct(self, x: Any, n: Any, y: Any) -> Any:
        return x * n * y


class Chosen(nn.Cell):
    def construct(self, x: Any, how: Any, y: Any) -> Any:
        return x + y if how is None else x * y


class Named(nn.Cell):
    def construct(self, x: Any, a: Any = 1.0, b: Any = None) -> Any:
        return x * a * b


class OnlyNamed(nn.Cell):
    def construct(self, *, a: Any, b: Any) -> Any:
        return a * b


def every(net: nn.Cell) -> Callable[..., Any]:
    return GradOperation(get_all=True)(net)


def numbers(found: Any) -> Any:
    return tuple(map(numbers, found)) if isinstance(found, tuple) else found if isinstance(found, int) else float(found)


CASES: list[tuple[Callable[[], Any], tuple[Any, ...], dict[str, Any], Any]] = [
    (lambda: every(WithTuple()), (X, T, Y), {}, (12.0, 6.0)),
    (lambda: every(WithTuple()), (X, [*T], Y), {}, (12.0, 6.0)),
    (lambda: every(WithDict()), (X, {"a": Y}), {}, (4.0,)),
    (lambda: every(WithNumber()), (X, 3.5, Y), {}, (14.0, 7.0)),
    (lambda: every(WithNumber()), (X, True, Y), {}, (4.0, 2.0)),
    (lambda: every(WithNumber()), (2.0, 3, 4), {}, ()),
    (lambda: every(Chosen()), (X, "product", Y), {}, (4.0, 2.0)),
    (lambda: every(Chosen()), (X, None, Y), {}, (1.0, 1.0)),
    (lambda: every(Named()), (X,), {"a": Tensor(3.0), "b": Tensor(5.0)}, (15.0, 10.0, 6.0)),
    (lambda: every(Named()), (X,), {"a": 2.0, "b": Tensor(5.0)}, (10.0, 4.0)),
    (lambda: every(OnlyNamed()), (), {"b": Tensor(3.0), "a": X}, (2.0, 3.0)),
    (lambda: GradOperation()(OnlyNamed()), (), {"a": X, "b": Tensor(3.0)}, 3.0),
    (lambda: ms.grad(WithTuple(), (0, 1, 2)), (X, T, Y), {}, (12.0, 6.0)),
    (lambda: ms.grad(WithTuple(), (0, 1)), (X, T, Y), {}, 12.0),
    (lambda: ms.grad(WithTuple(), (0,)), (X, T, Y), {}, 12.0),
    (lambda: ms.grad(WithTuple(), (0, 1, 2), return_ids=True), (X, T, Y), {}, ((0, 12.0), (2, 6.0))),
    (lambda: ms.grad(Chosen(), (0, 1)), (X, "product", Y), {}, 4.0),
    (lambda: ms.grad(Named(), (0, 1)), (X,), {"a": Tensor(2.0), "b": Tensor(5.0)}, (10.0, 10.0)),
    (lambda: ms.value_and_grad(Named()), (X,), {"a": 2.0, "b": Tensor(5.0)}, (20.0, 10.0)),
    (lambda: ms.value_and_grad(WithTuple(), (0, 2)), (X, T, Y), {}, (24.0, (12.0, 6.0))),
    (lambda: ms.grad(ops.mul, sens_param=True), (X, Y, Tensor(10.0)), {}, 40.0),
    (lambda: ms.value_and_grad(ops.mul, (0, 1), sens_param=True), (X, Y, Tensor(10.0)), {}, (8.0, (40.0, 20.0))),
]


@pytest.mark.parametrize(("make", "given", "named", "wanted"), CASES, ids=map(str, range(len(CASES))))
def test_gradients_by_tensors(make: Callable[[], Any], given: Any, named: dict[str, Any], wanted: Any) -> None:
    assert numbers(make()(*given, **named)) == wanted


def test_the_gradient_of_the_result_by_name() -> None:
    gradient = GradOperation(get_all=True, sens_param=True)(Named())
    assert numbers(gradient(X, a=X, b=Tensor(5.0), sens=Tensor(3.0))) == (30.0, 30.0, 12.0)


def test_within_a_compiled_function() -> None:
    net = Named()
    compiled = ms.jit(lambda x, a: GradOperation(get_all=True)(net)(x, b=a, a=2.0))
    assert numbers(compiled(X, Tensor(5.0))) == (10.0, 4.0)


def test_a_negative_position() -> None:
    with pytest.raises(ValueError, match="counts from 0"):
        ms.grad(WithTuple(), -1)


class Own(nn.Cell):
    def __init__(self, count: int) -> None:
        super().__init__()
        self.count = count

    def construct(self, x: Any, y: Any) -> Any:
        return x * y

    def bprop(self, x: Any, y: Any, out: Any, dout: Any) -> Any:
        return (x * 10, y * 20, x * 30)[: self.count]


def test_what_a_backward_function_returns_too_much_is_left_out() -> None:
    assert numbers(every(Own(3))(X, Y)) == (20.0, 80.0)
    assert numbers(every(Own(3))(X, 3)) == (20.0,)
    assert float(GradOperation()(Own(3))(X, Y)) == 20.0
    with pytest.raises(TypeError, match="bprop returns 1 gradients for 2 inputs"):
        every(Own(1))(X, Y)


def test_gradients_stand_where_mindspore_has_them() -> None:
    from framework.ops.function.grad import vjp as of_the_path

    from framework.ops.functional import grad

    assert ops.functional.grad is grad is ms.grad
    assert ops.vjp is ops.functional.vjp is of_the_path is ms.vjp
    assert ops.jvp is ops.functional.jvp is ms.jvp
    assert nn.grad.Jvp is nn.Jvp
    assert grad(nn.ReLU())(Tensor([1.0, -1.0])).tolist() == [1.0, 0.0]


class TwoResults(nn.Cell):
    def construct(self, x: Any, y: Any) -> Any:
        return x**3 + y, x * y


def test_products_with_jacobians_as_cells() -> None:
    x, y, v = Tensor([1.0, 2.0]), Tensor([3.0, 4.0]), Tensor([1.0, 1.0])
    (first, second), (along, other) = nn.Jvp(TwoResults())(x, y, (v, v))
    assert (first.tolist(), second.tolist()) == ([4.0, 12.0], [3.0, 8.0])
    assert (along.tolist(), other.tolist()) == ([4.0, 13.0], [4.0, 6.0])
    _, (by_x, by_y) = nn.Vjp(TwoResults())(x, y, (v, v))
    assert (by_x.tolist(), by_y.tolist()) == ([6.0, 16.0], [2.0, 3.0])
    assert nn.Vjp(nn.ReLU())(x, v)[1].tolist() == [1.0, 1.0]
    assert nn.Jvp(nn.ReLU())(x, v)[1].tolist() == [1.0, 1.0]
