"""Layers of LSTM and GRU over whole sequences as single primitives, which `nn.LSTM` and `nn.GRU` call.

One kernel computes all steps, and another one the way back. The gradients of the latter, for higher orders, come from
the same layer step by step (`steps.py`).
"""

from __future__ import annotations

import functools
from types import MappingProxyType
from typing import Any

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.kernels import accelerated
from framework.ops.arrays import Array, ArrayModule
from framework.ops.elementwise import promoted
from framework.ops.gradients import Bprop, bprop_getters
from framework.ops.primitive import PrimitiveWithInfer, cached, prim_attr_register
from framework.ops.recurrent.steps import gru_by_steps, lstm_by_steps
from framework.ops.shapes import Dims

__all__ = ["GRUSequence", "GRUSequenceGrad", "LSTMSequence", "LSTMSequenceGrad"]


def _check(gates: int, x: Dims, w: Dims, states: tuple[Dims, ...], biases: tuple[Dims, ...], lengths: Any) -> Any:
    """The steps, the rows and the units of a sequence.

    Raises:
        ValueError: shapes do not fit; the message has what they must be.
    """
    known = len(x) == 3 and len(w) == 2
    steps, rows, wide = x if known else (None, None, None)
    units = w[1] if known else None
    wanted = [(x, (steps, rows, None if units is None else gates * units)), (w, (wide, units))]
    wanted += [(state, (rows, units)) for state in states] + [(bias, (wide,)) for bias in biases]
    wanted += [] if lengths is None else [(lengths, (rows,))]
    if not known or not all(_fits(shape, dims) for shape, dims in wanted):
        raise ValueError(
            f"x {x} must have shape (T, N, {gates} * units), w {w} ({gates} * units, units), states "
            f"{', '.join(map(str, states))} (N, units), biases {', '.join(map(str, biases))} ({gates} * units,)"
            f"{'' if lengths is None else f', lengths {lengths} (N,)'}"
        )
    return steps, rows, units


def _fits(shape: Dims, wanted: tuple[int | None, ...]) -> bool:
    """Whether a shape is the wanted one, as far as both are known."""
    return len(shape) == len(wanted) and all(
        a == b or a is None or b is None for a, b in zip(shape, wanted, strict=True)
    )


def _type_of(*dtypes: DType) -> DType:
    """The element type to which all inputs are promoted."""
    return functools.reduce(mstype.promote, dtypes)


def _of_one_type(xp: ArrayModule, *arrays: Array) -> tuple[Array, ...]:
    """The arrays, promoted to one element type."""
    dtype = arrays[0].dtype
    return arrays if all(array.dtype is dtype for array in arrays) else promoted(xp, *arrays)


def _as_inputs(gradients: tuple[Array, ...], inputs: tuple[Array, ...]) -> tuple[Array, ...]:
    """The gradients in the element types of their inputs."""
    return tuple(made.astype(x.dtype, copy=False) for made, x in zip(gradients, inputs, strict=True))


class LSTMSequence(PrimitiveWithInfer):
    """A layer of LSTM over a sequence in one direction (Hochreiter and Schmidhuber 1997).

    Inputs: x of shape (T, N, 4 * units), the contributions of the inputs to the gates: input, forget, candidate,
    output; h and c of shape (N, units), the first hidden state and cell state; w of shape (4 * units, units), the
    weights of the hidden state; bias of shape (4 * units,), the sum of all biases; lengths, integers of shape (N,), the
    number of steps of each row, or None for T. All others are of floating-point types, which are promoted to one. From
    its length on, a row keeps its states and its output is 0.

    Output: five tensors of that type: the hidden states of all steps (T, N, units); the last hidden state and cell
    state (N, units); for the way back the cell states of all steps (T, N, units), and the gates behind their
    nonlinearities (T, N, 4 * units). The last two have no gradient.

    Args:
        backwards: run from the end of the sequence; a row with a length begins at its own end.

    Example:
        >>> x, zeros, w, bias = ops.ones((5, 3, 8)), ops.zeros((3, 2)), ops.ones((8, 2)), ops.ones(8)
        >>> outputs, h, c, memories, gates = ops.LSTMSequence()(x, zeros, zeros, w, bias, None)
        >>> print(outputs.shape, h.shape, gates.shape)
        (5, 3, 2) (3, 2) (5, 3, 8)
    """

    takes = MappingProxyType(dict.fromkeys(range(5), mstype.float_type))
    fresh = True
    unread_gradients = (3, 4)

    @prim_attr_register
    def __init__(self, backwards: bool = False) -> None:
        self.init_prim_io_names(
            inputs=["x", "h", "c", "w", "bias", "lengths"], outputs=["outputs", "h_n", "c_n", "memories", "gates"]
        )

    def infer_shape(self, x: Dims, h: Dims, c: Dims, w: Dims, bias: Dims, lengths: Dims | None) -> tuple[Dims, ...]:
        steps, rows, units = _check(4, x, w, (h, c), (bias,), lengths)
        return (steps, rows, units), (rows, units), (rows, units), (steps, rows, units), (steps, rows, 4 * units)

    def infer_dtype(
        self, x: DType, h: DType, c: DType, w: DType, bias: DType, lengths: DType | None
    ) -> tuple[DType, ...]:
        return (_type_of(x, h, c, w, bias),) * 5

    def compute(
        self, xp: ArrayModule, x: Array, h: Array, c: Array, w: Array, bias: Array, lengths: Array | None
    ) -> tuple[Array, ...]:
        _check(4, x.shape, w.shape, (h.shape, c.shape), (bias.shape,), None if lengths is None else lengths.shape)
        x, h, c, w, bias = _of_one_type(xp, x, h, c, w, bias)
        return accelerated.lstm(xp, x, h, c, w, bias, lengths, self.backwards)


