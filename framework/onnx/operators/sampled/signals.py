"""Signals: windows, Fourier transforms and the weights of mel bands."""

from __future__ import annotations

import numpy as np

from framework import ops
from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.ir.model_values import ModelError
from framework.onnx.operators.operator_table import ElementType, Known, onnx
from framework.onnx.operators.sampled.fourier import Fourier
from framework.onnx.operators.values import affordable, axis_of, ints, type_of
from framework.ops.constexpr import constexpr
from framework.ops.primitive import cached

__all__: list[str] = []


@onnx("HannWindow", since=17)
def hann_window(size: Known, *, output_datatype: ElementType = 1, periodic: int = 1, memory: int = 0) -> Tensor:
    return _window(size, (0.5, -0.5), periodic, type_of(output_datatype), memory)


@onnx("HammingWindow", since=17)
def hamming_window(size: Known, *, output_datatype: ElementType = 1, periodic: int = 1, memory: int = 0) -> Tensor:
    return _window(size, (25.0 / 46.0, -21.0 / 46.0), periodic, type_of(output_datatype), memory)


@onnx("BlackmanWindow", since=17)
def blackman_window(size: Known, *, output_datatype: ElementType = 1, periodic: int = 1, memory: int = 0) -> Tensor:
    return _window(size, (0.42, -0.5, 0.08), periodic, type_of(output_datatype), memory)


@constexpr
def _window(size: Tensor, weights: tuple[float, ...], periodic: int, dtype: DType, memory: int) -> Tensor:
    """A sum of cosines over one period."""
    length = int(size.asnumpy().reshape(-1)[0])
    affordable((length,), mstype.float64, memory)
    angles = 2 * np.pi * np.arange(length) / (length if periodic else max(length - 1, 1))
    found = sum(weight * np.cos(order * angles) for order, weight in enumerate(weights))
    return Tensor(np.asarray(found).astype(dtype.numpy))


@onnx("DFT", since=17)
def dft_along_attribute(
    x: Tensor, length: Known | None = None, *, axis: int = 1, inverse: int = 0, onesided: int = 0, memory: int = 0
) -> Tensor:
    return _transformed(x, ints(length), axis_of(axis, len(x.shape)), inverse, onesided, memory)


@onnx("DFT", since=20)
def dft(
    x: Tensor,
    length: Known | None = None,
    axis: Known | None = None,
    *,
    inverse: int = 0,
    onesided: int = 0,
    memory: int = 0,
) -> Tensor:
    along = axis_of(-2 if axis is None else ints(axis)[0], len(x.shape))
    return _transformed(x, ints(length), along, inverse, onesided, memory)


def _transformed(
    x: Tensor, length: tuple[int, ...] | None, axis: int, inverse: int, onesided: int, memory: int
) -> Tensor:
    """The discrete Fourier transform along an axis; the last dimension has real and imaginary parts."""
    rank, is_half = len(x.shape), inverse != 0 and onesided != 0
    moved = ops.transpose(x, _next_to_last(rank, axis))
    if x.shape[-1] == 1:
        moved = ops.concat((moved, ops.zeros_like(moved)), -1)
    given = x.shape[axis]
    count = length[0] if length is not None else (2 * (given - 1) if is_half else given)
    affordable((*x.shape, count), mstype.float32, memory)
    if is_half:
        places, signs = _mirrored(count, given, x.dtype)
        moved = ops.gather(moved, places, rank - 2) * signs
    found = _fourier(count, inverse)(moved)
    if is_half:
        found = found[..., :1]
    elif onesided != 0:
        found = ops.narrow(found, rank - 2, 0, count // 2 + 1)
    return ops.transpose(found, _next_to_last(rank, axis))


@constexpr
def _next_to_last(rank: int, axis: int) -> tuple[int, ...]:
    """The permutation that exchanges an axis with the last but one; it is its own inverse."""
    order = list(range(rank))
    order[axis], order[rank - 2] = rank - 2, axis
    return tuple(order)


@constexpr
def _mirrored(count: int, given: int, dtype: DType) -> tuple[Tensor, Tensor]:
    """Where a whole spectrum comes from, if half of it is given, and the signs of its two parts."""
    places = np.arange(count)
    is_mirrored = places > count // 2
    places = np.where(is_mirrored, count - places, places)
    signs = np.stack([np.ones(count), np.where(is_mirrored, -1.0, 1.0)], -1) * (places < given)[:, None]
    return Tensor(np.minimum(places, given - 1)), Tensor(signs.astype(dtype.numpy))


@constexpr
def _fourier(count: int, inverse: int) -> Fourier:
    return cached(Fourier, count, inverse != 0)


@onnx("STFT", since=17)
def stft(
    signal: Tensor,
    frame_step: Known,
    window: Tensor | None = None,
    frame_length: Known | None = None,
    *,
    onesided: int = 1,
    memory: int = 0,
) -> Tensor:
    step = ints(frame_step)[0]
    if frame_length is not None:
        length = ints(frame_length)[0]
    elif window is not None:
        length = window.shape[0]
    else:
        raise ModelError("STFT needs a window or a frame_length")
    frames = ops.gather(signal, _frames(signal.shape[1], length, step), 1)
    if len(signal.shape) == 2:
        frames = ops.expand_dims(frames, -1)
    if window is not None:
        frames = frames * ops.reshape(window, (1, 1, -1, 1))
    return _transformed(frames, None, 2, 0, onesided, memory)


@constexpr
def _frames(length: int, count: int, step: int) -> Tensor:
    """The places of the elements of each frame."""
    return Tensor(np.arange(0, max(length - count, 0) + 1, step)[:, None] + np.arange(count)[None, :])


@onnx("MelWeightMatrix", since=17)
def mel_weight_matrix(
    bins: Known,
    length: Known,
    rate: Known,
    low: Known,
    high: Known,
    *,
    output_datatype: ElementType = 1,
    memory: int = 0,
) -> Tensor:
    return _mel_weights(bins, length, rate, low, high, type_of(output_datatype), memory)


@constexpr
def _mel_weights(
    bins: Tensor, length: Tensor, rate: Tensor, low: Tensor, high: Tensor, dtype: DType, memory: int
) -> Tensor:
    """Triangles over the bins of a spectrum, evenly spaced on the mel scale, with corners rounded down to bins."""
    count, size, frequency = (int(t.asnumpy().reshape(-1)[0]) for t in (bins, length, rate))
    first, last = (float(t.asnumpy().reshape(-1)[0]) for t in (low, high))
    spectrum = size // 2 + 1
    affordable((spectrum, count), mstype.float64, memory)
    mels = 2595 * np.log10(1 + np.asarray([first, last]) / 700)
    steps = mels[0] + np.arange(count + 2) * (mels[1] - mels[0]) / (count + 2)
    corners = ((size + 1) * (700 * (10 ** (steps / 2595) - 1)) // frequency).astype(int)
    found = np.zeros((spectrum, count))
    for column in range(count):
        begin, middle, end = corners[column : column + 3]
        if middle == begin:
            found[middle, column] = 1
        for row in range(begin, middle + 1) if middle > begin else ():
            found[row, column] = (row - begin) / (middle - begin)
        for row in range(middle, end) if end > middle else ():
            found[row, column] = (end - row) / (end - middle)
    return Tensor(found.astype(dtype.numpy))
