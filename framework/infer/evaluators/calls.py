"""Evaluators of calls: of a function of the program, a primitive, a Cell, a class, or another Python object.

This module dispatches to all evaluators. Functions of the program are followed by its caller (`Calls(follow=...)`), so
that evaluators do not depend on control flow.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from framework.common.tensor import Shape, Size, Tensor
from framework.infer.evaluators import builtins, functional, multitype_functions, named_tuples, purity, python_operators
from framework.infer.evaluators.arithmetic import AbstractText, in_python
from framework.infer.evaluators.cells import Cells
from framework.infer.evaluators.inference import Inference
from framework.infer.evaluators.registry import handler
from framework.infer.state.builder import Builder
from framework.infer.state.flow import FlowState
from framework.infer.values import Choice, Closure, UnknownValueError, constant, is_known, value_of
from framework.ir.abstract import UNKNOWN, AbstractConst, AbstractFunction, AbstractScalar
from framework.ir.anf import Node, ValueNode
from framework.ir.errors import InferenceError, PythonOnlyError, refusal_of
from framework.ir.operators import SWITCH, Structural
from framework.ir.python_ops import PythonOp, Undefined, op
from framework.ops.arguments import by_position
from framework.ops.calls import NAMED
from framework.ops.constexpr import is_constexpr
from framework.ops.control.composed import Composed
from framework.ops.primitive import Primitive

__all__ = ["Calls", "Follow"]

Follow = Callable[[Closure | Choice, Sequence[Node], Mapping[str, Node]], Node]
"""From a function of the program and its arguments to the result."""

REGISTERED: Final = (builtins, functional, multitype_functions)
"""The modules that register evaluators of Python's functions."""


