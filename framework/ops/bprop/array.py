"""Backward functions of operators that arrange elements: they arrange the gradient back."""

from __future__ import annotations

from typing import Any

from framework.common.tensor import Tensor
from framework.ops import operations as P  # noqa: N812
from framework.ops.bprop.shapes import are_known, concat_parts, inverse_order, repeated_axes, repeated_shape
from framework.ops.gradients import Bprop, bprop_getters, gradient
from framework.ops.primitive import cached

reshape = P.Reshape()
transpose = P.Transpose()
shape_of = P.Shape()
dtype_of = P.DTypeOf()
cast = P.Cast()
sum_like = P.SumLike()
broadcast_like = P.BroadcastLike()
zeros_like = P.ZerosLike()
reduce_sum = P.ReduceSum()
slice_of = P.Slice()


@gradient(P.Identity)
def identity_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Any:
    """As it comes."""
    return dout


@gradient(P.Cast)
def cast_gradient(x: Tensor, dst_type: Any, out: Tensor, dout: Tensor) -> Any:
    """Cast back."""
    return cast(dout, dtype_of(x)), None


@gradient(P.Reshape, P.ExpandDims)
def reshape_gradient(x: Tensor, shape: Any, out: Tensor, dout: Tensor) -> Any:
    """In the shape of the input."""
    return reshape(dout, shape_of(x)), None


@gradient(P.Flatten, P.Squeeze)
def flatten_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Any:
    """In the shape of the input."""
    return reshape(dout, shape_of(x))


@gradient(P.Transpose)
def transpose_gradient(x: Tensor, perm: Any, out: Tensor, dout: Tensor) -> Any:
    """In the order that undoes the order."""
    return transpose(dout, inverse_order(perm)), None


@gradient(P.BroadcastTo)
def broadcast_to_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Any:
    """Summed over repetitions."""
    return sum_like(dout, x)


@gradient(P.SumLike)
def sum_like_gradient(x: Tensor, like: Tensor, out: Tensor, dout: Tensor) -> Any:
    """Repeated as the input was."""
    return broadcast_like(dout, x), zeros_like(like)


@gradient(P.BroadcastLike)
def broadcast_like_gradient(x: Tensor, like: Tensor, out: Tensor, dout: Tensor) -> Any:
    """Summed over repetitions."""
    return sum_like(dout, x), zeros_like(like)


@gradient(P.Tile)
def tile_gradient(x: Tensor, multiples: Any, out: Tensor, dout: Tensor) -> Any:
    """Summed over repetitions."""
    shape = shape_of(x)
    summed = reduce_sum(reshape(dout, repeated_shape(shape, multiples)), repeated_axes(shape, multiples))
    return reshape(summed, shape), None


@bprop_getters.register(P.Concat)
def get_bprop_concat(self: P.Concat) -> Bprop:
    """Each part gets its block."""
    axis = self.axis
    parts_like = cached(P.PartsLike, axis)

    def bprop(x: tuple[Tensor, ...], out: Tensor, dout: Tensor) -> Any:
        shapes = [shape_of(item) for item in x]
        if not are_known(shapes):
            return (parts_like(dout, x),)
        parts = concat_parts(axis, shapes)
        return ([slice_of(dout, begin, size) for begin, size in parts],)

    return bprop


@bprop_getters.register(P.PartsLike)
def get_bprop_parts_like(self: P.PartsLike) -> Bprop:
    """Put together again."""
    concat = cached(P.Concat, self.axis)

    def bprop(x: Tensor, like: tuple[Tensor, ...], out: tuple[Tensor, ...], dout: tuple[Tensor, ...]) -> Any:
        return concat(dout), None

    return bprop


@bprop_getters.register(P.Stack)
def get_bprop_stack(self: P.Stack) -> Bprop:
    """Each tensor gets its slice."""
    unstack = cached(P.Unstack, self.axis)

    def bprop(x: tuple[Tensor, ...], out: Tensor, dout: Tensor) -> Any:
        return (unstack(dout),)

    return bprop


@bprop_getters.register(P.Unstack)
def get_bprop_unstack(self: P.Unstack) -> Bprop:
    """Stacked again."""
    stack = cached(P.Stack, self.axis)

    def bprop(x: Tensor, out: tuple[Tensor, ...], dout: tuple[Tensor, ...]) -> Any:
        return (stack(dout),)

    return bprop


@bprop_getters.register(P.Split)
def get_bprop_split(self: P.Split) -> Bprop:
    """Put together again."""
    concat = cached(P.Concat, self.axis)

    def bprop(x: Tensor, out: tuple[Tensor, ...], dout: tuple[Tensor, ...]) -> Any:
        return (concat(dout),)

    return bprop


@bprop_getters.register(P.Pad)
def get_bprop_pad(self: P.Pad) -> Bprop:
    """Without what was added."""
    begin = tuple(before for before, _ in self.paddings)

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> Any:
        return (slice_of(dout, begin, shape_of(x)),)

    return bprop


@bprop_getters.register(P.ReverseV2)
def get_bprop_reverse(self: P.ReverseV2) -> Bprop:
    """Reversed again."""

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> Any:
        return (self(dout),)

    return bprop


@bprop_getters.register(P.Tril)
def get_bprop_tril(self: P.Tril) -> Bprop:
    """The same part of the gradient."""

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> Any:
        return (self(dout),)

    return bprop


@gradient(P.ZerosLike)
def zeros_like_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Any:
    """Constant."""
    return zeros_like(x)


@gradient(P.FillV2)
def fill_gradient(shape: Any, value: Tensor, out: Tensor, dout: Tensor) -> Any:
    """Summed over all copies."""
    return None, sum_like(dout, value)
