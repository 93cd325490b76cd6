"""Alias analysis of mutation: which values are stale after `x[i] = v`, `x.append(v)` or `x += [v]`.

Values of a compiled program never change; the name gets another value instead. That is the same as in Python unless
something else refers to the changed object. The rule: a change makes the old value and all its aliases *stale*, and the
first use of a stale value is an error. Only another name, a container or a caller can still have one.

Variables that nested functions capture follow the same rule. A compiled function keeps the values from when it was
made; in Python it would see the values at the time of the call. Once such a variable is set again, functions made
before are outdated, and calling one is an error.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

from framework.common.tensor import Tensor
from framework.infer.values import Closure, Frame
from framework.ir.abstract import Abstract, AbstractDict, AbstractTensor, AbstractTuple
from framework.ir.anf import CNode, FuncGraph, Location, Node, ValueNode, is_operator
from framework.ir.operators import MAKE_DICT, MAKE_LIST, MAKE_TUPLE

__all__ = ["Mutations", "Shared", "Stale", "union"]

Shared = frozenset[tuple[int, Any]]
"""Pairs of a variable of a loop, by position, and another variable or a node that may be the same value."""
Stale = dict[Any, Location | None]
"""The stale values, each with the place of the change; and values that become stale when a variable is set
(`_Captured`)."""

_PARTS: Final = ("getitem", "TupleGetItem", "DictGetItem")


class _Captured(NamedTuple):
    """A key of stale values: a function that becomes stale when a variable is set again."""

    frame: Frame
    name: str
    by: Any


class _PartOf(NamedTuple):
    """A key of stale values: a part of the value is stale."""

    whole: Any


class Mutations:
    """Follows changes along one path through a program.

    Attributes:
        stale: the stale values at the current place.
    """

    def __init__(self) -> None:
        self.stale: Stale = {}
        self._same: dict[Any, tuple[Any, ...]] = {}
        self._foreign: dict[Any, str] = {}
        self._kept: list[Any] = []
        self._looked_at: set[int] = set()
        self._one_time: set[Any] = set()
        self._views: set[Any] = set()
        self._rebound: dict[Any, str] = {}

    def foreign(self, value: Any, what: str) -> None:
        """Note that a list, dictionary or tensor belongs to code outside of the program."""
        if isinstance(value, list | dict | tuple):
            if id(value) in self._looked_at:
                return
            self._looked_at.add(id(value))
            self._kept.append(value)
        waiting = [value]
        while waiting:
            item = waiting.pop()
            if isinstance(item, list | dict | tuple):
                waiting.extend(item.values() if isinstance(item, dict) else item)
            if isinstance(item, list | dict | Tensor) and id(item) not in self._foreign:
                self._foreign[id(item)] = what
                self._kept.append(item)

    def foreign_node(self, node: Node, what: str) -> None:
        """Like `foreign`, for a node."""
        self._foreign[self._key(node)] = what

    def owner(self, node: Node) -> str | None:
        """The owner outside of the program that a value belongs to, if any."""
        key = self._key(node)
        while key not in self._foreign:
            if not isinstance(key, CNode) or not is_operator(key, *_PARTS):
                return None
            key = self._key(key.inputs[1])
        return self._foreign[key]

    def change(self, node: Node, location: Location | None) -> None:
        """Note that a value is changed: it becomes stale, and so do its container and its aliases."""
        self._mark(self._key(node), location)

    def _mark(self, first: Any, location: Location | None) -> None:
        waiting = [first]
        while waiting:
            key = waiting.pop()
            if key in self.stale:
                continue
            self.stale[key] = location
            if type(key) is tuple:
                self.stale.setdefault(_PartOf(key[0]), location)
            waiting.extend(self._same.get(key, ()))
            if type(key) is tuple:
                waiting.extend((other, key[1]) for other in self._same.get(key[0], ()))
            if isinstance(key, CNode) and is_operator(key, *_PARTS):
                waiting.append((self._key(key.inputs[1]), _place(key)))

    def capture(self, frame: Frame, names: Iterable[str], made: Node) -> None:
        """Note that a function or a generator has captured the current values of variables.

        Args:
            frame: the frame in which it is made.
            names: the variables.
            made: the function, or the items of the generator.
        """
        self.stale.update((_Captured(frame.of_function, name, self._made(made)), None) for name in names)

    def uses(self, items: Node, function: Node) -> None:
        """Note that items, which Python would compute later, are the current results of a function."""
        key = self._made(function)
        self._same[key] = (*self._same.get(key, ()), self._key(items))

    def view(self, items: Node, owner: Node) -> Node:
        """Note that items are a view of a dictionary. In Python, it would show later changes."""
        if not (isinstance(items, ValueNode) and items.value == ()):
            self.uses(items, owner)
            self._views.add(self._key(items))
        return items

    def is_view(self, node: Node) -> bool:
        """Whether a value is a view of a dictionary."""
        return self._key(node) in self._views

    def rebind(self, frame: Frame, name: str, value: Node, location: Location | None) -> None:
        """Note that a variable gets another value: functions that captured its former one are outdated."""
        owner, kept = frame.of_function, self._made(value)
        for note in [key for key in self.stale if isinstance(key, _Captured) and key[:2] == (owner, name)]:
            if note.by != kept:
                del self.stale[note]
                self._rebound.update(dict.fromkeys((note.by, *self._same.get(note.by, ())), name))
                self._mark(note.by, location)

    def outdated(self, node: Node) -> tuple[str, Location | None] | None:
        """A captured variable that was set after the function was made, and where. None if there is none."""
        closure = node.value if isinstance(node, ValueNode) else None
        if not self._rebound or not self.stale:
            return None
        if not isinstance(closure, Closure):
            key = self._key(node)
            return (self._rebound[key], self.stale[key]) if key in self.stale and key in self._rebound else None
        graph, frame = closure.graph, closure.around
        while (graph, frame) not in self.stale:
            if frame is None or frame.graph is None:
                return None
            graph, frame = frame.graph, frame.around
        return self._rebound[graph, frame], self.stale[graph, frame]

    def link(self, node: Node, passed: Iterable[tuple[Node, Stale]]) -> None:
        """Note that a parameter, or a constant in its place, is the same value as each argument passed for it."""
        if not _mutable(node.abstract):
            return
        key = self._key(node)
        for item, stale in passed:
            other = self._key(item)
            self._pair(key, other)
            if other in stale and other is not key:
                self.stale[key] = stale[other]
            if isinstance(item, CNode) and is_operator(item, MAKE_TUPLE, MAKE_LIST):
                for place, part in enumerate(item.arguments):
                    if _mutable(part.abstract):
                        self._pair((key, place), self._key(part))

    def _pair(self, first: Any, second: Any) -> None:
        """Note that a change of either value is a change of the other."""
        if first is second or first == second:
            return
        self._same[first] = (*self._same.get(first, ()), second)
        self._same[second] = (*self._same.get(second, ()), first)

    def may_be(self, node: Node, others: Sequence[Node]) -> frozenset[int]:
        """The positions of those among other nodes that may be the same value as a node."""
        seen, waiting = set(), [self._key(node)]
        while waiting:
            key = waiting.pop()
            if key not in seen:
                seen.add(key)
                waiting.extend(self._same.get(key, ()))
        return frozenset(
            place for place, other in enumerate(others) if _mutable(other.abstract) and self._key(other) in seen
        )

    def shared(
        self, values: Sequence[Node], entered: Sequence[Node], rounds: Sequence[Sequence[Node]], graph: FuncGraph
    ) -> Shared:
        """The variables of a loop that, in the next iteration, may be the same value as something else.

        Args:
            values: the variables within the loop.
            entered: their values at the entry.
            rounds: their values at each jump to the next iteration.
            graph: the graph of the loop. Nodes from outside of it are compared as they are.
        """
        found: set[tuple[int, Any]] = set()
        for passed in rounds:
            places: dict[Any, int] = {}
            for place, (value, first, item) in enumerate(zip(values, entered, passed, strict=True)):
                if not _mutable(item.abstract):
                    continue
                key = self._key(item)
                earlier = places.setdefault(key, place)
                if earlier != place:
                    found.add((place, earlier))
                is_before = isinstance(key, Node) and key.graph is not None and key.graph.number < graph.number
                if is_before and item is not value and item is not first:
                    found.add((place, key))
        return frozenset(found)

    def share(self, values: Sequence[Node], shared: Shared) -> None:
        """Note the variables of a loop that may be the same value as something else (`shared`)."""
        for place, other in shared:
            key = self._key(values[place])
            same = self._key(values[other]) if isinstance(other, int) else other
            self._pair(key, same)
            if same in self.stale:
                self.stale[key] = self.stale[same]

    def since(self, node: Node, *, whole: bool = True) -> Location | bool | None:
        """Where a value, or a value in it, became stale. False if it is not stale.

        Args:
            node: the value.
            whole: whether the items of a container count.
        """
        if not self.stale:
            return False
        waiting = [node]
        while waiting:
            item = waiting.pop()
            found = self._own_since(item, whole=whole)
            if found is not False:
                return found
            if whole:
                waiting.extend(_held(item))
        return False

    def _own_since(self, node: Node, *, whole: bool) -> Location | bool | None:
        """Where a value became stale, by itself or as a part of another one. False if it is not stale."""
        key = self._key(node)
        found = self.stale.get(key, False)
        if found is False and whole:
            found = self.stale.get(_PartOf(key), False)
        if found is False and isinstance(node, CNode) and is_operator(node, *_PARTS):
            found = self.stale.get((self._key(node.inputs[1]), _place(node)), False)
        return found

    def one_time(self, node: Node) -> Node:
        """Note that a value can be iterated only once, like the result of `zip`."""
        self._one_time.add(self._key(node))
        return node

    def is_one_time(self, node: Node) -> bool:
        """Whether a value can be iterated only once."""
        return self._key(node) in self._one_time

    def _key(self, node: Node) -> Any:
        if isinstance(node, ValueNode) and isinstance(node.value, list | dict | tuple | Tensor):
            self._kept.append(node.value)
            return id(node.value)
        return node

    def _made(self, node: Node) -> Any:
        """The key of a function or a generator's items."""
        closure = node.value if isinstance(node, ValueNode) else None
        return (closure.graph, closure.around) if isinstance(closure, Closure) else self._key(node)


def union(states: Sequence[Stale]) -> Stale:
    """The stale values after several paths."""
    together: Stale = {}
    for state in states:
        together.update(state)
    return together


def _held(node: Node) -> Sequence[Node]:
    """The values in a container. Of a known container, only those that are containers themselves."""
    if isinstance(node, CNode) and is_operator(node, MAKE_TUPLE, MAKE_LIST, MAKE_DICT):
        return node.arguments
    if isinstance(node, ValueNode) and isinstance(node.value, list | tuple | dict):
        inner = node.value.values() if isinstance(node.value, dict) else node.value
        return [ValueNode(value) for value in inner if isinstance(value, list | tuple | dict)]
    return ()


def _place(node: CNode) -> Any:
    index = node.inputs[2]
    return index.value if isinstance(index, ValueNode) else index


def _mutable(abstract: Abstract | None) -> bool:
    if isinstance(abstract, AbstractTensor | AbstractDict):
        return True
    return isinstance(abstract, AbstractTuple) and (abstract.is_list or any(map(_mutable, abstract.elements)))
