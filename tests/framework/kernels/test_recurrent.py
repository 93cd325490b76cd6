"""Recurrent layers by the compiled loops against numpy in Float64, with bounds; lengths, directions, threads."""

from typing import Any

import numpy as np
import pytest

from framework.common import threads
from framework.kernels import loops
from framework.kernels.loops.library import LOOPS
from framework.kernels.sequences import recurrent

pytestmark = pytest.mark.skipif(LOOPS is None, reason="nothing was compiled here")
RNG = np.random.default_rng(5)
#: Steps, rows and units: less than a vector, whole vectors, and some more.
SHAPES = [(5, 3, 7), (3, 16, 32), (4, 9, 37)]


@pytest.fixture(params=[1, 3], ids=["one thread", "three threads"], autouse=True)
def _threads(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "_LEAST_WORK", 0)
    monkeypatch.setattr(threads, "_wanted", request.param)


def floats(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape, np.float32) * np.float32(0.7)


def exact(*arrays: np.ndarray) -> list[np.ndarray]:
    return [array.astype(np.float64) for array in arrays]


def compare(made: Any, wanted: Any) -> None:
    for one, other in zip(made, wanted, strict=True):
        assert one.dtype == np.float32
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-5 * max(1.0, float(np.abs(other).max())))


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("limited", [False, True])
@pytest.mark.parametrize("shape", SHAPES)
def test_lstm(shape: tuple[int, int, int], limited: bool, backwards: bool) -> None:
    steps, rows, units = shape
    x, h, c = floats(steps, rows, 4 * units), floats(rows, units), floats(rows, units)
    w, bias = floats(4 * units, units), floats(4 * units)
    lengths = RNG.integers(0, steps + 1, rows).astype(np.int32) if limited else None
    made = loops.lstm(x, h, c, w, bias, lengths, backwards)
    wanted = recurrent.lstm(np, *exact(x, h, c, w, bias), lengths, backwards)
    compare(made[:4], wanted[:4])
    given = floats(steps, rows, units), floats(rows, units), floats(rows, units)
    grads = loops.lstm_grad(h, c, w, lengths, made[0], *made[3:], given, backwards)
    kept = (wanted[0], *wanted[3:])
    compare(grads, recurrent.lstm_grad(np, *exact(h, c, w), lengths, *kept, tuple(exact(*given)), backwards))


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("limited", [False, True])
@pytest.mark.parametrize("shape", SHAPES)
def test_gru(shape: tuple[int, int, int], limited: bool, backwards: bool) -> None:
    steps, rows, units = shape
    x, h, w = floats(steps, rows, 3 * units), floats(rows, units), floats(3 * units, units)
    bias, other = floats(3 * units), floats(3 * units)
    lengths = RNG.integers(0, steps + 1, rows).astype(np.int32) if limited else None
    made = loops.gru(x, h, w, bias, other, lengths, backwards)
    wanted = recurrent.gru(np, *exact(x, h, w, bias, other), lengths, backwards)
    compare(made[:2], wanted[:2])
    given = floats(steps, rows, units), floats(rows, units)
    grads = loops.gru_grad(h, w, lengths, made[0], made[2], given, backwards)
    kept = wanted[0], wanted[2]
    compare(grads, recurrent.gru_grad(np, *exact(h, w), lengths, *kept, tuple(exact(*given)), backwards))


def test_large_and_missing_numbers() -> None:
    """Gates are 0 or 1 far from 0, and NaN stays in its row."""
    x = np.zeros((1, 3, 4), np.float32)
    x[0] = [[1000, -1000, 1000, 1000], [-1000, 1000, -1000, -1000], [np.nan] * 4]
    zeros, one = np.zeros((3, 1), np.float32), np.ones((3, 1), np.float32)
    outputs, _, memory, *_ = loops.lstm(x, zeros, one, zeros[:1].repeat(4, 0), np.zeros(4, np.float32), None, False)
    np.testing.assert_allclose(memory[:2], [[1], [1]])
    np.testing.assert_allclose(outputs[0, :2], [[np.tanh(1)], [0]], rtol=1e-6, atol=1e-37)
    assert np.isnan(outputs[0, 2]).all()
