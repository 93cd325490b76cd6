"""`ops.LSTM`, a layer of long short-term memory (Hochreiter and Schmidhuber 1997) with all its weights in one tensor.

Programs of MindSpore 1.x call the operator, or `nn.LSTMCell` with `batch_first`, which is built of it.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.ops.arrays import Array, ArrayModule
from framework.ops.gradients import Bprop, bprop_getters
from framework.ops.primitive import PrimitiveWithInfer, cached, prim_attr_register
from framework.ops.shapes import Dims

__all__ = ["LSTM", "LSTMGrad"]


class _Layer(PrimitiveWithInfer):
    """One layer of LSTM in one or both directions.

    Args:
        input_size: number of features of the input.
        hidden_size: number of features of the states.
        num_layers: 1.
        has_bias: the weights end with biases.
        bidirectional: run over the sequence in both directions.
        dropout: 0.0, because one layer has nothing between layers.
    """

    takes = MappingProxyType(dict.fromkeys(range(4), mstype.float_type))

    @prim_attr_register
    def __init__(
        self, input_size: int, hidden_size: int, num_layers: int, has_bias: bool, bidirectional: bool, dropout: float
    ) -> None:
        if input_size < 1 or hidden_size < 1:
            raise ValueError(f"{self.name}: input_size {input_size} and hidden_size {hidden_size} must be above 0")
        if num_layers != 1:
            raise NotImplementedError(
                f"{self.name}: num_layers={num_layers}: the operator has one layer, as on MindSpore's CPU; call it "
                "once for each layer, or use nn.LSTM"
            )
        self.directions = 2 if bidirectional else 1

    def weights(self, w: Array) -> list[tuple[Array, Array, Array | None]]:
        """Of each direction the weights of inputs (4H, I) and of hidden states (4H, H), and the biases (4H,)."""
        size, features, ways = 4 * self.hidden_size, self.input_size, self.directions
        flat = w.reshape(-1)
        first, second = ways * size * features, ways * size * (features + self.hidden_size)
        of_inputs = flat[:first].reshape(ways, size, features)
        of_hidden = flat[first:second].reshape(ways, size, self.hidden_size)
        biases = flat[second:].reshape(ways, size) if self.has_bias else [None] * ways
        return list(zip(of_inputs, of_hidden, biases, strict=True))

    def check(self, x: Dims, h: Dims, c: Dims, w: Dims) -> None:
        """Raise ValueError unless the shapes fit."""
        if len(x) != 3 or x[2] not in (self.input_size, None):
            raise ValueError(f"{self.name}: x {x} must have the shape (steps, batch, {self.input_size})")
        wanted = (self.directions, x[1], self.hidden_size)
        if h != wanted or c != wanted:
            raise ValueError(f"{self.name}: h {h} and c {c} must have the shape {wanted}")
        size = 4 * self.hidden_size * self.directions * (self.input_size + self.hidden_size + bool(self.has_bias))
        count = 1
        for dim in w:
            count *= dim if dim is not None else size
        if count != size:
            raise ValueError(f"{self.name}: w of shape {w} must hold {size} weights, of inputs, of states and biases")


class LSTM(_Layer):
    """One layer of LSTM over sequences: `(x, h, c, w)`.

    At every step gates i, f, g, o = W x + V h + b, c = sigmoid(f) c + sigmoid(i) tanh(g), h = sigmoid(o) tanh(c).

    Inputs: x, a floating-point tensor of shape (T, N, input_size); the first hidden and the first cell state, both of
    shape (directions, N, hidden_size); the weights in one tensor of any shape: first W of shape
    (directions, 4 * hidden_size, input_size), then V of shape (directions, 4 * hidden_size, hidden_size), then the
    biases (directions, 4 * hidden_size), if there are any.

    Outputs: the hidden states of all steps, (T, N, directions * hidden_size); the last hidden and the last cell states,
    of the shape of the first; what the gradient needs, of shape (directions, T, N, 5, hidden_size); zeros of shape
    (1, 1). The last two have no gradient.

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
        super().__init__(input_size, hidden_size, num_layers, has_bias, bidirectional, dropout)
        names = ["y", "h_n", "c_n", "reserve", "state"]
        self.init_prim_io_names(inputs=["x", "h", "c", "w"], outputs=names)

    def infer_shape(self, x: Dims, h: Dims, c: Dims, w: Dims) -> tuple[Dims, ...]:
        self.check(x, h, c, w)
        steps, batch, _ = x
        size, ways = self.hidden_size, self.directions
        return (steps, batch, ways * size), h, c, (ways, steps, batch, 5, size), (1, 1)

    def infer_dtype(self, x: DType, h: DType, c: DType, w: DType) -> tuple[DType, ...]:
        if not x == h == c == w:
            raise TypeError(f"{self.name}: x {x}, h {h}, c {c} and w {w} must have one element type")
        return x, x, x, x, x

    def compute(self, xp: ArrayModule, x: Array, h: Array, c: Array, w: Array) -> tuple[Array, ...]:
        self.check(x.shape, h.shape, c.shape, w.shape)
        steps, batch, _ = x.shape
        size = self.hidden_size
        y = xp.empty((steps, batch, self.directions, size), x.dtype)
        reserve = xp.empty((self.directions, steps, batch, 5, size), x.dtype)
        last_h, last_c = xp.empty_like(h), xp.empty_like(c)
        for way, (of_inputs, of_hidden, bias) in enumerate(self.weights(w)):
            # The contributions of the inputs to all steps are one product.
            given = x.reshape(steps * batch, -1) @ of_inputs.T
            given = (given if bias is None else given + bias).reshape(steps, batch, 4, size)
            hidden, cell, across = h[way], c[way], xp.ascontiguousarray(of_hidden.T)
            for t in _order(steps, way):
                kept = reserve[way, t]
                gates = given[t] + (hidden @ across).reshape(batch, 4, size)
                kept[:, :4] = _sigmoid(xp, gates)
                kept[:, 2] = xp.tanh(gates[:, 2])
                cell = kept[:, 1] * cell + kept[:, 0] * kept[:, 2]
                kept[:, 4] = cell
                hidden = kept[:, 3] * xp.tanh(cell)
                y[t, :, way] = hidden
            last_h[way], last_c[way] = hidden, cell
        return y.reshape(steps, batch, -1), last_h, last_c, reserve, xp.zeros((1, 1), x.dtype)


