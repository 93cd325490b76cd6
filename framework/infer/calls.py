"""What the call of a value means: of a function of the program, a primitive, a Cell, a class, something of Python."""

from __future__ import annotations

import functools
import types
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from framework.common.parameter import Parameter as Weight
from framework.common.tensor import Shape, Size, Tensor
from framework.infer import builtins, composites, functional, outside, python, tuples  # noqa: F401, two register what they mean
from framework.infer.evaluation import Evaluation
from framework.infer.specialize import Specializer
from framework.infer.values import Choice, Closure, Emitter, constant, is_known, value_of
from framework.ir.abstract import (
    UNKNOWN,
    Abstract,
    AbstractConst,
    AbstractDict,
    AbstractFunction,
    AbstractScalar,
    AbstractTensor,
    AbstractTuple,
)
from framework.ir.anf import FuncGraph, Location, Node, ValueNode
from framework.ir.operators import SWITCH, Structural
from framework.ir.python_ops import PythonOp, Undefined, op
from framework.ops.arguments import by_position
from framework.ops.constexpr import is_constexpr
from framework.ops.primitive import Primitive

__all__ = ["Calls"]


class Calls(Evaluation):
    """Applies values for a specializer.

    Args:
        specializer: follows the functions of the program.
    """

    def __init__(self, specializer: Specializer) -> None:
        super().__init__(specializer)
        #: What the Cell that is being called computes with (`Cell.to_float`), if it says so.
        self.compute_type: Any = None
        self.noted_changes = False

    def apply(self, function: Node, arguments: Sequence[Node]) -> Node:
        """The result of a node of a parsed graph."""
        applied = function.value if isinstance(function, ValueNode) else None
        whole = not (isinstance(applied, PythonOp) and applied.name in _LOOKS_AT_PARTS)
        for argument in (function, *arguments):
            self._defined(argument, applied)
            self.not_stale(argument, whole=whole)
        if isinstance(applied, PythonOp):
            if applied is op("call_with"):
                positional, named = self.items(arguments[1]), self.entries(arguments[2])
                return self.call(arguments[0], positional, named)
            return python.apply(self, applied, arguments)
        if applied is SWITCH:
            return self._switch(arguments)
        if isinstance(applied, Structural):
            return self.structural(applied, arguments)
        return self.call(function, arguments, {})

    def not_stale(self, node: Node, *, whole: bool = True) -> None:
        """Refuse a value that was changed under another name."""
        self.not_outdated(node)
        since = self.specializer.changes.since(node, whole=whole)
        if since is False:
            return
        line = f"line {since.line}" if isinstance(since, Location) else "another line"
        raise self.program.error(
            f"{line} changes this {_kind(node.abstract)} under another name, which is not seen here: values do not "
            "change in a compiled program. Use one name for it, or change a copy"
        )

    def not_outdated(self, node: Node) -> None:
        """Refuse a function, or items that one gives, made before a variable was set again that it uses."""
        found = self.specializer.changes.outdated(node)
        if found is None:
            return
        name, since = found
        line = f"line {since.line}" if since is not None else "another line"
        raise self.program.error(
            f"{line} sets '{name}' after this function was made, which captures the variable and would have to see its"
            f" new value: pass {name} as an argument, or keep its value of then by a default: {name}={name}"
        )

    def changed(self, node: Node) -> None:
        """Note that a statement changes a value in place.

        Raises:
            InferenceError: the value belongs to somebody outside of the program, who would not see it.
        """
        owner = self.specializer.changes.owner(node)
        if owner is not None:
            raise self.program.error(
                f"this {_kind(node.abstract)} belongs to {owner}, where a compiled change would not be seen:"
                " change a copy and return that"
            )
        self.specializer.changes.change(node, self.program.location)

    def _defined(self, node: Node, applied: Any) -> None:
        if (
            isinstance(node.abstract, AbstractConst)
            and isinstance(node.abstract.value, Undefined)
            and applied is not SWITCH
        ):
            is_block = isinstance(applied, Closure) and applied.is_block
            if not is_block:
                raise self.program.error(node.abstract.value.complaint())

    def _switch(self, arguments: Sequence[Node]) -> Node:
        condition, then, otherwise = arguments
        if is_known(condition):
            return then if value_of(condition) else otherwise
        choice = Choice(condition, then, otherwise, self.program.location)
        return ValueNode(choice, AbstractFunction(choice), location=self.program.location)

    # Calls

    def call(self, function: Node, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
        """The result of a call."""
        value = self.callee(function)
        if isinstance(value, Closure):
            if value.is_block:
                return self.specializer.call_closure(value, arguments, named)
            with self.program.calling():
                return self.specializer.call_closure(value, arguments, named)
        if isinstance(value, Choice):
            return self.specializer.call_choice(value, arguments)
        handler = builtins.handler(value)
        if handler is not None:
            return handler(self, value, arguments, named)
        if isinstance(value, Primitive):
            return self.primitive(value, self._by_position(value, arguments, named) if named else arguments)
        if isinstance(value, Structural):
            return self.structural(value, arguments)
        return self._call_object(value, arguments, named)

    def _by_position(self, primitive: Primitive, arguments: Sequence[Node], named: Mapping[str, Node]) -> list[Node]:
        try:
            inputs = by_position(primitive, arguments, named)
        except TypeError as error:
            raise self.program.error(str(error)) from None
        return [item if isinstance(item, Node) else constant(item) for item in inputs]

    def read(self, owner: Any, name: str) -> Node:
        """An attribute of a Python object, with a note of it."""
        try:
            value = getattr(owner, name)
        except AttributeError as error:
            raise self.program.error(str(error)) from None
        where = getattr(owner, "__name__" if isinstance(owner, types.ModuleType) else "__module__", None)
        is_own = isinstance(owner, types.ModuleType | type) and str(where).partition(".")[0] == "framework"
        if not is_own:
            self.program.note(owner, name, value)
        node = self.of_value(value)
        if self.compute_type is not None and isinstance(value, Weight) and value.requires_grad:
            return self.as_float(node, self.compute_type)
        return node

    def callee(self, function: Node) -> Any:
        """What is called."""
        if isinstance(function, ValueNode) and isinstance(function.value, Shape | Size):
            return function.value
        if function.abstract is not None and isinstance(function.abstract, AbstractFunction | AbstractConst):
            value = function.abstract.value
            if value is not None and (callable(value) or isinstance(value, Closure | Choice | Structural)):
                return value
        raise self.program.error(f"{function.abstract} is called, which is no function that is known when compiling")

    def _call_object(self, value: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
        if isinstance(value, functools.partial):
            inner = [constant(item) for item in value.args]
            given = {name: constant(item) for name, item in value.keywords.items()} | dict(named)
            return self.call(constant(value.func), [*inner, *arguments], given)
        if tuples.is_named_tuple(value):
            return tuples.make_named_tuple(self, value, arguments, named)
        everything = [*arguments, *named.values()]
        refused = outside.refusal(value)
        if refused is not None:
            raise self.program.error(refused)
        if isinstance(value, type) and issubclass(value, BaseException) and not all(map(is_known, everything)):
            return self.emit(value, everything, AbstractScalar(UNKNOWN, value))
        if is_constexpr(value) or self._is_plain(value):
            return self.evaluate(value, arguments, named)
        if isinstance(value, types.MethodType):
            return self.call(constant(value.__func__), [constant(value.__self__), *arguments], named)
        if isinstance(value, types.FunctionType):
            if outside.is_library(value) and all(map(is_known, everything)):
                return self.evaluate(value, arguments, named)
            graph = self.program.parsed(value)
            with self.program.calling():
                return self.specializer.call_closure(Closure(graph, None), arguments, named)
        construct = getattr(type(value), "construct", None)
        if construct is not None and not isinstance(value, type):
            if type(value).__module__.partition(".")[0] != "framework":
                self.program.note(type(value), "construct", construct)
            return self._call_cell(value, construct, arguments, named)
        call = vars(type(value)).get("__call__")
        if isinstance(call, types.FunctionType) and not isinstance(value, type):
            return self.call(constant(call), [constant(value), *arguments], named)
        if all(map(is_known, everything)):
            return self.evaluate(value, arguments, named)
        name = getattr(value, "__qualname__", type(value).__qualname__)
        module = getattr(value, "__module__", "")
        types_ = ", ".join(str(argument.abstract) for argument in everything)
        raise self.program.error(
            f"{module}.{name} is not compiled and cannot be called on {types_}: "
            "use an operator of the framework, or compute it outside of the compiled function"
        )

    @staticmethod
    def _is_plain(value: Any) -> bool:
        return isinstance(value, type) and issubclass(value, Primitive | Tensor | BaseException)

    def _call_cell(self, cell: Any, construct: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
        if not self.noted_changes:
            self.noted_changes = True
            self.program.note(type(cell), "changes", type(cell).changes)
        compute_type = cell.compute_type
        if compute_type is not None:
            arguments = [self.as_float(item, compute_type) for item in arguments]
            named = {name: self.as_float(item, compute_type) for name, item in named.items()}
        before, self.compute_type = self.compute_type, compute_type
        try:
            made = self._constructed(cell, construct, arguments, named)
        finally:
            self.compute_type = before
        is_cast = compute_type is not None and cell.output_type is not None
        return self.as_float(made, cell.output_type) if is_cast else made

    def as_float(self, node: Node, dtype: Any) -> Node:
        """Tensors of floating-point types, alone or in tuples, as another type; everything else as it is."""
        abstract = node.abstract
        if isinstance(abstract, AbstractTuple):
            items = [self.as_float(item, dtype) for item in self.items(node)]
            made = self.make_list(items) if abstract.is_list else self.make_tuple(items)
            made.abstract = replace(made.abstract, kind=abstract.kind)  # type: ignore[type-var]
            return made
        if not isinstance(abstract, AbstractTensor) or not abstract.dtype.is_floating_point or abstract.dtype == dtype:
            return node
        from framework.ops import operations

        return self.call(constant(operations.Cast()), [node, constant(dtype)], {})

    def _constructed(self, cell: Any, construct: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
        with self.program.within(scope_of(cell), recomputed=cell.get_flags().get("recompute", False)):
            if getattr(type(cell), "bprop", None) is not None:
                return self._with_own_backward(cell, construct, [*arguments, *named.values()])
            return self.call(constant(construct), [constant(cell), *arguments], named)

    def _with_own_backward(self, cell: Any, construct: Any, arguments: Sequence[Node]) -> Node:
        """A call of a Cell that says itself how to go backward: a function until differentiation is over."""
        graph = FuncGraph(type(cell).__name__, self.program.location)
        graph.attrs["bprop"] = cell.bprop
        graph.attrs["full_name"] = self.program.full_name(type(cell).__name__)
        outer, self.specializer.emitter = self.specializer.emitter, Emitter(graph, self.specializer.emitter.depth)
        before = self.specializer.effects
        try:
            inner = [graph.add_parameter(f"x{i}", abstract=node.abstract) for i, node in enumerate(arguments)]
            result = self.materialized(self.call(constant(construct), [constant(cell), *inner], {}))
            self.specializer.finish(self.specializer.emitter, result)
        finally:
            self.specializer.emitter = outer
        call = self.emit(graph, [self.materialized(argument) for argument in arguments], result.abstract)
        if self.specializer.effects > before:
            self.specializer.effect(call)
        return call


def scope_of(cell: Any) -> str:
    """How a Cell is called in scopes: its name in the Cell around it, and its class; empty for the outermost."""
    return str(getattr(cell, "_scope", ""))


_LOOKS_AT_PARTS: Final = frozenset({
    "getitem", "item", "length", "sequence", "unpack", "as_tuple", "getattr", "merge", "put_back",
})  # fmt: skip


def _kind(abstract: Abstract | None) -> str:
    if isinstance(abstract, AbstractTuple):
        return "list" if abstract.is_list else "tuple"
    return "dictionary" if isinstance(abstract, AbstractDict) else "tensor"
