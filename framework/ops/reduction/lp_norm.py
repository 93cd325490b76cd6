"""The p-norm over axes, as an operator."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType

from framework.common import dtype as mstype
from framework.common.tensor import Tensor
from framework.ops.arithmetic.binary import maximum, pow
from framework.ops.array.properties import shape as shape_of
from framework.ops.array.reshaping import reshape
from framework.ops.arrays import Array, ArrayModule
from framework.ops.gradients import Bprop, bprop_getters
from framework.ops.mathematics.rounding import abs, sign
from framework.ops.primitive import PrimitiveWithInfer, prim_attr_register
from framework.ops.shapes import Dims, axes_of, kept_shape

__all__ = ["LpNorm"]


class LpNorm(PrimitiveWithInfer):
    """The p-norm over axes: (sum of |x|ᵖ)^(1 / p), at least `epsilon`.

    Inputs: input, a tensor of floats.
    Output: a tensor of its type, without the axes.

    Args:
        axis: an int, or several, of the axes.
        p: the order, above 0.
        keep_dims: keep the reduced dimensions with length 1.
        epsilon: the least norm.

    Raises:
        ValueError: `p` is not above 0.

    Example:
        >>> print(ops.LpNorm(axis=1)(Tensor([[3.0, 4.0], [0.0, 2.0]])))
        [5. 2.]
    """

    takes = MappingProxyType({0: mstype.float_type})

    @prim_attr_register
    def __init__(self, axis: int | Sequence[int], p: int = 2, keep_dims: bool = False, epsilon: float = 1e-12) -> None:
        self.init_prim_io_names(inputs=["input"], outputs=["output"])
        if p <= 0:
            raise ValueError(f"LpNorm: p must be above 0, not {p}")
        self.axes = axis if isinstance(axis, int) else tuple(axis)

    def infer_shape(self, input: Dims) -> Dims:
        axes = axes_of(self.axes, len(input))
        kept = tuple(1 if place in axes else size for place, size in enumerate(input))
        return kept if self.keep_dims else tuple(size for place, size in enumerate(input) if place not in axes)

    def infer_dtype(self, input: mstype.DType) -> mstype.DType:
        return input

    def compute(self, xp: ArrayModule, input: Array) -> Array:
        powers = xp.absolute(input) ** input.dtype.type(self.p)
        total = powers.sum(axis=axes_of(self.axes, input.ndim), keepdims=self.keep_dims)
        return xp.maximum(total ** input.dtype.type(1 / self.p), input.dtype.type(self.epsilon))


@bprop_getters.register(LpNorm)
def get_bprop_lp_norm(self: LpNorm) -> Bprop:
    """The gradient: dy * sign(x) * (|x| / norm)^(p - 1), 0 where an element is 0."""
    axes, order, least = self.axes, self.p, self.epsilon

    def bprop(input: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor, ...]:
        kept = kept_shape(shape_of(input), axes)
        share = abs(input) / maximum(reshape(out, kept), least)
        return (reshape(dout, kept) * sign(input) * pow(share, order - 1),)

    return bprop
