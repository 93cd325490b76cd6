"""Batches small matrix products into a large one with the same elements.

A network that processes a sequence step by step multiplies each step's rows by the same matrix, and its gradient adds
up one product per step. BLAS is slow with few rows, and each term of the sum is as large as the matrix. Two patterns
are batched:

- products of all slices of one tensor, `x[t] @ w` for every t, become one product of the tensor;
- a sum of products `a.T @ b` over steps becomes one product of all a stacked and all b stacked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, Final

import numpy as np

from framework.engine.fusion.tapped_operators import TappedValue
from framework.infer.values import is_known, value_of
from framework.ir.abstract import AbstractTensor, AbstractTuple
from framework.ir.anf import ASIDE, FUSION, CNode, FuncGraph, Node, ValueNode
from framework.ir.manager import Manager
from framework.ir.operators import MAKE_TUPLE, abstract_of
from framework.kernels.choices import Kernel, Source, listed
from framework.ops import operations as P  # noqa: N812
from framework.ops.primitive import Primitive
from framework.opt.rewrite import replace_all

__all__ = ["batch_products"]

MIN_PRODUCTS: Final = 8
"""The fewest products that are batched."""
MAX_ROWS: Final = 256
"""The most rows of a product that is batched: with more rows, BLAS is as fast without."""
MAX_ELEMENTS: Final = 1 << 23
"""The most elements, 32 MiB, that a batch keeps alive at once; separate products release theirs early."""

batching: Final = listed(
    Kernel(
        "merged",
        lambda xp: False,
        lambda: True,
        Source(lambda: f"numpy {np.__version__}, all at once"),
        "products of a sequence's steps by one matrix, and sums of them, in programs compiled from now on",
    )
)


def batch_products(root: FuncGraph, is_tapped: Callable[[CNode], bool] = lambda node: False) -> int:
    """Replace groups of products by one product each.

    BLAS may sum in another order for another number of rows; sums of products are always summed in another order.

    Args:
        root: the program, which is changed.
        is_tapped: whether a tap observes a node.

    Returns:
        The number of products that were replaced.
    """
    if not batching.is_fast:
        return 0
    manager = Manager(root)
    replacements: dict[Node, Node] = {}
    changed = 0
    for graph in manager.graphs:
        nodes = manager.nodes(graph)
        for products in _products_of_slices(nodes):
            changed += len(products)
            _batch_slices(products, replacements, is_tapped)
        for total in _sums_of_products(manager, graph, nodes):
            changed += len(total.products)
            _batch_sum(total, replacements, is_tapped)
    replace_all(root, replacements)
    return changed


# Products of slices


@dataclass(frozen=True)
class _Slice:
    """A matrix as a slice of a tensor with three dimensions."""

    source: Node
    axis: int
    index: int


def _slice_of(node: Node) -> _Slice | None:
    """A matrix as a slice along one of the first two axes of a tensor; None if it is none."""
    if not isinstance(node, CNode) or type(node.operator) is not P.GetItem:
        return None
    source, index, tensors = node.arguments
    shape = _shape(source)
    if shape is None or len(shape) != 3 or not is_known(index) or not is_known(tensors) or value_of(tensors):
        return None
    *before, index = value_of(index)
    axis = len(before)
    if axis > 1 or type(index) is not int or any(item != slice(None) for item in before):
        return None
    return _Slice(source, axis, index + shape[axis] if index < 0 else index)


def _products_of_slices(nodes: Sequence[CNode]) -> Iterator[list[CNode]]:
    """Products of all slices of a tensor by one matrix, in the order of the slices."""
    found: dict[Any, dict[int, CNode]] = {}
    for node in nodes:
        if not _is_product(node) or node.operator.transpose_a:
            continue
        slice_ = _slice_of(node.arguments[0])
        if slice_ is not None:
            key = slice_.source, slice_.axis, node.arguments[1], node.operator.transpose_b
            found.setdefault(key, {}).setdefault(slice_.index, node)
    for (source, axis, _, _), products in found.items():
        shape = _shape(source) or ()
        is_complete = len(products) == shape[axis] >= MIN_PRODUCTS and shape[1 - axis] <= MAX_ROWS
        if is_complete and sum(prod(_shape(product) or ()) for product in products.values()) <= MAX_ELEMENTS:
            yield [products[index] for index in range(shape[axis])]


def _batch_slices(
    products: Sequence[CNode], replacements: dict[Node, Node], is_tapped: Callable[[CNode], bool]
) -> None:
    """Replace products by slices of one product."""
    first = products[0]
    slice_ = _slice_of(first.arguments[0])
    assert slice_ is not None  # noqa: S101
    x, matrix = slice_.source, first.arguments[1]
    shape = _shape(x) or ()
    columns = (_shape(first) or ())[1]
    rows = _new_node(first, P.Reshape(), (shape[0] * shape[1], shape[2]), x, shape=(shape[0] * shape[1], shape[2]))
    product = _new_node(first, first.operator, (shape[0] * shape[1], columns), rows, matrix)
    apart = (*shape[:2], columns)
    whole = _new_node(first, P.Reshape(), apart, product, shape=apart)
    for place, node in enumerate(products):
        index = (*(slice(None),) * slice_.axis, place)
        value = _new_node(node, P.GetItem(), _shape(node) or (), whole, index=index, tensors=())
        _replace(node, value, replacements, is_tapped(node))


# Sums of products


@dataclass(frozen=True)
class _SumOfProducts:
    """A sum with many products among its terms.

    Attributes:
        node: the last addition, whose value is the sum.
        additions: all additions.
        products: the terms `a.T @ b`.
        other_terms: the other terms.
    """

    node: CNode
    additions: list[CNode]
    products: list[CNode]
    other_terms: list[Node]


def _sums_of_products(manager: Manager, graph: FuncGraph, nodes: Sequence[CNode]) -> Iterator[_SumOfProducts]:
    """The sums of a graph with enough products among their terms."""
    captured = {item for inner in manager.graphs for item in manager.free_variables(inner)}

    def is_inner(node: Node) -> bool:
        """Whether only one node reads a value, so that it need not exist on its own."""
        has_one_user = len(manager.users.get(node, {})) == 1 and node is not graph.output and node not in captured
        return node.graph is graph and has_one_user

    inner: set[Node] = set()
    for node in reversed(nodes):
        if node not in inner and _is_addition(node):
            total = _sum_of(node, is_inner)
            inner.update(total.additions)
            if len(total.products) >= MIN_PRODUCTS and sum(map(_elements_read, total.products)) <= MAX_ELEMENTS:
                yield total


def _sum_of(node: CNode, is_inner: Callable[[Node], bool]) -> _SumOfProducts:
    """The sum that ends with an addition.

    Args:
        node: the addition.
        is_inner: whether only one node reads a value.
    """
    additions, products, other_terms = [node], [], []
    worklist = node.arguments[::-1]
    while worklist:
        item = worklist.pop()
        if not isinstance(item, CNode) or not is_inner(item) or _shape(item) != _shape(node):
            other_terms.append(item)
        elif _is_addition(item):
            additions.append(item)
            worklist.extend(item.arguments[::-1])
        elif _is_outer_product(item):
            products.append(item)
        else:
            other_terms.append(item)
    return _SumOfProducts(node, additions, products, other_terms)


def _batch_sum(total: _SumOfProducts, replacements: dict[Node, Node], is_tapped: Callable[[CNode], bool]) -> None:
    """Replace a sum of products by one product of stacked matrices."""
    first, shape = total.products[0], _shape(total.node) or ()
    products = _in_slice_order(total.products)
    a, b = (_stacked([node.arguments[at] for node in products], total.node) for at in (0, 1))
    value = _new_node(total.node, first.operator, shape, a, b)
    for other in total.other_terms:
        value = _new_node(total.node, P.Add(), shape, value, other)
    terms = (*total.additions, *total.products)
    observed = any(map(is_tapped, terms))
    _replace(total.node, value, replacements, observed)
    for node in terms if observed else ():
        node.marks[ASIDE] = 1


def _in_slice_order(products: Sequence[CNode]) -> Sequence[CNode]:
    """The products in the order of slices, if an input of each is a slice of one tensor: then nothing is stacked."""
    for at in (0, 1):
        slices = [_slice_of(node.arguments[at]) for node in products]
        places = [slice_.index for slice_ in slices if slice_ is not None]
        if len(set(places)) == len(products):
            return [product for _, product in sorted(zip(places, products, strict=True), key=lambda pair: pair[0])]
    return products


def _stacked(items: Sequence[Node], like: CNode) -> Node:
    """Matrices stacked into one: the tensor whose slices they are, or else a copy of all."""
    slices = [_slice_of(item) for item in items]
    first, shapes = slices[0], [_shape(item) or () for item in items]
    shape = (sum(rows for rows, _ in shapes), shapes[0][1])
    if first is not None:
        all_slices = [_Slice(first.source, 0, index) for index in range((_shape(first.source) or ())[0])]
        if slices == all_slices:
            return _new_node(like, P.Reshape(), shape, first.source, shape=shape)
    graph = like.graph
    assert graph is not None  # noqa: S101
    together = AbstractTuple(tuple(item.abstract for item in items))  # type: ignore[misc]
    return _new_node(like, P.Concat(0), shape, graph.apply(MAKE_TUPLE, *items, abstract=together, scope=like.scope))


# Nodes


def _is_product(node: Node) -> bool:
    # A subclass may compute something else.
    if not isinstance(node, CNode) or type(node.operator) is not P.MatMul:
        return False
    return all(_shape(item) is not None for item in (node, *node.arguments))


def _is_outer_product(node: CNode) -> bool:
    """Whether a node is a product `a.T @ b` with a larger result than its inputs."""
    if not _is_product(node) or not node.operator.transpose_a or node.operator.transpose_b:
        return False
    inner, rows = _shape(node.arguments[0]) or ()
    return inner <= min(rows, MAX_ROWS)


def _elements_read(node: CNode) -> int:
    return sum(prod(_shape(item) or ()) for item in node.arguments)


def _is_addition(node: CNode) -> bool:
    return type(node.operator) is P.Add and _shape(node) is not None and len(_shape(node) or ()) == 2


def _shape(node: Node) -> tuple[int, ...] | None:
    """The shape of a Float32 tensor; None for other values, and for open shapes."""
    abstract = node.abstract
    if not isinstance(abstract, AbstractTensor) or abstract.dtype.numpy != np.float32:
        return None
    dims = tuple(dim for dim in abstract.shape if dim is not None)
    return dims if len(dims) == len(abstract.shape) else None


def _new_node(like: CNode, operator: Primitive, made: tuple[int, ...], *items: Node, **constants: object) -> CNode:
    """A new node in the graph of another one, for a Float32 tensor of a shape."""
    graph, abstract = like.graph, like.abstract
    assert graph is not None  # noqa: S101
    assert isinstance(abstract, AbstractTensor)  # noqa: S101
    values = [ValueNode(value, abstract_of(value)) for value in constants.values()]
    return graph.apply(
        operator,
        *items,
        *values,
        abstract=AbstractTensor(made, abstract.dtype),
        location=like.location,
        scope=like.scope,
    )


def _replace(node: CNode, value: Node, replacements: dict[Node, Node], observed: bool) -> None:
    """Replace a node by a value. A node that a tap observes stays, and passes the value on."""
    if observed:
        node.inputs = [ValueNode(TappedValue(node.operator)), *node.arguments, value]
        node.marks.pop(FUSION, None)
        node.marks[ASIDE] = 1
    else:
        replacements[node] = value
