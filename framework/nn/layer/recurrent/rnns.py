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
from framework.nn.layer.recurrent.rnn_cells import checked_nonlinearity, rnn_step
from framework.ops import functional as F  # noqa: N812
from framework.ops import operations as P  # noqa: N812

__all__ = ["GRU", "LSTM", "RNN"]

_matmul = P.MatMul(transpose_b=True)
_lstm, _lstm_backwards = P.LSTMSequence(), P.LSTMSequence(True)
_gru, _gru_backwards = P.GRUSequence(), P.GRUSequence(True)


class _Recurrent(Cell):
    """Layers of recurrent steps.

    Subclasses define the steps in `run`, and the rows of weights per feature in `gates`.

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
    #: The number of states.
    state_count = 1

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

    def run(
        self, from_input: Tensor, states: tuple[Tensor, ...], at: int, lengths: Tensor | None, reverse: bool
    ) -> tuple[Tensor, tuple[Tensor, ...]]:
        """The steps of one layer in one direction.

        Args:
            from_input: contributions of the inputs to all gates, without biases, (T, N, gates * hidden_size).
            states: initial states, the hidden state first, each (N, hidden_size).
            at: index of the layer's weights.
            lengths: numbers of steps of each row (N,); None for all.
            reverse: run from the end of the sequence.

        Returns:
            The hidden states of all steps (T, N, hidden_size), and the last states.
        """
        raise NotImplementedError

    def direction(
        self, x: Tensor, states: tuple[Tensor, ...], at: int, lengths: Tensor | None, reverse: bool
    ) -> tuple[Tensor, tuple[Tensor, ...]]:
        """As `run`, from the inputs themselves, (T, N, features)."""
        length, batch, features = F.shape(x)
        # The contributions of the inputs to all steps are one product.
        from_input = _matmul(F.reshape(x, (length * batch, features)), self.w_ih_list[at])
        return self.run(F.reshape(from_input, (length, batch, F.shape(from_input)[1])), states, at, lengths, reverse)

    def layers(
        self, x: Tensor, states: tuple[Tensor, ...] | None, lengths: Tensor | None
    ) -> tuple[Tensor, tuple[Tensor, ...]]:
        """All layers, from states (layers * directions, N, hidden_size) to the outputs and the last states.

        Args:
            x: the inputs.
            states: the initial states; None for zeros.
            lengths: numbers of steps of each row (N,); None for all.
        """
        if self.batch_first:
            x = F.transpose(x, (1, 0, 2))
        if states is None:
            zeros = F.zeros((F.shape(x)[1], self.hidden_size), F.dtype(x))
            firsts: list[Any] = [[zeros] * (self.num_layers * self.directions)] * self.state_count
        else:
            firsts = [F.unstack(state) for state in states]
        last = []
        for layer in range(self.num_layers):
            if layer > 0:
                x = self.dropout_op(x)
            outputs = []
            for direction in range(self.directions):
                at = layer * self.directions + direction
                out, after = self.direction(x, tuple([first[at] for first in firsts]), at, lengths, direction == 1)
                outputs.append(out)
                last.append(after)
            x = F.concat(outputs, 2) if self.bidirectional else outputs[0]
        if self.batch_first:
            x = F.transpose(x, (1, 0, 2))
        if len(last) == 1:
            return x, tuple([F.expand_dims(state, 0) for state in last[0]])
        return x, tuple([F.stack([after[i] for after in last]) for i in range(self.state_count)])

    def bias(self, at: int) -> Any:
        """The sum of both biases of a layer's direction, for gates that only add them."""
        return self.b_ih_list[at] + self.b_hh_list[at] if self.has_bias else self.no_bias(at)

    def no_bias(self, at: int) -> Any:
        """Biases of 0."""
        w = self.w_hh_list[at]
        return F.zeros((F.shape(w)[0],), F.dtype(w))


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
    state_count = 2

    def run(
        self, from_input: Tensor, states: tuple[Tensor, ...], at: int, lengths: Tensor | None, reverse: bool
    ) -> tuple[Tensor, tuple[Tensor, ...]]:
        """The steps of one layer in one direction."""
        sequence = _lstm_backwards if reverse else _lstm
        outputs, h, c, _, _ = sequence(from_input, states[0], states[1], self.w_hh_list[at], self.bias(at), lengths)
        return outputs, (h, c)

    def construct(self, x: Tensor, hx: tuple[Tensor, Tensor] | None = None, seq_length: Tensor | None = None) -> Any:
        """Map x and states (h, c) of shape (layers * directions, N, hidden_size), to outputs and the last states.

        Args:
            x: inputs (T, N, input_size), or (N, T, input_size) with `batch_first`.
            hx: the initial states; None for zeros.
            seq_length: integers (N,), the number of steps of each sequence; None for T. Behind its length a sequence
                keeps its states, and its outputs are 0.

        Returns:
            The outputs (T, N, directions * hidden_size), in the layout of x, and the last states (h, c).
        """
        return self.layers(x, hx, seq_length)


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

    def run(
        self, from_input: Tensor, states: tuple[Tensor, ...], at: int, lengths: Tensor | None, reverse: bool
    ) -> tuple[Tensor, tuple[Tensor, ...]]:
        """The steps of one layer in one direction."""
        if self.has_bias:
            bias, other = self.b_ih_list[at], self.b_hh_list[at]
        else:
            bias = other = self.no_bias(at)
        sequence = _gru_backwards if reverse else _gru
        outputs, h, _ = sequence(from_input, states[0], self.w_hh_list[at], bias, other, lengths)
        return outputs, (h,)

    def construct(self, x: Tensor, hx: Tensor | None = None, seq_length: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Map x and the state (layers * directions, N, hidden_size), to outputs and the last state.

        Args:
            x: inputs (T, N, input_size), or (N, T, input_size) with `batch_first`.
            hx: the initial state; None for zeros.
            seq_length: integers (N,), the number of steps of each sequence; None for T. Behind its length a sequence
                keeps its state, and its outputs are 0.

        Returns:
            The outputs (T, N, directions * hidden_size), in the layout of x, and the last state.
        """
        out, states = self.layers(x, None if hx is None else (hx,), seq_length)
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

    def run(
        self, from_input: Tensor, states: tuple[Tensor, ...], at: int, lengths: Tensor | None, reverse: bool
    ) -> tuple[Tensor, tuple[Tensor, ...]]:
        """The steps of one layer in one direction."""
        h, steps = states[0], F.unstack(from_input + self.bias(at) if self.has_bias else from_input)
        outputs = []
        for i in range(len(steps)):
            t = len(steps) - 1 - i if reverse else i
            after = rnn_step(steps[t] + _matmul(h, self.w_hh_list[at]), self.nonlinearity)
            if lengths is None:
                h = after
                outputs.append(after)
            else:
                goes_on = F.expand_dims(lengths > t, 1)
                h = F.select(goes_on, after, h)
                outputs.append(F.select(goes_on, after, F.zeros_like(after)))
        if reverse:
            outputs = outputs[::-1]
        return F.stack(outputs), (h,)

    def construct(self, x: Tensor, hx: Tensor | None = None, seq_length: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Map x and the state (layers * directions, N, hidden_size), to outputs and the last state.

        Args:
            x: inputs (T, N, input_size), or (N, T, input_size) with `batch_first`.
            hx: the initial state; None for zeros.
            seq_length: integers (N,), the number of steps of each sequence; None for T. Behind its length a sequence
                keeps its state, and its outputs are 0.

        Returns:
            The outputs (T, N, directions * hidden_size), in the layout of x, and the last state.
        """
        out, states = self.layers(x, None if hx is None else (hx,), seq_length)
        return out, states[0]
