"""How gradients go back through operators that only arrange values: tuples, choices, environments, order of effects.

`sums` has the gradient of each node so far. A rule adds to it.
"""

from __future__ import annotations

from typing import Any

from framework.ad.adjoints import Adjoints, Sums
from framework.ad.sensitivity import Sensitivity, element, flows, node_of, of_type, zeros
from framework.infer.values import constant
from framework.ir.abstract import AbstractDict, AbstractEnv, AbstractTuple
from framework.ir.anf import CNode, Node, ValueNode
from framework.ir.operators import (
    DEPEND,
    DICT_GETITEM,
    EMPTY_ENVIRON,
    ENVIRON_ADD,
    ENVIRON_GET,
    ENVIRON_SET,
    LOAD,
    MAKE_DICT,
    MAKE_LIST,
    MAKE_TUPLE,
    SWITCH,
    TUPLE_GETITEM,
    Structural,
)
from framework.ir.python_ops import PythonOp, op

__all__ = ["through_python", "through_structural"]

_ENV = AbstractEnv()


def through_structural(
    adjoints: Adjoints, sums: Sums, node: CNode, operator: Structural, sensitivity: Sensitivity
) -> None:
    """Go backward through an operator of the IR itself: construction becomes selection, and the reverse."""
    arguments = node.arguments
    if operator in (MAKE_TUPLE, MAKE_LIST):
        for place, item in enumerate(arguments):
            adjoints.add_to(sums, item, element(adjoints.infer, sensitivity, place))
    elif operator is MAKE_DICT:
        for place, item in enumerate(arguments[1:]):
            adjoints.add_to(sums, item, element(adjoints.infer, sensitivity, place))
    elif operator in (TUPLE_GETITEM, DICT_GETITEM):
        whole, index = arguments
        assert isinstance(whole.abstract, AbstractTuple | AbstractDict)  # noqa: S101
        parts: list[Sensitivity] = [None] * len(whole.abstract.elements)
        assert isinstance(index, ValueNode)  # noqa: S101
        keys = whole.abstract.keys if isinstance(whole.abstract, AbstractDict) else ()
        parts[keys.index(index.value) if keys else index.value] = sensitivity
        adjoints.add_to(sums, whole, parts)
    elif operator is SWITCH:
        _chosen(adjoints, sums, arguments, sensitivity)
    elif operator in (DEPEND, LOAD):
        adjoints.add_to(sums, arguments[0], sensitivity)
    elif operator is ENVIRON_SET:
        adjoints.add_to(sums, arguments[0], sensitivity)
        adjoints.add_to(sums, arguments[2], _get(adjoints, sensitivity, arguments[1], arguments[2]))
    elif operator is ENVIRON_GET:
        value = node_of(adjoints.infer, sensitivity, adjoints.forward[node])
        made = adjoints.infer.build.emit(ENVIRON_SET, [constant(EMPTY_ENVIRON), arguments[1], value], _ENV)
        adjoints.add_to(sums, arguments[0], made)
    elif operator is ENVIRON_ADD:
        adjoints.add_to(sums, arguments[0], sensitivity)
        adjoints.add_to(sums, arguments[1], sensitivity)


def _chosen(adjoints: Adjoints, sums: Sums, arguments: list[Node], env: Node) -> None:
    """The gradient of a choice of functions goes to the free variables of the one that was taken.

    A free variable of both counts once.
    """
    found = [item.value for item in arguments[1:] if isinstance(item, ValueNode)]
    if len(found) == 2:
        adjoints.distribute(sums, found, env)
        return
    condition, nothing = adjoints.image(arguments[0]), constant(EMPTY_ENVIRON)
    adjoints.add_to(sums, arguments[1], adjoints.infer.build.emit(SWITCH, [condition, env, nothing], _ENV))
    adjoints.add_to(sums, arguments[2], adjoints.infer.build.emit(SWITCH, [condition, nothing, env], _ENV))


def _get(adjoints: Adjoints, env: Node, key: Node, value: Node) -> Sensitivity:
    if not flows(value.abstract):
        return None
    default = zeros(adjoints.infer, adjoints.image(value))
    return adjoints.infer.build.emit(ENVIRON_GET, [env, key, default], of_type(value.abstract))  # type: ignore[arg-type]


def through_python(adjoints: Adjoints, sums: Sums, node: CNode, operator: PythonOp, sensitivity: Sensitivity) -> None:
    """Go backward through an operator of Python. Of these, only indexing a tuple has a gradient."""
    if operator is op("getitem") and flows(node.arguments[0].abstract):
        items, index = node.arguments
        assert isinstance(items.abstract, AbstractTuple)  # noqa: S101
        count = len(items.abstract.elements)
        chosen = node_of(adjoints.infer, sensitivity, adjoints.forward[node])
        given = [chosen, zeros(adjoints.infer, adjoints.forward[node]), adjoints.image(index)]
        parts = [
            adjoints.infer.call(constant(_where_chosen), [*given, constant(place), constant(count)], {})
            for place in range(count)
        ]
        adjoints.add_to(sums, items, parts)


def _where_chosen(gradient: Any, nothing: Any, index: Any, place: int, count: int) -> Any:
    """The gradient of one element of a tuple, if the index of the chosen element is known only at run time."""
    return gradient if index == place or index == place - count else nothing
