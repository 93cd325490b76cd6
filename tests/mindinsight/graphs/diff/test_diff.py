"""Differences of graphs: none under other names and another order, and exactly the edits that were made."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.measuring.graph_planted import experts, training, transformer
from mindinsight.graphs.diff import Change, GraphDiff, Status, compare
from mindinsight.graphs.diff.batch import BatchChange
from mindinsight.graphs.model import Graph, NodeKind
from mindinsight.graphs.substructures.equivalence import UNORDERED
from summaries.schema.anf_ir_pb2 import DataType, GraphProto, NodeProto
from tests.mindinsight.graphs.graph_edits import (
    copied,
    disguised,
    insert_before,
    opened,
    real_proto,
    take_out,
)

REAL = ["bert12", "resnet50"]
OPERATORS = ["Conv2D", "MatMul", "Add", "ReLU", "Reshape", "Mul"]


def told(diff: GraphDiff) -> list[tuple[str, str, list[str]]]:
    """Status, operator and fields of all changes."""
    return sorted(
        (row.status.name.lower(), row.op, sorted(found.field for found in row.what)) for row in diff.changes()
    )


def only(diff: GraphDiff, status: Status) -> Change:
    """The one change of a status."""
    (row,) = diff.changes(status=status)
    return row


def assert_sound(diff: GraphDiff) -> None:
    """Reported equalities are true, according to independent code."""
    left, right = diff.left, diff.right
    pairs = [(node, other) for node, other in enumerate(diff.right_of.tolist()) if other >= 0]
    assert len({other for _, other in pairs}) == len(pairs)
    assert diff.counts["removed"] == len(left) - len(pairs)
    assert diff.counts["added"] == len(right) - len(pairs)
    assert len(diff.merged) == len(right) + diff.counts["removed"]
    assert_edges(diff)
    for node, other in pairs:
        assert diff.left_of[other] == node
        mine = [(int(diff.right_of[source]), slot, kind) for source, slot, kind in left.inputs(node)]
        others = right.inputs(other)
        if right.text("op", other) in UNORDERED:
            mine, others = sorted(mine), sorted(others)
        alike = mine == others and left.kind[node] == right.kind[other]
        alike &= all(left.text(column, node) == right.text(column, other) for column in ("op", "type", "attributes"))
        alike &= left.kind[node] != NodeKind.CONSTANT or left.text("value", node) == right.text("value", other)
        alike &= (node in left.outputs) == (other in right.outputs)
        assert (diff.status[other] == Status.SAME) == alike


def assert_edges(diff: GraphDiff) -> None:
    """The merged graph has every edge of either graph, and says which of them has it."""
    left, right, merged = diff.left, diff.right, diff.merged
    behind = {diff.left_node(node): node for node in range(len(right), len(merged))}
    name = {node: int(other) if other >= 0 else behind[node] for node, other in enumerate(diff.right_of)}
    was = {(name[int(a)], name[int(b)]) for a, b in zip(left.in_src, left.in_dst, strict=True)}
    now = {(int(a), int(b)) for a, b in zip(right.in_src, right.in_dst, strict=True)}
    for a, b, status in zip(merged.in_src, merged.in_dst, diff.edge_status, strict=True):
        edge = (int(a), int(b))
        assert Status(int(status)) == (
            Status.SAME if edge in was and edge in now else Status.ADDED if edge in now else Status.REMOVED
        )
    assert {(int(a), int(b)) for a, b in zip(merged.in_src, merged.in_dst, strict=True)} == was | now


@pytest.mark.parametrize("name", REAL)
def test_a_real_graph_under_other_names_is_the_same(real_files: Path, name: str) -> None:
    proto = real_proto(real_files, name)
    diff = compare(opened(proto), opened(disguised(proto, 1)))
    assert diff.counts == {"same": len(diff.left), "changed": 0, "added": 0, "removed": 0}
    assert diff.changes() == []
    assert_sound(diff)


@pytest.mark.parametrize("name", REAL)
def test_edits_of_a_real_graph_are_found_exactly(real_files: Path, name: str) -> None:
    proto = real_proto(real_files, name)
    left = opened(proto)
    chance = random.Random(name)
    for seed in range(2):
        for edit in (inserted, attributed, deleted, rewired):
            edited = copied(proto)
            expected = edit(edited, chance)
            diff = compare(left, opened(disguised(edited, seed)))
            assert told(diff) == sorted(expected), (edit.__name__, seed)


def inserted(graph: GraphProto, chance: random.Random) -> list[tuple[str, str, list[str]]]:
    """A Cast before an operator of a layer."""
    node = operator(graph, chance, lambda node: node.op_type not in UNORDERED)
    port = chance.randrange(len(node.input))
    insert_before(graph, node, port)
    return [("added", "Cast", []), ("changed", node.op_type, [f"input:{port}"])]


def attributed(graph: GraphProto, chance: random.Random) -> list[tuple[str, str, list[str]]]:
    """Another value of an attribute."""
    node = operator(graph, chance, lambda node: True)
    node.attribute.add(name="axis").value.int_val = 77
    return [("changed", node.op_type, ["attr:axis"])]


def deleted(graph: GraphProto, chance: random.Random) -> list[tuple[str, str, list[str]]]:
    """An operator taken out of the way."""
    node = operator(
        graph,
        chance,
        lambda node: node.op_type in ("Reshape", "ReLU", "GeLU", "Softmax", "BiasAdd") and read_once(graph, node),
    )
    (reader,) = [other for other in graph.node if any(item.name == node.name for item in other.input)]
    port = next(place for place, item in enumerate(reader.input) if item.name == node.name)
    take_out(graph, node)
    return [("removed", node.op_type, []), ("changed", reader.op_type, [f"input:{port}"])]


def rewired(graph: GraphProto, chance: random.Random) -> list[tuple[str, str, list[str]]]:
    """Another operator's output at a port."""
    node = operator(graph, chance, lambda node: node.op_type in ("MatMul", "Conv2D", "BatchNorm", "Softmax"))
    place = next(place for place, other in enumerate(graph.node) if other.name == node.name)
    before = {item.name for item in node.input}
    node.input[0].name = chance.choice([other.name for other in graph.node[:place] if other.name not in before])
    return [("changed", node.op_type, ["input:0"])]


