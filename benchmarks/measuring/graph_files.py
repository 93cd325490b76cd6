"""Computation graphs as event files that both dashboards read: TensorBoard's GraphDef. Called by `graph_page.py`."""

from __future__ import annotations

from pathlib import Path

from mindinsight.graphs.model import EdgeKind, Graph
from summaries.records import frame
from summaries.schema.tensorboard_graph_pb2 import GraphDef
from summaries.schema.tensorboard_pb2 import Event

OPENED = 1_700_000_000


def node_names(graph: Graph) -> list[str]:
    """Returns a name for every node that begins with its scope, as TensorFlow's do; no two are equal."""
    names = []
    for node in range(len(graph)):
        own = f"{graph.text('op', node)}_{graph.text('name', node)}".replace("/", "_").replace(":", "_")
        scope = graph.text("scope", node)
        names.append(f"{scope}/{own}" if scope else own)
    return [_legal(name) for name in names]


def graph_def(graph: Graph) -> bytes:
    """Returns the graph as a GraphDef message."""
    made, names = GraphDef(), node_names(graph)
    for number, name in enumerate(names):
        node = made.node.add(name=name, op=graph.text("op", number) or "Const")
        for edge in range(int(graph.in_ptr[number]), int(graph.in_ptr[number + 1])):
            source, slot = names[int(graph.in_src[edge])], int(graph.in_slot[edge])
            control = int(graph.in_kind[edge]) != EdgeKind.DATA
            node.input.append(f"^{source}" if control else f"{source}:{slot}" if slot else source)
    return made.SerializeToString()


def write_graph(directory: Path, graph: Graph) -> Path:
    """Writes a graph into a run of its own and returns the run's directory."""
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / f"events.out.tfevents.{OPENED}.host.1.0"
    with path.open("wb") as file:
        file.write(frame(Event(wall_time=OPENED, file_version="brain.Event:2").SerializeToString()))
        file.write(frame(Event(wall_time=OPENED, graph_def=graph_def(graph)).SerializeToString()))
    return directory


def _legal(name: str) -> str:
    """What TensorFlow allows in names; the first character is a letter, a digit or a dot."""
    text = "".join(one if one.isalnum() or one in "_./-" else "_" for one in name)
    return text if text[:1].isalnum() else f"n{text}"
