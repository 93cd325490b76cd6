"""Functions of windows, rows and volumes against numpy, with their derivatives, in both modes; the Cells alike."""

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import framework as ms
from framework import Tensor, nn, ops

RNG = np.random.default_rng(17)
ROWS = RNG.standard_normal((2, 3, 9))
IMAGES = RNG.standard_normal((2, 3, 5, 6))
VOLUMES = RNG.standard_normal((2, 2, 4, 5, 6))


def pooled(
    x: np.ndarray, size: Sequence[int], stride: Sequence[int], reduced: Callable[..., Any], pads: Sequence[int] = ()
) -> np.ndarray:
    """What a function gives of each window over the last dimensions; around them is NaN."""
    dims = len(size)
    around = [(0, 0)] * (x.ndim - dims) + [(pad, pad) for pad in pads or (0,) * dims]
    wide = np.pad(x, around, constant_values=np.nan)
    counts = [(n - k) // s + 1 for n, k, s in zip(wide.shape[-dims:], size, stride, strict=True)]
    out = np.empty((*x.shape[:-dims], *counts))
    for place in itertools.product(*map(range, counts)):
        window = tuple(slice(i * s, i * s + k) for i, s, k in zip(place, stride, size, strict=True))
        out[(..., *place)] = reduced(wide[(..., *window)], axis=tuple(range(-dims, 0)))
    return out


def in_parts(x: np.ndarray, counts: Sequence[int], reduced: Callable[..., Any]) -> np.ndarray:
    """What a function gives of parts that begin at floor(i n / count) and end at ceil((i + 1) n / count)."""
    out = np.empty((*x.shape[: -len(counts)], *counts))
    sizes = x.shape[-len(counts) :]
    for place in itertools.product(*map(range, counts)):
        part = tuple(slice(i * n // c, -(-(i + 1) * n // c)) for i, n, c in zip(place, sizes, counts, strict=True))
        out[(..., *place)] = reduced(x[(..., *part)], axis=tuple(range(-len(counts), 0)))
    return out


def folded(columns: np.ndarray, size: tuple[int, int], kernel: tuple[int, int], step: int, pad: int) -> np.ndarray:
    n, channels = columns.shape[0], columns.shape[1] // (kernel[0] * kernel[1])
    out = np.zeros((n, channels, size[0] + 2 * pad, size[1] + 2 * pad))
    across = (size[1] + 2 * pad - kernel[1]) // step + 1
    for window in range(columns.shape[2]):
        top, left = window // across * step, window % across * step
        out[:, :, top : top + kernel[0], left : left + kernel[1]] += columns[:, :, window].reshape(n, channels, *kernel)
    return out[:, :, pad : size[0] + pad, pad : size[1] + pad]


def neighbours(x: np.ndarray) -> np.ndarray:
    squares = np.pad(x**2, ((0, 0), (1, 1), (0, 0), (0, 0)))
    return x / (2 + 0.5 * (squares[:, :-2] + squares[:, 1:-1] + squares[:, 2:])) ** 0.75


def norms(x: Any, axis: Any) -> Any:
    return (x**2).sum(axis) ** 0.5


CASES: list[tuple[str, Callable[[Any], Any], Callable[[Any], Any], np.ndarray]] = [
    ("avg_pool1d", lambda x: ops.avg_pool1d(x, 3, 2), lambda x: pooled(x, (3,), (2,), np.mean), ROWS),
    ("avg_pool1d-uncounted", lambda x: ops.avg_pool1d(x, 3, 2, 1, False, False),
     lambda x: pooled(x, (3,), (2,), np.nanmean, (1,)), ROWS),
    ("avg_pool1d-flat", lambda x: ops.avg_pool1d(x, 2, 2), lambda x: pooled(x, (2,), (2,), np.mean), ROWS[0]),
    ("avg_pool3d", lambda x: ops.avg_pool3d(x, (2, 3, 2), (1, 2, 2)),
     lambda x: pooled(x, (2, 3, 2), (1, 2, 2), np.mean), VOLUMES),
    ("avg_pool3d-padded", lambda x: ops.avg_pool3d(x, 3, 2, 1), lambda x: pooled(
        x, (3, 3, 3), (2, 2, 2), np.nansum, (1, 1, 1)) / 27, VOLUMES),
    ("avg_pool3d-uncounted", lambda x: ops.avg_pool3d(x, 3, 2, 1, False, False), lambda x: pooled(
        x, (3, 3, 3), (2, 2, 2), np.nanmean, (1, 1, 1)), VOLUMES),
    ("avg_pool3d-divided", lambda x: nn.AvgPool3d(2, 2, divisor_override=5)(x),
     lambda x: pooled(x, (2, 2, 2), (2, 2, 2), np.sum) / 5, VOLUMES[0]),
    ("max_pool3d", lambda x: ops.max_pool3d(x, (2, 3, 2), (1, 2, 2)),
     lambda x: pooled(x, (2, 3, 2), (1, 2, 2), np.max), VOLUMES),
    ("max_pool3d-padded", lambda x: nn.MaxPool3d(3, 2, "pad", 1)(x),
     lambda x: pooled(x, (3, 3, 3), (2, 2, 2), np.nanmax, (1, 1, 1)), VOLUMES),
    ("max_pool3d-holes", lambda x: nn.MaxPool3d(2, 1, "pad", dilation=(1, 2, 2))(x), lambda x: pooled(
        x, (2, 3, 3), (1, 1, 1), lambda box, axis: box[..., ::2, ::2].max(axis)), VOLUMES),
    ("adaptive_avg_pool3d", lambda x: ops.adaptive_avg_pool3d(x, (3, 2, 4)),
     lambda x: in_parts(x, (3, 2, 4), np.mean), VOLUMES),
    ("adaptive_max_pool3d", lambda x: nn.AdaptiveMaxPool3d((3, None, 4))(x),
     lambda x: in_parts(x, (3, 5, 4), np.max), VOLUMES),
    ("adaptive_avg_pool3d-cell", lambda x: nn.AdaptiveAvgPool3d(2)(x), lambda x: in_parts(x, (2, 2, 2), np.mean),
     VOLUMES),
    ("lp_pool1d", lambda x: nn.LPPool1d(2, 3, 2)(x), lambda x: pooled(x, (3,), (2,), norms), ROWS),
    ("lp_pool2d", lambda x: nn.LPPool2d(2, (2, 3))(x), lambda x: pooled(x, (2, 3), (2, 3), norms), IMAGES),
    ("lrn", lambda x: nn.LRN(1, 2.0, 0.5, 0.75)(x), neighbours, IMAGES),
    ("fold", lambda x: nn.Fold((4, 5), (3, 2), 1, 1, 2)(x), lambda x: folded(x, (4, 5), (3, 2), 2, 1),
     RNG.standard_normal((2, 12, 6))),
    ("unfolded", lambda x: ops.fold(ops.unfold(x, 3, 2, 1), (5, 6), 3, 2, 1), lambda x: folded_back(x), IMAGES),
    ("col2im", lambda x: ops.col2im(x, (4, 5), (3, 2), (1, 1), (1, 1), (2, 2)),
     lambda x: folded(x.reshape(2, 12, 6), (4, 5), (3, 2), 2, 1), RNG.standard_normal((2, 2, 6, 6))),
    ("unpooled", lambda x: nn.MaxUnpool2d(2)(*ops.max_pool2d(x, 2, return_indices=True), (5, 6)),
     lambda x: only_largest(x, (2, 2)), IMAGES),
    ("unpooled-3d", lambda x: nn.MaxUnpool3d(2)(*ops.max_pool3d(x, 2, return_indices=True), (4, 5, 6)),
     lambda x: only_largest(x, (2, 2, 2)), VOLUMES),
    ("unpooled-parts", lambda x: ops.max_unpool3d(*ops.adaptive_max_pool3d(x, (2, 1, 3), True), (2, 5, 2)),
     lambda x: only_largest(x, (2, 5, 2)), VOLUMES),
]  # fmt: skip


def folded_back(x: np.ndarray) -> np.ndarray:
    """Each pixel as often as windows of 3 x 3 with holes saw it."""
    seen = [[sum(0 <= i + 1 - 2 * k <= n + 2 - 5 for k in range(3)) for i in range(n)] for n in x.shape[2:]]
    return x * np.outer(*seen)


def only_largest(x: np.ndarray, size: tuple[int, ...]) -> np.ndarray:
    """Zeros but for the largest elements of windows side by side."""
    out = np.zeros_like(x)
    dims = len(size)
    for place in np.ndindex(*x.shape[:-dims], *(n // k for n, k in zip(x.shape[-dims:], size, strict=True))):
        lead, at = place[:-dims], place[-dims:]
        window = (*lead, *(slice(i * k, i * k + k) for i, k in zip(at, size, strict=True)))
        part = x[window]
        out[window][np.unravel_index(part.argmax(), part.shape)] = part.max()
    return out


@pytest.mark.filterwarnings("ignore:Mean of empty slice")
@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0])
def test_like_numpy_with_derivatives(case: tuple[str, Any, Any, np.ndarray]) -> None:
    _, ours, theirs, x = case
    along = RNG.standard_normal(x.shape)
    step = 1e-6
    slope = (np.sin(theirs(x + step * along)).sum() - np.sin(theirs(x - step * along)).sum()) / (2 * step)
    gradient = ms.grad(lambda x: ops.sin(ours(x)).sum())
    for run, derive in ((ours, gradient), (ms.jit(ours), ms.jit(gradient))):
        np.testing.assert_allclose(run(Tensor(x)).asnumpy(), theirs(x), rtol=1e-9, atol=1e-12)
        assert float((derive(Tensor(x)) * Tensor(along)).sum()) == pytest.approx(slope, rel=1e-5, abs=1e-6)


@pytest.mark.parametrize("run", [lambda function: function, ms.jit], ids=["pynative", "graph"])
def test_what_does_not_fit_is_refused(run: Any) -> None:
    for asked, message in (
        (lambda x: ops.fold(x, (4, 4), 2), r"columns of shape \(2, 3, 9\) are not those of 3 x 3 windows of 2 x 2"),
        (lambda x: ops.max_unpool1d(x, x, 2, 1, 9), r"shape \(2, 3, 9\) cannot be unpooled to size \(-8,\)"),
    ):
        with pytest.raises(ValueError, match=message):
            run(asked)(Tensor(ROWS))
    with pytest.raises(ValueError, match="need pad_mode='pad'"):
        nn.MaxPool3d(2, return_indices=True)
