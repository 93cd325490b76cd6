"""Stores a graph as columns in a directory: one `.npy` file each, opened by memory map.

Used by the worker and views.
"""

from __future__ import annotations

import hashlib
from dataclasses import asdict
from pathlib import Path

import numpy as np
import orjson

from mindinsight.graphs.atomic_directories import appearing
from mindinsight.graphs.json_text import json_text
from mindinsight.graphs.model.defects import Defect, DefectCode, GraphError
from mindinsight.graphs.model.graph import TEXT_COLUMNS, Graph
from mindinsight.graphs.model.strings import StringTable

VERSION = 2
_COLUMNS = ("kind", *TEXT_COLUMNS, "in_ptr", "in_src", "in_slot", "in_kind", "outputs")


def graph_hash(graph: Graph) -> str:
    """Returns a hash of a graph's content, which is equal for equal graphs on any machine."""
    digest = hashlib.sha256(graph.title.encode("utf-8", "surrogatepass"))
    for column in _COLUMNS:
        values = np.ascontiguousarray(getattr(graph, column))
        digest.update(f"{column}{len(values)}".encode())
        digest.update(values.data)
    digest.update(np.ascontiguousarray(graph.strings.offsets).data)
    digest.update(np.ascontiguousarray(graph.strings.data).data)
    return digest.hexdigest()[:32]


def save_graph(graph: Graph, directory: Path) -> None:
    """Writes a graph atomically.

    Args:
        graph: the graph.
        directory: must not exist. Its parent is created.

    Raises:
        OSError: the graph cannot be written.
    """
    with appearing(directory) as making:
        for column in _COLUMNS:
            np.save(making / f"{column}.npy", getattr(graph, column))
        np.save(making / "strings.npy", graph.strings.data)
        np.save(making / "string_offsets.npy", graph.strings.offsets)
        head = {
            "version": VERSION,
            "title": json_text(graph.title),
            "defects": [asdict(defect) for defect in graph.defects],
            "defect_counts": graph.defect_counts,
        }
        (making / "graph.json").write_bytes(orjson.dumps(head, option=orjson.OPT_NON_STR_KEYS))


def is_stored(directory: Path) -> bool:
    """Whether this version has written a graph into a directory."""
    try:
        return bool(orjson.loads((directory / "graph.json").read_bytes())["version"] == VERSION)
    except (OSError, ValueError, KeyError):
        return False


def open_graph(directory: Path) -> Graph:
    """Opens a stored graph. Its columns are read from disk when they are used.

    Raises:
        GraphError: there is no graph, or another version wrote it.
    """
    try:
        head = orjson.loads((directory / "graph.json").read_bytes())
        if head["version"] != VERSION:
            raise GraphError(f"{directory} was written by another version. Read the graph again.")
        columns = {column: np.load(directory / f"{column}.npy", mmap_mode="r") for column in _COLUMNS}
        strings = StringTable(
            np.load(directory / "strings.npy", mmap_mode="r"), np.load(directory / "string_offsets.npy", mmap_mode="r")
        )
    except (OSError, ValueError, KeyError) as error:
        raise GraphError(f"{directory} is not a stored graph: {error}") from error
    defects = [Defect(DefectCode(row["code"]), row["node"], row["message"]) for row in head["defects"]]
    return Graph(title=head["title"], strings=strings, defects=defects, defect_counts=head["defect_counts"], **columns)
