"""Sliding windows along any number of dimensions, for pooling and convolution: paddings, sizes, elements of windows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from framework import ops
from framework.common.tensor import Tensor
from framework.onnx.operators.operator_table import Ints
from framework.onnx.operators.shapes import padded
from framework.ops.constexpr import constexpr

__all__ = ["Plan", "counts", "elements", "filled_sides", "places", "plan"]


@dataclass(frozen=True)
class Plan:
    """How windows lie along the dimensions behind the first two.

    Attributes:
        kernel: the elements of a window along each dimension.
        strides: the distances of windows.
        dilations: the distances of neighbouring elements of a window.
        before: the padding before each dimension.
        behind: the padding behind each dimension; it may be more than asked for, for the last window to fit.
        asked: the padding behind each dimension that was asked for.
        sizes: the number of windows along each dimension.
    """

    kernel: Ints
    strides: Ints
    dilations: Ints
    before: Ints
    behind: Ints
    asked: Ints
    sizes: Ints


@constexpr
def plan(
    lengths: tuple[int, ...],
    kernel: Ints,
    strides: Ints | None,
    dilations: Ints | None,
    pads: Ints | None,
    auto_pad: str,
    ceil_mode: int,
) -> Plan:
    """The windows over a tensor, whose first two dimensions may be open.

    Args:
        lengths: the dimensions of the shape after N and C.
        kernel: the elements of a window along each dimension.
        strides: the distances of windows; None for 1.
        dilations: the distances of neighbouring elements; None for 1.
        pads: the padding before all dimensions, then behind all; None for none.
        auto_pad: "NOTSET", "VALID", "SAME_UPPER" or "SAME_LOWER".
        ceil_mode: whether a last window may stick out.

    Raises:
        ValueError: the attributes do not fit the shape.
    """
    rank = len(lengths)
    strides, dilations = strides or (1,) * rank, dilations or (1,) * rank
    given = pads or (0,) * (2 * rank)
    if not rank == len(kernel) == len(strides) == len(dilations) == len(given) // 2 or min(*strides, *dilations) < 1:
        raise ValueError(f"a window of {list(kernel)} does not fit images of {list(lengths)}")
    before, behind, asked, sizes = [], [], [], []
    for k, length in enumerate(lengths):
        extent = (kernel[k] - 1) * dilations[k] + 1
        low, high = given[k], given[rank + k]
        if auto_pad.startswith("SAME"):
            size = -(-length // strides[k])
            total = max((size - 1) * strides[k] + extent - length, 0)
            low = total // 2 if auto_pad == "SAME_UPPER" else -(-total // 2)
            high = total - low
        elif auto_pad == "VALID":
            low, high = 0, 0
        room = length + low + high - extent
        size = (-(-room // strides[k]) if ceil_mode else room // strides[k]) + 1
        if ceil_mode and (size - 1) * strides[k] >= length + low:
            size -= 1
        if size < 1:
            raise ValueError(f"a window of {list(kernel)} does not fit a tensor of shape {list(lengths)}")
        before.append(low)
        asked.append(high)
        behind.append(max((size - 1) * strides[k] + extent - length - low, high))
        sizes.append(size)
    return Plan(
        tuple(kernel), tuple(strides), tuple(dilations), tuple(before), tuple(behind), tuple(asked), tuple(sizes)
    )


@constexpr
def filled_sides(made: Plan) -> Ints:
    """The padding of a plan as `padded` takes it."""
    return (0, 0, *made.before, 0, 0, *made.behind)


def elements(x: Tensor, made: Plan, value: Tensor) -> Tensor:
    """The elements of each window.

    Args:
        x: (N, C, ...).
        made: the plan of the windows.
        value: what paddings hold.

    Returns:
        (N, C, windows along each dimension, elements of a window).
    """
    rank = len(made.sizes)
    found = padded(x, filled_sides(made), "constant", value)
    for back in range(rank):
        axis = rank - 1 - back
        found = ops.gather(found, places(made, axis), 2 + axis)
    ordered = ops.transpose(found, _windows_first(rank))
    return ops.reshape(ordered, (x.shape[0], x.shape[1], *made.sizes, -1))


@constexpr
def places(made: Plan, axis: int) -> Tensor:
    """Where the elements of windows lie along a padded dimension: (windows, elements)."""
    starts = np.arange(made.sizes[axis])[:, None] * made.strides[axis]
    return Tensor(starts + np.arange(made.kernel[axis])[None, :] * made.dilations[axis])


@constexpr
def _windows_first(rank: int) -> Ints:
    return (0, 1, *range(2, 2 + 2 * rank, 2), *range(3, 3 + 2 * rank, 2))


@constexpr
def counts(dims: tuple[int, ...], made: Plan, is_padded: bool) -> Tensor:
    """How many elements of each window count, as Float64 of shape (1, 1, windows along each dimension).

    Args:
        dims: the shape (N, C, ...).
        made: the plan of the windows.
        is_padded: whether elements of the padding count.
    """
    rank = len(made.sizes)
    found = np.ones((1,) * (rank + 2))
    for axis in range(rank):
        low, high = made.before[axis], made.asked[axis]
        where = np.arange(made.sizes[axis])[:, None] * made.strides[axis]
        where = where + np.arange(made.kernel[axis])[None, :] * made.dilations[axis]
        inside = (where < low + dims[2 + axis] + high) if is_padded else (where >= low) & (where < low + dims[2 + axis])
        view = [1] * (rank + 2)
        view[2 + axis] = made.sizes[axis]
        found = found * inside.sum(1).reshape(view)
    return Tensor(np.maximum(found, 1.0))
