"""The table of lowerings: how each operator is recorded in a segment.

Element-wise operators become generated kernels, and views become addresses. The other modules here lower products
(`products.py`), network layers (`layers.py`) and parameter updates (`parameter_updates.py`).
"""

from __future__ import annotations

from math import prod
from typing import Any, Final

import numpy as np

from framework.common import dtype as mstype
from framework.engine.fusion.clusters import cluster_of
from framework.engine.fusion.fused_programs import FusedKernel
from framework.engine.kernel_calls import kernel_call, known_value, tensors_of
from framework.engine.native.addresses import loop_address
from framework.engine.native.layouts import Layout
from framework.engine.native.lowering import data_movement, layers, products
from framework.engine.native.lowering import normalization_loops as normalization
from framework.engine.native.lowering import parameter_updates as updates
from framework.engine.native.lowering.generated import record
from framework.engine.native.lowering.structural import STRUCTURAL, identity, outputs_of
from framework.engine.native.segments import Lowering, Segment
from framework.ir.abstract import AbstractTensor, known
from framework.ir.anf import CNode
from framework.kernels.fused import APPROXIMATED
from framework.kernels.ufuncs import loop_of
from framework.ops import operations as P  # noqa: N812
from framework.ops.primitive import Primitive
from framework.ops.shapes import axes_of
from framework.opt.fusion.fusable import step_type

__all__ = ["lowering_of"]

_VIEWS: Final = (
    P.BroadcastTo, P.ExpandDims, P.Flatten, P.GetItem, P.Reshape, P.Slice, P.Squeeze, P.StridedSlice, P.Transpose,
)  # fmt: skip

_UFUNC_WORK: Final = 20
"""The arithmetic operations for one element of an exponential or a similar function."""


def lowering_of(node: CNode) -> Lowering | None:
    """The lowering of a node; None if it has none."""
    operator = node.operator
    if any(tensor.dtype is mstype.bfloat16 for item in (node, *node.arguments) for tensor in tensors_of(item.abstract)):
        return None
    try:
        found = STRUCTURAL.get(operator) or LOWERINGS.get(type(operator))
    except TypeError:
        return None
    if found is None and not isinstance(operator, FusedKernel) and step_type(node) is not None:
        return elementwise
    return found


def fused(segment: Segment, node: CNode) -> None:
    """A cluster."""
    kernel: FusedKernel = node.operator
    abstracts = outputs_of(node)
    read = [segment.layout(item) for item in node.arguments]
    if len(abstracts) == 1:
        record(segment, kernel.cluster, read, (segment.output(node),))
        return
    made = segment.outputs_of(node, abstracts)
    segment.define(node, made)
    record(segment, kernel.cluster, read, made)


def elementwise(segment: Segment, node: CNode) -> None:
    """One operator as a cluster of its own, or by numpy's loop if a cluster differs from numpy in the last bits.

    So it computes the same bits as a run with taps.
    """
    if type(node.operator).__name__ in APPROXIMATED:
        _by_numpy(segment, node)
        return
    made = cluster_of([node], [node])
    if made is None:
        raise segment.cannot_lower()
    read = [segment.layout(item) for item in made.inputs]
    record(segment, made.cluster, read, [segment.output(node)])


def _by_numpy(segment: Segment, node: CNode) -> None:
    """An operator by the inner loop of numpy's ufunc."""
    call = kernel_call(node)
    x = segment.contiguous(node.arguments[0])
    made = segment.output(node)
    loop = loop_of(call.ufunc, x.dtype) if call is not None and call.ufunc and x.dtype == made.dtype else None
    if loop is None:
        raise segment.cannot_lower()
    segment.call(
        "run_ufunc", loop_address("run_ufunc"), *loop, x, made, x.size, x.dtype.itemsize, work=_UFUNC_WORK * x.size
    )


def view(segment: Segment, node: CNode) -> None:
    """A view of a tensor; of a copy if numpy would copy too."""
    operator: Primitive = node.operator
    first, *others = node.arguments
    if any(item.abstract is None or not known(item.abstract) for item in others):
        raise segment.cannot_lower()
    given = [known_value(item.abstract) for item in others]

    def look(array: Any) -> Any:
        return operator.compute(np, array, *given)

    layout = segment.layout(first)
    seen = layout.view(look)
    if seen is None:
        seen = segment.as_contiguous(layout).view(look)
    if seen is None or not isinstance(node.abstract, AbstractTensor) or 0 in seen.shape:
        raise segment.cannot_lower()
    segment.define(node, seen)


