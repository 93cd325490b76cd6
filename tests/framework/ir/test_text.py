from __future__ import annotations

import pytest

from framework.ir.anf import CNode, FuncGraph, Location
from framework.ir.manager import Manager
from framework.ir.operators import MAKE_TUPLE
from framework.ir.reading import TextError, read_type
from framework.ir.text import to_text
from framework.ir.verify import verify
from tests.framework.ir.programs import LOOP, operator, program


def test_a_program_is_the_same_after_reading_its_text() -> None:
    read = program(LOOP)
    verify(read, typed=True)
    assert to_text(read) == LOOP


def test_what_is_read_has_scope_place_and_attributes() -> None:
    node = next(node for node in Manager(program(LOOP)).all_nodes() if node.name == "y")
    assert (node.full_name, node.scope) == ("Default/Mul-op0", "Default")
    assert node.operator.attrs == {"input_names": ["x", "y"]}
    assert node.location == Location("net.py", 7, 7, 12, 17, "        y = y * 2")


def test_two_graphs_of_one_name_are_told_apart() -> None:
    outer, first, second = FuncGraph("f"), FuncGraph("f"), FuncGraph("f")
    first.output = first.add_parameter("x")
    second.output = second.add_parameter("x")
    outer.output = outer.apply(MAKE_TUPLE, outer.apply(first, 1), outer.apply(second, 2))
    assert [line for line in to_text(outer).splitlines() if line.startswith("subgraph @")] == [
        "subgraph @f() {",
        "subgraph @f_2(%para1_x) {",
        "subgraph @f_3(%para2_x) {",
    ]


def test_a_program_of_many_nodes_is_no_deep_recursion() -> None:
    graph = FuncGraph("deep")
    node: CNode | None = None
    for _ in range(20_000):
        node = graph.apply(operator("Neg", {}), node if node is not None else 1)
    assert node is not None
    graph.output = node
    assert len(Manager(graph).nodes(graph)) == 20_000
    verify(graph)


@pytest.mark.parametrize(
    "text",
    [
        "<Tensor[Float32], (?, 3)>",
        "<Tensor[Bool], ()>",
        "<Tuple[Tensor[Float32], (2,), Int64, Func, EnvType]>",
        "<List[Tuple[], UMonad]>",
        "<Float64, value=2.5>",
        "<None>",
    ],
)
def test_types_are_read_back(text: str) -> None:
    assert str(read_type(text)) == text


@pytest.mark.parametrize("text", ["<Tensor[Float32]>", "<Bogus>", "Int64"])
def test_what_is_no_type_is_refused(text: str) -> None:
    with pytest.raises(TextError):
        read_type(text)


def test_a_name_that_is_not_defined_is_named() -> None:
    with pytest.raises(TextError, match="graph main has no %7"):
        program("subgraph @main(%para1_x) {\n  Return(%7)\n}")