@bprop_getters.register(LSTMSequence)
def get_bprop_lstm_sequence(self: LSTMSequence) -> Bprop:
    """`LSTMSequenceGrad`."""
    grad = cached(LSTMSequenceGrad, self.backwards)

    def bprop(
        x: Tensor,
        h: Tensor,
        c: Tensor,
        w: Tensor,
        bias: Tensor,
        lengths: Tensor | None,
        out: tuple[Tensor, ...],
        dout: tuple[Tensor, ...],
    ) -> tuple[Any, ...]:
        dx, dh, dc, dw, dbias = grad(x, h, c, w, bias, lengths, out[0], out[3], out[4], dout[0], dout[1], dout[2])
        return dx, dh, dc, dw, dbias, None

    return bprop


class LSTMSequenceGrad(PrimitiveWithInfer):
    """The gradients of `LSTMSequence`: `(x, h, c, w, bias, lengths, outputs, memories, gates, doutputs, dh_n, dc_n)`.

    Inputs: those of `LSTMSequence`; its outputs; the gradients with respect to its outputs and last states.
    Differentiation treats outputs, memories and gates as functions of the first inputs.

    Output: the gradients with respect to x, h, c, w and bias, of their shapes and types.

    Args:
        backwards: as for `LSTMSequence`.

    Example:
        >>> x, zeros, w, bias = ops.ones((5, 3, 8)), ops.zeros((3, 2)), ops.ones((8, 2)), ops.ones(8)
        >>> outputs, h, c, memories, gates = ops.LSTMSequence()(x, zeros, zeros, w, bias, None)
        >>> given = x, zeros, zeros, w, bias, None, outputs, memories, gates, outputs, h, c
        >>> print(*[gradient.shape for gradient in ops.LSTMSequenceGrad()(*given)])
        (5, 3, 8) (3, 2) (3, 2) (8, 2) (8,)
    """

    takes = MappingProxyType(dict.fromkeys((*range(5), *range(6, 12)), mstype.float_type))
    fresh = True

    @prim_attr_register
    def __init__(self, backwards: bool = False) -> None:
        self.init_prim_io_names(
            inputs=[
                *("x", "h", "c", "w", "bias", "lengths", "outputs", "memories", "gates", "doutputs", "dh_n", "dc_n"),
            ],
            outputs=["dx", "dh", "dc", "dw", "dbias"],
        )

    def infer_shape(self, x: Dims, h: Dims, c: Dims, w: Dims, bias: Dims, *others: Dims | None) -> tuple[Dims, ...]:
        return x, h, c, w, bias

    def infer_dtype(
        self, x: DType, h: DType, c: DType, w: DType, bias: DType, *others: DType | None
    ) -> tuple[DType, ...]:
        return x, h, c, w, bias

    def compute(
        self,
        xp: ArrayModule,
        x: Array,
        h: Array,
        c: Array,
        w: Array,
        bias: Array,
        lengths: Array | None,
        outputs: Array,
        memories: Array,
        gates: Array,
        doutputs: Array,
        dh_n: Array,
        dc_n: Array,
    ) -> tuple[Array, ...]:
        state, memory, weights, *given = _of_one_type(xp, h, c, w, doutputs, dh_n, dc_n)
        found = accelerated.lstm_grad(
            xp, state, memory, weights, lengths, outputs, memories, gates, tuple(given), self.backwards
        )
        return _as_inputs(found, (x, h, c, w, bias))


