"""Layers that compare images, and others, in both modes: against numpy, and MindSpore 2.10.0's numbers."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import framework as ms
from framework import Tensor, nn, ops


@pytest.fixture(autouse=True)
def _mode() -> Iterator[None]:
    ms.set_seed(5)
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


def both(cell: nn.Cell, *inputs: Any) -> list[np.ndarray]:
    """The outputs of a Cell, the same in both modes."""
    found = []
    for mode in (ms.PYNATIVE_MODE, ms.GRAPH_MODE):
        ms.set_context(mode=mode)
        out = cell(*(Tensor(item) if isinstance(item, np.ndarray) else item for item in inputs))
        found.append([item.asnumpy() for item in (out if isinstance(out, tuple) else (out,))])
    for eager, compiled in zip(*found, strict=True):
        np.testing.assert_allclose(eager, compiled, rtol=1e-5, atol=1e-6)
    return found[0]


def similarity(x: np.ndarray, y: np.ndarray, size: int, sigma: float, k1: float, k2: float) -> tuple[Any, Any]:
    """Structural similarity and its part of contrast per image and channel, window by window (Wang et al. 2004)."""
    place = np.arange(size) - (size - 1) / 2
    weight = np.exp(-(place[:, None] ** 2 + place**2) / (2 * sigma**2))
    weight /= weight.sum()
    wx, wy = (np.lib.stride_tricks.sliding_window_view(item, (size, size), (2, 3)) for item in (x, y))
    mx, my = (wx * weight).sum((-1, -2)), (wy * weight).sum((-1, -2))
    dx, dy = wx - mx[..., None, None], wy - my[..., None, None]
    vx, vy, cov = (dx**2 * weight).sum((-1, -2)), (dy**2 * weight).sum((-1, -2)), (dx * dy * weight).sum((-1, -2))
    contrast = (2 * cov + k2**2) / (vx + vy + k2**2)
    return ((2 * mx * my + k1**2) / (mx**2 + my**2 + k1**2) * contrast).mean((2, 3)), contrast.mean((2, 3))


random = np.random.RandomState(0)
A = random.rand(2, 3, 16, 16).astype(np.float32)
B = (A * 0.8 + 0.1 * random.rand(2, 3, 16, 16)).astype(np.float32)


def test_structural_similarity() -> None:
    np.testing.assert_allclose(both(nn.SSIM(), A, B)[0], similarity(A, B, 11, 1.5, 0.01, 0.03)[0].mean(1), rtol=1e-4)
    other = similarity(A / 2, B / 2, 7, 1.0, 0.02, 0.05)[0].mean(1)
    np.testing.assert_allclose(both(nn.SSIM(2.0, 7, 1.0, 0.02, 0.05), A, B)[0], other, rtol=1e-4)
    half = [item.reshape(2, 3, 8, 2, 8, 2).mean((3, 5)) for item in (A, B)]
    scales = similarity(A, B, 5, 1.5, 0.01, 0.03)[1] ** 0.3 * similarity(*half, 5, 1.5, 0.01, 0.03)[0] ** 0.7
    found = both(nn.MSSSIM(power_factors=(0.3, 0.7), filter_size=5), A, B)[0]
    np.testing.assert_allclose(found, scales.mean(1), rtol=1e-4)
    assert not nn.SSIM().trainable_params()
    gradient = ms.grad(lambda x: nn.SSIM()(x, Tensor(A)).sum())(Tensor(A)).asnumpy()
    np.testing.assert_allclose(gradient, 0, atol=1e-5)
    for wrong in (lambda: nn.SSIM(0.0), lambda: nn.MSSSIM(filter_size=0), lambda: nn.PSNR(0)):
        with pytest.raises(ValueError, match="must be above 0"):
            wrong()


def test_ratio_of_signal_and_noise() -> None:
    wanted = 10 * np.log10(255**2 / ((A - B) ** 2).mean((1, 2, 3)))
    np.testing.assert_allclose(both(nn.PSNR(255), A, B)[0], wanted, rtol=1e-5)


def test_gradients_of_images() -> None:
    dy, dx = both(nn.ImageGradients(), A)
    np.testing.assert_array_equal(dy[:, :, :-1], np.diff(A, axis=2))
    np.testing.assert_array_equal(dx[..., :-1], np.diff(A, axis=3))
    assert not dy[:, :, -1].any()
    assert not dx[..., -1].any()


@pytest.mark.parametrize(
    ("part", "rows", "columns"), [(0.5, (1, 3), (1, 4)), (0.7, (0, 4), (0, 5)), (1.0, (0, 4), (0, 5))]
)
def test_central_parts(part: float, rows: tuple[int, int], columns: tuple[int, int]) -> None:
    x = np.arange(120, dtype=np.float32).reshape(2, 3, 4, 5)
    wanted = x[:, :, slice(*rows), slice(*columns)]
    np.testing.assert_array_equal(both(nn.CentralCrop(part), x)[0], wanted)
    np.testing.assert_array_equal(both(nn.CentralCrop(part), x[0])[0], wanted[0])
    with pytest.raises(ValueError, match="at most 1"):
        nn.CentralCrop(1.5)


def test_windows_as_channels() -> None:
    x = np.arange(80, dtype=np.float32).reshape(2, 2, 4, 5)
    found = both(nn.Unfold((1, 2, 3, 1), (1, 2, 1, 1), (1, 1, 2, 1)), x)[0]
    seen = np.stack([x[:, :, row : row + 3 : 2, column : column + 1] for row in (0, 1) for column in (0, 2, 4)], 1)
    np.testing.assert_array_equal(found, seen.reshape(2, 12, 2, 1))
    same = both(nn.Unfold((1, 3, 3, 1), (1, 1, 1, 1), (1, 1, 1, 1), "same"), x)[0]
    np.testing.assert_array_equal(same[:, 8:10], x)
    np.testing.assert_array_equal(same[:, :2], np.pad(x, ((0, 0), (0, 0), (1, 0), (1, 0)))[:, :, :4, :5])
    with pytest.raises(ValueError, match=r"ksizes must have the form \(1, rows, columns, 1\)"):
        nn.Unfold((2, 2, 2, 1), (1, 1, 1, 1), (1, 1, 1, 1))
    with pytest.raises(ValueError, match="padding must be"):
        nn.Unfold((1, 2, 2, 1), (1, 1, 1, 1), (1, 1, 1, 1), "full")


def test_products_moments_and_penalties() -> None:
    x, y = A[:, 0, :3, :4], B[:, 1, :4, :2]
    np.testing.assert_allclose(both(nn.MatMul(), x, y)[0], x @ y, rtol=1e-6)
    turned = [item.swapaxes(1, 2).copy() for item in (x, y)]
    np.testing.assert_allclose(both(nn.MatMul(True, True), *turned)[0], x @ y, rtol=1e-6)
    mean, variance = both(nn.Moments((0, 2), True), x)
    np.testing.assert_allclose(mean, x.mean((0, 2), keepdims=True), rtol=1e-6)
    np.testing.assert_allclose(variance, x.var((0, 2), keepdims=True), rtol=1e-5)
    assert [item.shape for item in both(nn.Moments(), x)] == [(), ()]
    assert both(nn.Moments(0), x.astype(np.float16))[1].dtype == np.float16
    np.testing.assert_allclose(both(nn.L1Regularizer(0.5), x - 0.5)[0], 0.5 * np.abs(x - 0.5).sum(), rtol=1e-6)
    with pytest.raises(ValueError, match="must be a number above 0"):
        nn.L1Regularizer(0)


def test_layers_with_what_follows_them() -> None:
    # Numbers of MindSpore 2.10.0.
    x = np.arange(32, dtype=np.float32).reshape(1, 2, 4, 4) / 10 - 1
    settings: dict[str, Any] = {"weight_init": "ones", "bias_init": "ones", "has_bias": True, "activation": "leakyrelu"}
    conv = nn.Conv2dBnAct(2, 1, 3, has_bn=True, alpha=0.3, **settings).set_train()
    np.testing.assert_allclose(both(conv, x)[0][0, 0, 1], [-0.276556, -0.10527, 0.077317, -0.10527], atol=2e-6)
    assert [item.name for item in conv.trainable_params()] == [
        "conv.weight", "conv.bias", "batchnorm.gamma", "batchnorm.beta",
    ]  # fmt: skip
    dense = nn.DenseBnAct(4, 2, has_bn=True, alpha=0.3, **settings).set_train()
    np.testing.assert_allclose(both(dense, x[0, 0])[0][:, 1], [-0.402492, -0.134164, 0.447213, 1.341639], atol=2e-6)
    assert [item.name for item in nn.DenseBnAct(4, 2).get_parameters()] == ["dense.weight", "dense.bias"]


P = np.array([[0.2, 0.5, 0.7], [0.3, 0.1, 0.5], [0.9, 0.6, 0.3]], np.float32)
Q = np.array([[0, 1, 0], [1, 0, 0], [0, 0, 1]], np.float32)
WEIGHTS = Tensor(np.array([[1.0, 2.0, 3.0], [1.0, 1.0, 1.0], [0.5, 0.5, 0.5]], np.float32))
TRIPLET = [
    np.array(v, np.float32) for v in ([[0.3, 0.7], [0.5, 0.5]], [[0.4, 0.6], [0.4, 0.6]], [[0.2, 0.9], [0.3, 0.7]])
]
SAMPLE = (Tensor([1, 3, 5, 6]), Tensor([[0.5], [0.3], [0.2]]), Tensor([0.4, 0.3, 0.2, 0.1]))
RECORDED: list[tuple[Callable[[], nn.Cell], list[np.ndarray], Any]] = [
    (lambda: nn.MultiClassDiceLoss(), [P, Q], 0.549581),
    (lambda: nn.MultiClassDiceLoss(WEIGHTS, 0, None), [P, Q], [0.239595] * 3),
    (lambda: nn.MultiClassDiceLoss(ignore_indiex=1, activation="sigmoid"), [P, Q], 0.31055),
    (lambda: nn.TripletMarginWithDistanceLoss(), TRIPLET, 0.888197),
    (
        lambda: nn.TripletMarginWithDistanceLoss(lambda x, y: ops.abs(x - y).sum(-1), True, "none", 0.5),
        TRIPLET,
        [0.4, 0.5],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("make", "inputs", "wanted"), RECORDED)
def test_losses_as_recorded(make: Callable[[], nn.Cell], inputs: list[np.ndarray], wanted: Any) -> None:
    np.testing.assert_allclose(both(make(), *inputs)[0], wanted, atol=2e-6)


def test_softmax_over_a_sample() -> None:
    rng = np.random.RandomState(1)
    w, b, x = (rng.randn(*shape).astype(np.float32) for shape in ((7, 4), (7,), (3, 4)))
    labels = np.array([[0], [1], [5]])
    sample, of_labels, of_sample = (item.asnumpy() for item in SAMPLE)
    right = (x * w[labels[:, 0]]).sum(1, keepdims=True) + b[labels] - np.log(of_labels)
    scores = np.concatenate([right, x @ w[sample].T + b[sample] - np.log(of_sample)], 1)
    wanted = np.log(np.exp(scores).sum(1)) - scores[:, 0]
    np.testing.assert_allclose(
        both(nn.SampledSoftmaxLoss(4, 7, sampled_values=SAMPLE), w, b, labels, x)[0], wanted, rtol=1e-5
    )
    mean = both(nn.SampledSoftmaxLoss(4, 7, sampled_values=SAMPLE, reduction="mean"), w, b, labels, x)[0]
    assert mean == pytest.approx(wanted.mean(), rel=1e-5)
    # Four of seven classes that are no label: the three labels leave no choice.
    scores = np.concatenate(
        [(x * w[labels[:, 0]]).sum(1, keepdims=True) + b[labels], x @ w[[2, 3, 4, 6]].T + b[[2, 3, 4, 6]]], 1
    )
    wanted = np.log(np.exp(scores).sum(1)) - scores[:, 0]
    np.testing.assert_allclose(both(nn.SampledSoftmaxLoss(4, 7), w, b, labels, x)[0], wanted, rtol=1e-5)
    with pytest.raises(ValueError, match="8 cannot be drawn"):
        nn.SampledSoftmaxLoss(8, 7)
    with pytest.raises(ValueError, match="three tensors"):
        nn.SampledSoftmaxLoss(2, 7, sampled_values=(SAMPLE[0],))


def test_attention_with_more_keys() -> None:
    # Numbers of MindSpore 2.10.0.
    cell = nn.MultiheadAttention(4, 2, add_bias_kv=True, add_zero_attn=True)
    assert [item.name for item in cell.get_parameters()] == [
        "in_proj_weight", "in_proj_bias", "bias_k", "bias_v", "out_proj.weight", "out_proj.bias",
    ]  # fmt: skip
    for i, item in enumerate(cell.get_parameters()):
        item.set_data(Tensor(np.sin(np.arange(item.size, dtype=np.float32) + i).reshape(item.shape)))
    q, k = (np.linspace(-1, 1, size, dtype=np.float32).reshape(-1, 1, 4) for size in (8, 12))
    k = k[::-1].copy()
    out, seen = both(cell, q, k, k)
    np.testing.assert_allclose(out[0, 0], [-0.81021, 0.65471, -0.71291, 1.84607], atol=1e-5)
    np.testing.assert_allclose(seen[0, 0], [0.19471, 0.06792, 0.02563, 0.46713, 0.24461], atol=1e-5)
    masked = both(cell, q, k, k, np.array([[False, False, True]]), True, np.array([[0, 1, 0], [1, 0, 0]], bool))[1]
    assert (masked[0, 0] == 0).tolist() == [False, True, True, False, False]
    padded = both(cell, q, k, k, np.array([[False, False, True]]))[1]
    np.testing.assert_allclose(padded[0, 0], [0.19956, 0.06967, 0.0, 0.47987, 0.2509], atol=1e-5)


def test_pools_of_sequences_with_places() -> None:
    # Numbers of MindSpore 2.10.0.
    x = np.array([[[1.0, 5.0, 2.0, 7.0, 3.0, 0.0]]], np.float32)
    values, places = both(nn.MaxPool1d(2, 2, "pad", 1, 1, True), x)
    assert (values.tolist(), places.tolist()) == ([[[1, 5, 7, 0]]], [[[0, 1, 3, 5]]])
    values, places = both(nn.MaxPool1d(2, 1, "pad", 0, 2, True, True), x)
    assert (values.tolist(), places.tolist()) == ([[[2, 7, 3, 7]]], [[[2, 3, 4, 3]]])
    assert both(nn.MaxPool1d(2, 1, "pad", 0, 2), x)[0].tolist() == [[[2, 7, 3, 7]]]
    with pytest.raises(ValueError, match="MaxPool1d: dilation and return_indices need"):
        nn.MaxPool1d(2, return_indices=True)


def test_dropout_of_everything() -> None:
    x = np.ones((2, 3, 4), np.float32)
    assert not both(nn.Dropout1d(1.0).set_train(), x)[0].any()
    assert both(nn.Dropout1d(1.0).set_train(False), x)[0].all()
    assert nn.Dropout(0.75, dtype=ms.float32).p == 0.25
    with pytest.raises(ValueError, match="Dropout2d: p must lie between 0 and 1"):
        nn.Dropout2d(1.5)
