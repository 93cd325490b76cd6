"""Batches small matrix products into a large one with the same elements.

A network that processes a sequence step by step multiplies each step's rows by the same matrix, and its gradient adds
up one product per step. BLAS is slow with few rows, and each term of the sum is as large as the matrix. Two patterns
are batched:

- products of all parts of one tensor, `x[t] @ w` for every t, become one product of the tensor;
- a sum of products `a.T @ b` over steps becomes one product of all a stacked and all b stacked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, Final

import numpy as np

from framework.engine.fusion.tapped_operators import Shown
from framework.infer.values import is_known, value_of
from framework.ir.abstract import AbstractTensor, AbstractTuple
from framework.ir.anf import ASIDE, FUSION, CNode, FuncGraph, Node, ValueNode
from framework.ir.manager import Manager
from framework.ir.operators import MAKE_TUPLE, abstract_of
from framework.kernels.choices import Kernel, Source, listed
from framework.ops import operations as P  # noqa: N812
from framework.opt.rewrite import replace_all

__all__ = ["merge_products"]

OFTEN: Final = 8
"""So many products are worth one of them all."""
FEW_ROWS: Final = 256
"""Products of more rows are as fast alone."""
MOST_ELEMENTS: Final = 1 << 23
"""Nothing is merged that would keep more numbers at once than this, 32 MiB: each alone is soon let go of."""

merged: Final = listed(
    Kernel(
        "merged",
        lambda xp: False,
        lambda: True,
        Source(lambda: f"numpy {np.__version__}, all at once"),
        "products of a sequence's steps by one matrix, and sums of them, in programs compiled from now on",
    )
)


def merge_products(root: FuncGraph, shown: Callable[[CNode], bool] = lambda node: False) -> int:
    """Let one product stand for many.

    Products of parts are the same up to what BLAS does for other numbers of rows; sums of products are added up in
    another order.

    Args:
        root: the program, which is changed.
        shown: whether somebody wants to see a node.

    Returns:
        How many products went.
    """
    if not merged.is_fast:
        return 0
    manager = Manager(root)
    instead: dict[Node, Node] = {}
    changed = 0
    for graph in manager.graphs:
        nodes = manager.nodes(graph)
        for products in _by_one_matrix(nodes):
            changed += len(products)
            _multiply_whole(products, instead, shown)
        for total in _sums(manager, graph, nodes):
            changed += len(total.products)
            _multiply_sum(total, instead, shown)
    replace_all(root, instead)
    return changed


# Parts of one tensor


@dataclass(frozen=True)
class _Part:
    """Which slice of a tensor of three dimensions a matrix is."""

    whole: Node
    axis: int
    place: int


def _part(node: Node) -> _Part | None:
    """What a matrix is a slice of, along one of the first two axes; None where it is none."""
    if not isinstance(node, CNode) or type(node.operator) is not P.GetItem:
        return None
    whole, index, tensors = node.arguments
    shape = _shape(whole)
    if shape is None or len(shape) != 3 or not is_known(index) or not is_known(tensors) or value_of(tensors):
        return None
    *before, place = value_of(index)
    axis = len(before)
    if axis > 1 or type(place) is not int or any(item != slice(None) for item in before):
        return None
    return _Part(whole, axis, place + shape[axis] if place < 0 else place)


def _by_one_matrix(nodes: Sequence[CNode]) -> Iterator[list[CNode]]:
    """Products of all slices of a tensor by one matrix, in the order of the slices."""
    found: dict[Any, dict[int, CNode]] = {}
    for node in nodes:
        if not _is_product(node) or node.operator.transpose_a:
            continue
        part = _part(node.arguments[0])
        if part is not None:
            key = part.whole, part.axis, node.arguments[1], node.operator.transpose_b
            found.setdefault(key, {}).setdefault(part.place, node)
    for (whole, axis, _, _), products in found.items():
        shape = _shape(whole) or ()
        is_all = len(products) == shape[axis] >= OFTEN and shape[1 - axis] <= FEW_ROWS
        if is_all and sum(prod(_shape(product) or ()) for product in products.values()) <= MOST_ELEMENTS:
            yield [products[place] for place in range(shape[axis])]


def _multiply_whole(products: Sequence[CNode], instead: dict[Node, Node], shown: Callable[[CNode], bool]) -> None:
    """Let products read parts of one."""
    first = products[0]
    part = _part(first.arguments[0])
    assert part is not None  # noqa: S101
    x, matrix = part.whole, first.arguments[1]
    shape = _shape(x) or ()
    columns = (_shape(first) or ())[1]
    rows = _made(first, P.Reshape(), (shape[0] * shape[1], shape[2]), x, shape=(shape[0] * shape[1], shape[2]))
    product = _made(first, first.operator, (shape[0] * shape[1], columns), rows, matrix)
    apart = (*shape[:2], columns)
    whole = _made(first, P.Reshape(), apart, product, shape=apart)
    for place, node in enumerate(products):
        index = (*(slice(None),) * part.axis, place)
        value = _made(node, P.GetItem(), _shape(node) or (), whole, index=index, tensors=())
        _replace(node, value, instead, shown(node))


# Sums of products


@dataclass(frozen=True)
class _Sum:
    """A sum of which many terms are products.

    Attributes:
        node: the last addition.
        additions: all of them.
        products: the terms `a.T @ b`.
        others: the other terms.
    """

    node: CNode
    additions: list[CNode]
    products: list[CNode]
    others: list[Node]


def _sums(manager: Manager, graph: FuncGraph, nodes: Sequence[CNode]) -> Iterator[_Sum]:
    """The sums of a graph with enough products among their terms, which nobody reads elsewhere."""
    captured = {item for inner in manager.graphs for item in manager.free_variables(inner)}

    def is_alone(node: Node) -> bool:
        return len(manager.users.get(node, {})) == 1 and node is not graph.output and node not in captured

    inner: set[Node] = set()
    for node in reversed(nodes):
        if node in inner or not _is_addition(node):
            continue
        additions, products, others = [node], [], []
        waiting = list(node.arguments)[::-1]
        while waiting:
            item = waiting.pop()
            is_own = isinstance(item, CNode) and item.graph is graph and is_alone(item)
            if not isinstance(item, CNode) or not is_own or _shape(item) != _shape(node):
                others.append(item)
            elif _is_addition(item):
                additions.append(item)
                waiting.extend(list(item.arguments)[::-1])
            elif _is_thin(item):
                products.append(item)
            else:
                others.append(item)
        inner.update(additions)
        if len(products) >= OFTEN and sum(map(_elements_read, products)) <= MOST_ELEMENTS:
            yield _Sum(node, additions, products, others)


def _multiply_sum(total: _Sum, instead: dict[Node, Node], shown: Callable[[CNode], bool]) -> None:
    """Let one product of all matrices below one another be the sum."""
    first, shape = total.products[0], _shape(total.node) or ()
    products = _in_order(total.products)
    a, b = (_below_one_another([node.arguments[at] for node in products], total.node) for at in (0, 1))
    value = _made(total.node, first.operator, shape, a, b)
    for other in total.others:
        value = _made(total.node, P.Add(), shape, value, other)
    terms = (*total.additions, *total.products)
    is_shown = any(map(shown, terms))
    _replace(total.node, value, instead, is_shown)
    for node in terms if is_shown else ():
        node.marks[ASIDE] = 1


def _in_order(products: Sequence[CNode]) -> Sequence[CNode]:
    """The products in the order of the slices that one of their inputs is, so that the inputs are a tensor already."""
    for at in (0, 1):
        parts = [_part(node.arguments[at]) for node in products]
        places = [part.place for part in parts if part is not None]
        if len(set(places)) == len(products):
            return [product for _, product in sorted(zip(places, products, strict=True), key=lambda pair: pair[0])]
    return products


def _below_one_another(items: Sequence[Node], like: CNode) -> Node:
    """Matrices as one: the tensor whose slices they are, or copies."""
    parts = [_part(item) for item in items]
    first, shapes = parts[0], [_shape(item) or () for item in items]
    shape = (sum(rows for rows, _ in shapes), shapes[0][1])
    if first is not None:
        all_parts = [_Part(first.whole, 0, place) for place in range((_shape(first.whole) or ())[0])]
        if parts == all_parts:
            return _made(like, P.Reshape(), shape, first.whole, shape=shape)
    graph = like.graph
    assert graph is not None  # noqa: S101
    together = AbstractTuple(tuple(item.abstract for item in items))  # type: ignore[misc]
    return _made(like, P.Concat(0), shape, graph.apply(MAKE_TUPLE, *items, abstract=together, scope=like.scope))


# Nodes


def _is_product(node: Node) -> bool:
    # No class made of it, which may compute something else.
    if not isinstance(node, CNode) or type(node.operator) is not P.MatMul:
        return False
    return all(_shape(item) is not None for item in (node, *node.arguments))


def _is_thin(node: CNode) -> bool:
    """Whether it is a product `a.T @ b` that takes more memory than what it is made of."""
    if not _is_product(node) or not node.operator.transpose_a or node.operator.transpose_b:
        return False
    inner, rows = _shape(node.arguments[0]) or ()
    return inner <= min(rows, FEW_ROWS)


def _elements_read(node: CNode) -> int:
    return sum(prod(_shape(item) or ()) for item in node.arguments)


def _is_addition(node: CNode) -> bool:
    return type(node.operator) is P.Add and _shape(node) is not None and len(_shape(node) or ()) == 2


def _shape(node: Node) -> tuple[int, ...] | None:
    """The shape of a Float32 tensor; None where it is none, or its shape is open."""
    abstract = node.abstract
    if not isinstance(abstract, AbstractTensor) or abstract.dtype.numpy != np.float32:
        return None
    dims = tuple(dim for dim in abstract.shape if dim is not None)
    return dims if len(dims) == len(abstract.shape) else None


def _made(like: CNode, operator: Any, made: tuple[int, ...], *items: Node, **constants: Any) -> CNode:
    """A node beside another that computes a Float32 tensor."""
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


def _replace(node: CNode, value: Node, instead: dict[Node, Node], is_shown: bool) -> None:
    """Let a value stand for a node, which stays in sight where somebody wants to see it."""
    if is_shown:
        node.inputs = [ValueNode(Shown(node.operator)), *node.arguments, value]
        node.marks.pop(FUSION, None)
        node.marks[ASIDE] = 1
    else:
        instead[node] = value
