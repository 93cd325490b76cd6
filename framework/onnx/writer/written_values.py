"""What became of the values of a program: names of tensors, tuples of them, constants, choices between functions.

`program_writer` and `recurring` use it, to pass values into branches and loops and out again.
"""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from framework.ir.abstract import UNKNOWN, Abstract, AbstractFunction, AbstractScalar, AbstractTensor, AbstractTuple
from framework.ir.anf import CNode, Node, Parameter, ValueNode
from framework.ir.operators import DEPEND, LOAD
from framework.onnx.forms.form_table import Written, tensor_type
from framework.onnx.writer.nodes import UnwritableError

__all__ = ["Choice", "Names", "Value", "flat", "flat_types", "shaped", "weight_behind"]


@dataclass(frozen=True)
class Choice:
    """A function that is one of two, by a condition.

    Attributes:
        condition: the name of a Bool scalar.
        then: the function where it is true.
        otherwise: the function where it is false.
    """

    condition: str
    then: Value
    otherwise: Value


Value: TypeAlias = "Written | Choice"
Names: TypeAlias = MutableMapping[Node, Value]
"""What became of the nodes of the activations around a place."""


def flat(value: Value, abstract: Abstract) -> list[tuple[Written, Abstract]]:
    """The tensors and unknown numbers in a value, with their types. What the type knows is left out."""
    if isinstance(abstract, AbstractTuple):
        count = len(abstract.elements)
        if isinstance(value, ValueNode):
            items: Sequence[Value] = [ValueNode(value.value[place]) for place in range(count)]
        elif isinstance(value, tuple):
            items = value
        else:
            items = [None] * count
        return [found for item, kind in zip(items, abstract.elements, strict=True) for found in flat(item, kind)]
    if isinstance(value, Choice):
        raise UnwritableError("its value is a function")
    if isinstance(abstract, AbstractTensor) or (isinstance(abstract, AbstractScalar) and abstract.value is UNKNOWN):
        return [(value, abstract)]
    if isinstance(abstract, AbstractFunction):
        raise UnwritableError("its value is a function")
    return []


def flat_types(abstract: Abstract) -> list[AbstractTensor]:
    """The types of the tensors that `flat` finds in a value."""
    return [tensor_type(kind) for _, kind in flat(None, abstract)]


def shaped(abstract: Abstract, names: Iterator[str]) -> Written:
    """A value of a type, of the names of its tensors in order: the opposite of `flat`."""
    if isinstance(abstract, AbstractTuple):
        return tuple(shaped(item, names) for item in abstract.elements)
    if isinstance(abstract, AbstractTensor) or (isinstance(abstract, AbstractScalar) and abstract.value is UNKNOWN):
        return str(next(names))
    value = getattr(abstract, "value", UNKNOWN)
    return None if value is UNKNOWN else ValueNode(value, abstract)


def weight_behind(node: Node) -> Node:
    """The weight that a node reads."""
    while isinstance(node, CNode) and node.operator in (LOAD, DEPEND):
        node = node.arguments[0]
    if not isinstance(node, Parameter) or node.default is None:
        raise UnwritableError("it changes what is no Parameter of the network")
    return node