@bprop_getters.register(LSTMSequenceGrad)
def get_bprop_lstm_sequence_grad(self: LSTMSequenceGrad) -> Bprop:
    """The gradient of the gradient of the layer step by step."""
    backwards, pulled = self.backwards, _pulled()

    def bprop(
        x: Tensor,
        h: Tensor,
        c: Tensor,
        w: Tensor,
        bias: Tensor,
        lengths: Tensor | None,
        outputs: Tensor,
        memories: Tensor,
        gates: Tensor,
        doutputs: Tensor,
        dh_n: Tensor,
        dc_n: Tensor,
        out: tuple[Tensor, ...],
        dout: tuple[Tensor, ...],
    ) -> tuple[Any, ...]:
        def layer(x: Tensor, h: Tensor, c: Tensor, w: Tensor, bias: Tensor) -> Any:
            return lstm_by_steps(x, h, c, w, bias, lengths, backwards)

        def back(
            x: Tensor, h: Tensor, c: Tensor, w: Tensor, bias: Tensor, of_outputs: Tensor, of_h: Tensor, of_c: Tensor
        ) -> Any:
            return pulled(layer)(x, h, c, w, bias, (of_outputs, of_h, of_c))

        of_x, of_h, of_c, of_w, of_bias, of_given, of_dh, of_dc = pulled(back)(
            x, h, c, w, bias, doutputs, dh_n, dc_n, dout
        )
        return of_x, of_h, of_c, of_w, of_bias, None, None, None, None, of_given, of_dh, of_dc

    return bprop


class GRUSequence(PrimitiveWithInfer):
    """A layer of GRU over a sequence in one direction (Cho et al. 2014).

    Inputs: x of shape (T, N, 3 * units), the contributions of the inputs to the gates: reset, update, candidate; h of
    shape (N, units), the first state; w of shape (3 * units, units), the weights of the state; bias and other of shape
    (3 * units,), the biases of the inputs and of the state; lengths, integers of shape (N,), the number of steps of
    each row, or None for T. All others are of floating-point types, which are promoted to one. From its length on, a
    row keeps its state and its output is 0.

    Output: three tensors of that type: the states of all steps (T, N, units); the last state (N, units); for the
    way back the gates behind their nonlinearities, and what the reset gate is multiplied by (T, N, 4 * units). The last
    one has no gradient.

    Args:
        backwards: run from the end of the sequence; a row with a length begins at its own end.

    Example:
        >>> x, zeros, w, bias = ops.ones((5, 3, 6)), ops.zeros((3, 2)), ops.ones((6, 2)), ops.ones(6)
        >>> outputs, h, gates = ops.GRUSequence()(x, zeros, w, bias, bias, None)
        >>> print(outputs.shape, h.shape, gates.shape)
        (5, 3, 2) (3, 2) (5, 3, 8)
    """

    takes = MappingProxyType(dict.fromkeys(range(5), mstype.float_type))
    fresh = True
    unread_gradients = (2,)

    @prim_attr_register
    def __init__(self, backwards: bool = False) -> None:
        self.init_prim_io_names(inputs=["x", "h", "w", "bias", "other", "lengths"], outputs=["outputs", "h_n", "gates"])

    def infer_shape(self, x: Dims, h: Dims, w: Dims, bias: Dims, other: Dims, lengths: Dims | None) -> tuple[Dims, ...]:
        steps, rows, units = _check(3, x, w, (h,), (bias, other), lengths)
        return (steps, rows, units), (rows, units), (steps, rows, 4 * units)

    def infer_dtype(
        self, x: DType, h: DType, w: DType, bias: DType, other: DType, lengths: DType | None
    ) -> tuple[DType, ...]:
        return (_type_of(x, h, w, bias, other),) * 3

    def compute(
        self, xp: ArrayModule, x: Array, h: Array, w: Array, bias: Array, other: Array, lengths: Array | None
    ) -> tuple[Array, ...]:
        _check(3, x.shape, w.shape, (h.shape,), (bias.shape, other.shape), None if lengths is None else lengths.shape)
        x, h, w, bias, other = _of_one_type(xp, x, h, w, bias, other)
        return accelerated.gru(xp, x, h, w, bias, other, lengths, self.backwards)


