"""Builtins, operators and statements give in both modes what Python and numpy give for the same numbers."""

# What a user may write is not what this project would.
# ruff: noqa
# mypy: ignore-errors
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import framework as ms
from framework import Tensor
from tests.framework.language.test_programs import copied, same

X = np.array([1.0, 2.0, 3.0], np.float32)
M = np.array([[1, 2], [3, 4]], np.int64)
N = np.array([1, 2, 3], np.int64)
S = np.array(2.0, np.float32)
CASES: list[tuple[Callable[..., Any], tuple[Any, ...], Any]] = []


def gives(wanted: Any, *arguments: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Put a function on the list: with numpy's arrays as tensors, it gives `wanted`."""

    def keep(function: Callable[..., Any]) -> Callable[..., Any]:
        CASES.append((function, tuple(Tensor(a) if isinstance(a, np.ndarray) else a for a in arguments), wanted))
        return function

    return keep


def plain(value: Any) -> Any:
    """A result with arrays in place of tensors."""
    if isinstance(value, tuple | list):
        return type(value)(map(plain, value))
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return value.asnumpy() if isinstance(value, Tensor) else value


def agrees(found: Any, wanted: Any) -> None:
    """Check a result against Python's: numbers, types of containers, and shapes."""
    if isinstance(wanted, tuple | list):
        assert type(found) is type(wanted)
        assert len(found) == len(wanted)
        for one, two in zip(found, wanted, strict=True):
            agrees(one, two)
    elif isinstance(wanted, dict):
        assert list(found) == list(wanted)
        agrees(list(found.values()), list(wanted.values()))
    elif isinstance(wanted, np.ndarray | np.generic):
        assert found.shape == wanted.shape
        np.testing.assert_allclose(found, wanted, rtol=1e-6)
    else:
        assert type(found) is type(wanted)
        assert found == wanted


def big(x):
    return x > 2


class Even:
    def __call__(self, number):
        return number % 2 == 0


EVEN = Even()


@gives(((3, 4), [1, [2]], [0, 2, 4], [2], ["1", "2"], [1]))
def filters():
    known = tuple(filter(big, (1, 2, 3, 4)))
    truth = list(filter(lambda v: [v] if v else [], [0, 1]))
    return (
        known,
        list(filter(None, [0, 1, [], [2]])),
        list(filter(EVEN, range(5))),
        list(filter(bool, [0, 2])),
        list(filter(str.isdigit, "a1b2")),
        truth,
    )


@gives([X, X.sum()], X)
def filters_tensors(x):
    return list(filter(lambda v: v.ndim < 2, [x, x.sum(), x.reshape(1, 3)]))


@gives((np.int64(16), np.array([14, 16]), np.float32(7.5), np.array([7.0, 8, 9])), N, M, X)
def sums_from_a_start(n, m, x):
    return sum(n, 10), sum(m, start=10), sum(x, 1.5), sum(x, x)


@pytest.mark.parametrize("dtype", [np.bool_, np.int8, np.uint8, np.int32, np.int64, np.float16, np.float32])
@pytest.mark.parametrize("start", [(), (10,), (1.5,)])
def test_a_sum_has_the_type_of_its_rows(dtype, start):
    rows = np.array([[1, 1], [0, 1]], dtype)
    tensors = ms.jit(lambda x: sum(x, *start))(Tensor(rows)), sum(Tensor(rows), *start)
    assert tensors[0].dtype == tensors[1].dtype
    for found in tensors:
        np.testing.assert_array_equal(found.asnumpy(), np.array([1, 2]) + sum(start))


@gives((np.array([2.0, 4, 6]), [1, 2], 3, (1, 2)), X)
def mutable_values(x):
    y = ms.mutable((x, x))[0] * 2
    return y, ms.mutable([1, 2], dynamic_len=True), ms.mutable(input_data=3), ms.mutable((1, 2), True)


@gives(({"a": X * 2 + 1, "c": [2, 3]}, [1, 4], X * 18 + 9), X)
def deletes(x):
    y = x * 2
    z = y + 1
    del y, x
    entries = {"a": z, "b": 2, "c": [1, 2, 3]}
    del entries["b"], entries["c"][0]
    items = [1, 2, 3, 4]
    del items[1:3]
    w = z
    for i in range(1, 4):
        y = w * (i - 1)
        w = w + y
        del y
    total = w * 1.5
    return entries, items, total


def deleted(x):
    del x
    return x


def deleted_on_a_way(x):
    y = 1
    if x.sum() > 0:
        del y
    return x * y


@pytest.mark.parametrize("function", [deleted, deleted_on_a_way])
def test_a_deleted_variable_has_no_value(function):
    with pytest.raises(UnboundLocalError):
        function(Tensor(X))
    with pytest.raises(ms.ir.errors.InferenceError, match=r"'[xy]' may be undefined here: line \d+ deletes it"):
        ms.jit(function)(Tensor(X))


@pytest.mark.parametrize(("function", "arguments", "wanted"), CASES, ids=[case[0].__name__ for case in CASES])
def test_both_modes_give_what_python_gives(function, arguments, wanted):
    compiled = ms.jit(function)
    for _ in range(2):
        line_by_line = function(*copied(arguments))
        agrees(plain(line_by_line), wanted)
        found = compiled(*copied(arguments))
        same(found, line_by_line)
    assert compiled.compilations == 1
