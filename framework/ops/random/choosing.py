"""Random choices from weights or masks, and random permutations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.ops.array.casting import cast
from framework.ops.array.properties import shape as shape_of
from framework.ops.arrays import Array, ArrayModule
from framework.ops.control.composed import Composed
from framework.ops.indexing.gathering_elements import gather
from framework.ops.primitive import cached, prim_attr_register
from framework.ops.random.distributions import on_host as _on_host
from framework.ops.random.uniform_and_normal import Random
from framework.ops.shapes import Dims

__all__ = [
    "Multinomial",
    "RandomCategorical",
    "RandomChoiceWithMask",
    "RandomShuffle",
    "RandpermV2",
    "multinomial",
    "multinomial_with_replacement",
    "random_categorical",
    "randperm",
    "shuffle",
]


class Multinomial(Random):
    """Indices drawn with probabilities proportional to the elements of each row: `Multinomial()(x, num_samples)`.

    Inputs: x, weights of shape (classes,) or (N, classes), not negative, with one above 0 in each row; num_samples, an
    int.

    Output: a tensor of `dtype`, of shape (num_samples,) or (N, num_samples).

    Args:
        seed: seed, together with `seed2`; if one of them is not 0, every execution draws the same numbers.
        seed2: second part of the seed.
        dtype: element type of the indices.

    Example:
        >>> print(ops.Multinomial()(Tensor([[0.0, 5.0, 0.0], [0.0, 0.0, 2.0]], ms.float32), 4))
        [[1 1 1 1]
         [2 2 2 2]]
    """

    value_inputs: ClassVar[tuple[int, ...]] = (1,)

    @prim_attr_register
    def __init__(self, seed: int = 0, seed2: int = 0, dtype: DType = mstype.int32) -> None:
        self.init_prim_io_names(inputs=["x", "num_samples"], outputs=["y"])

    def infer_shape(self, x: Any, *others: object) -> Dims:
        return (*x[:-1], others[0])

    def infer_dtype(self, x: Any, *others: object) -> DType:
        return self.dtype

    def compute(self, xp: ArrayModule, x: Array, num_samples: int) -> Array:
        weights = np.asarray(_on_host(x), np.float64)
        if (weights < 0).any() or not (weights.sum(axis=-1) > 0).all():
            raise ValueError("Multinomial: the weights of a row must not be negative, and one must be above 0")
        return xp.asarray(self._drawn(weights, num_samples)).astype(self.dtype.numpy)

    def _drawn(self, weights: Array, count: int) -> Array:
        """Indices drawn by inverting each row's cumulative distribution."""
        limits = np.cumsum(weights, -1) / weights.sum(axis=-1, keepdims=True)
        points = self.stream().random((*weights.shape[:-1], count))
        return (points[..., None] >= limits[..., None, :]).sum(axis=-1).clip(0, weights.shape[-1] - 1)


def multinomial_with_replacement(
    x: Tensor, seed: int, offset: int, numsamples: int, replacement: bool = False
) -> Tensor:
    """Indices drawn with replacement, with probabilities proportional to weights.

    Args:
        x: weights of shape (classes,) or (N, classes), not negative.
        seed: seed, together with `offset`; if one of them is not 0, every execution draws the same numbers.
        offset: second part of the seed.
        numsamples: number of indices for each row.
        replacement: accepted for compatibility; has no effect.

    Returns:
        An Int64 tensor of shape (numsamples,) or (N, numsamples).

    Example:
        >>> print(ops.multinomial_with_replacement(Tensor([0.0, 9.0, 0.0]), 1, 2, 3))
        [1 1 1]

    """
    return cast(cached(Multinomial, seed, offset)(x, numsamples), mstype.int64)


def multinomial(input: Tensor, num_samples: int, replacement: bool = True, seed: int | None = None) -> Tensor:
    """Indices drawn with replacement, with probabilities proportional to the elements of each row.

    Args:
        input: weights of shape (classes,) or (N, classes), not negative.
        num_samples: number of indices for each row.
        replacement: True.
        seed: seed of the numbers; None for the global random stream.

    Returns:
        An Int32 tensor of shape (num_samples,) or (N, num_samples).

    Raises:
        ValueError: `replacement` is False.

    Example:
        >>> print(ops.multinomial(Tensor([0.0, 9.0, 0.0]), 3))
        [1 1 1]

    """
    if not replacement:
        raise ValueError("multinomial: drawing without replacement is not supported: use ops.randperm")
    return cached(Multinomial, 0 if seed is None else seed, 0)(input, num_samples)


class RandomCategorical(Multinomial):
    """Indices drawn with the probabilities softmax(x) of each row: `RandomCategorical()(logits, num_sample, seed)`.

    Inputs: logits of shape (N, classes); num_sample, an int; seed, an int: if it is not 0, every execution draws the
    same numbers.

    Output: a tensor of `dtype`, of shape (N, num_sample).

    Args:
        dtype: element type of the indices.

    Example:
        >>> print(ops.RandomCategorical()(Tensor([[0.0, 1000.0], [1000.0, 0.0]], ms.float32), 3, 1))
        [[1 1 1]
         [0 0 0]]
    """

    value_inputs = (1, 2)

    @prim_attr_register
    def __init__(self, dtype: DType = mstype.int64) -> None:
        self.init_prim_io_names(inputs=["logits", "num_samples", "seed"], outputs=["output"])
        self.add_prim_attr("seed", 0)
        self.add_prim_attr("seed2", 0)

    def compute(self, xp: ArrayModule, x: Array, num_samples: int, seed: int = 0) -> Array:
        logits = np.asarray(_on_host(x), np.float64)
        seeded = RandomCategorical(self.dtype).add_prim_attr("seed", seed)
        weights = np.exp(logits - logits.max(axis=-1, keepdims=True))
        return xp.asarray(seeded._drawn(weights, num_samples)).astype(self.dtype.numpy)


