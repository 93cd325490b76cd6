"""Stacks the values of a column, after padding them to one shape if that is asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from framework.dataset.ir.nodes import Node
from framework.dataset.runtime.blocks.slots import Pool
from framework.dataset.runtime.failures import failure
from framework.dataset.runtime.rows import Array, Row, together

__all__ = ["stacked"]


def stacked(
    node: Node,
    pad: Mapping[str, Any] | None,
    name: str,
    values: Sequence[Array],
    batch: Sequence[Row],
    pool: Pool | None = None,
) -> Array:
    """The values of a column along a new first axis.

    Args:
        node: the operator, for messages.
        pad: for each column to pad a shape and a value; an empty one pads all columns, None pads none.
        name: name of the column.
        values: the values.
        batch: the rows that they come from.
        pool: memory for the array; None for new memory.

    Returns:
        The array.

    Raises:
        RuntimeError: the values have different shapes.
    """
    if pad is not None and (not pad or name in pad):
        values = _padded(node, pad, name, values, batch)
    shape = values[0].shape
    for number, value in enumerate(values):
        if value.shape != shape:
            row = batch[number] if number < len(batch) else batch[0]
            why = (
                f"column {name!r} has shape {value.shape} here, {shape} in the first row of the batch;"
                " bring them to one shape before, or use padded_batch"
            )
            raise failure(node, "", row, why)
    if pool is not None and all(value.dtype == values[0].dtype for value in values) and values[0].dtype != object:
        return pool.stacked(values)
    try:
        return together(values)
    except ValueError as error:
        raise failure(node, "", batch[0], error) from error


def _padded(
    node: Node, pad: Mapping[str, Any], name: str, values: Sequence[Array], batch: Sequence[Row]
) -> list[Array]:
    wanted, filler = pad.get(name, (None, None))
    rank = values[0].ndim
    if any(value.ndim != rank for value in values) or (wanted is not None and len(wanted) != rank):
        why = f"column {name!r}: only arrays with one number of dimensions can be padded together"
        raise failure(node, "", batch[0], why)
    largest = tuple(max(value.shape[axis] for value in values) for axis in range(rank))
    shape = [large if want is None else want for want, large in zip(wanted or (None,) * rank, largest, strict=True)]
    # Elements outside of the target shape are cut off.
    cut = [value[_corner(shape)] for value in values]
    if values[0].dtype.kind in "SU":
        text = "" if filler is None else filler
        return _filled(cut, shape, text, np.result_type(*values, np.asarray(text)))
    return _filled(cut, shape, 0 if filler is None else filler, values[0].dtype)


def _corner(shape: Sequence[int]) -> tuple[slice, ...]:
    """The index of the elements within a shape, from the origin on."""
    return tuple(slice(0, size) for size in shape)


def _filled(values: Sequence[Array], shape: Sequence[int], filler: object, dtype: np.dtype[Any]) -> list[Array]:
    """Arrays of one shape that contain the values, with the filler everywhere else."""
    out = []
    for value in values:
        array = np.full(shape, filler, dtype)
        array[_corner(value.shape)] = value
        out.append(array)
    return out
