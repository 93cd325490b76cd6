"""Signatures of graphs of the residual program: abstract values of parameters, and the arguments that calls pass.

A parameter whose value is known is a constant of the graph, and calls do not pass it.
"""

from __future__ import annotations

from collections.abc import Sequence

from framework.infer.evaluators.inference import Inference
from framework.infer.state.flow import Jump
from framework.infer.values import join_values, value_of
from framework.ir.abstract import Abstract, AbstractFunction, AbstractJoinError, known
from framework.ir.anf import FuncGraph, Location, Node, ValueNode
from framework.ir.errors import PythonOnlyError
from framework.ir.operators import DEPEND

__all__ = [
    "FUNCTION",
    "Signature",
    "finish",
    "joined",
    "land",
    "ordered",
    "parameters",
    "passed",
    "signature_of",
    "together",
]

FUNCTION = AbstractFunction()
"""The type of a function of the residual program."""

Signature = list[Abstract]


def joined(
    infer: Inference, first: Abstract, second: Abstract, what: str, location: Location | None = None
) -> Abstract:
    """The join of the values that two paths pass.

    Args:
        infer: the inference.
        first: the abstract value on one path.
        second: the abstract value on the other.
        what: a description of the value, for messages.
        location: the place of the error; by default the current one.

    Raises:
        InferenceError: the two have no join.
    """
    try:
        return join_values(first, second)
    except AbstractJoinError:
        infer.program.location = location or infer.program.location
        raise infer.program.error(
            f"{what} differ between two paths, one of which is chosen at run time: {first} and {second}; give both "
            "the same shape and type",
            PythonOnlyError,
        ) from None


def signature_of(arguments: Sequence[Node]) -> Signature:
    """The abstract values of arguments."""
    return [argument.abstract for argument in arguments]  # type: ignore[misc]


def together(infer: Inference, block: FuncGraph, arguments: Sequence[Sequence[Node]]) -> Signature:
    """The signature of a block that several paths lead to.

    Args:
        infer: the inference.
        block: the parsed block.
        arguments: the arguments that each path passes.
    """
    signature: Signature = []
    for place, parameter in enumerate(block.parameters):
        abstract = arguments[0][place].abstract
        for others in arguments[1:]:
            other = others[place].abstract
            assert abstract is not None and other is not None  # noqa: S101, PT018
            abstract = joined(infer, abstract, other, f"the values of '{parameter.name}'", block.location)
        assert abstract is not None  # noqa: S101
        signature.append(abstract)
    return signature


def parameters(parsed: FuncGraph, graph: FuncGraph, signature: Sequence[Abstract]) -> list[Node]:
    """The parameters of a graph of the residual program, and constants for those that are known."""
    values: list[Node] = []
    for parameter, abstract in zip(parsed.parameters, signature, strict=True):
        if known(abstract):
            values.append(ValueNode(value_of(ValueNode(None, abstract)), abstract))
        else:
            values.append(graph.add_parameter(parameter.name, abstract=abstract, location=parameter.location))
    return values


def passed(infer: Inference, arguments: Sequence[Node], signature: Sequence[Abstract]) -> list[Node]:
    """The arguments that a call of a graph passes: those that are not constants of the graph."""
    return [
        infer.build.materialized(argument)
        for argument, abstract in zip(arguments, signature, strict=True)
        if not known(abstract)
    ]


def ordered(infer: Inference, arguments: Sequence[Node]) -> list[Node]:
    """The arguments of a call, which comes after the side effects so far."""
    given = list(arguments)
    emitter = infer.build.emitter
    if emitter.effects and given:
        given[0] = emitter.graph.apply(DEPEND, given[0], emitter.state, abstract=given[0].abstract)
    return given


def land(infer: Inference, jumps: Sequence[Jump], graph: FuncGraph, signature: Sequence[Abstract]) -> None:
    """Let the jumps to a block call the graph that it has become."""
    for jump in jumps:
        jump.node.inputs = [ValueNode(graph, FUNCTION), *passed(infer, jump.arguments, signature)]


def finish(infer: Inference, result: Node) -> None:
    """Give the current graph its output. A type that is not known yet becomes that of the function's result."""
    output = infer.build.finish(infer.build.emitter, result)
    if output is not None and output.abstract is None:
        infer.flow.activations[-1].untyped.append(output)
