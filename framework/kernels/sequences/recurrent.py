"""Recurrent layers over whole sequences, forward and backward, with numpy; the primitives of `ops.recurrent` call them.

Shapes: x (T, N, gates * units) has the contributions of the inputs to the gates, w (gates * units, units) are the
weights of the hidden state. The order of the gates is input, forget, candidate, output for LSTM, and reset, update,
candidate for GRU. `lengths` (N,) are the numbers of steps of each row, None for all: from its length on, a row keeps
its states and its output is 0. With `backwards` the steps run from the end of the sequence.
"""

from __future__ import annotations

from collections.abc import Iterator

from framework.common.device import Array, ArrayModule

__all__ = ["gru", "gru_grad", "lstm", "lstm_grad", "states_before"]


def lstm(
    xp: ArrayModule,
    x: Array,
    state: Array,
    memory: Array,
    w: Array,
    bias: Array,
    lengths: Array | None,
    backwards: bool,
) -> tuple[Array, Array, Array, Array, Array]:
    """LSTM (Hochreiter and Schmidhuber 1997); `bias` (4 * units,) has all biases.

    Returns:
        The outputs (T, N, units), the last hidden state and cell state (N, units), and for the way back the cell states
        (T, N, units) and the gates behind their nonlinearities (T, N, 4 * units).
    """
    steps, batch, _ = x.shape
    units = state.shape[1]
    outputs, memories, gates = (xp.empty((steps, batch, n * units), x.dtype) for n in (1, 1, 4))
    for t, goes_on in _steps(xp, steps, lengths, backwards):
        total = x[t] + state @ w.T + bias
        i, f, o = (_logistic(xp, total[:, at * units : (at + 1) * units]) for at in (0, 1, 3))
        g = xp.tanh(total[:, 2 * units : 3 * units])
        after = f * memory + i * g
        made = o * xp.tanh(after)
        gates[t] = xp.concatenate((i, f, g, o), axis=1)
        memory = after if goes_on is None else xp.where(goes_on, after, memory)
        state = made if goes_on is None else xp.where(goes_on, made, state)
        outputs[t] = made if goes_on is None else xp.where(goes_on, made, 0)
        memories[t] = memory
    return outputs, state, memory, memories, gates


