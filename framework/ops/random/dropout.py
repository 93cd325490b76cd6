"""Dropout of elements and of whole channels (Srivastava et al. 2014)."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import numpy as np

from framework.common import dtype as mstype
from framework.common.tensor import Tensor
from framework.ops.array.broadcasting import BroadcastTo
from framework.ops.array.casting import cast
from framework.ops.array.properties import shape
from framework.ops.arrays import Array, ArrayModule, converted
from framework.ops.comparison import greater
from framework.ops.constexpr import constexpr
from framework.ops.control.composed import Composed
from framework.ops.creation.filled_like import zeros_like
from framework.ops.creation.filling import Ones
from framework.ops.gradients import Bprop, bprop_getters
from framework.ops.indexing.selecting import where
from framework.ops.primitive import cached, prim_attr_register
from framework.ops.random.uniform_and_normal import Random

__all__ = [
    "Dropout",
    "Dropout2D",
    "Dropout3D",
    "dropout",
    "dropout1d",
    "dropout2d",
    "dropout3d",
]


class Dropout(Random):
    """Dropout (Srivastava et al. 2014): x / keep_prob, with elements set to 0 with probability 1 - keep_prob.

    Inputs: x, a tensor of any shape and of a floating-point type.

    Output: the tensor, and the mask of kept elements, ones and zeros; both of the shape and element type of x.

    Args:
        keep_prob: probability that an element is kept, above 0 and at most 1.
        Seed0: seed, together with `Seed1`; if one of them is not 0, every execution draws the same mask.
        Seed1: second part of the seed.

    Example:
        >>> y, mask = ops.Dropout(keep_prob=0.5)(Tensor(np.ones(1000), ms.float32))
        >>> print(np.unique(y.asnumpy()), np.array_equal(y.asnumpy(), 2 * mask.asnumpy()))
        [0. 2.] True
    """

    takes = MappingProxyType({0: mstype.float_type})
    value_inputs = ()

    @prim_attr_register
    def __init__(self, keep_prob: float = 0.5, Seed0: int = 0, Seed1: int = 0) -> None:  # noqa: N803 - MindSpore's
        self.init_prim_io_names(inputs=["x"], outputs=["output", "mask"])
        if not 0 < keep_prob <= 1:
            raise ValueError(f"Dropout: keep_prob must be above 0 and at most 1, not {keep_prob}")
        self.add_prim_attr("seed", Seed0)
        self.add_prim_attr("seed2", Seed1)

    def infer_shape(self, x: Any, *others: Any) -> Any:
        return x, x

    def infer_dtype(self, x: Any, *others: Any) -> Any:
        return x, x

    def compute(self, xp: ArrayModule, x: Array) -> tuple[Array, ...]:
        mask = xp.asarray(self.stream().random(x.shape, dtype=np.float32) < self.keep_prob)
        # Numpy makes halves of Bool slowly.
        mask = converted(mask.astype(xp.float32) if x.dtype == xp.float16 else mask, x.dtype)
        return x * mask / x.dtype.type(self.keep_prob), mask


def dropout(input: Tensor, p: float = 0.5, training: bool = True, seed: int | None = None) -> Tensor:
    """Dropout: elements set to 0 with probability p, the others divided by 1 - p. Outside of training the input itself.

    Args:
        input: tensor of any shape and of a floating-point type.
        p: probability that an element is set to 0.
        training: whether to drop elements.
        seed: seed of the mask; None for the global random stream.

    Returns:
        A tensor of the shape and type of `input`.

    Example:
        >>> print(np.unique(ops.dropout(ops.ones((1000,)), 0.5).asnumpy()))
        [0. 2.]

    """
    if not training or p == 0:
        return input
    return cached(Dropout, 1 - p, 0 if seed is None else seed, 0)(input)[0]


@bprop_getters.register(Dropout)
def get_bprop_dropout(self: Dropout) -> Bprop:
    """The kept elements get dout / keep_prob, the others 0."""
    keep_prob = self.keep_prob

    def bprop(x: Tensor, out: tuple[Tensor, Tensor], dout: tuple[Tensor, Tensor]) -> tuple[Tensor, ...]:
        return (dout[0] * out[1] / keep_prob,)

    return bprop


@constexpr
def _mask_shape(shape: tuple[int, ...]) -> tuple[int, ...]:
    """The shape with one element for each channel of each sample."""
    return (*shape[:2], *(1,) * (len(shape) - 2))


def _dropped_channels(input: Tensor, p: float, training: bool) -> Tensor:
    if not training or p == 0:
        return input
    return input * dropout(Ones()(_mask_shape(shape(input)), input.dtype), p)


def dropout1d(input: Tensor, p: float = 0.5, training: bool = True) -> Tensor:
    """Dropout of whole channels, for sequences: channels set to 0 with probability p, the others divided by 1 - p.

    Args:
        input: tensor of shape (N, C, L), of a floating-point type.
        p: probability that a channel is set to 0.
        training: whether to drop channels.

    Returns:
        A tensor of the shape and type of `input`.

    Example:
        >>> print(ops.dropout1d(ops.ones((2, 3, 4)), 0.5, training=False).shape)
        (2, 3, 4)

    """
    return _dropped_channels(input, p, training)


def dropout2d(input: Tensor, p: float = 0.5, training: bool = True) -> Tensor:
    """Dropout of whole channels, for images: channels set to 0 with probability p, the others divided by 1 - p.

    Args:
        input: tensor of shape (N, C, H, W), of a floating-point type.
        p: probability that a channel is set to 0.
        training: whether to drop channels.

    Returns:
        A tensor of the shape and type of `input`.

    Example:
        >>> print(ops.dropout2d(ops.ones((2, 3, 4, 4)), 0.5, training=False).shape)
        (2, 3, 4, 4)

    """
    return _dropped_channels(input, p, training)


def dropout3d(input: Tensor, p: float = 0.5, training: bool = True) -> Tensor:
    """Dropout of whole channels, for volumes: channels set to 0 with probability p, the others divided by 1 - p.

    Args:
        input: tensor of shape (N, C, D, H, W), of a floating-point type.
        p: probability that a channel is set to 0.
        training: whether to drop channels.

    Returns:
        A tensor of the shape and type of `input`.

    Example:
        >>> print(ops.dropout3d(ops.ones((2, 3, 4, 4, 4)), 0.5, training=False).shape)
        (2, 3, 4, 4, 4)

    """
    return _dropped_channels(input, p, training)


class Dropout2D(Composed):
    """Dropout of whole channels of images: `(x)`, of shape (N, C, H, W).

    Output: x / keep_prob where a channel is kept and 0 elsewhere; and the mask, a Bool tensor of the same shape.

    Args:
        keep_prob: probability that a channel is kept, from 0 to 1.

    Raises:
        ValueError: the probability is outside, or x has another number of dimensions.

    Example:
        >>> out, mask = ops.Dropout2D(1.0)(ops.ones((2, 3, 4, 4)))
        >>> print(out.shape, mask.all())
        (2, 3, 4, 4) True
    """

    dimensions = 4

    @prim_attr_register
    def __init__(self, keep_prob: float = 0.5) -> None:
        if not 0 <= float(keep_prob) <= 1:
            raise ValueError(f"{self.name}: keep_prob must be from 0 to 1, not {keep_prob}")
        self.init_prim_io_names(inputs=["x"], outputs=["output", "mask"])

    def __call__(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Drop channels."""
        if len(shape(x)) != self.dimensions:
            raise ValueError(f"{self.name}: x must have {self.dimensions} dimensions, not {len(shape(x))}")
        drawn = Ones()(_mask_shape(shape(x)), mstype.float32)
        if 0 < self.keep_prob < 1:
            drawn = dropout(drawn, 1 - self.keep_prob)
        elif self.keep_prob == 0:
            drawn = drawn * 0
        mask = BroadcastTo(shape(x))(greater(drawn, 0))
        scaled = x if self.keep_prob in (0, 1) else cast(x / self.keep_prob, x.dtype)
        return where(mask, scaled, zeros_like(x)), mask


class Dropout3D(Dropout2D):
    """Dropout of whole channels of volumes: `(x)`, of shape (N, C, D, H, W); as `Dropout2D`.

    Example:
        >>> out, mask = ops.Dropout3D(1.0)(ops.ones((2, 3, 4, 4, 4)))
        >>> print(out.shape, mask.all())
        (2, 3, 4, 4, 4) True
    """

    dimensions = 5
