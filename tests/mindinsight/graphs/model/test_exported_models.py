"""Model files as graphs: ONNX's, MindSpore's and the training core's, with loops, types and missing operators."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path

import numpy as np
import pytest

import framework as ms
from framework import nn
from mindinsight.graphs.model import EdgeKind, Graph, GraphError, Node, NodeKind, graph_from_bytes
from mindinsight.graphs.passes import find_dumps, open_dump
from tests.framework.mindir.writing_mindir import File, a_loop
from tests.framework.onnx.writing import graph as onnx_graph
from tests.framework.onnx.writing import node as onnx_node
from tests.framework.onnx.writing import written as written_onnx

FLOAT, BOOL = 1, 9


def _nodes(graph: Graph) -> dict[str, Node]:
    return {graph.node(index).full_name: graph.node(index) for index in range(len(graph))}


def _read(path: Path) -> Graph:
    return graph_from_bytes(path.read_bytes(), path.name)


def test_an_onnx_model_has_types_scopes_and_the_bodies_of_branches(tmp_path: Path) -> None:
    ways = [onnx_graph([onnx_node(kind, ["h"], [kind.lower()])], {}, [kind.lower()]) for kind in ("Relu", "Neg")]
    nodes = [
        onnx_node("MatMul", ["x", "w"], ["h"]),
        onnx_node("If", ["c"], ["y"], then_branch=ways[0], else_branch=ways[1]),
    ]
    nodes[0].name = "/encoder/layer0/MatMul"
    inputs = {"x": (FLOAT, ["n", 3]), "c": (BOOL, [])}
    path = written_onnx(tmp_path, onnx_graph(nodes, inputs, ["y"], {"w": np.ones((3, 2), np.float32)}))
    graph = _read(path)
    found = _nodes(graph)
    assert not graph.defects
    assert (found["x"].kind, found["x"].type) == (NodeKind.PARAMETER, "Float32[n,3]")
    assert found["w"].type == "Float32[3,2]"
    assert found["/encoder/layer0/MatMul"].scope == "encoder/layer0"
    assert [found[f"the_{name}"].scope for name in ("relu", "neg")] == ["y/then_branch", "y/else_branch"]
    branch = next(index for index in range(len(graph)) if graph.node(index).op == "If")
    edges = graph.in_kind[graph.in_ptr[branch] : graph.in_ptr[branch + 1]]
    assert edges.tolist() == [EdgeKind.DATA, EdgeKind.CONTROL, EdgeKind.CONTROL]


def test_loops_of_mindspore_are_scopes_and_no_cycle(tmp_path: Path) -> None:
    graph = _read(a_loop().write(tmp_path))
    assert not graph.defects
    nodes = [graph.node(index) for index in range(len(graph))]
    scopes = {node.op: node.scope for node in nodes}
    assert (scopes["LessScalar"], scopes["Mul"]) == ("header/Default", "scaled/Default")
    assert [node.full_name for node in nodes if node.type == "Float32[3]" and not node.scope] == ["w", "x"]
    calls = [json.loads(node.attributes)["calls"] for node in nodes if node.op == "Call" and node.attributes]
    assert calls == [["header"], ["header"]]


def test_operators_that_are_missing_are_marked_with_the_reason(tmp_path: Path) -> None:
    file = File()
    main = file.model.graph
    file.returns(main, file.apply(main, "Wink", [file.input(main, "x", [2])], "y"))
    nodes = [onnx_node("Wink", ["x"], ["a"]), onnx_node("LayerNormalization", ["a", "a"], ["y"])]
    model = onnx_graph(nodes, {"x": (FLOAT, [2])}, ["y"])
    for path, reason in (
        (file.write(tmp_path), "ms.load has no operator Wink."),
        (written_onnx(tmp_path, model), "ms.load_onnx has no operator Wink (opset 18)."),
    ):
        graph = _read(path)
        (defect,) = graph.defects
        node = graph.node(defect.node)
        assert (defect.code, node.op) == ("missing_operator", "Wink")
        assert reason in defect.message
        assert json.loads(node.attributes)["missing"] == reason


def test_our_own_model_file_has_its_weights_and_inner_functions(tmp_path: Path) -> None:
    class Steps(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.dense = nn.Dense(3, 3)

        def construct(self, x: ms.Tensor) -> ms.Tensor:
            while x.sum() < 10.0:
                x = x + self.dense(x) ** 2 + 0.5
            return x

    path = ms.export(Steps(), ms.Tensor(np.ones((2, 3), np.float32)), file_name=tmp_path / "steps")
    old = tmp_path / "steps.mindir"  # The suffix of earlier versions.
    old.write_bytes(path.read_bytes())
    for file in (path, old):
        graph = _read(file)
        assert not graph.defects
        found = _nodes(graph)
        assert found["dense.weight"].type == "Float32[3,3]"
        assert {graph.node(index).op for index in range(len(graph))} >= {"MatMul", "Switch", "Call"}
        assert any(node.scope for node in found.values())


def test_model_files_are_found_below_a_run_and_opened(tmp_path: Path) -> None:
    folder = tmp_path / "run" / "models"
    folder.mkdir(parents=True)
    a_loop().write(folder)
    found = find_dumps(tmp_path / "run")
    assert list(found.files) == ["models/net.mindir"]
    assert open_dump([found.files["models/net.mindir"]]).title == "main"


def test_damaged_model_files_are_read_or_refused(tmp_path: Path) -> None:
    random.seed(2)
    nodes = [onnx_node("Relu", ["x"], ["y"])]
    files = [a_loop().write(tmp_path), written_onnx(tmp_path, onnx_graph(nodes, {"x": (FLOAT, [2])}, ["y"]))]
    contents = [path.read_bytes() for path in files]
    for number in range(5000 if os.environ.get("MINDINSIGHT_TEST_COUNTS") == "long" else 200):
        content = bytearray(random.choice(contents))
        if number % 4 == 0:
            del content[random.randrange(len(content)) :]
        for _ in range(random.randrange(1, 4) if content else 0):
            content[random.randrange(len(content))] ^= 1 << random.randrange(8)
        try:
            graph_from_bytes(bytes(content))
        except GraphError as error:
            text = str(error)
        else:
            continue
        assert "\n" not in text


def test_models_of_other_frameworks_have_no_defect() -> None:
    if not os.environ.get("CASES_INTEROP"):
        pytest.skip("CASES_INTEROP names no folder with models of other frameworks")
    models = [path for path in Path(os.environ["CASES_INTEROP"]).glob("*/*/model.*") if path.suffix != ".ckpt"]
    assert models
    for path in models:
        graph = _read(path)
        assert len(graph) > 5, path
        assert not graph.defects, path
