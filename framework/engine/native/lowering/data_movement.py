"""Lowering of operators that move elements: splitting, concatenation, gathering slices by index.

The parts of a split tensor are views; the others copy.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any, Final

import numpy as np

from framework.engine.fusion.packed_operands import PackedTranspose
from framework.engine.kernel_calls import known_value
from framework.engine.native.addresses import loop_address
from framework.engine.native.layouts import Layout
from framework.engine.native.segments import Lowering, Segment
from framework.ir.abstract import known
from framework.ir.anf import CNode, Node
from framework.kernels import accelerated
from framework.ops import operations as P  # noqa: N812
from framework.ops.shapes import normal_axis

__all__ = ["LOWERINGS"]


def split(segment: Segment, node: CNode) -> None:
    """Equal parts along an axis (`Split`), or the slices of an axis (`Unstack`)."""
    operator: P.Split | P.Unstack = node.operator
    whole = segment.layout(node.arguments[0])
    axis = normal_axis(operator.axis, len(whole.shape))
    keeps = isinstance(operator, P.Split)
    length = whole.shape[axis] // operator.output_num if keeps else 1
    starts = range(0, whole.shape[axis], length)
    views = [whole.view(_part(axis, slice(at, at + length) if keeps else at)) for at in starts]
    parts = tuple(part for part in views if part is not None)
    if len(parts) < len(views):
        raise segment.cannot_lower()
    segment.define(node, parts)


def concatenate(segment: Segment, node: CNode) -> None:
    """Tensors joined along an axis that they have (`Concat`), or along a new one (`Stack`)."""
    operator: P.Concat | P.Stack = node.operator
    given = segment.layouts(node.arguments[0])
    if not isinstance(given, tuple):
        raise segment.cannot_lower()
    items = [item for item in given if isinstance(item, Layout)]
    if len(items) < len(given):
        raise segment.cannot_lower()
    made = segment.output(node)
    if any(item.dtype != made.dtype for item in items):
        raise segment.cannot_lower()
    axis = normal_axis(operator.axis, len(made.shape))
    begin = 0
    for item in items:
        length = item.shape[axis] if isinstance(operator, P.Concat) else 1
        chosen = slice(begin, begin + length) if isinstance(operator, P.Concat) else begin
        begin += length
        place = made.view(_part(axis, chosen))
        if place is None or place.shape != item.shape:
            raise segment.cannot_lower()
        segment.copy(item, place)


def pack_transpose(segment: Segment, node: CNode) -> None:
    """The contiguous transpose of a matrix."""
    turned = segment.layout(node.arguments[0]).view(np.transpose)
    made = segment.output(node)
    if turned is None:
        raise segment.cannot_lower()
    segment.copy(turned, made)


def _part(axis: int, chosen: slice | int) -> Callable[[Any], Any]:
    """A function that takes a part of an array along an axis."""
    return lambda array: array[(*(slice(None),) * axis, chosen)]


def gather(segment: Segment, node: CNode) -> None:
    """Slices of a tensor by index."""
    x = segment.contiguous(node.arguments[0])
    made = segment.output(node)
    tables, rows, width = _gather_sizes(segment, node, x.shape, node.arguments[2])
    indices = _indices(segment, node, rows)
    nbytes = width * x.dtype.itemsize
    segment.call("take_rows", loop_address("take_rows"), x, indices, made, tables, rows, indices.size, nbytes,
                 indices.dtype.itemsize, work=made.size)  # fmt: skip


def gather_grad(segment: Segment, node: CNode) -> None:
    """The gradient of `gather`: zeros, with slices added at the indices."""
    dout = segment.contiguous(node.arguments[0])
    made = segment.output(node)
    if not accelerated.gather_grad.is_fast or dout.dtype != np.float32:
        raise segment.cannot_lower()
    tables, rows, width = _gather_sizes(segment, node, made.shape, node.arguments[2])
    indices = _indices(segment, node, rows)
    segment.call("add_rows", loop_address("add_rows"), dout, indices, made, tables, rows, indices.size, width,
                 indices.dtype.itemsize, work=made.size + dout.size)  # fmt: skip


def _gather_sizes(segment: Segment, node: CNode, shape: tuple[int, ...], axis: Node) -> tuple[int, int, int]:
    """The number of elements before, along and after the axis of the indices."""
    operator: P.Gather | P.GatherGrad = node.operator
    if operator.batch_dims or axis.abstract is None or not known(axis.abstract):
        raise segment.cannot_lower()
    at = normal_axis(known_value(axis.abstract), len(shape))
    return prod(shape[:at]), shape[at], prod(shape[at + 1 :])


def _indices(segment: Segment, node: CNode, rows: int) -> Layout:
    """The layout of the indices, with a guard that each is valid."""
    indices = segment.contiguous(node.arguments[1])
    if indices.dtype not in (np.int32, np.int64):
        raise segment.cannot_lower()
    segment.guard_range(indices, -rows, rows)
    return indices


LOWERINGS: Final[dict[Any, Lowering]] = {
    P.Split: split,
    P.Unstack: split,
    P.Concat: concatenate,
    P.Stack: concatenate,
    P.Gather: gather,
    P.GatherGrad: gather_grad,
    PackedTranspose: pack_transpose,
}
