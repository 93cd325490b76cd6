from __future__ import annotations

from collections.abc import Callable

import pytest

from framework.ir.anf import CNode, FuncGraph
from framework.ir.operators import MAKE_TUPLE
from framework.ir.verify import VerificationError, verify
from tests.framework.ir.programs import LOOP, program
from tests.framework.ir.test_manager import named


def node_of_elsewhere(root: FuncGraph) -> None:
    root.output = named(root)["body"].output


def no_output(root: FuncGraph) -> None:
    root.output = root.apply(FuncGraph("empty"))


def too_many_arguments(root: FuncGraph) -> None:
    assert isinstance(root.output, CNode)
    root.output.inputs.append(root.parameters[0])


def circle(root: FuncGraph) -> None:
    first = root.apply(MAKE_TUPLE, 1, abstract=root.output.abstract)
    first.inputs[1] = root.apply(MAKE_TUPLE, first, abstract=root.output.abstract)
    root.output = first


def lost_parameter(root: FuncGraph) -> None:
    root.output = root.parameters.pop()


def parameter_of_elsewhere(root: FuncGraph) -> None:
    root.parameters[0].graph = FuncGraph("elsewhere")


def parameter_twice(root: FuncGraph) -> None:
    root.parameters[1] = root.parameters[0]


def nothing_applied(root: FuncGraph) -> None:
    assert isinstance(root.output, CNode)
    root.output.inputs.clear()


def untyped(root: FuncGraph) -> None:
    root.output.abstract = None


def number_as_argument(root: FuncGraph) -> None:
    assert isinstance(root.output, CNode)
    root.output.inputs[1] = 3.5  # type: ignore[call-overload]


def operator_as_function(root: FuncGraph) -> None:
    assert isinstance(root.output, CNode)
    root.output.inputs[0] = MAKE_TUPLE  # type: ignore[call-overload]


def number_within_a_nested_graph(root: FuncGraph) -> None:
    output = named(root)["body"].output
    assert isinstance(output, CNode)
    output.inputs[-1] = None  # type: ignore[call-overload]


def number_as_output(root: FuncGraph) -> None:
    root.output = 7  # type: ignore[assignment]


def name_as_parameter(root: FuncGraph) -> None:
    root.parameters[0] = "x"  # type: ignore[call-overload]


def number_in_the_order_of_the_source(root: FuncGraph) -> None:
    root.order = [2]  # type: ignore[list-item]


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (node_of_elsewhere, "not a graph around it|graphs outside of it"),
        (no_output, "no output"),
        (too_many_arguments, "with 3 arguments instead of 2"),
        (circle, "need each other"),
        (lost_parameter, "no longer a parameter"),
        (parameter_of_elsewhere, "belongs to another graph|graphs outside of it"),
        (parameter_twice, "parameter x is listed more than once"),
        (nothing_applied, "a node has no inputs, so it applies no function"),
        (untyped, "has no type"),
        (number_as_argument, r"^graph \w+: an argument of ValueNode.* must be a Node, not 3.5 of type float"),
        (operator_as_function, "the function that a node applies must be a Node, not .* of type Structural"),
        (number_within_a_nested_graph, "^graph body: an argument of .* must be a Node, not None of type NoneType"),
        (number_as_output, "its output must be a Node, not 7 of type int"),
        (name_as_parameter, "a parameter must be a Parameter, not 'x' of type str"),
        (number_in_the_order_of_the_source, "a node of its order must be a CNode, not 2 of type int"),
    ],
)
def test_what_is_not_well_formed_is_told(damage: Callable[[FuncGraph], None], told: str) -> None:
    root = program(LOOP)
    verify(root, typed=True)
    damage(root)
    with pytest.raises(VerificationError, match=told):
        verify(root, typed=True)
