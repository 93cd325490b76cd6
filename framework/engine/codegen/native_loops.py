"""Loops whose body is one native segment: machine code runs many iterations in one call.

This needs a loop that counts towards a bound that it does not change, and whose body makes new arrays from those of the
last iteration: `while i < n: x = tanh(x @ w); i = i + 1`. Called by `FunctionCode`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from framework.engine import native
from framework.engine.codegen.functions_and_blocks import FunctionsAndBlocks
from framework.engine.fusion.peephole import Expression
from framework.ir.abstract import AbstractScalar, AbstractTensor
from framework.ir.anf import CNode, FuncGraph, Node, Parameter, ValueNode
from framework.ir.python_ops import op

__all__ = ["CountedLoop", "counted_loop_of", "loop_segment"]

MAX_WORK: Final = 1e9
"""The most arithmetic operations in one call, after which Python can handle an interrupt."""
_MIN_WORK: Final = 100.0
_MIRRORED: Final = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_NEGATED: Final = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}


@dataclass(frozen=True)
class _Condition:
    """The condition under which a loop continues: `counter comparison bound`.

    Attributes:
        counter: the parameter of the loop's head that is compared.
        comparison: "<", "<=", ">" or ">=".
        bound: the node that it is compared with.
    """

    counter: Parameter
    comparison: str
    bound: Node


@dataclass(frozen=True)
class CountedLoop:
    """A loop with a counter, from iteration to iteration.

    Attributes:
        counter: the parameter of the loop's head that is compared.
        comparison: how it is compared as long as the loop continues: "<" or "<=" if it grows, ">" or ">=" if it falls.
        bound: the node that it is compared with.
        increments: for each integer parameter of the head, by how much it grows in an iteration.
        carried: for each array parameter of the head that changes, the node that computes its next value.
    """

    counter: Parameter
    comparison: str
    bound: Node
    increments: Mapping[Node, int]
    carried: Mapping[Node, CNode]

    def iterations(self, counter: str, bound: str, work: float) -> str:
        """An expression for how many of the remaining iterations to run in one call.

        Args:
            counter: the expression of the counter.
            bound: the expression of the bound.
            work: the arithmetic operations of an iteration.
        """
        increment = abs(self.increments[self.counter])
        left = f"{bound} - {counter}" if self.increments[self.counter] > 0 else f"{counter} - {bound}"
        if self.comparison in ("<=", ">="):
            left = f"({left}) // {increment} + 1" if increment > 1 else f"{left} + 1"
        elif increment > 1:
            left = f"({left} + {increment - 1}) // {increment}"
        return f"min({max(1, int(MAX_WORK / max(work, _MIN_WORK)))}, {left})"


def counted_loop_of(
    structure: FunctionsAndBlocks, graph: FuncGraph, nodes: Sequence[CNode], tail: CNode | None
) -> CountedLoop | None:
    """The counted loop whose body a block is.

    Args:
        structure: the blocks of the program.
        graph: the block.
        nodes: its nodes, without those that end it.
        tail: its tail call.

    Returns:
        The loop; None if the block is not the body of a loop, or the loop is not of this kind.
    """
    if tail is None or graph.parameters:
        return None
    head = _graph_of(tail.function)
    if head is None or structure.entry_of[head] is not structure.entry_of[graph]:
        return None
    condition = _loop_condition(structure, head, graph)
    changes = _changes_of(head.parameters, tail.arguments, set(nodes))
    if condition is None or changes is None:
        return None
    increments, carried = changes
    growth = increments.get(condition.counter, 0)
    towards_bound = growth > 0 if condition.comparison in ("<", "<=") else growth < 0
    if not towards_bound or not carried or condition.bound in head.parameters:
        return None
    return CountedLoop(condition.counter, condition.comparison, condition.bound, increments, carried)


def loop_segment(nodes: Sequence[CNode], loop: CountedLoop, context: native.BlockContext) -> native.Segment | None:
    """The body of a loop as a segment that runs several iterations; None if machine code cannot run all of it."""
    work = [node for node in nodes if not _is_increment(node)]
    try:
        return native.Segment(work, context, native.lowering_of, frozenset(), loop.carried)
    except native.NotLowerableError:
        return None


def _loop_condition(structure: FunctionsAndBlocks, head: FuncGraph, body: FuncGraph) -> _Condition | None:
    """The condition under which the head of a loop continues with its body.

    Returns:
        The condition; None if the head does more than compare one of its integer parameters with an integer.
    """
    choice = _only_choice(structure, head)
    if choice is None:
        return None
    test, then, otherwise = choice.arguments
    if not isinstance(test, CNode) or body not in (_graph_of(then), _graph_of(otherwise)):
        return None
    comparison: str = test.operator.comparison
    if _graph_of(then) is not body:
        comparison = _NEGATED[comparison]
    first, second = test.arguments
    if first not in head.parameters:
        first, second, comparison = second, first, _MIRRORED[comparison]
    if not isinstance(first, Parameter) or first not in head.parameters or not all(map(_is_int, (first, second))):
        return None
    return _Condition(first, comparison, second)


def _only_choice(structure: FunctionsAndBlocks, head: FuncGraph) -> CNode | None:
    """The choice at the end of a graph that does nothing else than compare and choose; else None."""
    tail = structure.tails.get(head)
    choice = None if tail is None else tail.function
    if not isinstance(choice, CNode):
        return None
    test = choice.arguments[0]
    others = [node for node in structure.manager.nodes(head) if node not in (choice, tail)]
    is_comparison = (
        isinstance(test, CNode) and isinstance(test.operator, Expression) and test.operator.comparison in _NEGATED
    )
    return choice if is_comparison and others == [test] else None


def _graph_of(node: Node) -> FuncGraph | None:
    """The function graph that a node is; None if it is something else."""
    return node.value if isinstance(node, ValueNode) and isinstance(node.value, FuncGraph) else None


def _changes_of(
    parameters: Sequence[Parameter], values: Sequence[Node], inside: set[CNode]
) -> tuple[dict[Node, int], dict[Node, CNode]] | None:
    """How the parameters of a loop's head change in an iteration.

    Args:
        parameters: the parameters.
        values: their next values.
        inside: the nodes of the loop's body.

    Returns:
        The increments of integers, and the nodes that compute the arrays that change; None if anything else changes.
    """
    increments: dict[Node, int] = {}
    carried: dict[Node, CNode] = {}
    for parameter, value in zip(parameters, values, strict=True):
        increment = _increment(parameter, value)
        if increment is not None:
            increments[parameter] = increment
        elif isinstance(value, CNode) and value in inside and isinstance(parameter.abstract, AbstractTensor):
            carried[parameter] = value
        elif value is not parameter:
            return None
    return increments, carried


def _increment(parameter: Parameter, value: Node) -> int | None:
    """By how much an integer grows in an iteration; None if that is not known."""
    if not _is_int(parameter):
        return None
    if value is parameter:
        return 0
    if not _is_increment(value):
        return None
    assert isinstance(value, CNode)  # noqa: S101
    first, second = value.arguments
    if first is not parameter and value.operator is op("add"):
        first, second = second, first
    if first is not parameter or not isinstance(second, ValueNode) or type(second.value) is not int:
        return None
    return second.value if value.operator is op("add") else -second.value


def _is_increment(node: Node) -> bool:
    return isinstance(node, CNode) and node.operator in (op("add"), op("sub")) and _is_int(node)


def _is_int(node: Node) -> bool:
    """Whether a value is a Python integer."""
    return isinstance(node.abstract, AbstractScalar) and node.abstract.type is int
