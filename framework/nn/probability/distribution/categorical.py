"""The categorical distribution."""

from __future__ import annotations

import math
from typing import Any

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.nn.probability.distribution.distribution import Distribution
from framework.nn.probability.distribution.parameters import (
    Given,
    check_prob,
    check_rank,
    check_sum_equal_one,
    common_shape,
    need_tensor,
)
from framework.ops.activation.normalized_exponentials import log_softmax, softmax
from framework.ops.arithmetic.combined import clip_by_value
from framework.ops.array.broadcasting import broadcast_to
from framework.ops.array.casting import cast
from framework.ops.array.properties import shape as shape_of
from framework.ops.array.reshaping import expand_dims, reshape, squeeze
from framework.ops.array.transposing import transpose
from framework.ops.comparison import logical_or
from framework.ops.constexpr import constexpr
from framework.ops.control.dependencies import stop_gradient
from framework.ops.creation.filled_like import zeros_like
from framework.ops.creation.ranges import Range
from framework.ops.indexing.gathering_elements import gather_elements
from framework.ops.indexing.selecting import where
from framework.ops.mathematics.exponential import log, square
from framework.ops.mathematics.rounding import floor, trunc
from framework.ops.random.choosing import multinomial
from framework.ops.reduction.cumulative import CumSum
from framework.ops.reduction.extremes import Argmax
from framework.ops.reduction.totals import ReduceSum

__all__ = ["Categorical"]

_sum = ReduceSum(keep_dims=True)
_argmax = Argmax(-1)
_cumulated = CumSum()


@constexpr
def _product(shape: tuple[int, ...]) -> int:
    return math.prod(shape)


class Categorical(Distribution):
    """Categorical distributions over the integers 0, 1, 2, ...; element n of the parameter is the probability of n.

    Args:
        probs: probabilities, with the categories as the last dimension, each above 0 and below 1, with the sum 1 over
            the categories: a list, an array or a tensor; None if each call gives them.
        seed: seed of samples; None for the global random stream.
        dtype: element type of samples, of integers or floating-point numbers.
        name: a name for messages.

    Raises:
        ValueError: probabilities are not between 0 and 1, have another sum, or no dimension.
        TypeError: the element type is not allowed.

    Example:
        >>> from framework.nn.probability import distribution as msd
        >>> categorical = msd.Categorical([0.2, 0.5, 0.3])
        >>> print(categorical.prob(Tensor([0, 2])).asnumpy().round(4), categorical.mode(), categorical.mean())
        [0.2 0.3] 1 [1.1]

    """

    kind = "Categorical"

    def __init__(
        self, probs: Given = None, seed: int | None = None, dtype: DType = mstype.int32, name: str = "Categorical"
    ) -> None:
        (self.probs,) = self._made_with(seed, dtype, name, integers=True, probs=probs)
        if self.probs is not None:
            check_rank(self.probs)
            check_prob(self.probs)
            check_sum_equal_one(self.probs)
            shape = self.probs.shape[:-1]
            self._is_scalar_batch = shape == ()
            self._broadcast_shape = shape

    def _as_event(self, value: Tensor) -> Tensor:
        need_tensor(value, "value")
        return value

    def _mean(self, probs: Tensor) -> Any:
        return _sum(_numbers(probs) * probs, -1)

    def _mode(self, probs: Tensor) -> Tensor:
        return cast(_argmax(probs), self._dtype)

    def _var(self, probs: Tensor) -> Any:
        return _sum(square(_numbers(probs)) * probs, -1) - square(_sum(_numbers(probs) * probs, -1))

    def _entropy(self, probs: Tensor) -> Tensor:
        return squeeze(-_sum(log(probs) * probs, -1))

    def _kl_loss(self, dist: str, probs_b: Tensor, probs: Tensor) -> Tensor:
        ours, theirs = log(probs), log(probs_b)
        return squeeze(_sum(softmax(ours, -1) * (log_softmax(ours, -1) - log_softmax(theirs, -1)), -1))

    def _log_prob(self, value: Tensor, probs: Tensor) -> Tensor:
        numbers, found = _picked(value, log(probs))
        beyond = logical_or(numbers < 0.0, numbers > shape_of(probs)[-1] - 1.0)
        return where(beyond, zeros_like(found) + math.nan, found)

    def _cdf(self, value: Tensor, probs: Tensor) -> Tensor:
        numbers, found = _picked(value, _cumulated(probs, -1))
        return where(numbers < 0.0, zeros_like(found), found)

    def _sample(self, shape: tuple[int, ...], probs: Tensor) -> Any:
        *batch, categories = shape_of(probs)
        drawn = multinomial(reshape(probs, (-1, categories)), _product(shape), True, self._seed)
        return stop_gradient(cast(reshape(transpose(drawn, (1, 0)), (*shape, *batch)), self._dtype))


def _numbers(probs: Tensor) -> Tensor:
    """The integers 0, 1, 2 and so on, one for each category."""
    return cast(Range()(0, shape_of(probs)[-1], 1), probs.dtype)


def _picked(value: Tensor, table: Tensor) -> tuple[Tensor, Tensor]:
    """The categories as integers, and the elements of the table's last dimension at these indices."""
    numbers = cast(value, table.dtype)
    numbers = where(numbers > -1.0, trunc(numbers), floor(numbers))
    categories = shape_of(table)[-1]
    wide = expand_dims(numbers, -1)
    shape = common_shape(shape_of(wide), shape_of(table))
    places = cast(clip_by_value(wide, 0.0, categories - 1.0), mstype.int32)
    places = broadcast_to(places, (*shape[:-1], 1))
    found = gather_elements(broadcast_to(table, shape), -1 + len(shape), places)
    return broadcast_to(numbers, shape[:-1]), squeeze_last(found)


def squeeze_last(x: Tensor) -> Any:
    """A tensor without its last dimension of length 1."""
    return reshape(x, shape_of(x)[:-1])
