"""Random numbers from more distributions, and random choices."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType
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

    Inputs: shape, a tuple of ints.

    Output: a Float32 tensor of that shape.

    Args:
        seed: with `seed2`, if one is not 0, the stream that every execution starts anew.
        seed2: see `seed`.

    Example:
        >>> x = ops.StandardLaplace()((2, 3))
        >>> print(x.shape, x.dtype)
        (2, 3) Float32
    """

    def compute(self, xp: Any, shape: Any) -> Any:
        return xp.asarray(self.stream().laplace(size=shape).astype(np.float32))


class TruncatedNormal(Random):
    """Float32 numbers from the standard normal distribution between -2 and 2: `TruncatedNormal()(shape)`.

    Inputs: shape, a tuple of ints.

    Output: a Float32 tensor of that shape.

    Args:
        seed: with `seed2`, if one is not 0, the stream that every execution starts anew.
        seed2: see `seed`.

    Example:
        >>> x = ops.TruncatedNormal()((1000,)).asnumpy()
        >>> print(x.shape, bool((abs(x) <= 2).all()))
        (1000,) True
    """

    def compute(self, xp: Any, shape: Any) -> Any:
        stream = self.stream()
        drawn = stream.standard_normal(shape, dtype=np.float32)
        while (far := np.abs(drawn) > 2).any():
            drawn[far] = stream.standard_normal(int(far.sum()), dtype=np.float32)
        return xp.asarray(drawn)


class Gamma(Random):
    """Float32 numbers from gamma distributions: `Gamma()(shape, alpha, beta)`, beta the rate.

    The output's shape is `shape` followed by what alpha and beta broadcast to. The mean is alpha / beta.

    Inputs: shape, a tuple of ints; alpha and beta, tensors of numbers above 0.

    Output: a Float32 tensor.

    Args:
        seed: with `seed2`, if one is not 0, the stream that every execution starts anew.
        seed2: see `seed`.

    Example:
        >>> x = ops.Gamma()((5,), Tensor([1.0, 2.0], ms.float32), Tensor(4.0, ms.float32)).asnumpy()
        >>> print(x.shape, bool((x >= 0).all()))
        (5, 2) True
    """

    takes = MappingProxyType({1: mstype.real_type, 2: mstype.real_type})

    def infer_shape(self, shape: Any, *others: Any) -> Dims:
        return (*shape, *broadcast(*others))

    def compute(self, xp: Any, shape: Any, alpha: Any, beta: Any) -> Any:
        alpha, beta = np.broadcast_arrays(_on_host(alpha), _on_host(beta))
        drawn = self.stream().gamma(alpha, 1 / beta, (*shape, *alpha.shape))
        return xp.asarray(drawn.astype(np.float32))


class Poisson(Random):
    """Int32 numbers from Poisson distributions: `Poisson()(shape, mean)`; the output's shape is as of `Gamma`.

    Inputs: shape, a tuple of ints; mean, a tensor of numbers that are not negative.

    Output: an Int32 tensor, of shape `shape` followed by that of mean.

    Args:
        seed: with `seed2`, if one is not 0, the stream that every execution starts anew.
        seed2: see `seed`.

    Example:
        >>> x = ops.Poisson()((3,), Tensor([0.0, 100.0], ms.float32)).asnumpy()
        >>> print(x.shape, x[:, 0])
        (3, 2) [0 0 0]
    """

    takes = MappingProxyType({1: mstype.real_type})

    def infer_shape(self, shape: Any, *others: Any) -> Dims:
        return (*shape, *broadcast(*others))

    def infer_dtype(self, shape: Any, *others: Any) -> DType:
        return mstype.int32

    def compute(self, xp: Any, shape: Any, mean: Any) -> Any:
        mean = np.asarray(_on_host(mean))
        return xp.asarray(self.stream().poisson(mean, (*shape, *mean.shape)).astype(np.int32))


class Bernoulli(Random):
    """1 with probability p, else 0, in the shape and element type of x: `Bernoulli()(x, p)`.

    Inputs: x, a tensor, whose elements do not count; p, a number or a tensor that broadcasts to the shape of x.

    Output: a tensor of the shape and element type of x.

    Args:
        seed: with `offset`, if one is not 0, the stream that every execution starts anew.
        offset: see `seed`.

    Example:
        >>> print(ops.Bernoulli()(Tensor([7, 7, 7]), Tensor([0.0, 1.0, 0.0], ms.float32)))
        [0 1 0]
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

    Inputs: x of shape (classes,) or (N, classes), no number negative and one above 0 in each row; num_samples, an int.

    Output: a tensor of `dtype`, of shape (num_samples,) or (N, num_samples).

    Args:
        seed: with `seed2`, if one is not 0, the stream that every execution starts anew.
        seed2: see `seed`.
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

    Inputs: logits of shape (N, classes); num_sample, an int; seed, an int: if it is not 0, the stream that every
    execution starts anew.

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

    def compute(self, xp: Any, x: Any, num_samples: int, seed: int = 0) -> Any:
        logits = np.asarray(_on_host(x), np.float64)
        seeded = RandomCategorical(self.dtype).add_prim_attr("seed", seed)
        weights = np.exp(logits - logits.max(axis=-1, keepdims=True))
        return xp.asarray(seeded._drawn(weights, num_samples)).astype(self.dtype.numpy)


class RandomChoiceWithMask(Random):
    """The indices of `count` elements that hold, drawn without repetition: (count, dimensions), Int32.

    Inputs: x, a Bool tensor.

    Output: the indices, Int32 of shape (count, dimensions of x), with zeros where there are not enough; a mask of those
    that were drawn, Bool of shape (count,).

    Args:
        count: how many.
        seed: with `seed2`, if one is not 0, the stream that every execution starts anew.
        seed2: see `seed`.

    Example:
        >>> index, mask = ops.RandomChoiceWithMask(count=2)(Tensor([[False, False], [False, True]]))
        >>> print(index.asnumpy().tolist(), mask)
        [[1, 1], [0, 0]] [ True False]
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

    Inputs: n, an int.

    Output: a tensor of `dtype`, of shape (n,).

    Args:
        seed: with `offset`, if one is not 0, the stream that every execution starts anew.
        offset: see `seed`.
        dtype: element type of the numbers.

    Example:
        >>> print(np.sort(ops.RandpermV2()(5).asnumpy()))
        [0 1 2 3 4]
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
