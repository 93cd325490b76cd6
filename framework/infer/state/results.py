"""Which objects a program returns: those it was given, those it found outside, or new ones.

A program returns arrays, from which new tensors are made. Python returns objects, and a change in place shows whether
two of them are one. For a part of a function that is cut (`framework.engine.call.parts`), inference notes here what
each result is, before any pass merges equal values.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable, Iterable, Sequence, Set
from dataclasses import dataclass
from typing import Any, Final

from framework.common.dtype import DType
from framework.common.parameter import Parameter as Weight
from framework.common.tensor import Tensor
from framework.infer.state.mutation import Mutations
from framework.infer.state.program import Program
from framework.ir.abstract import Abstract, AbstractScalar, AbstractTensor, AbstractTuple
from framework.ir.anf import CNode, FuncGraph, Node, Parameter, ValueNode, graphs_in, is_graph, is_operator
from framework.ir.manager import Manager
from framework.ir.operators import DEPEND, DICT_GETITEM, MAKE_DICT, MAKE_LIST, MAKE_TUPLE, SWITCH, TUPLE_GETITEM
from framework.ops.primitive import Primitive

__all__ = ["AS_MADE", "Restore", "UnclearResultError", "are_new", "results_of"]

Path = tuple[Any, ...]
"""The indices that lead to a part of a value."""
Origin = tuple[Node, Path]
"""An application and a part of its value."""


Restore = Callable[[Any, Sequence[object]], Any]
"""From what a program returned and the arguments of the call to what Python would return."""
AS_MADE: Final = None
"""In the place of a `Restore`: what the program returns is right as it is."""
_PLAIN: Final = (bool, int, float, complex, str, bytes, type(None), type(...), DType, type)


class UnclearResultError(Exception):
    """It is not known whether a result is a new object.

    Attributes:
        place: its place, if the program returns several results.
    """

    place: int | None = None


@dataclass(frozen=True)
class _New:
    """What the program returned, the same object wherever the key is the same."""

    key: Hashable = None


@dataclass(frozen=True)
class _Copy:
    """A copy of a constant tensor."""


@dataclass(frozen=True)
class _Found:
    """An object from outside of the program."""

    value: Any


@dataclass(frozen=True)
class _Given:
    """An argument of the call, or a part of it."""

    position: int
    path: tuple[Any, ...] = ()


@dataclass(frozen=True)
class _Made:
    """A container that the program makes; its parts by index or key."""

    kind: Any
    parts: tuple[tuple[Any, Any], ...]
    key: Hashable


def results_of(program: Program, mutations: Mutations, arguments: Sequence[Node], result: Node) -> Restore | None:
    """How Python's results are made of a program's; `AS_MADE` if they are the same.

    Args:
        program: the program.
        mutations: which values belong to whom.
        arguments: the arguments of the call, by position.
        result: the result, before Parameters are read.

    Raises:
        UnclearResultError: it is not known whether a result is a new object.
    """
    form = _Results(program, mutations, arguments).whole(result)
    keys: list[Hashable] = []
    if _is_as_made(form, keys) and len(set(keys)) == len(keys):
        return AS_MADE

    def restore(out: Any, given: Sequence[object]) -> Any:
        return _restored(form, out, given, {})

    return restore


class _Results:
    """Finds the form of a program's results."""

    def __init__(self, program: Program, mutations: Mutations, arguments: Sequence[Node]) -> None:
        self._program = program
        self._mutations = mutations
        self._arguments = arguments
        self._computed = _Computed(_Origins(program.root, program.new))

    def whole(self, result: Node) -> Any:
        """The form of all results."""
        if not is_operator(result, MAKE_TUPLE):
            return self.form(result)
        parts = []
        for place, item in enumerate(result.inputs[1:]):  # type: ignore[attr-defined]
            try:
                parts.append((place, self.form(item)))
            except UnclearResultError as error:
                error.place = place
                raise
        return _Made(getattr(result.abstract, "kind", None) or tuple, tuple(parts), None)

    def form(self, node: Node) -> Any:
        """The form of a result."""
        for position, argument in enumerate(self._arguments):
            if node is argument and not self._is_plain(node):
                return _Given(position)
        if isinstance(node.abstract, AbstractScalar):
            return _New()
        if isinstance(node, ValueNode):
            return self._constant(node)
        if isinstance(node, Parameter) and isinstance(node.default, Weight):
            return _Found(node.default)
        if isinstance(node, CNode):
            return self._application(node)
        raise UnclearResultError

    def _is_plain(self, node: Node) -> bool:
        return isinstance(node, ValueNode) and isinstance(node.value, _PLAIN)

    def _constant(self, node: ValueNode) -> Any:
        value = node.value
        if isinstance(value, _PLAIN):
            return _New()
        if isinstance(value, tuple):
            parts = tuple((place, self._constant(ValueNode(item))) for place, item in enumerate(value))
            return _Made(getattr(node.abstract, "kind", None) or tuple, parts, None)
        if isinstance(value, list | dict) or getattr(value, "const_arg", False):
            raise UnclearResultError
        for position, argument in enumerate(self._arguments):
            if isinstance(argument, ValueNode) and argument.value is value:
                return _Given(position)
        if isinstance(value, Tensor) and self._mutations.owner(node) is None:
            return _Copy()
        if isinstance(value, Tensor) or any(_was_read(read.value, value) for read in self._program.reads):
            return _Found(value)
        raise UnclearResultError

    def _application(self, node: CNode) -> Any:
        if is_operator(node, MAKE_TUPLE, MAKE_LIST):
            if self._mutations.owner(node) is not None:
                raise UnclearResultError
            parts = tuple((place, self.form(item)) for place, item in enumerate(node.arguments))
            is_list = is_operator(node, MAKE_LIST)
            kind = list if is_list else getattr(node.abstract, "kind", None) or tuple
            return _Made(kind, parts, node if is_list else None)
        if is_operator(node, MAKE_DICT):
            keys = node.arguments[0].value if isinstance(node.arguments[0], ValueNode) else ()
            if self._mutations.owner(node) is not None or len(keys) != len(node.arguments) - 1:
                raise UnclearResultError
            pairs = zip(keys, node.arguments[1:], strict=True)
            return _Made(dict, tuple((key, self.form(item)) for key, item in pairs), node)
        base, path = _base_of(node)
        for position, argument in enumerate(self._arguments):
            if base is argument:
                return _Given(position, path)
        return self._computed.form(base, path, node.abstract)