def lstm_grad(
    xp: ArrayModule,
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
    """The gradients of `lstm` with respect to x, the first states, w and the bias.

    Args:
        xp: the array module.
        state, memory, w, lengths, backwards: as for `lstm`.
        outputs, memories, gates: what `lstm` returned.
        given: the gradients with respect to the outputs and the last states.
    """
    steps, batch, wide = gates.shape
    dx = xp.empty_like(gates)
    doutputs, dstate, dmemory = given
    order = list(_steps(xp, steps, lengths, backwards))
    for place, (t, goes_on) in reversed(list(enumerate(order))):
        i, f, g, o = xp.split(gates[t], 4, axis=1)
        before = memories[order[place - 1][0]] if place else memory
        root = xp.tanh(memories[t])
        dh = doutputs[t] + dstate
        dc = dmemory + dh * o * (1 - root * root)
        parts = (dc * g * i * (1 - i), dc * before * f * (1 - f), dc * i * (1 - g * g), dh * root * o * (1 - o))
        dgates = xp.concatenate(parts, axis=1)
        if goes_on is not None:
            dgates = xp.where(goes_on, dgates, 0)
        dx[t] = dgates
        back = dgates @ w
        dstate = back if goes_on is None else xp.where(goes_on, back, dstate)
        dmemory = dc * f if goes_on is None else xp.where(goes_on, dc * f, dmemory)
    before = states_before(xp, outputs, state, lengths, backwards)
    dw = dx.reshape(-1, wide).T @ before.reshape(steps * batch, -1)
    return dx, dstate, dmemory, dw, dx.sum(axis=(0, 1))


def gru(
    xp: ArrayModule, x: Array, state: Array, w: Array, bias: Array, other: Array, lengths: Array | None, backwards: bool
) -> tuple[Array, Array, Array]:
    """GRU (Cho et al. 2014), with biases (3 * units,) of the inputs, `bias`, and of the hidden state, `other`.

    Returns:
        The outputs (T, N, units), the last hidden state (N, units), and for the way back the gates behind their
        nonlinearities with what the reset gate is multiplied by (T, N, 4 * units).
    """
    steps, batch, _ = x.shape
    units = state.shape[1]
    outputs, gates = xp.empty((steps, batch, units), x.dtype), xp.empty((steps, batch, 4 * units), x.dtype)
    x = x + bias
    for t, goes_on in _steps(xp, steps, lengths, backwards):
        of_state = state @ w.T + other
        r, z = (_logistic(xp, x[t, :, part] + of_state[:, part]) for part in (slice(units), slice(units, 2 * units)))
        n = xp.tanh(x[t, :, 2 * units :] + r * of_state[:, 2 * units :])
        made = n + z * (state - n)
        gates[t] = xp.concatenate((r, z, n, of_state[:, 2 * units :]), axis=1)
        state = made if goes_on is None else xp.where(goes_on, made, state)
        outputs[t] = made if goes_on is None else xp.where(goes_on, made, 0)
    return outputs, state, gates


def gru_grad(
    xp: ArrayModule,
    state: Array,
    w: Array,
    lengths: Array | None,
    outputs: Array,
    gates: Array,
    given: tuple[Array, Array],
    backwards: bool,
) -> tuple[Array, Array, Array, Array, Array]:
    """The gradients of `gru` with respect to x, the first state, w and both biases.

    Args:
        xp: the array module.
        state, w, lengths, backwards: as for `gru`.
        outputs, gates: what `gru` returned.
        given: the gradients with respect to the outputs and the last state.
    """
    steps, batch, units = outputs.shape
    dx, dproducts = (xp.empty((steps, batch, 3 * units), gates.dtype) for _ in range(2))
    doutputs, dstate = given
    befores = states_before(xp, outputs, state, lengths, backwards)
    for t, goes_on in reversed(list(_steps(xp, steps, lengths, backwards))):
        r, z, n, of_state = xp.split(gates[t], 4, axis=1)
        dh = doutputs[t] + dstate
        dn, dz = dh * (1 - z) * (1 - n * n), dh * (befores[t] - n) * z * (1 - z)
        dr = dn * of_state * r * (1 - r)
        dx[t], dproducts[t] = xp.concatenate((dr, dz, dn), axis=1), xp.concatenate((dr, dz, dn * r), axis=1)
        if goes_on is not None:
            dx[t], dproducts[t] = xp.where(goes_on, dx[t], 0), xp.where(goes_on, dproducts[t], 0)
        back = dproducts[t] @ w + dh * z
        dstate = back if goes_on is None else xp.where(goes_on, back, dstate)
    flat = dproducts.reshape(-1, 3 * units)
    return dx, dstate, flat.T @ befores.reshape(-1, units), dx.sum(axis=(0, 1)), flat.sum(axis=0)


def states_before(xp: ArrayModule, outputs: Array, state: Array, lengths: Array | None, backwards: bool) -> Array:
    """The hidden state in front of each step (T, N, units), from the outputs and the first state."""
    before = xp.empty_like(outputs)
    if backwards:
        before[:-1], before[-1:] = outputs[1:], state
        if lengths is not None:
            # A row's first step is its last place, and behind it the outputs are 0.
            before[xp.clip(lengths, 1, len(outputs)) - 1, xp.arange(len(lengths))] = state
    else:
        before[1:], before[:1] = outputs[:-1], state
    return before


def _steps(xp: ArrayModule, steps: int, lengths: Array | None, backwards: bool) -> Iterator[tuple[int, Array | None]]:
    """The steps in the order in which they run, each with the rows that have it, (N, 1); None for all rows."""
    for t in reversed(range(steps)) if backwards else range(steps):
        yield t, None if lengths is None else (lengths > t)[:, None]


def _logistic(xp: ArrayModule, x: Array) -> Array:
    """1 / (1 + exp(-x)), by tanh, which does not overflow."""
    return (xp.tanh(x * 0.5) + 1) * 0.5
