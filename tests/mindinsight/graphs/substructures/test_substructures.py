"""What repeats is found, all of it, and nothing else: planted truth, real graphs, and a checker of its own."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.measuring.graph_checker import Checker, recall
from benchmarks.measuring.graph_planted import Planted, experts, planted, training, transformer
from mindinsight.graphs.model import Graph, NodeKind, graph_from_bytes
from mindinsight.graphs.substructures import (
    Catalogue,
    Equivalence,
    SubStructure,
    full_document,
    plain_document,
    recognise,
)
from summaries.schema.anf_ir_pb2 import GraphProto
from tests.mindinsight.graphs.model.test_model import real_graph

SEEDS = 50 if os.environ.get("MINDINSIGHT_TEST_COUNTS") == "long" else 5

pytestmark = pytest.mark.usefixtures("with_kernel")


def found_share(made: Planted, catalogue: Catalogue) -> dict[str, float]:
    """By name, how many of the planted occurrences were found."""
    rows = [structure.nodes for structure in catalogue.structures]
    rows += [variant.nodes for structure in catalogue.structures for variant in structure.variants]
    return recall(made.truth, rows, len(made))


def assert_sound(graph: Graph, catalogue: Catalogue, pairs: int = 4) -> None:
    """The checker accepts every occurrence, and VF2 agrees on some."""
    checker = Checker(graph)
    document = json.loads(json.dumps(plain_document(catalogue)))
    assert checker.check(document).faults == []
    agreed, asked = checker.agrees_with_vf2(document, pairs)
    assert agreed == asked


@pytest.mark.parametrize(
    "made",
    [
        pytest.param(transformer(24), id="layers"),
        pytest.param(experts(6, 8), id="experts"),
        pytest.param(training(6), id="training"),
        pytest.param(planted(2000, 3, 8, 20), id="noise"),
        pytest.param(transformer(24).shuffled(1), id="layers shuffled"),
        pytest.param(training(6).shuffled(2), id="training shuffled"),
        pytest.param(planted(2000, 3, 8, 20).shuffled(3), id="noise shuffled"),
        pytest.param(transformer(24).swapped(0.5, 4), id="swapped"),
        pytest.param(transformer(24).without_scopes(), id="no scopes"),
    ],
)
def test_all_that_was_planted_is_found(made: Planted) -> None:
    graph = made.graph()
    catalogue = recognise(graph)
    assert_sound(graph, catalogue)
    assert set(found_share(made, catalogue).values()) == {1.0}


@pytest.mark.parametrize("scoped", [True, False], ids=["scopes", "no scopes"])
@pytest.mark.parametrize("made", [transformer(10), transformer(24), experts(16, 8)], ids=["10", "24", "experts"])
def test_changed_layers_are_variants_and_the_others_are_cut_where_they_begin(made: Planted, scoped: bool) -> None:
    found, layers = 0, made.truth["layer"]
    for seed in range(SEEDS):
        edited = made.changed("layer", 0.2, seed)
        catalogue = recognise((edited if scoped else edited.without_scopes()).graph())
        equal = [set(row.tolist()) for structure in catalogue.structures for row in structure.nodes]
        variants = [
            set(row.tolist())
            for structure in catalogue.structures
            for variant in structure.variants
            for row in variant.nodes
        ]
        for row in layers:
            has_changed = (made.op[row] != edited.op[row]).any()
            found += any(jaccard(set(row.tolist()), other) >= 0.9 for other in (variants if has_changed else equal))
    assert found >= 0.95 * SEEDS * len(layers)


def jaccard(one: set[int], other: set[int]) -> float:
    return len(one & other) / len(one | other)


@settings(max_examples=15)
@given(
    patterns=st.integers(1, 3),
    copies=st.integers(3, 8),
    size=st.integers(15, 30),
    seed=st.integers(0, 10_000),
)
def test_planted_patterns_are_found_whatever_they_are(patterns: int, copies: int, size: int, seed: int) -> None:
    made = planted(1500 + patterns * copies * size, patterns, copies, size, seed=seed)
    graph = made.graph()
    catalogue = recognise(graph)
    assert_sound(graph, catalogue, pairs=2)
    shares = found_share(made, catalogue)
    assert sum(shares.values()) / len(shares) >= 0.9


# The same noise in every run: in one graph of some hundreds chance makes what looks like a structure.
@settings(max_examples=10, derandomize=True)
@given(seed=st.integers(0, 10_000), labels=st.integers(4, 60))
def test_noise_has_no_sub_structures(seed: int, labels: int) -> None:
    assert recognise(planted(3000, 0, 0, 30, labels=labels, seed=seed).graph()).structures == []


@settings(max_examples=6)
@given(seed=st.integers(0, 10_000))
def test_the_order_of_nodes_in_the_file_does_not_matter(seed: int) -> None:
    made = transformer(12)
    plain, shuffled = recognise(made.graph()), recognise(made.shuffled(seed).graph())
    assert [(s.count, s.size) for s in shuffled.structures] == [(s.count, s.size) for s in plain.structures]


def test_the_same_graph_gives_the_same_document() -> None:
    graph = planted(2000, 3, 8, 20).graph()
    assert full_document(recognise(graph)) == full_document(recognise(graph))


@pytest.mark.parametrize(("scopes", "least"), [(True, 0.95), (False, 0.95)])
def test_layers_with_a_changed_operator_are_nearly_the_same(scopes: bool, least: float) -> None:
    made = transformer(50).changed("layer", 0.2, 3)
    made = made if scopes else made.without_scopes()
    graph = made.graph()
    catalogue = recognise(graph)
    assert_sound(graph, catalogue)
    assert found_share(made, catalogue)["layer"] >= least
    layer = catalogue.structures[0]
    assert layer.variants
    for variant in layer.variants:
        differing = graph.op[variant.nodes] != graph.op[layer.nodes[0]]
        assert np.flatnonzero(differing.any(axis=0)).tolist() == variant.places


def test_a_layer_holds_its_experts() -> None:
    catalogue = recognise(experts(6, 8).graph())
    layer = next(structure for structure in catalogue.structures if structure.count == 6)
    expert = next(structure for structure in catalogue.structures if structure.count == 48)
    assert (layer.name, expert.name) == ("Layer", "Expert")
    assert expert.number in layer.children
    assert layer.series == [[0, 1, 2, 3, 4, 5]]


def test_min_size_is_kept() -> None:
    graph = transformer(6).graph()
    assert min(structure.size for structure in recognise(graph).structures) == 4
    assert min(structure.size for structure in recognise(graph, min_size=10).structures) >= 10
    with pytest.raises(ValueError, match="at least 2"):
        recognise(graph, min_size=1)


def test_out_of_time_says_so() -> None:
    catalogue = recognise(transformer(6).graph(), seconds=-1.0)
    assert not catalogue.complete
    assert catalogue.structures == []


def test_progress_ends_at_one() -> None:
    told: list[float] = []
    recognise(transformer(6).graph(), progress=told.append)
    assert told == sorted(told)
    assert told[-1] == 1.0


def test_missing_inputs_are_in_no_sub_structure() -> None:
    definition = GraphProto()
    for layer in range(8):
        for place, op in enumerate(["MatMul", "Relu", "Softmax", "Tanh", "Exp"]):
            node = definition.node.add(name=f"{layer}.{place}", op_type=op)
            node.input.add(name=f"{layer}.{place - 1}" if place else f"gone{layer}")
    graph = graph_from_bytes(definition.SerializeToString())
    catalogue = recognise(graph)
    assert [(structure.count, structure.size) for structure in catalogue.structures] == [(8, 5)]
    assert not (graph.kind[catalogue.structures[0].nodes] == NodeKind.MISSING).any()


def test_a_cycle_is_no_obstacle() -> None:
    made = transformer(6)
    inputs = made.inputs.copy()
    inputs[made.ptr[5]] = len(made) - 1
    graph = replace(made, inputs=inputs).graph()
    catalogue = recognise(graph)
    assert_sound(graph, catalogue)
    assert catalogue.structures[0].count >= 5


def labelled(kernels: list[int], shapes: list[int]) -> Graph:
    """Blocks Conv2D → BiasAdd → ReLU → MaxPool in a row, with kernels and shapes of their own."""
    definition = GraphProto()
    definition.parameters.add(name="x")
    before = "x"
    for number, (kernel, shape) in enumerate(zip(kernels, shapes, strict=True)):
        for op in ("Conv2D", "BiasAdd", "ReLU", "MaxPool", "Dropout", "Tanh"):
            node = definition.node.add(name=f"{number}{op}", op_type=op, scope=f"Default/{number}-Block")
            node.input.add(name=before)
            before = node.name
            node.output_type.tensor_type.elem_type = 11
            node.output_type.tensor_type.shape.dim.add(size=shape)
            node.output_type.data_type = 14
            if op == "Conv2D":
                value = node.attribute.add(name="kernel_size").value
                value.dtype, value.int_val = 4, kernel
                value = node.attribute.add(name="output_names").value
                value.dtype, value.str_val = 13, f"bookkeeping {number}"
    return graph_from_bytes(definition.SerializeToString())


@pytest.mark.parametrize(
    ("equivalence", "differing"), [("op", {"type", "attributes"}), ("attr", {"type"}), ("shape", set())]
)
def test_what_is_the_same_can_be_chosen(equivalence: str, differing: set[str]) -> None:
    graph = labelled([3] * 8 + [5] * 4, [32] * 6 + [64] * 6)
    structures = recognise(graph, Equivalence(equivalence)).structures
    assert structures
    assert {column for structure in structures for column in structure.differences} == differing


def test_differences_between_occurrences_are_told() -> None:
    catalogue = recognise(labelled([3] * 8 + [5] * 4, [32] * 6 + [64] * 6))
    block = catalogue.structures[0]
    conv = [block.graph.text("op", int(node)) for node in block.nodes[0]].index("Conv2D")
    assert block.differences == {"type": list(range(block.size)), "attributes": [conv]}
    assert sorted(len(members) for members in block.kinds) == [2, 4, 6]
    assert block.name == "Block"


def top(catalogue: Catalogue, phase: str, count: int) -> SubStructure:
    """The largest sub-structure of a phase that occurs so often and lies in no other."""
    return max(
        (s for s in catalogue.structures if s.phase_name == phase and s.count == count and s.parent < 0),
        key=lambda structure: structure.size,
    )


def owners(structure: SubStructure, pattern: str) -> list[set[str]]:
    """For each occurrence, what the names of its parameters say that it belongs to."""
    graph = structure.graph
    found = []
    for row in structure.nodes:
        names = [graph.text("name", int(node)) for node in row if graph.kind[node] == NodeKind.PARAMETER]
        found.append({match.group(0) for name in names if (match := re.search(pattern, name))})
    return found


def test_bert_has_twelve_encoder_layers(real_files: Path) -> None:
    graph = real_graph(real_files, "bert12")
    catalogue = recognise(graph)
    assert_sound(graph, catalogue, pairs=10)
    forward = top(catalogue, "forward", 12)
    assert forward.name == "EncoderLayer"
    assert owners(forward, r"layers\.\d+\.") == [{f"layers.{layer}."} for layer in range(12)]
    assert forward.series == [list(range(12))]
    backward = top(catalogue, "backward", 12)
    assert backward.size >= 40
    assert backward.name == "EncoderLayer gradient"
    optimizer = top(catalogue, "optimizer", 12)
    assert optimizer.size == 128
    assert optimizer.name == "Adam of EncoderLayer"
    assert optimizer.series == [list(range(12))]
    assert 1 - catalogue.folded <= 0.15


def test_resnet_has_sixteen_bottlenecks(real_files: Path) -> None:
    graph = real_graph(real_files, "resnet50")
    catalogue = recognise(graph)
    assert_sound(graph, catalogue, pairs=10)
    forward = top(catalogue, "forward", 16)
    assert forward.name == "Bottleneck"
    blocks = owners(forward, r"layer\d\.\d+")
    assert all(len(block) == 1 for block in blocks)
    stages = Counter(next(iter(block)).partition(".")[0] for block in blocks)
    assert stages == {"layer1": 3, "layer2": 4, "layer3": 6, "layer4": 3}
    backward = top(catalogue, "backward", 16)
    assert backward.size >= 30
    assert backward.name == "Bottleneck gradient"
    stage = next(structure for structure in catalogue.structures if forward.number in structure.children)
    assert owners(stage, r"layer\d") == [{f"layer{number}"} for number in range(1, 5)]
    assert 1 - catalogue.folded <= 0.25


def test_down_sampling_shortcuts_are_units_of_their_own(real_files: Path) -> None:
    catalogue = recognise(real_graph(real_files, "resnet50"))
    units = top(catalogue, "forward", 53)
    shortcuts = [owner for owner in owners(units, r"down_sample") if owner]
    assert len(shortcuts) == 4


@pytest.mark.parametrize("equivalence", [Equivalence.ATTR, Equivalence.SHAPE])
def test_bert_has_twelve_layers_under_every_equivalence(real_files: Path, equivalence: Equivalence) -> None:
    graph = real_graph(real_files, "bert12")
    catalogue = recognise(graph, equivalence)
    assert_sound(graph, catalogue)
    assert top(catalogue, "forward", 12).size >= 60


def test_documents_have_their_forms() -> None:
    made = transformer(4)
    catalogue = recognise(made.graph())
    plain = json.loads(json.dumps(plain_document(catalogue)))
    assert list(plain) == [str(number) for number in range(len(plain))]
    nodes, edges = plain["0"][0]
    assert len(nodes) == 48
    assert all(source in nodes and target in nodes and port >= 0 for source, target, port in edges)
    full: dict[str, Any] = json.loads(json.dumps(full_document(catalogue)))
    layer = full["substructures"][0]
    assert (layer["count"], layer["size"], layer["name"]) == (4, 48, "Layer")
    assert layer["occurrences"][0] == nodes
    assert len(layer["positions"]) == 48
    assert len(layer["edges"]) == len(edges)
