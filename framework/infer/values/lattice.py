"""Order and join of abstract values, and the values of nodes that are known.

Abstract interpretation (Cousot and Cousot 1977): a variable that gets different values on different paths is their
*join*, the most precise abstract value that describes all of them. Joining only loses knowledge, so fixed points exist.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from framework.infer.values.closures import Choice, Closure
from framework.ir.abstract import (
    UNKNOWN,
    Abstract,
    AbstractConst,
    AbstractFunction,
    AbstractTensor,
    AbstractTuple,
    join,
    known,
)
from framework.ir.anf import Node
from framework.ir.python_ops import NEVER, Undefined

__all__ = ["UnknownValueError", "all_same", "holds_function", "is_known", "join_values", "same", "value_of"]


class UnknownValueError(LookupError):
    """A value is needed that is not known before the program runs."""


def is_known(node: Node) -> bool:
    """Whether a node's value is known entirely and contains no function of the program."""
    if node.abstract is None or not known(node.abstract):
        return False
    return not holds_function(node.abstract)


def holds_function(abstract: Abstract | None) -> bool:
    """Whether a value is or contains a function of the program. Such functions exist only at compile time."""
    if isinstance(abstract, AbstractFunction):
        return isinstance(abstract.value, Closure | Choice)
    return any(holds_function(element) for element in getattr(abstract, "elements", ()))


def value_of(node: Node) -> Any:
    """The value of a node that is known.

    Raises:
        LookupError: the node has no type.
        UnknownValueError: its value is not known.
    """
    if node.abstract is None:
        raise LookupError("no type")
    return _value(node.abstract)


def _value(abstract: Any) -> Any:
    if isinstance(abstract, AbstractTuple):
        items = [_value(element) for element in abstract.elements]
        if abstract.kind is not None:
            return abstract.kind(*items)
        return items if abstract.is_list else tuple(items)
    if hasattr(abstract, "keys"):
        return dict(zip(abstract.keys, map(_value, abstract.elements), strict=True))
    if abstract.value is UNKNOWN:
        raise UnknownValueError("the value is not known")
    return abstract.value


def join_values(first: Abstract, second: Abstract) -> Abstract:
    """Like `join`, but a variable may also be undefined, or its path may never continue."""
    for one, other in ((first, second), (second, first)):
        if isinstance(one, AbstractConst):
            if one.value is NEVER:
                return other
            if isinstance(one.value, Undefined):
                return one
    return join(first, second)


def same(first: Abstract, second: Abstract) -> bool:
    """Whether two abstract values are equal, known tensors included."""
    if isinstance(first, AbstractTensor) and isinstance(second, AbstractTensor):
        return first == second and first.value is second.value
    if isinstance(first, AbstractTuple) and isinstance(second, AbstractTuple):
        return first == second and all_same(first.elements, second.elements)
    return first == second


def all_same(first: Iterable[Abstract], second: Iterable[Abstract]) -> bool:
    """Whether two sequences of abstract values are equal, element by element."""
    return all(same(one, two) for one, two in zip(first, second, strict=True))
