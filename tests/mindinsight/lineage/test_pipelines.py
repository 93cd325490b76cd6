"""The input pipelines of runs against each other, through the API."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from mindinsight.environment import Environment
from mindinsight.graphs.sources import pipelines
from mindinsight.ingest.follower import Follower
from mindinsight.runs.models import Run
from summaries import SummaryWriter
from summaries.schema.lineage_pb2 import DatasetGraph, LineageEvent
from tests.mindinsight.ingest.conftest import read_all
from tests.mindinsight.lineage.test_real_lineage import LENET
from tests.mindinsight.published import answer

PATH = "/api/lineage/pipelines"


def source(name: str, samples: int) -> DatasetGraph:
    graph = DatasetGraph()
    graph.parameter.mapStr["op_type"] = name
    graph.parameter.mapStr["dataset_dir"] = f"/data/{name}"
    graph.sampler.operationParam.mapStr["sampler_type"] = "RandomSampler"
    graph.sampler.operationParam.mapInt["num_samples"] = samples
    return graph


def behind(name: str, *children: DatasetGraph, **numbers: int) -> DatasetGraph:
    graph = DatasetGraph(children=children)
    graph.parameter.mapStr["op_type"] = name
    graph.parameter.mapInt.update(numbers)
    return graph


def write(environment: Environment, run: str, *noted: DatasetGraph) -> None:
    with SummaryWriter(environment.base_directory / run, environment=False) as writer:
        writer.add_scalar("loss", 1.0, 1)
        for graph in noted:
            writer.add_lineage(LineageEvent(wall_time=1.0, dataset_graph=graph))


def told(client: Client, environment: Environment, query: str = "") -> tuple[dict[str, Any], dict[int, str]]:
    read_all(Follower(environment))
    return answer(client, PATH + query), dict(Run.objects.values_list("pk", "name"))


def columns(found: dict[str, Any], *, differs: bool) -> list[str]:
    return [f"{one['key']}.{one['argument']}" for one in found["columns"] if one["differs"] is differs]


def test_the_real_runs_differ_only_in_their_batch_size(
    client: Client, environment: Environment, transactional_db: None, real_files: Path
) -> None:
    for name in LENET:
        for path in (real_files / "mindspore" / "lenet" / name).glob("*_lineage"):
            kept = environment.base_directory / name / path.name
            kept.parent.mkdir(exist_ok=True)
            shutil.copyfile(path, kept)
    found, names = told(client, environment)
    runs = {
        one["operations"][-1]["arguments"]["batch_size"]: sorted(names[run] for run in one["runs"])
        for one in found["pipelines"]
    }
    assert runs == {size: sorted(name for name in LENET if name.endswith(f"_b{size}")) for size in (32, 64, 128)}
    assert [one["key"] for one in found["pipelines"][0]["operations"]] == ["GeneratorDataset", "Batch"]
    assert columns(found, differs=True) == ["Batch.batch_size"]
    assert found["without"] == []
    assert all(one["graph"] == f"dataset:{names[one['runs'][0]]}" for one in found["pipelines"])
    some, _ = told(client, environment, "?query=batch_size=64")
    assert columns(some, differs=True) == []
    assert [len(one["runs"]) for one in some["pipelines"]] == [3]


def test_combined_data_repeated_operations_and_what_a_pipeline_lacks(
    client: Client, environment: Environment, transactional_db: None
) -> None:
    both = behind("Zip", behind("Map", source("Mnist", 10)), behind("Map", source("Cifar10", 20)))
    write(environment, "zipped", behind("Batch", both, batch_size=8))
    write(environment, "line", behind("Batch", behind("Repeat", source("Mnist", 99), count=2), batch_size=8))
    write(environment, "none")
    write(environment, "broken", DatasetGraph())
    found, names = told(client, environment)
    assert {names[run] for run in found["without"]} == {"none", "broken"}
    zipped, line = sorted(found["pipelines"], key=lambda one: one["line"])
    assert (zipped["line"], line["line"]) == (False, True)
    assert [(one["key"], one["op"], one["depth"], one["children"]) for one in zipped["operations"]] == [
        ("Mnist", "Mnist", 3, []),
        ("Map", "Map", 2, [0]),
        ("Cifar10", "Cifar10", 3, []),
        ("Map_2", "Map", 2, [2]),
        ("Zip", "Zip", 1, [1, 3]),
        ("Batch", "Batch", 0, [4]),
    ]
    differing = set(columns(found, differs=True))
    assert differing == {f"{key}.None" for key in ("Map", "Cifar10", "Map_2", "Zip", "Repeat")} | {
        "Mnist.sampler.num_samples"
    }
    order = [one["key"] for one in found["columns"]]
    assert order.index("Mnist") < order.index("Map") < order.index("Zip") < order.index("Batch")
    assert order.index("Mnist") < order.index("Repeat") < order.index("Batch")


def test_files_are_read_again_only_when_they_changed(
    client: Client, environment: Environment, transactional_db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[Path] = []
    real = pipelines.read_pipeline
    monkeypatch.setattr(pipelines, "read_pipeline", lambda path: (read.append(path), real(path))[1])
    write(environment, "a", behind("Batch", source("Mnist", 1), batch_size=8))
    told(client, environment)
    first, _ = told(client, environment)
    assert len(read) == 1
    write(environment, "a", behind("Batch", source("Mnist", 1), batch_size=16))
    second, _ = told(client, environment)
    assert [one["pipelines"][0]["operations"][-1]["arguments"] for one in (first, second)] == [
        {"batch_size": 8},
        {"batch_size": 16},
    ]


def test_a_wrong_query_is_refused(client: Client, environment: Environment, db: None) -> None:
    assert answer(client, f"{PATH}?query=((", 400)["code"] == "bad_query"