class Calls:
    """Applies values.

    Args:
        build: makes nodes of the residual program.
        flow: the paths that are being followed.
        follow: infers calls of functions of the program.
    """

    def __init__(self, build: Builder, flow: FlowState, follow: Follow) -> None:
        self.infer = Inference(build, flow, self.call)
        self._build = build
        self._program = build.program
        self._cells = Cells(self.infer)
        self._follow = follow

    def apply(self, function: Node, arguments: Sequence[Node]) -> Node:
        """The result of a node of a parsed graph."""
        try:
            return self._applied(function, arguments)
        except UnknownValueError:
            given = " and ".join(str(argument.abstract) for argument in arguments)
            raise self._program.error(f"a value must be known at compile time: {given}", PythonOnlyError) from None

    def _applied(self, function: Node, arguments: Sequence[Node]) -> Node:
        applied = function.value if isinstance(function, ValueNode) else None
        whole = not (isinstance(applied, PythonOp) and applied.name in _LOOKS_AT_PARTS)
        for argument in (function, *arguments):
            self._defined(argument, applied)
            if applied is not op("delete"):
                self.infer.not_stale(argument, whole=whole)
        if isinstance(applied, PythonOp):
            if applied is op("call_with"):
                positional, named = self._build.items(arguments[1]), self._build.entries(arguments[2])
                return self.call(arguments[0], positional, named)
            return python_operators.apply(self.infer, applied, arguments)
        if applied is SWITCH:
            return self._switch(arguments)
        if isinstance(applied, Structural):
            return self._build.structural(applied, arguments)
        return self.call(function, arguments, {})

    def _defined(self, node: Node, applied: Any) -> None:
        if (
            isinstance(node.abstract, AbstractConst)
            and isinstance(node.abstract.value, Undefined)
            and applied is not SWITCH
        ):
            is_block = isinstance(applied, Closure) and applied.is_block
            if not is_block:
                raise self._program.error(node.abstract.value.complaint(), refusal_of(node.abstract.value.kind))

    def _switch(self, arguments: Sequence[Node]) -> Node:
        condition, then, otherwise = arguments
        if is_known(condition):
            return then if value_of(condition) else otherwise
        choice = Choice(condition, then, otherwise, self._program.location)
        return ValueNode(choice, AbstractFunction(choice), location=self._program.location)

    def call(self, function: Node, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
        """The result of a call."""
        value = self._callee(function)
        if isinstance(value, Closure | Choice):
            return self._follow(value, arguments, named)
        evaluator = handler(value)
        if evaluator is not None:
            return evaluator(self.infer, value, arguments, named)
        if type(value) is Primitive and value.name in NAMED:
            return self.call(constant(NAMED[value.name]), arguments, named)
        if isinstance(value, Primitive) and not isinstance(value, Composed):
            return self._build.primitive(value, self._by_position(value, arguments, named) if named else arguments)
        if isinstance(value, Structural):
            return self._build.structural(value, arguments)
        return self._call_object(value, arguments, named)

    def _by_position(self, primitive: Primitive, arguments: Sequence[Node], named: Mapping[str, Node]) -> list[Node]:
        try:
            inputs = by_position(primitive, arguments, named)
        except TypeError as error:
            raise self._program.error(str(error)) from None
        return [item if isinstance(item, Node) else constant(item) for item in inputs]

    def _callee(self, function: Node) -> Any:
        """The callee of a node."""
        if isinstance(function, ValueNode) and isinstance(function.value, Shape | Size):
            return function.value
        if function.abstract is not None and isinstance(function.abstract, AbstractFunction | AbstractConst):
            value = function.abstract.value
            if value is not None and (callable(value) or isinstance(value, Closure | Choice | Structural)):
                return value
        raise self._program.error(f"cannot call {function.abstract}: the function must be known at compile time")

    def _call_object(self, value: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
        if isinstance(value, functools.partial):
            inner = [constant(item) for item in value.args]
            given = {name: constant(item) for name, item in value.keywords.items()} | dict(named)
            return self.call(constant(value.func), [*inner, *arguments], given)
        if named_tuples.is_named_tuple(value):
            return named_tuples.make_named_tuple(self.infer, value, arguments, named)
        refused = purity.refusal(value)
        if refused is not None:
            raise self._program.error(refused, PythonOnlyError if purity.is_unsteady(value) else InferenceError)
        if isinstance(value, type) and issubclass(value, Primitive | Tensor | BaseException):
            return self._made(value, arguments, named)
        if is_constexpr(value):
            return self.infer.evaluate(value, arguments, named)
        if isinstance(value, types.MethodType):
            return self.call(constant(value.__func__), [constant(value.__self__), *arguments], named)
        if isinstance(value, types.FunctionType):
            if purity.is_library(value) and all(map(is_known, [*arguments, *named.values()])):
                return self.infer.evaluate(value, arguments, named)
            return self._follow(Closure(self._program.parsed(value), None), arguments, named)
        return self._call_instance(value, arguments, named)

    def _made(self, kind: type, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
        """A primitive, a tensor or an error, which is made now. An error with values of the program is made later."""
        everything = [*arguments, *named.values()]
        if issubclass(kind, BaseException) and not all(map(is_known, everything)):
            return self._build.emit(kind, everything, AbstractScalar(UNKNOWN, kind))
        return self.infer.evaluate(kind, arguments, named)

    def _call_instance(self, value: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
        """A call of a Cell, of another object with `__call__`, or of a function that runs at compile time."""
        kind = type(value)
        construct = getattr(kind, "construct", None)
        if construct is not None and not isinstance(value, type):
            if kind.__module__.partition(".")[0] != "framework":
                self._program.note(kind, "construct", construct)
            return self._cells.call(value, construct, arguments, named)
        call = vars(kind).get("__call__")
        if isinstance(call, types.FunctionType) and not isinstance(value, type):
            return self.call(constant(call), [constant(value), *arguments], named)
        everything = [*arguments, *named.values()]
        if all(map(is_known, everything)):
            return self.infer.evaluate(value, arguments, named)
        owner = getattr(value, "__self__", None)
        if isinstance(owner, str) and value.__name__ in ("format", "join"):
            return self._text(value, arguments, named)
        raise self._not_compiled(value, everything)

    def _text(self, method: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
        """The result of a method of a text with values of the program."""
        count = len(arguments)

        def made(*values: Any) -> Any:
            return method(*values[:count], **dict(zip(named, values[count:], strict=True)))

        return in_python(self.infer, method.__name__, made, [*arguments, *named.values()], AbstractText())

    def _not_compiled(self, value: Any, arguments: Sequence[Node]) -> InferenceError:
        name = getattr(value, "__qualname__", type(value).__qualname__)
        module = getattr(value, "__module__", "")
        types_ = ", ".join(str(argument.abstract) for argument in arguments)
        return self._program.error(
            f"{module}.{name} is not compiled and cannot be called on {types_}: "
            "use an operator of the framework, or compute it outside of the compiled function",
            PythonOnlyError,
        )


_LOOKS_AT_PARTS: Final = frozenset({
    "getitem", "item", "length", "sequence", "unpack", "as_tuple", "getattr", "merge", "put_back",
})  # fmt: skip
