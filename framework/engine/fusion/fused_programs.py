"""Fuses each cluster that `framework.opt.fusion.marks` has marked into one operator with a generated kernel.

The marked program is kept. For taps, a copy is made in which the observed operators are not fused; it computes the
same, bit for bit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from framework.engine.fusion.clusters import FusedCluster, cluster_of
from framework.engine.fusion.gemm_batching import batch_products
from framework.engine.fusion.load_elimination import eliminate_loads
from framework.engine.fusion.packed_operands import pack_operands
from framework.engine.fusion.peephole import apply_peepholes
from framework.ir.abstract import AbstractTensor, AbstractTuple
from framework.ir.anf import FUSION, CNode, FuncGraph, Node, ValueNode, graphs_in
from framework.ir.clone import clone
from framework.ir.manager import Manager
from framework.ir.operators import TUPLE_GETITEM
from framework.kernels.fused import APPROXIMATED, Cluster, generated
from framework.ops.primitive import Primitive
from framework.opt.fusion.fusable import reduction_of, seen_through
from framework.opt.rewrite import replace_all

__all__ = ["FusedKernel", "calls_before_fusion", "run_late_passes"]

LARGE_PROGRAM: Final = 1 << 15
"""A program whose clusters compute at least this many elements is fused when it is compiled."""
WARM_UP_CALLS: Final = 10
"""The number of calls after which any other program is fused: generating a kernel takes tens of milliseconds, once."""


GeneratedKernel = Callable[..., Any]


class FusedKernel(Primitive):
    """A generated kernel as an operator.

    Args:
        cluster: the description of what it computes.
        kernel: takes the arrays that are read, then those to write. Returns the last; None if an array has another
            type, shape or layout, and it did nothing.
        types: the types of the outputs.
        members: the names of its operators, for the text of a program.
        tapped: the only operator that it computes, which taps report; None if there are several.
        sources: as the attribute.

    Attributes:
        types: the shapes and element types of the outputs.
        overwrites: the positions of inputs that an output may overwrite.
        sources: the nodes whose work it does.
    """

    fresh = True

    def __init__(
        self,
        cluster: Cluster,
        kernel: GeneratedKernel,
        types: Sequence[AbstractTensor],
        members: str,
        tapped: Primitive | None = None,
        sources: Sequence[CNode] = (),
    ) -> None:
        super().__init__("Fused" if tapped is None else tapped.name)
        self.tapped = tapped
        self.sources = tuple(sources)
        self.add_prim_attr("members", members)
        self.cluster = cluster
        self.types = [(item.shape, item.dtype.numpy) for item in types]
        self.kernel = kernel
        self.overwrites = tuple(
            place
            for place, item in enumerate(cluster.inputs)
            if item.shape == cluster.shape and not any(output.reduction for output in cluster.outputs)
        )

    def empty(self) -> tuple[np.ndarray[Any, Any], ...]:
        """New arrays for the outputs."""
        return tuple(np.empty(shape, dtype) for shape, dtype in self.types)

    def compute(self, xp: Any, *inputs: Any, out: Any = None) -> Any:
        """Run the kernel, like that of any operator."""
        made = self.empty() if out is None else out if isinstance(out, tuple) else (out,)
        if self.kernel(*inputs, *made) is None:
            self.run_copied(*inputs, *made)
        return made if len(made) > 1 else made[0]

    def run_copied(self, *arrays: Any) -> None:
        """Run the kernel on contiguous copies of its inputs."""
        count = len(self.cluster.inputs)
        given = [np.require(item, requirements="C") for item in arrays[:count]]
        if self.kernel(*given, *arrays[count:]) is None:
            types = ", ".join(f"{item.dtype}{list(item.shape)}" for item in given)
            raise ValueError(f"a generated kernel got {types} and was made for {self.cluster.inputs}")


def calls_before_fusion(root: FuncGraph, xp: Any) -> int | None:
    """How many calls of a program run before its clusters become kernels; None if they never do.

    Args:
        root: the outermost graph of the program.
        xp: the array module that it computes with.
    """
    if xp is not np or not generated.is_fast:
        return None
    shapes = [node.abstract.shape for node in Manager(root).all_nodes() if FUSION in node.marks]  # type: ignore[union-attr]
    if not shapes:
        return None
    return 0 if sum(math.prod(dim or 1 for dim in shape) for shape in shapes) >= LARGE_PROGRAM else WARM_UP_CALLS


def run_late_passes(
    root: FuncGraph, is_tapped: Callable[[CNode], bool] = lambda node: False, *, kernels: bool = True
) -> FuncGraph:
    """Run the late passes on a copy of a program: load elimination, GEMM batching, packing, peephole and fusion.

    Args:
        root: the outermost graph of the program.
        is_tapped: whether a tap observes a node. Then the operators of its cluster are not fused. Those whose generated
            kernel differs from numpy's in the last bits get one each, so the tap sees the values of a run without taps.
        kernels: whether clusters become operators.

    Returns:
        The copy, as it runs after the warm-up calls.
    """
    copy = clone(root)
    eliminate_loads(copy)
    batch_products(copy, is_tapped)
    pack_operands(copy, is_tapped)
    apply_peepholes(copy, is_tapped)
    if kernels:
        _fuse(copy, is_tapped)
    return copy


def _fuse(root: FuncGraph, is_tapped: Callable[[CNode], bool]) -> None:
    """Replace clusters by operators with generated kernels."""
    manager = Manager(root)
    clusters: dict[int, list[CNode]] = {}
    for graph in manager.graphs:
        for node in manager.nodes(graph):
            if FUSION in node.marks:
                clusters.setdefault(node.marks[FUSION], []).append(node)
    for nodes in clusters.values():
        _drop_incompatible_reductions(nodes)
    read_outside = _nodes_read_outside(manager)
    replacements: dict[Node, Node] = {}
    for nodes in clusters.values():
        made = cluster_of(nodes, [node for node in nodes if node in read_outside])
        kernel = None if made is None else generated(np, made.cluster)
        if made is None or kernel is None:
            continue
        if any(map(is_tapped, nodes)):
            replacements.update(item for node in nodes for item in _tapped_kernel(node).items())
        else:
            replacements.update(_replacements(made, kernel))
    replace_all(root, replacements)


def _drop_incompatible_reductions(nodes: list[CNode]) -> None:
    """Take sums out of a cluster until its loops can compute the others, those over the most axes first."""
    by_axes: dict[tuple[int, ...], list[CNode]] = {}
    for node in nodes:
        reduction = reduction_of(node)
        if reduction is not None:
            by_axes.setdefault(reduction.axes, []).append(node)
    for axes in sorted(by_axes, key=len, reverse=True):
        if cluster_of(nodes, nodes) is not None:
            return
        for node in by_axes[axes]:
            nodes.remove(node)
            del node.marks[FUSION]


def _nodes_read_outside(manager: Manager) -> set[Node]:
    """The nodes of clusters that others read, return or capture."""
    read_outside: set[Node] = {graph.output for graph in manager.graphs}
    for graph in manager.graphs:
        read_outside.update(manager.free_variables(graph))
        for node in manager.nodes(graph):
            mark = node.marks.get(FUSION)
            read_outside.update(item for item in _operands(node) if _mark(item) != mark or mark is None)
            read_outside.update(item for inner in graphs_in(node.inputs) for item in manager.free_variables(inner))
    return read_outside


def _operands(node: CNode) -> list[Node]:
    return [seen_through(item) for item in node.inputs] if FUSION in node.marks else node.inputs


def _mark(node: Node) -> int | None:
    return node.marks.get(FUSION) if isinstance(node, CNode) else None


def _tapped_kernel(node: CNode) -> dict[Node, Node]:
    """The replacement of a tapped node by a kernel of its own, if that differs from numpy in the last bits."""
    made = cluster_of([node], [node]) if type(node.operator).__name__ in APPROXIMATED else None
    kernel = None if made is None else generated(np, made.cluster)
    if made is None or kernel is None:
        return {}
    return _replacements(made, kernel, node.operator)


def _replacements(made: FusedCluster, kernel: GeneratedKernel, tapped: Primitive | None = None) -> dict[Node, Node]:
    """For each output of a cluster, the node that is read instead."""
    last = made.nodes[-1]
    graph = last.graph
    assert graph is not None  # noqa: S101
    types = [node.abstract for node in made.outputs]
    members = " ".join(node.operator.name for node in made.nodes)
    operator = FusedKernel(made.cluster, kernel, types, members, tapped, made.nodes)  # type: ignore[arg-type]
    abstract = types[0] if len(types) == 1 else AbstractTuple(tuple(types))  # type: ignore[arg-type]
    node = CNode(
        graph,
        [ValueNode(operator), *made.inputs],
        last.full_name,
        abstract=abstract,
        location=last.location,
        scope=last.scope,
    )
    node.also = tuple(dict.fromkeys(name for one in made.nodes for name in (one.full_name, *one.also) if name))
    if len(types) == 1:
        return {made.outputs[0]: node}
    return {
        output: graph.apply(TUPLE_GETITEM, node, place, abstract=output.abstract, scope=output.scope)
        for place, output in enumerate(made.outputs)
    }