class _Computed:
    """Finds the form of values that a program computes, each of which must be new and no other's."""

    def __init__(self, origins: _Origins) -> None:
        self._origins = origins
        self._seen: dict[Hashable, frozenset[Origin]] = {}

    def form(self, base: Node, path: Path, abstract: Abstract | None) -> Any:
        """The form of a part of a value. It may be a tuple."""
        if isinstance(abstract, AbstractScalar):
            return _New()
        if isinstance(abstract, AbstractTuple) and not abstract.is_list:
            items = enumerate(abstract.elements)
            parts = tuple((place, self.form(base, (*path, place), item)) for place, item in items)
            return _Made(abstract.kind or tuple, parts, None)
        if not isinstance(abstract, AbstractTensor):
            raise UnclearResultError
        key = (base, path)
        if key not in self._seen:
            origins = self._origins.of(base, path)
            if any(origins & others for others in self._seen.values()):
                raise UnclearResultError
            self._seen[key] = origins
        return _New(key)


class _Origins:
    """Finds the applications that make a value, through branches and loops.

    Args:
        root: the graph whose parameters are given by the caller.
        new: further nodes that are new tensors in every call.
    """

    def __init__(self, root: FuncGraph, new: Set[Node]) -> None:
        self._root = root
        self._new = new

    def of(self, node: Node, path: Path) -> frozenset[Origin]:
        """The applications that may have made a part of a value, all of which make new tensors in every call.

        Raises:
            UnclearResultError: something else may be the value.
        """
        found: set[Origin] = set()
        seen: set[Origin] = set()
        waiting = [(node, path)]
        while waiting:
            base, inner = _base_of(*waiting.pop())
            if (base, inner) not in seen:
                seen.add((base, inner))
                waiting.extend(self._before(base, inner, found))
        return frozenset(found)

    def _before(self, node: Node, path: Path, found: set[Origin]) -> list[Origin]:
        """Where a value comes from that this node only passes on. What it makes is added to `found`."""
        if node in self._new:
            found.add((node, path))
            return []
        if is_operator(node, DEPEND):
            return [(node.inputs[1], path)]  # type: ignore[attr-defined]
        if is_operator(node, MAKE_TUPLE) and path:
            return [(node.inputs[1:][path[0]], path[1:])]  # type: ignore[attr-defined]
        if isinstance(node, CNode):
            if isinstance(node.operator, Primitive) and not node.operator.writes:
                found.add((node, path))
                return []
            if graphs := _called(node):
                return [(graph.output, path) for graph in graphs]
        graph = node.graph
        if isinstance(node, Parameter) and graph is not None and graph in self._calls:
            return [(arguments[graph.parameters.index(node)], path) for arguments in self._calls[graph]]
        raise UnclearResultError

    @functools.cached_property
    def _calls(self) -> dict[Any, list[list[Node]]]:
        """The arguments of all calls of each graph. None of a graph that is also a value, whose calls are unknown."""
        calls: dict[Any, list[list[Node]]] = {}
        values: set[FuncGraph] = set()
        for node in Manager(self._root).all_nodes():
            for graph in _called(node):
                calls.setdefault(graph, []).append(node.arguments)
            if not is_operator(node, SWITCH):
                values.update(graphs_in(node.arguments))
        for graph in values:
            calls.pop(graph, None)
        return calls