def operator(graph: GraphProto, chance: random.Random, fits: object) -> NodeProto:
    """An operator in the middle of the graph."""
    chosen = [node for node in graph.node[20:-20] if node.input and fits(node)]  # type: ignore[operator]
    return chance.choice(chosen)


def read_once(graph: GraphProto, node: NodeProto) -> bool:
    """Whether one node reads it, at one port, at which order counts."""
    readers = [other for other in graph.node for item in other.input if item.name == node.name]
    return len(readers) == 1 and readers[0].op_type not in UNORDERED


def test_several_edits_at_once_are_all_found(real_files: Path) -> None:
    proto = real_proto(real_files, "bert12")
    edited = copied(proto)
    layers = [node for node in edited.node if node.op_type == "Softmax"]
    for number in (2, 5, 9):
        insert_before(edited, layers[number], 0, f"cast{number}")
    layers[7].op_type = "LogSoftmax"
    diff = compare(opened(proto), opened(disguised(edited, 1)))
    assert told(diff) == sorted(
        [("added", "Cast", []), ("changed", "Softmax", ["input:0"])] * 3 + [("changed", "LogSoftmax", ["op"])]
    )


def test_the_inputs_of_a_sum_may_change_places(real_files: Path) -> None:
    proto = real_proto(real_files, "resnet50")
    edited = copied(proto)
    sums = [node for node in edited.node if node.op_type == "Add"]
    for node in sums:
        node.input[0].name, node.input[1].name = node.input[1].name, node.input[0].name
    assert len(sums) == 16
    assert compare(opened(proto), opened(edited)).changes() == []
    product = next(node for node in edited.node if node.op_type == "MatMul")
    product.input[0].name, product.input[1].name = product.input[1].name, product.input[0].name
    assert told(compare(opened(proto), opened(edited))) == [("changed", "MatMul", ["input:0", "input:1"])]


def test_another_batch_size_changes_types_and_nothing_else(real_files: Path) -> None:
    proto = real_proto(real_files, "resnet50")
    edited = copied(proto)
    batch, changed = 0, 0
    for node in edited.node:
        sizes = node.output_type.tensor_type.shape.dim
        if len(sizes) == 4:
            # Activations have the batch of four pictures; gradients of weights have other sizes there.
            batch, changed = batch + (sizes[0].size == 4), changed + (sizes[0].size != 4)
            sizes[0].size *= 2
    diff = compare(opened(proto), opened(disguised(edited, 3)))
    assert diff.batch == BatchChange(4, 8)
    assert batch > 300
    assert diff.counts["changed"] == changed
    assert diff.counts["added"] == diff.counts["removed"] == 0
    assert {found.field for row in diff.changes() for found in row.what} == {"type"}


def test_names_decide_between_nodes_that_are_alike() -> None:
    graph = GraphProto()
    for name in ("left", "right"):
        graph.parameters.add(name=name)
        graph.node.add(name=f"{name}.relu", op_type="ReLU").input.add(name=name)
    fewer = copied(graph)
    del fewer.node[0], fewer.parameters[0]
    diff = compare(opened(graph), opened(fewer))
    assert sorted(row.name for row in diff.changes()) == ["left", "left.relu"]


