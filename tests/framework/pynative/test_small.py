"""Operators on small tensors by machine code agree with the generated functions, on whatever they are called with."""

from __future__ import annotations

import gc
import operator
import sys
import weakref
from types import MethodDescriptorType
from typing import Any

import numpy as np
import pytest

import framework as ms
from framework import Parameter, Tensor
from framework.pynative.fast.operators import _FUNCTIONS, OWN

SYMBOLS = {
    "__add__": operator.add, "__sub__": operator.sub, "__mul__": operator.mul, "__truediv__": operator.truediv,
}  # fmt: skip
RNG = np.random.default_rng(8)

pytestmark = pytest.mark.skipif(
    not isinstance(OWN["__add__"], MethodDescriptorType), reason="there is no extension module here"
)


def floats(*shape: int) -> Tensor:
    return Tensor(RNG.standard_normal(shape, np.float32))


def turned() -> Tensor:
    made = floats(3, 4)
    made._data = made._data.T
    return made


PAIRS: dict[str, tuple[Any, Any]] = {
    "a vector": (floats(8), floats(8)),
    "no dimensions": (Tensor(2.5, ms.float32), Tensor(-0.5, ms.float32)),
    "a matrix": (floats(3, 4), floats(3, 4)),
    "large": (floats(40, 50), floats(40, 50)),
    "broadcast": (floats(3, 4), floats(4)),
    "of another layout": (turned(), floats(4, 3)),
    "empty": (floats(0, 3), floats(0, 3)),
    "Float64": (Tensor(np.ones(3)), Tensor(np.arange(3.0) + 1)),
    "Int32": (Tensor([1, 2], ms.int32), Tensor([3, 4], ms.int32)),
    "two types": (floats(2), Tensor([3, 4], ms.int32)),
    "a number": (floats(5), 2),
    "an array": (floats(5), np.ones(5, np.float32)),
    "a parameter": (Parameter(floats(5), name="w"), floats(5)),
}


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("name", SYMBOLS)
def test_results_are_those_of_the_generated_function(name: str, pair: str) -> None:
    x, y = PAIRS[pair]
    made, wanted = SYMBOLS[name](x, y), _FUNCTIONS[name](x, y)
    assert type(made) is Tensor
    assert made.dtype is wanted.dtype
    assert made.shape == wanted.shape
    np.testing.assert_array_equal(made.asnumpy(), wanted.asnumpy())


def test_gradients_are_recorded() -> None:
    x, y = floats(8), floats(8)
    made = ms.grad(lambda x, y: ((x * y + x) / y - y).sum(), grad_position=(0, 1))(x, y)
    a, b = x.asnumpy(), y.asnumpy()
    np.testing.assert_allclose(made[0].asnumpy(), 1 + 1 / b, rtol=1e-5)
    np.testing.assert_allclose(made[1].asnumpy(), -a / (b * b) - 1, rtol=1e-4)


def test_a_second_gradient() -> None:
    x = floats(4)
    made = ms.grad(ms.grad(lambda x: (x * x * x).sum()))(x)
    np.testing.assert_allclose(made.asnumpy(), 6 * x.asnumpy(), rtol=1e-5)


def test_numpy_is_asked_about_what_is_not_finite() -> None:
    large, zero = Tensor([3e38], ms.float32), Tensor([0.0], ms.float32)
    with pytest.warns(RuntimeWarning, match="overflow"):
        assert (large + large).asnumpy()[0] == np.inf
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        assert (large / zero).asnumpy()[0] == np.inf


@pytest.mark.parametrize("other", ["text", None, object()])
def test_what_is_no_operand_is_refused_as_before(other: Any) -> None:
    messages = []
    for call in (operator.add, _FUNCTIONS["__add__"]):
        with pytest.raises((KeyError, TypeError, ValueError)) as raised:
            call(floats(3), other)
        messages.append(str(raised.value))
    assert messages[0] == messages[1]


def test_shapes_that_do_not_meet_are_refused() -> None:
    with pytest.raises(ValueError, match=r"Add\(Float32\[3\], Float32\[4\]\)"):
        floats(3) + floats(4)


def test_nothing_is_kept() -> None:
    x, y = floats(8), floats(8)
    made = x + y
    seen, array = weakref.ref(made), made._data
    del made
    assert seen() is None
    assert sys.getrefcount(array) == 2
    gc.collect()  # what other tests have left, and what holds the element type too
    before = sys.getrefcount(x._data), sys.getrefcount(x._data.dtype)
    for _ in range(1000):
        x + y
    ms.grad(lambda x, y: (x + y).sum())(x, y)
    gc.collect()
    after = sys.getrefcount(x._data), sys.getrefcount(x._data.dtype)
    assert all(abs(one - other) < 100 for one, other in zip(before, after, strict=True))


def test_compiled_programs_read_the_function() -> None:
    x, y = floats(3), floats(3)
    np.testing.assert_array_equal(ms.jit(lambda x, y: x.__add__(y) / y)(x, y).asnumpy(), ((x + y) / y).asnumpy())
