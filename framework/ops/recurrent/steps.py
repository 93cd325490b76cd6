"""Recurrent networks step by step, made of primitives: single steps, and sequences as a loop over steps.

The Cells of single steps use these. For the primitives of whole sequences (`sequences.py`) they are the meaning, from
which gradients of higher order come.

The order of the gates in the weights is input, forget, candidate, output for LSTM (Hochreiter and Schmidhuber 1997),
and reset, update, candidate for GRU (Cho et al. 2014).
"""

from __future__ import annotations

from typing import Any

from framework.common.tensor import Tensor
from framework.ops.activation.sigmoids import sigmoid
from framework.ops.array.joining import Split, stack, unstack
from framework.ops.array.reshaping import expand_dims
from framework.ops.creation.filled_like import ZerosLike
from framework.ops.indexing.selecting import select
from framework.ops.mathematics.trigonometry import tanh
from framework.ops.matrices.products import MatMul

__all__ = ["gru_by_steps", "gru_step", "lstm_by_steps", "lstm_step"]

_by_weights = MatMul(transpose_b=True)
_zeros_like = ZerosLike()
_four = Split(1, 4)
_three = Split(1, 3)


def lstm_step(gates: Tensor, c: Tensor) -> tuple[Tensor, Tensor]:
    """The hidden state and the cell state after one step of LSTM.

    Args:
        gates: sums of input and hidden contributions to all gates, before their nonlinearities, (N, 4 * hidden_size).
        c: cell state (N, hidden_size).

    Returns:
        The new hidden state and cell state, both (N, hidden_size).
    """
    i, f, g, o = _four(gates)
    c = sigmoid(f) * c + sigmoid(i) * tanh(g)
    return sigmoid(o) * tanh(c), c


def gru_step(from_input: Tensor, from_hidden: Tensor, h: Tensor) -> Any:
    """The hidden state after one step of GRU.

    Args:
        from_input: contributions of the input to all gates, before their nonlinearities, (N, 3 * hidden_size).
        from_hidden: contributions of the hidden state, of the same shape.
        h: hidden state (N, hidden_size).

    Returns:
        The new hidden state (N, hidden_size).
    """
    r, z, n = _three(from_input)
    of_r, of_z, of_n = _three(from_hidden)
    update = sigmoid(z + of_z)
    candidate = tanh(n + sigmoid(r + of_r) * of_n)
    return candidate + update * (h - candidate)


def lstm_by_steps(
    x: Tensor, h: Tensor, c: Tensor, w: Tensor, bias: Tensor, lengths: Tensor | None, backwards: bool
) -> tuple[Tensor, Tensor, Tensor]:
    """LSTM over a sequence, as `LSTMSequence`: the outputs and the last states."""
    steps = unstack(x)
    outputs = []
    for i in range(len(steps)):
        t = len(steps) - 1 - i if backwards else i
        after, memory = lstm_step(steps[t] + _by_weights(h, w) + bias, c)
        if lengths is None:
            h, c = after, memory
            outputs.append(after)
        else:
            goes_on = expand_dims(lengths > t, 1)
            h, c = select(goes_on, after, h), select(goes_on, memory, c)
            outputs.append(select(goes_on, after, _zeros_like(after)))
    if backwards:
        outputs = outputs[::-1]
    return stack(outputs), h, c


def gru_by_steps(
    x: Tensor, h: Tensor, w: Tensor, bias: Tensor, other: Tensor, lengths: Tensor | None, backwards: bool
) -> tuple[Tensor, Tensor]:
    """GRU over a sequence, as `GRUSequence`: the outputs and the last state."""
    steps = unstack(x)
    outputs = []
    for i in range(len(steps)):
        t = len(steps) - 1 - i if backwards else i
        after = gru_step(steps[t] + bias, _by_weights(h, w) + other, h)
        if lengths is None:
            h = after
            outputs.append(after)
        else:
            goes_on = expand_dims(lengths > t, 1)
            h = select(goes_on, after, h)
            outputs.append(select(goes_on, after, _zeros_like(after)))
    if backwards:
        outputs = outputs[::-1]
    return stack(outputs), h
