"""Numpy's own loops, by their addresses, give what numpy gives."""

import ctypes

import numpy as np
import pytest

from framework.kernels.loops.library import LOOPS, address
from framework.kernels.ufuncs import loop_of

RNG = np.random.default_rng(5)


@pytest.mark.skipif(LOOPS is None, reason="nothing was compiled here")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", ["tanh", "exp", "log", "expm1", "log1p", "sqrt"])
@pytest.mark.parametrize("size", [1, 7, 1000])
def test_a_loop_computes_numpy_s_bits(name: str, size: int, dtype: type) -> None:
    assert LOOPS is not None
    x = RNG.random(size).astype(dtype) * 4
    made = np.empty_like(x)
    loop = loop_of(name, x.dtype)
    assert loop is not None
    LOOPS.run_ufunc(*map(ctypes.c_void_p, loop), address(x), address(made), size, x.itemsize)
    np.testing.assert_array_equal(made, getattr(np, name)(x))


@pytest.mark.parametrize(
    ("name", "dtype"), [("add", np.float32), ("erf", np.float32), ("tanh", np.int32), ("isnan", np.float32)]
)
def test_what_is_no_function_of_one_array_of_its_type_has_no_loop(name: str, dtype: type) -> None:
    assert loop_of(name, np.dtype(dtype)) is None
