"""Recurrent networks over whole sequences: stacked layers, in one or both directions."""

from __future__ import annotations

import math
from typing import Any

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.initializer import Uniform, initializer
from framework.common.parameter import Parameter, ParameterTuple
from framework.common.tensor import Tensor
from framework.common.validator import check_positive_int
from framework.nn.cell import Cell
from framework.nn.layer.basic import Dropout
from framework.nn.layer.recurrent.rnn_cells import checked_nonlinearity, gru_step, lstm_step, rnn_step
from framework.ops import functional as F  # noqa: N812
from framework.ops import operations as P  # noqa: N812

__all__ = ["GRU", "LSTM", "RNN"]

_matmul = P.MatMul(transpose_b=True)


class _Recurrent(Cell):
    """Layers of recurrent steps.

    Subclasses define one step in `step`, and the rows of weights per feature in `gates`.

    Args:
        input_size: number of features of the input.
        hidden_size: number of features of the states.
        num_layers: number of layers; each takes the outputs of the one before.
        has_bias: add biases.
        batch_first: use the layout (N, T, features) in place of (T, N, features).
        dropout: probability of dropout between layers in training.
        bidirectional: run over the sequence in both directions and concatenate the outputs.
        dtype: element type of the parameters.

    """

    gates = 1
    #: Whether input and hidden contributions are only added, so that both biases can be summed once.
    adds_only = True

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
        name = type(self).__name__
        for argument, size in (("input_size", input_size), ("hidden_size", hidden_size), ("num_layers", num_layers)):
            check_positive_int(size, f"{name}: {argument}")
        self.hidden_size, self.num_layers, self.batch_first = hidden_size, num_layers, batch_first
        self.input_size, self.has_bias, self.bidirectional = input_size, has_bias, bidirectional
        self.dropout, self.is_lstm = dropout, self.gates == 4
        self.directions = 2 if bidirectional else 1
        rows, init = self.gates * hidden_size, Uniform(1 / math.sqrt(hidden_size))
        shapes: dict[str, list[Any]] = {"weight_ih": [], "weight_hh": [], "bias_ih": [], "bias_hh": []}
        for at in range(num_layers * self.directions):
            suffix = f"_l{at // self.directions}{'_reverse' if at % self.directions else ''}"
            features = input_size if at < self.directions else hidden_size * self.directions
            for kind, shape in [("weight_ih", (rows, features)), ("weight_hh", (rows, hidden_size))]:
                shapes[kind].append(self._parameter(kind + suffix, initializer(init, shape, dtype)))
            for kind in ("bias_ih", "bias_hh") if has_bias else ():
                shapes[kind].append(self._parameter(kind + suffix, initializer(init, (rows,), dtype)))
        self.w_ih_list = ParameterTuple(shapes["weight_ih"])
        self.w_hh_list = ParameterTuple(shapes["weight_hh"])
        self.b_ih_list = ParameterTuple(shapes["bias_ih"])
        self.b_hh_list = ParameterTuple(shapes["bias_hh"])
        self.dropout_op = Dropout(p=dropout)

    def _parameter(self, name: str, first: Tensor) -> Parameter:
        parameter = Parameter(first, name=name)
        self.insert_param_to_cell(name, parameter)
        return parameter

    def step(self, from_input: Tensor, from_hidden: Tensor, states: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        """The states after one step, the hidden state first.

        Args:
            from_input: contributions of the input to all gates, (N, gates * hidden_size).
            from_hidden: contributions of the hidden state, of the same shape.
            states: the states before.

        Returns:
            The new states.
        """
        raise NotImplementedError

    def direction(
        self, x: Tensor, states: tuple[Tensor, ...], at: int, reverse: bool
    ) -> tuple[Tensor, tuple[Tensor, ...]]:
        """One layer over a whole sequence (T, N, features), from its end if `reverse`.

        Args:
            x: inputs of shape (T, N, features).
            states: initial states, each (N, hidden_size).
            at: index of the layer's weights.
            reverse: run from the end of the sequence.

        Returns:
            The hidden states of all steps (T, N, hidden_size), and the last states.
        """
        length, batch, features = F.shape(x)
        # The contributions of the inputs to all steps are one product.
        from_input = _matmul(F.reshape(x, (length * batch, features)), self.w_ih_list[at])
        if self.has_bias:
            from_input = from_input + (
                self.b_ih_list[at] + self.b_hh_list[at] if self.adds_only else self.b_ih_list[at]
            )
        steps = F.unstack(F.reshape(from_input, (length, batch, F.shape(from_input)[1])))
        outputs = []
        for t in range(length):
            from_hidden = _matmul(states[0], self.w_hh_list[at])
            if self.has_bias and not self.adds_only:
                from_hidden = from_hidden + self.b_hh_list[at]
            states = self.step(steps[length - 1 - t if reverse else t], from_hidden, states)
            outputs.append(states[0])
        if reverse:
            outputs = outputs[::-1]
        return F.stack(outputs), states

    def layers(self, x: Tensor, states: tuple[Tensor, ...]) -> tuple[Tensor, tuple[Tensor, ...]]:
        """All layers, from states (layers * directions, N, hidden_size) to the outputs and the last states."""
        if self.batch_first:
            x = F.transpose(x, (1, 0, 2))
        last = []
        for layer in range(self.num_layers):
            if layer > 0:
                x = self.dropout_op(x)
            outputs = []
            for direction in range(self.directions):
                at = layer * self.directions + direction
                out, after = self.direction(x, tuple([state[at] for state in states]), at, direction == 1)
                outputs.append(out)
                last.append(after)
            x = F.concat(outputs, 2) if self.bidirectional else outputs[0]
        if self.batch_first:
            x = F.transpose(x, (1, 0, 2))
        return x, tuple([F.stack([after[i] for after in last]) for i in range(len(states))])

    def zeros(self, x: Tensor) -> Any:
        """An initial state of zeros."""
        batch = F.shape(x)[0 if self.batch_first else 1]
        return F.zeros((self.num_layers * self.directions, batch, self.hidden_size), F.dtype(x))


class LSTM(_Recurrent):
    """Layers of LSTM over sequences (Hochreiter and Schmidhuber 1997).

    Args:
        input_size: number of features of the input.
        hidden_size: number of features of the states.
        num_layers: number of layers; each takes the outputs of the one before.
        has_bias: add biases.
        batch_first: use the layout (N, T, features) in place of (T, N, features).
        dropout: probability of dropout between layers in training.
        bidirectional: run over the sequence in both directions and concatenate the outputs.
        dtype: element type of the parameters.

    Example:
        >>> output, (last, memory) = nn.LSTM(8, 16, batch_first=True)(ops.ones((3, 5, 8)))
        >>> print(output.shape, last.shape, memory.shape)
        (3, 5, 16) (1, 3, 16) (1, 3, 16)

    """

    gates = 4

    def step(self, from_input: Tensor, from_hidden: Tensor, states: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        """The hidden and cell state after one step."""
        return lstm_step(from_input + from_hidden, states[1])

    def construct(self, x: Tensor, hx: tuple[Tensor, Tensor] | None = None) -> Any:
        """Map x and states (h, c) of shape (layers * directions, N, hidden_size), to outputs and the last states."""
        if hx is None:
            zeros = self.zeros(x)
            hx = (zeros, zeros)
        return self.layers(x, hx)


class GRU(_Recurrent):
    """Layers of GRU over sequences (Cho et al. 2014).

    Args:
        input_size: number of features of the input.
        hidden_size: number of features of the state.
        num_layers: number of layers; each takes the outputs of the one before.
        has_bias: add biases.
        batch_first: use the layout (N, T, features) in place of (T, N, features).
        dropout: probability of dropout between layers in training.
        bidirectional: run over the sequence in both directions and concatenate the outputs.
        dtype: element type of the parameters.

    Example:
        >>> output, last = nn.GRU(8, 16, num_layers=2)(ops.ones((5, 3, 8)))
        >>> print(output.shape, last.shape)
        (5, 3, 16) (2, 3, 16)

    """

    gates = 3
    adds_only = False

    def step(self, from_input: Tensor, from_hidden: Tensor, states: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        """The hidden state after one step."""
        return (gru_step(from_input, from_hidden, states[0]),)

    def construct(self, x: Tensor, hx: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Map x and the state (layers * directions, N, hidden_size), to outputs and the last state."""
        out, states = self.layers(x, (self.zeros(x) if hx is None else hx,))
        return out, states[0]


class RNN(_Recurrent):
    """Layers of plain recurrent networks over sequences: h = tanh(W x + b + V h + c) (Elman 1990).

    Args:
        input_size: number of features of the input.
        hidden_size: number of features of the state.
        num_layers: number of layers; each takes the outputs of the one before.
        nonlinearity: "tanh" or "relu".
        has_bias: add biases.
        batch_first: use the layout (N, T, features) in place of (T, N, features).
        dropout: probability of dropout between layers in training.
        bidirectional: run over the sequence in both directions and concatenate the outputs.
        dtype: element type of the parameters.

    Example:
        >>> output, last = nn.RNN(8, 16, bidirectional=True)(ops.ones((5, 3, 8)))
        >>> print(output.shape, last.shape)
        (5, 3, 32) (2, 3, 16)

    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        nonlinearity: str = "tanh",
        has_bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        dtype: DType = mstype.float32,
    ) -> None:
        super().__init__(input_size, hidden_size, num_layers, has_bias, batch_first, dropout, bidirectional, dtype)
        self.nonlinearity = checked_nonlinearity(nonlinearity)

    def step(self, from_input: Tensor, from_hidden: Tensor, states: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        """The hidden state after one step."""
        return (rnn_step(from_input + from_hidden, self.nonlinearity),)

    def construct(self, x: Tensor, hx: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Map x and the state (layers * directions, N, hidden_size), to outputs and the last state."""
        out, states = self.layers(x, (self.zeros(x) if hx is None else hx,))
        return out, states[0]
