"""Exact GELU and its gradient by the compiled loops, against the error function of the C library in Float64."""

import math

import numpy as np
import pytest

import framework as ms
from framework import Tensor, ops
from framework.kernels import loops
from framework.kernels.loops.library import LOOPS

X = np.linspace(-13, 13, 20009, dtype=np.float32).reshape(11, -1)[:, ::-1].T
SHARES = np.vectorize(lambda x: 0.5 * math.erfc(-float(x) * math.sqrt(0.5)))(X)
SLOPES = SHARES + X * np.exp(-0.5 * X.astype(np.float64) ** 2) / math.sqrt(2 * math.pi)


@pytest.mark.skipif(LOOPS is None, reason="nothing was compiled here")
def test_the_loops() -> None:
    np.testing.assert_allclose(loops.gelu(X), X * SHARES, rtol=5e-6)
    np.testing.assert_allclose(loops.gelu_grad(X, 2 * X), 2 * X * SLOPES, rtol=1e-6, atol=2e-6)
    assert np.isnan(loops.gelu(np.array([np.nan], np.float32))).all()
    assert loops.gelu(np.array([np.inf, 200.0, -200.0], np.float32)).tolist() == [np.inf, 200.0, -0.0]


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
@pytest.mark.parametrize("implementation", ["numpy", "fast"])
def test_the_function(implementation: str, mode: int) -> None:
    ms.set_context(mode=mode)
    ms.kernels.use(implementation, "gelu", "gelu_grad")
    try:
        value, gradient = ms.value_and_grad(lambda x: (ops.gelu(x) * 3).sum())(Tensor(X))
        np.testing.assert_allclose(ops.gelu(Tensor(X)).asnumpy(), X * SHARES, rtol=1e-6, atol=1e-6)
    finally:
        ms.kernels.use("fast", "gelu", "gelu_grad")
    assert float(value) == pytest.approx(float((X * SHARES).sum()) * 3, rel=1e-4)
    np.testing.assert_allclose(gradient.asnumpy(), 3 * SLOPES, rtol=1e-6, atol=3e-6)
