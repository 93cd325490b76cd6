"""Loops whose body is one native segment: machine code runs many iterations in one call.

This needs a loop that counts up to a bound it does not change, and whose body makes new arrays from those of the last
iteration: `while i < n: x = tanh(x @ w); i = i + 1`. Called by `FunctionCode`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from framework.engine import native
from framework.engine.codegen.functions_and_blocks import Units
from framework.engine.fusion.peephole import Expression
from framework.ir.abstract import AbstractScalar, AbstractTensor
from framework.ir.anf import CNode, FuncGraph, Node, Parameter, ValueNode, is_graph
from framework.ir.python_ops import op

__all__ = ["Rounds", "looped", "rounds_of"]

MOST_WORK: Final = 1e9
"""After so many arithmetic operations Python looks whether somebody wants to interrupt it."""
_LEAST_WORK: Final = 100.0
_TURNED: Final = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_ELSE: Final = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}


@dataclass(frozen=True)
class Rounds:
    """How a loop goes on from round to round.

    Attributes:
        counter: the parameter of the loop's head that is compared.
        sign: how, as long as the loop goes on: "<" or "<=" if it grows, ">" or ">=" if it falls.
        limit: with what.
        steps: for each whole number that the head is given, by how much it grows in a round.
        carried: for each array that it is given, what a round makes of it; those that stay are left out.
    """

    counter: Parameter
    sign: str
    limit: Node
    steps: Mapping[Node, int]
    carried: Mapping[Node, CNode]

    def count(self, counter: str, limit: str, work: float) -> str:
        """An expression for how many rounds to go through at once, of those that are left.

        Args:
            counter: its name.
            limit: that of the limit.
            work: the arithmetic operations of a round.
        """
        step = abs(self.steps[self.counter])
        left = f"{limit} - {counter}" if self.steps[self.counter] > 0 else f"{counter} - {limit}"
        if self.sign in ("<=", ">="):
            left = f"({left}) // {step} + 1" if step > 1 else f"{left} + 1"
        elif step > 1:
            left = f"({left} + {step - 1}) // {step}"
        return f"min({max(1, int(MOST_WORK / max(work, _LEAST_WORK)))}, {left})"


def rounds_of(units: Units, graph: FuncGraph, nodes: Sequence[CNode], tail: CNode | None) -> Rounds | None:
    """How the loop goes on of which a block is the body; None where it is not one, or not one of those.

    Args:
        units: the blocks of the program.
        graph: the block.
        nodes: its nodes, without those that end it.
        tail: the call that ends it.
    """
    if tail is None or not is_graph(tail.function) or graph.parameters:
        return None
    assert isinstance(tail.function, ValueNode)  # noqa: S101
    head: FuncGraph = tail.function.value
    question = _question(units, head, graph)
    if question is None or units.of[head] is not units.of[graph]:
        return None
    counter, sign, limit = question
    inside = set(nodes)
    steps: dict[Node, int] = {}
    carried: dict[Node, CNode] = {}
    for parameter, value in zip(head.parameters, tail.arguments, strict=True):
        step = _step(parameter, value)
        if step is not None:
            steps[parameter] = step
        elif value is not parameter:
            if (
                not isinstance(value, CNode)
                or value not in inside
                or not isinstance(parameter.abstract, AbstractTensor)
            ):
                return None
            carried[parameter] = value
    grows = steps.get(counter, 0)
    if not grows or (grows > 0) is not (sign in ("<", "<=")) or limit in head.parameters:
        return None
    return Rounds(counter, sign, limit, steps, carried) if carried else None


def looped(nodes: Sequence[CNode], rounds: Rounds, around: native.Neighbourhood) -> native.Segment | None:
    """The nodes of a body as a segment that goes through several rounds; None where machine code cannot do them all."""
    work = [node for node in nodes if not _is_counting(node)]
    try:
        return native.Segment(work, around, native.forms, frozenset(), rounds.carried)
    except native.NoFormError:
        return None


def _question(units: Units, head: FuncGraph, body: FuncGraph) -> tuple[Parameter, str, Node] | None:
    """What the head of a loop asks before it goes into its body: a parameter of its own, a sign, and a number."""
    tail = units.tails.get(head)
    chosen = None if tail is None else tail.function
    if not isinstance(chosen, CNode):
        return None
    condition, then, otherwise = chosen.arguments
    if not isinstance(condition, CNode) or not isinstance(condition.operator, Expression):
        return None
    sign = condition.operator.sign
    if sign not in _ELSE or [node for node in units.manager.nodes(head) if node not in (chosen, tail)] != [condition]:
        return None
    if not any(is_graph(way) and way.value is body for way in (then, otherwise)):  # type: ignore[attr-defined]
        return None
    if not (is_graph(then) and then.value is body):  # type: ignore[attr-defined]
        sign = _ELSE[sign]
    first, second = condition.arguments
    if first not in head.parameters:
        first, second, sign = second, first, _TURNED[sign]
    if not isinstance(first, Parameter) or first not in head.parameters or not all(map(_is_whole, (first, second))):
        return None
    return first, sign, second


def _step(parameter: Parameter, value: Node) -> int | None:
    """By how much a whole number grows in a round; None where that is not known."""
    if not _is_whole(parameter):
        return None
    if value is parameter:
        return 0
    if not _is_counting(value):
        return None
    assert isinstance(value, CNode)  # noqa: S101
    first, second = value.arguments
    if first is not parameter and value.operator is op("add"):
        first, second = second, first
    if first is not parameter or not isinstance(second, ValueNode) or type(second.value) is not int:
        return None
    return second.value if value.operator is op("add") else -second.value


def _is_counting(node: Node) -> bool:
    return isinstance(node, CNode) and node.operator in (op("add"), op("sub")) and _is_whole(node)


def _is_whole(node: Node) -> bool:
    """Whether a value is a whole number of Python's."""
    return isinstance(node.abstract, AbstractScalar) and node.abstract.type is int
