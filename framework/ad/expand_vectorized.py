"""Within compiled functions: which results of `vmap` are the same in every call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from framework.ad.vectorized import VARIES, shared
from framework.infer.evaluators.inference import Inference
from framework.infer.evaluators.registry import register
from framework.ir.anf import CNode, Node, ValueNode
from framework.ir.errors import RuntimeRefusalError
from framework.ops.primitive import Primitive

__all__: list[str] = []


@register(shared)
def _shared(infer: Inference, callee: object, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    """The same value in every call: computed by the same operators of the same values."""
    first, *others = infer.build.items(arguments[0])
    alike: set[tuple[Node, Node]] = set()
    if not all(_alike(first, other, alike) for other in others):
        raise infer.program.error(VARIES, RuntimeRefusalError)
    return first


def _alike(first: Node, second: Node, alike: set[tuple[Node, Node]]) -> bool:
    if first is second or (first, second) in alike:
        return True
    if isinstance(first, ValueNode) and isinstance(second, ValueNode):
        return first.value is second.value or _equal(first.value, second.value)
    if not (isinstance(first, CNode) and isinstance(second, CNode) and len(first.inputs) == len(second.inputs)):
        return False
    if isinstance(first.operator, Primitive) and not first.operator.is_pure:
        return False
    if not all(_alike(one, other, alike) for one, other in zip(first.inputs, second.inputs, strict=True)):
        return False
    alike.add((first, second))
    return True


def _equal(first: Any, second: Any) -> bool:
    """Whether two constants are equal; operators are if their attributes are."""
    if isinstance(first, Primitive):
        return type(first) is type(second) and first.attrs == second.attrs
    return type(first) is type(second) and isinstance(first, int | float | str | tuple | None) and first == second
