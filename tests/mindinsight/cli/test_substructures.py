"""`mindinsight substructures` on small graphs: its output and its refusals."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from mindinsight.cli import main
from summaries import SummaryWriter
from summaries.schema.anf_ir_pb2 import GraphProto, ModelProto


@pytest.fixture
def layers() -> GraphProto:
    """Six equal layers of five operators, with a weight each and an order that only control edges tell."""
    graph = GraphProto(name="net")
    graph.parameters.add(name="x")
    before = "x"
    for layer in range(6):
        graph.parameters.add(name=f"layers.{layer}.weight")
        for op in ("MatMul", "BiasAdd", "GeLU", "LayerNorm", "Dropout"):
            node = graph.node.add(name=f"{layer}/{op} 层", op_type=op, scope=f"Default/{layer}-Layer")
            node.input.add(name=before)
            if op == "MatMul":
                node.input.add(name=f"layers.{layer}.weight")
                first = node.name
            if op == "Dropout":
                node.input.add(name=first, type=1)
            before = node.name
    return graph


def run(*arguments: str) -> tuple[int, str, str]:
    """Runs the command."""
    done = CliRunner().invoke(main, ["substructures", *arguments])
    return done.exit_code, done.stdout, done.stderr


def test_the_plain_form_names_nodes_and_edges(layers: GraphProto, tmp_path: Path) -> None:
    source, target = tmp_path / "graph.pb", tmp_path / "out.json"
    source.write_bytes(layers.SerializeToString())
    code, _, said = run(str(source), "-o", str(target))
    assert code == 0, said
    document = json.loads(target.read_text())
    assert list(document) == ["0"]
    assert len(document["0"]) == 6
    nodes, edges = document["0"][3]
    assert sorted(nodes) == sorted(
        ["layers.3.weight", *(f"3/{op} 层" for op in ("MatMul", "BiasAdd", "GeLU", "LayerNorm", "Dropout"))]
    )
    assert ["layers.3.weight", "3/MatMul 层", 1] in edges
    assert ["3/MatMul 层", "3/Dropout 层", 1] in edges
    assert len(edges) == 6
    assert "6 x Layer: 6 nodes" in said


def test_all_sources_give_the_same(layers: GraphProto, tmp_path: Path) -> None:
    bare, model = tmp_path / "bare.pb", tmp_path / "model.pb"
    bare.write_bytes(layers.SerializeToString())
    model.write_bytes(ModelProto(ir_version=1, graph=layers).SerializeToString())
    with SummaryWriter(tmp_path / "run") as writer:
        writer.add_graph(layers)
    (events,) = (path for path in (tmp_path / "run").iterdir() if path.name.endswith("_MS"))
    answers = [run(str(path))[1] for path in (bare, model, events)]
    assert answers[0] == answers[1] == answers[2]
    assert json.loads(answers[0])["0"]


def test_the_full_form_and_the_options(layers: GraphProto, tmp_path: Path) -> None:
    source = tmp_path / "graph.pb"
    source.write_bytes(layers.SerializeToString())
    code, answer, _ = run(str(source), "--format", "full", "--equivalence", "shape", "--min-size", "5")
    assert code == 0
    document = json.loads(answer)
    assert (document["equivalence"], document["nodes"]) == ("shape", 37)
    assert document["substructures"][0]["count"] == 6
    assert json.loads(run(str(source), "--min-size", "7")[1]) == {}


def test_what_is_no_graph_is_refused(tmp_path: Path) -> None:
    source = tmp_path / "graph.pb"
    source.write_bytes(b"no graph")
    code, _, said = run(str(source))
    assert code == 1
    assert "no graph was found" in said
    assert run(str(tmp_path / "none.pb"))[0] == 2
    assert run(str(source), "--equivalence", "name")[0] == 2


def test_defects_are_told(layers: GraphProto, tmp_path: Path) -> None:
    layers.node[0].input[0].name = "gone"
    source = tmp_path / "graph.pb"
    source.write_bytes(layers.SerializeToString())
    code, _, said = run(str(source))
    assert code == 0
    assert "has the input 'gone', which does not exist" in said
