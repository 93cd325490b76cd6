"""Follows the blocks of one function: known branches are taken at once, others become graphs of the residual program.

A loop is unrolled while the condition of each iteration is known. A loop whose condition is not known, or that has too
many iterations, remains a loop (`loops.py`).
"""

from __future__ import annotations

from framework.infer.control_flow.block_values import BlockValues, Target
from framework.infer.control_flow.branches import Branches
from framework.infer.control_flow.loops import Loops
from framework.infer.evaluators.calls import Calls
from framework.infer.state.flow import Jump
from framework.infer.values import Activation, Choice, Closure, Frame, constant
from framework.ir.abstract import AbstractConst
from framework.ir.anf import CNode, Node, ValueNode
from framework.ir.errors import refusal_of
from framework.ir.naming import MOST_ROUNDS
from framework.ir.python_ops import Undefined

__all__ = ["BasicBlocks"]


class BasicBlocks:
    """Follows blocks.

    Args:
        calls: applies values.

    Attributes:
        values: evaluates the nodes of a block.
        branches: follows choices.
    """

    def __init__(self, calls: Calls) -> None:
        self._infer = calls.infer
        self._build = calls.infer.build
        self._pending = calls.infer.flow.pending
        self._program = calls.infer.program
        self.values = BlockValues(calls)
        self.branches = Branches(calls.infer, self.run)
        self._loops = Loops(calls.infer, self.values, self.branches, self.run)

    def run(self, closure: Closure, arguments: list[Node], activation: Activation) -> Node:
        """Follow blocks until the function returns, or jumps to a block that is evaluated later."""
        while True:
            graph = closure.graph
            if closure.is_block and (graph, activation) in self._pending:
                return self._leave(closure, arguments, activation)
            frame = Frame(graph, closure.around, activation)
            frame.values.update(zip(graph.parameters, arguments, strict=True))
            is_loop = "loop" in graph.attrs
            if is_loop:
                state, passage = self._build.emitter.state, self._program.passage
                passed = dict(passage.passed)
                activation.rounds[graph, frame.around] += 1
                if activation.rounds[graph, frame.around] > MOST_ROUNDS:
                    return self._loops.follow(closure, arguments, activation)
            order, output = graph.order or [], graph.output
            # An output in last place may be a jump. An output with nodes behind it is a value, and these are evaluated.
            for node in order[:-1] if order and order[-1] is output else order:
                frame.values[node] = self.values.evaluate(frame, node)
            target = self.values.next(frame, output)
            if target is None:
                self._program.at(graph.attrs.get("returned"))
                return self._return(self.values.last(frame, output), activation)
            if is_loop and _stays(target, output):
                # The header is evaluated again, now as the header of the graph.
                self._build.emitter.state, passage.passed = state, passed
                return self._loops.follow(closure, arguments, activation)
            if isinstance(target, Choice):
                return self.branches.choose(target, activation)
            closure, arguments = target

    def _return(self, node: Node, activation: Activation) -> Node:
        if isinstance(node.abstract, AbstractConst) and isinstance(node.abstract.value, Undefined):
            raise self._program.error(node.abstract.value.complaint(), refusal_of(node.abstract.value.kind))
        self._infer.not_stale(node)
        if node.abstract is not None:
            activation.returns.append((node, self._program.location))
            activation.stale.append(dict(self._infer.mutations.stale))
        return node

    def _leave(self, closure: Closure, arguments: list[Node], activation: Activation) -> Node:
        """End with a call of a block that is evaluated once all paths to it are known."""
        node = CNode(self._build.emitter.graph, [constant(None), *arguments], location=self._program.location)
        jump = Jump(closure, node, arguments, dict(self._infer.mutations.stale))
        self._pending[closure.graph, activation].append(jump)
        activation.untyped.append(node)
        return node


def _stays(target: Target | Choice, output: Node) -> bool:
    """Whether a loop cannot be unrolled: its condition depends on tensors, or never becomes false."""
    return isinstance(target, Choice) or isinstance(_condition(output), ValueNode)


def _condition(output: Node) -> Node | None:
    """The condition of a loop's header."""
    if isinstance(output, CNode) and isinstance(output.function, CNode):
        tested = output.function.inputs[1]
        return tested.inputs[1] if isinstance(tested, CNode) and len(tested.inputs) == 2 else tested
    return None