def test_a_change_says_what_was_and_what_is() -> None:
    graph = GraphProto()
    graph.parameters.add(name="x")
    graph.const_vals.add(key="c").value.int_val = 1
    node = graph.node.add(name="1", op_type="Pad")
    node.input.add(name="x")
    node.input.add(name="c")
    node.attribute.add(name="mode").value.str_val = "same"
    graph.node.add(name="2", op_type="Return").input.add(name="1")
    edited = copied(graph)
    edited.node[0].attribute[0].value.str_val = "valid"
    edited.const_vals[0].value.int_val = 2
    insert_before(edited, edited.node[1], 0, "new")
    diff = compare(opened(graph), opened(edited))
    rows = {row.op: {found.field: (found.left, found.right) for found in row.what} for row in diff.changes()}
    assert rows == {
        "Pad": {"attr:mode": ('"same"', '"valid"')},
        "Constant": {"value": ("1", "2")},
        "Return": {"input:0": ("Pad 1", "Cast new")},
        "Cast": {},
    }
    assert only(diff, Status.ADDED).name == "new"


def test_the_merged_graph_has_both() -> None:
    graph = GraphProto()
    graph.parameters.add(name="x")
    graph.node.add(name="1", op_type="Cast").input.add(name="x")
    graph.node.add(name="2", op_type="ReLU").input.add(name="1")
    edited = copied(graph)
    assert take_out(edited, edited.node[0]) == 1
    diff = compare(opened(graph), opened(edited))
    merged = diff.merged
    assert [merged.text("op", node) for node in range(len(merged))] == ["ReLU", "Parameter", "Cast"]
    assert [Status(int(status)).name for status in diff.status] == ["CHANGED", "SAME", "REMOVED"]
    wires = {
        (int(source), int(target)): Status(int(status)).name
        for source, target, status in zip(merged.in_src, merged.in_dst, diff.edge_status, strict=True)
    }
    assert wires == {(1, 0): "ADDED", (2, 0): "REMOVED", (1, 2): "REMOVED"}
    assert diff.left_node(2) == 0


def test_what_is_wired_anew_keeps_its_old_edge() -> None:
    graph = GraphProto()
    graph.parameters.add(name="x")
    for number, (op, source) in enumerate([("Cast", "x"), ("ReLU", "0"), ("Tanh", "1")]):
        graph.node.add(name=str(number), op_type=op).input.add(name=source)
    edited = copied(graph)
    edited.node[2].input[0].name = "0"
    diff = compare(opened(graph), opened(edited))
    assert diff.counts == {"same": 3, "changed": 1, "added": 0, "removed": 0}
    merged = diff.merged
    ops = [merged.text("op", node) for node in range(len(merged))]
    wires = {
        (ops[source], ops[target]): Status(int(status)).name
        for source, target, status in zip(merged.in_src, merged.in_dst, diff.edge_status, strict=True)
    }
    assert wires == {
        ("Parameter", "Cast"): "SAME",
        ("Cast", "ReLU"): "SAME",
        ("Cast", "Tanh"): "ADDED",
        ("ReLU", "Tanh"): "REMOVED",
    }
    tanh = ops.index("Tanh")
    assert [ops[source] for source, _, _ in merged.inputs(tanh)] == ["Cast", "ReLU"]


def test_changes_come_by_page(real_files: Path) -> None:
    diff = compare(opened(real_proto(real_files, "resnet50")), opened(real_proto(real_files, "bert12")))
    everything = diff.changes()
    assert len(everything) == sum(diff.counts[name] for name in ("changed", "added", "removed")) > 1000
    assert diff.changes(100, 50) == everything[100:150]
    added = diff.changes(10, 5, status=Status.ADDED)
    assert added == [row for row in everything if row.status is Status.ADDED][10:15]
    assert_sound(diff)


@st.composite
def graphs(draw: st.DrawFn, *, distinct: bool = False) -> GraphProto:
    """Graphs of a few operators; where `distinct`, each has an output type of its own."""
    count = draw(st.integers(2, 25))
    graph = GraphProto()
    names = ["x", "w", "c"]
    graph.parameters.add(name="x")
    graph.parameters.add(name="w")
    graph.const_vals.add(key="c").value.int_val = 3
    for number in range(count):
        node = graph.node.add(name=str(number), op_type=draw(st.sampled_from(OPERATORS)))
        for source in draw(st.lists(st.sampled_from(names), min_size=1, max_size=3)):
            node.input.add(name=source)
        if distinct:
            node.output_type.data_type = DataType.DT_TENSOR
            node.output_type.tensor_type.shape.dim.add(size=number)
        names.append(str(number))
    graph.outputs.add(name=names[-1])
    return graph


