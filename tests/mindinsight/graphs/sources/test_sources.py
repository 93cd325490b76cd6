"""Which graphs there are and how links name them; nothing is looked for again where no file has changed."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from urllib.parse import quote

import pytest
from django.test import Client

from mindinsight.environment import Environment
from mindinsight.graphs.passes import listing
from mindinsight.graphs.sources import pipelines
from mindinsight.graphs.tasks import analyse
from mindinsight.runs.models import EventFile, Run
from mindinsight.store import ColumnStore
from summaries import SummaryWriter
from summaries.records import frame
from summaries.schema.anf_ir_pb2 import GraphProto, ModelProto
from summaries.schema.lineage_pb2 import DatasetGraph, LineageEvent
from tests.mindinsight.graphs.recorded import proto, take
from tests.mindinsight.published import answer

SOURCES = "/api/graphs/sources"


@pytest.fixture
def folder(environment: Environment, db: None) -> Path:
    """The directory of a run without files."""
    shutil.rmtree(environment.base_directory, ignore_errors=True)
    directory = environment.base_directory / "nets" / "a: 1%"
    directory.mkdir(parents=True)
    Run.objects.create(name="nets/a: 1%")
    return directory


def names(client: Client) -> list[tuple[str, str]]:
    """Kind and name of every graph."""
    return [(row["kind"], row["name"]) for row in answer(client, SOURCES)["sources"]]


def boxes(client: Client, worker: list[int], graph: str) -> list[str]:
    """The names of the boxes of a graph that a worker has analysed."""
    path = f"/api/graphs/inside?graph={quote(graph, safe='')}"
    if client.get(path).status_code == 202:
        analyse(worker[-1])
    return [box["name"] for box in answer(client, path)["boxes"]]


def small(*ops: str) -> GraphProto:
    """Operators in a row."""
    graph = GraphProto(name="small")
    for number, op in enumerate(ops):
        node = graph.node.add(name=str(number), op_type=op, full_name=op)
        if number:
            node.input.add(name=str(number - 1))
    return graph


def test_bare_files_are_graphs(client: Client, folder: Path, worker: list[int]) -> None:
    (folder / "bare.pb").write_bytes(small("ReLU", "Softmax").SerializeToString())
    (folder / "deep 层").mkdir()
    (folder / "deep 层" / "model.pb").write_bytes(ModelProto(graph=small("Conv2D")).SerializeToString())
    (folder / "none.pb").write_bytes(b"no graph at all")
    (folder / "link.pb").symlink_to(folder / "bare.pb")
    rows = answer(client, SOURCES)["sources"]
    assert [(row["kind"], row["name"]) for row in rows] == [
        ("file", "bare.pb"),
        ("file", "deep 层/model.pb"),
        ("file", "none.pb"),
    ]
    assert rows[0]["graph"] == "file:nets/a%3A%201%25:bare.pb"
    assert boxes(client, worker, rows[0]["graph"]) == ["ReLU", "Softmax"]
    assert boxes(client, worker, rows[1]["graph"]) == ["Conv2D"]
    broken = f"/api/graphs/inside?graph={quote(rows[2]['graph'], safe='')}"
    answer(client, broken, 202)
    analyse(worker[-1])
    refused = answer(client, broken, 409)
    assert (refused["code"], "none.pb: no graph was found" in refused["message"]) == ("graph_damaged", True)


def test_a_file_that_is_written_again_is_read_again(client: Client, folder: Path, worker: list[int]) -> None:
    (folder / "net.pb").write_bytes(small("ReLU").SerializeToString())
    graph = answer(client, SOURCES)["sources"][0]["graph"]
    assert boxes(client, worker, graph) == ["ReLU"]
    (folder / "net.pb").write_bytes(small("ReLU", "Softmax").SerializeToString())
    assert boxes(client, worker, graph) == ["ReLU", "Softmax"]
    (folder / "net.pb").unlink()
    assert answer(client, f"/api/graphs/inside?graph={quote(graph, safe='')}", 404)["code"] == "unknown_graph"
    assert names(client) == []


@pytest.mark.parametrize(
    "path", ["../secret.pb", "/etc/secret.pb", "%2e%2e/secret.pb", "x/../../secret.pb", "\udcff.pb"]
)
def test_nothing_outside_of_the_run_is_a_graph(client: Client, folder: Path, path: str) -> None:
    (folder.parent / "secret.pb").write_bytes(small("ReLU").SerializeToString())
    for kind in ("file", "pass"):
        named = f"{kind}:nets/a%3A%201%25:{quote(os.fsencode(path))}"
        answer(client, f"/api/graphs/inside?graph={quote(named, safe='')}", 404)


def test_a_directory_that_became_a_link_shows_nothing(
    client: Client, folder: Path, worker: list[int], tmp_path: Path
) -> None:
    (folder / "net.pb").write_bytes(small("ReLU").SerializeToString())
    named = next(row["graph"] for row in answer(client, SOURCES)["sources"])
    path = f"/api/graphs/inside?graph={quote(named, safe='')}"
    assert client.get(path).status_code == 202
    folder.parent.rename(tmp_path / "elsewhere")
    folder.parent.symlink_to(tmp_path / "elsewhere")
    answer(client, path, 404)


def test_files_in_the_directory_of_another_run_are_its_own(client: Client, folder: Path) -> None:
    Run.objects.create(name="nets")
    (folder / "inner.pb").write_bytes(small("ReLU").SerializeToString())
    (folder.parent / "outer.pb").write_bytes(small("ReLU").SerializeToString())
    rows = answer(client, SOURCES)["sources"]
    assert sorted(row["graph"] for row in rows) == ["file:nets/a%3A%201%25:inner.pb", "file:nets:outer.pb"]


@pytest.mark.parametrize("name", ["gone", "%FF", "%00"])
def test_a_run_that_is_gone_is_told(client: Client, db: None, name: str) -> None:
    for kind in ("dataset", "graph", "file", "pass"):
        named = f"{kind}:{name}" + ("" if kind == "dataset" else ":0")
        told = answer(client, f"/api/graphs/inside?graph={quote(named, safe='')}", 404)
        assert told["code"] == "unknown_run", kind


def test_links_outlive_a_store_that_is_read_anew(
    client: Client, environment: Environment, db: None, worker: list[int]
) -> None:
    ColumnStore(environment.data_directory / "columns").clear()
    shutil.rmtree(environment.base_directory, ignore_errors=True)
    files = []
    for number, op in enumerate(("First", "Second")):
        with SummaryWriter(environment.base_directory / "run", filename_suffix=f"_{number}") as writer:
            writer.add_graph(small(op, op))
        assert writer.path is not None
        files.append(writer.path)

    def recorded() -> list[str]:
        for number, path in enumerate(files):
            take(environment, path)
            EventFile.objects.filter(path=f"run/{path.name}").update(opened=number)
        return [row["graph"] for row in answer(client, SOURCES)["sources"]]

    before = recorded()
    assert before == ["graph:run:0", "graph:run:0.1"]
    assert boxes(client, worker, before[1]) == ["Second", "Second"]
    Run.objects.all().delete()
    ColumnStore(environment.data_directory / "columns").clear()
    Run.objects.create(name="another one that is read first")
    files.reverse()
    assert sorted(recorded()) == before
    files.reverse()
    for number, path in enumerate(files):
        EventFile.objects.filter(path=f"run/{path.name}").update(opened=number)
    assert boxes(client, worker, before[1]) == ["Second", "Second"]
    gone = answer(client, "/api/graphs/inside?graph=graph:run:8", 404)
    assert (gone["code"], "step 8" in gone["message"]) == ("unknown_graph", True)


def test_what_has_not_changed_is_not_looked_at_again(
    client: Client, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pipeline = DatasetGraph()
    pipeline.parameter.mapStr["op_type"] = "Mnist"
    lineage = folder / "events.summary.1.0.vm_lineage"
    lineage.write_bytes(frame(LineageEvent(wall_time=1.0, dataset_graph=pipeline).SerializeToString()))
    EventFile.objects.create(run=Run.objects.get(), path=f"nets/a: 1%/{lineage.name}", kind=EventFile.Kind.LINEAGE)
    (folder / "net.pb").write_bytes(proto().SerializeToString())
    for path in (folder, lineage):
        os.utime(path, (1e9, 1e9))
    looked: list[str] = []

    def watched(kind: str, work: object) -> object:
        def working(*args: object) -> object:
            looked.append(kind)
            return work(*args)  # type: ignore[operator]

        return working

    monkeypatch.setattr(listing.os, "scandir", watched("directory", os.scandir))
    monkeypatch.setattr(pipelines, "read_pipeline", watched("lineage", pipelines.read_pipeline))
    expected = [("dataset", lineage.name), ("file", "net.pb")]
    assert names(client) == expected
    assert sorted(looked) == ["directory", "lineage"]
    looked.clear()
    assert names(client) == expected
    assert looked == []
    (folder / "other.pb").write_bytes(proto().SerializeToString())
    lineage.write_bytes(b"")
    assert names(client) == [("file", "net.pb"), ("file", "other.pb")]
    assert sorted(looked) == ["directory", "lineage"]
