"""One step of recurrent networks, and what a step computes; whole sequences are in `rnns`.

The order of gates in the weights: of long short-term memory (Hochreiter and Schmidhuber 1997) input, forget,
candidate, output; of gated recurrent units (Cho et al. 2014) reset, update, candidate.
"""

from __future__ import annotations

import math
from typing import Any

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.initializer import Uniform, initializer
from framework.common.parameter import Parameter
from framework.common.tensor import Tensor
from framework.nn.cell import Cell
from framework.ops import functional as F  # noqa: N812
from framework.ops import operations as P  # noqa: N812

__all__ = ["GRUCell", "LSTMCell", "RNNCell"]

_matmul = P.MatMul(transpose_b=True)
_four = P.Split(1, 4)
_three = P.Split(1, 3)


def lstm_step(gates: Tensor, c: Tensor) -> tuple[Tensor, Tensor]:
    """Hidden and cell state of one step.

    Args:
        gates: what input and hidden state give for all gates, before their nonlinearities: (N, 4 * hidden_size).
        c: the cell state (N, hidden_size).

    """
    i, f, g, o = _four(gates)
    c = F.sigmoid(f) * c + F.sigmoid(i) * F.tanh(g)
    return F.sigmoid(o) * F.tanh(c), c


def gru_step(given: Tensor, kept: Tensor, h: Tensor) -> Any:
    """The hidden state of one step.

    Args:
        given: what the input gives for all gates, before their nonlinearities: (N, 3 * hidden_size).
        kept: what the hidden state gives, likewise.
        h: the hidden state (N, hidden_size).

    """
    r, z, n = _three(given)
    of_r, of_z, of_n = _three(kept)
    update = F.sigmoid(z + of_z)
    candidate = F.tanh(n + F.sigmoid(r + of_r) * of_n)
    return candidate + update * (h - candidate)


def rnn_step(total: Tensor, nonlinearity: str) -> Any:
    """The hidden state of one step: tanh or relu of what input and hidden state give together."""
    return F.relu(total) if nonlinearity == "relu" else F.tanh(total)


def checked_nonlinearity(name: str) -> str:
    """ "tanh" or "relu".

    Raises:
        ValueError: it is neither.

    """
    if name not in ("tanh", "relu"):
        raise ValueError(f"nonlinearity must be tanh or relu, not {name!r}")
    return name


class _Step(Cell):
    """The weights of one step, which begin uniform within 1 / sqrt(hidden_size)."""

    def __init__(self, input_size: int, hidden_size: int, has_bias: bool, gates: int, dtype: DType) -> None:
        super().__init__()
        self.input_size, self.hidden_size, self.has_bias = input_size, hidden_size, has_bias
        init, rows = Uniform(1 / math.sqrt(hidden_size)), gates * hidden_size
        self.weight_ih = Parameter(initializer(init, (rows, input_size), dtype), name="weight_ih")
        self.weight_hh = Parameter(initializer(init, (rows, hidden_size), dtype), name="weight_hh")
        if has_bias:
            self.bias_ih = Parameter(initializer(init, (rows,), dtype), name="bias_ih")
            self.bias_hh = Parameter(initializer(init, (rows,), dtype), name="bias_hh")

    def products(self, x: Tensor, h: Tensor) -> tuple[Tensor, Tensor]:
        """What the input and what the hidden state give."""
        given, kept = _matmul(x, self.weight_ih), _matmul(h, self.weight_hh)
        if self.has_bias:
            given, kept = given + self.bias_ih, kept + self.bias_hh
        return given, kept

    def extend_repr(self) -> str:
        """Sizes and bias."""
        return f"input_size={self.input_size}, hidden_size={self.hidden_size}, has_bias={self.has_bias}"


class LSTMCell(_Step):
    """One step of long short-term memory.

    Args:
        input_size: number of features of the input.
        hidden_size: number of features of the states.
        has_bias: whether there are biases.
        dtype: element type of the parameters.

    Example:
        >>> hidden, memory = nn.LSTMCell(8, 16)(ops.ones((3, 8)), (ops.zeros((3, 16)), ops.zeros((3, 16))))
        >>> print(hidden.shape, memory.shape)
        (3, 16) (3, 16)

    """

    def __init__(self, input_size: int, hidden_size: int, has_bias: bool = True, dtype: DType = mstype.float32) -> None:
        super().__init__(input_size, hidden_size, has_bias, 4, dtype)

    def construct(self, x: Tensor, hx: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor]:
        """From x (N, input_size) and states (h, c) of shape (N, hidden_size) to the next states."""
        given, kept = self.products(x, hx[0])
        return lstm_step(given + kept, hx[1])


class GRUCell(_Step):
    """One step of gated recurrent units.

    Args:
        input_size: number of features of the input.
        hidden_size: number of features of the state.
        has_bias: whether there are biases.
        dtype: element type of the parameters.

    Example:
        >>> print(nn.GRUCell(8, 16)(ops.ones((3, 8)), ops.zeros((3, 16))).shape)
        (3, 16)

    """

    def __init__(self, input_size: int, hidden_size: int, has_bias: bool = True, dtype: DType = mstype.float32) -> None:
        super().__init__(input_size, hidden_size, has_bias, 3, dtype)

    def construct(self, x: Tensor, hx: Tensor) -> Any:
        """From x (N, input_size) and the state (N, hidden_size) to the next state."""
        given, kept = self.products(x, hx)
        return gru_step(given, kept, hx)


class RNNCell(_Step):
    """One step of a plain recurrent network: tanh(W x + b + V h + c) (Elman 1990).

    Args:
        input_size: number of features of the input.
        hidden_size: number of features of the state.
        has_bias: whether there are biases.
        nonlinearity: "tanh" or "relu".
        dtype: element type of the parameters.

    Example:
        >>> print(nn.RNNCell(8, 16)(ops.ones((3, 8)), ops.zeros((3, 16))).shape)
        (3, 16)

    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        has_bias: bool = True,
        nonlinearity: str = "tanh",
        dtype: DType = mstype.float32,
    ) -> None:
        super().__init__(input_size, hidden_size, has_bias, 1, dtype)
        self.nonlinearity = checked_nonlinearity(nonlinearity)

    def construct(self, x: Tensor, hx: Tensor) -> Any:
        """From x (N, input_size) and the state (N, hidden_size) to the next state."""
        given, kept = self.products(x, hx)
        return rnn_step(given + kept, self.nonlinearity)
