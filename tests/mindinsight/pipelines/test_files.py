"""Files of MindSpore's profiler about data pipelines: recorded ones, and some that are broken.

CASES_PROFILES names the folder of recorded files.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from mindinsight.environment import Environment
from mindinsight.runs.models import Run
from tests.mindinsight.profiles.cases import CASES, REASON
from tests.mindinsight.published import answer

from .conftest import Record, slow_map

FILES = "/api/pipelines/files"
SHOW = "/api/pipelines/show"


@pytest.fixture
def run(environment: Environment, db: None) -> Run:
    (environment.base_directory / "lenet" / "profiler").mkdir(parents=True)
    return Run.objects.create(name="lenet")


def write(environment: Environment, content: object, rank: int = 0) -> Path:
    path = environment.base_directory / "lenet" / "profiler" / f"pipeline_profiling_{rank}.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def operator(number: int, kind: str, sizes: list[int] | None, children: list[int] | None) -> dict[str, Any]:
    metrics = None if sizes is None else {"output_queue": {"size": sizes, "length": 10}}
    return {"op_id": number, "op_type": kind, "num_workers": 2, "metrics": metrics, "children": children}


def recorded() -> list[Any]:
    found = sorted(CASES.rglob("pipeline_profiling_*.json"))
    if not found:
        return [pytest.param(None, marks=pytest.mark.skip(reason=REASON))]
    return [pytest.param(path, id=path.relative_to(CASES).as_posix()) for path in found]


@pytest.mark.parametrize("path", recorded())
def test_a_recorded_file(client: Client, environment: Environment, run: Run, path: Path) -> None:
    shutil.copytree(path.parent, environment.base_directory / "lenet" / "profiler", dirs_exist_ok=True)
    name = f"lenet/profiler/{path.name}"
    assert name in [row["file"] for row in answer(client, FILES)["pipelines"]]
    shown = answer(client, f"{SHOW}?run={run.pk}&file={name}")
    facts = {one["op_id"]: one for one in json.loads(path.read_text())["op_info"]}
    assert sorted(one["op_type"] for one in shown["operators"]) == sorted(
        one["op_type"].removesuffix("Op") for one in facts.values()
    )
    lengths = sorted(one["metrics"]["output_queue"]["length"] for one in facts.values() if one["metrics"])
    assert sorted(one["queue"]["length"] for one in shown["operators"] if one["queue"]) == lengths
    edges = sum(len(one.get("children") or ()) for one in facts.values())
    assert sum(len(one["children"]) for one in shown["operators"]) == edges
    assert all(one["rate"] is None for one in shown["operators"])
    beside = path.with_name(path.name.replace("pipeline_profiling", "device_queue_profiling").replace("json", "txt"))
    if beside.exists():
        (length,) = {int(line.split()[1]) for line in beside.read_text().splitlines() if line.startswith("1 ")}
        assert shown["queue"]["length"] == length


def test_queues_tell_the_bottleneck(client: Client, environment: Environment, run: Run) -> None:
    operators = [
        operator(0, "BatchOp", [0, 0, 0, 0], [1]),
        operator(1, "MapOp", [0, 1, 0, 5], [2]),
        operator(2, "ImageFolderOp", [10, 10, 9, 8], None),
    ]
    write(environment, {"sampling_interval": 10, "op_info": operators})
    shown = answer(client, f"{SHOW}?run={run.pk}")
    assert [one["op_type"] for one in shown["operators"]] == ["ImageFolder", "Map", "Batch"]
    assert shown["operators"][0]["queue"] == {"size": 8, "length": 10, "fill": 0.925, "full": 0.75, "empty": 0}
    finding = shown["finding"]
    assert (finding["operator"], finding["reason"], finding["count"], finding["gain"]) == (1, "queues", 4, None)
    assert (finding["input_full"], finding["output_empty"]) == (0.75, 0.75)
    assert shown["history"]["seconds"] == pytest.approx([0.01, 0.02, 0.03, 0.04])
    assert shown["history"]["operators"][1]["fill"] == pytest.approx([0, 0.1, 0, 0.5])
    # Full queues everywhere: the training is what others wait for.
    for one in operators:
        one["metrics"]["output_queue"]["size"] = [10, 10, 10, 10]
    write(environment, {"sampling_interval": 10, "op_info": operators})
    assert answer(client, f"{SHOW}?run={run.pk}")["finding"] is None


@pytest.mark.parametrize(
    "content",
    [
        "{",
        "[]",
        {"op_info": []},
        {"op_info": [operator(0, "Map", None, [0])]},
        {"op_info": [operator(0, "Map", None, [7])]},
        {"op_info": [operator(0, "Map", None, None), operator(0, "Map", None, None)]},
        {"op_info": [operator(0, "Map", None, None), operator(1, "Map", None, None)]},
        {"op_info": [operator(0, "Map", None, None), operator(1, "Map", None, [2]), operator(2, "Map", None, [1])]},
        {"op_info": [{"op_id": "x", "op_type": 3}]},
        '{"op_info": [{"op_id": 1, "op_type": "Map", "metrics": {"output_queue": {"size": ["a"]}}}]}',
    ],
)
def test_a_broken_file_is_named(client: Client, environment: Environment, run: Run, content: object) -> None:
    write(environment, content)
    refused = answer(client, f"{SHOW}?run={run.pk}", 422)
    assert refused["code"] == "not_a_pipeline"
    assert refused["detail"]["file"] == "lenet/profiler/pipeline_profiling_0.json"


def test_files_outside_of_runs_and_links_are_not_read(client: Client, environment: Environment, run: Run) -> None:
    base = environment.base_directory
    (base / "pipeline_profiling_0.json").write_text("{}")
    secret = base.parent / "secret.json"
    secret.write_text(json.dumps({"op_info": [operator(0, "Secret", None, None)]}))
    (base / "lenet" / "pipeline_profiling_1.json").symlink_to(secret)
    listed = [row["file"] for row in answer(client, FILES)["pipelines"]]
    assert "pipeline_profiling_0.json" not in listed
    refused = answer(client, f"{SHOW}?run={run.pk}&file=lenet/pipeline_profiling_1.json", 404)
    assert refused["code"] in ("file_gone", "file_unreadable")


def test_records_come_before_files_and_the_own_file_is_left_out(
    client: Client, environment: Environment, record: Record
) -> None:
    run, path = record(slow_map(1))
    operators = [operator(0, "Map", [1], None)]
    ours = {"sampling_interval": 10, "recorder": "mindinsight", "op_info": operators}
    (path.parent / "pipeline_profiling_0.json").write_text(json.dumps(ours))
    theirs = path.parent / "pipeline_profiling_1.json"
    theirs.write_text(json.dumps({"sampling_interval": 10, "op_info": operators}))
    shown = answer(client, f"{SHOW}?run={run.pk}")
    assert (shown["file"], shown["files"]) == ("", ["run/pipeline_profiling_1.json"])
    assert answer(client, f"{SHOW}?run={run.pk}&file=run/pipeline_profiling_1.json")["records"] == 0
