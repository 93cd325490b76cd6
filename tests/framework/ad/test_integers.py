"""Gradients by integers and truths are those of MindSpore 2.10.0 on a CPU (`get_all=True`), in both modes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import framework as ms
from framework import Tensor, ops


@pytest.fixture(params=[ms.PYNATIVE_MODE, ms.GRAPH_MODE], ids=["pynative", "graph"])
def _mode(request: pytest.FixtureRequest) -> Iterator[None]:
    ms.set_context(mode=request.param)
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


def of(dtype: str, *values: Any) -> Tensor:
    return Tensor(np.array(values, dtype))


def twice(x: Any) -> Any:
    return x * 2


def cast_and_scaled(x: Any) -> Any:
    return ops.cast(x, ms.float32) * 2


def a_fraction_is_cut(x: Any) -> Any:
    return ops.cast(x, ms.float32) * 1.5


def turned(x: Any) -> Any:
    return ops.transpose(x, (1, 0))


def square(x: Any) -> Any:
    return x * x * 1.5


def product(x: Any, y: Any) -> Any:
    return x * y


def through_integers(x: Any) -> Any:
    return ops.cast(x * 3, ms.int32) * 2


def half(x: Any) -> Any:
    return x / 2


def half_of_a_square(x: Any) -> Any:
    return x * x / 2


def inverse(x: Any) -> Any:
    return 2 / x


def quotient(x: Any, y: Any) -> Any:
    return x * 3 / y


def largest(x: Any) -> Any:
    return x.max()


def compared(x: Any) -> Any:
    return ops.cast(x > 1, ms.float32) * x


def picked(x: Any, y: Any) -> Any:
    return ops.gather(x, y, 0)


def joined(x: Any, y: Any) -> Any:
    return ops.concat((x, y)) * 3


def products(x: Any) -> Any:
    return ops.matmul(x, x)


def doubled_up_to_20(x: Any) -> Any:
    while x.sum() < 20:
        x = x * 2
    return x


def ranked(x: Any) -> Any:
    values, places = ops.topk(x, 2)
    return values * ops.cast(places, ms.float32)


CASES: list[tuple[Callable[..., Any], tuple[Tensor, ...], list[tuple[str, Any]]]] = [
    (twice, (of("i4", 1, 2),), [("Int32", [2, 2])]),
    (twice, (of("u1", 1, 2),), [("UInt8", [2, 2])]),
    (cast_and_scaled, (of("i4", 1, 2),), [("Int32", [2, 2])]),
    (cast_and_scaled, (of("?", True, False),), [("Bool", [True, True])]),
    (a_fraction_is_cut, (of("i4", 1, 2),), [("Int32", [1, 1])]),
    (turned, (of("i4", [1, 2]),), [("Int32", [[1, 1]])]),
    (square, (of("i4", 1, 2),), [("Int32", [2, 4])]),
    (product, (of("i4", 1, 2), of("f4", 3.5, 4.5)), [("Int32", [3, 4]), ("Float32", [1.0, 2.0])]),
    (through_integers, (of("f4", 1.5, 2.5),), [("Float32", [6.0, 6.0])]),
    (half, (of("i4", 1, 2),), [("Float32", [0.5, 0.5])]),
    (half_of_a_square, (of("i4", 3, 5),), [("Int32", [2, 4])]),
    (inverse, (of("i4", 1, 2),), [("Float32", [-2.0, -0.5])]),
    (quotient, (of("i4", 3, 5), of("i4", 2, 2)), [("Int32", [0, 0]), ("Int32", [-2, -3])]),
    (largest, (of("i4", 3, 5, 5),), [("Int32", [0, 0, 0])]),
    (compared, (of("f4", 1.5, 0.5),), [("Float32", [1.0, 0.0])]),
    (picked, (of("f4", 1, 2, 3), of("i4", 0, 2)), [("Float32", [1.0, 0.0, 1.0]), ("Int32", [0, 0])]),
    (joined, (of("i4", 1, 2), of("i4", 5, 6)), [("Int32", [3, 3]), ("Int32", [3, 3])]),
    (products, (of("i4", [1, 2], [3, 4]),), [("Int32", [[7, 11], [9, 13]])]),
    (doubled_up_to_20, (of("i4", 3, 5),), [("Int32", [4, 4])]),
    (ranked, (of("f4", 2.5, 0.5, 3.0),), [("Float32", [0.0, 0.0, 2.0])]),
]


@pytest.mark.usefixtures("_mode")
@pytest.mark.parametrize(
    ("fn", "inputs", "wanted"), CASES, ids=[f"{case[0].__name__}-{i}" for i, case in enumerate(CASES)]
)
def test_gradients_of(fn: Callable[..., Any], inputs: tuple[Tensor, ...], wanted: list[tuple[str, Any]]) -> None:
    for _ in range(1 if ms.get_context("mode") == ms.GRAPH_MODE else 3):  # The later ones go back on arrays.
        found = ms.GradOperation(get_all=True)(fn)(*inputs)
        assert [(str(item.dtype), item.tolist()) for item in found] == wanted
