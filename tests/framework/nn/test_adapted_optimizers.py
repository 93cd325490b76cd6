"""AdaFactor, LARS and AdamOffload against their formulas in float64, and the transposed convolution of volumes."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import framework as ms
from framework import GRAPH_MODE, PYNATIVE_MODE, Parameter, Tensor, context, nn, ops

RNG = np.random.default_rng(13)
START = RNG.normal(size=(3, 2)).astype(np.float32)
GRADIENTS = RNG.normal(size=(6, 3, 2)).astype(np.float32)
MODES = pytest.mark.parametrize("mode", [PYNATIVE_MODE, GRAPH_MODE], ids=["pynative", "graph"])


@pytest.fixture(autouse=True)
def _pynative_mode_again() -> Iterator[None]:
    yield
    context.set_context(mode=PYNATIVE_MODE)


def stepped(mode: int, make: Any, start: np.ndarray, gradients: np.ndarray, name: str = "w") -> np.ndarray:
    weight = Parameter(Tensor(start), name=name)
    optimizer = make([weight])
    context.set_context(mode=mode)
    for gradient in gradients:
        optimizer((Tensor(gradient),))
    return weight.asnumpy()


def rms(x: np.ndarray) -> float:
    return float(np.sqrt((x**2).mean()))


def adafactor(start: np.ndarray, gradients: np.ndarray, rate: float | None, beta1: float, decay: float) -> np.ndarray:
    """Shazeer and Stern 2018, algorithms 4 and 5."""
    w, m, v = start.astype(np.float64), np.zeros(start.shape), np.zeros(start.shape)
    row, column = np.zeros(start.shape[:-1]), np.zeros(start.shape[-1:])
    for t, g in enumerate(gradients.astype(np.float64), 1):
        k = 1 - t**-0.8
        if start.ndim > 1:
            row = k * row + (1 - k) * (g * g).mean(-1)
            column = k * column + (1 - k) * (g * g).mean(-2)
            v = np.outer(row, column) / row.mean()
        else:
            v = k * v + (1 - k) * g * g
        u = g / np.sqrt(v)
        alpha = (min(1e-2, t**-0.5) if rate is None else rate) * max(1e-3, rms(w))
        u = u / max(1.0, rms(u)) * alpha
        m = beta1 * m + (1 - beta1) * u
        w = w - m - decay * alpha * w
    return w


@MODES
@pytest.mark.parametrize("rate", [None, 0.3])
@pytest.mark.parametrize("columns", [2, None], ids=["matrix", "vector"])
def test_adafactor(mode: int, rate: float | None, columns: int | None) -> None:
    start, gradients = (START, GRADIENTS) if columns else (START[:, 0], GRADIENTS[:, :, 0])
    got = stepped(mode, lambda p: nn.AdaFactor(p, rate, relative_step=rate is None, weight_decay=0.1), start, gradients)
    np.testing.assert_allclose(got, adafactor(start, gradients, rate, 0.9, 0.1), rtol=1e-4, atol=1e-6)


@MODES
@pytest.mark.parametrize("clip", [False, True])
def test_lars(mode: int, clip: bool) -> None:
    w, v = START.astype(np.float64), np.zeros(START.shape)
    for g in GRADIENTS.astype(np.float64):
        length, size = np.linalg.norm(w), np.linalg.norm(g)
        scale = 0.2 * length / (size + 0.01 * length + 1e-5)
        v = 0.9 * v + (min(scale / 0.1, 1) if clip else scale) * (g + 0.01 * w)
        w = w - 0.1 * v
    got = stepped(
        mode, lambda p: nn.LARS(nn.Momentum(p, 0.1, 0.9, weight_decay=0.01), 1e-5, 0.2, clip), START, GRADIENTS
    )
    np.testing.assert_allclose(got, w, rtol=1e-4, atol=1e-6)


@MODES
@pytest.mark.parametrize("grouped", [False, True])
def test_lars_of_rates_that_depend_on_the_step(mode: int, grouped: bool) -> None:
    rates = [0.4, 0.3, 0.2, 0.1, 0.05, 0.02]
    w, v = START.astype(np.float64), np.zeros(START.shape)
    for g, rate in zip(GRADIENTS.astype(np.float64), rates, strict=True):
        scale = 0.2 * np.linalg.norm(w) / (np.linalg.norm(g) + 1e-5)
        v = 0.9 * v + min(scale / rate, 1) * g
        w = w - rate * v

    def make(weights: list[Parameter]) -> nn.LARS:
        if grouped:
            return nn.LARS(nn.Momentum([{"params": weights, "lr": rates}], 0.1, 0.9), 1e-5, 0.2, True)
        return nn.LARS(nn.Momentum(weights, rates, 0.9), 1e-5, 0.2, True)

    np.testing.assert_allclose(stepped(mode, make, START, GRADIENTS), w, rtol=1e-4, atol=1e-6)


@MODES
def test_lars_leaves_biases_and_zeros_as_they_are(mode: int) -> None:
    plain = stepped(mode, lambda p: nn.SGD(p, 0.1), START, GRADIENTS, "bias")
    np.testing.assert_allclose(stepped(mode, lambda p: nn.LARS(nn.SGD(p, 0.1)), START, GRADIENTS, "bias"), plain)
    moved = stepped(
        mode, lambda p: nn.LARS(nn.SGD(p, 0.5)), np.zeros((2, 2), np.float32), np.ones((1, 2, 2), np.float32)
    )
    np.testing.assert_allclose(moved, -0.5)


@MODES
def test_lars_trains_a_network(mode: int) -> None:
    ms.set_seed(1)
    net = nn.Dense(4, 1)
    optimizer = nn.LARS(nn.Momentum(net.trainable_params(), 0.1, 0.9), coefficient=0.1)
    context.set_context(mode=mode)
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), optimizer)
    x = np.random.default_rng(1).normal(size=(32, 4)).astype(np.float32)
    y = x @ np.array([[1.0], [-2.0], [0.5], [0.0]], np.float32)
    losses = [float(step(Tensor(x), Tensor(y))) for _ in range(100)]
    assert losses[-1] < 0.1 * losses[0]


@MODES
def test_adam_offload_is_adam(mode: int) -> None:
    got = stepped(mode, lambda p: nn.AdamOffload(p, 0.1), START, GRADIENTS)
    np.testing.assert_array_equal(got, stepped(mode, lambda p: nn.Adam(p, 0.1), START, GRADIENTS))


def test_what_does_not_go_together_is_refused() -> None:
    weight = [Parameter(Tensor(START), name="w")]
    for given, message in (
        ({"learning_rate": 0.1}, "either a learning_rate or relative_step"),
        ({"relative_step": False}, "either a learning_rate or relative_step"),
        ({"learning_rate": 0.1, "relative_step": False, "warmup_init": True}, "warmup_init needs relative_step"),
    ):
        with pytest.raises(ValueError, match=message):
            nn.AdaFactor(weight, **given)  # type: ignore[arg-type]
    for more, mode, message in ((1, "same", "needs pad_mode='pad'"), (2, "pad", "must be less than stride")):
        with pytest.raises(ValueError, match=message):
            nn.Conv3dTranspose(1, 1, 2, 2, mode, output_padding=more)


@MODES
@pytest.mark.parametrize(
    "given",
    [("same", 0, 0), ("valid", 0, 0), ("pad", 1, 1), ("pad", (1, 0, 0, 1, 1, 1), (0, 1, 1))],
    ids=["same", "valid", "pad", "sides"],
)
def test_the_transpose_is_that_of_the_convolution(mode: int, given: tuple[str, Any, Any]) -> None:
    """The product of a convolution with y is that of x with the transpose of y."""
    pad_mode, padding, more = given
    up = nn.Conv3dTranspose(4, 2, 3, 2, pad_mode, padding, 1, 2, more, has_bias=True, bias_init=0.5)
    y = RNG.normal(size=(2, 4, 2, 3, 4)).astype(np.float32)
    context.set_context(mode=mode)
    out = up(Tensor(y)) - 0.5
    x = RNG.normal(size=out.shape).astype(np.float32)
    down = nn.Conv3d(2, 4, 3, 2, pad_mode, padding, 1, 2, weight_init=Tensor(up.weight.asnumpy()))
    through = down(Tensor(x))
    assert through.shape == y.shape
    assert float(ops.sum(through * Tensor(y))) == pytest.approx(float(ops.sum(out * Tensor(x))), rel=1e-3, abs=1e-3)
