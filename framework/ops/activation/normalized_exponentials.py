"""Softmax and its logarithm: exponentials normalized over axes."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.kernels.accelerated import log_softmax as log_softmax_kernel
from framework.kernels.accelerated import softmax_
from framework.ops.arithmetic.binary import maximum
from framework.ops.array.casting import Cast
from framework.ops.array.properties import shape
from framework.ops.arrays import Array, ArrayModule
from framework.ops.control.dependencies import StopGradient
from framework.ops.gradients import Bprop, bprop_getters
from framework.ops.indexing.selecting import one_hot
from framework.ops.mathematics.exponential import exp, log
from framework.ops.primitive import PrimitiveWithInfer, cached, prim_attr_register
from framework.ops.random.uniform_and_normal import UniformReal
from framework.ops.reduction.extremes import Argmax
from framework.ops.reduction.totals import ReduceSum
from framework.ops.shapes import Dims, axes_of

__all__ = [
    "LogSoftmax",
    "Softmax",
    "gumbel_softmax",
    "log_softmax",
    "softmax",
    "softmin",
]

sum_kept = ReduceSum(True)
_cast = Cast()


class _OverAxis(PrimitiveWithInfer):
    """The base class of operators on floating-point tensors that normalize along the attribute `axis`."""

    takes = MappingProxyType({0: mstype.float_type})

    in_place = (0,)

    def infer_shape(self, x: Dims) -> Dims:
        axes_of(self.axis, len(x))
        return x

    def infer_dtype(self, x: DType) -> DType:
        return x


class Softmax(_OverAxis):
    """exp(x) / sum of exp(x) over axes.

    Args:
        axis: an int, or a tuple of them.

    Inputs: x, a tensor of a floating-point type.
    Output: a tensor of x's shape and element type; along the axes its elements sum to 1.

    Example:
        >>> print(ops.Softmax()(Tensor([[0.0, 0.0], [-100.0, 100.0]])))
        [[0.5 0.5]
         [0.  1. ]]
    """

    @prim_attr_register
    def __init__(self, axis: int | tuple[int, ...] = -1) -> None:
        self.init_prim_io_names(inputs=["x"], outputs=["output"])
        self.add_prim_attr("axis", (axis,) if isinstance(axis, int) else tuple(axis))

    def compute(self, xp: ArrayModule, x: Array, *, out: Array | None = None) -> Array:
        return softmax_(xp, x, self.axis, out)


@bprop_getters.register(Softmax)
def get_bprop_softmax(self: Softmax) -> Bprop:
    """s (dout - sum(s dout)) with s = softmax(x)."""
    axis = self.axis

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor, ...]:
        return (out * (dout - sum_kept(out * dout, axis)),)

    return bprop


class LogSoftmax(_OverAxis):
    """x - log of the sum of exp(x) over an axis.

    Args:
        axis: the axis.

    Inputs: x, a tensor of a floating-point type.
    Output: a tensor of x's shape and element type: the logarithm of `Softmax`.

    Example:
        >>> print(ops.LogSoftmax()(Tensor([0.0, 200.0])))
        [-200.    0.]
    """

    @prim_attr_register
    def __init__(self, axis: int = -1) -> None:
        self.init_prim_io_names(inputs=["x"], outputs=["output"])

    def compute(self, xp: ArrayModule, x: Array, *, out: Array | None = None) -> Array:
        return log_softmax_kernel(xp, x, self.axis, out)


@bprop_getters.register(LogSoftmax)
def get_bprop_log_softmax(self: LogSoftmax) -> Bprop:
    """The gradient is dout - softmax(x) sum(dout)."""
    axis = self.axis

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor, ...]:
        return (dout - exp(out) * sum_kept(dout, axis),)

    return bprop


def softmax(input: Tensor, axis: int | Sequence[int] = -1, *, dtype: DType | None = None) -> Tensor:
    """exp(x) / sum of exp(x) over axes.

    Args:
        input: a floating-point tensor of any shape.
        axis: the axes of the sum, an int or a tuple of them.
        dtype: the element type to compute with, that of `input` by default.

    Returns:
        A tensor of the same shape whose elements over the axes add up to 1.

    Example:
        >>> print(ops.softmax(Tensor([[0.0, 0.0], [0.0, 1.0]])).asnumpy().round(3))
        [[0.5   0.5  ]
         [0.269 0.731]]

    """
    return cached(Softmax, axis)(input if dtype is None else _cast(input, dtype))


def log_softmax(logits: Tensor, axis: int = -1) -> Tensor:
    """x - log of the sum of exp(x) over an axis.

    Args:
        logits: a floating-point tensor of any shape.
        axis: the axis of the sum.

    Returns:
        A tensor of the same shape and element type.

    Example:
        >>> print(ops.log_softmax(Tensor([0.0, 0.0])).asnumpy().round(3))
        [-0.693 -0.693]

    """
    return cached(LogSoftmax, axis)(logits)


def softmin(x: Tensor, axis: int | Sequence[int] = -1, *, dtype: DType | None = None) -> Tensor:
    """softmax(-x) over axes.

    Args:
        x: a floating-point tensor of any shape.
        axis: the axes of the sum, an int or a tuple of them.
        dtype: the element type to compute with, that of `x` by default.

    Returns:
        A tensor of the same shape whose elements over the axes add up to 1.

    Example:
        >>> print(ops.softmin(Tensor([0.0, 1.0])).asnumpy().round(3))
        [0.731 0.269]

    """
    return softmax(-x, axis, dtype=dtype)


def gumbel_softmax(logits: Tensor, tau: float = 1.0, hard: bool = False, dim: int = -1) -> Tensor:
    """softmax((logits + Gumbel noise) / tau): a differentiable random class (Jang et al. 2017), one-hot if `hard`.

    Args:
        logits: a floating-point tensor of any shape: unnormalized logarithms of probabilities.
        tau: the temperature, above 0; a lower one is closer to one-hot.
        hard: whether the output is one-hot; its gradient is that of the soft output.
        dim: the axis of the classes.

    Returns:
        A tensor of the same shape and element type.

    Example:
        >>> print(ops.gumbel_softmax(Tensor([[0.0, 100.0, 0.0]]), hard=True))
        [[0. 1. 0.]]

    """
    drawn = UniformReal()(shape(logits))
    noise = -log(-log(maximum(drawn, 1e-20)) + 1e-20)
    soft = softmax((logits + noise) / tau, dim)
    if not hard:
        return soft
    picked = one_hot(Argmax(dim)(soft), shape(logits)[dim], 1.0, 0.0, dim)
    return StopGradient()(picked - soft) + soft
