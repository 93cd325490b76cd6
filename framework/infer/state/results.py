"""Which objects a program returns: those it was given, those it found outside, or new ones.

A program returns arrays, from which new tensors are made. Python returns objects, and a change in place shows whether
two of them are one. For a part of a function that is cut (`framework.engine.call.parts`), inference notes here what
each result is, before any pass merges equal values.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from framework.common.dtype import DType
from framework.common.parameter import Parameter as Weight
from framework.common.tensor import Tensor
from framework.infer.state.mutation import Mutations
from framework.infer.state.program import Program
from framework.ir.abstract import AbstractScalar, AbstractTensor
from framework.ir.anf import CNode, FuncGraph, Node, Parameter, ValueNode, graphs_in, is_operator
from framework.ir.operators import DEPEND, DICT_GETITEM, MAKE_DICT, MAKE_LIST, MAKE_TUPLE, TUPLE_GETITEM
from framework.ops.primitive import Primitive

__all__ = ["AsMade", "Restore", "UnclearResultError", "results_of"]

Restore = Callable[[Any, Sequence[object]], Any]
"""From what a program returned and the arguments of the call to what Python would return."""
AsMade: Final = None
"""In the place of a `Restore`: what the program returns is right as it is."""
_PLAIN: Final = (bool, int, float, complex, str, bytes, type(None), type(...), DType, type)
_ITEMS: Final = (TUPLE_GETITEM, DICT_GETITEM)


class UnclearResultError(Exception):
    """It is not known whether a result is a new object."""


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
    """How Python's results are made of a program's; `AsMade` if they are the same.

    Args:
        program: the program.
        mutations: which values belong to whom.
        arguments: the arguments of the call, by position.
        result: the result, before Parameters are read.

    Raises:
        UnclearResultError: it is not known whether a result is a new object.
    """
    form = _Results(program, mutations, arguments).form(result)
    keys: list[Hashable] = []
    if _is_as_made(form, keys) and len(set(keys)) == len(keys):
        return AsMade

    def restore(out: Any, given: Sequence[object]) -> Any:
        return _restored(form, out, given, {})

    return restore


class _Results:
    """Finds the form of a program's results."""

    def __init__(self, program: Program, mutations: Mutations, arguments: Sequence[Node]) -> None:
        self._program = program
        self._mutations = mutations
        self._arguments = arguments

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
            return _Made(tuple, parts, None)
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
        if is_operator(node, *_ITEMS):
            return self._item(node)
        if isinstance(node.abstract, AbstractTensor) and _makes_new(node):
            return _New(node)
        raise UnclearResultError

    def _item(self, node: CNode) -> Any:
        """The form of an item: of an argument, or of the results of an operator."""
        path: list[Any] = []
        base: Node = node
        while isinstance(base, CNode) and is_operator(base, *_ITEMS):
            index = base.inputs[2]
            if not isinstance(index, ValueNode):
                raise UnclearResultError
            path.insert(0, index.value)
            base = base.inputs[1]
        for position, argument in enumerate(self._arguments):
            if base is argument:
                return _Given(position, tuple(path))
        if isinstance(base, CNode) and _makes_new(base) and isinstance(node.abstract, AbstractTensor):
            return _New((base, *path))
        raise UnclearResultError


def _was_read(read: Any, value: Any) -> bool:
    return read is value or getattr(read, "item", None) is value


def _makes_new(node: CNode) -> bool:
    """Whether an application makes new tensors in every call."""
    operator = node.operator
    if isinstance(operator, Primitive):
        return not operator.writes
    waiting, seen = list(graphs_in([node.function])), set[FuncGraph]()
    if not waiting:
        return False
    while waiting:
        graph = waiting.pop()
        if graph in seen:
            continue
        seen.add(graph)
        for output in _outputs(graph.output):
            if not isinstance(output, CNode):
                return False
            inner = output.operator
            if isinstance(inner, Primitive) and not inner.writes:
                continue
            further = graphs_in([output.function])
            if not further:
                return False
            waiting.extend(further)
    return True


def _outputs(node: Node) -> list[Node]:
    """The nodes of which a graph's output consists."""
    if is_operator(node, DEPEND):
        return _outputs(node.inputs[1])  # type: ignore[attr-defined]
    if is_operator(node, MAKE_TUPLE):
        return [inner for item in node.inputs[1:] for inner in _outputs(item)]  # type: ignore[attr-defined]
    return [node]


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
