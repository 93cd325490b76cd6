"""Stores graphs and their repeated sub-structures below the data directory. Written by the task, read by the views."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import orjson

from mindinsight.graphs.atomic_directories import appearing
from mindinsight.graphs.differences import StoredDifference
from mindinsight.graphs.json_text import json_text

if TYPE_CHECKING:  # Web servers and workers import the reading and the search of graphs when a graph is requested.
    from mindinsight.graphs.model import Graph
    from mindinsight.graphs.scene import Scene
    from mindinsight.graphs.substructures import Catalogue, SubStructure


@dataclass(frozen=True, slots=True)
class Results:
    """The results for one graph under one equivalence.

    Attributes:
        directory: their directory.
    """

    directory: Path

    def exists(self) -> bool:
        """Whether the results exist."""
        return (self.directory / "summary.json").is_file()

    def summary(self) -> dict[str, Any]:
        """Returns the counts of the whole graph, and one row for each sub-structure."""
        return dict(orjson.loads((self.directory / "summary.json").read_bytes()))

    def nodes(self, number: int) -> npt.NDArray[np.int32]:
        """Returns the occurrences of a sub-structure, one row each. They are read from disk when they are used."""
        first, count, size = orjson.loads((self.directory / "places.json").read_bytes())[number]
        every = np.load(self.directory / "nodes.npy", mmap_mode="r")
        return np.asarray(every[first : first + count * size].reshape(count, size))

    def details(self, number: int) -> dict[str, Any]:
        """Returns series, kinds, differences and variants of a sub-structure."""
        return dict(orjson.loads((self.directory / "details.json").read_bytes())[number])

    def scene(self) -> Scene:
        """Opens the graph's scene.

        Raises:
            GraphError: the scene does not exist.
        """
        from mindinsight.graphs.scene import open_scene

        return open_scene(self.directory)

    def write(self, catalogue: Catalogue, scene: Scene) -> None:
        """Writes a catalogue and its scene atomically."""
        from mindinsight.graphs.scene import write_scene

        with appearing(self.directory, replace=True) as making:
            rows = [structure.nodes.ravel() for structure in catalogue.structures]
            np.save(making / "nodes.npy", np.concatenate(rows) if rows else np.empty(0, np.int32))
            firsts = np.cumsum([0, *(len(row) for row in rows)]).tolist()
            places = [(first, s.count, s.size) for first, s in zip(firsts, catalogue.structures, strict=False)]
            (making / "places.json").write_bytes(orjson.dumps(places))
            (making / "details.json").write_bytes(orjson.dumps([_details(s) for s in catalogue.structures]))
            write_scene(scene, making)
            (making / "summary.json").write_bytes(orjson.dumps(_summary(catalogue)))


@dataclass(frozen=True, slots=True)
class GraphStore:
    """Graphs by hash.

    Attributes:
        directory: their directory.
    """

    directory: Path

    def open(self, graph: str) -> Graph:
        """Opens a stored graph.

        Raises:
            GraphError: the graph does not exist.
        """
        from mindinsight.graphs.model import open_graph

        return open_graph(self.directory / graph / "columns")

    def keep(self, graph: str, content: Graph) -> None:
        """Stores a graph, unless it exists already."""
        from mindinsight.graphs.model import is_stored, save_graph

        target = self.directory / graph / "columns"
        if not is_stored(target):
            shutil.rmtree(target, ignore_errors=True)
            save_graph(content, target)

    def difference(self, graph: str) -> StoredDifference:
        """Returns the stored difference of a comparison."""
        return StoredDifference(self.directory / graph / "difference")

    def results(self, graph: str, equivalence: str, min_size: int, version: int) -> Results:
        """Returns the results of a search."""
        return Results(self.directory / graph / f"{equivalence}-{min_size}-{version}")


def _summary(catalogue: Catalogue) -> dict[str, Any]:
    from mindinsight.graphs.substructures.documents import summary_document

    graph = catalogue.graph
    return {
        "title": json_text(graph.title),
        "nodes": len(graph),
        "edges": graph.edge_count,
        "shown": catalogue.boxes,
        "dictionary": catalogue.dictionary,
        "complete": catalogue.complete,
        "seconds": round(catalogue.seconds, 3),
        "defects": [
            {"code": defect.code.value, "node": defect.node, "message": defect.message} for defect in graph.defects
        ],
        "defect_counts": {str(code): count for code, count in graph.defect_counts.items()},
        "substructures": [summary_document(structure) for structure in catalogue.structures],
    }


def _details(structure: SubStructure) -> dict[str, Any]:
    return {
        "edges": [list(edge) for edge in structure.edges],
        "series": structure.series,
        "kinds": structure.kinds,
        "differences": structure.differences,
        "near": [{"places": variant.places, "nodes": variant.nodes.tolist()} for variant in structure.variants],
    }
