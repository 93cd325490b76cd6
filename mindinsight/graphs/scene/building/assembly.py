"""Makes the scene of a graph from its repeated sub-structures. Called once by the worker, after the search for them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from mindinsight.graphs.model import MONAD, Graph, NodeKind
from mindinsight.graphs.model.order import outgoing
from mindinsight.graphs.scene.bookkeeping import ORDERING
from mindinsight.graphs.scene.building.containers import Arrangement
from mindinsight.graphs.scene.building.edges import lifted, without_hubs
from mindinsight.graphs.scene.building.homes import Homes, find_homes, is_leaf
from mindinsight.graphs.scene.building.joining import SceneTables
from mindinsight.graphs.scene.building.pairs import paired
from mindinsight.graphs.scene.building.scopes import ROOT, Ints
from mindinsight.graphs.scene.building.tables import Frame, Laid, lay_out
from mindinsight.graphs.scene.building.units import FrameEdges, Occurrences, UnitFinder
from mindinsight.graphs.scene.scene import Scene
from mindinsight.graphs.scene.type_sizes import bytes_of
from mindinsight.graphs.substructures import Catalogue

Progress = Callable[[float], None]


def make_scene(graph: Graph, catalogue: Catalogue, progress: Progress | None = None) -> Scene:
    """Returns the scene of a graph.

    Args:
        graph: the graph.
        catalogue: its repeated sub-structures.
        progress: called with the finished share, from 0 to 1.
    """
    return _Builder(graph, catalogue, progress or (lambda _share: None)).build()


class _Builder:
    """Makes one scene, frame by frame."""

    def __init__(self, graph: Graph, catalogue: Catalogue, progress: Progress) -> None:
        self.graph, self.structures, self.progress = graph, catalogue.structures, progress
        self.homes: Homes = find_homes(graph, catalogue)
        self.leaf = is_leaf(graph)
        self.local = np.full(len(graph), -1, np.int64)
        self.outer = self._enclosing()
        starts, edges = outgoing(len(graph), np.asarray(graph.in_ptr), np.asarray(graph.in_src))
        self.out_first, self.out_edges = starts, edges
        self.tables = SceneTables()
        self.sizes = self._type_sizes()
        used = np.unique(graph.op).tolist()
        self.ops = {graph.strings[number]: int(number) for number in used}

    def build(self) -> Scene:
        waiting = [-1]
        frames = {-1: 0}
        done = 0
        while done < len(waiting):
            pattern = waiting[done]
            done += 1
            wanted = self._frame(pattern)
            for other in wanted:
                if other not in frames:
                    frames[other] = len(waiting)
                    waiting.append(other)
            self.progress(done / len(waiting))
        scene = self.tables.finish(self.out_first, self.out_edges)
        scene.box_pair = paired(self.graph, scene, self.homes.phase)
        return scene

    def _type_sizes(self) -> Ints:
        sizes = np.full(len(self.graph.strings), -1, np.int64)
        for number in np.unique(self.graph.type).tolist():
            sizes[number] = bytes_of(self.graph.strings[number])
        return sizes

    def _enclosing(self) -> list[npt.NDArray[np.int64]]:
        """Returns for each occurrence the sub-structure and the occurrence around it; -1 if there is none."""
        found: list[npt.NDArray[np.int64]] = [np.empty((2, 0), np.int64)] * len(self.structures)
        owner = np.full((2, len(self.graph)), -1, np.int64)
        for number in sorted(range(len(self.structures)), key=lambda n: (-self.structures[n].size, n)):
            nodes = self.structures[number].nodes
            if not self.homes.kept[number]:
                continue
            found[number] = owner[:, nodes[:, 0]]
            owner[0, nodes] = number
            owner[1, nodes] = np.arange(len(nodes))[:, None]
        return found

    def _frame(self, pattern: int) -> list[int]:
        """Makes a frame and returns the sub-structures that it shows."""
        whole = pattern < 0
        nodes = np.arange(len(self.graph)) if whole else self.structures[pattern].nodes[0].astype(np.int64)
        self.local[nodes] = np.arange(len(nodes))
        occurrences, matrices = self._occurrences(pattern, len(nodes))
        edges = self._edges(nodes, whole=whole)
        units = UnitFinder(self.graph, self.homes, self.leaf, nodes, edges, occurrences, self.ops).find()
        base = ROOT if whole else int(self.homes.rows[pattern][0])
        trusted = self.homes.trusted
        arrangement = Arrangement(self.graph, self.homes.scopes, units, nodes, base, whole=whole, trusted=trusted)
        outermost = arrangement.arrange()
        names_from = self.homes.name_root if whole else base
        frame = Frame(nodes, occurrences, matrices, units, arrangement, outermost, names_from)
        laid = lay_out(self.graph, self.homes, self.structures, frame)
        drawn = np.ones(len(edges.source), np.bool)
        inner = edges.source >= 0
        drawn[inner] = np.asarray(self.graph.kind)[nodes[edges.source[inner]]] != NodeKind.CONSTANT
        chosen = FrameEdges(edges.source[drawn], edges.target[drawn], edges.number[drawn])
        self._draw(laid, chosen)
        self.tables.add(pattern, laid)
        self.local[nodes] = -1
        return [int(number) for number in np.unique(units.pattern[units.pattern >= 0])]

    def _draw(self, laid: Laid, edges: FrameEdges) -> None:
        ends = np.full((4, len(edges.source)), -1, np.int64)
        for row, places in ((0, edges.source), (2, edges.target)):
            inner = places >= 0
            box = laid.leaves["box"][places[inner]]
            ends[row, inner] = laid.boxes["container"][box]
            ends[row + 1, inner] = box - laid.container_first[laid.boxes["container"][box]]
        graph = self.graph
        source_nodes, phase = np.asarray(graph.in_src)[edges.number], self.homes.phase.astype(np.int64)
        found = lifted(
            laid.tree,
            ends,
            self._edge_kinds(edges.number),
            (phase[source_nodes], phase[graph.in_dst[edges.number]]),
            np.asarray(graph.type)[source_nodes].astype(np.int64),
            self.sizes,
        )
        laid.edges, laid.proxies = without_hubs(found)

    def _edge_kinds(self, edges: Ints) -> Ints:
        """Returns the kinds of edges. Edges into operators that only keep side effects in order have their own kind."""
        kinds = np.asarray(self.graph.in_kind)[edges].astype(np.int64)
        ordering = self.ops.get(ORDERING, -1)
        kinds[np.asarray(self.graph.op)[self.graph.in_dst[edges]] == ordering] = MONAD
        return kinds

    def _occurrences(self, pattern: int, size: int) -> tuple[Occurrences, list[npt.NDArray[np.int64]]]:
        """Returns the occurrences that are directly in a frame, with the places of each."""
        kinds: list[Ints] = []
        rows: list[Ints] = []
        matrices: list[npt.NDArray[np.int64]] = []
        place = np.full(size, -1, np.int64)
        count = 0
        inside = range(len(self.structures)) if pattern < 0 else self._within(pattern)
        for number in inside:
            if not self.homes.kept[number]:
                continue
            outer = self.outer[number]
            chosen = np.flatnonzero(outer[0] == -1 if pattern < 0 else (outer[0] == pattern) & (outer[1] == 0))
            if not len(chosen):
                continue
            matrix = self.local[self.structures[number].nodes[chosen]]
            place[matrix] = np.arange(count, count + len(chosen))[:, None]
            count += len(chosen)
            kinds.append(np.full(len(chosen), number, np.int64))
            rows.append(chosen.astype(np.int64))
            matrices.extend(matrix)
        if not kinds:
            nothing = np.empty(0, np.int64)
            return Occurrences(nothing, nothing, place), []
        return Occurrences(np.concatenate(kinds), np.concatenate(rows), place), matrices

    def _within(self, pattern: int) -> list[int]:
        if not hasattr(self, "_by_outer"):
            by_outer: dict[int, list[int]] = {}
            for number, outer in enumerate(self.outer):
                for found in np.unique(outer[0]).tolist() if outer.size else []:
                    by_outer.setdefault(found, []).append(number)
            self._by_outer = by_outer
        return self._by_outer.get(pattern, [])

    def _edges(self, nodes: npt.NDArray[np.int64], *, whole: bool) -> FrameEdges:
        graph = self.graph
        if whole:
            every = np.arange(graph.edge_count)
            return FrameEdges(np.asarray(graph.in_src).astype(np.int64), graph.in_dst.astype(np.int64), every)
        firsts, lasts = np.asarray(graph.in_ptr)[nodes], np.asarray(graph.in_ptr)[nodes + 1]
        number, place = _spread(firsts, lasts)
        source = self.local[np.asarray(graph.in_src)[number]]
        external = np.asarray(graph.kind)[np.asarray(graph.in_src)[number]] == NodeKind.CONSTANT
        shown = (source >= 0) | ~external
        spots, lead = _spread(self.out_first[nodes], self.out_first[nodes + 1])
        leaving = self.out_edges[spots]
        outside = self.local[graph.in_dst[leaving]] < 0
        return FrameEdges(
            np.concatenate([source[shown], lead[outside]]),
            np.concatenate([place[shown], np.full(int(outside.sum()), -1)]),
            np.concatenate([number[shown], leaving[outside]]),
        )


def _spread(firsts: Ints, lasts: Ints) -> tuple[Ints, Ints]:
    """Numbers from each first to each last, and the span that each belongs to."""
    sizes = (lasts - firsts).astype(np.int64)
    lead = np.repeat(np.arange(len(firsts)), sizes)
    starts = np.cumsum(sizes) - sizes
    return np.arange(int(sizes.sum())) - starts[lead] + np.asarray(firsts)[lead], lead