def scatter_gradient(segment: Segment, node: CNode) -> None:
    """The gradient of an index or a slice: zeros, with the gradient in the part that was selected."""
    operator: P.GetItemGrad | P.SliceGrad | P.StridedSliceGrad = node.operator
    dout, *others = node.arguments
    if any(item.abstract is None or not known(item.abstract) for item in others):
        raise segment.cannot_lower()
    *values, _ = (known_value(item.abstract) for item in others)
    if isinstance(operator, P.GetItemGrad):
        index, tensors = values
        if tensors:
            raise segment.cannot_lower()
    else:
        index = operator.index(*values)
    given = segment.layout(dout)
    made = segment.output(node)
    seen = made.view(lambda array: array[index])
    if seen is None or seen.shape != given.shape or given.dtype != made.dtype:
        raise segment.cannot_lower()
    segment.call("clear_bytes", loop_address("clear_bytes"), made, made.nbytes)
    segment.copy(given, seen)


def broadcast_like(segment: Segment, node: CNode) -> None:
    """A tensor broadcast to the shape of another."""
    given = segment.layout(node.arguments[0])
    made = segment.output(node)
    seen = given.view(lambda array: np.broadcast_to(array, made.shape))
    if seen is None or given.dtype != made.dtype:
        raise segment.cannot_lower()
    segment.copy(seen, made)


def zeros(segment: Segment, node: CNode) -> None:
    """A tensor of zeros."""
    made = segment.output(node)
    segment.call("clear_bytes", loop_address("clear_bytes"), made, made.nbytes)


def reduce_sum(segment: Segment, node: CNode) -> None:
    """Sums and means over axes."""
    x = segment.contiguous(node.arguments[0])
    axis = known_value(node.arguments[1].abstract) if len(node.arguments) > 1 else ()
    axes = axes_of(axis, len(x.shape))
    divisor = float(prod(x.shape[at] for at in axes)) if isinstance(node.operator, P.ReduceMean) else 1.0
    _sum(segment, x, axes, segment.output(node), divisor)


def bias_add_grad(segment: Segment, node: CNode) -> None:
    """The gradient of a bias: the sum over all axes but the channels."""
    operator: P.BiasAddGrad = node.operator
    x = segment.contiguous(node.arguments[0])
    _sum(segment, x, operator.summed_axes(len(x.shape)), segment.output(node), 1.0)


def sum_like(segment: Segment, node: CNode) -> None:
    """The sum over the axes that broadcasting has added or repeated."""
    x = segment.contiguous(node.arguments[0])
    made = segment.output(node)
    if x.dtype != made.dtype:
        raise segment.cannot_lower()
    added = len(x.shape) - len(made.shape)
    axes = (*range(added), *(at + added for at, size in enumerate(made.shape) if size == 1 != x.shape[at + added]))
    if axes:
        _sum(segment, x, axes, made, 1.0)
    else:
        segment.copy(x, made)


def _sum(segment: Segment, x: Layout, axes: tuple[int, ...], made: Layout, divisor: float) -> None:
    """Record the sum over axes, divided by a number."""
    if x.dtype != np.float32:
        raise segment.cannot_lower()
    *outer, inner = _adjacent_axes([at for at in sorted(axes) if x.shape[at] > 1] or sorted(axes)[:1])
    if len(outer) > 1 or (outer and inner[1] != len(x.shape)):
        # Numpy sums in another order.
        raise segment.cannot_lower()
    for first, end in outer:
        part = segment.scratch(x.shape[: inner[0]], np.float32)
        _sum_adjacent(segment, x, inner, part, 1.0)
        x, inner = part, (first, end)
    _sum_adjacent(segment, x, inner, made, divisor)


def _adjacent_axes(axes: list[int]) -> list[tuple[int, int]]:
    """Ranges of adjacent axes: the first axis, and one past the last. No axes are one empty range."""
    found: list[tuple[int, int]] = []
    for at in axes:
        if found and found[-1][1] == at:
            found[-1] = found[-1][0], at + 1
        else:
            found.append((at, at + 1))
    return found or [(0, 0)]


def _sum_adjacent(segment: Segment, x: Layout, axes: tuple[int, int], made: Layout, divisor: float) -> None:
    """Record the sum over a range of adjacent axes, divided by a number."""
    first, end = axes
    sizes = [prod(part) for part in (x.shape[:first], x.shape[first:end], x.shape[end:])]
    segment.call("sum_axis", loop_address("sum_axis"), x, made, *sizes, divisor, work=x.size)


LOWERINGS: Final[dict[Any, Lowering]] = {
    **dict.fromkeys(_VIEWS, view),
    FusedKernel: fused,
    P.Depend: identity,
    P.StopGradient: identity,
    P.GetItemGrad: scatter_gradient,
    P.SliceGrad: scatter_gradient,
    P.StridedSliceGrad: scatter_gradient,
    P.BroadcastLike: broadcast_like,
    P.ZerosLike: zeros,
    P.SumLike: sum_like,
    P.BiasAddGrad: bias_add_grad,
    P.ReduceSum: reduce_sum,
    P.ReduceMean: reduce_sum,
    **products.LOWERINGS,
    **layers.LOWERINGS,
    **data_movement.LOWERINGS,
    **normalization.LOWERINGS,
    **updates.LOWERINGS,
}
