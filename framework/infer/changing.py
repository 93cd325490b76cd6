"""Methods that change lists and dictionaries: what they make of them, and what they return."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from framework.infer import sequences
from framework.infer.values import constant, is_known, value_of
from framework.ir.abstract import AbstractDict, AbstractTuple
from framework.ir.anf import Node
from framework.ir.python_ops import PythonOp, op

if TYPE_CHECKING:
    from framework.infer.calls import Calls

__all__ = ["add_to", "change"]


def change(calls: Calls, operator: PythonOp, arguments: Sequence[Node]) -> Node:
    """`owner.method(...)`: the owner after it and its result, as a tuple."""
    owner, method = arguments[0], value_of(arguments[1])
    positional, named = calls.items(arguments[2]), calls.entries(arguments[3])
    abstract = owner.abstract
    is_list = isinstance(abstract, AbstractTuple) and abstract.is_list
    if not is_list and not isinstance(abstract, AbstractDict):
        found = calls.call(_attribute(calls, owner, method), positional, named)
        return calls.make_tuple([owner, found])
    table: Mapping[str, Any] = _LISTS if is_list else _DICTS
    if method not in table:
        raise calls.program.error(f"{abstract} has no method '{method}'")
    calls.changed(owner)
    content: Any = list(calls.items(owner)) if is_list else dict(calls.entries(owner))
    try:
        result = table[method](calls, content, positional, named)
    except (IndexError, KeyError, ValueError, LookupError) as error:
        raise calls.program.error(f".{method}(): {error}") from None
    made = calls.make_list(content) if is_list else calls.make_dict(content)
    return calls.make_tuple([made, constant(None) if result is None else result])


def _attribute(calls: Calls, owner: Node, method: str) -> Node:
    from framework.infer.attributes import get_attribute

    return get_attribute(calls, op("getattr"), [owner, constant(method)])


def add_to(calls: Calls, operator: PythonOp, arguments: Sequence[Node]) -> Node:
    """`owner += more`, `owner *= count`: a list is changed, anything else is computed anew."""
    from framework.infer.python import apply

    owner, more = arguments
    if not isinstance(owner.abstract, AbstractTuple) or not owner.abstract.is_list:
        return apply(calls, op("add" if operator.name == "add_to" else "mul"), arguments)
    calls.changed(owner)
    if operator.name == "multiply_by":
        return calls.make_list(calls.items(owner) * value_of(more))
    return calls.make_list([*calls.items(owner), *_items(calls, more)])


def _items(calls: Calls, node: Node) -> list[Node]:
    return calls.items(sequences.as_tuple(calls, op("as_tuple"), [node]))


def _sort(calls: Calls, items: list[Node], positional: Sequence[Node], named: Mapping[str, Node]) -> None:
    items[:] = sequences.in_order(calls, ".sort", items, named)


def _place_of(calls: Calls, items: list[Node], item: Node) -> int:
    if not is_known(item) or not all(map(is_known, items)):
        raise calls.program.error("finding an item needs values that are known when compiling")
    return [value_of(other) for other in items].index(value_of(item))


def _pop(items: list[Node], positional: Sequence[Node]) -> Node:
    return items.pop(*(value_of(item) for item in positional))


def _update(calls: Calls, items: dict[Any, Node], positional: Sequence[Node], named: Mapping[str, Node]) -> None:
    for other in positional:
        items.update(calls.entries(other))
    items.update(named)


def _take(items: dict[Any, Node], positional: Sequence[Node]) -> Node:
    key = value_of(positional[0])
    return items.pop(key) if len(positional) == 1 else items.pop(key, positional[1])


def _last(calls: Calls, items: dict[Any, Node]) -> Node:
    key, value = items.popitem()
    return calls.make_tuple([constant(key), value])


_LISTS: Final[dict[str, Callable[[Any, list[Node], Sequence[Node], Mapping[str, Node]], Node | None]]] = {
    "append": lambda calls, items, given, named: items.append(*given),
    "extend": lambda calls, items, given, named: items.extend(_items(calls, *given)),
    "insert": lambda calls, items, given, named: items.insert(value_of(given[0]), given[1]),
    "remove": lambda calls, items, given, named: items.__delitem__(_place_of(calls, items, *given)),
    "pop": lambda calls, items, given, named: _pop(items, given),
    "clear": lambda calls, items, given, named: items.clear(),
    "reverse": lambda calls, items, given, named: items.reverse(),
    "sort": _sort,
}
_DICTS: Final[dict[str, Callable[[Any, dict[Any, Node], Sequence[Node], Mapping[str, Node]], Node | None]]] = {
    "update": _update,
    "pop": lambda calls, items, given, named: _take(items, given),
    "clear": lambda calls, items, given, named: items.clear(),
    "setdefault": lambda calls, items, given, named: items.setdefault(value_of(given[0]), [*given, constant(None)][1]),
    "popitem": lambda calls, items, given, named: _last(calls, items),
}
