"""The networks of `graph_page.py`, as files for each dashboard; made in a new folder, or kept for the next run."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.measuring import graph_planted
from benchmarks.measuring.environments import ROOT
from benchmarks.measuring.graph_files import write_explorer, write_graph
from mindinsight.graphs.model import read_graph

# Layers of 48 nodes between an embedding and a head.
LAYERS = {"2k": 47, "9k": 188, "23k": 470, "115k": 2347, "1M": 20408}
# A record of an event file has no room for the names of a million nodes with their scopes.
WITHOUT_SCOPES = frozenset({"1M"})
RESNET = "Default/network-WithLossCell/_backbone-ResNet"


@dataclass(frozen=True)
class Network:
    """A network on disk.

    Attributes:
        name: `resnet50`, or a size of `LAYERS`.
        folder: everything that belongs to it.
    """

    name: str
    folder: Path

    @property
    def base(self) -> Path:
        """The directory with one run that has the graph as TensorBoard reads it."""
        return self.folder / "summaries"

    @property
    def own_base(self) -> Path:
        """The same for ours: a real network as MindSpore wrote it, others as TensorBoard reads them."""
        return self.base if self.name in LAYERS else self.folder / "recorded"

    @property
    def workspace(self) -> Path:
        """Where our dashboard keeps its analyses."""
        return self.folder / "workspace"

    @property
    def explorer(self) -> Path:
        """The graph for Model Explorer."""
        return self.folder / "graph.json"

    @property
    def box(self) -> str:
        """CSS selector of what is opened in our outline: the stack of all layers, or the same box as TensorBoard's."""
        return "[data-kind=stack]" if self.name in LAYERS else ":has-text('layer3')"

    @property
    def scopes(self) -> list[str]:
        """What TensorBoard opens, from the outside in; how long the last one takes is measured."""
        return ["Default", "Default/layers"] if self.name in LAYERS else _ways(f"{RESNET}/layer3-SequentialCell")


@contextmanager
def network(name: str, kept: Path | None) -> Iterator[Network | None]:
    """A network's files; None where the real one is not there.

    Args:
        name: `resnet50`, or a size of `LAYERS`.
        kept: a directory in which it is looked for and kept; a temporary one unless given.
    """
    with TemporaryDirectory() as temporary:
        made = Network(name, (kept or Path(temporary)).resolve() / name)
        if not made.explorer.is_file():
            file = None if name in LAYERS else _recorded(name)
            if file is None and name not in LAYERS:
                yield None
                return
            graph = read_graph(file) if file else graph_planted.transformer(LAYERS[name]).graph()
            if file:
                (made.own_base / name).mkdir(parents=True, exist_ok=True)
                shutil.copy(file, made.own_base / name)
            write_graph(made.base / name, graph, scopes=name not in WITHOUT_SCOPES)
            write_explorer(made.explorer, graph)
        yield made


def _recorded(name: str) -> Path | None:
    base = (ROOT / os.environ.get("MINDINSIGHT_TEST_DATA", "../shared/data")).resolve()
    return next(iter(sorted((base / "mindspore" / name).glob("events*MS"))), None)


def _ways(scope: str) -> list[str]:
    parts = scope.split("/")
    return ["/".join(parts[: count + 1]) for count in range(len(parts))]
