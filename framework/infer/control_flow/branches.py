"""Branches: follows both paths of a choice at run time, and the block after them.

A block that several paths lead to, a *join point*, is evaluated once, after the paths, for the join of their arguments.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence

from framework.infer.control_flow.signatures import (
    FUNCTION,
    finish,
    joined,
    land,
    parameters,
    together,
)
from framework.infer.evaluators.inference import Inference
from framework.infer.state.emitter import Emitter
from framework.infer.state.flow import Join, Jump, NotYetError
from framework.infer.state.mutation import Stale, union
from framework.infer.values import Activation, Choice, Closure, constant, is_function
from framework.ir.abstract import Abstract, AbstractConst
from framework.ir.anf import CNode, FuncGraph, Node, ValueNode
from framework.ir.naming import Passage
from framework.ir.operators import DEPEND, SWITCH
from framework.ir.python_ops import NEVER

__all__ = ["Branches", "Run"]

Run = Callable[[Closure, list[Node], Activation], Node]
"""Follows blocks, beginning with one and its arguments, until the function returns or jumps to a pending block."""


class Branches:
    """Follows choices.

    Args:
        infer: the inference.
        run: follows blocks.
    """

    def __init__(self, infer: Inference, run: Run) -> None:
        self._infer = infer
        self._build = infer.build
        self._flow = infer.flow
        self._program = infer.program
        self._mutations = infer.mutations
        self._run = run

    def choose(self, choice: Choice, activation: Activation) -> Node:
        """A choice at the end of a block: a graph for each path, and one for each block that both may jump to."""
        pending = self._flow.pending
        joins = [(block, activation) for block in _joins_of(choice) if (block, activation) not in pending]
        before = self._flow.left(activation)
        pending.update((join, []) for join in joins)
        passage = self._passage(choice)
        stale, ways, arrived = self._mutations.stale, [], []
        for way in (choice.then, choice.otherwise):
            self._mutations.stale = dict(stale)
            ways.append(self._way(way, activation, passage))
            arrived.append({join: len(pending[join]) for join in joins})
        for join in joins:
            _choose_functions(choice, pending[join], arrived[0][join])
        if ways == [None, None]:
            raise NotYetError
        node = self._switch(choice, ways)
        activation.untyped.append(node)
        # From the inside out: the blocks that an inner block jumps to are known when it has been followed.
        for join in joins:
            self.evaluate_join(join, conditional=self._flow.left(activation, join) > before)
        return node

    def _switch(self, choice: Choice, ways: list[FuncGraph | None]) -> CNode:
        graph = self._build.emitter.graph
        condition = self._build.at_present(choice.condition)
        if self._build.emitter.effects:
            condition = graph.apply(DEPEND, condition, self._build.emitter.state, abstract=condition.abstract)
        place = {"location": choice.location, "scope": self._program.scope}
        functions = [constant(way if way is not None else next(w for w in ways if w is not None)) for way in ways]
        for function in functions:
            function.abstract = FUNCTION
        chosen = graph.apply(SWITCH, condition, *functions, abstract=FUNCTION, **place)
        return graph.apply(chosen, **place)

    def _way(self, function: Node, activation: Activation, passage: Passage) -> FuncGraph | None:
        """The graph of one path of a choice. None if nothing is known about it yet (`NotYetError`)."""
        closure = function.value if isinstance(function, ValueNode) else None
        assert isinstance(closure, Closure)  # noqa: S101
        graph = FuncGraph(closure.name, closure.graph.location)
        checkpoint = self._flow.checkpoint()
        outer, self._build.emitter = self._build.emitter, Emitter(graph, self._build.emitter.depth + 1)
        try:
            with contextlib.nullcontext() if "loop_end" in closure.graph.attrs else self._program.passing(passage):
                result = self._run(closure, [], activation)
            finish(self._infer, self._build.materialized(result))
        except NotYetError:
            if not self._flow.can_wait():
                raise
            self._flow.rollback(checkpoint)
            return None
        finally:
            self._build.emitter = outer
        return graph

    def _passage(self, choice: Choice) -> Passage:
        """The passage within a choice, the same for both paths; for a loop, the passage of its iterations."""
        place = choice.location
        passage = Passage(self._program.passage, (0, 0) if place is None else (place.line, place.column))
        passage.begin()
        return passage

    def evaluate_join(self, join: Join, *, conditional: bool) -> None:
        """Evaluate a block that several paths jump to, for the join of their arguments.

        Args:
            join: the block, which is no longer pending.
            conditional: whether some paths do not lead to it, so that it may not be reached.
        """
        jumps = self._flow.pending.pop(join)
        if not jumps:
            return
        block, activation = join
        signature = together(self._infer, block, [jump.arguments for jump in jumps])
        graph = FuncGraph(block.name, block.location)
        values = parameters(block, graph, signature)
        self._link(values, jumps)
        outer, self._build.emitter = self._build.emitter, Emitter(graph, self._build.emitter.depth + conditional)
        checkpoint = self._flow.checkpoint()
        try:
            result = self._run(jumps[0].closure, values, activation)
            finish(self._infer, self._build.materialized(result))
            land(self._infer, jumps, graph, signature)
        except NotYetError:
            if not conditional or not self._flow.can_wait():
                raise
            self._flow.rollback(checkpoint)
        finally:
            self._build.emitter = outer

    def _link(self, values: list[Node], jumps: list[Jump]) -> None:
        self._mutations.stale = union([jump.stale for jump in jumps])
        for place, value in enumerate(values):
            self._mutations.link(value, [(jump.arguments[place], jump.stale) for jump in jumps])

    def call(self, choice: Choice, arguments: Sequence[Node]) -> Node:
        """A call within an expression of a function that is chosen at run time."""
        passage = self._passage(choice) if _is_way(choice.then) else self._program.passage
        before = self._build.effects
        stale = self._mutations.stale
        ways: list[FuncGraph | None] = []
        left: list[Stale] = []
        results: list[Node] = []
        abstract: Abstract = AbstractConst(NEVER)
        for function in (choice.then, choice.otherwise):
            self._mutations.stale = dict(stale)
            graph = FuncGraph("way", self._program.location)
            checkpoint = self._flow.checkpoint()
            outer, self._build.emitter = self._build.emitter, Emitter(graph, self._build.emitter.depth + 1)
            try:
                with self._program.passing(passage):
                    results.append(self._infer.call(function, arguments, {}))
                chosen = choice.between(*results) if len(results) == 2 and self._build.effects == before else None
                if chosen is not None:
                    return chosen
                result = results[-1]
                if len(results) == 2 or not is_function(result):
                    result = self._build.materialized(result)
                abstract = joined(self._infer, abstract, result.abstract, "the two values")  # type: ignore[arg-type]
                finish(self._infer, result)
                ways.append(graph)
            except NotYetError:
                if not self._flow.can_wait():
                    raise
                self._flow.rollback(checkpoint)
                ways.append(None)
            finally:
                self._build.emitter = outer
            left.append(self._mutations.stale)
        self._mutations.stale = union(left)
        if ways == [None, None]:
            raise NotYetError
        node = self._switch(choice, ways)
        node.abstract = abstract
        self._mutations.link(node, [(result, self._mutations.stale) for result in results])
        if self._build.effects > before:
            self._build.effect(node)
        return node


def _choose_functions(choice: Choice, jumps: list[Jump], count: int) -> None:
    """If each path of a choice passes a function, the block after them gets the choice of the two functions."""
    first, second = jumps[:count], jumps[count:]
    for place in range(len(jumps[0].arguments) if first and second else 0):
        ours, theirs = ([jump.arguments[place] for jump in half] for half in (first, second))
        if all(node.abstract == half[0].abstract for half in (ours, theirs) for node in half):
            chosen = choice.between(ours[0], theirs[0])
            if chosen is not None:
                for jump in jumps:
                    jump.arguments[place] = chosen


def _is_way(function: Node) -> bool:
    """Whether a function of a choice is a path of the enclosing function, as in `a if x else b`."""
    closure = function.value if isinstance(function, ValueNode) else None
    return isinstance(closure, Closure) and "way" in closure.graph.attrs


def _joins_of(choice: Choice) -> tuple[FuncGraph, ...]:
    """The blocks that both paths of a choice may jump to: the block after it, and the loops around it."""
    then = choice.then
    found = then.value.graph.attrs.get("joins", ()) if isinstance(then, ValueNode) else ()
    return tuple(found)
