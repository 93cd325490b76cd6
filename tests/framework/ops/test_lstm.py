"""`ops.LSTM` and the Cell of MindSpore 1.x that is built of it; the numbers are those of MindSpore 2.10 on a CPU."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import framework as ms
from framework import Tensor, nn, ops

X = np.linspace(-1, 1, 6).reshape(3, 1, 2).astype(np.float32)
H = np.array([[[0.1, 0.2]], [[0.3, 0.4]]], np.float32)
C = np.array([[[0.5, -0.5]], [[0.25, 0.0]]], np.float32)
W = np.sin(np.arange(80)).astype(np.float32)
Y = [[-0.20305, 0.05493, 0.35288, 0.11294], [-0.46511, 0.00185, 0.19218, 0.162], [-0.26537, -0.45838, 0.06067, 0.05079]]
C_N = [[-0.39663, -0.59845], [0.66746, 0.17234]]
BY_X = [[1.34636, 0.36238], [-0.34663, -1.13281], [2.43712, 0.24585]]
BY_H = [[-0.37588, -0.62095], [-0.12556, 0.22556]]
BY_C = [[1.21235, 0.11288], [0.46491, 0.15773]]
BY_W = {0: 0.32872, 17: -0.44777, 33: -0.09187, 63: 0.04493, 79: 0.27807}

layer = ops.LSTM(2, 2, 1, True, True, 0.0)


def outputs(x: Any, h: Any, c: Any, w: Any) -> Any:
    return layer(x, h, c, w)


def total(x: Any, h: Any, c: Any, w: Any) -> Any:
    y, h_n, c_n, _, _ = layer(x, h, c, w)
    return y.sum() + 2.0 * h_n.sum() + 3.0 * c_n.sum()


@pytest.fixture(params=[ms.PYNATIVE_MODE, ms.GRAPH_MODE], ids=["pynative", "graph"])
def _mode(request: pytest.FixtureRequest) -> Any:
    ms.set_context(mode=request.param)
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


@pytest.mark.usefixtures("_mode")
def test_a_layer_in_both_directions_gives_what_mindspore_gives() -> None:
    given = [Tensor(array) for array in (X, H, C, W)]
    run = ms.jit(outputs) if ms.get_context("mode") == ms.GRAPH_MODE else outputs
    y, h_n, c_n, *_ = run(*given)
    np.testing.assert_allclose(y.asnumpy()[:, 0], Y, atol=2e-5)
    np.testing.assert_allclose(h_n.asnumpy()[:, 0], [Y[2][:2], Y[0][2:]], atol=2e-5)
    np.testing.assert_allclose(c_n.asnumpy()[:, 0], C_N, atol=2e-5)
    by_x, by_h, by_c, by_w = ms.grad(total, (0, 1, 2, 3))(*given)
    np.testing.assert_allclose(by_x.asnumpy()[:, 0], BY_X, atol=2e-5)
    np.testing.assert_allclose(by_h.asnumpy()[:, 0], BY_H, atol=2e-5)
    np.testing.assert_allclose(by_c.asnumpy()[:, 0], BY_C, atol=2e-5)
    found = by_w.asnumpy()
    np.testing.assert_allclose([found[place] for place in BY_W], list(BY_W.values()), atol=2e-5)
    np.testing.assert_allclose(np.abs(found).sum(), 43.77342, rtol=1e-5)


@pytest.mark.usefixtures("_mode")
def test_the_cell_of_mindspore_1_runs_over_a_sequence_and_that_of_2_takes_a_step() -> None:
    cell = nn.LSTMCell(2, 2, has_bias=True, batch_first=True, bidirectional=True, dropout=0.0)
    y, *_ = cell(Tensor(X.transpose(1, 0, 2)), Tensor(H), Tensor(C), Tensor(W))
    np.testing.assert_allclose(y.asnumpy()[0], Y, atol=2e-5)
    assert not cell.trainable_params()
    h, c = nn.LSTMCell(2, 2)(Tensor(X[0]), (Tensor(H[0]), Tensor(C[0])))
    assert h.shape == c.shape == (1, 2)


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(NotImplementedError, match="has one layer"):
        ops.LSTM(2, 2, 2, True, False, 0.0)
    with pytest.raises(ValueError, match="must hold 80 weights"):
        layer(Tensor(X), Tensor(H), Tensor(C), Tensor(W[:40]))
    with pytest.raises(ValueError, match=r"must have the shape \(2, 1, 2\)"):
        layer(Tensor(X), Tensor(H[:1]), Tensor(C), Tensor(W))
