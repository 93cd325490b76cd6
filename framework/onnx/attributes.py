"""Attributes of nodes as Python values, checked against what the operator has; `translating` calls it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np

from framework.common.tensor import Tensor
from framework.ir.model_values import ModelError
from framework.onnx.operators.operator_table import Row
from framework.onnx.reader.tensors import element_type
from framework.schema.onnx_pb2 import Attribute, Node, TensorData

__all__ = ["attributes_of", "resolved"]

Arrays = Callable[[TensorData], np.ndarray[Any, Any]]
"""From a tensor of the file to its elements."""

_KINDS: Final[dict[int, str]] = {int(number): name.lower() for name, number in Attribute.Type.items()}


def attributes_of(node: Node, row: Row, arrays: Arrays) -> dict[str, Any]:
    """The attributes of a node that are no graphs.

    Raises:
        ModelError: the operator has no such attribute, or one of another type, or a needed one is missing.
    """
    found: dict[str, Any] = {}
    for attribute in node.attribute:
        if attribute.type == Attribute.GRAPH and attribute.name in row.bodies:
            continue
        wanted = row.attributes.get(attribute.name)
        if wanted is None:
            raise ModelError(f"it has no attribute {attribute.name!r} in this opset")
        if attribute.type != wanted:
            raise ModelError(
                f"its attribute {attribute.name!r} must be of type {_KINDS[wanted]}, not "
                f"{_KINDS.get(attribute.type, str(attribute.type))}"
            )
        found[attribute.name] = _value(attribute, arrays)
        if attribute.name in row.types and attribute.i:
            element_type(attribute.i)
    missing = sorted(row.required - found.keys())
    if missing:
        raise ModelError(f"its attribute {missing[0]!r} is missing")
    return found


def resolved(node: Node, given: Mapping[str, Attribute]) -> Node:
    """A node in the body of a function whose attributes are references: with the values that the caller gives."""
    if not any(attribute.ref_attr_name for attribute in node.attribute):
        return node
    copy = Node()
    copy.CopyFrom(node)
    del copy.attribute[:]
    for attribute in node.attribute:
        if not attribute.ref_attr_name:
            copy.attribute.append(attribute)
        elif attribute.ref_attr_name in given:
            value = copy.attribute.add()
            value.CopyFrom(given[attribute.ref_attr_name])
            value.name = attribute.name
    return copy


def _value(attribute: Attribute, arrays: Arrays) -> Any:
    match attribute.type:
        case Attribute.INT:
            return attribute.i
        case Attribute.FLOAT:
            return attribute.f
        case Attribute.STRING:
            return _text(attribute.s, attribute.name)
        case Attribute.INTS:
            return tuple(attribute.ints)
        case Attribute.FLOATS:
            return tuple(attribute.floats)
        case Attribute.STRINGS:
            return tuple(_text(item, attribute.name) for item in attribute.strings)
    return Tensor(arrays(attribute.t))


def _text(content: bytes, name: str) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError:
        raise ModelError(f"its attribute {name!r} is no UTF-8 text") from None
