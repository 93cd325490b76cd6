"""Single steps of recurrent networks; `rnns` runs whole sequences.

The order of the gates in the weights is input, forget, candidate, output for LSTM (Hochreiter and Schmidhuber 1997),
and reset, update, candidate for GRU (Cho et al. 2014).
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
from framework.ops.recurrent.steps import gru_step, lstm_step

__all__ = ["GRUCell", "LSTMCell", "RNNCell"]

_matmul = P.MatMul(transpose_b=True)


def rnn_step(total: Tensor, nonlinearity: str) -> Any:
    """The hidden state after one step: tanh or relu of the sum of input and hidden contributions."""
    return F.relu(total) if nonlinearity == "relu" else F.tanh(total)


def checked_nonlinearity(name: str) -> str:
    """The nonlinearity, "tanh" or "relu".

    Raises:
        ValueError: it is another one.
    """
    if name not in ("tanh", "relu"):
        raise ValueError(f"nonlinearity must be 'tanh' or 'relu', not {name!r}")
    return name


class _Step(Cell):
    """Base class of single steps. The weights are initialized uniformly within 1 / sqrt(hidden_size)."""

    def __init__(self, input_size: int, hidden_size: int, has_bias: bool, gates: int, dtype: DType) -> None:
        super().__init__()
        self.input_size, self.hidden_size, self.has_bias = input_size, hidden_size, has_bias
        init, rows = Uniform(1 / math.sqrt(hidden_size)), gates * hidden_size
        self.weight_ih = Parameter(initializer(init, (rows, input_size), dtype), name="weight_ih")
        self.weight_hh = Parameter(initializer(init, (rows, hidden_size), dtype), name="weight_hh")
        self.bias_ih = self.bias_hh = None
        if has_bias:
            self.bias_ih = Parameter(initializer(init, (rows,), dtype), name="bias_ih")
            self.bias_hh = Parameter(initializer(init, (rows,), dtype), name="bias_hh")

    def products(self, x: Tensor, h: Tensor) -> tuple[Tensor, Tensor]:
        """The contributions of the input and of the hidden state to the gates."""
        from_input, from_hidden = _matmul(x, self.weight_ih), _matmul(h, self.weight_hh)
        if self.has_bias:
            from_input, from_hidden = from_input + self.bias_ih, from_hidden + self.bias_hh
        return from_input, from_hidden

    def extend_repr(self) -> str:
        """The sizes and the bias."""
        return f"input_size={self.input_size}, hidden_size={self.hidden_size}, has_bias={self.has_bias}"


class LSTMCell(_Step):
    """One step of LSTM, long short-term memory.

    Args:
        input_size: number of features of the input.
        hidden_size: number of features of the states.
        has_bias: add biases.
        dtype: element type of the parameters.
        batch_first: given, also as False, this is the Cell of that name in MindSpore 1.x: a layer over a whole
            sequence, called as `cell(x, h, c, w)` with the weights of `ops.LSTM`, which it returns the outputs of.
            True for x of shape (N, T, features) in place of (T, N, features).
        dropout: of MindSpore 1.x; has no effect, because one layer has nothing between layers.
        bidirectional: of MindSpore 1.x: run over the sequence in both directions.

    Example:
        >>> hidden, memory = nn.LSTMCell(8, 16)(ops.ones((3, 8)), (ops.zeros((3, 16)), ops.zeros((3, 16))))
        >>> print(hidden.shape, memory.shape)
        (3, 16) (3, 16)

    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        has_bias: bool = True,
        dtype: DType = mstype.float32,
        *,
        batch_first: bool | None = None,
        dropout: float = 0.0,
        bidirectional: bool = False,
    ) -> None:
        is_layer = batch_first is not None or bidirectional
        if not is_layer:
            super().__init__(input_size, hidden_size, has_bias, 4, dtype)
            self.layer = None
            return
        Cell.__init__(self)
        self.input_size, self.hidden_size, self.has_bias = input_size, hidden_size, has_bias
        self.batch_first = bool(batch_first)
        self.layer = P.LSTM(input_size, hidden_size, 1, has_bias, bidirectional, float(dropout))

    def construct(self, x: Tensor, hx: Any, c: Tensor | None = None, w: Tensor | None = None) -> Any:
        """Map x (N, input_size) and states (h, c) of shape (N, hidden_size) to the next states."""
        if self.layer is None:
            from_input, from_hidden = self.products(x, hx[0])
            return lstm_step(from_input + from_hidden, hx[1])
        if c is None or w is None:
            raise ValueError("LSTMCell: a layer over a sequence takes the cell state c and the weights w, too")
        y, h, c, reserve, state = self.layer(F.transpose(x, (1, 0, 2)) if self.batch_first else x, hx, c, w)
        return F.transpose(y, (1, 0, 2)) if self.batch_first else y, h, c, reserve, state


class GRUCell(_Step):
    """One step of GRU, gated recurrent units.

    Args:
        input_size: number of features of the input.
        hidden_size: number of features of the state.
        has_bias: add biases.
        dtype: element type of the parameters.

    Example:
        >>> print(nn.GRUCell(8, 16)(ops.ones((3, 8)), ops.zeros((3, 16))).shape)
        (3, 16)

    """

    def __init__(self, input_size: int, hidden_size: int, has_bias: bool = True, dtype: DType = mstype.float32) -> None:
        super().__init__(input_size, hidden_size, has_bias, 3, dtype)

    def construct(self, x: Tensor, hx: Tensor) -> Any:
        """Map x (N, input_size) and the state (N, hidden_size) to the next state."""
        from_input, from_hidden = self.products(x, hx)
        return gru_step(from_input, from_hidden, hx)


class RNNCell(_Step):
    """One step of a plain recurrent network: tanh(W x + b + V h + c) (Elman 1990).

    Args:
        input_size: number of features of the input.
        hidden_size: number of features of the state.
        has_bias: add biases.
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
        """Map x (N, input_size) and the state (N, hidden_size) to the next state."""
        from_input, from_hidden = self.products(x, hx)
        return rnn_step(from_input + from_hidden, self.nonlinearity)
