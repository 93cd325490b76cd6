"""The entry of inference: from a function and abstract values of its arguments to the residual program.

Abstract interpretation (Cousot and Cousot 1977) that writes a program as it goes: online partial evaluation (Jones,
Gomard and Sestoft 1993). The rule: what is known entirely is computed now, anything else becomes a node.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import FunctionType, MethodType
from typing import Any

from framework.common.parameter import Parameter as Weight
from framework.infer.control_flow.specializer import Specializer
from framework.infer.evaluators.attributes import BoundMethod
from framework.infer.state.mutation import Mutations
from framework.infer.state.program import Program
from framework.infer.state.results import Restore, UnclearResultError, results_of
from framework.infer.values import constant, holds_function, value_of
from framework.infer.whole_regions import Cutting, GradientInsideError, cutting
from framework.ir.abstract import Abstract, AbstractDict, AbstractFunction, AbstractTuple, known
from framework.ir.anf import CNode, Node, ValueNode
from framework.ir.errors import PartResultError, RuntimeRefusalError
from framework.ir.naming import names_of
from framework.parse.depth import deep

__all__ = ["specialize"]


def specialize(
    function: Callable[..., Any],
    arguments: Sequence[Abstract],
    named: Mapping[str, Abstract] | None = None,
    name: str = "",
    *,
    is_part: bool = False,
) -> Program:
    """The residual program of a function for abstract arguments.

    Args:
        function: a Python function, a Cell or anything else that graph mode can call.
        arguments: an abstract value for each argument. Known arguments become constants, the others parameters.
        named: the abstract values of arguments passed by name.
        name: the name of the program.
        is_part: whether it is a part of a function whose other parts Python runs (`Program`).

    Raises:
        InferenceError: types or shapes do not fit. The message shows the user's line.
    """
    title = name or getattr(function, "__name__", type(function).__name__)
    dynamic: frozenset[int] = frozenset()
    cuts = cutting()
    is_region = cuts is not None and cuts.is_region(function)
    while True:
        program = Program(title, dynamic, names_of(function), is_part=is_part)
        try:
            with deep():
                _write(program, function, arguments, named or {}, cuts if is_region else None)
        except GradientInsideError:
            if not is_region:
                raise program.error("a network that is cut over ranks cannot take gradients within itself") from None
            is_region = False
            continue
        if program.written <= program.dynamic:
            return program
        dynamic |= program.dynamic | program.written


def _write(
    program: Program,
    function: Callable[..., Any],
    arguments: Sequence[Abstract],
    named: Mapping[str, Abstract],
    cuts: Cutting | None,
) -> None:
    infer = Specializer(program).infer
    given = [_argument(program, f"x{place}", abstract) for place, abstract in enumerate(arguments)]
    passed = {key: _argument(program, key, abstract) for key, abstract in named.items()}
    for node in (*given, *passed.values()):
        _passed_by_caller(infer.mutations, node)
    if cuts is None:
        result = infer.call(constant(function), given, passed)
    else:
        result = cuts.parts(infer, constant(function), given, passed)
    if program.is_part:
        _refuse_functions_between(program, result)
    _refuse_functions(program, result.abstract)
    infer.build.finish(program.top, infer.build.materialized(result))
    if program.is_part:
        program.restore = _restore(program, infer.mutations, given, result)


def _restore(program: Program, mutations: Mutations, given: Sequence[Node], result: Node) -> Restore | None:
    """How Python's results are made of those of a part."""
    try:
        return results_of(program, mutations, given, result)
    except UnclearResultError as error:
        raise _unpassed(program, error.place) from None


def _refuse_functions_between(program: Program, result: Node) -> None:
    """Refuse functions among the results of a part."""
    for place, item in enumerate(result.arguments if isinstance(result, CNode) else ()):
        if holds_function(item.abstract):
            raise _unpassed(program, place)


def _unpassed(program: Program, place: int | None) -> PartResultError:
    refusal = PartResultError("only Python can pass on a result of this part", program.location)
    refusal.place = place
    return refusal


def _refuse_functions(program: Program, abstract: Abstract | None) -> None:
    """Refuse a result that is or contains a function or a method."""
    if isinstance(abstract, AbstractTuple | AbstractDict):
        for element in abstract.elements:
            _refuse_functions(program, element)
    value = getattr(abstract, "value", None)
    if isinstance(abstract, AbstractFunction) or isinstance(value, FunctionType | MethodType | BoundMethod):
        raise program.error(
            "a compiled function cannot return a function: call it, or return it outside", RuntimeRefusalError
        )


def _argument(program: Program, name: str, abstract: Abstract) -> Node:
    weight = getattr(abstract, "value", None)
    if isinstance(weight, Weight):
        return program.weight(weight)
    if known(abstract):
        node = ValueNode(getattr(abstract, "value", None), abstract)
        return constant(value_of(node))
    return program.root.add_parameter(name, abstract=abstract)


def _passed_by_caller(mutations: Mutations, node: Node) -> None:
    if isinstance(node, ValueNode):
        mutations.foreign(node.value, "the caller")
    elif isinstance(node.abstract, AbstractTuple | AbstractDict):
        mutations.foreign_node(node, "the caller")
