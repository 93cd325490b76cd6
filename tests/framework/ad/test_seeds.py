"""Gradients that are given with respect to results of any structure, and by arguments of any, in both modes."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import framework as ms
from framework import Tensor, nn, ops

X, Y = Tensor([[1.0, 2.0], [3.0, 4.0]]), Tensor([[0.5, -1.0], [2.0, 3.0]])
SENS = Tensor([[1.0, 0.0], [0.0, 2.0]])
Pair = namedtuple("Pair", "a b")


@pytest.fixture(autouse=True, params=["PYNATIVE_MODE", "GRAPH_MODE"])
def _mode(request: pytest.FixtureRequest) -> Iterator[None]:
    ms.set_context(mode=getattr(ms, request.param))
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


def plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, tuple | list) else value.asnumpy().tolist()


@pytest.mark.parametrize(
    ("function", "sens", "wanted"),
    [
        (lambda x: x * x, SENS, 2 * X * SENS),
        (lambda x: (x * x, (x, x * 3)), (SENS, (SENS, SENS)), (2 * X + 4) * SENS),
        (lambda x: {"square": x * x, "same": x}, {"square": SENS, "same": SENS}, (2 * X + 1) * SENS),
        (lambda x: (x * x, x.astype(ms.int32)), (SENS, SENS), (2 * X + 1) * SENS),
        (lambda x: x.sum(), 2.0, 2 * ops.ones_like(X)),
        (lambda x: x.sum(), Tensor(2.0), 2 * ops.ones_like(X)),
    ],
    ids=["tensor", "nested", "dictionary", "integers", "number", "scalar"],
)
def test_a_gradient_has_the_structure_of_the_result(function: Callable[[Any], Any], sens: Any, wanted: Tensor) -> None:
    found = ops.GradOperation(sens_param=True)(function)(X, sens)
    np.testing.assert_allclose(found.asnumpy(), wanted.asnumpy())


@pytest.mark.parametrize(
    ("function", "sens", "told"),
    [
        (lambda x: x * x, Tensor([1.0, 2.0]), r"sens of shape \(2,\) does not fit an output of shape \(2, 2\)"),
        (lambda x: x + 1.0, ops.ones((3, 2, 2), ms.float32), r"sens of shape \(3, 2, 2\) does not fit"),
        (lambda x: x * x, Tensor([[1.0], [2.0]]), r"sens of shape \(2, 1\) does not fit an output of shape \(2, 2\)"),
        (lambda x: x * x, 1.0, r"sens of shape \(\) does not fit an output of shape \(2, 2\)"),
        (lambda x: (x, x), (SENS,), "returned 2 tensors, sens holds 1: pass one for each"),
        (lambda x: (x, x), SENS, "returned 2 tensors, sens holds 1"),
        (lambda x: (x, x * 2), (SENS, Tensor([1.0, 2.0])), r"sens of shape \(2,\) does not fit"),
    ],
)
def test_what_does_not_fit_is_refused(function: Callable[[Any], Any], sens: Any, told: str) -> None:
    with pytest.raises((TypeError, ValueError), match=told):
        ops.GradOperation(sens_param=True)(function)(X, sens)
    with pytest.raises((TypeError, ValueError), match=told):
        ms.vjp(function, X)[1](*(sens if isinstance(sens, tuple) else (sens,)))


class Product(nn.Cell):
    def construct(self, x: Any, y: Any) -> Any:
        return x * y


def product(x: Any, y: Any = 2.0) -> Any:
    return x * y


@pytest.mark.parametrize(
    ("function", "given", "call", "count"),
    [
        (Product(), (X, Y), r"Product\(x, y\)", "2 arguments were"),
        (ms.jit(Product()), (X, Y), r"Product\(x, y\)", "2 arguments were"),
        (product, (X,), r"product\(x, y\)", "1 argument was"),
        (product, (X, Y, None), r"product\(x, y\)", "3 arguments were"),
        (product, (), r"product\(x, y\)", "no arguments were"),
        (lambda x: (x, x * 2), (X,), r"<lambda>\(x\)", "1 argument was"),
    ],
    ids=["Cell", "compiled Cell", "default", "None", "nothing", "two results"],
)
@pytest.mark.parametrize("get_all", [False, True])
def test_what_is_missing_is_told(function: Any, given: tuple[Any, ...], call: str, count: str, get_all: bool) -> None:
    told = rf"sens is missing, .* result of {call}: .* last argument.* shape and element type of .*; {count} given"
    with pytest.raises(TypeError, match=told):
        ops.GradOperation(get_all=get_all, sens_param=True)(function)(*given)


def test_a_compiled_function_tells_the_shape_and_the_line() -> None:
    told = r"(?s)of the result, <Tensor\[Float32\], \(2, 2\)>; 2 arguments.*test_seeds.py.*return gradient\(x, y\)"
    gradient = ops.GradOperation(sens_param=True)(Product())

    def inner(x: Any, y: Any) -> Any:
        return gradient(x, y)

    with pytest.raises(TypeError, match=told):
        ms.jit(inner)(X, Y)


def test_arguments_that_do_not_suit_the_function_are_told_as_ever() -> None:
    with pytest.raises(TypeError, match="takes 3 positional arguments but 4 were given"):
        ops.GradOperation(sens_param=True)(Product())(X, Y, X, Y)


@pytest.mark.parametrize("result", [None, "text", ()])
def test_a_function_without_tensors_has_no_gradient(result: Any) -> None:
    with pytest.raises(TypeError, match="only functions that return tensors have gradients"):
        ms.grad(lambda x: result)(X)


@pytest.mark.parametrize(
    ("function", "argument", "wanted"),
    [
        (lambda p: (p[0] * p[1]).sum(), (X, Y), (Y, X)),
        (lambda p: (p["a"] * p["b"]).sum(), {"a": X, "b": Y}, {"a": Y, "b": X}),
        (lambda p: (p["a"] * 2).sum(), {"a": X, "b": Y}, {"a": 2 * ops.ones_like(X), "b": ops.zeros_like(Y)}),
        (lambda p: (p["a"][0] * p["b"]["c"]).sum(), {"a": (X,), "b": {"c": Y}}, {"a": (Y,), "b": {"c": X}}),
        (lambda p: (p.a * p.b).sum(), Pair(X, Y), (Y, X)),
    ],
    ids=["tuple", "dictionary", "unused entry", "nested", "named tuple"],
)
def test_gradients_have_the_structure_of_the_argument(function: Any, argument: Any, wanted: Any) -> None:
    assert plain(ms.grad(function)(argument)) == plain(wanted)


def test_second_order_by_a_dictionary() -> None:
    def inner(p: Any) -> Any:
        return (p["a"] ** 3 * p["b"]).sum()

    found = ms.grad(lambda p: ms.grad(inner)(p)["a"].sum())({"a": X, "b": Y})
    np.testing.assert_allclose(found["a"].asnumpy(), (6 * X * Y).asnumpy(), rtol=1e-5)
    np.testing.assert_allclose(found["b"].asnumpy(), (3 * X * X).asnumpy(), rtol=1e-5)
