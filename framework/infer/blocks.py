"""Follows the blocks of one function: known ways are taken at once, others become graphs of the new program.

A block that several ways of a choice lead to is evaluated once, after them, for what all of them pass to it. The
header of a loop is evaluated again until what the rounds pass to it is no more than what it was evaluated for: a fixed
point, which is reached because joining only ever forgets.
"""

from __future__ import annotations

from collections.abc import Sequence

from framework.infer.changes import Shared, Stale, union
from framework.infer.choices import Choices
from framework.infer.records import Jump
from framework.infer.values import (
    Activation,
    Choice,
    Closure,
    Emitter,
    Frame,
    all_same,
    constant,
    value_of,
)
from framework.ir.abstract import Abstract, AbstractConst
from framework.ir.anf import CNode, FuncGraph, Node, ValueNode, is_operator
from framework.ir.naming import MOST_ROUNDS
from framework.ir.operators import DEPEND, SWITCH
from framework.ir.python_ops import Undefined, op

__all__ = ["MOST_PASSES", "Blocks"]

MOST_PASSES = 20
"""A fixed point is reached sooner; if not, something does not join."""


class Blocks(Choices):
    """Follows blocks."""

    def _run(self, closure: Closure, arguments: list[Node], activation: Activation) -> Node:
        """Follow blocks until the function returns, or leaves for a block that is evaluated later."""
        while True:
            graph = closure.graph
            key = graph, activation
            if closure.is_block and key in self._pending:
                return self._leave(closure, arguments, activation)
            frame = Frame(graph, closure.around, activation)
            frame.values.update(zip(graph.parameters, arguments, strict=True))
            state, passage = self.emitter.state, self.program.passage
            is_loop = "loop" in graph.attrs
            passed = dict(passage.passed) if is_loop else {}
            if is_loop:
                activation.rounds[graph, frame.around] += 1
                if activation.rounds[graph, frame.around] > MOST_ROUNDS:
                    return self._loop(closure, arguments, activation)
            order = graph.order or []
            # A result that is computed last may be a jump; one computed before is a value, and what follows it counts.
            for node in order[:-1] if order and order[-1] is graph.output else order:
                frame.values[node] = self._evaluate(frame, node)
            output = graph.output
            next_ = self._next(frame, output, activation)
            if next_ is None:
                self.program.at(graph.attrs.get("returned"))
                return self._return(self._last(frame, output), activation)
            if isinstance(next_, Choice):
                if is_loop:
                    self.emitter.state, passage.passed = state, passed
                    return self._loop(closure, arguments, activation)
                return self._choose(next_, activation)
            if is_loop and isinstance(_condition(output), ValueNode):
                self.emitter.state, passage.passed = state, passed
                return self._loop(closure, arguments, activation)
            closure, arguments = next_

    def _next(self, frame: Frame, output: Node, activation: Activation) -> tuple[Closure, list[Node]] | Choice | None:
        """The block that an output jumps to with its arguments, the choice that it makes, or None if it returns."""
        if not isinstance(output, CNode) or output.graph is None or output not in (output.graph.order or ()):
            return None
        called = self.value(frame, output.function) if _is_jump(output) else None
        target = called.value if isinstance(called, ValueNode) else None
        self.program.at(output.location)
        if isinstance(target, Choice):
            return target
        if isinstance(target, Closure) and target.is_block:
            return target, [self.value(frame, argument) for argument in output.arguments]
        return None

    def _last(self, frame: Frame, output: Node) -> Node:
        if isinstance(output, CNode) and output not in frame.values and output.graph is not None:
            try:
                return frame.find(output)
            except LookupError:
                return self._evaluate(frame, output)
        return self.value(frame, output)

    def _return(self, node: Node, activation: Activation) -> Node:
        if isinstance(node.abstract, AbstractConst) and isinstance(node.abstract.value, Undefined):
            raise self.program.error(node.abstract.value.complaint())
        self.calls.not_stale(node)
        if node.abstract is not None:
            activation.returns.append((node, self.program.location))
            activation.stale.append(dict(self.changes.stale))
        return node

    def _leave(self, closure: Closure, arguments: list[Node], activation: Activation) -> Node:
        """End with a call of a block that is evaluated once all ways to it are known."""
        jump = CNode(self.emitter.graph, [constant(None), *arguments], location=self.program.location)
        self._pending[closure.graph, activation].append(Jump(closure, jump, arguments, dict(self.changes.stale)))
        activation.untyped.append(jump)
        return jump

    def _loop(self, closure: Closure, arguments: list[Node], activation: Activation) -> Node:
        """A loop that stays one: a graph for its header that its rounds call."""
        block = closure.graph
        signature: list[Abstract] = [argument.abstract for argument in arguments]  # type: ignore[misc]
        key, after = (block, activation), (block.attrs["join"], activation)
        before = self._left(activation, after)
        entered: Stale = self.changes.stale
        stale = dict(entered)
        shared: Shared = frozenset()
        for _ in range(MOST_PASSES):
            marks = self._marks()
            graph = FuncGraph(block.name, block.location)
            self._pending[key] = []
            owns_after = after not in self._pending
            self._pending.setdefault(after, [])
            outer, self.emitter = self.emitter, Emitter(graph, self.emitter.depth + 1)
            frame = Frame(block, closure.around, activation)
            values = self._parameters(block, graph, signature)
            self.changes.stale = dict(stale)
            for value, argument in zip(values, arguments, strict=True):
                self.changes.link(value, [(argument, entered)])
            self.changes.share(values, shared)
            frame.values.update(zip(block.parameters, values, strict=True))
            for node in block.order or ():
                if node is not block.output:
                    frame.values[node] = self._evaluate(frame, node)
            next_ = self._next(frame, block.output, activation)
            if isinstance(next_, Choice):
                result: Node = self._choose(next_, activation)
            else:
                assert next_ is not None  # noqa: S101
                result = self._run(*next_, activation)
            self.finish(self.emitter, self.calls.materialized(result))
            rounds = self._pending.pop(key)
            wider = signature
            if rounds:
                passed = self._together(block, [jump.arguments for jump in rounds])
                wider = [
                    self._joined(
                        one, two, f"the values of '{parameter.name}' in the rounds of the loop", block.location
                    )
                    for one, two, parameter in zip(signature, passed, block.parameters, strict=True)
                ]
            changed = union([jump.stale for jump in rounds])
            # What a round leaves stale is so in the next one: go around once more, and see whether it is used.
            settled = changed.keys() <= stale.keys() or stale.keys() > entered.keys()
            found = self.changes.shared(values, arguments, [jump.arguments for jump in rounds], graph)
            settled = settled and not any(other in changed and other not in stale for _, other in found)
            if all_same(wider, signature) and settled and found <= shared:
                if owns_after:
                    self._continue(after, conditional=self._left(activation, after) > before)
                self.emitter = outer
                self._land(rounds, graph, signature)
                break
            signature, stale, shared = wider, {**stale, **changed}, shared | found
            if owns_after:
                del self._pending[after]
            self.emitter = outer
            self._forget(marks)
        else:
            raise self.program.error("what this loop computes has another type in every round")
        given = self._ordered(self._passed(arguments, signature))
        call = self.emitter.graph.apply(graph, *given, location=block.location)
        activation.untyped.append(call)
        return call

    def _ordered(self, arguments: Sequence[Node]) -> list[Node]:
        """Arguments of a call that comes after the side effects so far."""
        given = list(arguments)
        if self.emitter.effects and given:
            given[0] = self.emitter.graph.apply(DEPEND, given[0], self.emitter.state, abstract=given[0].abstract)
        return given

    def value(self, frame: Frame, node: Node) -> Node:
        """What a parsed node is in the new program."""
        if not isinstance(node, ValueNode):
            return frame.find(node)
        if isinstance(node.value, FuncGraph):
            return constant(Closure(node.value, frame), node.location)
        if node.abstract is not None:
            return node
        found: Node = self.calls.of_value(node.value)
        return found

    def _evaluate(self, frame: Frame, node: CNode) -> Node:
        self.program.at(node.location)
        function, *arguments = [self.value(frame, item) for item in node.inputs]
        result: Node = self._noted(frame, function, arguments) or self.calls.apply(function, arguments)
        if node.name and isinstance(result, CNode) and not result.name:
            result.name = node.name
        return result

    def _noted(self, frame: Frame, function: Node, arguments: list[Node]) -> Node | None:
        """What the parser tells of variables that nested functions capture; None for anything else."""
        if _is(function, "captures"):
            self.changes.capture(frame, [value_of(name) for name in arguments[1:]], arguments[0])
            return arguments[0]
        if _is(function, "rebinds"):
            self.changes.rebind(frame, value_of(arguments[0]), arguments[1], self.program.location)
            return constant(None)
        return None


def _is_jump(output: CNode) -> bool:
    """Whether an output ends its block: a call of a block, or of a choice of blocks."""
    function = output.function
    if isinstance(function, ValueNode):
        return isinstance(function.value, FuncGraph) and function.value.signature is None
    return (
        is_operator(function, SWITCH)
        and isinstance(function, CNode)
        and function.graph is output.graph
        and (isinstance(function.inputs[2], ValueNode) and isinstance(function.inputs[2].value, FuncGraph))
        and not output.arguments
    )


def _is(function: Node, name: str) -> bool:
    return isinstance(function, ValueNode) and function.value is op(name)


def _condition(output: Node) -> Node | None:
    """The condition of a loop's header."""
    if isinstance(output, CNode) and isinstance(output.function, CNode):
        tested = output.function.inputs[1]
        return tested.inputs[1] if isinstance(tested, CNode) and len(tested.inputs) == 2 else tested
    return None
