"""Turns the nodes of a cluster into the description that a kernel is generated from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from framework.ir.abstract import AbstractTensor
from framework.ir.anf import CNode, Node
from framework.kernels.fused import Cluster, Input, Output, Step
from framework.kernels.fused.cluster import can_reduce
from framework.ops import operations as P  # noqa: N812
from framework.opt.fusion.fusable import number_of, operands_of, reduction_of, seen_through, step_type

__all__ = ["FusedCluster", "cluster_of"]

_SLICES: Final = (P.GetItem, P.Slice, P.StridedSlice)


@dataclass(frozen=True)
class FusedCluster:
    """A cluster of a program.

    Attributes:
        nodes: what it computes, in order.
        inputs: the nodes that it reads.
        outputs: those of its nodes that are read from elsewhere.
        cluster: the same as plain data.
    """

    nodes: list[CNode]
    inputs: list[Node]
    outputs: list[CNode]
    cluster: Cluster


def cluster_of(nodes: Sequence[CNode], outputs: Sequence[CNode]) -> FusedCluster | None:
    """Describe nodes for a kernel.

    Args:
        nodes: element-wise operators of one shape, in an order in which they can run, and sums of their values.
        outputs: those that are read from elsewhere; where there are none, there is no kernel.

    Returns:
        The cluster; None where there is no kernel.
    """
    if not outputs:
        return None
    sums = {node: reduction for node in nodes if (reduction := reduction_of(node)) is not None}
    whole, nodes = list(nodes), [node for node in nodes if node not in sums]
    members = set(nodes)
    inputs: dict[tuple[Node, tuple[int, ...]], int] = {}
    shape = _shape(nodes[0])
    for node in nodes:
        for place, item in enumerate(map(seen_through, operands_of(node))):
            if item not in members and number_of(item) is None:
                inputs.setdefault((item, _broadcastable_shape(node, place, item, len(shape))), len(inputs))
    values: dict[Node, int] = {node: len(inputs) + place for place, node in enumerate(nodes)}
    steps = []
    for node in nodes:
        operands: list[int | tuple[bool | int | float]] = []
        for place, item in enumerate(map(seen_through, operands_of(node))):
            number = number_of(item)
            if number is not None:
                operands.append((number,))
            elif item in members:
                operands.append(values[item])
            else:
                operands.append(inputs[item, _broadcastable_shape(node, place, item, len(shape))])
        operand_type = step_type(node)
        assert operand_type is not None  # noqa: S101
        steps.append(Step(type(node.operator).__name__, _dtype(node), tuple(operands), operand_type))
    read = tuple(
        Input(_dtype(item), shape_in_cluster, _shape(item), _is_slice(item)) for item, shape_in_cluster in inputs
    )
    written = []
    for node in outputs:
        if node in sums:
            how = sums[node]
            written.append(Output(values[node.arguments[0]], how.kind, how.axes, how.keeps))
        else:
            written.append(Output(values[node]))
    cluster = Cluster(shape, read, tuple(steps), tuple(written))
    return FusedCluster(whole, [item for item, _ in inputs], list(outputs), cluster) if can_reduce(cluster) else None


def _is_slice(item: Node) -> bool:
    """Whether a value is a part of another, whose rows need not lie one behind the other."""
    return isinstance(item, CNode) and isinstance(item.operator, _SLICES) and len(_shape(item)) > 1


def _broadcastable_shape(node: CNode, place: int, item: Node, count: int) -> tuple[int, ...]:
    """The shape of an operand with as many dimensions as the cluster's."""
    shape = _shape(item)
    if isinstance(node.operator, P.BiasAdd) and place == 1:
        axis = node.operator.channel_axis(count)
        return tuple(shape[0] if at == axis else 1 for at in range(count))
    return (*(1,) * (count - len(shape)), *shape)


def _shape(node: Node) -> tuple[int, ...]:
    abstract = node.abstract
    assert isinstance(abstract, AbstractTensor)  # noqa: S101
    return tuple(dim or 0 for dim in abstract.shape)


def _dtype(node: Node) -> str:
    abstract = node.abstract
    assert isinstance(abstract, AbstractTensor)  # noqa: S101
    return str(abstract.dtype.numpy.name)