@bprop_getters.register(GRUSequence)
def get_bprop_gru_sequence(self: GRUSequence) -> Bprop:
    """`GRUSequenceGrad`."""
    grad = cached(GRUSequenceGrad, self.backwards)

    def bprop(
        x: Tensor,
        h: Tensor,
        w: Tensor,
        bias: Tensor,
        other: Tensor,
        lengths: Tensor | None,
        out: tuple[Tensor, ...],
        dout: tuple[Tensor, ...],
    ) -> tuple[Any, ...]:
        dx, dh, dw, dbias, dother = grad(x, h, w, bias, other, lengths, out[0], out[2], dout[0], dout[1])
        return dx, dh, dw, dbias, dother, None

    return bprop


class GRUSequenceGrad(PrimitiveWithInfer):
    """The gradients of `GRUSequence`: `(x, h, w, bias, other, lengths, outputs, gates, doutputs, dh_n)`.

    Inputs: those of `GRUSequence`; its outputs; the gradients with respect to its outputs and last state.
    Differentiation treats outputs and gates as functions of the first inputs.

    Output: the gradients with respect to x, h, w and both biases, of their shapes and types.

    Args:
        backwards: as for `GRUSequence`.

    Example:
        >>> x, zeros, w, bias = ops.ones((5, 3, 6)), ops.zeros((3, 2)), ops.ones((6, 2)), ops.ones(6)
        >>> outputs, h, gates = ops.GRUSequence()(x, zeros, w, bias, bias, None)
        >>> given = x, zeros, w, bias, bias, None, outputs, gates, outputs, h
        >>> print(*[gradient.shape for gradient in ops.GRUSequenceGrad()(*given)])
        (5, 3, 6) (3, 2) (6, 2) (6,) (6,)
    """

    takes = MappingProxyType(dict.fromkeys((*range(5), *range(6, 10)), mstype.float_type))
    fresh = True

    @prim_attr_register
    def __init__(self, backwards: bool = False) -> None:
        self.init_prim_io_names(
            inputs=["x", "h", "w", "bias", "other", "lengths", "outputs", "gates", "doutputs", "dh_n"],
            outputs=["dx", "dh", "dw", "dbias", "dother"],
        )

    def infer_shape(self, x: Dims, h: Dims, w: Dims, bias: Dims, other: Dims, *others: Dims | None) -> tuple[Dims, ...]:
        return x, h, w, bias, other

    def infer_dtype(
        self, x: DType, h: DType, w: DType, bias: DType, other: DType, *others: DType | None
    ) -> tuple[DType, ...]:
        return x, h, w, bias, other

    def compute(
        self,
        xp: ArrayModule,
        x: Array,
        h: Array,
        w: Array,
        bias: Array,
        other: Array,
        lengths: Array | None,
        outputs: Array,
        gates: Array,
        doutputs: Array,
        dh_n: Array,
    ) -> tuple[Array, ...]:
        state, weights, *given = _of_one_type(xp, h, w, doutputs, dh_n)
        found = accelerated.gru_grad(xp, state, weights, lengths, outputs, gates, tuple(given), self.backwards)
        return _as_inputs(found, (x, h, w, bias, other))


@bprop_getters.register(GRUSequenceGrad)
def get_bprop_gru_sequence_grad(self: GRUSequenceGrad) -> Bprop:
    """The gradient of the gradient of the layer step by step."""
    backwards, pulled = self.backwards, _pulled()

    def bprop(
        x: Tensor,
        h: Tensor,
        w: Tensor,
        bias: Tensor,
        other: Tensor,
        lengths: Tensor | None,
        outputs: Tensor,
        gates: Tensor,
        doutputs: Tensor,
        dh_n: Tensor,
        out: tuple[Tensor, ...],
        dout: tuple[Tensor, ...],
    ) -> tuple[Any, ...]:
        def layer(x: Tensor, h: Tensor, w: Tensor, bias: Tensor, other: Tensor) -> Any:
            return gru_by_steps(x, h, w, bias, other, lengths, backwards)

        def back(x: Tensor, h: Tensor, w: Tensor, bias: Tensor, other: Tensor, of_outputs: Tensor, of_h: Tensor) -> Any:
            return pulled(layer)(x, h, w, bias, other, (of_outputs, of_h))

        of_x, of_h, of_w, of_bias, of_other, of_given, of_dh = pulled(back)(x, h, w, bias, other, doutputs, dh_n, dout)
        return of_x, of_h, of_w, of_bias, of_other, None, None, None, of_given, of_dh

    return bprop


def _pulled() -> Any:
    """From a function to all its gradients, with those of its outputs given."""
    from framework.ops import composite  # `framework.ad` enters it there

    return composite.GradOperation(get_all=True, sens_param=True)
