"""Graphs of every format in one form: counted against known facts, damaged on purpose, stored and opened again."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindinsight.graphs.model import (
    DefectCode,
    EdgeKind,
    Graph,
    GraphError,
    NodeKind,
    StringTable,
    graph_from_bytes,
    graph_hash,
    open_graph,
    read_graph,
    save_graph,
)
from summaries.records import MAX_RECORD_BYTES, frame, varint
from summaries.schema.anf_ir_pb2 import DataType, GraphProto, InputProto, ModelProto
from summaries.schema.tensorboard_graph_pb2 import GraphDef

MUTATIONS = 300


def small() -> GraphProto:
    """x → Conv2D(weight) → ReLU, ordered by a monad."""
    graph = GraphProto(name="net")
    graph.parameters.add(name="x")
    weight = graph.parameters.add(name="conv.weight")
    weight.type.data_type = DataType.DT_TENSOR
    weight.type.tensor_type.elem_type = DataType.DT_FLOAT32
    for size in (8, 3, 5, 5):
        weight.type.tensor_type.shape.dim.add(size=size)
    graph.const_vals.add(key="cst1").value.str_val = "U"
    load = graph.node.add(name="1", op_type="Load", scope="Default")
    load.input.add(name="conv.weight")
    load.input.add(name="cst1")
    conv = graph.node.add(name="2", op_type="Conv2D", scope="Default/conv-Conv2d", full_name="Default/conv/Conv2D-op1")
    conv.input.add(name="x")
    conv.input.add(name="1")
    attribute = conv.attribute.add(name="pad_mode")
    attribute.value.dtype, attribute.value.str_val = DataType.DT_STRING, "same"
    relu = graph.node.add(name="3", op_type="ReLU", scope="Default")
    relu.input.add(name="2")
    relu.input.add(name="1", type=InputProto.CONTROL_EDGE)
    graph.outputs.add(name="3")
    return graph


def test_a_graph_says_what_the_file_says() -> None:
    graph = graph_from_bytes(small().SerializeToString())
    assert [graph.count(kind) for kind in NodeKind] == [3, 2, 1, 0]
    conv = graph.node(1)
    assert (conv.name, conv.op, conv.scope) == ("2", "Conv2D", "Default/conv-Conv2d")
    assert conv.full_name == "Default/conv/Conv2D-op1"
    assert json.loads(conv.attributes) == {"pad_mode": "same"}
    assert graph.node(4).type == "Float32[8,3,5,5]"
    assert graph.inputs(0) == [(4, 0, EdgeKind.DATA), (5, 0, EdgeKind.MONAD)]
    assert graph.inputs(2) == [(1, 0, EdgeKind.DATA), (0, 0, EdgeKind.CONTROL)]
    assert graph.outputs.tolist() == [2]
    assert graph.defects == []


def test_a_model_holds_the_same_graph() -> None:
    bare = small()
    model = ModelProto(ir_version=1, graph=bare)
    assert graph_hash(graph_from_bytes(model.SerializeToString())) == graph_hash(
        graph_from_bytes(bare.SerializeToString())
    )


def test_a_graph_of_tensorboard_has_slots_and_control_edges() -> None:
    definition = GraphDef()
    definition.node.add(name="net/out", op="Add", input=["net/split:1", "net/w:0", "^net/init"])
    definition.node.add(name="net/split", op="Split")
    definition.node.add(name="net/w", op="VarHandleOp")
    definition.node.add(name="net/init", op="NoOp")
    graph = graph_from_bytes(definition.SerializeToString())
    assert graph.inputs(0) == [(1, 1, EdgeKind.DATA), (2, 0, EdgeKind.DATA), (3, 0, EdgeKind.CONTROL)]
    assert graph.node(0).scope == "net"
    assert NodeKind(graph.kind[2]) is NodeKind.PARAMETER


def test_networkx_sees_the_same_graph() -> None:
    graph = graph_from_bytes(small().SerializeToString())
    view = graph.networkx
    assert view.number_of_nodes() == len(graph)
    assert view.number_of_edges() == graph.edge_count
    assert view.nodes[1]["op"] == "Conv2D"
    assert view.edges[4, 0, 0]["kind"] == EdgeKind.DATA


def test_parameters_of_dumped_passes_have_their_names_without_numbers() -> None:
    names = ["para_3_conv1.weight", "para12_fc.bias", "para_4_", "para_x_y", "paragraph_1_w", "conv.para_3_w"]
    message = small()
    for name in names:
        message.parameters.add(name=name)
    graph = graph_from_bytes(message.SerializeToString())
    added = [node for node in range(len(graph)) if graph.text("name", node) in names]
    told = ["conv1.weight", "fc.bias", "para_4_", "para_x_y", "paragraph_1_w", "conv.para_3_w"]
    assert [graph.text("full_name", node) for node in added] == told


@given(st.lists(st.text(min_size=1), min_size=1, max_size=8, unique=True))
def test_names_may_have_any_character(names: list[str]) -> None:
    definition = GraphProto()
    names = [name for name in names if not any("\ud800" <= sign <= "\udfff" for sign in name)] or ["a"]
    for position, name in enumerate(names):
        node = definition.node.add(name=name, op_type="Op")
        node.input.add(name=names[position - 1] if position else "input")
    graph = graph_from_bytes(definition.SerializeToString())
    assert [graph.text("name", node) for node in range(len(names))] == names


def test_defects_are_listed_and_the_graph_opens() -> None:
    broken = small()
    broken.node[1].input[0].name = "gone"
    broken.node.add(name="3", op_type="ReLU")
    broken.node[0].input[1].name = "2"
    broken.node.add(op_type="Nameless")
    broken.outputs.add(name="nowhere")
    graph = graph_from_bytes(broken.SerializeToString())
    assert set(graph.defect_counts) == {
        DefectCode.MISSING_INPUT,
        DefectCode.DUPLICATE_NAME,
        DefectCode.CYCLE,
        DefectCode.NO_NAME,
        DefectCode.MISSING_OUTPUT,
    }
    assert graph.count(NodeKind.MISSING) == 1
    messages = " ".join(defect.message for defect in graph.defects)
    assert "'gone'" in messages
    assert "'nowhere'" in messages


def test_very_many_defects_are_counted() -> None:
    definition = GraphProto()
    for number in range(1000):
        definition.node.add(name=str(number), op_type="Op").input.add(name=f"gone{number}")
    graph = graph_from_bytes(definition.SerializeToString())
    assert graph.defect_counts[DefectCode.MISSING_INPUT] == 1000
    assert len(graph.defects) == 200


@pytest.mark.parametrize("content", [b"", b"no graph at all", b"\x0a\x00", bytes(range(256)), b"\x22\x00"])
def test_what_is_no_graph_is_refused(content: bytes) -> None:
    with pytest.raises(GraphError):
        graph_from_bytes(content)


def test_mutated_graphs_open_or_are_refused() -> None:
    chance = random.Random(6)
    original = small().SerializeToString()
    opened = 0
    for _ in range(MUTATIONS):
        content = bytearray(original)
        for _ in range(chance.randint(1, 6)):
            place = chance.randrange(len(content))
            change = chance.random()
            if change < 0.6:
                content[place] = chance.randrange(256)
            elif change < 0.8:
                del content[place : place + chance.randint(1, 20)]
            else:
                content[place:place] = chance.randbytes(chance.randint(1, 8))
        opened += is_sound_or_refused(bytes(content))
    assert opened > MUTATIONS // 10


def test_graphs_with_shuffled_wiring_open() -> None:
    chance = random.Random(7)
    for _ in range(MUTATIONS):
        mutated = small()
        for node in mutated.node:
            for item in node.input:
                if chance.random() < 0.4:
                    item.name = chance.choice(["1", "2", "3", "x", "cst1", "gone", ""])
            if chance.random() < 0.2:
                node.name = chance.choice(["1", "2", ""])
        assert is_sound_or_refused(mutated.SerializeToString())


def is_sound_or_refused(content: bytes) -> bool:
    """Whether it opened; the columns then fit together."""
    try:
        graph = graph_from_bytes(content)
    except GraphError:
        return False
    assert len(graph.in_ptr) == len(graph) + 1
    assert graph.in_ptr[-1] == graph.edge_count
    assert ((graph.in_src >= 0) & (graph.in_src < len(graph))).all()
    assert all(graph.node(index).name is not None for index in range(len(graph)))
    return True


def test_a_stored_graph_is_the_same(tmp_path: Path) -> None:
    broken = small()
    broken.node[1].input[0].name = "gone"
    graph = graph_from_bytes(broken.SerializeToString())
    save_graph(graph, tmp_path / "stored")
    opened = open_graph(tmp_path / "stored")
    assert graph_hash(opened) == graph_hash(graph)
    assert opened.defects == graph.defects
    assert isinstance(opened.in_src, np.memmap)
    assert [opened.node(index) for index in range(len(opened))] == [graph.node(index) for index in range(len(graph))]


def test_a_directory_without_a_graph_says_so(tmp_path: Path) -> None:
    with pytest.raises(GraphError, match="is not a stored graph"):
        open_graph(tmp_path)


def test_texts_survive_a_table() -> None:
    texts = ["", "a/b", "层·1", "\ud800", "\x00\n"]
    assert list(StringTable.of(texts)) == texts


FACTS = [("resnet50", 1444, 433, 257, 4643), ("bert12", 1977, 606, 627, 7342)]


@pytest.mark.parametrize(("name", "operators", "parameters", "constants", "edges"), FACTS)
def test_real_graphs_have_the_known_counts(
    real_files: Path, name: str, operators: int, parameters: int, constants: int, edges: int
) -> None:
    graph = real_graph(real_files, name)
    assert [graph.count(kind) for kind in NodeKind] == [operators, parameters, constants, 0]
    assert graph.edge_count == edges
    assert graph.defects == []


def test_a_graph_with_broken_constants_opens(real_files: Path) -> None:
    graph = read_graph(real_files / "graphs" / "lenet_kernel_graph.pb")
    assert [graph.count(kind) for kind in NodeKind] == [104, 20, 37, 0]
    assert graph.defect_counts == {DefectCode.UNREADABLE_PART: 8}


def test_a_graph_of_pytorch_opens(real_files: Path) -> None:
    (path,) = (real_files / "tensorboard" / "adam_lr0.001").glob("events*")
    graph = read_graph(path)
    assert "aten::_convolution" in set(graph.strings)
    assert graph.defects == []
    assert graph.count(NodeKind.MISSING) == 0
    weights = [node for node in range(len(graph)) if graph.kind[node] == NodeKind.PARAMETER]
    assert len(weights) == 26
    assert {graph.text("full_name", node).rpartition("/")[2] for node in weights} == {
        *("weight", "bias", "running_mean", "running_var"),
    }


def test_a_file_without_a_graph_says_so(real_files: Path) -> None:
    (path,) = (real_files / "mindspore" / "long_scalars_1e5").glob("*_MS")
    with pytest.raises(GraphError, match="no graph was found"):
        read_graph(path)


def real_graph(real_files: Path, name: str) -> Graph:
    """One of the real graphs."""
    (path,) = (real_files / "mindspore" / name).glob("*_MS")
    return read_graph(path)


def field(number: int, content: bytes) -> bytes:
    """A field of a message."""
    return varint(number << 3 | 2) + varint(len(content)) + content


def test_a_graph_with_its_constants_may_be_larger_than_other_records(tmp_path: Path) -> None:
    graph = GraphDef()
    graph.node.add(name="weights", op="Const")
    graph.node.add(name="active", op="Relu", input=["weights"])
    content = graph.SerializeToString()
    # A field that nobody knows makes the record larger.
    padding = field(15, bytes(MAX_RECORD_BYTES))
    path = tmp_path / "events.out.tfevents.1"
    path.write_bytes(frame(field(3, b"brain.Event:2")) + frame(field(4, content) + padding))
    assert [read_graph(path).text("op", node) for node in range(2)] == ["Const", "Relu"]
