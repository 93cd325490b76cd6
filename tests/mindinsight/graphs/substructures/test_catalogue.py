"""The facts about a sub-structure: its documents, its phase, and the equality of two nodes."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from benchmarks.measuring.graph_planted import transformer
from mindinsight.graphs.model import Graph, graph_from_bytes
from mindinsight.graphs.substructures import Catalogue, Equivalence, full_document, plain_document, recognise
from mindinsight.graphs.substructures.documents import summary_document
from mindinsight.graphs.substructures.equivalence import (
    BACKWARD,
    FORWARD,
    OPTIMIZER,
    node_labels,
    phase_of,
    port_classes,
    structural_attributes,
)
from mindinsight.graphs.substructures.naming import plain_name
from mindinsight.graphs.substructures.work import CONTROL_CLASS, UNORDERED_CLASS
from summaries.schema.anf_ir_pb2 import GraphProto
from tests.mindinsight.graphs.substructures.test_substructures import labelled


@pytest.fixture
def catalogue() -> Catalogue:
    """Twelve blocks of six operators in a row: eight of one kernel, six of one shape."""
    return recognise(labelled([3] * 8 + [5] * 4, [32] * 6 + [64] * 6))


@pytest.fixture
def document(catalogue: Catalogue) -> dict[str, Any]:
    return json.loads(json.dumps(full_document(catalogue)))  # type: ignore[no-any-return]


def test_a_document_tells_of_the_whole_graph(catalogue: Catalogue, document: dict[str, Any]) -> None:
    graph = catalogue.graph
    told = {name: document[name] for name in ("version", "equivalence", "complete", "nodes", "edges")}
    assert told == {"version": 1, "equivalence": "op", "complete": True, "nodes": 73, "edges": 72}
    assert (len(graph), graph.edge_count) == (73, 72)
    # The blocks in a row are one box, with the parameter that only they read.
    assert document["shown"] == catalogue.boxes == 1
    assert document["dictionary"] == catalogue.dictionary == 6
    assert catalogue.folded == pytest.approx(1 - 7 / 73)
    assert 0 <= catalogue.seconds < 60


def test_a_document_tells_all_of_a_sub_structure(document: dict[str, Any]) -> None:
    (block,) = document["substructures"]
    summary = {
        "id": "0",
        "name": "Block",
        "count": 12,
        "size": 6,
        "share": round(72 / 73, 6),
        "saved": 54,
        "boxes": 6,
        "phase": "forward",
        "parent": None,
        "children": [],
        "variants": 0,
    }
    assert {name: block[name] for name in summary} == summary
    ops = ["Conv2D", "BiasAdd", "ReLU", "MaxPool", "Dropout", "Tanh"]
    places = {position["op"]: place for place, position in enumerate(block["positions"])}
    assert sorted(places) == sorted(ops)
    assert {position["scope"] for position in block["positions"]} == {"Default/0-Block"}
    chain = sorted([places[before], 0, places[after], 0] for before, after in pairwise(ops))
    assert sorted(block["edges"]) == chain
    assert block["series"] == [list(range(12))]
    assert block["kinds"] == [[0, 1, 2, 3, 4, 5], [8, 9, 10, 11], [6, 7]]
    assert block["differences"] == {"type": [0, 1, 2, 3, 4, 5], "attributes": [places["Conv2D"]]}
    assert block["near"] == []
    wanted = [[f"{number}{position['op']}" for position in block["positions"]] for number in range(12)]
    assert block["occurrences"] == wanted


def test_the_plain_document_has_nodes_and_the_edges_among_them(catalogue: Catalogue) -> None:
    document = plain_document(catalogue)
    assert list(document) == ["0"]
    ops = ["Conv2D", "BiasAdd", "ReLU", "MaxPool", "Dropout", "Tanh"]
    for number, (nodes, edges) in enumerate(document["0"]):
        names = [f"{number}{op}" for op in ops]
        assert sorted(nodes) == sorted(names)
        assert sorted(edges) == sorted([before, after, 0] for before, after in pairwise(names))


def test_what_nearly_is_the_same_is_told_with_the_places() -> None:
    catalogue = recognise(transformer(50).changed("layer", 0.2, 3).graph())
    layer = catalogue.structures[0]
    document = full_document(catalogue)["substructures"][0]
    assert document["variants"] == sum(len(near["occurrences"]) for near in document["near"]) > 0
    assert [near["places"] for near in document["near"]] == [variant.places for variant in layer.variants]
    assert document["boxes"] == layer.boxes > 0


def test_parents_and_children_are_told_by_their_numbers() -> None:
    catalogue = recognise(transformer(6).graph())
    for structure in catalogue.structures:
        told = summary_document(structure)
        assert told["id"] == str(structure.number)
        assert told["parent"] == (None if structure.parent < 0 else str(structure.parent))
        assert told["children"] == [str(child) for child in structure.children]
        for child in structure.children:
            inside = set(structure.nodes.ravel().tolist())
            assert not inside.isdisjoint(catalogue.structures[child].nodes.ravel().tolist())


@pytest.mark.parametrize(
    ("scope", "phase"),
    [
        ("Default/network/layer", FORWARD),
        ("", FORWARD),
        ("Gradients", BACKWARD),
        ("Gradients/Default/optimizer", BACKWARD),
        ("GradientsOf/Default", FORWARD),
        ("optimizer-Adam", OPTIMIZER),
        ("Default/optimizer-Momentum/x", OPTIMIZER),
        ("Default/Optimizer", OPTIMIZER),
        ("Default/network/optimizer", FORWARD),
    ],
)
def test_only_the_beginning_of_a_scope_tells_the_phase(scope: str, phase: int) -> None:
    assert phase_of(scope) == phase


@pytest.mark.parametrize(
    ("component", "name"),
    [
        ("3-EncoderLayer", "EncoderLayer"),
        ("layer.11", "layer"),
        ("layers[3]", "layers"),
        ("block_2", "block"),
        ("conv-7x", "conv-7x"),
        ("12", "12"),
        ("layer1-BasicBlock", "BasicBlock"),
        ("", ""),
    ],
)
def test_names_lose_what_tells_instances_apart(component: str, name: str) -> None:
    assert plain_name(component) == name


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("", ""),
        ("no JSON", "no JSON"),
        ("[1, 2]", "[1, 2]"),
        ('{"stream_id": 3, "output_names": ["x"]}', ""),
        ('{"pad": 1, "kernel": [3, 3], "stream_id": 3}', '{"kernel":[3,3],"pad":1}'),
    ],
)
def test_bookkeeping_is_no_attribute(text: str, left: str) -> None:
    assert structural_attributes(text) == left


def joined(*rows: tuple[str, str, list[str]]) -> Graph:
    """A graph of name, operator and inputs; an input that ends with `!` is a control edge."""
    definition = GraphProto()
    definition.parameters.add(name="x")
    definition.parameters.add(name="y")
    for name, op, inputs in rows:
        node = definition.node.add(name=name, op_type=op)
        for source in inputs:
            edge = node.input.add(name=source.removesuffix("!"))
            if source.endswith("!"):
                edge.type = edge.CONTROL_EDGE
    return graph_from_bytes(definition.SerializeToString())


def test_ports_count_where_the_order_of_inputs_means_something() -> None:
    graph = joined(("s", "Sub", ["x", "y"]), ("a", "Add", ["x", "s"]), ("d", "Div", ["a", "s", "x!"]))
    classes = port_classes(graph)
    by_name = {
        graph.text("name", node): classes[graph.in_ptr[node] : graph.in_ptr[node + 1]].tolist()
        for node in range(len(graph))
    }
    assert by_name == {"x": [], "y": [], "s": [0, 1], "a": [UNORDERED_CLASS] * 2, "d": [0, 1, CONTROL_CLASS]}


def test_nodes_are_the_same_by_operator_and_number_of_inputs() -> None:
    graph = joined(("a", "Add", ["x", "y"]), ("b", "Add", ["a", "y"]), ("c", "Add", ["b"]), ("d", "Exp", ["c"]))
    labels = node_labels(graph, Equivalence.OP)
    label = {graph.text("name", node): int(labels[node]) for node in range(len(graph))}
    assert label["x"] == label["y"]
    assert label["a"] == label["b"]
    assert len({label[name] for name in "xacd"}) == 4
    assert set(np.unique(labels)) == {0, 1, 2, 3}
