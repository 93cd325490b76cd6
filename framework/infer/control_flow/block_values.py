"""Evaluates the nodes of one parsed block: their values in the residual program, and the block that follows."""

from __future__ import annotations

from typing import NamedTuple

from framework.infer.evaluators.calls import Calls
from framework.infer.values import Choice, Closure, Frame, constant, value_of
from framework.ir.anf import CNode, FuncGraph, Node, ValueNode, is_operator
from framework.ir.operators import SWITCH
from framework.ir.python_ops import op

__all__ = ["BlockValues", "Target"]


class Target(NamedTuple):
    """A block that another one jumps to, and the arguments that are passed."""

    closure: Closure
    arguments: list[Node]


class BlockValues:
    """Evaluates nodes of parsed graphs.

    Args:
        calls: applies values.
    """

    def __init__(self, calls: Calls) -> None:
        self._infer = calls.infer
        self._program = calls.infer.program
        self._apply = calls.apply

    def value(self, frame: Frame, node: Node) -> Node:
        """The value of a parsed node in the residual program."""
        if not isinstance(node, ValueNode):
            return frame.find(node)
        if isinstance(node.value, FuncGraph):
            return constant(Closure(node.value, frame), node.location)
        if node.abstract is not None:
            return node
        return self._infer.build.of_value(node.value)

    def evaluate(self, frame: Frame, node: CNode) -> Node:
        """The result of an application."""
        self._program.at(node.location)
        function, *arguments = [self.value(frame, item) for item in node.inputs]
        result = self._noted(frame, function, arguments) or self._apply(function, arguments)
        if node.name and isinstance(result, CNode) and not result.name:
            result.name = node.name
        return result

    def _noted(self, frame: Frame, function: Node, arguments: list[Node]) -> Node | None:
        """Handle the parser's notes about variables that nested functions capture. None for any other node."""
        if _is(function, "captures"):
            self._infer.mutations.capture(frame, [value_of(name) for name in arguments[1:]], arguments[0])
            return arguments[0]
        if _is(function, "rebinds"):
            self._infer.mutations.rebind(frame, value_of(arguments[0]), arguments[1], self._program.location)
            return constant(None)
        return None

    def next(self, frame: Frame, output: Node) -> Target | Choice | None:
        """The block that an output jumps to with its arguments, the choice that it makes, or None if it returns."""
        if not isinstance(output, CNode) or output.graph is None or output not in (output.graph.order or ()):
            return None
        called = self.value(frame, output.function) if _is_jump(output) else None
        target = called.value if isinstance(called, ValueNode) else None
        self._program.at(output.location)
        if isinstance(target, Choice):
            return target
        if isinstance(target, Closure) and target.is_block:
            return Target(target, [self.value(frame, argument) for argument in output.arguments])
        return None

    def last(self, frame: Frame, output: Node) -> Node:
        """The value of an output that returns."""
        if isinstance(output, CNode) and output not in frame.values and output.graph is not None:
            try:
                return frame.find(output)
            except LookupError:
                return self.evaluate(frame, output)
        return self.value(frame, output)


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
