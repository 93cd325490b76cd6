"""Loops that remain loops: the header becomes a graph, which each iteration calls again.

A fixed point (Cousot and Cousot 1977): the header is evaluated for the values that enter the loop. The values that an
iteration passes are joined to these, and the header is evaluated again until the join changes nothing. This ends
because a join only loses knowledge. Stale values at the end of an iteration, and variables that may share a value, are
part of the assumptions about an iteration.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from framework.infer.control_flow.block_values import BlockValues
from framework.infer.control_flow.branches import Branches, Run
from framework.infer.control_flow.signatures import (
    Signature,
    finish,
    joined,
    land,
    ordered,
    parameters,
    passed,
    signature_of,
    together,
)
from framework.infer.evaluators.inference import Inference
from framework.infer.state.emitter import Emitter
from framework.infer.state.flow import Join, Jump
from framework.infer.state.mutation import Shared, Stale, union
from framework.infer.values import Activation, Choice, Closure, Frame, all_same
from framework.ir.anf import FuncGraph, Node

__all__ = ["MOST_PASSES", "Loops"]

MOST_PASSES: Final = 20
"""The limit of passes. A fixed point takes fewer, unless some types never stop changing."""


@dataclass
class _Loop:
    """A loop being followed.

    Attributes:
        closure: the closure of its header.
        activation: the call of the function that it is part of.
        arguments: the arguments that enter it.
        entered: the stale values where it is entered.
        header: the header as a block that iterations jump to.
        after: the block behind the loop.
        left: how many paths had left before it.
    """

    closure: Closure
    activation: Activation
    arguments: list[Node]
    entered: Stale
    header: Join
    after: Join
    left: int


@dataclass
class _Assumed:
    """The assumptions about every iteration of a loop.

    Attributes:
        signature: the abstract values of its variables.
        stale: the stale values at its beginning.
        shared: the variables that may be the same value as something else.
    """

    signature: Signature
    stale: Stale
    shared: Shared


class Loops:
    """Follows loops whose number of iterations is not known.

    Args:
        infer: the inference.
        values: evaluates nodes of blocks.
        branches: follows choices.
        run: follows blocks.
    """

    def __init__(self, infer: Inference, values: BlockValues, branches: Branches, run: Run) -> None:
        self._infer = infer
        self._build = infer.build
        self._flow = infer.flow
        self._mutations = infer.mutations
        self._values = values
        self._branches = branches
        self._run = run

    def follow(self, closure: Closure, arguments: list[Node], activation: Activation) -> Node:
        """A call of the graph that a loop becomes.

        Args:
            closure: the closure of its header.
            arguments: the arguments that enter it.
            activation: the call of the function that it is part of.

        Raises:
            InferenceError: no fixed point is reached.
        """
        block = closure.graph
        after = (block.attrs["join"], activation)
        entered = self._mutations.stale
        left = self._flow.left(activation, after)
        loop = _Loop(closure, activation, arguments, entered, (block, activation), after, left)
        assumed = _Assumed(signature_of(arguments), dict(entered), frozenset())
        for _ in range(MOST_PASSES):
            graph = FuncGraph(block.name, block.location)
            found = self._pass(loop, graph, assumed)
            if found is None:
                return self._call(loop, graph, assumed.signature)
            assumed = found
        raise self._infer.program.error(
            "the types of this loop's variables change in every iteration: give each variable one type"
        )

    def _call(self, loop: _Loop, graph: FuncGraph, signature: Signature) -> Node:
        given = ordered(self._infer, passed(self._infer, loop.arguments, signature))
        call = self._build.emitter.graph.apply(graph, *given, location=loop.closure.graph.location)
        loop.activation.untyped.append(call)
        return call

    def _pass(self, loop: _Loop, graph: FuncGraph, assumed: _Assumed) -> _Assumed | None:
        """Evaluate the header once.

        Args:
            loop: the loop.
            graph: the graph that the header becomes.
            assumed: the assumptions about every iteration.

        Returns:
            The assumptions for the next pass. None if all assumptions held, so that the graph is right.
        """
        block = loop.closure.graph
        checkpoint = self._flow.checkpoint()
        self._flow.pending[loop.header] = []
        owns_after = loop.after not in self._flow.pending
        self._flow.pending.setdefault(loop.after, [])
        outer, self._build.emitter = self._build.emitter, Emitter(graph, self._build.emitter.depth + 1)
        values = self._begin(loop, graph, assumed)
        finish(self._infer, self._build.materialized(self._header(loop, values)))
        rounds = self._flow.pending.pop(loop.header)
        wider = self._widened(block, assumed.signature, rounds)
        changed = union([jump.stale for jump in rounds])
        found = self._mutations.shared(values, loop.arguments, [jump.arguments for jump in rounds], graph)
        # Stale values of one iteration are stale in the next: one more pass shows whether they are used.
        settled = changed.keys() <= assumed.stale.keys() or assumed.stale.keys() > loop.entered.keys()
        settled = settled and not any(other in changed and other not in assumed.stale for _, other in found)
        if all_same(wider, assumed.signature) and settled and found <= assumed.shared:
            if owns_after:
                is_left = self._flow.left(loop.activation, loop.after) > loop.left
                self._branches.evaluate_join(loop.after, conditional=is_left)
            self._build.emitter = outer
            land(self._infer, rounds, graph, assumed.signature)
            return None
        if owns_after:
            del self._flow.pending[loop.after]
        self._build.emitter = outer
        self._flow.rollback(checkpoint)
        return _Assumed(wider, {**assumed.stale, **changed}, assumed.shared | found)

    def _begin(self, loop: _Loop, graph: FuncGraph, assumed: _Assumed) -> list[Node]:
        """The variables of a loop at the beginning of an iteration."""
        values = parameters(loop.closure.graph, graph, assumed.signature)
        self._mutations.stale = dict(assumed.stale)
        for value, argument in zip(values, loop.arguments, strict=True):
            self._mutations.link(value, [(argument, loop.entered)])
        self._mutations.share(values, assumed.shared)
        return values

    def _header(self, loop: _Loop, values: list[Node]) -> Node:
        """The result of an iteration: the header's choice between the body and the block after the loop."""
        block = loop.closure.graph
        frame = Frame(block, loop.closure.around, loop.activation)
        frame.values.update(zip(block.parameters, values, strict=True))
        for node in block.order or ():
            if node is not block.output:
                frame.values[node] = self._values.evaluate(frame, node)
        target = self._values.next(frame, block.output)
        if isinstance(target, Choice):
            return self._branches.choose(target, loop.activation)
        assert target is not None  # noqa: S101
        return self._run(*target, loop.activation)

    def _widened(self, block: FuncGraph, signature: Signature, rounds: list[Jump]) -> Signature:
        """The join of the assumed values of the variables with the values that iterations pass."""
        if not rounds:
            return signature
        given = together(self._infer, block, [jump.arguments for jump in rounds])
        return [
            joined(self._infer, one, two, f"the values of '{parameter.name}' in the rounds of the loop", block.location)
            for one, two, parameter in zip(signature, given, block.parameters, strict=True)
        ]
