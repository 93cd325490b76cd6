"""What is changed in place: lists, dictionaries and tensors by `x[i] = v`, `x.append(v)`, `x += [v]`.

Values of a compiled program never change; the name gets another value instead. That is the same as in Python unless
something else refers to the changed object. So each change leaves the old value stale, and the first use of a stale
value, which only another name, a container or a caller can still have, is an error.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from framework.common.tensor import Tensor
from framework.ir.abstract import Abstract, AbstractDict, AbstractTensor, AbstractTuple
from framework.ir.anf import CNode, Location, Node, ValueNode, is_operator
from framework.ir.operators import MAKE_DICT, MAKE_LIST, MAKE_TUPLE

__all__ = ["Changes", "Stale"]

Stale = dict[Any, Location | None]
"""What is stale, and since where."""

_PARTS: Final = ("getitem", "TupleGetItem", "DictGetItem")


class Changes:
    """Follows changes along one way through a program.

    Attributes:
        stale: what is stale where inference is.
    """

    def __init__(self) -> None:
        self.stale: Stale = {}
        self._same: dict[Any, tuple[Any, ...]] = {}
        self._foreign: dict[Any, str] = {}
        self._kept: list[Any] = []
        self._one_time: set[Any] = set()

    def foreign(self, value: Any, what: str) -> None:
        """Note that a list, dictionary or tensor belongs to somebody outside of the program."""
        waiting = [value]
        while waiting:
            item = waiting.pop()
            if isinstance(item, list | dict | tuple):
                waiting.extend(item.values() if isinstance(item, dict) else item)
            if isinstance(item, list | dict | Tensor) and id(item) not in self._foreign:
                self._foreign[id(item)] = what
                self._kept.append(item)

    def foreign_node(self, node: Node, what: str) -> None:
        """The same for a node."""
        self._foreign[self._key(node)] = what

    def owner(self, node: Node) -> str | None:
        """What outside of the program a value belongs to, if any."""
        key = self._key(node)
        while key not in self._foreign:
            if not isinstance(key, CNode) or not is_operator(key, *_PARTS):
                return None
            key = self._key(key.inputs[1])
        return self._foreign[key]

    def change(self, node: Node, location: Location | None) -> None:
        """Note that a value is changed: it, what it was taken from, and what was passed as it become stale."""
        waiting = [self._key(node)]
        while waiting:
            key = waiting.pop()
            if key in self.stale:
                continue
            self.stale[key] = location
            waiting.extend(self._same.get(key, ()))
            if isinstance(key, CNode) and is_operator(key, *_PARTS):
                waiting.append((self._key(key.inputs[1]), _place(key)))

    def link(self, node: Node, passed: Iterable[tuple[Node, Stale]]) -> None:
        """Note that a parameter, or a constant that is passed as one, is the same as what is passed for it."""
        if not _mutable(node.abstract):
            return
        pairs = [(self._key(item), stale) for item, stale in passed]
        key = self._key(node)
        self._same[key] = tuple(item for item, _ in pairs if item is not key)
        for item, stale in pairs:
            if item in stale:
                self.stale[key] = stale[item]

    def since(self, node: Node, *, whole: bool = True) -> Location | bool | None:
        """Where a value, or something that it holds, became stale; False if it did not.

        Args:
            node: the value.
            whole: whether what it holds counts.
        """
        if not self.stale:
            return False
        waiting = [node]
        while waiting:
            item = waiting.pop()
            key = self._key(item)
            found = self.stale.get(key, False)
            if found is False and whole:
                found = next(
                    (at for stale, at in self.stale.items() if type(stale) is tuple and stale[0] is key), False
                )
            if found is False and isinstance(item, CNode) and is_operator(item, *_PARTS):
                found = self.stale.get((self._key(item.inputs[1]), _place(item)), False)
            if found is not False:
                return found
            if whole and isinstance(item, CNode) and is_operator(item, MAKE_TUPLE, MAKE_LIST, MAKE_DICT):
                waiting.extend(item.arguments)
            elif whole and isinstance(item, ValueNode) and isinstance(item.value, list | tuple | dict):
                inner = item.value.values() if isinstance(item.value, dict) else item.value
                waiting.extend(ValueNode(value) for value in inner if isinstance(value, list | tuple | dict))
        return False

    def one_time(self, node: Node) -> Node:
        """Note that a value can be gone through once only, as what `zip` gives."""
        self._one_time.add(self._key(node))
        return node

    def is_one_time(self, node: Node) -> bool:
        """Whether a value can be gone through once only."""
        return self._key(node) in self._one_time

    def _key(self, node: Node) -> Any:
        if isinstance(node, ValueNode) and isinstance(node.value, list | dict | tuple | Tensor):
            self._kept.append(node.value)
            return id(node.value)
        return node


def union(states: Sequence[Stale]) -> Stale:
    """What is stale behind several ways."""
    together: Stale = {}
    for state in states:
        together.update(state)
    return together


def _place(node: CNode) -> Any:
    index = node.inputs[2]
    return index.value if isinstance(index, ValueNode) else index


def _mutable(abstract: Abstract | None) -> bool:
    if isinstance(abstract, AbstractTensor | AbstractDict):
        return True
    return isinstance(abstract, AbstractTuple) and (abstract.is_list or any(map(_mutable, abstract.elements)))