@given(graphs(), st.integers(0, 1000))
def test_any_graph_under_other_names_is_the_same(graph: GraphProto, seed: int) -> None:
    diff = compare(opened(graph), opened(disguised(graph, seed)))
    assert diff.changes() == []
    assert_sound(diff)


@settings(max_examples=50)
@given(graphs(distinct=True), st.data())
def test_an_edit_of_any_graph_is_found_exactly(graph: GraphProto, data: st.DataObject) -> None:
    edited = copied(graph)
    node = edited.node[data.draw(st.integers(0, len(edited.node) - 1))]
    port = data.draw(st.integers(0, len(node.input) - 1))
    kind = data.draw(st.sampled_from(["insert", "attribute", "delete"]))
    expected: Counter[tuple[str, str]] = Counter()
    if kind == "insert":
        insert_before(edited, node, port)
        expected[("added", "Cast")] = expected[("changed", node.op_type)] = 1
    elif kind == "attribute":
        node.attribute.add(name="axis").value.int_val = 7
        expected[("changed", node.op_type)] = 1
    else:
        removed = node.op_type
        readers = [other.op_type for other in edited.node if any(item.name == node.name for item in other.input)]
        sources = [item.name for item in node.input]
        moved = edited.outputs[0].name == node.name
        take_out(edited, node)
        expected.update(("changed", op) for op in readers)
        expected[("removed", removed)] = 1
        if moved:  # The graph's output is another node's now.
            expected[("changed", op_of(edited, sources[0]))] += 1
    diff = compare(opened(graph), opened(disguised(edited, 5)))
    assert Counter((row.status.name.lower(), row.op) for row in diff.changes()) == expected
    assert_sound(diff)


@pytest.mark.parametrize(("read", "op"), [("w", "Parameter"), ("c", "Constant")])
@pytest.mark.parametrize("source", ["x", "w", "c"])
def test_what_is_no_operator_outlives_what_read_it(source: str, read: str, op: str) -> None:
    graph = GraphProto()
    graph.parameters.add(name="x")
    graph.parameters.add(name="w")
    graph.const_vals.add(key="c").value.int_val = 3
    graph.node.add(name="first", op_type="ReLU").input.add(name=source)
    graph.node.add(name="second", op_type="ReLU").input.add(name=read)
    graph.outputs.add(name="second")
    edited = copied(graph)
    take_out(edited, edited.node[1])
    diff = compare(opened(graph), opened(disguised(edited, 5)))
    assert told(diff) == [("changed", op, ["output"]), ("removed", "ReLU", [])]


def op_of(graph: GraphProto, name: str) -> str:
    """The operator of a name."""
    return next((node.op_type for node in graph.node if node.name == name), "Constant" if name == "c" else "Parameter")


@settings(max_examples=50)
@given(graphs(), graphs())
def test_any_two_graphs_can_be_compared(left: GraphProto, right: GraphProto) -> None:
    assert_sound(compare(opened(left), opened(right)))


@pytest.mark.parametrize("made", [transformer(30), experts(3, 6), training(6)], ids=["layers", "experts", "training"])
def test_what_repeats_is_told_apart_by_where_it_stands(made: object) -> None:
    graph: Graph = made.graph()  # type: ignore[attr-defined]
    mixed: Graph = made.shuffled(1).graph()  # type: ignore[attr-defined]
    assert compare(graph, mixed).changes() == []


def test_cycles_are_no_obstacle() -> None:
    graph = GraphProto()
    for name, source in (("1", "3"), ("2", "1"), ("3", "2"), ("4", "3")):
        graph.node.add(name=name, op_type=f"Op{name}").input.add(name=source)
    assert opened(graph).defect_counts == {"cycle": 1}
    assert compare(opened(graph), opened(disguised(graph, 2))).changes() == []
    edited = copied(graph)
    edited.node[3].op_type = "Other"
    assert told(compare(opened(graph), opened(edited))) == [("changed", "Other", ["op"])]


def test_replaced_operators_of_many_layers_are_changes_of_these() -> None:
    made = transformer(60)
    graph, other = made.graph(), made.changed("layer", 0.1, 4).graph()
    differing = [node for node in range(len(graph)) if graph.text("op", node) != other.text("op", node)]
    diff = compare(graph, other)
    assert len(differing) > 4
    assert [row.node for row in diff.changes()] == differing
    assert all([found.field for found in row.what] == ["op"] for row in diff.changes())
