"""Elements and rows put together in all ways: pairs, products, combinations, and the distances within pairs."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from framework.common import dtype as mstype
from framework.common.tensor import Tensor
from framework.ops.constexpr import constexpr
from framework.ops.functional.arranging import meshgrid
from framework.ops.functional.measuring import norm
from framework.ops.functional.picking import gather
from framework.ops.functional.primitives import rank, reshape, shape
from framework.ops.functional.shaping import stack

__all__ = ["cartesian_prod", "combinations", "pdist"]


def cartesian_prod(*inputs: Any) -> Any:
    """All ways to take one element of each vector, the last one changing fastest.

    Args:
        inputs: vectors (N1,), (N2,), ... of one type.

    Returns:
        (N1 N2 ..., number of vectors); of one vector itself.

    Example:
        >>> print(ops.cartesian_prod(Tensor([1, 2]), Tensor([5, 6])))
        [[1 5]
         [1 6]
         [2 5]
         [2 6]]

    """
    if len(inputs) == 1:
        return inputs[0]
    return stack([reshape(item, (-1,)) for item in meshgrid(*inputs, indexing="ij")], 1)


def combinations(input: Any, r: int = 2, with_replacement: bool = False) -> Any:
    """All ways to take r elements of a vector, each in the vector's order.

    Args:
        input: a vector (N,).
        r: how many are taken.
        with_replacement: whether one element may be taken several times.

    Returns:
        (ways, r): N! / (r! (N - r)!) ways, with replacement (N + r - 1)! / (r! (N - 1)!).

    Raises:
        ValueError: `input` is no vector, or r is negative.

    Example:
        >>> print(ops.combinations(Tensor([1, 3, 5])))
        [[1 3]
         [1 5]
         [3 5]]

    """
    return gather(input, _ways(shape(input), r, with_replacement), 0)


@constexpr
def _ways(of: tuple[int, ...], r: int, with_replacement: bool) -> Tensor:
    """Which elements the ways take: int32 (ways, r)."""
    if len(of) != 1 or r < 0:
        raise ValueError(f"combinations takes a vector and r >= 0, not a tensor of shape {of} and r = {r}")
    every = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    return Tensor(np.array(list(every(range(of[0]), r)), np.int32).reshape(-1, r), mstype.int32)


def pdist(input: Any, p: float = 2.0) -> Any:
    """The distance of each row from each of the rows behind it: ||x_i - x_j||_p for i < j.

    Args:
        input: (..., N, M) float.
        p: the order of the norm, 0 (how many elements differ) to infinity (the largest difference).

    Returns:
        (..., N (N - 1) / 2), in the order (0, 1), (0, 2), ..., (1, 2), ...

    Raises:
        ValueError: `input` has fewer than two dimensions, or p is negative.

    Example:
        >>> print(ops.pdist(Tensor([[0.0, 0.0], [3.0, 4.0], [3.0, 0.0]])))
        [5. 3. 4.]

    """
    ones, others = _pairs(shape(input), p)
    axis = rank(input) - 2
    return norm(gather(input, ones, axis) - gather(input, others, axis), p, -1)


@constexpr
def _pairs(of: tuple[int, ...], p: float) -> tuple[Tensor, Tensor]:
    """The rows of each pair, the earlier and the later ones: two of int32 (pairs,)."""
    if len(of) < 2 or not p >= 0:
        raise ValueError(f"pdist takes a matrix, or many, and p >= 0, not a tensor of shape {of} and p = {p}")
    ones, others = np.triu_indices(of[-2], 1)
    return Tensor(ones, mstype.int32), Tensor(others, mstype.int32)
