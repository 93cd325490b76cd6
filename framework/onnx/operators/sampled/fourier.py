"""The discrete Fourier transform as an operator with a gradient. `signals` applies it."""

from __future__ import annotations

from typing import Any

import numpy as np

from framework.common.tensor import Tensor
from framework.ops.array.joining import concat
from framework.ops.array.properties import shape as shape_of
from framework.ops.arrays import Array, ArrayModule
from framework.ops.creation.filling import zeros
from framework.ops.elementwise import FreshLikeFirst
from framework.ops.gradients import Bprop, bprop_getters
from framework.ops.primitive import cached, prim_attr_register
from framework.ops.shapes import Dims

__all__ = ["Fourier"]


class Fourier(FreshLikeFirst):
    """The discrete Fourier transform along the last axis but one; the last has real and imaginary parts.

    Args:
        count: the number of frequencies. The input is cut, or continued by zeros, to as many elements.
        inverse: whether it is the inverse transform.

    Inputs: x, of a floating-point type and of shape (..., n, 2).
    Output: a tensor of shape (..., count, 2) and the type of x.
    """

    @prim_attr_register
    def __init__(self, count: int, inverse: bool = False) -> None:
        self.init_prim_io_names(inputs=["x"], outputs=["output"])

    def infer_shape(self, x: Dims) -> Dims:
        """The shape with `count` in place of n."""
        if len(x) < 2 or x[-1] != 2:
            raise ValueError(f"a Fourier transform takes pairs of real and imaginary parts, not shape {x}")
        return (*x[:-2], self.count, 2)

    def compute(self, xp: ArrayModule, x: Array) -> Array:
        """The transform by numpy."""
        transform: Any = np.fft.ifft if self.inverse else np.fft.fft
        found = transform(x[..., 0] + 1j * x[..., 1], self.count, axis=-1)
        return xp.stack([found.real, found.imag], -1).astype(x.dtype)


@bprop_getters.register(Fourier)
def get_bprop_fourier(self: Fourier) -> Bprop:
    """The adjoint of the transform is the inverse one, up to the number of elements."""
    factor = 1.0 / self.count if self.inverse else float(self.count)
    other = cached(Fourier, self.count, not self.inverse)

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor, ...]:
        length, whole = shape_of(x)[-2], other(dout) * factor
        if length <= self.count:
            return (whole[..., :length, :],)
        return (_longer(whole, length),)

    return bprop


def _longer(x: Tensor, length: int) -> Tensor:
    """A tensor continued by zeros along the last axis but one."""
    return concat((x, zeros((*shape_of(x)[:-2], length - shape_of(x)[-2], 2), x.dtype)), -2)
