"""Functions of generated kernels against wider arithmetic, over the whole range of both float types."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from framework.kernels.fused import Cluster, Input, Output, Step, kernel_of
from framework.kernels.fused.transcendentals import ERRORS

ENDS = (
    0.0,
    -0.0,
    math.inf,
    -math.inf,
    math.nan,
    88.7,
    88.8,
    -87.4,
    -103.9,
    -104.1,
    709.7,
    709.8,
    -708.5,
    -745.1,
    -746.0,
)
EXACT: dict[str, Callable[[Any], Any]] = {
    "Exp": np.exp,
    "Log": np.log,
    "Tanh": np.tanh,
    "Sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "Expm1": np.expm1,
    "Log1p": np.log1p,
    "Erf": lambda x: np.array([math.erf(item) for item in x], np.longdouble),
}


def numbers(dtype: str) -> np.ndarray[Any, Any]:
    """Numbers of all sizes: random bits, denormal numbers, usual numbers, and limits."""
    rng = np.random.default_rng(7)
    bits = np.uint32 if dtype == "float32" else np.uint64
    kind = np.dtype(dtype).type
    tiny = float(np.finfo(dtype).smallest_subnormal)
    return np.concatenate(
        [
            rng.integers(0, np.iinfo(bits).max, 20000, dtype=bits).view(dtype),
            rng.standard_normal(8000).astype(dtype),
            rng.uniform(-110, 110, 8000).astype(dtype),
            rng.uniform(0.3, 3.0, 8000).astype(dtype),
            (tiny * rng.integers(-1000, 1000, 500)).astype(dtype),
            np.array(ENDS, kind),
        ]
    )


def computed(name: str, x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    dtype = x.dtype.name
    made = np.empty_like(x)
    cluster = Cluster(x.shape, (Input(dtype, x.shape, x.shape),), (Step(name, dtype, (0,), dtype),), (Output(1),))
    assert kernel_of(cluster)(x, made) is made
    return made


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", list(EXACT))
def test_errors_stay_within_the_bounds_that_are_stated(name: str, dtype: str) -> None:
    x = numbers(dtype)
    with np.errstate(all="ignore"):
        wide = EXACT[name](x.astype(np.longdouble))
        wanted = wide.astype(dtype)
        made = computed(name, x)
        np.testing.assert_array_equal(np.isnan(made), np.isnan(wanted))
        np.testing.assert_array_equal(np.isinf(made), np.isinf(wanted))
        finite = np.isfinite(wanted)
        errors = np.abs(made[finite].astype(np.longdouble) - wide[finite]) / np.spacing(np.abs(wanted[finite]))
    worst = int(np.argmax(errors))
    assert errors[worst] <= ERRORS[name], (x[finite][worst], made[finite][worst], wanted[finite][worst])
    # The sign of zeros and infinities, too, and the limits.
    ends = np.isinf(wanted) | (wanted == 0)
    np.testing.assert_array_equal(made[np.isinf(x)], wanted[np.isinf(x)])
    np.testing.assert_array_equal(np.signbit(made[ends]), np.signbit(wanted[ends]))


def test_a_single_element_and_many_are_computed_alike() -> None:
    x = np.linspace(-9, 9, 101, dtype=np.float32)
    for name in EXACT:
        whole = computed(name, np.abs(x) if name == "Log" else x)
        one_by_one = [
            computed(name, np.abs(x[at : at + 1]) if name == "Log" else x[at : at + 1])[0] for at in (0, 50, 96, 100)
        ]
        np.testing.assert_array_equal(whole[[0, 50, 96, 100]], one_by_one)
