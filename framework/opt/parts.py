"""The rule for gradients of parts: if a tensor is cut into parts, its gradient is the parts' gradients, joined."""

from __future__ import annotations

from typing import Any, NamedTuple

from framework.infer.values import is_known, value_of
from framework.ir.abstract import AbstractTensor, AbstractTuple
from framework.ir.anf import CNode, Node
from framework.ir.operators import MAKE_TUPLE
from framework.ops import operations as P  # noqa: N812
from framework.opt.rewrite import Context

__all__ = ["join_gradients_of_parts"]


def join_gradients_of_parts(node: CNode, context: Context) -> Node | None:
    """Replace a sum of the gradients of all parts of a tensor by `Concat` or `Stack`.

    Otherwise each `GetItemGrad` makes a tensor of the whole size, nearly all of it zeros, and the sum adds up all.
    """
    if type(node.operator) is not P.Add or node.graph is None or not isinstance(node.abstract, AbstractTensor):
        return None
    found = _whole(_terms(node) or [], node.abstract)
    if found is None:
        return None
    (axis, is_number), parts = found
    together = AbstractTuple(tuple(part.abstract for part in parts))  # type: ignore[misc]
    return node.graph.apply(
        P.Stack(axis) if is_number else P.Concat(axis),
        node.graph.apply(MAKE_TUPLE, *parts, abstract=together, scope=node.scope),
        abstract=node.abstract,
        location=node.location,
        scope=node.scope,
    )


def _whole(terms: list[CNode], whole: AbstractTensor) -> tuple[tuple[int, bool], list[Node]] | None:
    """The gradients of the parts of a whole in order, with their axis and whether their indices are numbers.

    None where parts are missing or overlap.
    """
    placed: list[tuple[_Part, CNode]] = []
    for term in terms:
        part = _place(term, whole)
        if part is None:
            return None
        placed.append((part, term))
    kinds = {(part.axis, part.is_number) for part, _ in placed}
    if len(kinds) != 1:
        return None
    (kind,) = kinds
    placed.sort(key=lambda pair: pair[0].begin)
    end = 0
    for part, _ in placed:
        if part.begin != end:
            return None
        end = part.end
    return (kind, [term.arguments[0] for _, term in placed]) if end == whole.shape[kind[0]] else None


def _terms(node: CNode) -> list[CNode] | None:
    """The terms of a sum, if all of them are gradients of parts."""
    found: list[CNode] = []
    waiting: list[Node] = list(node.arguments)
    while waiting:
        item = waiting.pop()
        if not isinstance(item, CNode):
            return None
        if type(item.operator) is P.GetItemGrad:
            found.append(item)
        elif type(item.operator) is P.Add:
            waiting.extend(item.arguments)
        else:
            return None
    return found


class _Part(NamedTuple):
    """The place of a part in the whole.

    Attributes:
        axis: the axis that was cut.
        begin: the first index.
        end: the index behind the last one.
        is_number: whether the index is a number, which removes the axis.
    """

    axis: int
    begin: int
    end: int
    is_number: bool


def _place(term: CNode, whole: AbstractTensor) -> _Part | None:
    """The place of a part; None if it was not cut along one axis."""
    dout, index, tensors, _ = term.arguments
    if (
        term.abstract != whole
        or not isinstance(dout.abstract, AbstractTensor)
        or dout.abstract.dtype is not whole.dtype
    ):
        return None
    if not is_known(index) or not is_known(tensors) or value_of(tensors) or None in whole.shape:
        return None
    items = list(value_of(index))
    if None in items or items.count(...) > 1:
        return None
    if ... in items:
        at = items.index(...)
        items[at : at + 1] = [slice(None)] * (len(whole.shape) - len(items) + 1)
    found = [_Part(axis, *bounds) for axis, item in enumerate(items) if (bounds := _bounds(item, whole.shape[axis]))]
    return found[0] if len(found) == 1 else None


def _bounds(item: Any, size: int | None) -> tuple[int, int, bool] | None:
    """Begin and end of an index along an axis, and whether it is a number. None if it selects everything."""
    assert size is not None  # noqa: S101
    if not isinstance(item, slice):
        begin = item + size if item < 0 else item
        return begin, begin + 1, True
    begin, end, step = item.indices(size)
    if step != 1:
        # Other parts cannot complete this one.
        return -1, -1, False
    return None if (begin, end) == (0, size) else (begin, end, False)
