"""Input pipelines as graphs: from real lineage files, from made ones, and from the runs that the reader has found."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from mindinsight.environment import Environment
from mindinsight.graphs.model import EdgeKind, GraphError
from mindinsight.graphs.pipeline import pipeline_graph
from mindinsight.graphs.sources.pipelines import find_pipeline
from mindinsight.runs.models import EventFile, Run
from summaries.reading.parameters import read_pipeline
from summaries.records import frame
from summaries.schema.lineage_pb2 import DatasetGraph, LineageEvent


def line(*ops: str) -> DatasetGraph:
    """Operations in a row, from the source on."""
    graph = DatasetGraph()
    graph.parameter.mapStr["op_type"] = ops[0]
    for op in ops[1:]:
        last = DatasetGraph(children=[graph])
        last.parameter.mapStr["op_type"] = op
        graph = last
    return graph


def noted(*pipelines: DatasetGraph) -> bytes:
    """A lineage file."""
    events = [LineageEvent(wall_time=1.0, dataset_graph=pipeline) for pipeline in pipelines]
    return b"".join(frame(event.SerializeToString()) for event in events)


def test_a_real_pipeline_is_a_graph(real_files: Path) -> None:
    directory = real_files / "mindspore" / "lenet" / "adam_lr001_b32"
    found = [content for path in sorted(directory.glob("*_lineage")) if (content := read_pipeline(path))]
    (content,) = found
    graph = pipeline_graph(content)
    assert [graph.text("op", node) for node in range(len(graph))] == ["GeneratorDataset", "Batch"]
    assert graph.inputs(1) == [(0, 0, EdgeKind.DATA)]
    assert graph.outputs.tolist() == [1]
    attributes = json.loads(graph.text("attributes", 1))
    assert attributes == {
        "batch_size": 32,
        "connector_queue_size": 16,
        "drop_remainder": True,
        "num_parallel_workers": 2,
    }
    assert graph.defects == []


def test_operations_have_all_their_arguments() -> None:
    source = line("MnistDataset")
    source.sampler.operationParam.mapStr["sampler_name"] = "RandomSampler"
    source.sampler.operationParam.mapBool["replacement"] = False
    source.sampler.size.extend([3, 4])
    mapped = DatasetGraph(children=[source])
    mapped.parameter.mapStr["op_type"] = "Map"
    mapped.parameter.mapStrList["input_columns"].strValue.append('"image"')
    resize = mapped.operations.add()
    resize.operationParam.mapStr["tensor_op_name"] = "Resize"
    resize.operationParam.mapStr["tensor_op_params"] = '{"size": [32, 32]}'
    mapped.operations.add().weights.append(0.5)
    mapped.parameter.mapDouble["share"] = 0.25
    mapped.parameter.mapStr["broken"] = "{no JSON"
    graph = pipeline_graph(mapped)
    assert json.loads(graph.text("attributes", 0)) == {
        "sampler": {"sampler_name": "RandomSampler", "replacement": False, "size": [3, 4]}
    }
    assert json.loads(graph.text("attributes", 1)) == {
        "input_columns": ["image"],
        "operations": [{"tensor_op_name": "Resize", "tensor_op_params": {"size": [32, 32]}}, {"weights": [0.5]}],
        "share": 0.25,
        "broken": "{no JSON",
    }


def test_pipelines_that_come_together_are_a_tree() -> None:
    root = DatasetGraph(children=[line("Mnist", "Map"), line("Mnist", "Shuffle", "Map")])
    root.parameter.mapStr["op_type"] = "Zip"
    graph = pipeline_graph(root.SerializeToString())
    names = [graph.text("name", node) for node in range(len(graph))]
    assert names == ["Mnist", "Map", "Mnist_2", "Shuffle", "Map_2", "Zip"]
    edges = [(names[source], names[target]) for source, target in zip(graph.in_src, graph.in_dst, strict=True)]
    assert edges == [("Mnist", "Map"), ("Mnist_2", "Shuffle"), ("Shuffle", "Map_2"), ("Map", "Zip"), ("Map_2", "Zip")]
    assert graph.defects == []


@pytest.mark.parametrize("content", [b"", b"\xff\xff", b"\x0a\x05\x0a"])
def test_what_is_no_pipeline_is_refused(content: bytes) -> None:
    with pytest.raises(GraphError, match="input pipeline"):
        pipeline_graph(content)


def test_operations_without_a_name_are_shown() -> None:
    graph = pipeline_graph(DatasetGraph(children=[DatasetGraph(), DatasetGraph()]))
    assert [graph.text("name", node) for node in range(len(graph))] == ["Operation", "Operation_2", "Operation_3"]


def test_a_very_deep_pipeline_is_shown_or_refused() -> None:
    assert len(pipeline_graph(line(*["Map"] * 20).SerializeToString())) == 20
    endless = b"\x12\x00"
    for _ in range(3000):
        size, length = len(endless), bytearray()
        while size > 0x7F:
            length.append(size & 0x7F | 0x80)
            size >>= 7
        endless = b"\x0a" + bytes([*length, size]) + endless
    with pytest.raises(GraphError, match="damaged"):
        pipeline_graph(endless)


def test_the_last_pipeline_of_a_file_counts(tmp_path: Path) -> None:
    path = tmp_path / "events.summary.1.0.vm_lineage"
    path.write_bytes(noted(line("Old"), line("New", "Batch")) + b"cut off")
    content = read_pipeline(path)
    assert content is not None
    assert [node.op for node in map(pipeline_graph(content).node, range(2))] == ["New", "Batch"]
    path.write_bytes(b"")
    assert read_pipeline(path) is None


@pytest.mark.django_db
def test_the_newest_pipeline_of_a_run_is_found(environment: Environment) -> None:
    directory = environment.base_directory / "run"
    directory.mkdir()
    run = Run.objects.create(name="run")
    assert find_pipeline(run.pk) is None
    for opened, ops in ((1.0, ("Old",)), (3.0, ()), (2.0, ("New", "Batch"))):
        path = directory / f"events.summary.{int(opened)}.0.vm_lineage"
        path.write_bytes(noted(line(*ops)) if ops else b"")
        kind = EventFile.Kind.LINEAGE
        EventFile.objects.create(run=run, path=f"run/{path.name}", kind=kind, opened=opened)
    found = find_pipeline(run.pk)
    assert found is not None
    assert found.file == "run/events.summary.2.0.vm_lineage"
    assert len(pipeline_graph(found.content)) == 2
    shutil.rmtree(directory)
    assert find_pipeline(run.pk) is None
