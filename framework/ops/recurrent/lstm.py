"""`ops.LSTM`, a layer of long short-term memory (Hochreiter and Schmidhuber 1997) with all its weights in one tensor.

Programs of MindSpore 1.x call the operator, or `nn.LSTMCell` with `batch_first`, which is built of it.
"""

from __future__ import annotations

from framework.common.tensor import Tensor
from framework.ops.array.joining import concat, stack
from framework.ops.array.properties import shape as shape_of
from framework.ops.array.reshaping import reshape
from framework.ops.control.composed import Composed
from framework.ops.creation.filling import zeros
from framework.ops.matrices.products import matmul
from framework.ops.primitive import cached, prim_attr_register
from framework.ops.recurrent.sequences import LSTMSequence

__all__ = ["LSTM"]


class LSTM(Composed):
    """One layer of LSTM over sequences: `(x, h, c, w)`.

    At every step gates i, f, g, o = W x + V h + b, c = sigmoid(f) c + sigmoid(i) tanh(g), h = sigmoid(o) tanh(c).

    Inputs: x, a floating-point tensor of shape (T, N, input_size); the first hidden and the first cell state, both of
    shape (directions, N, hidden_size); the weights in one tensor of any shape: first W of shape
    (directions, 4 * hidden_size, input_size), then V of shape (directions, 4 * hidden_size, hidden_size), then the
    biases (directions, 4 * hidden_size), if there are any.

    Outputs: the hidden states of all steps, (T, N, directions * hidden_size); the last hidden and the last cell states,
    of the shape of the first; the gates of all steps, (directions, T, N, 4 * hidden_size), which have no gradient;
    zeros of shape (1, 1).

    Args:
        input_size: number of features of the input.
        hidden_size: number of features of the states.
        num_layers: 1.
        has_bias: the weights end with biases.
        bidirectional: run over the sequence in both directions and join the outputs.
        dropout: has no effect, because one layer has nothing between layers.

    Example:
        >>> x, state, weights = ops.ones((3, 1, 2)), ops.zeros((1, 1, 2)), ops.zeros((40,))
        >>> y, h, c, *_ = ops.LSTM(2, 2, 1, True, False, 0.0)(x, state, state, weights)
        >>> print(y.shape, h.shape, c.shape)
        (3, 1, 2) (1, 1, 2) (1, 1, 2)
    """

    @prim_attr_register
    def __init__(
        self, input_size: int, hidden_size: int, num_layers: int, has_bias: bool, bidirectional: bool, dropout: float
    ) -> None:
        self.init_prim_io_names(inputs=["x", "h", "c", "w"], outputs=["y", "h_n", "c_n", "reserve", "state"])
        if input_size < 1 or hidden_size < 1:
            raise ValueError(f"{self.name}: input_size {input_size} and hidden_size {hidden_size} must be above 0")
        if num_layers != 1:
            raise NotImplementedError(
                f"{self.name}: num_layers={num_layers}: the operator has one layer, as on MindSpore's CPU; call it "
                "once for each layer, or use nn.LSTM"
            )
        self.directions = 2 if bidirectional else 1

    def __call__(self, x: Tensor, h: Tensor, c: Tensor, w: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
        """Compute the outputs."""
        _steps, batch, features = shape_of(x)
        size, ways = self.hidden_size, self.directions
        if features != self.input_size:
            raise ValueError(f"LSTM: x {shape_of(x)} must have the shape (steps, batch, {self.input_size})")
        if shape_of(h) != (ways, batch, size) or shape_of(c) != (ways, batch, size):
            raise ValueError(f"LSTM: h {shape_of(h)} and c {shape_of(c)} must have the shape {(ways, batch, size)}")
        wide = 4 * size
        if w.size != wide * ways * (features + size + (1 if self.has_bias else 0)):
            count = wide * ways * (features + size + (1 if self.has_bias else 0))
            raise ValueError(
                f"LSTM: w of shape {shape_of(w)} must hold {count} weights, of inputs, of states and biases"
            )
        flat, first = reshape(w, (-1,)), ways * wide * features
        second = first + ways * wide * size
        of_inputs, of_hidden = (
            reshape(flat[:first], (ways, wide, features)),
            reshape(flat[first:second], (ways, wide, size)),
        )
        biases = reshape(flat[second:], (ways, wide)) if self.has_bias else zeros((ways, wide), w.dtype)
        made = []
        for way in range(ways):
            given = matmul(x, of_inputs[way].T)
            sequence = cached(LSTMSequence, way == 1)
            made.append(sequence(given, h[way], c[way], of_hidden[way], biases[way], None))
        y = concat([one[0] for one in made], 2)
        last_h, last_c = stack([one[1] for one in made]), stack([one[2] for one in made])
        return y, last_h, last_c, stack([one[4] for one in made]), zeros((1, 1), x.dtype)
