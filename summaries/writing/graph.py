"""Records of graphs. Used by `SummaryWriter.add_graph`."""

from dataclasses import dataclass
from typing import Any

from google.protobuf.message import DecodeError, EncodeError, Message

from summaries.checks import type_name
from summaries.records import MAX_RECORD_BYTES
from summaries.schema.anf_ir_pb2 import GraphProto
from summaries.schema.summary_pb2 import Event


@dataclass(frozen=True, slots=True)
class TakenGraph:
    """A copy of a graph, taken in the training's thread."""

    content: bytes

    @property
    def size(self) -> int:
        """Size of the graph in bytes."""
        return len(self.content)

    def encode(self, wall: float) -> bytes:
        """Return the record's payload. A graph belongs to no step.

        Raises:
            ValueError: the bytes are not a graph.
        """
        try:
            graph = GraphProto.FromString(self.content)
        except DecodeError as error:
            raise ValueError(f"it is not a GraphProto ({error})") from None
        return Event(wall_time=wall, graph_def=graph).SerializeToString()


def take_graph(model: Any) -> TakenGraph | None:
    """Return a copy of the graph, or None if `model` is a model of another library.

    Raises:
        TypeError: `model` is neither a graph nor a model.
        ValueError: a message with missing parts, or too large a graph.
    """
    if isinstance(model, bytes | bytearray | memoryview):
        content = bytes(model)
    elif hasattr(model, "SerializeToString") and hasattr(model, "DESCRIPTOR"):
        content = _serialized(model)
    elif callable(model) and not isinstance(model, type):
        return None
    else:
        raise TypeError(f"add_graph takes a GraphProto of anf_ir or its bytes, but got a {type_name(model)}.")
    if len(content) > MAX_RECORD_BYTES - 4096:
        raise ValueError(f"The graph has {len(content)} bytes; a record has room for {MAX_RECORD_BYTES - 4096}.")
    return TakenGraph(content)


def _serialized(message: Message) -> bytes:
    """Return the graph in `message`, from any generated class."""
    name = message.DESCRIPTOR.name
    if name == "ModelProto":
        message, name = message.graph, "GraphProto"  # type: ignore[attr-defined]
    if name != "GraphProto":
        raise TypeError(f"add_graph takes a GraphProto or ModelProto of anf_ir, but got the message {name}.")
    try:
        return message.SerializeToString()
    except EncodeError as error:
        raise ValueError(f"The graph is not complete: {error}") from error
