"""Long short-term memory (Hochreiter and Schmidhuber 1997), one step and whole sequences.

Gates stand one after another in the weights: input, forget, candidate, output.
"""

from __future__ import annotations

import math
from typing import Any

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.initializer import Uniform, initializer
from framework.common.parameter import Parameter, ParameterTuple
from framework.nn.cell import Cell
from framework.nn.layer.basic import Dropout
from framework.ops import functional as F  # noqa: N812
from framework.ops import operations as P  # noqa: N812

__all__ = ["LSTM", "LSTMCell"]

_matmul = P.MatMul(transpose_b=True)
_gates = P.Split(1, 4)


def lstm_step(gates: Any, c: Any) -> Any:
    """Hidden and cell state of one step.

    Args:
        gates: what input and hidden state give for all gates, before their nonlinearities: (N, 4 * hidden_size).
        c: the cell state (N, hidden_size).

    """
    i, f, g, o = _gates(gates)
    c = F.sigmoid(f) * c + F.sigmoid(i) * F.tanh(g)
    return F.sigmoid(o) * F.tanh(c), c


class LSTMCell(Cell):
    """One step.

    Args:
        input_size: number of features of the input.
        hidden_size: number of features of the states.
        has_bias: whether there are biases.
        dtype: element type of the parameters.

    """

    def __init__(self, input_size: int, hidden_size: int, has_bias: bool = True, dtype: DType = mstype.float32) -> None:
        super().__init__()
        self.has_bias = has_bias
        init = Uniform(1 / math.sqrt(hidden_size))
        self.weight_ih = Parameter(initializer(init, (4 * hidden_size, input_size), dtype), name="weight_ih")
        self.weight_hh = Parameter(initializer(init, (4 * hidden_size, hidden_size), dtype), name="weight_hh")
        if has_bias:
            self.bias_ih = Parameter(initializer(init, (4 * hidden_size,), dtype), name="bias_ih")
            self.bias_hh = Parameter(initializer(init, (4 * hidden_size,), dtype), name="bias_hh")

    def construct(self, x: Any, hx: Any) -> Any:
        """From x (N, input_size) and states (h, c) of shape (N, hidden_size) to the next states."""
        h, c = hx
        gates = _matmul(x, self.weight_ih) + _matmul(h, self.weight_hh)
        if self.has_bias:
            gates = gates + self.bias_ih + self.bias_hh
        return lstm_step(gates, c)


def run_direction(x: Any, h: Any, c: Any, weight_ih: Any, weight_hh: Any, bias: Any, reverse: bool) -> Any:
    """One layer over a whole sequence.

    Args:
        x: the sequence (T, N, features).
        h: the hidden state (N, hidden_size).
        c: the cell state (N, hidden_size).
        weight_ih: (4 * hidden_size, features).
        weight_hh: (4 * hidden_size, hidden_size).
        bias: (4 * hidden_size), or None.
        reverse: from the end.

    Returns:
        The hidden states of all steps (T, N, hidden_size), the last hidden and the last cell state.

    """
    length, batch, features = F.shape(x)
    # The inputs' part of all steps is one product.
    given = _matmul(F.reshape(x, (length * batch, features)), weight_ih)
    if bias is not None:
        given = given + bias
    steps = F.unstack(F.reshape(given, (length, batch, -1)))
    outputs = []
    for t in range(length):
        h, c = lstm_step(steps[length - 1 - t if reverse else t] + _matmul(h, weight_hh), c)
        outputs.append(h)
    if reverse:
        outputs = outputs[::-1]
    return F.stack(outputs), h, c


class LSTM(Cell):
    """Layers of long short-term memory over sequences.

    Args:
        input_size: number of features of the input.
        hidden_size: number of features of the states.
        num_layers: how many layers, each over the outputs of the one before.
        has_bias: whether there are biases.
        batch_first: whether input and output are (N, T, features) in place of (T, N, features).
        dropout: in training, the probability of dropout between layers.
        bidirectional: run over the sequence in both directions and put the outputs beside each other.
        dtype: element type of the parameters.

    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        has_bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        dtype: DType = mstype.float32,
    ) -> None:
        super().__init__()
        self.hidden_size, self.num_layers, self.batch_first = hidden_size, num_layers, batch_first
        self.has_bias, self.bidirectional = has_bias, bidirectional
        self.directions = 2 if bidirectional else 1
        gates, init = 4 * hidden_size, Uniform(1 / math.sqrt(hidden_size))
        shapes: dict[str, list[Any]] = {"weight_ih": [], "weight_hh": [], "bias_ih": [], "bias_hh": []}
        for at in range(num_layers * self.directions):
            suffix = f"_l{at // self.directions}{'_reverse' if at % self.directions else ''}"
            features = input_size if at < self.directions else hidden_size * self.directions
            for kind, shape in [("weight_ih", (gates, features)), ("weight_hh", (gates, hidden_size))]:
                shapes[kind].append(self._parameter(kind + suffix, initializer(init, shape, dtype)))
            for kind in ("bias_ih", "bias_hh") if has_bias else ():
                shapes[kind].append(self._parameter(kind + suffix, initializer(init, (gates,), dtype)))
        self.weights_ih = ParameterTuple(shapes["weight_ih"])
        self.weights_hh = ParameterTuple(shapes["weight_hh"])
        self.biases_ih = ParameterTuple(shapes["bias_ih"])
        self.biases_hh = ParameterTuple(shapes["bias_hh"])
        self.dropout = Dropout(p=dropout)

    def _parameter(self, name: str, first: Any) -> Parameter:
        made = Parameter(first, name=name)
        self.insert_param_to_cell(name, made)
        return made

    def construct(self, x: Any, hx: Any = None) -> Any:
        """From x, and states (h, c) of shape (layers * directions, N, hidden_size), to outputs and the last states."""
        if self.batch_first:
            x = F.transpose(x, (1, 0, 2))
        if hx is None:
            zeros = F.zeros((self.num_layers * self.directions, F.shape(x)[1], self.hidden_size), F.dtype(x))
            hx = (zeros, zeros)
        hs = []
        cs = []
        for layer in range(self.num_layers):
            if layer > 0:
                x = self.dropout(x)
            outputs = []
            for direction in range(self.directions):
                at = layer * self.directions + direction
                bias = self.biases_ih[at] + self.biases_hh[at] if self.has_bias else None
                out, h, c = run_direction(
                    x, hx[0][at], hx[1][at], self.weights_ih[at], self.weights_hh[at], bias, direction == 1
                )
                outputs.append(out)
                hs.append(h)
                cs.append(c)
            x = F.concat(outputs, 2) if self.bidirectional else outputs[0]
        if self.batch_first:
            x = F.transpose(x, (1, 0, 2))
        return x, (F.stack(hs), F.stack(cs))
