"""Elements that are searched for, counted, or drawn."""

from __future__ import annotations

from typing import Any

from framework.common import dtype as mstype
from framework.ops import operations as P  # noqa: N812
from framework.ops.primitive import cached

__all__ = [
    "bincount",
    "histc",
    "masked_select",
    "multinomial",
    "nonzero",
    "randperm",
    "searchsorted",
    "unique",
    "unique_consecutive",
]

_gather_d = P.GatherD()
_non_zero = P.NonZero()
_ones_like = P.OnesLike()
masked_select = P.MaskedSelect()
unique = P.Unique()


def nonzero(input: Any, *, as_tuple: bool = False) -> Any:
    """Where elements are not 0: one row per element, (count, dimensions) Int64; or one vector per dimension.

    The count is not known before it is computed, so graph mode refuses this.

    Example:
        >>> print(ops.nonzero(Tensor([[1, 0], [0, 2]])))
        [[0 0]
         [1 1]]

    """
    places = _non_zero(input)
    return P.Unstack(1)(places) if as_tuple else places


def searchsorted(
    sorted_sequence: Any,
    values: Any,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: Any = None,
) -> Any:
    """Where values would stand in sorted sequences.

    Args:
        sorted_sequence: (..., L), in order along the last dimension, unless there is a `sorter`.
        values: (..., K).
        out_int32: give Int32 in place of Int64.
        right: behind equal elements in place of before them.
        side: "right" or "left": the same in words.
        sorter: indices that bring the sequences into order.

    Example:
        >>> print(ops.searchsorted(Tensor([1.0, 3.0, 5.0]), Tensor([0.0, 3.0, 4.0])))
        [0 1 2]

    """
    if sorter is not None:
        sorted_sequence = _gather_d(sorted_sequence, -1, sorter)
    right = right or side == "right"
    return cached(P.SearchSorted, mstype.int32 if out_int32 else mstype.int64, right)(sorted_sequence, values)


def unique_consecutive(input: Any, return_inverse: bool = False, return_counts: bool = False, dim: Any = None) -> Any:
    """Without repetitions that follow each other; if asked which one each element is, and how often each came.

    Example:
        >>> print(ops.unique_consecutive(Tensor([1, 1, 2, 2, 1])))
        [1 2 1]

    """
    values, index, counts = cached(P.UniqueConsecutive, return_inverse, return_counts, dim)(input)
    if return_inverse:
        return (values, index, counts) if return_counts else (values, index)
    return (values, counts) if return_counts else values


def histc(input: Any, bins: int = 100, min: float = 0.0, max: float = 0.0) -> Any:
    """How many elements lie in each of equal parts of a range.

    Example:
        >>> print(ops.histc(Tensor([1.0, 2.0, 1.0, 4.0]), 4, 0.0, 4.0))
        [0. 2. 1. 1.]

    """
    return cached(P.Histogram, bins, min, max)(input)


def bincount(input: Any, weights: Any = None, minlength: int = 0) -> Any:
    """How often each number from 0 on comes in a vector, or the sums of their weights, as Float32.

    Example:
        >>> print(ops.bincount(Tensor([0, 2, 2, 3])))
        [1. 0. 2. 1.]

    """
    return cached(P.Bincount, minlength)(input, _ones_like(input) if weights is None else weights)


def multinomial(input: Any, num_samples: int, replacement: bool = True, seed: Any = None) -> Any:
    """Indices drawn, with replacement, with probabilities in proportion to the elements of each row.

    Example:
        >>> print(ops.multinomial(Tensor([0.0, 9.0, 0.0]), 3))
        [1 1 1]

    """
    if not replacement:
        raise ValueError("multinomial: drawing without replacement is not there: use ops.randperm")
    return cached(P.Multinomial, 0 if seed is None else seed, 0)(input, num_samples)


def randperm(n: int, seed: int = 0, offset: int = 0, dtype: Any = mstype.int64) -> Any:
    """The numbers from 0 to n - 1 in a random order.

    Example:
        >>> print(np.sort(ops.randperm(5).asnumpy()))
        [0 1 2 3 4]

    """
    return cached(P.RandpermV2, seed, offset, dtype)(n)
