"""Drawn graphs: every node has its place, edges are those of the graph, and no graph is too broken to be drawn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.measuring.graph_planted import experts, planted, training, transformer
from mindinsight.graphs.model import MONAD, EdgeKind, Graph, GraphBuilder, NodeKind, read_graph
from mindinsight.graphs.scene import (
    Scene,
    inside,
    look_at,
    make_scene,
    nodes_of,
    open_scene,
    outline,
    path_of_node,
    search,
    shortest_way,
    trace,
    write_scene,
)
from mindinsight.graphs.substructures import recognise
from tests.mindinsight.graphs.model.test_model import real_graph

pytestmark = pytest.mark.usefixtures("with_kernel")

GRAPHS = [
    pytest.param(transformer(5).graph(), id="layers"),
    pytest.param(experts(3, 4).graph(), id="experts"),
    pytest.param(training(4).graph(), id="training"),
    pytest.param(planted(2000, 3, 8, 20).graph(), id="noise"),
    pytest.param(training(4).shuffled(1).graph(), id="shuffled"),
    pytest.param(transformer(5).without_scopes().graph(), id="no scopes"),
]


def drawn(graph: Graph) -> Scene:
    """The scene of a graph."""
    return make_scene(graph, recognise(graph))


def paths(scene: Scene, path: str = "") -> Iterator[str]:
    """The paths of all boxes, those in all occurrences among them."""
    view = look_at(scene, path)
    for index, box in enumerate(scene.boxes_of(view.container)):
        here = f"{path}.{index}" if path else str(index)
        yield here
        if int(scene.box_kind[box]) == 3:
            for instance in range(int(scene.box_count[box])):
                yield from paths(scene, f"{here}#{instance}")
        elif scene.inside_of(box) >= 0:
            yield from paths(scene, here)


@pytest.mark.parametrize("graph", GRAPHS)
def test_every_node_is_in_one_leaf_of_the_tree(graph: Graph) -> None:
    scene = drawn(graph)
    held: Counter[int] = Counter()
    opened: set[str] = set()
    for path in paths(scene):
        opened.add(path)
        view = look_at(scene, path)
        if view.container < 0:
            held.update(nodes_of(scene, view).tolist())
    # What is drawn with a box of occurrences instead of inside of it.
    beside = [node for node in range(len(graph)) if held[node] == 0]
    assert set(held.values()) <= {1}
    assert all(graph.kind[node] != NodeKind.OPERATOR or graph.text("op", node) == "Load" for node in beside)
    for node in beside:
        assert node in nodes_of(scene, look_at(scene, path_of_node(scene, node)))
    assert all(path_of_node(scene, node) in opened for node in range(len(graph)))


@pytest.mark.parametrize("graph", GRAPHS)
def test_no_container_has_more_boxes_than_a_screen_takes(graph: Graph) -> None:
    scene = drawn(graph)
    assert np.diff(scene.container_first).max() <= 60
    assert (np.diff(scene.container_first) > 0).all()


@pytest.mark.parametrize("graph", GRAPHS)
def test_the_same_graph_is_always_drawn_the_same(graph: Graph, tmp_path: Path) -> None:
    catalogue = recognise(graph)
    scene, again = make_scene(graph, catalogue), make_scene(graph, catalogue)
    write_scene(scene, tmp_path)
    stored = open_scene(tmp_path)
    for name in vars(scene):
        if name != "texts":
            assert np.array_equal(getattr(scene, name), getattr(again, name))
            assert np.array_equal(getattr(scene, name), getattr(stored, name))
    assert list(scene.texts) == list(stored.texts)


def counted(graph: Graph, scene: Scene, path: str) -> dict[tuple[int, int, str], int]:
    """The edges of a container, counted edge by edge from the whole graph."""
    view = look_at(scene, path)
    index_of: dict[int, int] = {}
    around = set(range(len(graph)) if not path else nodes_of(scene, view).tolist())
    for index in range(len(scene.boxes_of(view.container))):
        for node in nodes_of(scene, look_at(scene, f"{path}.{index}" if path else str(index))).tolist():
            index_of[node] = index
    found: Counter[tuple[int, int, str]] = Counter()
    for source, target, data in graph.networkx.edges(data=True):
        if graph.kind[source] == NodeKind.CONSTANT or not {source, target} & around:
            continue
        ends = index_of.get(source, -1), index_of.get(target, -2)
        orders = graph.text("op", target) == "UpdateState"
        if ends[0] != ends[1] and ends != (-1, -2):
            found[*ends, EdgeKind(MONAD if orders else data["kind"]).name.lower()] += 1
    inner = {ends[:2] for ends in found if ends[0] >= 0 and ends[1] >= 0}
    outs, ins = Counter(source for source, _ in inner), Counter(target for _, target in inner)
    hidden = {(source, target) for source, target in inner if outs[source] > 8 or ins[target] > 16}
    return {ends: count for ends, count in found.items() if ends[:2] not in hidden}


@pytest.mark.parametrize("graph", GRAPHS)
def test_edges_are_those_of_the_graph(graph: Graph) -> None:
    catalogue = recognise(graph)
    scene = make_scene(graph, catalogue)
    looked = 0
    for path in ["", *paths(scene)]:
        view = look_at(scene, path)
        if path and view.steps[-1].instance is None and int(scene.box_kind[view.steps[-1].box]) == 3:
            path += "#0"
        # A template's edges are those of the first occurrence.
        pattern = int(scene.frame_pattern[int(scene.container_frame[view.container])])
        if view.container < 0 or (
            view.nodes is not None and not np.array_equal(view.nodes, catalogue.structures[pattern].nodes[0])
        ):
            continue
        answer = inside(graph, scene, look_at(scene, path))
        told: Counter[tuple[int, int, str]] = Counter()
        for edge in answer["edges"]:
            told[edge["source"], edge["target"], edge["kind"]] += edge["count"]
        assert told == counted(graph, scene, path)
        looked += 1
        if looked == 40:
            break
    assert looked >= 3


@settings(max_examples=30)
@given(data=st.data())
def test_where_a_node_is_drawn_and_what_is_drawn_there_agree(data: st.DataObject) -> None:
    graph, scene = _chosen()[data.draw(st.integers(0, len(GRAPHS) - 1))]
    node = data.draw(st.integers(0, len(graph) - 1))
    path = path_of_node(scene, node)
    assert node in nodes_of(scene, look_at(scene, path))
    above, _, last = path.rpartition(".")
    boxes = inside(graph, scene, look_at(scene, above))["boxes"]
    box = boxes[int(last.partition("#")[0])]
    if box["kind"] == "node":
        assert box["node"] == node or node in nodes_of(scene, look_at(scene, path))
        assert box["operators"] + box["parameters"] + box["consts"] <= box["nodes"]


_kept: list[tuple[Graph, Scene]] = []


def _chosen() -> list[tuple[Graph, Scene]]:
    if not _kept:
        _kept.extend((case.values[0], drawn(case.values[0])) for case in GRAPHS)  # type: ignore[misc, arg-type]
    return _kept


@settings(max_examples=60, deadline=None)
@given(
    nodes=st.lists(
        st.tuples(
            st.sampled_from(["a", "b", "c/d", "", "x\ud800", "c.d.w", "n0", "n1", "n2", "n3"]),
            st.sampled_from(["Add", "Load", "UpdateState", "MakeTuple", ""]),
            st.sampled_from(list(NodeKind)[:3]),
            st.lists(st.sampled_from(["a", "b", "c/d", "gone", "n0", "n1", "n2", "n3"]), max_size=4),
            st.sampled_from(["", "s", "s/t", "Gradients/s/Grad_Add", "optimizer/x", "/" * 30]),
        ),
        min_size=1,
        max_size=30,
    )
)
def test_whatever_is_wrong_with_a_graph_it_is_drawn(
    nodes: list[tuple[str, str, NodeKind, list[str], str]],
) -> None:
    builder = GraphBuilder("broken")
    for name, op, kind, inputs, scope in nodes:
        builder.add(kind, name, op, [(source, 0, EdgeKind.DATA) for source in inputs], scope=scope)
    graph = builder.finish()
    scene = drawn(graph)
    for node in range(len(graph)):
        path = path_of_node(scene, node)
        assert node in nodes_of(scene, look_at(scene, path))
    assert inside(graph, scene, look_at(scene, ""))["boxes"]


def test_a_row_of_ten_thousand_is_drawn_in_a_few_boxes() -> None:
    builder = GraphBuilder("row")
    for number in range(10_000):
        source = [(f"n{number - 1}", 0, EdgeKind.DATA)] if number else []
        builder.add(NodeKind.OPERATOR, f"n{number}", f"Op{number % 97}_{number % 89}", source)
    graph = builder.finish()
    scene = drawn(graph)
    assert len(inside(graph, scene, look_at(scene, ""))["boxes"]) <= 60
    assert nodes_of(scene, look_at(scene, path_of_node(scene, 5000))).tolist() == [5000]


@pytest.mark.parametrize("name", ["resnet50", "bert12"])
def test_real_graphs_are_drawn_whole(real_files: Path, name: str) -> None:
    graph = real_graph(real_files, name)
    scene = drawn(graph)
    for node in range(len(graph)):
        assert node in nodes_of(scene, look_at(scene, path_of_node(scene, node)))
    assert len(scene.boxes_of(0)) <= 40


def test_a_trace_of_pytorch_is_drawn_module_by_module(real_files: Path) -> None:
    (path,) = (real_files / "tensorboard" / "adam_lr0.001").glob("events*")
    graph = read_graph(path)
    scene = drawn(graph)
    found = inside(graph, scene, look_at(scene, ""))
    titles = [(box["name"], box["op"], box["count"]) for box in found["boxes"]]
    assert titles == [
        ("x", "IO Node", 1), ("Sequential", None, 4), ("flatten", "aten::flatten", 1), ("head", "aten::linear", 1),
        ("output", "IO Node", 1),
    ]  # fmt: skip
    assert [(edge["source"], edge["target"]) for edge in found["edges"]] == [(0, 1), (1, 2), (2, 3), (3, 4)]
    layer = inside(graph, scene, look_at(scene, "1"))["boxes"]
    assert [(box["name"], box["op"]) for box in layer] == [
        ("Conv2d 0", "aten::_convolution"), ("BatchNorm2d 1", "aten::batch_norm"), ("ReLU 2", "aten::relu"),
    ]  # fmt: skip
    assert "Net/Sequential[body]/Sequential[0]/Conv2d[0]/weight" in layer[0]["params"]
    assert not any(box["bookkeeping"] for box in found["boxes"])


def test_a_layer_of_one_operator_goes_by_its_name(real_files: Path) -> None:
    (path,) = (real_files / "mindspore" / "lenet" / "mom_lr01_b32").glob("*_MS")
    graph = read_graph(path)
    scene = drawn(graph)
    boxes = inside(graph, scene, look_at(scene, ""))["boxes"]
    named = {box["name"]: box["op"] for box in boxes if box["kind"] == "node"}
    assert {name: op for name, op in named.items() if not name.startswith(op)} == {
        "conv1": "Conv2D", "conv2": "Conv2D", "flatten": "Flatten", "_loss_fn": "SparseSoftmaxCrossEntropyWithLogits",
    }  # fmt: skip
    # With the reading of its weight, which the packed readings of all weights do not take from it.
    assert [box["parameters"] for box in boxes if box["name"] in ("conv1", "conv2")] == [2, 1]
    assert {"ReLU-op0", "ReLU-op1", "MaxPool-op0"} <= set(named)


def test_gradients_stand_with_the_layers_whose_they_are(real_files: Path) -> None:
    # All products of the way back carry the scope of fc3, in MindSpore's recording.
    (path,) = (real_files / "mindspore" / "lenet" / "mom_lr01_b32").glob("*_MS")
    graph = read_graph(path)
    scene = drawn(graph)
    outer = inside(graph, scene, look_at(scene, ""))["boxes"]
    (place,) = (box["index"] for box in outer if box["name"] == "Gradients")
    rows = outline(graph, scene, look_at(scene, str(place)))
    told = [row["name"] if row["op"] is None else row["op"] for row in rows]
    assert told == [
        *("_loss_fn", "fc3", "ReluGrad", "fc2", "ReluGrad", "fc1", "Reshape"),
        *("MaxPoolGrad", "ReluGrad", "conv2", "MaxPoolGrad", "ReluGrad", "Conv2DBackpropFilter"),
    ]
    for row in rows:
        held = Counter(graph.text("op", node) for node in nodes_of(scene, look_at(scene, row["box"])).tolist())
        if row["name"].startswith("fc"):
            assert held == {"MatMul": 2, "BiasAddGrad": 1}
        if row["name"] == "conv2":
            assert (held["Conv2DBackpropInput"], held["Conv2DBackpropFilter"]) == (1, 1)


@pytest.mark.parametrize(
    ("name", "stacks", "head"),
    [
        ("resnet50", {"Bottleneck gradient": [3, 6, 4, 3]}, ("fc", {"MatMul": 2, "BiasAddGrad": 1})),
        ("bert12", {"EncoderLayer gradient": [12]}, ("pooler", {"MatMul": 2, "BiasAddGrad": 1})),
    ],
)
def test_gradients_of_repeated_layers_stay_stacked(
    real_files: Path, name: str, stacks: dict[str, list[int]], head: tuple[str, dict[str, int]]
) -> None:
    graph = real_graph(real_files, name)
    scene = drawn(graph)
    found: dict[str, list[int]] = {}
    held: dict[str, Counter[str]] = {}

    def look(path: str) -> None:
        for row in outline(graph, scene, look_at(scene, path)):
            if row["phase"] != "backward":
                continue
            if row["kind"] == "stack":
                found.setdefault(row["name"], []).append(row["count"])
            elif row["inside"]:
                nodes = nodes_of(scene, look_at(scene, row["box"])).tolist()
                held[row["name"]] = Counter(graph.text("op", node) for node in nodes)
                look(row["box"])

    look("")
    assert found == stacks
    assert held[head[0]] == head[1]


def test_a_loss_that_is_recorded_last_stands_before_the_gradients() -> None:
    builder = GraphBuilder("late")
    builder.add(NodeKind.PARAMETER, "labels", "Parameter", [])
    builder.add(NodeKind.OPERATOR, "a", "MatMul", [], scope="Default")
    builder.add(
        NodeKind.OPERATOR,
        "d",
        "LossGrad",
        [("a", 0, EdgeKind.DATA), ("labels", 0, EdgeKind.DATA)],
        scope="Gradients/Default/net/Grad_Loss",
    )
    builder.add(NodeKind.OPERATOR, "e", "MatMul", [("d", 0, EdgeKind.DATA)], scope="Gradients/Default/net/Grad_MatMul")
    builder.add(
        NodeKind.OPERATOR, "loss", "Loss", [("a", 0, EdgeKind.DATA), ("labels", 0, EdgeKind.DATA)], scope="Default/net"
    )
    builder.add(
        NodeKind.OPERATOR, "clipped", "Mul", [("e", 0, EdgeKind.DATA), ("loss", 0, EdgeKind.DATA)], scope="Default"
    )
    graph = builder.finish()
    scene = drawn(graph)
    rows = outline(graph, scene, look_at(scene, ""))
    assert [row["name"] for row in rows] == ["a", "loss", "Gradients", "clipped"]
    # The labels belong to the loss, not to its gradient.
    assert path_of_node(scene, 0) == rows[1]["box"]


def test_what_a_layer_of_several_operators_holds_keeps_its_own_name() -> None:
    builder = GraphBuilder("layers")
    builder.add(NodeKind.PARAMETER, "conv.weight", "Parameter", [])
    builder.add(NodeKind.PARAMETER, "fc.weight", "Parameter", [])
    read = [("conv.weight", 0, EdgeKind.DATA)]
    builder.add(NodeKind.OPERATOR, "a", "Conv2D", read, scope="Net/conv-Conv2d", full_name="Net/conv-Conv2d/Conv2D-op0")
    made = [("a", 0, EdgeKind.DATA), ("fc.weight", 0, EdgeKind.DATA)]
    builder.add(NodeKind.OPERATOR, "b", "MatMul", made, scope="Net/fc-Dense", full_name="Net/fc-Dense/MatMul-op0")
    made = [("b", 0, EdgeKind.DATA)]
    builder.add(NodeKind.OPERATOR, "c", "Mul", made, scope="Net/fc-Dense", full_name="Net/fc-Dense/Mul-op0")
    graph = builder.finish()
    scene = drawn(graph)
    outer = inside(graph, scene, look_at(scene, ""))["boxes"]
    assert [box["name"] for box in outer] == ["conv", "fc"]
    assert [box["name"] for box in inside(graph, scene, look_at(scene, "1"))["boxes"]] == ["MatMul-op0", "Mul-op0"]


def test_a_search_lists_boxes_first_and_bookkeeping_last(real_files: Path) -> None:
    graph = real_graph(real_files, "resnet50")
    scene = drawn(graph)
    found = search(graph, scene, "layer3", 0, 1000)
    assert [(box["name"], box["kind"]) for box in found["boxes"][:2]] == [("layer3", "group")] * 2
    assert {"layer3.0", "layer3.5"} <= {box["name"] for box in found["boxes"]}
    for box in found["boxes"]:
        assert box["operators"] <= len(nodes_of(scene, look_at(scene, box["box"])))
    ops = [row["op"] for row in found["rows"]]
    assert ops[0] == "Conv2D"
    assert ops.index("Load") > max(place for place, op in enumerate(ops) if op in ("Conv2D", "Add", "ReLU"))
    assert search(graph, scene, "layer3", 100, 10)["boxes"] == []
    assert search(graph, scene, "type:Conv2D", 0, 10)["boxes"] == []
    assert {box["name"] for box in search(graph, scene, "/^layer[34]$/", 0, 1)["boxes"]} == {"layer3", "layer4"}
    assert "layer3.0" not in {box["name"] for box in search(graph, scene, "layer3 -.0", 0, 1)["boxes"]}


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("type:matmul", lambda node: node.op == "MatMul"),
        ("-type:MatMul in:0-Layer", lambda node: node.op != "MatMul" and "0-Layer" in node.scope),
        ("/^n\\d1$/", lambda node: len(node.name) == 3 and node.name[0] == "n" and node.name[2] == "1"),
        ('"1-layer"', lambda node: "1-Layer" in node.scope or "1-Layer" in node.name),
    ],
)
def test_a_search_finds_what_a_loop_finds(query: str, wanted: object) -> None:
    graph, scene = _chosen()[0]
    expected = [index for index in range(len(graph)) if wanted(graph.node(index))]  # type: ignore[operator]
    found = search(graph, scene, query, 0, 1000)
    assert expected
    assert (found["error"], sorted(row["node"] for row in found["rows"])) == (None, expected)


@pytest.mark.parametrize("query", ["/(/", "/(a+)+b/", "shape:x", '"open', "type:", "/open"])
def test_a_wrong_term_is_pointed_at(query: str) -> None:
    graph, scene = _chosen()[0]
    error = search(graph, scene, f"good {query}", 0, 10)["error"]
    assert (error["term"], error["start"]) == (query, 5)


def test_ways_are_as_networkx_finds_them() -> None:
    import networkx as nx

    graph, scene = _chosen()[2]
    view = graph.networkx
    for node in range(0, len(graph), 37):
        up = trace(graph, scene, node, up=True, steps=10_000)
        assert up["nodes"] == len(nx.ancestors(view, node))
        assert (
            trace(graph, scene, node, up=False, steps=2)["nodes"]
            == len(nx.single_source_shortest_path_length(view, node, 2)) - 1
        )
        other = (node * 7 + 3) % len(graph)
        if nx.has_path(view, node, other):
            way = shortest_way(graph, scene, node, other)
            assert way["directed"]
            assert len(way["nodes"]) == nx.shortest_path_length(view, node, other) + 1
