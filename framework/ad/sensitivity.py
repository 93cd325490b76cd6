"""Sensitivities: the gradients that a backpropagator adds up, before they become nodes.

A sensitivity is None for zero, a node, or a list of the sensitivities of a tuple's elements. So nothing is computed for
values without a gradient, and a tuple costs only as much as its elements that are used.
"""

from __future__ import annotations

from typing import Any

from framework.infer.evaluators.inference import Inference
from framework.infer.values import constant
from framework.ir.abstract import (
    Abstract,
    AbstractDict,
    AbstractEnv,
    AbstractFunction,
    AbstractTensor,
    AbstractTuple,
    cotangent,
)
from framework.ir.anf import Node, ValueNode
from framework.ir.operators import EMPTY_ENVIRON, ENVIRON_ADD
from framework.ops import operations as P  # noqa: N812

__all__ = ["Sensitivity", "add", "element", "flows", "node_of", "zeros"]

Sensitivity = Any
"""None | Node | list[Sensitivity]."""


def flows(abstract: Abstract | None) -> bool:
    """Whether gradients flow to values of this type."""
    if isinstance(abstract, AbstractTensor):
        return True
    if isinstance(abstract, AbstractTuple | AbstractDict):
        return any(flows(item) for item in abstract.elements)
    return isinstance(abstract, AbstractFunction | AbstractEnv)


def add(infer: Inference, first: Sensitivity, second: Sensitivity) -> Sensitivity:
    """The sum of two sensitivities of one value."""
    if first is None or second is None:
        return second if first is None else first
    if isinstance(first, list) or isinstance(second, list):
        count = len(first) if isinstance(first, list) else len(second)
        return [add(infer, element(infer, first, i), element(infer, second, i)) for i in range(count)]
    abstract = first.abstract
    if isinstance(abstract, AbstractTuple):
        return [add(infer, element(infer, first, i), element(infer, second, i)) for i in range(len(abstract.elements))]
    if isinstance(abstract, AbstractEnv):
        return infer.build.emit(ENVIRON_ADD, [first, second], AbstractEnv())
    return infer.build.primitive(P.Add(), [first, second]) if isinstance(abstract, AbstractTensor) else first


def element(infer: Inference, whole: Sensitivity, place: int) -> Sensitivity:
    """The sensitivity of one element of a tuple."""
    if whole is None:
        return None
    if isinstance(whole, list):
        return whole[place]
    if isinstance(whole, ValueNode) and whole.value is None:
        return None
    found = infer.build.get_item(whole, place)
    return found if flows(found.abstract) else None


def node_of(infer: Inference, sensitivity: Sensitivity, primal: Node) -> Node:
    """A sensitivity as a node.

    Args:
        infer: the inference.
        sensitivity: the sensitivity of a value.
        primal: the value itself, which gives zeros their type.
    """
    if sensitivity is None:
        return zeros(infer, primal)
    if isinstance(sensitivity, Node):
        return sensitivity
    items = [
        node_of(infer, item, _part(infer, primal, place)) if _flows_at(primal, place) else constant(None)
        for place, item in enumerate(sensitivity)
    ]
    return infer.build.make_tuple(items)


def zeros(infer: Inference, primal: Node) -> Node:
    """A gradient of zeros for a value."""
    abstract = primal.abstract
    if not flows(abstract):
        return _nothing(abstract)
    if isinstance(abstract, AbstractTensor):
        return infer.build.primitive(P.ZerosLike(), [primal])
    if isinstance(abstract, AbstractTuple | AbstractDict):
        parts = range(len(abstract.elements))
        return infer.build.make_tuple([zeros(infer, _part(infer, primal, place)) for place in parts])
    return constant(EMPTY_ENVIRON)


def _nothing(abstract: Abstract | None) -> Node:
    if isinstance(abstract, AbstractTuple | AbstractDict):
        return constant(tuple(None for _ in abstract.elements))
    return constant(None)


def _flows_at(primal: Node, place: int) -> bool:
    return isinstance(primal.abstract, AbstractTuple | AbstractDict) and flows(primal.abstract.elements[place])


def _part(infer: Inference, primal: Node, place: int) -> Node:
    if isinstance(primal.abstract, AbstractDict):
        return list(infer.build.entries(primal).values())[place]
    return infer.build.get_item(primal, place)


def of_type(abstract: Abstract) -> Abstract:
    """The type of a gradient."""
    return cotangent(abstract) if flows(abstract) else _nothing(abstract).abstract or cotangent(abstract)
