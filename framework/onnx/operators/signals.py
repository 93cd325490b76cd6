"""Signals: windows, Fourier transforms and the weights of mel bands."""

from __future__ import annotations

import numpy as np

from framework import ops
from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.onnx.operators.table import ElementType, Known, onnx
from framework.onnx.operators.values import affordable, axis_of, ints, type_of
from framework.ops.constexpr import constexpr

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
    along = axis_of(-2 if axis is None else ints(axis)[0], len(x.shape))  # type: ignore[index]
    return _transformed(x, ints(length), along, inverse, onesided, memory)


def _transformed(
    x: Tensor, length: tuple[int, ...] | None, axis: int, inverse: int, onesided: int, memory: int
) -> Tensor:
    """The discrete Fourier transform as a product with a matrix; the last dimension has real and imaginary parts."""
    rank, is_real = len(x.shape), x.shape[-1] == 1
    count = x.shape[axis] if length is None else length[0]
    is_half = inverse != 0 and onesided != 0
    kept = min(x.shape[axis], count // 2 + 1 if is_half else count)
    cos, sin = _rotations(count, kept, inverse, onesided, x.dtype, memory)
    moved = ops.transpose(ops.narrow(x, axis, 0, kept), _axis_last(rank, axis))
    real = moved[0]
    if is_real:
        parts = (ops.matmul(real, cos), ops.matmul(real, sin))
    else:
        imaginary = moved[1]
        one = ops.matmul(real, cos) - ops.matmul(imaginary, sin)
        if is_half:
            return ops.transpose(ops.expand_dims(one, 0), _axis_back(rank, axis))
        parts = (one, ops.matmul(real, sin) + ops.matmul(imaginary, cos))
    return ops.transpose(ops.stack(parts, 0), _axis_back(rank, axis))


@constexpr
def _axis_last(rank: int, axis: int) -> tuple[int, ...]:
    """Real and imaginary parts first, the transformed axis last."""
    return (rank - 1, *(k for k in range(rank - 1) if k != axis), axis)


@constexpr
def _axis_back(rank: int, axis: int) -> tuple[int, ...]:
    order = (rank - 1, *(k for k in range(rank - 1) if k != axis), axis)
    return tuple(int(k) for k in np.argsort(order))


@constexpr
def _rotations(
    count: int, kept: int, inverse: int, onesided: int, dtype: DType, memory: int
) -> tuple[Tensor, Tensor]:
    """Cosines and sines: (elements that are read, frequencies)."""
    outputs = count if inverse or not onesided else count // 2 + 1
    affordable((kept, outputs), mstype.float64, memory)
    angles = 2 * np.pi * (np.outer(np.arange(kept), np.arange(outputs)) % count) / count
    weights = np.ones((kept, 1))
    if inverse:
        weights = weights / count
        if onesided:
            is_pair = (np.arange(kept) > 0) & (2 * np.arange(kept) != count)
            weights = weights * np.where(is_pair, 2.0, 1.0)[:, None]
    sign = 1.0 if inverse else -1.0
    return Tensor((weights * np.cos(angles)).astype(dtype.numpy)), Tensor((sign * weights * np.sin(angles)).astype(dtype.numpy))


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
    step = ints(frame_step)[0]  # type: ignore[index]
    length = window.shape[0] if frame_length is None and window is not None else ints(frame_length)[0]  # type: ignore[index]
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
    bins: Known, length: Known, rate: Known, low: Known, high: Known, *, output_datatype: ElementType = 1, memory: int = 0
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


