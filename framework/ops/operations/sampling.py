"""Random numbers from more distributions, and random choices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.ops.operations.random import Random
from framework.ops.operations.shapes import Dims, broadcast
from framework.ops.primitive import prim_attr_register

__all__ = [
    "Bernoulli",
    "Gamma",
    "Multinomial",
    "Poisson",
    "RandomCategorical",
    "RandomChoiceWithMask",
    "RandpermV2",
    "StandardLaplace",
    "TruncatedNormal",
]


class StandardLaplace(Random):
    """Float32 numbers of density exp(-|x|) / 2: `StandardLaplace()(shape)`.

    Args:
        seed: with `seed2`, if one is not 0, the stream that every execution starts anew.
        seed2: see `seed`.

    """

    def compute(self, xp: Any, shape: Any) -> Any:
        return xp.asarray(self.stream().laplace(size=shape).astype(np.float32))


class TruncatedNormal(Random):
    """Float32 numbers from the standard normal distribution between -2 and 2: `TruncatedNormal()(shape)`.

    Args:
        seed: with `seed2`, if one is not 0, the stream that every execution starts anew.
        seed2: see `seed`.

    """

    def compute(self, xp: Any, shape: Any) -> Any:
        stream = self.stream()
        drawn = stream.standard_normal(shape, dtype=np.float32)
        while (far := np.abs(drawn) > 2).any():
            drawn[far] = stream.standard_normal(int(far.sum()), dtype=np.float32)
        return xp.asarray(drawn)


class Gamma(Random):
    """Float32 numbers from gamma distributions: `Gamma()(shape, alpha, beta)`, beta the rate.

    The output's shape is `shape` followed by what alpha and beta broadcast to.

    Args:
        seed: with `seed2`, if one is not 0, the stream that every execution starts anew.
        seed2: see `seed`.

    """

    def infer_shape(self, shape: Any, *others: Any) -> Dims:
        return (*shape, *broadcast(*others))

    def compute(self, xp: Any, shape: Any, alpha: Any, beta: Any) -> Any:
        alpha, beta = np.broadcast_arrays(_on_host(alpha), _on_host(beta))
        drawn = self.stream().gamma(alpha, 1 / beta, (*shape, *alpha.shape))
        return xp.asarray(drawn.astype(np.float32))


class Poisson(Random):
    """Int32 numbers from Poisson distributions: `Poisson()(shape, mean)`; the output's shape is as of `Gamma`.

    Args:
        seed: with `seed2`, if one is not 0, the stream that every execution starts anew.
        seed2: see `seed`.

    """

    def infer_shape(self, shape: Any, *others: Any) -> Dims:
        return (*shape, *broadcast(*others))

    def infer_dtype(self, shape: Any, *others: Any) -> DType:
        return mstype.int32

    def compute(self, xp: Any, shape: Any, mean: Any) -> Any:
        mean = np.asarray(_on_host(mean))
        return xp.asarray(self.stream().poisson(mean, (*shape, *mean.shape)).astype(np.int32))


class Bernoulli(Random):
    """1 with probability p, else 0, in the shape and element type of x: `Bernoulli()(x, p)`.

    Args:
        seed: with `offset`, if one is not 0, the stream that every execution starts anew.
        offset: see `seed`.

    """

    value_inputs = ()

    @prim_attr_register
    def __init__(self, seed: int = 0, offset: int = 0) -> None:
        self.init_prim_io_names(inputs=["x", "p"], outputs=["y"])
        self.add_prim_attr("seed2", offset)

    def infer_shape(self, x: Any, *others: Any) -> Dims:
        return tuple(x)

    def infer_dtype(self, x: Any, *others: Any) -> DType:
        return x  # type: ignore[no-any-return]

    def compute(self, xp: Any, x: Any, p: Any) -> Any:
        return xp.asarray(self.stream().random(x.shape) < _on_host(p)).astype(x.dtype)


class Multinomial(Random):
    """Indices drawn with probabilities in proportion to the elements of each row: `Multinomial()(x, num_samples)`.

    Args:
        seed: with `seed2`, if one is not 0, the stream that every execution starts anew.
        seed2: see `seed`.
        dtype: element type of the indices.

    """

    value_inputs: ClassVar[tuple[int, ...]] = (1,)

    @prim_attr_register
    def __init__(self, seed: int = 0, seed2: int = 0, dtype: DType = mstype.int32) -> None:
        self.init_prim_io_names(inputs=["x", "num_samples"], outputs=["y"])

    def infer_shape(self, x: Any, *others: Any) -> Dims:
        return (*x[:-1], others[0])

    def infer_dtype(self, x: Any, *others: Any) -> DType:
        return self.dtype  # type: ignore[no-any-return]

    def compute(self, xp: Any, x: Any, num_samples: int) -> Any:
        weights = np.asarray(_on_host(x), np.float64)
        if (weights < 0).any() or not (weights.sum(axis=-1) > 0).all():
            raise ValueError("Multinomial: a row must hold no negative number, and one above 0")
        return xp.asarray(self._drawn(weights, num_samples)).astype(self.dtype.numpy)

    def _drawn(self, weights: Any, count: int) -> Any:
        """Indices by the inverse of each row's running sum."""
        limits = np.cumsum(weights, -1) / weights.sum(axis=-1, keepdims=True)
        at = self.stream().random((*weights.shape[:-1], count))
        return (at[..., None] >= limits[..., None, :]).sum(axis=-1).clip(0, weights.shape[-1] - 1)


