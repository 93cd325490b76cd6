"""Recurrent layers over whole sequences by the compiled loops; the same as in `framework.kernels.sequences.recurrent`.

The loops compute the steps. The gradients of the weights are one product of all steps.
"""

from __future__ import annotations

import ctypes

import numpy as np

from framework.common.device import Array
from framework.common.threads import threads_for
from framework.kernels.loops.library import LOOPS, Sequence, address, are_floats
from framework.kernels.onednn import matmul
from framework.kernels.sequences.recurrent import states_before

__all__ = ["gru", "gru_grad", "lstm", "lstm_grad"]

# The columns of a panel of packed weights are a multiple of this.
_LANES = 16


def lstm(
    x: Array, state: Array, memory: Array, w: Array, bias: Array, lengths: Array | None, backwards: bool
) -> tuple[Array, Array, Array, Array, Array]:
    """The outputs, the last states, all cell states and the gates."""
    if LOOPS is None or not are_floats(x, state, memory, w, bias):
        return NotImplemented
    x, memory, w, bias = map(np.ascontiguousarray, (x, memory, w, bias))
    (steps, batch, wide), units = x.shape, w.shape[1]
    last = np.array(state, order="C")
    outputs, memories = np.empty((steps, batch, units), np.float32), np.empty((steps, batch, units), np.float32)
    gates = np.empty((steps, batch, wide), np.float32)
    sequence, _kept = _sequence(steps, batch, units, lengths, backwards, units, wide)
    LOOPS.lstm(
        ctypes.addressof(sequence),
        *map(address, (x, memory, w, bias, outputs, memories, gates, last)),
        _threads(gates, units),
    )
    return outputs, last, memories[0 if backwards else -1].copy(), memories, gates


def lstm_grad(
    state: Array,
    memory: Array,
    w: Array,
    lengths: Array | None,
    outputs: Array,
    memories: Array,
    gates: Array,
    given: tuple[Array, Array, Array],
    backwards: bool,
) -> tuple[Array, Array, Array, Array, Array]:
    """The gradients with respect to x, the first states, w and the bias."""
    if LOOPS is None or not are_floats(state, memory, w, outputs, memories, gates, *given):
        return NotImplemented
    if not _belong(gates, 4, w, (outputs, memories, given[0]), (state, memory, *given[1:]), lengths):
        return NotImplemented
    memory, w, memories, gates, doutputs = map(np.ascontiguousarray, (memory, w, memories, gates, given[0]))
    (steps, batch, wide), units = gates.shape, w.shape[1]
    dx, dstate, dmemory = np.empty_like(gates), np.array(given[1], order="C"), np.array(given[2], order="C")
    sequence, _kept = _sequence(steps, batch, units, lengths, backwards, wide, units)
    LOOPS.lstm_grad(
        ctypes.addressof(sequence),
        *map(address, (memory, w, memories, gates, doutputs, dstate, dmemory, dx)),
        _threads(gates, units),
    )
    before = states_before(np, outputs, state, lengths, backwards)
    return dx, dstate, dmemory, _of_weights(dx, before), _of_bias(dx)


def gru(
    x: Array, state: Array, w: Array, bias: Array, other: Array, lengths: Array | None, backwards: bool
) -> tuple[Array, Array, Array]:
    """The outputs, the last state and the gates."""
    if LOOPS is None or not are_floats(x, state, w, bias, other):
        return NotImplemented
    x, w, bias, other = map(np.ascontiguousarray, (x, w, bias, other))
    (steps, batch, wide), units = x.shape, w.shape[1]
    last = np.array(state, order="C")
    outputs, gates = np.empty((steps, batch, units), np.float32), np.empty((steps, batch, 4 * units), np.float32)
    sequence, _kept = _sequence(steps, batch, units, lengths, backwards, units, wide)
    LOOPS.gru(
        ctypes.addressof(sequence), *map(address, (x, w, bias, other, outputs, gates, last)), _threads(gates, units)
    )
    return outputs, last, gates


def gru_grad(
    state: Array,
    w: Array,
    lengths: Array | None,
    outputs: Array,
    gates: Array,
    given: tuple[Array, Array],
    backwards: bool,
) -> tuple[Array, Array, Array, Array, Array]:
    """The gradients with respect to x, the first state, w and both biases."""
    if LOOPS is None or not are_floats(state, w, outputs, gates, *given):
        return NotImplemented
    if not _belong(gates, 3, w, (outputs, given[0]), (state, given[1]), lengths):
        return NotImplemented
    w, gates, doutputs = map(np.ascontiguousarray, (w, gates, given[0]))
    steps, batch, units = outputs.shape
    dx, dproducts = (np.empty((steps, batch, 3 * units), np.float32) for _ in range(2))
    dstate = np.array(given[1], order="C")
    before = states_before(np, outputs, state, lengths, backwards)
    sequence, _kept = _sequence(steps, batch, units, lengths, backwards, 3 * units, units)
    LOOPS.gru_grad(
        ctypes.addressof(sequence),
        *map(address, (w, before, gates, doutputs, dstate, dx, dproducts)),
        _threads(gates, units),
    )
    return dx, dstate, _of_weights(dproducts, before), _of_bias(dx), _of_bias(dproducts)


def _sequence(
    steps: int, batch: int, units: int, lengths: Array | None, backwards: bool, inner: int, columns: int
) -> tuple[Sequence, tuple[Array, ...]]:
    """The description of a sequence whose steps multiply (N, inner) by (inner, columns), and the objects it points
    to."""
    product = np.empty((batch, columns), np.float32)
    packed = np.empty(inner * -(-columns // _LANES) * _LANES, np.float32)
    kept: tuple[Array, ...] = (product, packed)
    lengths_at = None
    if lengths is not None:
        longs = np.ascontiguousarray(lengths, np.int64)
        kept, lengths_at = (*kept, longs), address(longs)
    return Sequence(steps, batch, units, backwards, lengths_at, address(product), address(packed)), kept


def _belong(
    gates: Array, rows: int, w: Array, wholes: tuple[Array, ...], states: tuple[Array, ...], lengths: Array | None
) -> bool:
    """Whether arrays have the shapes of one sequence: `wholes` for each step, `states` for one."""
    units = w.shape[1]
    fits = gates.shape[2] == 4 * units and w.shape[0] == rows * units
    fits = fits and all(array.shape == (*gates.shape[:2], units) for array in wholes)
    fits = fits and all(array.shape == (gates.shape[1], units) for array in states)
    return fits and (lengths is None or lengths.shape == gates.shape[1:2])


def _of_weights(dgates: Array, before: Array) -> Array:
    """The gradient of the weights: one product of all steps."""
    a, b = dgates.reshape(-1, dgates.shape[2]).T, before.reshape(-1, before.shape[2])
    made = matmul(a, b)
    return a @ b if made is NotImplemented else made


def _of_bias(dgates: Array) -> Array:
    """The gradient of the biases, the sum over all steps and rows."""
    return np.add.reduce(dgates.reshape(-1, dgates.shape[2]), axis=0)


def _threads(gates: Array, units: int) -> int:
    """The number of threads for the steps of a sequence."""
    return threads_for(2.0 * gates.size * units)
