"""Describes the nodes of a cluster as plain data, from which a kernel is generated."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from framework.ir.abstract import AbstractTensor
from framework.ir.anf import CNode, Node
from framework.kernels.fused import Cluster, Input, Output, Step
from framework.kernels.fused.cluster import can_reduce
from framework.ops import operations as P  # noqa: N812
from framework.opt.fusion.fusable import Reduction, number_of, operands_of, reduction_of, seen_through, step_type

__all__ = ["FusedCluster", "cluster_of"]

_SLICES: Final = (P.GetItem, P.Slice, P.StridedSlice)


@dataclass(frozen=True)
class FusedCluster:
    """A cluster of a program.

    Attributes:
        nodes: the nodes that it computes, in order.
        inputs: the nodes that it reads.
        outputs: those of its nodes that are read from elsewhere.
        cluster: its description as plain data.
    """

    nodes: list[CNode]
    inputs: list[Node]
    outputs: list[CNode]
    cluster: Cluster


def cluster_of(nodes: Sequence[CNode], outputs: Sequence[CNode]) -> FusedCluster | None:
    """Describe nodes for a generated kernel.

    Args:
        nodes: element-wise operators of one shape, in an order in which they can run, and sums of their values.
        outputs: those that are read from elsewhere.

    Returns:
        The cluster; None if no kernel can compute it, or nothing is read from elsewhere.
    """
    if not outputs:
        return None
    sums = {node: reduction for node in nodes if (reduction := reduction_of(node)) is not None}
    values = _ClusterValues([node for node in nodes if node not in sums])
    cluster = Cluster(
        values.shape,
        tuple(_input(item, shape) for item, shape in values.inputs),
        tuple(map(values.step, values.nodes)),
        tuple(values.output(node, sums.get(node)) for node in outputs),
    )
    if not can_reduce(cluster):
        return None
    return FusedCluster(list(nodes), [item for item, _ in values.inputs], list(outputs), cluster)


class _ClusterValues:
    """Numbers the values of a cluster: first its inputs, then its element-wise nodes.

    Args:
        nodes: the element-wise nodes, in order.

    Attributes:
        shape: the shape of the nodes.
        inputs: the number of each input: a node, and its shape with as many dimensions as the cluster's.
    """

    def __init__(self, nodes: Sequence[CNode]) -> None:
        self.nodes = nodes
        self.shape = _shape(nodes[0])
        self.inputs: dict[tuple[Node, tuple[int, ...]], int] = {}
        members = set(nodes)
        for node in nodes:
            for item, shape in self._operands(node):
                if item not in members and number_of(item) is None:
                    self.inputs.setdefault((item, shape), len(self.inputs))
        self._numbers: dict[Node, int] = {node: len(self.inputs) + place for place, node in enumerate(nodes)}

    def _operands(self, node: CNode) -> Iterator[tuple[Node, tuple[int, ...]]]:
        """The operands of a node, each with its shape with as many dimensions as the cluster's."""
        for place, item in enumerate(map(seen_through, operands_of(node))):
            is_tensor = isinstance(item.abstract, AbstractTensor)
            yield item, _broadcastable_shape(node, place, item, len(self.shape)) if is_tensor else ()

    def step(self, node: CNode) -> Step:
        """The description of an element-wise node."""
        operand_type = step_type(node)
        assert operand_type is not None  # noqa: S101
        operands = tuple(self._operand(item, shape) for item, shape in self._operands(node))
        return Step(type(node.operator).__name__, _dtype(node), operands, operand_type)

    def _operand(self, item: Node, shape: tuple[int, ...]) -> int | tuple[bool | int | float]:
        number = number_of(item)
        if number is not None:
            return (number,)
        return self._numbers[item] if item in self._numbers else self.inputs[item, shape]

    def output(self, node: CNode, reduction: Reduction | None) -> Output:
        """The description of an output: a value, or a sum of values."""
        if reduction is None:
            return Output(self._numbers[node])
        return Output(self._numbers[node.arguments[0]], reduction.kind, reduction.axes, reduction.keeps)


def _input(item: Node, shape: tuple[int, ...]) -> Input:
    return Input(_dtype(item), shape, _shape(item), _is_slice(item))


def _is_slice(item: Node) -> bool:
    """Whether a value is a slice of another tensor, whose rows need not be contiguous."""
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
