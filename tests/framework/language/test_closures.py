"""Nested functions see the values that Python's would see, or the program is refused; gradients go through them."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

import framework as ms
from framework import Tensor
from framework.ir.errors import GraphError
from tests.framework.language import closures

POINTS = (np.array([0.5, -1.25]), np.array([0.75, 0.5]))


@pytest.mark.parametrize("program", closures.EVERY, ids=lambda item: item.__name__)
@pytest.mark.parametrize("point", POINTS, ids=("below", "above"))
def test_values_and_slopes_are_those_of_python(program: Any, point: np.ndarray) -> None:
    total = lambda x: program(x).sum()  # noqa: E731
    x = Tensor(point)
    np.testing.assert_allclose(ms.jit(program)(x).asnumpy(), program(x).asnumpy(), rtol=1e-12)
    taped = ms.grad(total)(x).asnumpy()
    np.testing.assert_allclose(ms.jit(ms.grad(total))(x).asnumpy(), taped, rtol=1e-9)
    step = 1e-6
    slopes = [(total(Tensor(point + way)) - total(Tensor(point - way))).asnumpy() for way in np.eye(2) * step]
    np.testing.assert_allclose(taped, np.array(slopes) / (2 * step), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(("program", "name"), closures.REFUSED, ids=lambda item: getattr(item, "__name__", None))
def test_a_function_that_would_have_to_see_a_later_value_is_refused(program: Any, name: str) -> None:
    with pytest.raises(GraphError, match=f"sets '{name}' after this function was made") as caught:
        ms.jit(program)(Tensor([0.5, -1.25]))
    assert f"{name}={name}" in str(caught.value)
    assert "^" in str(caught.value)
    assert inspect.getsourcefile(program) in str(caught.value)
