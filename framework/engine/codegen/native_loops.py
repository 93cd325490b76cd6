"""Loops whose body is one native segment: machine code runs many iterations in one call.

This needs a loop that counts up to a bound it does not change, and whose body makes new arrays from those of the last
iteration: `while i < n: x = tanh(x @ w); i = i + 1`. Called by `FunctionCode`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from framework.engine import native
from framework.engine.codegen.functions_and_blocks import FunctionsAndBlocks
from framework.engine.fusion.peephole import Expression
from framework.ir.abstract import AbstractScalar, AbstractTensor
from framework.ir.anf import CNode, FuncGraph, Node, Parameter, ValueNode, is_graph
from framework.ir.python_ops import op

__all__ = ["CountedLoop", "counted_loop_of", "loop_segment"]

MAX_WORK: Final = 1e9
"""After so many arithmetic operations Python looks whether somebody wants to interrupt it."""
_MIN_WORK: Final = 100.0
_MIRRORED: Final = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_NEGATED: Final = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}


@dataclass(frozen=True)
class CountedLoop:
    """How a loop goes on from round to round.

    Attributes:
        counter: the parameter of the loop's head that is compared.
        comparison: how, as long as the loop goes on: "<" or "<=" if it grows, ">" or ">=" if it falls.
        results: with what.
        increments: for each whole number that the head is given, by how much it grows in a round.
        carried: for each array that it is given, what a round makes of it; those that stay are left out.
    """

    counter: Parameter
    comparison: str
    bound: Node
    increments: Mapping[Node, int]
    carried: Mapping[Node, CNode]

    def iterations(self, counter: str, bound: str, work: float) -> str:
        """An expression for how many rounds to go through at once, of those that are left.

        Args:
            counter: its name.
            results: that of the limit.
            work: the arithmetic operations of a round.
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
    """How the loop goes on of which a block is the body; None where it is not one, or not one of those.

    Args:
        structure: the blocks of the program.
        graph: the block.
        nodes: its nodes, without those that end it.
        tail: the call that ends it.
    """
    if tail is None or not is_graph(tail.function) or graph.parameters:
        return None
    assert isinstance(tail.function, ValueNode)  # noqa: S101
    head: FuncGraph = tail.function.value
    condition_of_loop = _loop_condition(structure, head, graph)
    if condition_of_loop is None or structure.entry_of[head] is not structure.entry_of[graph]:
        return None
    counter, comparison, bound = condition_of_loop
    inside = set(nodes)
    increments: dict[Node, int] = {}
    carried: dict[Node, CNode] = {}
    for parameter, value in zip(head.parameters, tail.arguments, strict=True):
        increment = _increment(parameter, value)
        if increment is not None:
            increments[parameter] = increment
        elif value is not parameter:
            if (
                not isinstance(value, CNode)
                or value not in inside
                or not isinstance(parameter.abstract, AbstractTensor)
            ):
                return None
            carried[parameter] = value
    grows = increments.get(counter, 0)
    if not grows or (grows > 0) is not (comparison in ("<", "<=")) or bound in head.parameters:
        return None
    return CountedLoop(counter, comparison, bound, increments, carried) if carried else None


def loop_segment(nodes: Sequence[CNode], loop: CountedLoop, context: native.BlockContext) -> native.Segment | None:
    """The nodes of a body as a segment that goes through several rounds; None where machine code cannot do them all."""
    work = [node for node in nodes if not _is_increment(node)]
    try:
        return native.Segment(work, context, native.lowering_of, frozenset(), loop.carried)
    except native.NotLowerableError:
        return None


def _loop_condition(
    structure: FunctionsAndBlocks, head: FuncGraph, body: FuncGraph
) -> tuple[Parameter, str, Node] | None:
    """What the head of a loop asks before it goes into its body: a parameter of its own, a sign, and a number."""
    tail = structure.tails.get(head)
    chosen = None if tail is None else tail.function
    if not isinstance(chosen, CNode):
        return None
    condition, then, otherwise = chosen.arguments
    if not isinstance(condition, CNode) or not isinstance(condition.operator, Expression):
        return None
    comparison = condition.operator.comparison
    if comparison not in _NEGATED or [node for node in structure.manager.nodes(head) if node not in (chosen, tail)] != [
        condition
    ]:
        return None
    if not any(is_graph(way) and way.value is body for way in (then, otherwise)):  # type: ignore[attr-defined]
        return None
    if not (is_graph(then) and then.value is body):  # type: ignore[attr-defined]
        comparison = _NEGATED[comparison]
    first, second = condition.arguments
    if first not in head.parameters:
        first, second, comparison = second, first, _MIRRORED[comparison]
    if not isinstance(first, Parameter) or first not in head.parameters or not all(map(_is_int, (first, second))):
        return None
    return first, comparison, second


def _increment(parameter: Parameter, value: Node) -> int | None:
    """By how much a whole number grows in a round; None where that is not known."""
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
    """Whether a value is a whole number of Python's."""
    return isinstance(node.abstract, AbstractScalar) and node.abstract.type is int
