"""Small programs that others could have written mean in both modes what they mean in plain Python."""

from __future__ import annotations

import math
import os
from typing import Any

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import framework as ms
from framework import Tensor, ops

from .small_programs import function_of, meaning, programs

COUNT = 3000 if os.environ.get("MINDINSIGHT_TEST_COUNTS") == "long" else 60
X = np.array([[0.5, -1.5, 2.0], [3.25, 0.0, -0.75]])
N = np.array([[1, 2, 3], [0, -1, 2]], np.int32)


def check(source: str, number: int) -> None:
    try:
        wanted = meaning(source, X, N, number)
    except (ValueError, IndexError, KeyError, TypeError, OverflowError, ZeroDivisionError, MemoryError) as error:
        wanted = error
    if isinstance(wanted, Exception) or not bounded(wanted):
        return
    function = function_of(source, ops, ms.float64)
    given = Tensor(X), Tensor(N)
    assert_same(function(*given, number), wanted)
    assert_same(ms.jit(function)(*given, number), wanted)


def bounded(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return all(bounded(part) for part in value)
    if isinstance(value, dict):
        return all(bounded(part) for part in value.values())
    if isinstance(value, str):
        return len(value) < 300
    return bool(np.all(np.abs(np.asarray(value, np.float64)) < 1e6))


def assert_same(ours: Any, wanted: Any) -> None:
    """Asserts that a result has the kind and the value of another."""
    if isinstance(wanted, (list, tuple)):
        assert isinstance(ours, (list, tuple))
        for one, other in zip(ours, wanted, strict=True):
            assert_same(one, other)
    elif isinstance(wanted, dict):
        assert list(ours) == list(wanted)
        assert_same(list(ours.values()), list(wanted.values()))
    elif isinstance(wanted, (np.ndarray, np.generic)) and not isinstance(ours, (bool, int, float)):
        assert isinstance(ours, Tensor), type(ours)
        assert ours.shape == wanted.shape
        np.testing.assert_allclose(ours.asnumpy(), wanted, rtol=1e-6, atol=1e-7)
    elif isinstance(wanted, float):
        assert math.isclose(ours, wanted, rel_tol=1e-9, abs_tol=1e-12)
    else:
        assert isinstance(ours, type(wanted))
        assert ours == wanted


@settings(max_examples=COUNT, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
@given(programs(), st.integers(-3, 4))
def test_both_modes_mean_what_python_means(source: str, number: int) -> None:
    check(source, number)
