"""Packs a matrix once when a program multiplies by its transpose repeatedly.

Backward through `x @ w` multiplies by the transpose of the same w in every iteration of a loop. BLAS packs w for each
product, which takes as long as the multiplication of a few dozen rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import networkx as nx
import numpy as np

from framework.engine.fusion.tapped_operators import TappedValue
from framework.ir.abstract import AbstractTensor
from framework.ir.anf import CNode, FuncGraph, Node, ValueNode
from framework.ir.manager import Manager
from framework.kernels.choices import Kernel, Source, listed
from framework.ops import operations as P  # noqa: N812
from framework.ops.primitive import Primitive

__all__ = ["PackedTranspose", "TappedProduct", "pack_operands"]

MIN_ROWS: Final = 32
"""The fewest rows: for fewer, OpenBLAS has kernels that are as fast with a transpose and sum in another order."""
MIN_PRODUCTS: Final = 8
"""Outside of loops, the number of products by the same matrix from which packing it pays."""

packing: Final = listed(
    Kernel(
        "layouts",
        lambda xp: False,
        lambda: True,
        Source(lambda: f"numpy {np.__version__}, once"),
        "matrices by whose transposes loops multiply, in programs compiled from now on",
    )
)


class PackedTranspose(Primitive):
    """The contiguous transpose of a matrix: shape (N, M) from (M, N)."""

    fresh = True

    def __init__(self) -> None:
        super().__init__("LaidOut")

    def compute(self, xp: Any, x: Any, *, out: Any = None) -> Any:
        """The transpose of `x`, written into `out` if that is given."""
        if out is None:
            return xp.ascontiguousarray(x.T)
        out[...] = x.T
        return out


class TappedProduct(TappedValue):
    """A product that a tap observes: it is reported with its original matrix, and computed with the packed one.

    Inputs: those of the product, and the packed transpose of the second one, which is read instead.
    """

    fresh = True

    def __init__(self, tapped: P.MatMul) -> None:
        super().__init__(tapped)
        self._packed_product = _packed_product(tapped)

    def compute(self, xp: Any, *inputs: Any, out: Any = None) -> Any:
        """The product of the first input and the last."""
        return self._packed_product.compute(xp, inputs[0], inputs[-1], out=out)


def _packed_product(operator: P.MatMul) -> P.MatMul:
    return P.MatMul(operator.transpose_a)


def pack_operands(root: FuncGraph, is_tapped: Callable[[CNode], bool] = lambda node: False) -> int:
    """Let products read matrices that are packed before the loop, instead of transposes.

    Results are the same up to the order of sums, which BLAS chooses.

    Args:
        root: the program, which is changed.
        is_tapped: whether a tap observes a node.

    Returns:
        The number of products that read a packed matrix.
    """
    if not packing.is_fast:
        return 0
    manager = Manager(root)
    found: dict[Node, list[CNode]] = {}
    for node in manager.all_nodes():
        if _multiplies_by_transpose(node):
            found.setdefault(node.arguments[1], []).append(node)
    if not found:
        return 0
    in_loops = set(_graphs_in_loops(manager))
    changed = 0
    for matrix, products in found.items():
        owner = matrix.graph
        if owner is None or not _is_profitable(owner, products, in_loops):
            continue
        assert isinstance(matrix.abstract, AbstractTensor)  # noqa: S101
        shape = matrix.abstract.shape[::-1]
        packed = owner.apply(
            PackedTranspose(),
            matrix,
            abstract=AbstractTensor(shape, matrix.abstract.dtype),
            location=products[0].location,
            scope=products[0].scope,
        )
        for product in products:
            operator: P.MatMul = product.operator
            if is_tapped(product):
                product.inputs = [ValueNode(TappedProduct(operator)), *product.arguments, packed]
            else:
                product.inputs = [ValueNode(_packed_product(operator)), product.arguments[0], packed]
        changed += len(products)
    return changed


def _multiplies_by_transpose(node: CNode) -> bool:
    operator = node.operator
    # A subclass may compute something else.
    if type(operator) is not P.MatMul or not operator.transpose_b:
        return False
    a, b = (item.abstract for item in node.arguments)
    if not isinstance(a, AbstractTensor) or not isinstance(b, AbstractTensor) or a.dtype is not b.dtype:
        return False
    rows = a.shape[1 if operator.transpose_a else 0]
    # A product of an open length, or with a constant, stays as it is.
    return rows is not None and rows >= MIN_ROWS and None not in b.shape and b.dtype.numpy == np.float32


def _is_profitable(owner: FuncGraph, products: Sequence[CNode], in_loops: set[FuncGraph]) -> bool:
    """Whether the products run more often than the graph that owns the matrix."""
    inner = [product for product in products if product.graph is not owner and product.graph in in_loops]
    return len(products) >= MIN_PRODUCTS or (bool(inner) and owner not in in_loops)


def _graphs_in_loops(manager: Manager) -> Iterator[FuncGraph]:
    """The graphs of loops and recursions, and those nested in them."""
    calls: nx.DiGraph[FuncGraph] = nx.DiGraph()
    for graph, named in manager.calls().items():
        calls.add_node(graph)
        calls.add_edges_from((graph, inner) for inner in named)
    components = nx.strongly_connected_components(calls)
    looping = {graph for part in components for graph in part if len(part) > 1 or calls.has_edge(graph, graph)}
    for graph in manager.graphs:
        if graph in looping or not looping.isdisjoint(manager.ancestors(graph)):
            yield graph