def are_new(graph: FuncGraph, variables: Iterable[Node]) -> bool:
    """Whether a function returns new tensors in every call, and no tensor twice.

    Args:
        graph: the function.
        variables: the parameters for which it gets new tensors.
    """
    computed = _Computed(_Origins(graph, set(variables)))
    output: Node = graph.output
    while is_operator(output, DEPEND):
        output = output.inputs[1]  # type: ignore[attr-defined]
    items = output.inputs[1:] if is_operator(output, MAKE_TUPLE) else [output]  # type: ignore[attr-defined]
    try:
        forms = [computed.form(*_base_of(item), item.abstract) for item in items]
    except UnclearResultError:
        return False
    keys: list[Hashable] = []
    return all(_is_as_made(form, keys) for form in forms) and len(set(keys)) == len(keys)


def _called(node: CNode) -> list[FuncGraph]:
    """The graphs of which an application calls one."""
    function = node.function
    if isinstance(function, CNode) and is_operator(function, SWITCH):
        both = function.arguments[1:]
        return graphs_in(both) if all(map(is_graph, both)) else []
    return graphs_in([function])


def _base_of(node: Node, path: Path = ()) -> Origin:
    """The value that a node is an item of, with the indices that lead to it."""
    while isinstance(node, CNode) and is_operator(node, TUPLE_GETITEM, DICT_GETITEM):
        index = node.inputs[2]
        if not isinstance(index, ValueNode):
            break
        node, path = node.inputs[1], (index.value, *path)
    return node, path


def _was_read(read: Any, value: Any) -> bool:
    return read is value or getattr(read, "item", None) is value


def _is_as_made(form: Any, keys: list[Hashable]) -> bool:
    if isinstance(form, _New):
        if form.key is not None:
            keys.append(form.key)
        return True
    if isinstance(form, _Made):
        if form.key is not None:
            keys.append(form.key)
        return all(_is_as_made(part, keys) for _, part in form.parts)
    return False


def _restored(form: Any, out: Any, given: Sequence[object], made: dict[Hashable, Any]) -> Any:
    if isinstance(form, _Given):
        found: Any = given[form.position]
        for step in form.path:
            found = found[step]
        return found
    if isinstance(form, _Found):
        return form.value
    if isinstance(form, _Copy):
        return out.copy()
    if form.key is not None and form.key in made:
        return made[form.key]
    if isinstance(form, _Made):
        items = {place: _restored(part, out[place], given, made) for place, part in form.parts}
        if form.kind is dict:
            out = items
        elif form.kind in (tuple, list):
            out = form.kind(items.values())
        else:
            out = form.kind(*items.values())
    if form.key is not None:
        made[form.key] = out
    return out
