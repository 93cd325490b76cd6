"""Reads a graph from a file: detects the format and calls its adapter. Called by commands and tasks."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from google.protobuf.message import DecodeError

from mindinsight.graphs.model.defects import GraphError
from mindinsight.graphs.model.exported import MindIRAdapter, MsirAdapter, OnnxAdapter
from mindinsight.graphs.model.fields import LENGTH_DELIMITED, split_fields
from mindinsight.graphs.model.graph import Graph
from mindinsight.graphs.model.mindspore import MindSporeAdapter
from mindinsight.graphs.model.tensorboard import TensorBoardAdapter
from summaries import read_record
from summaries.kinds import Kind
from summaries.reading.reader import EventFileReader

_GRAPH_FIELD = 4
"""The field of an event that holds a graph, in MindSpore's events and in TensorBoard's."""
MOST_BYTES = 2 << 30
"""Maximum bytes of a file, which is the limit of protobuf."""


class Adapter(Protocol):
    """Reads one format. Add new formats to ADAPTERS."""

    name: str

    def accepts(self, content: bytes) -> bool:
        """Whether these bytes look like the format."""

    def read(self, content: bytes) -> Graph:
        """Returns the graph.

        Raises:
            GraphError: it cannot be read, or has no nodes.
        """


ADAPTERS: tuple[Adapter, ...] = (
    MsirAdapter(), MindIRAdapter(), OnnxAdapter(), MindSporeAdapter(), TensorBoardAdapter(),
)  # fmt: skip


def read_graph(path: Path, *, number: int = 0) -> Graph:
    """Returns the graph in a file: an event file, a `.pb` file of MindSpore's or TensorBoard's, or a model file.

    Args:
        path: the file.
        number: number of the graph, for event files with several.

    Raises:
        GraphError: there is no graph, or it cannot be read.
        OSError: the file cannot be read.
    """
    if path.stat().st_size > MOST_BYTES:
        raise GraphError(f"{path} has more than 2 GiB, which is more than the format allows.")
    graphs = graphs_in_events(path)
    if graphs:
        if not 0 <= number < len(graphs):
            raise GraphError(f"{path} has {len(graphs)} graphs; there is no number {number} (they count from 0).")
        return graph_from_bytes(graphs[number], str(path))
    return graph_from_bytes(path.read_bytes(), str(path))


def graph_from_bytes(content: bytes, origin: str = "These bytes") -> Graph:
    """Returns the graph in a message of any format.

    Args:
        content: the message.
        origin: name for errors.

    Raises:
        GraphError: there is no graph, or it cannot be read.
    """
    for adapter in ADAPTERS:
        if adapter.accepts(content):
            try:
                return adapter.read(content)
            except GraphError as error:
                raise GraphError(f"{origin}: {error}") from error
            except (UnicodeDecodeError, DecodeError, RecursionError) as error:
                raise GraphError(f"{origin}: the {adapter.name} in it is damaged ({error}).") from error
    raise GraphError(
        f"{origin}: no graph was found. Supported are event files with a graph, .pb files with a GraphProto or "
        f"ModelProto of MindSpore or a GraphDef of TensorFlow, and model files (.onnx, .mindir, .msir)."
    )


def graphs_in_events(path: Path) -> list[bytes]:
    """Returns the graphs of an event file in order; empty for any other file."""
    # Graphs with their constants are larger than values recorded at each step.
    reader = EventFileReader(path, max_record_bytes=MOST_BYTES)
    found: list[bytes] = []
    while True:
        batch = reader.read(64 << 20)
        for _, kind, places in batch.others():
            if kind is Kind.GRAPH:
                for place in places:
                    payload = read_record(path, int(place["offset"]), int(place["length"]))
                    found += _graphs_of(payload)
        if batch.complete or not batch.bytes_read:
            return found


def _graphs_of(event: bytes) -> list[bytes]:
    fields = split_fields(event, most=64) or []
    return [part for number, kind, part in fields if number == _GRAPH_FIELD and kind == LENGTH_DELIMITED]
