"""Rows of a table by numbers that may lie outside of it."""

from __future__ import annotations

from framework.common.tensor import Tensor
from framework.ops.arithmetic.combined import clip_by_value
from framework.ops.array.properties import shape as shape_of
from framework.ops.array.reshaping import reshape
from framework.ops.comparison import logical_and
from framework.ops.control.composed import Composed
from framework.ops.creation.filled_like import zeros_like
from framework.ops.indexing.gathering_elements import gather
from framework.ops.indexing.selecting import where
from framework.ops.primitive import prim_attr_register

__all__ = ["EmbeddingLookup"]


class EmbeddingLookup(Composed):
    """The slices of a table along its first dimension, and zeros for numbers outside: `(table, numbers, offset)`.

    Inputs: the table (N, ...); an integer tensor of numbers; an int that is subtracted from them. Output: a tensor of
    the shape of the numbers, followed by that of a slice.

    Example:
        >>> table = Tensor([[8.0, 9.0], [10.0, 11.0]])
        >>> print(ops.EmbeddingLookup()(table, Tensor([5, 4, 9]), 4))
        [[10. 11.]
         [ 8.  9.]
         [ 0.  0.]]
    """

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["params", "indices", "offset"], outputs=["output"])

    def __call__(self, input_params: Tensor, input_indices: Tensor, offset: int) -> Tensor:
        """Look up slices."""
        count, *rest = shape_of(input_params)
        places = input_indices - offset
        found = gather(input_params, clip_by_value(places, 0, count - 1), 0)
        inside = logical_and(places >= 0, places < count)
        return where(reshape(inside, (*shape_of(places), *[1 for _ in rest])), found, zeros_like(found))
