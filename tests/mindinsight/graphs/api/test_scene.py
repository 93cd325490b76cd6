"""Drawn graphs through the API: the result for real networks, and a response to every request."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from django.test import Client

from mindinsight.environment import Environment
from mindinsight.graphs.tasks import analyse
from mindinsight.runs.models import EventFile, Run
from mindinsight.store import ColumnStore
from summaries.records import frame
from summaries.schema.anf_ir_pb2 import GraphProto
from tests.mindinsight.graphs.graph_edits import copied, real_proto
from tests.mindinsight.graphs.recorded import proto, take
from tests.mindinsight.published import answer

Ask = Callable[..., Any]


@pytest.fixture
def ask(client: Client, worker: list[int]) -> Ask:
    """Asks about a graph, once it is analysed."""

    def asking(graph: str, what: str = "inside", status: int = 200, **said: object) -> Any:
        words = "".join(f"&{name}={quote(str(value), safe='')}" for name, value in said.items())
        path = f"/api/graphs/{what}?graph={quote(graph, safe='')}{words}"
        if client.get(path).status_code == 202:
            analyse(worker[-1])
        return answer(client, path, status)

    return asking


@pytest.fixture
def real(environment: Environment, real_files: Path, db: None) -> Callable[[str], str]:
    """Takes a real graph into the store and says how the questions name it."""

    def taking(name: str) -> str:
        (file,) = (real_files / "mindspore" / name).glob("*_MS")
        folder = environment.base_directory / name
        folder.mkdir(parents=True, exist_ok=True)
        ColumnStore(environment.data_directory / "columns").clear()
        return f"series:{take(environment, Path(shutil.copy(file, folder)))}"

    return taking


def walk(ask: Ask, graph: str, box: str = "") -> Iterator[dict[str, Any]]:
    """All boxes below a box, with their paths; of stacks the first occurrence."""
    for found in ask(graph, box=box)["boxes"]:
        path = f"{box}.{found['index']}" if box else str(found["index"])
        yield {**found, "path": path}
        if found["inside"] and found["kind"] == "group":
            yield from walk(ask, graph, path)


def test_resnet_reads_as_four_layers_of_bottlenecks(ask: Ask, real: Callable[[str], str]) -> None:
    graph = real("resnet50")
    root = ask(graph)
    assert len(root["boxes"]) <= 60
    layers = [box for box in root["boxes"] if box["name"].startswith("layer")]
    assert [box["name"] for box in layers] == ["layer1", "layer2", "layer3", "layer4"]
    counts = []
    for layer in layers:
        inside = ask(graph, box=str(layer["index"]))["boxes"]
        (stack,) = [box for box in inside if box["kind"] == "stack"]
        (shortcut,) = [box for box in inside if box["kind"] == "one"]
        assert (stack["name"], shortcut["params"][0].split(".")[2]) == ("Bottleneck", "down_sample")
        assert 0 in stack["variants"]
        counts.append(stack["count"])
    assert counts == [3, 4, 6, 3]


def test_bert_reads_as_twelve_encoder_layers(ask: Ask, real: Callable[[str], str]) -> None:
    graph = real("bert12")
    stacks = [box for box in walk(ask, graph) if box["kind"] == "stack"]
    layers = [box for box in stacks if box["name"] == "EncoderLayer"]
    assert [(box["count"], box["phase"]) for box in layers] == [(12, "forward")]
    shown = ask(graph, box=layers[0]["path"])
    assert [row["name"] for row in shown["instances"]] == [f"layers.{number}" for number in range(12)]
    assert shown["instances"][0]["differs"] is False
    assert [row["reads"] for row in shown["instances"]] == [[], *([number] for number in range(11))]


def test_every_question_about_a_real_graph_has_its_answer(ask: Ask, real: Callable[[str], str]) -> None:
    graph = real("resnet50")
    root = ask(graph)
    found = ask(graph, "search", query="type:Conv2D in:layer2-SequentialCell/1- -in:Grad", count=2)
    assert (found["error"], len(found["rows"]), found["by_op"]) == (None, 2, {"Conv2D": 3})
    node = found["rows"][-1]["node"]
    told = ask(graph, "node", node=node)
    assert told["op"] == "Conv2D"
    assert told["box"] == found["rows"][-1]["box"] == ask(graph, "box", node=node)["box"]
    places = ask(graph, "places")
    assert (places["complete"], places["places"][told["full_name"]]) == (True, told["box"])
    assert {row["name"] for row in told["substructures"]} == {"Bottleneck", "Conv2D + BatchNorm"}
    assert [row["box"] for row in ask(graph, "outline")["rows"]] == [str(box["index"]) for box in root["boxes"]]
    assert ask(graph, "outline", box=told["box"])["rows"] == []
    up = ask(graph, "trace", node=node, direction="up", steps=2)
    assert (up["complete"], up["nodes"] > 0) == (True, True)
    source = told["inputs"][0]["node"]
    way = ask(graph, "path", source=source, target=node)
    assert ([row["node"] for row in way["nodes"]], way["directed"]) == ([source, node], True)
    for by in ("op", "device", "precision", "memory", "kernel"):
        colours = ask(graph, "overlay", by=by)
        assert len(colours["values"]) == len(root["boxes"])
        assert ask(graph, by=by) == {**root, "overlay": {"by": by, **colours}}
    differing = ask(graph, "instances", box="2.0", left=0, right=1)
    assert differing["total"] == len(differing["places"]) > 0
    assert {"type"} <= {name for row in differing["places"] for name in row["differs"]}
    assert ask(graph, "instances", box="2.0", left=1, right=2)["total"] == 0


def test_what_goes_back_is_paired_with_what_goes_forward(ask: Ask, real: Callable[[str], str]) -> None:
    graph = real("resnet50")
    for box in ask(graph)["boxes"]:
        if box["name"].startswith("layer"):
            above, _, index = box["pair"].rpartition(".")
            twin = ask(graph, box=above)["boxes"][int(index)]
            assert (twin["name"], twin["phase"], twin["pair"]) == (box["name"], "backward", str(box["index"]))


@pytest.mark.parametrize(
    ("what", "said", "status", "code"),
    [
        ("inside", {"box": "999"}, 404, "unknown_box"),
        ("inside", {"box": "a"}, 404, "unknown_box"),
        ("inside", {"box": "0.0.0.0.0"}, 404, "unknown_box"),
        ("node", {"node": 10**6}, 404, "unknown_node"),
        ("path", {"source": 0, "target": 10**6}, 404, "unknown_node"),
        ("instances", {"box": "0", "left": 0, "right": 10**6}, 404, "unknown_occurrence"),
        ("changes", {}, 400, "no_comparison"),
        ("changed-edges", {}, 400, "no_comparison"),
        ("overlay", {"by": "taste"}, 400, "bad_parameter"),
        ("inside", {"by": "taste"}, 400, "bad_parameter"),
    ],
)
def test_wrong_questions_are_refused(
    ask: Ask, series: int, what: str, said: dict[str, object], status: int, code: str
) -> None:
    ask(f"series:{series}")
    assert ask(f"series:{series}", what, status, **said)["code"] == code


@pytest.mark.parametrize(
    "graph", ["", "series", "series:x", "series:1:y", "pass:1", "diff:a", "diff:a~b", "file:1", "graph:a:b"]
)
def test_what_names_no_graph_is_refused(client: Client, db: None, graph: str) -> None:
    assert answer(client, f"/api/graphs/inside?graph={quote(graph)}", 400)["code"] == "bad_parameter"


def test_a_damaged_graph_is_refused_with_a_reason(client: Client, environment: Environment, db: None, ask: Ask) -> None:
    ColumnStore(environment.data_directory / "columns").clear()
    folder = environment.base_directory / "damaged"
    folder.mkdir(exist_ok=True)
    path = folder / "events.out.events.summary.1.0.vm_MS"
    # Field 4 of the event is a graph whose first node breaks off.
    event = b"\x09" + bytes(8) + b"\x22\x04" + b"\x0a\x7f\x01\x02"
    path.write_bytes(frame(event))
    number = take(environment, path)
    assert client.get(f"/api/graphs/inside?graph=series:{number}").status_code == 202
    refused = ask(f"series:{number}", status=409)
    assert refused["code"] == "graph_damaged"
    assert refused["message"]


def test_unchanged_answers_are_not_sent_again(client: Client, ask: Ask, series: int) -> None:
    ask(f"series:{series}")
    path = f"/api/graphs/inside?graph=series:{series}"
    etag = client.get(path).headers["ETag"]
    assert client.get(path, headers={"If-None-Match": etag}).status_code == 304


def test_graphs_are_listed_and_two_are_compared(ask: Ask, client: Client, series: int, worker: list[int]) -> None:
    (row,) = answer(client, "/api/graphs/sources")["sources"]
    assert (row["graph"], row["kind"], row["nodes"]) == ("graph:a:0", "graph", None)
    size = sum(box["nodes"] for box in ask(row["graph"])["boxes"])
    assert answer(client, "/api/graphs/sources")["sources"][0]["nodes"] == size
    both = quote(row["graph"], safe="")
    comparison = f"diff:{both}~{both}"
    assert {box["status"] for box in ask(comparison)["boxes"]} == {"same"}
    changes = ask(comparison, "changes")
    assert (changes["counts"]["same"], changes["rows"]) == (size, [])
    assert ask(comparison, "node", node=0)["status"] == "same"


def test_dumps_of_passes_are_one_history(ask: Ask, client: Client, series: int, environment: Environment) -> None:
    dumps = environment.base_directory / "a" / "dumps"
    shutil.rmtree(dumps, ignore_errors=True)
    dumps.mkdir()
    (dumps / "00_start.pb").write_bytes(proto().SerializeToString())
    changed = proto()
    changed.node[3].op_type = "Other"
    (dumps / "01_opt_a.pb").write_bytes(changed.SerializeToString())
    (history,) = [row for row in answer(client, "/api/graphs/sources")["sources"] if row["kind"] == "pass"]
    assert [row["name"] for row in history["passes"]] == ["start", "opt_a"]
    assert [row["graph"] for row in history["passes"]] == ["pass:a:dumps/00_start", "pass:a:dumps/01_opt_a"]
    first, last = (row["graph"] for row in history["passes"])
    assert ask(first)["boxes"]
    comparison = f"diff:{quote(first, safe='')}~{quote(last, safe='')}"
    assert "changed" in {box["status"] for box in ask(comparison)["boxes"]}
    changes = ask(comparison, "changes")
    assert changes["counts"]["same"] == len(proto().node) + len(proto().parameters) + len(proto().const_vals) - 1
    assert {row["status"] for row in changes["rows"]} <= {"changed", "added", "removed"}
    shutil.rmtree(dumps)
    assert ask(first, status=404)["code"] == "unknown_graph"


def wired(*edges: tuple[int, int]) -> GraphProto:
    """Six operators of different types with edges between them."""
    graph = GraphProto(name="wired")
    for number, op in enumerate(("Conv2D", "ReLU", "MaxPool", "Flatten", "MatMul", "Softmax")):
        graph.node.add(name=str(number), op_type=op, full_name=op)
    for source, target in edges:
        graph.node[target].input.add(name=str(source))
    return graph


def test_a_comparison_tells_what_became_of_boxes_and_edges(ask: Ask, environment: Environment, db: None) -> None:
    folder = environment.base_directory / "wired"
    folder.mkdir(exist_ok=True)
    Run.objects.create(name="wired")
    chain = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)]
    (folder / "before.pb").write_bytes(wired(*chain, (0, 3)).SerializeToString())
    after = wired(*chain, (1, 5))
    after.node.add(name="6", op_type="Cast", full_name="Cast").input.add(name="5")
    (folder / "after.pb").write_bytes(after.SerializeToString())
    comparison = f"diff:{quote('file:wired:before.pb', safe='')}~{quote('file:wired:after.pb', safe='')}"
    shown = ask(comparison)
    names = {box["index"]: box["name"] for box in shown["boxes"]}
    nothing = {"added": 0, "removed": 0, "changed": 0}
    told = {box["name"]: (box["status"], box["changes"]) for box in shown["boxes"]}
    assert told["Cast"] == ("added", {**nothing, "added": 1})
    assert told["Flatten"] == told["Softmax"] == ("changed", {**nothing, "changed": 1})
    assert told["ReLU"] == ("same", nothing)
    edges = {(names[edge["source"]], names[edge["target"]]): edge["status"] for edge in shown["edges"]}
    assert edges == {
        ("Conv2D", "ReLU"): "same",
        ("ReLU", "MaxPool"): "same",
        ("MaxPool", "Flatten"): "same",
        ("Conv2D", "Flatten"): "removed",
        ("Flatten", "MatMul"): "same",
        ("ReLU", "Softmax"): "added",
        ("MatMul", "Softmax"): "same",
        ("Softmax", "Cast"): "added",
    }
    listed = ask(comparison, "changed-edges")
    assert listed["counts"] == {"added": 2, "removed": 1, "same": 5}
    assert listed["total"] == 3
    rows = [(row["status"], row["source"]["op"], row["target"]["op"]) for row in listed["rows"]]
    assert sorted(rows[:2]) == [("added", "ReLU", "Softmax"), ("removed", "Conv2D", "Flatten")]
    assert rows[2] == ("added", "Softmax", "Cast")
    (gone,) = [row for row in listed["rows"] if row["status"] == "removed"]
    inputs = ask(comparison, "node", node=gone["target"]["node"])["inputs"]
    assert [(row["op"], row["status"]) for row in inputs] == [("MaxPool", "same"), ("Conv2D", "removed")]
    assert ask("file:wired:after.pb")["edges"][0]["status"] is None


def test_a_comparison_tells_which_occurrence_of_a_stack_changed(
    ask: Ask, environment: Environment, real_files: Path, db: None
) -> None:
    folder = environment.base_directory / "layers"
    folder.mkdir(exist_ok=True)
    Run.objects.create(name="layers")
    before = real_proto(real_files, "bert12")
    after = copied(before)
    softmaxes = [node for node in after.node if node.op_type == "Softmax"]
    assert len(softmaxes) == 12
    softmaxes[7].attribute.add(name="axis").value.int_val = 7
    for name, graph in (("before", before), ("after", after)):
        (folder / f"{name}.pb").write_bytes(graph.SerializeToString())
    comparison = f"diff:{quote('file:layers:before.pb', safe='')}~{quote('file:layers:after.pb', safe='')}"
    (layers,) = [box for box in walk(ask, comparison) if box["kind"] == "stack" and box["name"] == "EncoderLayer"]
    shown = ask(comparison, box=layers["path"])["instances"]
    assert [row["instance"] for row in shown if row["status"] != "same"] == [7]
    assert (shown[7]["status"], shown[7]["changes"]) == ("changed", {"added": 0, "removed": 0, "changed": 1})


def test_the_input_pipeline_of_a_run_is_a_graph(ask: Ask, environment: Environment, real_files: Path, db: None) -> None:
    folder = environment.base_directory / "lenet"
    folder.mkdir(exist_ok=True)
    source = min((real_files / "mindspore" / "lenet" / "adam_lr01_b64").glob("*_lineage"))
    path = Path(shutil.copy(source, folder))
    run = Run.objects.create(name="lenet")
    EventFile.objects.create(
        run=run, path=str(path.relative_to(environment.base_directory)), kind=EventFile.Kind.LINEAGE
    )
    names = [box["name"] for box in ask("dataset:lenet")["boxes"]]
    assert any("Batch" in name for name in names)
