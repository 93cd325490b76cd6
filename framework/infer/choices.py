"""Follows both ways of a choice that is made when the program runs, and what they lead to together.

A block that several ways of a choice lead to is evaluated once, after them, for what all of them pass to it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any, Final

from framework.infer.changes import Changes, union
from framework.infer.program import Program
from framework.infer.records import Entry, Jump, NotYetError
from framework.infer.values import (
    Activation,
    Choice,
    Closure,
    Emitter,
    constant,
    is_function,
    join_values,
    value_of,
)
from framework.ir.abstract import Abstract, AbstractConst, AbstractFunction, AbstractJoinError, known
from framework.ir.anf import CNode, FuncGraph, Location, Node, ValueNode
from framework.ir.naming import Passage
from framework.ir.operators import DEPEND, SWITCH
from framework.ir.python_ops import NEVER

__all__ = ["Choices"]

_Key = tuple[FuncGraph, Activation]
_Marks = tuple[set[_Key], list[tuple[list[Any], int]], Passage, dict[Any, int]]
_FUNCTION: Final = AbstractFunction()


class Choices:
    """Follows choices.

    Args:
        program: what is written.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.emitter = program.top
        self.calls: Any = None
        self._pending: dict[_Key, list[Jump]] = {}
        self._active: list[Entry] = []
        self._activations: list[Activation] = []
        self.changes = Changes()
        self.effects = 0

    def _run(self, closure: Closure, arguments: list[Node], activation: Activation) -> Node:
        """Follow blocks until the function returns, or leaves for a block that is evaluated later."""
        raise NotImplementedError

    def _joined(self, first: Abstract, second: Abstract, what: str, location: Location | None = None) -> Abstract:
        try:
            return join_values(first, second)
        except AbstractJoinError:
            self.program.location = location or self.program.location
            raise self.program.error(
                f"{what} differ from one way to the other, of which one is chosen when the program runs: {first} and "
                f"{second}; give both the same shape and type"
            ) from None

    @staticmethod
    def _parameters(parsed: FuncGraph, graph: FuncGraph, signature: Sequence[Abstract]) -> list[Node]:
        """The parameters of a graph of the new program, and constants for those that are known."""
        values: list[Node] = []
        for parameter, abstract in zip(parsed.parameters, signature, strict=True):
            if known(abstract):
                values.append(ValueNode(value_of(ValueNode(None, abstract)), abstract))
            else:
                values.append(graph.add_parameter(parameter.name, abstract=abstract, location=parameter.location))
        return values

    def _passed(self, arguments: Sequence[Node], signature: Sequence[Abstract]) -> list[Node]:
        """The arguments that a graph takes: those that it was not evaluated for as constants."""
        return [
            self.calls.materialized(argument)
            for argument, abstract in zip(arguments, signature, strict=True)
            if not known(abstract)
        ]

    def _choose(self, choice: Choice, activation: Activation) -> Node:
        """A choice at the end of a block: a graph for each way, and one for each block that both may lead to."""
        keys = [(block, activation) for block in _joins_of(choice) if (block, activation) not in self._pending]
        before = self._left(activation)
        self._pending.update((key, []) for key in keys)
        passage = self._passage(choice)
        stale, ways, arrived = self.changes.stale, [], []
        for way in (choice.then, choice.otherwise):
            self.changes.stale = dict(stale)
            ways.append(self._way(way, activation, passage))
            arrived.append({key: len(self._pending[key]) for key in keys})
        for key in keys:
            self._choose_functions(choice, self._pending[key], arrived[0][key])
        if ways == [None, None]:
            raise NotYetError
        node = self._switch(choice, ways)
        activation.untyped.append(node)
        # From the inside out: what an inner block leads to is known once it has been followed.
        for key in keys:
            self._continue(key, conditional=self._left(activation, key) > before)
        return node

    def _choose_functions(self, choice: Choice, jumps: list[Jump], count: int) -> None:
        """Where each way of a choice passes one function, what follows gets the choice of the two."""
        first, second = jumps[:count], jumps[count:]
        for place in range(len(jumps[0].arguments) if first and second else 0):
            ours, theirs = ([jump.arguments[place] for jump in half] for half in (first, second))
            if all(node.abstract == half[0].abstract for half in (ours, theirs) for node in half):
                chosen = choice.between(ours[0], theirs[0])
                if chosen is not None:
                    for jump in jumps:
                        jump.arguments[place] = chosen

    def _left(self, activation: Activation, key: _Key | None = None) -> int:
        """How many ways have returned, or left for another block than one."""
        return len(activation.returns) + sum(len(jumps) for other, jumps in self._pending.items() if other != key)

    def _switch(self, choice: Choice, ways: list[FuncGraph | None]) -> CNode:
        graph = self.emitter.graph
        condition = self.calls.at_present(choice.condition)
        if self.emitter.effects:
            condition = graph.apply(DEPEND, condition, self.emitter.state, abstract=condition.abstract)
        place = {"location": choice.location, "scope": self.program.scope}
        functions = [constant(way if way is not None else next(w for w in ways if w is not None)) for way in ways]
        for function in functions:
            function.abstract = _FUNCTION
        chosen = graph.apply(SWITCH, condition, *functions, abstract=_FUNCTION, **place)
        return graph.apply(chosen, **place)

    def _way(self, function: Node, activation: Activation, passage: Passage) -> FuncGraph | None:
        """The graph of one way of a choice; None if nothing is known of it yet (`NotYetError`)."""
        closure = function.value if isinstance(function, ValueNode) else None
        assert isinstance(closure, Closure)  # noqa: S101
        graph = FuncGraph(closure.name, closure.graph.location)
        marks = self._marks()
        outer, self.emitter = self.emitter, Emitter(graph, self.emitter.depth + 1)
        try:
            with contextlib.nullcontext() if "loop_end" in closure.graph.attrs else self.program.passing(passage):
                result = self._run(closure, [], activation)
            self.finish(self.emitter, self.calls.materialized(result))
        except NotYetError:
            if not self._can_wait():
                raise
            self._forget(marks)
            return None
        finally:
            self.emitter = outer
        return graph

    def _passage(self, choice: Choice) -> Passage:
        """The way through the source that a choice is, be it one or the other; for a loop that of its rounds."""
        place = choice.location
        passage = Passage(self.program.passage, (0, 0) if place is None else (place.line, place.column))
        passage.begin()
        return passage

    def _can_wait(self) -> bool:
        """Whether a recursive function around can be evaluated again, with more known of its result."""
        records = [entry.record for entry in self._active if entry.record is not None]
        for record in records:
            record.incomplete = True
        return bool(records)

    def _continue(self, key: _Key, *, conditional: bool) -> None:
        """Evaluate the block that several ways lead to, for what they pass together.

        Args:
            key: the block.
            conditional: whether there are ways that do not lead there, so that it may not be reached.
        """
        jumps = self._pending.pop(key)
        if not jumps:
            return
        block, activation = key
        signature = self._together(block, [jump.arguments for jump in jumps])
        graph = FuncGraph(block.name, block.location)
        values = self._parameters(block, graph, signature)
        self._link(values, jumps)
        outer, self.emitter = self.emitter, Emitter(graph, self.emitter.depth + conditional)
        marks = self._marks()
        try:
            result = self._run(jumps[0].closure, values, activation)
            self.finish(self.emitter, self.calls.materialized(result))
            self._land(jumps, graph, signature)
        except NotYetError:
            if not conditional or not self._can_wait():
                raise
            self._forget(marks)
        finally:
            self.emitter = outer

    def _together(self, block: FuncGraph, passed: list[list[Node]]) -> list[Abstract]:
        signature: list[Abstract] = []
        for place, parameter in enumerate(block.parameters):
            abstract = passed[0][place].abstract
            for arguments in passed[1:]:
                other = arguments[place].abstract
                assert abstract is not None and other is not None  # noqa: S101, PT018
                abstract = self._joined(abstract, other, f"the values of '{parameter.name}'", block.location)
            assert abstract is not None  # noqa: S101
            signature.append(abstract)
        return signature

    def _link(self, values: list[Node], jumps: list[Jump]) -> None:
        self.changes.stale = union([jump.stale for jump in jumps])
        for place, value in enumerate(values):
            self.changes.link(value, [(jump.arguments[place], jump.stale) for jump in jumps])

    def _land(self, jumps: list[Jump], graph: FuncGraph, signature: Sequence[Abstract]) -> None:
        for jump in jumps:
            jump.node.inputs = [ValueNode(graph, _FUNCTION), *self._passed(jump.arguments, signature)]

    def call_choice(self, choice: Choice, arguments: Sequence[Node]) -> Node:
        """A call of a function that is chosen when the program runs, within an expression."""
        ways: list[FuncGraph | None] = []
        closure = choice.then.value if isinstance(choice.then, ValueNode) else None
        is_way = isinstance(closure, Closure) and "way" in closure.graph.attrs
        passage = self._passage(choice) if is_way else self.program.passage
        abstract: Abstract = AbstractConst(NEVER)
        before = self.effects
        stale, left, results = self.changes.stale, [], []
        for function in (choice.then, choice.otherwise):
            self.changes.stale = dict(stale)
            graph = FuncGraph("way", self.program.location)
            marks = self._marks()
            outer, self.emitter = self.emitter, Emitter(graph, self.emitter.depth + 1)
            try:
                with self.program.passing(passage):
                    results.append(self.calls.call(function, arguments, {}))
                chosen = choice.between(*results) if len(results) == 2 and self.effects == before else None
                if chosen is not None:
                    return chosen
                result = results[-1]
                if len(results) == 2 or not is_function(result):
                    result = self.calls.materialized(result)
                abstract = self._joined(abstract, result.abstract, "the two values")
                self.finish(self.emitter, result)
                ways.append(graph)
            except NotYetError:
                if not self._can_wait():
                    raise
                self._forget(marks)
                ways.append(None)
            finally:
                self.emitter = outer
            left.append(self.changes.stale)
        self.changes.stale = union(left)
        if ways == [None, None]:
            raise NotYetError
        node = self._switch(choice, ways)
        node.abstract = abstract
        self.changes.link(node, [(result, self.changes.stale) for result in results])
        if self.effects > before:
            self.effect(node)
        return node

    def effect(self, node: Node) -> None:
        """Note that a node has a side effect: later ones come after it."""
        self.effects += 1
        self.emitter.after(node)

    def finish(self, emitter: Emitter, result: Node) -> None:
        """Give a graph its output, which comes after its side effects."""
        if emitter.effects:
            result = emitter.graph.apply(DEPEND, result, emitter.state, abstract=result.abstract)
            if result.abstract is None:
                self._activations[-1].untyped.append(result)
        emitter.graph.output = result

    def _marks(self) -> _Marks:
        lists: list[list[Any]] = [*self._pending.values()]
        for activation in self._activations:
            lists += [activation.returns, activation.untyped]
        lists += [entry.record.untyped for entry in self._active if entry.record is not None]
        passage = self.program.passage
        return set(self._pending), [(noted, len(noted)) for noted in lists], passage, dict(passage.passed)

    def _forget(self, marks: _Marks) -> None:
        keys, lists, passage, passed = marks
        passage.passed = passed
        for key in self._pending.keys() - keys:
            del self._pending[key]
        for noted, length in lists:
            del noted[length:]


def _joins_of(choice: Choice) -> tuple[FuncGraph, ...]:
    """The blocks that both ways of a choice may lead to: what follows it, and the loops around it."""
    then = choice.then
    found = then.value.graph.attrs.get("joins", ()) if isinstance(then, ValueNode) else ()
    return tuple(found)