class LSTMGrad(_Layer):
    """The gradient of `LSTM`: `(x, h, c, w, y, reserve, dy, dh_n, dc_n)`.

    Inputs: the inputs of `LSTM`, its first and its fourth output, and the gradients with respect to its first three.
    Outputs: the gradients with respect to x, h, c and w; they have no gradient of their own.

    Args:
        input_size: as for `LSTM`.
        hidden_size: as for `LSTM`.
        num_layers: 1.
        has_bias: as for `LSTM`.
        bidirectional: as for `LSTM`.
        dropout: as for `LSTM`.

    Example:
        >>> x, state, weights = ops.ones((3, 1, 2)), ops.zeros((1, 1, 2)), ops.zeros((40,))
        >>> layer = ops.LSTM(2, 2, 1, True, False, 0.0)
        >>> print(ms.grad(lambda w: layer(x, state, state, w)[1].sum())(weights)[:4])
        [0. 0. 0. 0.]
    """

    @prim_attr_register
    def __init__(
        self, input_size: int, hidden_size: int, num_layers: int, has_bias: bool, bidirectional: bool, dropout: float
    ) -> None:
        super().__init__(input_size, hidden_size, num_layers, has_bias, bidirectional, dropout)
        given = ["x", "h", "c", "w", "y", "reserve", "dy", "dh_n", "dc_n"]
        self.init_prim_io_names(inputs=given, outputs=["dx", "dh", "dc", "dw"])

    def infer_shape(self, x: Dims, h: Dims, c: Dims, w: Dims, *others: Dims) -> tuple[Dims, ...]:
        return x, h, c, w

    def infer_dtype(self, x: DType, h: DType, c: DType, w: DType, *others: DType) -> tuple[DType, ...]:
        return x, h, c, w

    def compute(self, xp: ArrayModule, x: Array, h: Array, c: Array, w: Array, *others: Array) -> tuple[Array, ...]:
        y, reserve, dy, last_dh, last_dc = others
        steps, batch, _ = x.shape
        size, ways = self.hidden_size, self.directions
        y, dy = y.reshape(steps, batch, ways, size), dy.reshape(steps, batch, ways, size)
        dx, dw = xp.zeros_like(x), xp.zeros_like(w)
        dh, dc = xp.empty_like(h), xp.empty_like(c)
        slopes = self.weights(dw)
        for way, (of_inputs, of_hidden, _) in enumerate(self.weights(w)):
            order = list(_order(steps, way))
            by_gates = xp.empty((steps, batch, 4, size), x.dtype)
            before_h, before_c = xp.empty((2, steps, batch, size), x.dtype)
            for place, t in enumerate(order):
                before_h[t] = y[order[place - 1], :, way] if place else h[way]
                before_c[t] = reserve[way, order[place - 1], :, 4] if place else c[way]
            by_hidden, by_cell = last_dh[way], last_dc[way]
            for t in reversed(order):
                i, f, g, o, cell = (reserve[way, t, :, at] for at in range(5))
                bounded = xp.tanh(cell)
                by_hidden = by_hidden + dy[t, :, way]
                by_cell = by_cell + by_hidden * o * (1 - bounded * bounded)
                by_gates[t, :, 0] = by_cell * g * i * (1 - i)
                by_gates[t, :, 1] = by_cell * before_c[t] * f * (1 - f)
                by_gates[t, :, 2] = by_cell * i * (1 - g * g)
                by_gates[t, :, 3] = by_hidden * bounded * o * (1 - o)
                by_hidden = by_gates[t].reshape(batch, -1) @ of_hidden
                by_cell = by_cell * f
            flat = by_gates.reshape(steps * batch, -1)
            dx += (flat @ of_inputs).reshape(x.shape)
            slopes[way][0][...] = flat.T @ x.reshape(steps * batch, -1)
            slopes[way][1][...] = flat.T @ before_h.reshape(steps * batch, -1)
            bias = slopes[way][2]
            if bias is not None:
                bias[...] = flat.sum(axis=0)
            dh[way], dc[way] = by_hidden, by_cell
        return dx, dh, dc, dw


@bprop_getters.register(LSTM)
def get_bprop_lstm(self: LSTM) -> Bprop:
    """Back through time (Werbos 1990), from what the forward pass has kept."""
    grad = cached(
        LSTMGrad, self.input_size, self.hidden_size, self.num_layers, self.has_bias, self.bidirectional, self.dropout
    )

    def bprop(x: Tensor, h: Tensor, c: Tensor, w: Tensor, out: tuple[Tensor, ...], dout: tuple[Tensor, ...]) -> Any:
        return grad(x, h, c, w, out[0], out[3], dout[0], dout[1], dout[2])

    return bprop


def _order(steps: int, way: int) -> range:
    """The steps in the order in which a direction takes them."""
    return range(steps - 1, -1, -1) if way else range(steps)


def _sigmoid(xp: ArrayModule, x: Array) -> Array:
    # By the hyperbolic tangent, which does not overflow.
    return 0.5 * xp.tanh(0.5 * x) + 0.5
