"""Computation graphs as event files that both dashboards read: TensorBoard's GraphDef. Called by `graph_page.py`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from mindinsight.graphs.model import EdgeKind, Graph
from summaries.records import frame
from summaries.schema.tensorboard_pb2 import Event

OPENED = 1_700_000_000
_NAME, _OP, _INPUT = 1, 2, 3


def node_names(graph: Graph) -> list[str]:
    """Returns a name for every node that begins with its scope, as TensorFlow's do; no two are equal."""
    names = []
    for node in range(len(graph)):
        scope, own = graph.text("scope", node), graph.text("name", node).replace("/", "_").replace(":", "_")
        names.append(f"{scope}/{own}" if scope else own)
    return [_legal(name) for name in names]


def graph_def(graph: Graph) -> bytes:
    """Returns the graph as a GraphDef message."""
    return b"".join(_field(1, b"".join(_node(graph, node, names))) for names in [node_names(graph)] for node in range(len(graph)))


def write_graph(directory: Path, graph: Graph) -> Path:
    """Writes a graph into a run of its own and returns the run's directory."""
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / f"events.out.tfevents.{OPENED}.host.1.0"
    with path.open("wb") as file:
        file.write(frame(Event(wall_time=OPENED, file_version="brain.Event:2").SerializeToString()))
        file.write(frame(Event(wall_time=OPENED, graph_def=graph_def(graph)).SerializeToString()))
    return directory


def _node(graph: Graph, node: int, names: list[str]) -> Iterator[bytes]:
    yield _field(_NAME, names[node].encode())
    yield _field(_OP, (graph.text("op", node) or "Const").encode())
    for edge in range(int(graph.in_ptr[node]), int(graph.in_ptr[node + 1])):
        source, slot = names[int(graph.in_src[edge])], int(graph.in_slot[edge])
        if int(graph.in_kind[edge]) != EdgeKind.DATA:
            yield _field(_INPUT, f"^{source}".encode())
        else:
            yield _field(_INPUT, (f"{source}:{slot}" if slot else source).encode())


def _legal(name: str) -> str:
    """What TensorFlow allows in names; the first character is a letter, a digit or a dot."""
    text = "".join(one if one.isalnum() or one in "_./-" else "_" for one in name)
    return text if text[:1].isalnum() else f"n{text}"


def _field(number: int, content: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def _varint(value: int) -> bytes:
    parts = bytearray()
    while value > 127:
        parts.append(value & 127 | 128)
        value >>= 7
    parts.append(value)
    return bytes(parts)