def random_categorical(logits: Tensor, num_sample: int, seed: int = 0, dtype: DType = mstype.int64) -> Tensor:
    """Indices drawn with the probabilities softmax(logits) of each row.

    Args:
        logits: tensor of shape (N, classes).
        num_sample: number of indices for each row.
        seed: seed of the numbers; 0 for the global random stream.
        dtype: element type of the indices.

    Returns:
        A tensor of `dtype`, of shape (N, num_sample).

    Example:
        >>> print(ops.random_categorical(Tensor([[0.0, 1000.0], [1000.0, 0.0]]), 3))
        [[1 1 1]
         [0 0 0]]

    """
    return cached(RandomCategorical, dtype)(logits, num_sample, seed)


class RandomChoiceWithMask(Random):
    """The indices of `count` true elements, drawn without replacement.

    Inputs: x, a Bool tensor.

    Output: the indices, Int32 of shape (count, dimensions of x), padded with zeros if there are too few true elements;
    a mask of the indices that were drawn, Bool of shape (count,).

    Args:
        count: number of indices.
        seed: seed, together with `seed2`; if one of them is not 0, every execution draws the same numbers.
        seed2: second part of the seed.

    Example:
        >>> index, mask = ops.RandomChoiceWithMask(count=2)(Tensor([[False, False], [False, True]]))
        >>> print(index.asnumpy().tolist(), mask)
        [[1, 1], [0, 0]] [ True False]
    """

    value_inputs = ()

    @prim_attr_register
    def __init__(self, count: int = 256, seed: int = 0, seed2: int = 0) -> None:
        self.init_prim_io_names(inputs=["input_x"], outputs=["index", "mask"])

    def infer_shape(self, x: Any, *others: object) -> Any:
        return (self.count, len(x)), (self.count,)

    def infer_dtype(self, x: object, *others: object) -> Any:
        return mstype.int32, mstype.bool_

    def compute(self, xp: ArrayModule, x: Array) -> tuple[Array, ...]:
        places = np.argwhere(_on_host(x))
        drawn = self.stream().permutation(len(places))[: self.count]
        index = np.zeros((self.count, x.ndim), np.int32)
        index[: len(drawn)] = places[drawn]
        return xp.asarray(index), xp.arange(self.count) < len(drawn)


class RandpermV2(Random):
    """A random permutation of the numbers from 0 to n - 1: `RandpermV2()(n)`.

    Inputs: n, an int.

    Output: a tensor of `dtype`, of shape (n,).

    Args:
        seed: seed, together with `offset`; if one of them is not 0, every execution draws the same numbers.
        offset: second part of the seed.
        dtype: element type of the numbers.

    Example:
        >>> print(np.sort(ops.RandpermV2()(5).asnumpy()))
        [0 1 2 3 4]
    """

    @prim_attr_register
    def __init__(self, seed: int = 0, offset: int = 0, dtype: DType = mstype.int64) -> None:
        self.init_prim_io_names(inputs=["n"], outputs=["output"])
        self.add_prim_attr("seed2", offset)

    def infer_shape(self, shape: Any, *others: object) -> Dims:
        return (int(shape),)

    def infer_dtype(self, shape: object, *others: object) -> DType:
        return self.dtype

    def compute(self, xp: ArrayModule, n: int | Sequence[int]) -> Array:
        return xp.asarray(self.stream().permutation(n)).astype(self.dtype.numpy)


def shuffle(x: Tensor, seed: int | None = None) -> Tensor:
    """A copy of a tensor with the slices along the first dimension in random order.

    Args:
        x: tensor of shape (N, ...).
        seed: seed of the order; None for the global random stream.

    Returns:
        A tensor of the shape and type of x.

    Example:
        >>> print(np.sort(ops.shuffle(Tensor([3, 1, 2])).asnumpy()))
        [1 2 3]

    """
    return gather(x, cached(RandpermV2, 0 if seed is None else seed)(shape_of(x)[0]), 0)


class RandomShuffle(Composed):
    """A copy of a tensor with the slices along the first dimension in random order: `RandomShuffle()(x)`.

    Inputs: x, a tensor (N, ...). Output: a tensor of its shape and type.

    Args:
        seed: seed, together with `seed2`; if one of them is not 0, every execution gives the same order.
        seed2: second part of the seed.

    Example:
        >>> print(np.sort(ops.RandomShuffle()(Tensor([3, 1, 2])).asnumpy()))
        [1 2 3]
    """

    side_effect = True

    @prim_attr_register
    def __init__(self, seed: int = 0, seed2: int = 0) -> None:
        self.init_prim_io_names(inputs=["x"], outputs=["y"])

    def __call__(self, x: Tensor) -> Tensor:
        """Shuffle a tensor."""
        return gather(x, cached(RandpermV2, self.seed, self.seed2)(shape_of(x)[0]), 0)


def randperm(n: int, seed: int = 0, offset: int = 0, dtype: DType = mstype.int64) -> Tensor:
    """A random permutation of the numbers from 0 to n - 1.

    Args:
        n: number of elements.
        seed: seed, together with `offset`; if one of them is not 0, every execution draws the same numbers.
        offset: second part of the seed.
        dtype: element type of the numbers.

    Returns:
        A tensor of `dtype`, of shape (n,).

    Example:
        >>> print(np.sort(ops.randperm(5).asnumpy()))
        [0 1 2 3 4]

    """
    return cached(RandpermV2, seed, offset, dtype)(n)
