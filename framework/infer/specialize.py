"""Follows calls of functions: they are inlined, except those that call themselves below a choice.

A recursive function becomes a graph, which is evaluated again until its result is no more than what its calls were
told of it. First the ways that need that result are left out.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from typing import Any

from framework.infer.blocks import MOST_PASSES, Blocks
from framework.infer.changes import Changes, union
from framework.infer.program import Program
from framework.infer.records import Entry, NotYetError, Recursion, RecursiveError
from framework.infer.values import Activation, Closure, Emitter, Frame, all_same, constant, value_of
from framework.ir.abstract import Abstract, AbstractConst, AbstractDict, AbstractTuple, broaden, known
from framework.ir.anf import FuncGraph, Node, ValueNode
from framework.ir.naming import is_internal, names_of
from framework.ir.python_ops import NEVER
from framework.parse.binding import bind
from framework.parse.depth import deep
from framework.parse.function import Signature

__all__ = ["Specializer", "specialize"]


def specialize(
    function: Any, arguments: Sequence[Abstract], named: Mapping[str, Abstract] | None = None, name: str = ""
) -> Program:
    """The program that is left of a function for arguments of which something is known.

    Args:
        function: a Python function, a Cell or anything else that graph mode can call.
        arguments: what is known of each; arguments that are known are constants, the others parameters.
        named: what is known of arguments passed by name.
        name: of the program.

    Raises:
        InferenceError: types or shapes do not fit; with the user's line.
    """
    title = name or getattr(function, "__name__", type(function).__name__)
    dynamic: frozenset[int] = frozenset()
    while True:
        program = Program(title, dynamic, names_of(function))
        with deep():
            _write(program, function, arguments, named or {})
        if program.written <= program.dynamic:
            return program
        dynamic |= program.dynamic | program.written


def _write(program: Program, function: Any, arguments: Sequence[Abstract], named: Mapping[str, Abstract]) -> None:
    from framework.infer.calls import Calls

    specializer = Specializer(program)
    calls = specializer.calls = Calls(specializer)
    given = [_argument(program, f"x{place}", abstract) for place, abstract in enumerate(arguments)]
    passed = {key: _argument(program, key, abstract) for key, abstract in named.items()}
    for node in (*given, *passed.values()):
        _passed_by_caller(specializer.changes, node)
    result = calls.call(constant(function), given, passed)
    specializer.finish(program.top, calls.materialized(result))


def _argument(program: Program, name: str, abstract: Abstract) -> Node:
    if known(abstract):
        node = ValueNode(getattr(abstract, "value", None), abstract)
        return constant(value_of(node))
    return program.root.add_parameter(name, abstract=abstract)


def _passed_by_caller(changes: Changes, node: Node) -> None:
    if isinstance(node, ValueNode):
        changes.foreign(node.value, "the caller")
    elif isinstance(node.abstract, AbstractTuple | AbstractDict):
        changes.foreign_node(node, "the caller")


class Specializer(Blocks):
    """Follows a program from its first call."""

    def call_closure(self, closure: Closure, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
        """The result of a call of a function of the program."""
        if not closure.is_block:
            self.calls.not_outdated(constant(closure))
        given = list(arguments)
        if closure.graph.signature is not None:
            given = self._bound(closure, closure.graph.signature, arguments, named)
        for entry in reversed(self._active):
            if entry.graph is closure.graph and entry.around is closure.around:
                if entry.record is not None:
                    return self._call_again(entry.record, given)
                if self.emitter.depth > entry.depth:
                    raise RecursiveError(entry)
        entry = Entry(closure.graph, closure.around, self.emitter.depth)
        marks, emitter, state, place = self._marks(), self.emitter, self.emitter.state, self.program.location
        self._active.append(entry)
        try:
            return self._inlined(closure, given)
        except RecursiveError as found:
            if found.entry is not entry:
                raise
            self._forget(marks)
            self.emitter = emitter
            self.emitter.state = state
            self.program.location = place
        finally:
            self._active.pop()
        return self._recursive(closure, given)

    def _bound(
        self, closure: Closure, signature: Signature, arguments: Sequence[Node], named: Mapping[str, Node]
    ) -> list[Node]:
        around = closure.frame or Frame(None, None, Activation())
        try:
            return bind(
                signature,
                arguments,
                named,
                lambda node: self.value(around, node),
                lambda items: self.calls.make_tuple(items),
                lambda items: self.calls.make_dict(items),
            )
        except TypeError as error:
            raise self.program.error(f"{closure.name}() {error}") from None

    def _inlined(self, closure: Closure, arguments: list[Node]) -> Node:
        activation = Activation()
        self._activations.append(activation)
        before = self.effects
        try:
            with self._passing(closure):
                result = self._run(closure, arguments, activation)
        finally:
            self._activations.pop()
        if activation.stale:
            self.changes.stale = union(activation.stale)
        if not activation.untyped:
            return result
        result = self._typed(activation, result)
        if self.effects > before:
            self.effect(result)
        return result

    def _passing(self, closure: Closure) -> contextlib.AbstractContextManager[None]:
        """The way through the source goes on in a function, unless that is part of the one around or of an operator."""
        place = closure.graph.location
        if closure.is_block or place is None or is_internal(place.file):
            return contextlib.nullcontext()
        return self.program.passing()

    def _typed(self, activation: Activation, result: Node) -> Node:
        """Gives a function's result its type, once all ways through it are known."""
        abstract: Abstract = AbstractConst(NEVER)
        for returned, location in activation.returns:
            assert returned.abstract is not None  # noqa: S101
            abstract = self._joined(abstract, returned.abstract, "the values that are returned", location)
        for node in activation.untyped:
            node.abstract = abstract
        self.changes.link(result, [(returned, {}) for returned, _ in activation.returns])
        return result

    def _recursive(self, closure: Closure, arguments: list[Node]) -> Node:
        """A call of a recursive function: a graph of its own, which calls itself."""
        record = Recursion(FuncGraph(closure.name, closure.graph.location), [a.abstract for a in arguments])  # type: ignore[misc]
        place = self.program.location
        for _ in range(MOST_PASSES):
            marks, self.program.location = self._marks(), place
            record.graph = FuncGraph(closure.name, closure.graph.location)
            record.calls, record.untyped = [], []
            before, had_effects, returned = self.effects, record.effects, record.returned
            incomplete, result = self._attempt(closure, record)
            record.effects = self.effects > before
            wider = record.signature
            for passed in record.calls:
                wider = [
                    self._joined(a, b, f"the arguments of {closure.name}()") for a, b in zip(wider, passed, strict=True)
                ]
            settled = result is not None and record.result is not None and record.result == result
            settled = settled and record.effects == had_effects and record.returned == returned
            if not incomplete and settled and all_same(wider, record.signature):
                for node in record.untyped:
                    node.abstract = result
                call = self.emitter.graph.apply(record.graph, *self._ordered(self._passed(arguments, record.signature)))
                call.abstract, call.location, call.scope = result, self.program.location, self.program.scope
                self._link_returned(call, record, arguments)
                if record.effects:
                    self.effect(call)
                return call
            is_wider = not all_same(wider, record.signature)
            if is_wider:
                wider = [b if a == b else broaden(b) for a, b in zip(record.signature, wider, strict=True)]
            record.signature, record.result = wider, result if result is not None else record.result
            self._forget(marks)
            # With a number that is known, the way that ends it may not be seen: the next pass does not know it.
            if result is None and not is_wider:
                break
        raise self.program.error(
            f"{closure.name}() calls itself on every way that is known, or with arguments of ever other types: "
            "one way must return without calling it"
        )

    def _attempt(self, closure: Closure, record: Recursion) -> tuple[bool, Abstract | None]:
        outer, self.emitter = self.emitter, Emitter(record.graph, self.emitter.depth)
        self._active.append(Entry(closure.graph, closure.around, self.emitter.depth, record))
        record.incomplete = False
        try:
            given = self._parameters(closure.graph, record.graph, record.signature)
            result = self._inlined(closure, given)
            record.returned |= self.changes.may_be(result, given)
            self.finish(self.emitter, self.calls.materialized(result))
            if any(self.changes.since(parameter) is not False for parameter in given):
                raise self.program.error(
                    f"{closure.name}() calls itself and changes what it is passed: copy that first"
                )
        except NotYetError:
            return True, None
        finally:
            self._active.pop()
            self.emitter = outer
        return record.incomplete, None if result.abstract is None else broaden(result.abstract)

    def _link_returned(self, call: Node, record: Recursion, arguments: Sequence[Node]) -> None:
        """Note that a call of a recursive function may give one of its arguments."""
        self.changes.link(call, [(arguments[place], {}) for place in sorted(record.returned)])

    def _call_again(self, record: Recursion, arguments: list[Node]) -> Node:
        record.calls.append([argument.abstract for argument in arguments])  # type: ignore[misc]
        if record.result is None:
            raise NotYetError
        call = self.emitter.graph.apply(record.graph, *self._ordered(self._passed(arguments, record.signature)))
        call.abstract, call.location, call.scope = record.result, self.program.location, self.program.scope
        record.untyped.append(call)
        self._link_returned(call, record, arguments)
        if record.effects:
            self.effect(call)
        return call
