"""Graphs in event files, taken into the store as the ingest does. Used by the tests of the API."""

from __future__ import annotations

import math
from itertools import count
from pathlib import Path
from typing import Any

from django.test import Client

from benchmarks.measuring.graph_planted import transformer
from mindinsight.environment import Environment
from mindinsight.graphs.tasks import analyse
from mindinsight.runs.models import EventFile, Run, Series
from mindinsight.store import ColumnStore, Table
from summaries import EventFileReader, Kind, SummaryWriter
from summaries.schema.anf_ir_pb2 import GraphProto
from tests.mindinsight.published import answer

_numbers = count(1)


def take(environment: Environment, path: Path, wanted: Kind = Kind.GRAPH) -> int:
    """Stores the graphs of an event file as the ingest does, or a given one instead; returns the number of the
    series."""
    store = ColumnStore(environment.data_directory / "columns")
    name = path.parent.relative_to(environment.base_directory)
    run, _ = Run.objects.get_or_create(name=str(name))
    file = EventFile.objects.create(run=run, path=str(path.relative_to(environment.base_directory)))
    batch = EventFileReader(path).read(1 << 30)
    for index, kind, places in batch.others():
        if kind is wanted:
            series = Series.objects.create(
                id=next(_numbers), run=run, file=file, tag=batch.tags[index], kind=kind, count=len(places),
                last_wall=places["wall"][-1],
            )  # fmt: skip
            store.write(Table.PLACES, run.pk, series.pk, 0, places)
            return int(series.pk)
    raise AssertionError(f"There is no {wanted}.")


def run_with(environment: Environment, graph: GraphProto) -> Path:
    """The directory of the run `a`, whose graph is in an empty store."""
    ColumnStore(environment.data_directory / "columns").clear()
    directory = environment.base_directory / "a"
    with SummaryWriter(directory, filename_suffix="_graph") as writer:
        writer.add_graph(graph)
    assert writer.path is not None
    take(environment, writer.path)
    return directory


def asked_of_run(client: Client, worker: list[int]) -> Any:
    """Sends requests about the graph of the run `a`, which is analysed first."""
    client.get("/api/graphs/inside?graph=graph:a:0")
    analyse(worker[-1])
    return lambda what, status=200: answer(client, f"/api/graphs/{what}&graph=graph:a:0", status)


def take_all(environment: Environment, path: Path) -> None:
    """Stores every series of an event file except the points of scalars, of which the last is known."""
    store = ColumnStore(environment.data_directory / "columns")
    run = Run.objects.get(name=str(path.parent.relative_to(environment.base_directory)))
    file = EventFile.objects.create(run=run, path=str(path.relative_to(environment.base_directory)))
    batch = EventFileReader(path).read(1 << 30)
    for index, kind, places in batch.others():
        series = Series.objects.create(
            id=next(_numbers), run=run, file=file, tag=batch.tags[index], kind=kind, count=len(places),
            last_step=int(places["step"][-1]), last_wall=places["wall"][-1],
        )  # fmt: skip
        store.write(Table.PLACES, run.pk, series.pk, 0, places)
    for index, tag in enumerate(batch.tags):
        points = batch.points[batch.tag == index]
        if len(points):
            last = points[-1]
            Series.objects.create(
                id=next(_numbers), run=run, file=file, tag=tag, kind=Kind.SCALAR, count=len(points),
                last_step=int(last["step"]), last_wall=last["wall"],
                last_value=None if math.isnan(last["value"]) else last["value"],
            )  # fmt: skip


def proto() -> GraphProto:
    """Layers of a transformer in MindSpore's form."""
    graph = transformer(5).graph()
    message = GraphProto(name="net")
    for index in range(len(graph)):
        node = graph.node(index)
        if node.op == "Parameter":
            message.parameters.add(name=node.name)
        elif node.op == "Constant":
            message.const_vals.add(key=node.name)
        else:
            made = message.node.add(name=node.name, op_type=node.op, scope=node.scope)
            for source, _, _ in graph.inputs(index):
                made.input.add(name=graph.text("name", source))
    return message
