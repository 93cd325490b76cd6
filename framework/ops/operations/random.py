"""Random numbers. Each execution draws from a stream of its own, so both modes and all devices get the same numbers."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.seed import new_key
from framework.ops.operations.shapes import Dims
from framework.ops.primitive import PrimitiveWithInfer, prim_attr_register

__all__ = ["Dropout", "StandardNormal", "UniformInt", "UniformReal"]


class Random(PrimitiveWithInfer):
    """Draws numbers.

    Args:
        seed: with `seed2`, if one is not 0, the stream that every execution starts anew.
        seed2: see `seed`.

    """

    side_effect = True
    value_inputs: ClassVar[tuple[int, ...]] = (0,)

    @prim_attr_register
    def __init__(self, seed: int = 0, seed2: int = 0) -> None:
        self.init_prim_io_names(inputs=["shape"], outputs=["output"])

    def infer_shape(self, shape: Any, *others: Any) -> Dims:
        return tuple(shape)

    def infer_dtype(self, shape: Any, *others: Any) -> DType:
        return mstype.float32

    def stream(self) -> np.random.Generator:
        """Where this execution draws from."""
        return np.random.default_rng((self.seed, self.seed2) if self.seed or self.seed2 else new_key())


class StandardNormal(Random):
    """Float32 numbers from the standard normal distribution, of mean 0 and variance 1: `StandardNormal()(shape)`.

    Inputs: shape, a tuple of ints.

    Output: a Float32 tensor of that shape.

    Args:
        seed: with `seed2`, if one is not 0, the stream that every execution starts anew.
        seed2: see `seed`.

    Example:
        >>> normal = ops.StandardNormal(seed=1)
        >>> print(normal((2, 3)).shape, np.array_equal(normal((9,)).asnumpy(), normal((9,)).asnumpy()))
        (2, 3) True
    """

    def compute(self, xp: Any, shape: Any) -> Any:
        return xp.asarray(self.stream().standard_normal(shape, dtype=np.float32))


class UniformReal(Random):
    """Float32 numbers from 0 to 1, without 1: `UniformReal()(shape)`.

    Inputs: shape, a tuple of ints.

    Output: a Float32 tensor of that shape.

    Args:
        seed: with `seed2`, if one is not 0, the stream that every execution starts anew.
        seed2: see `seed`.

    Example:
        >>> x = ops.UniformReal()((1000,)).asnumpy()
        >>> print(x.dtype, x.shape, bool(x.min() >= 0 and x.max() < 1))
        float32 (1000,) True
    """

    def compute(self, xp: Any, shape: Any) -> Any:
        return xp.asarray(self.stream().random(shape, dtype=np.float32))


class UniformInt(Random):
    """Int32 numbers from `minval` up to, but without, `maxval`: `UniformInt()(shape, minval, maxval)`.

    Inputs: shape, a tuple of ints; minval and maxval, ints.

    Output: an Int32 tensor of that shape.

    Args:
        seed: with `seed2`, if one is not 0, the stream that every execution starts anew.
        seed2: see `seed`.

    Example:
        >>> print(np.unique(ops.UniformInt()((1000,), 5, 8).asnumpy()))
        [5 6 7]
    """

    value_inputs = (0, 1, 2)

    def infer_dtype(self, shape: Any, *others: Any) -> DType:
        return mstype.int32

    def compute(self, xp: Any, shape: Any, minval: Any, maxval: Any) -> Any:
        return xp.asarray(self.stream().integers(int(minval), int(maxval), shape, dtype=np.int32))


class Dropout(Random):
    """x / keep_prob with elements set to 0 with probability 1 - keep_prob (Srivastava et al. 2014).

    Inputs: x, a tensor of any shape and of a floating-point type.

    Output: the tensor, and the mask of elements that were kept, ones and zeros; both of the shape and element type of
    x.

    Args:
        keep_prob: the probability of an element to be kept, above 0 and not above 1.
        Seed0: with `Seed1`, if one is not 0, the stream that every execution starts anew.
        Seed1: see `Seed0`.

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
            raise ValueError(f"Dropout: keep_prob must lie above 0 and not above 1, not {keep_prob}")
        self.add_prim_attr("seed", Seed0)
        self.add_prim_attr("seed2", Seed1)

    def infer_shape(self, x: Any, *others: Any) -> Any:
        return x, x

    def infer_dtype(self, x: Any, *others: Any) -> Any:
        return x, x

    def compute(self, xp: Any, x: Any) -> Any:
        mask = xp.asarray(self.stream().random(x.shape, dtype=np.float32) < self.keep_prob).astype(x.dtype)
        return x * mask / x.dtype.type(self.keep_prob), mask
