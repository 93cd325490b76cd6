"""Follows calls of functions of the program: they are inlined, except those that call themselves below a choice.

The polyvariant specialisation of partial evaluation (Jones, Gomard and Sestoft 1993): each call is followed for the
abstract values of its own arguments, and its residual code is written in the place of the call.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence

from framework.infer.control_flow.basic_blocks import BasicBlocks
from framework.infer.control_flow.recursion import Recursions
from framework.infer.control_flow.signatures import joined
from framework.infer.evaluators.calls import Calls
from framework.infer.state.builder import Builder
from framework.infer.state.flow import Entry, FlowState, RecursiveError
from framework.infer.state.mutation import union
from framework.infer.state.program import Program
from framework.infer.values import Activation, Choice, Closure, Frame, constant
from framework.ir.abstract import Abstract, AbstractConst
from framework.ir.anf import Node
from framework.ir.naming import is_internal
from framework.ir.python_ops import NEVER
from framework.parse.binding import Signature, bind

__all__ = ["Specializer"]


class Specializer:
    """Follows a program from its first call.

    Args:
        program: the residual program.

    Attributes:
        infer: the inference.
    """

    def __init__(self, program: Program) -> None:
        self._flow = FlowState(program)
        calls = Calls(Builder(program), self._flow, self.follow)
        self.infer = calls.infer
        self._build = self.infer.build
        self._program = program
        self._blocks = BasicBlocks(calls)
        self._recursions = Recursions(self.infer, self._inlined)

    def follow(self, function: Closure | Choice, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
        """The result of a call of a function of the program."""
        if isinstance(function, Choice):
            return self._blocks.branches.call(function, arguments)
        if function.is_block:
            return self._call(function, arguments, named)
        with self._program.calling():
            self.infer.not_outdated(constant(function))
            return self._call(function, arguments, named)

    def _call(self, closure: Closure, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
        given = list(arguments)
        if closure.graph.signature is not None:
            given = self._bound(closure, closure.graph.signature, arguments, named)
        for entry in reversed(self._flow.active):
            if entry.graph is closure.graph and entry.around is closure.around:
                if entry.record is not None:
                    return self._recursions.call_again(entry.record, given)
                if self._build.emitter.depth > entry.depth:
                    raise RecursiveError(entry)
        return self._inlined_or_recursive(closure, given)

    def _inlined_or_recursive(self, closure: Closure, arguments: list[Node]) -> Node:
        """A call that is inlined, unless the function turns out to call itself below a choice."""
        emitter = self._build.emitter
        entry = Entry(closure.graph, closure.around, emitter.depth)
        checkpoint, state, place = self._flow.checkpoint(), emitter.state, self._program.location
        self._flow.active.append(entry)
        try:
            return self._inlined(closure, arguments)
        except RecursiveError as found:
            if found.entry is not entry:
                raise
            self._flow.rollback(checkpoint)
            self._build.emitter = emitter
            emitter.state = state
            self._program.location = place
        finally:
            self._flow.active.pop()
        return self._recursions.call(closure, arguments)

    def _bound(
        self, closure: Closure, signature: Signature, arguments: Sequence[Node], named: Mapping[str, Node]
    ) -> list[Node]:
        around = closure.frame or Frame(None, None, Activation())
        try:
            return bind(
                signature,
                arguments,
                named,
                lambda node: self._blocks.values.value(around, node),
                self._build.make_tuple,
                self._build.make_dict,
            )
        except TypeError as error:
            raise self._program.error(f"{closure.name}() {error}") from None

    def _inlined(self, closure: Closure, arguments: list[Node]) -> Node:
        activation = Activation()
        self._flow.activations.append(activation)
        before = self._build.effects
        try:
            with self._passing(closure):
                result = self._blocks.run(closure, arguments, activation)
        finally:
            self._flow.activations.pop()
        if activation.stale:
            self.infer.mutations.stale = union(activation.stale)
        if not activation.untyped:
            return result
        result = self._typed(activation, result)
        if self._build.effects > before:
            self._build.effect(result)
        return result

    def _passing(self, closure: Closure) -> contextlib.AbstractContextManager[None]:
        """Enter the source of a function, unless it is a block of the current one or belongs to an operator."""
        place = closure.graph.location
        if closure.is_block or place is None or is_internal(place.file):
            return contextlib.nullcontext()
        return self._program.passing()

    def _typed(self, activation: Activation, result: Node) -> Node:
        """Give a function's result its type, when all paths through the function are known."""
        abstract: Abstract = AbstractConst(NEVER)
        for returned, location in activation.returns:
            assert returned.abstract is not None  # noqa: S101
            abstract = joined(self.infer, abstract, returned.abstract, "the values that are returned", location)
        for node in activation.untyped:
            node.abstract = abstract
        self.infer.mutations.link(result, [(returned, {}) for returned, _ in activation.returns])
        return result
