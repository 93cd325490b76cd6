"""Graphs in the form of `torch.utils.tensorboard`: names, parameters, constants, missing modules."""

from __future__ import annotations

from mindinsight.graphs.model import Graph, NodeKind
from mindinsight.graphs.model.tensorboard import TensorBoardAdapter
from summaries.schema.tensorboard_graph_pb2 import GraphDef

Row = tuple[str, str, list[str], str]

CONVOLUTION: list[Row] = [
    ("input/x", "IO Node", [], ""),
    ("output/output.1", "IO Node", ["Net/ReLU[act]/9"], ""),
    ("Net/Conv2d[0]/1", "prim::Constant", [], "{ value : 1}"),
    ("Net/Conv2d[0]/2", "prim::Constant", [], "{}"),
    ("Net/Conv2d[0]/3", "prim::Constant", [], "{ value :  0.5 }"),
    ("Net/Conv2d[0]/weight/weight.5", "prim::GetAttr", ["Net/Conv2d[0]/weight/_0"], "{ name :  weight }"),
    ("Net/Conv2d[0]/4", "prim::ListConstruct", ["Net/Conv2d[0]/1", "Net/Conv2d[0]/1"], "{}"),
    ("Net/Conv2d[0]/5", "prim::ListConstruct", ["Net/Conv2d[0]/1", "input/x"], "{}"),
    (
        "Net/Conv2d[0]/input.3",
        "aten::_convolution",
        ["input/x", "Net/Conv2d[0]/weight/weight.5", "Net/Conv2d[0]/2", "Net/Conv2d[0]/4", "Net/Conv2d[0]/5"],
        "{}",
    ),
    ("Net/ReLU[act]/8", "aten::relu_", ["Net/Conv2d[0]/input.3"], "{}"),
    ("Net/ReLU[act]/9", "aten::relu_", ["Net/ReLU[act]/8"], "{}"),
]


def read(rows: list[Row]) -> Graph:
    graph = GraphDef()
    for name, op, inputs, text in rows:
        node = graph.node.add(name=name, op=op, input=inputs)
        node.attr["attr"].s = text.encode()
    return TensorBoardAdapter().read(graph.SerializeToString())


def named(graph: Graph) -> dict[str, tuple[NodeKind, str, str]]:
    """By name: kind, scope, full name."""
    nodes = [graph.node(index) for index in range(len(graph))]
    return {node.name: (node.kind, node.scope, node.full_name) for node in nodes}


def test_operators_are_named_by_module_and_type() -> None:
    found = named(read(CONVOLUTION))
    assert found["Net/Conv2d[0]/input.3"] == (NodeKind.OPERATOR, "Net/Conv2d[0]", "Net/Conv2d[0]/convolution")
    assert found["Net/ReLU[act]/8"] == (NodeKind.OPERATOR, "Net/ReLU[act]", "Net/ReLU[act]/relu")
    assert found["Net/ReLU[act]/9"] == (NodeKind.OPERATOR, "Net/ReLU[act]", "Net/ReLU[act]/relu_1")


def test_inputs_and_outputs_are_operators_of_the_whole_graph() -> None:
    found = named(read(CONVOLUTION))
    assert found["input/x"] == (NodeKind.OPERATOR, "", "x")
    assert found["output/output.1"] == (NodeKind.OPERATOR, "", "output")


def test_an_attribute_is_a_parameter_of_its_module_and_its_missing_module_is_no_defect() -> None:
    graph = read(CONVOLUTION)
    weight = named(graph)["Net/Conv2d[0]/weight/weight.5"]
    assert weight == (NodeKind.PARAMETER, "Net/Conv2d[0]", "Net/Conv2d[0]/weight")
    assert graph.defects == []


def test_a_list_of_constants_is_a_constant() -> None:
    graph = read(CONVOLUTION)
    nodes = {graph.text("name", index): graph.node(index) for index in range(len(graph))}
    assert (nodes["Net/Conv2d[0]/4"].kind, nodes["Net/Conv2d[0]/4"].value) == (NodeKind.CONSTANT, "[1, 1]")
    assert nodes["Net/Conv2d[0]/5"].kind == NodeKind.OPERATOR, "the shape of an input is in it"
    assert nodes["Net/Conv2d[0]/1"].value == "1", "the other list still reads it"
    assert nodes["Net/Conv2d[0]/2"].value == "None"
    assert nodes["Net/Conv2d[0]/3"].value == "0.5"


def test_constants_that_only_lists_of_constants_read_are_part_of_these() -> None:
    rows = [row for row in CONVOLUTION if row[0] != "Net/Conv2d[0]/5"]
    found = named(read(rows))
    assert "Net/Conv2d[0]/1" not in found
    assert "Net/Conv2d[0]/3" in found, "nothing reads it, so nothing else shows it"


def test_other_missing_inputs_are_defects() -> None:
    graph = read([*CONVOLUTION, ("Net/9", "aten::add", ["Net/gone"], "{}")])
    assert [defect.message for defect in graph.defects] == [
        "Node 'Net/9' has the input 'Net/gone', which does not exist."
    ]


def test_names_and_texts_may_be_anything() -> None:
    graph = read(
        [
            ("", "prim::GetAttr", ["", "x"], ""),
            ("weight", "prim::GetAttr", [], "{"),
            ("a", "aten::", ["a"], "\x00"),
            ("b", "prim::Constant", [], "{ value : {a}}"),
            ("c", "prim::ListConstruct", ["c"], "{}"),
            ("d", "prim::ListConstruct", [], "{}"),
            ("/", "IO Node", [], ""),
        ]
    )
    assert len(graph) == 7
    assert graph.count(NodeKind.MISSING) == 0
    assert graph.text("value", 5) == "[]"
