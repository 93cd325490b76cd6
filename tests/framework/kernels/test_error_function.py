"""The generated kernel of the error function against Python's own, in Float64."""

from __future__ import annotations

import math

import numpy as np
import pytest

from framework.kernels import special
from framework.kernels.error_function import erf

SPECIAL = [0.0, -0.0, math.inf, -math.inf, math.nan, 1e-40, -1e-300, 30.0, 0.46875, 4.0, -4.0]


def exact(x: np.ndarray) -> np.ndarray:
    return np.array([math.erf(value) for value in x.ravel().tolist()]).reshape(x.shape)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(5000,), (64, 65), (7,), ()])
def test_the_error_function_is_exact_to_the_last_digits(dtype: type, shape: tuple[int, ...]) -> None:
    x = (np.random.default_rng(0).standard_normal(shape) * 2).astype(dtype)
    made = erf(np, x)
    assert made.dtype == dtype
    assert made.shape == shape
    np.testing.assert_allclose(made, exact(x), rtol=8 * np.finfo(dtype).eps, atol=0)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_numbers_at_the_ends_are_those_of_plain_numpy(dtype: type) -> None:
    x = np.resize(np.array(SPECIAL, np.float64), 5000).astype(dtype)
    np.testing.assert_allclose(erf(np, x), special.erf(np, x), rtol=8 * np.finfo(dtype).eps, equal_nan=True)


def test_views_and_other_types_are_computed_too() -> None:
    x = np.random.default_rng(1).standard_normal((200, 100)).astype(np.float32)
    np.testing.assert_allclose(erf(np, x.T), exact(x.T), rtol=2e-6)
    np.testing.assert_allclose(erf(np, x[:, ::2]), exact(x[:, ::2]), rtol=2e-6)


def test_float16_is_as_near_as_its_digits_are() -> None:
    half = np.linspace(-5, 5, 6000).astype(np.float16)
    for made, wanted in ((erf(np, half), exact(half)), (special.erfc(np, half), 1 - exact(half))):
        assert made.dtype == np.float16
        np.testing.assert_allclose(made.astype(np.float64), wanted, rtol=1e-3, atol=1e-6)
