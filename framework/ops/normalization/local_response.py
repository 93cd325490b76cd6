"""Local response normalization over neighbouring channels."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.ops.arithmetic.binary import pow as power
from framework.ops.array.casting import Cast
from framework.ops.array.properties import dtype as dtype_of
from framework.ops.array.properties import shape as shape_of
from framework.ops.array.reshaping import reshape
from framework.ops.arrays import Array, ArrayModule, converted, without_halves
from framework.ops.constexpr import constexpr
from framework.ops.gradients import Bprop, bprop_getters
from framework.ops.mathematics.exponential import square
from framework.ops.matrices.products import BatchMatMul
from framework.ops.primitive import PrimitiveWithInfer, cached, prim_attr_register
from framework.ops.shapes import Dims

__all__ = [
    "LRN",
    "lrn",
]

cast = Cast()
matmul = BatchMatMul()


class LRN(PrimitiveWithInfer):
    """Local response normalization (Krizhevsky et al. 2012): x / (bias + alpha * sum of squares) ** beta.

    The sum goes over the channels that are at most `depth_radius` away, at the same pixel.

    Inputs: images, a floating-point tensor of shape (N, C, H, W). Output: a tensor of the same shape and element type.

    Args:
        depth_radius: number of neighbouring channels on each side.
        bias: number added to the sum, to avoid a division by 0.
        alpha: factor of the sum.
        beta: exponent.
        norm_region: "ACROSS_CHANNELS".

    Example:
        >>> x = Tensor(np.array([3.0, 4.0, 0.0], np.float32).reshape(1, 3, 1, 1))
        >>> print(ops.LRN(depth_radius=1, bias=0.0)(x).asnumpy().ravel().round(3))
        [0.6 0.8 0. ]
    """

    takes = MappingProxyType({0: mstype.float_type})
    fresh = True

    @prim_attr_register
    def __init__(
        self,
        depth_radius: int = 5,
        bias: float = 1.0,
        alpha: float = 1.0,
        beta: float = 0.5,
        norm_region: str = "ACROSS_CHANNELS",
    ) -> None:
        self.init_prim_io_names(inputs=["x"], outputs=["y"])

    def infer_shape(self, x: Dims) -> Dims:
        if len(x) != 4:
            raise ValueError(f"LRN takes images (N, C, H, W), not a tensor of shape {x}")
        return x

    def infer_dtype(self, x: DType) -> DType:
        return x

    def compute(self, xp: ArrayModule, x: Array) -> Array:
        dtype, x = x.dtype, without_halves(x)
        band = xp.asarray(neighbours(x.shape[1], self.depth_radius), x.dtype)
        sums = xp.einsum("dc,nchw->ndhw", band, xp.square(x))
        return converted(x * (self.bias + self.alpha * sums) ** x.dtype.type(-self.beta), dtype)


def lrn(
    x: Tensor,
    depth_radius: int = 5,
    bias: float = 1.0,
    alpha: float = 1.0,
    beta: float = 0.5,
    norm_region: str = "ACROSS_CHANNELS",
) -> Tensor:
    """Local response normalization (Krizhevsky et al. 2012): x / (bias + alpha * sum of squares) ** beta.

    Args:
        x: images of shape (N, C, H, W), of a floating-point type.
        depth_radius: number of neighbouring channels on each side.
        bias: number added to the sum, to avoid a division by 0.
        alpha: factor of the sum.
        beta: exponent.
        norm_region: "ACROSS_CHANNELS".

    Returns:
        A tensor of the shape and type of x.

    Example:
        >>> x = Tensor(np.array([3.0, 4.0, 0.0], np.float32).reshape(1, 3, 1, 1))
        >>> print(ops.lrn(x, 1, 0.0).asnumpy().ravel().round(3))
        [0.6 0.8 0. ]

    """
    return cached(LRN, depth_radius, bias, alpha, beta, norm_region)(x)


@constexpr
def _band(channels: int, radius: int) -> Tensor:
    return Tensor(neighbours(channels, radius))


def neighbours(channels: int, radius: int) -> Any:
    """The band matrix that sums each channel and its neighbours."""
    return [[float(abs(i - j) <= radius) for j in range(channels)] for i in range(channels)]


@bprop_getters.register(LRN)
def get_bprop_lrn(self: LRN) -> Bprop:
    """dout s^-beta - 2 alpha beta x B (dout x s^(-beta - 1)) with s = bias + alpha B x x and the band matrix B."""
    radius, bias, alpha, beta = self.depth_radius, self.bias, self.alpha, self.beta

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor, ...]:
        n, c, height, width = shape_of(x)
        flat = (n, c, height * width)
        band = cast(_band(c, radius), dtype_of(x))
        lines, gradient = reshape(x, flat), reshape(dout, flat)
        sums = bias + alpha * matmul(band, square(lines))
        part = matmul(band, gradient * lines * power(sums, -beta - 1))
        dx = gradient * power(sums, -beta) - (2 * alpha * beta) * (lines * part)
        return (reshape(dx, (n, c, height, width)),)

    return bprop
