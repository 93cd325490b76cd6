"""Reads dumps as one `Graph`, with any number of function graphs. Called through `open_pass` and `open_dump`."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from pathlib import Path

from google.protobuf.message import DecodeError

from mindinsight.graphs.json_text import json_text
from mindinsight.graphs.model import DefectCode, Graph, GraphBuilder, GraphError, graph_from_bytes
from mindinsight.graphs.model.mindspore import finish_graph, graph_messages, parse_message
from mindinsight.graphs.passes.finding import History
from mindinsight.graphs.passes.joining import Function, join
from summaries.beneath import Beneath
from summaries.schema.anf_ir_pb2 import GraphProto

MOST_BYTES = 1 << 30
"""Maximum bytes of one program."""


def open_pass(history: History, index: int) -> Graph:
    """Returns the program after a pass.

    Args:
        history: a history.
        index: index of the pass.

    Raises:
        GraphError: there is no such pass, or its files have no graph.
        OSError: a file cannot be read.
    """
    if not 0 <= index < len(history.passes):
        count = len(history.passes)
        raise GraphError(f"{history.directory} has {count} passes; there is no number {index} (they count from 0).")
    return open_dump(history.passes[index].files)


def open_dump(files: Sequence[Path | Beneath]) -> Graph:
    """Returns the program in some files.

    Function graphs become scopes of one graph. A control edge leads from the output of a function to its caller, which
    has the attribute `calls`.

    Args:
        files: the files, one for each function graph or one for all.

    Raises:
        GraphError: the files have no graph.
        OSError: a file cannot be read.
    """
    contents = _contents(files)
    messages = [
        (path, number, part) for path, content in contents for number, part in enumerate(graph_messages(content))
    ]
    if len(messages) == 1:
        return graph_from_bytes(contents[0][1], _shown(contents[0][0]))
    builder = GraphBuilder("")
    functions: list[Function] = []
    for path, number, part in messages:
        try:
            graph = parse_message(part, builder)
        except (GraphError, DecodeError, RecursionError) as error:
            message = f"Graph {number} of {_shown(path)} cannot be read and is left out: {error}"
            builder.defects.add(DefectCode.UNREADABLE_PART, -1, message)
            continue
        functions.append(Function(graph, path.name.removesuffix(".pb").rpartition(".")[2]))
    if not functions:
        name = _shown(contents[0][0])
        raise GraphError(f"{name}: none of its {len(messages)} graphs can be read; dump it again.")
    joined: GraphProto = join(functions)
    return finish_graph(joined, builder)


def _contents(files: Sequence[Path | Beneath]) -> list[tuple[Path | Beneath, bytes]]:
    found: list[tuple[Path | Beneath, bytes]] = []
    left = MOST_BYTES
    for path in files:
        content = _read(path, left)
        left -= len(content)
        found.append((path, content))
    return found


def _read(path: Path | Beneath, most: int) -> bytes:
    """Reads a file, which may have become a link or a pipe since it was found."""
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    descriptor = path.open() if isinstance(path, Beneath) else os.open(path, flags)
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise GraphError(f"{_shown(path)} is not a file any more.")
        if status.st_size > most:
            raise GraphError(
                f"{_shown(path)}, and the files that belong to it have more than 1 GiB, which is too "
                "large for a program."
            )
        return file.read(most)


def _shown(path: Path | Beneath) -> str:
    return json_text(path.name)
