"""Values that may change from call to call, as `mutable` says of them.

Inference knows such a number, and a program is compiled anew for another one. What needs a constant refuses it, and
what is computed from it is as variable. The evaluators of operators call this.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from framework.ir.abstract import (
    UNKNOWN,
    Abstract,
    AbstractConst,
    AbstractDict,
    AbstractScalar,
    AbstractTensor,
    AbstractTuple,
    broaden,
)
from framework.ir.anf import Node, ValueNode

__all__ = ["are_alike", "as_variable", "carried", "element_kinds", "is_dynamic", "is_variable", "varied"]


def is_variable(abstract: Abstract | None) -> bool:
    """Whether a value may change, or a part of it, or its length."""
    if isinstance(abstract, AbstractScalar | AbstractConst):
        return abstract.is_variable
    if isinstance(abstract, AbstractTuple) and abstract.is_dynamic:
        return True
    return isinstance(abstract, AbstractTuple | AbstractDict) and any(map(is_variable, abstract.elements))


def is_dynamic(abstract: Abstract | None) -> bool:
    """Whether a value is a tuple or list whose length may change."""
    return isinstance(abstract, AbstractTuple) and abstract.is_dynamic


def varied(abstract: Any) -> Any:
    """What is known of a value that may change: numbers stay known, elements of tensors do not."""
    if isinstance(abstract, AbstractTensor):
        return replace(abstract, value=UNKNOWN)
    if isinstance(abstract, AbstractScalar) and abstract.value is not UNKNOWN:
        return replace(abstract, is_variable=True)
    if isinstance(abstract, AbstractConst) and isinstance(abstract.value, slice | range):
        return replace(abstract, is_variable=True)
    if isinstance(abstract, AbstractTuple | AbstractDict):
        return replace(abstract, elements=tuple(map(varied, abstract.elements)))
    return abstract


def as_variable(node: Node) -> Node:
    """A constant as a value that may change. Any other node may change anyway."""
    return ValueNode(node.value, varied(node.abstract), location=node.location) if isinstance(node, ValueNode) else node


def carried(operands: Any, made: Node) -> Node:
    """A result that was computed from operands: it may change if one of them may."""
    return as_variable(made) if any(is_variable(operand.abstract) for operand in operands) else made


def element_kinds(abstract: AbstractTuple) -> list[Any]:
    """The different types of a sequence's elements, without sizes."""
    return list(dict.fromkeys(map(_kind, abstract.elements)))


def are_alike(*abstracts: Abstract) -> bool:
    """Whether values have one type, sizes included."""
    return all(broaden(other) == broaden(abstracts[0]) for other in abstracts[1:])


def _kind(abstract: Abstract) -> Any:
    if isinstance(abstract, AbstractTensor):
        return AbstractTensor, abstract.dtype
    if isinstance(abstract, AbstractTuple):
        return list if abstract.is_list else tuple
    return abstract.type if isinstance(abstract, AbstractScalar) else type(abstract)
