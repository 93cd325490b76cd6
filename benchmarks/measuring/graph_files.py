"""Computation graphs as the files that dashboards read: GraphDef in event files, and Model Explorer's JSON.

Called by `graph_networks.py`.
"""

from __future__ import annotations

import json
from pathlib import Path

from mindinsight.graphs.model import EdgeKind, Graph
from summaries.records import frame
from summaries.schema.tensorboard_graph_pb2 import GraphDef
from summaries.schema.tensorboard_pb2 import Event

OPENED = 1_700_000_000


def node_names(graph: Graph, scopes: bool = True) -> list[str]:
    """Returns a name for every node that begins with its scope, as TensorFlow's do; no two are equal.

    Args:
        graph: whose nodes are named.
        scopes: False leaves the scopes out.
    """
    names = []
    for node in range(len(graph)):
        own = f"{graph.text('op', node)}_{graph.text('name', node)}".replace("/", "_").replace(":", "_")
        scope = graph.text("scope", node) if scopes else ""
        names.append(f"{scope}/{own}" if scope else own)
    return [_legal(name) for name in names]


def graph_def(graph: Graph, scopes: bool = True) -> bytes:
    """Returns the graph as a GraphDef message, its names with or without scopes."""
    made, names = GraphDef(), node_names(graph, scopes)
    for number, name in enumerate(names):
        node = made.node.add(name=name, op=graph.text("op", number) or "Const")
        for edge in range(int(graph.in_ptr[number]), int(graph.in_ptr[number + 1])):
            source, slot = names[int(graph.in_src[edge])], int(graph.in_slot[edge])
            control = int(graph.in_kind[edge]) != EdgeKind.DATA
            node.input.append(f"^{source}" if control else f"{source}:{slot}" if slot else source)
    return made.SerializeToString()


def write_graph(directory: Path, graph: Graph, scopes: bool = True) -> Path:
    """Writes a graph into a run of its own, its names with or without scopes, and returns the run's directory."""
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / f"events.out.tfevents.{OPENED}.host.1.0"
    with path.open("wb") as file:
        file.write(frame(Event(wall_time=OPENED, file_version="brain.Event:2").SerializeToString()))
        file.write(frame(Event(wall_time=OPENED, graph_def=graph_def(graph, scopes)).SerializeToString()))
    return directory


def write_explorer(path: Path, graph: Graph) -> Path:
    """Writes a graph as Model Explorer's own JSON, with the same operators, scopes and edges, and returns the path."""
    nodes = [
        {
            "id": str(node),
            "label": graph.text("op", node) or "Const",
            "namespace": graph.text("scope", node),
            "incomingEdges": [
                {
                    "sourceNodeId": str(int(graph.in_src[edge])),
                    "sourceNodeOutputId": str(int(graph.in_slot[edge])),
                    "targetNodeInputId": str(port),
                }
                for port, edge in enumerate(range(int(graph.in_ptr[node]), int(graph.in_ptr[node + 1])))
            ],
        }
        for node in range(len(graph))
    ]
    path.write_text(json.dumps([{"id": "graph", "nodes": nodes}]), encoding="utf-8")
    return path


def _legal(name: str) -> str:
    """What TensorFlow allows in names; the first character is a letter, a digit or a dot."""
    text = "".join(one if one.isalnum() or one in "_./-" else "_" for one in name)
    return text if text[:1].isalnum() else f"n{text}"
