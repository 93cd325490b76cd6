"""Steps of optimizers by generated kernels: to the bit those of numpy, in place where they may be."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from framework import kernels
from framework.ops import operations as P  # noqa: N812

SHAPE = (77, 131)


@pytest.fixture(autouse=True)
def _kernels() -> Iterator[None]:
    yield
    kernels.use("fast")


def case(name: str, dtype: Any, numbers: Any) -> tuple[Any, list[Any], int]:
    """An operator, its inputs, and how many of them it changes."""
    rng = np.random.default_rng(3)
    one, two, three, gradient = (rng.standard_normal(SHAPE).astype(dtype) for _ in range(4))
    if name == "ApplyMomentum":
        return P.ApplyMomentum(), [one, two, numbers(0.01), gradient, numbers(0.9)], 2
    powers = [numbers(0.81), numbers(0.998)]
    rates = [numbers(0.001), numbers(0.9), numbers(0.999), numbers(1e-8)]
    return P.Adam(), [one, two, np.abs(three), *powers, *rates, gradient], 3


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", ["ApplyMomentum", "Adam"])
@pytest.mark.parametrize("kind", ["tensors", "numbers"])
def test_steps_are_those_of_numpy(name: str, dtype: Any, kind: str) -> None:
    operator, inputs, count = case(name, dtype, (lambda x: np.asarray(x, dtype)) if kind == "tensors" else float)
    fast = operator.compute(np, *inputs)
    before = [item.copy() for item in inputs[:count]]
    # In place, and with memory of their own for some.
    own = [inputs[0].copy(), *(item.copy() for item in inputs[1:count])]
    out = (own[0], None, *own[2:])
    taken = operator.compute(np, *own, *inputs[count:], out=out)
    kernels.use("numpy")
    plain = operator.compute(np, *inputs)
    for one, other, wanted, old, item in zip(fast, taken, plain, before, inputs, strict=False):
        assert one.dtype == wanted.dtype == dtype
        np.testing.assert_array_equal(one, wanted)
        np.testing.assert_array_equal(other, wanted)
        np.testing.assert_array_equal(item, old)
    assert taken[0] is own[0]


def test_what_is_not_alike_is_left_to_numpy() -> None:
    operator, inputs, _ = case("ApplyMomentum", np.float32, float)
    wanted = operator.compute(np, *inputs)
    cut = np.zeros((SHAPE[0], 2 * SHAPE[1]), np.float32)[:, ::2]
    cut[:] = inputs[1]
    for one, other in zip(operator.compute(np, inputs[0], cut, *inputs[2:]), wanted, strict=True):
        np.testing.assert_array_equal(one, other)
    made, _ = operator.compute(np, *inputs[:3], inputs[3].astype(np.float64), inputs[4])
    np.testing.assert_allclose(made, wanted[0], rtol=1e-5, atol=1e-6)