class RandomCategorical(Multinomial):
    """Indices drawn with the probabilities softmax(x) of each row: `RandomCategorical()(logits, num_sample, seed)`.

    Args:
        dtype: element type of the indices.

    """

    value_inputs = (1, 2)

    @prim_attr_register
    def __init__(self, dtype: DType = mstype.int64) -> None:
        self.init_prim_io_names(inputs=["logits", "num_samples", "seed"], outputs=["output"])
        self.add_prim_attr("seed", 0)
        self.add_prim_attr("seed2", 0)

    def compute(self, xp: Any, x: Any, num_samples: int, seed: int = 0) -> Any:
        logits = np.asarray(_on_host(x), np.float64)
        seeded = RandomCategorical(self.dtype).add_prim_attr("seed", seed)
        weights = np.exp(logits - logits.max(axis=-1, keepdims=True))
        return xp.asarray(seeded._drawn(weights, num_samples)).astype(self.dtype.numpy)


class RandomChoiceWithMask(Random):
    """The indices of `count` elements that hold, drawn without repetition: (count, dimensions), Int32.

    Outputs: the indices, with zeros where there are not enough; a mask of those that were drawn.

    Args:
        count: how many.
        seed: with `seed2`, if one is not 0, the stream that every execution starts anew.
        seed2: see `seed`.

    """

    value_inputs = ()

    @prim_attr_register
    def __init__(self, count: int = 256, seed: int = 0, seed2: int = 0) -> None:
        self.init_prim_io_names(inputs=["input_x"], outputs=["index", "mask"])

    def infer_shape(self, x: Any, *others: Any) -> Any:
        return (self.count, len(x)), (self.count,)

    def infer_dtype(self, x: Any, *others: Any) -> Any:
        return mstype.int32, mstype.bool_

    def compute(self, xp: Any, x: Any) -> Any:
        places = np.argwhere(_on_host(x))
        drawn = self.stream().permutation(len(places))[: self.count]
        index = np.zeros((self.count, x.ndim), np.int32)
        index[: len(drawn)] = places[drawn]
        return xp.asarray(index), xp.arange(self.count) < len(drawn)


class RandpermV2(Random):
    """The numbers from 0 to n - 1 in a random order: `RandpermV2()(n)`.

    Args:
        seed: with `offset`, if one is not 0, the stream that every execution starts anew.
        offset: see `seed`.
        dtype: element type of the numbers.

    """

    @prim_attr_register
    def __init__(self, seed: int = 0, offset: int = 0, dtype: DType = mstype.int64) -> None:
        self.init_prim_io_names(inputs=["n"], outputs=["output"])
        self.add_prim_attr("seed2", offset)

    def infer_shape(self, shape: Any, *others: Any) -> Dims:
        return (int(shape),)

    def infer_dtype(self, shape: Any, *others: Any) -> DType:
        return self.dtype  # type: ignore[no-any-return]

    def compute(self, xp: Any, n: int | Sequence[int]) -> Any:
        return xp.asarray(self.stream().permutation(n)).astype(self.dtype.numpy)


def _on_host(value: Any) -> Any:
    """An array of cupy as one of numpy: random numbers are drawn on the host."""
    return value.get() if hasattr(value, "get") else value
