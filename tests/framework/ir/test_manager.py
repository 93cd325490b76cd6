from __future__ import annotations

import pytest

from framework.ir.anf import FuncGraph, ValueNode
from framework.ir.clone import clone, inline
from framework.ir.manager import Manager
from framework.ir.operators import MAKE_TUPLE
from framework.ir.text import to_text
from framework.ir.verify import VerificationError, verify
from tests.framework.ir.programs import LOOP, program


def named(root: FuncGraph) -> dict[str, FuncGraph]:
    return {graph.name: graph for graph in Manager(root).graphs}


def test_parents_are_the_innermost_owners_of_free_variables() -> None:
    root = program(LOOP)
    manager, graphs = Manager(root), named(root)
    assert {name: parent.name if (parent := manager.parent(graph)) else None for name, graph in graphs.items()} == {
        "main": None,
        "header": "main",
        "body": "header",
        "after": "header",
    }
    assert [graph.name for graph in manager.ancestors(graphs["body"])] == ["header", "main"]


def test_free_variables_include_those_of_nested_graphs() -> None:
    root = program(LOOP)
    manager, graphs = Manager(root), named(root)
    assert manager.free_variables(graphs["header"]) == [root.parameters[1]]
    assert set(manager.free_variables(graphs["body"])) == {*graphs["header"].parameters, root.parameters[1]}


def test_what_a_closure_captures_comes_before_the_node_that_holds_it() -> None:
    outer, inner = FuncGraph("outer"), FuncGraph("inner")
    captured = outer.apply(MAKE_TUPLE, outer.add_parameter("x"))
    inner.output = captured
    outer.output = outer.apply(MAKE_TUPLE, inner)
    assert Manager(outer).nodes(outer) == [captured, outer.output]


def test_replacing_keeps_the_chains_true() -> None:
    root = program(LOOP)
    manager, graphs = Manager(root), named(root)
    header_y = graphs["header"].parameters[1]
    assert {user.graph.name for user, _ in manager.users[header_y] if user.graph} == {"body"}
    constant = ValueNode(1.0)
    manager.replace(header_y, constant)
    assert graphs["after"].output is constant
    assert not manager.users[header_y]
    fresh = Manager(root)
    for node, users in fresh.users.items():
        assert users.keys() == manager.users[node].keys()


def test_a_copy_is_the_same_text_and_shares_nothing() -> None:
    root = program(LOOP)
    copy = clone(root)
    verify(copy, typed=True)
    assert to_text(copy) == LOOP
    assert not {*Manager(root).all_nodes()} & {*Manager(copy).all_nodes()}


def test_a_copy_of_a_nested_graph_shares_what_is_around_it() -> None:
    root = program(LOOP)
    copy = clone(named(root)["header"], "copy")
    assert Manager(copy).free_variables(copy) == [root.parameters[1]]
    assert [graph.name for graph in Manager(copy).graphs] == ["copy", "body", "after"]


def test_an_inlined_loop_goes_on_calling_the_loop() -> None:
    root = program(LOOP)
    call = root.output
    header = named(root)["header"]
    root.output = inline(header, [ValueNode(0), root.parameters[0]], root)
    verify(root, typed=True)
    assert root.output is not call
    assert [graph.name for graph in Manager(root).graphs] == ["main", "body", "after", "header", "body", "after"]


def test_a_node_that_is_used_outside_of_its_graph_is_an_error_and_no_endless_walk() -> None:
    outer, first, second = FuncGraph("outer"), FuncGraph("first"), FuncGraph("second")
    ours = first.apply(MAKE_TUPLE, first.add_parameter("x"))
    theirs = second.apply(MAKE_TUPLE, ours)
    first.output = first.apply(MAKE_TUPLE, second, theirs)
    second.output = theirs
    outer.output = outer.apply(MAKE_TUPLE, first)
    manager = Manager(outer)
    for graph in (first, second):
        with pytest.raises(ValueError, match=r"used outside of its graph: .*first uses .* of second"):
            manager.ancestors(graph)
    with pytest.raises(VerificationError, match="uses nodes of graphs outside of it"):
        verify(outer)
