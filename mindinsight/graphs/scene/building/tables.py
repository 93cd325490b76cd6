"""Stores the containers of a frame as columns. Used by `assembly`; `joining` joins the frames of a scene."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from mindinsight.graphs.model import Graph, NodeKind
from mindinsight.graphs.scene.bookkeeping import BOOKKEEPING, is_any_of
from mindinsight.graphs.scene.building.containers import Arrangement
from mindinsight.graphs.scene.building.edges import ContainerEdges, Tree, no_edges
from mindinsight.graphs.scene.building.homes import Homes
from mindinsight.graphs.scene.building.scopes import ROOT, Ints, attribute_of, class_of, title_of
from mindinsight.graphs.scene.building.units import Occurrences, Units
from mindinsight.graphs.scene.scene import BoxKind
from mindinsight.graphs.substructures import SubStructure
from mindinsight.graphs.substructures.equivalence import FORWARD


@dataclass(eq=False)
class Laid:
    """The columns of a frame. Boxes, containers, rows and instances are numbered within the frame."""

    container_first: Ints
    container_box: Ints
    tree: Tree
    boxes: dict[str, Ints]
    box_names: list[str]
    box_patterns: Ints
    leaves: dict[str, Ints]
    ordered: Ints
    rows: list[npt.NDArray[np.int64]]
    instance_names: list[str] = field(default_factory=list)
    instance_differs: list[bool] = field(default_factory=list)
    edges: ContainerEdges = field(default_factory=no_edges)
    proxies: npt.NDArray[np.int64] = field(default_factory=lambda: np.empty((3, 0), np.int64))


@dataclass(eq=False)
class Frame:
    """A frame that is stored as columns.

    Attributes:
        nodes: the frame's nodes by place.
        occurrences: the occurrences in it.
        matrices: the places of each occurrence.
        units: the units that it is drawn with.
        arrangement: the containers of the units.
        outermost: the number of the outermost container.
        base: the scope that names are relative to.
    """

    nodes: npt.NDArray[np.int64]
    occurrences: Occurrences
    matrices: list[npt.NDArray[np.int64]]
    units: Units
    arrangement: Arrangement
    outermost: int
    base: int


def lay_out(graph: Graph, homes: Homes, structures: list[SubStructure], frame: Frame) -> Laid:
    """Returns a frame's columns, without edges."""
    return _Layer(graph, homes, structures, frame).lay()


class _Layer:
    """Stores one frame as columns."""

    def __init__(self, graph: Graph, homes: Homes, structures: list[SubStructure], frame: Frame) -> None:
        self._graph, self._homes, self._structures, self._frame = graph, homes, structures, frame
        self._containers = frame.arrangement.containers
        self._lead = self._leads()
        self._sequence: list[int] = []
        self._rank = np.full(len(frame.units.order), -1, np.int64)
        self._spans: dict[int, tuple[int, int]] = {}
        self._ranked = 0
        self._visit(frame.outermost)

    def lay(self) -> Laid:
        units = self._frame.units
        entries = [self._containers[number].entries for number in self._sequence]
        first = np.concatenate([[0], np.cumsum([len(row) for row in entries])]).astype(np.int64)
        every = np.concatenate(entries) if entries else np.empty(0, np.int64)
        container = np.repeat(np.arange(len(entries)), np.diff(first))
        place_of = {number: place for place, number in enumerate(self._sequence)}
        inner = every < 0
        child = np.full(len(every), -1, np.int64)
        child[inner] = [place_of[-1 - entry] for entry in every[inner].tolist()]
        container_box = np.full(len(entries), -1, np.int64)
        container_box[child[inner]] = np.flatnonzero(inner)
        box_of = np.full(len(units.order), -1, np.int64)
        box_of[every[~inner]] = np.flatnonzero(~inner)
        of_place = self._lead[units.of_place]
        ordered = np.lexsort((np.arange(len(of_place)), self._rank[of_place]))
        laid = Laid(
            container_first=first,
            container_box=container_box,
            tree=self._tree(container_box, container, first),
            boxes={"container": container, "child": child},
            box_names=[],
            box_patterns=np.full(len(every), -1, np.int64),
            leaves={"box": box_of[of_place]},
            ordered=ordered,
            rows=[],
        )
        self._held(laid, every, of_place)
        self._name_boxes(laid, every, box_of)
        return laid

    def _leads(self) -> Ints:
        merged = self._frame.arrangement.merged
        lead = np.arange(len(self._frame.units.order), dtype=np.int64)
        for other in merged:
            here = other
            while here in merged:
                here = merged[here]
            lead[other] = here
        return lead

    def _visit(self, number: int) -> None:
        """Numbers containers and units in drawing order. The content of a box takes the box's place in the order."""
        self._sequence.append(number)
        begun = self._ranked
        for entry in self._containers[number].entries.tolist():
            if entry < 0:
                self._visit(-1 - entry)
            else:
                self._rank[entry] = self._ranked
                self._ranked += 1
        self._spans[number] = (begun, self._ranked)

    def _tree(self, container_box: Ints, container: Ints, first: Ints) -> Tree:
        count = len(container_box)
        inside = container_box >= 0
        parent, place = np.full(count, -1, np.int64), np.full(count, -1, np.int64)
        parent[inside] = container[container_box[inside]]
        place[inside] = container_box[inside] - first[parent[inside]]
        depth = np.zeros(count, np.int64)
        for number in range(1, count):  # Parents come first.
            depth[number] = depth[parent[number]] + 1
        return Tree(parent, place, depth)

    def _held(self, laid: Laid, every: Ints, of_place: Ints) -> None:
        """Finds the places in each box, and the number of each kind."""
        per_rank = np.bincount(self._rank[of_place], minlength=self._ranked)
        ends = np.concatenate([[0], np.cumsum(per_rank)])
        low = self._rank[np.maximum(every, 0)]
        high = low + 1
        inner = np.flatnonzero(every < 0)
        spans = [self._spans[-1 - entry] for entry in every[inner].tolist()]
        low[inner], high[inner] = np.asarray(spans, np.int64).reshape(-1, 2).T
        boxes = laid.boxes
        boxes["low"], boxes["high"] = ends[low], ends[high]
        kinds = np.asarray(self._graph.kind)[self._frame.nodes[laid.ordered]]
        for name, kind in (
            ("operators", NodeKind.OPERATOR),
            ("parameters", NodeKind.PARAMETER),
            ("constants", NodeKind.CONSTANT),
        ):
            counts = np.concatenate([[0], np.cumsum(kinds == kind)])
            boxes[name] = counts[boxes["high"]] - counts[boxes["low"]]

    def _name_boxes(self, laid: Laid, every: Ints, box_of: Ints) -> None:
        units, boxes = self._frame.units, laid.boxes
        inner = every < 0
        safe = np.where(inner, 0, every)
        pattern = np.where(inner, -1, units.pattern[safe])
        boxes["kind"] = np.where(inner, BoxKind.GROUP, np.where(pattern >= 0, BoxKind.ONE, BoxKind.NODE))
        boxes["place"] = np.where(boxes["kind"] == BoxKind.NODE, units.first[safe], -1)
        boxes["phase"] = units.phase[safe]
        boxes["phase"][inner] = [self._containers[-1 - entry].phase for entry in every[inner].tolist()]
        laid.box_patterns = pattern
        names = [""] * len(every)
        for box in np.flatnonzero(inner).tolist():
            names[box] = self._containers[-1 - int(every[box])].name
        for name in ("count", "rows", "instances"):
            boxes[name] = np.full(len(every), 1 if name == "count" else -1, np.int64)
        size = len(self._frame.nodes)
        laid.leaves["instance"], laid.leaves["place"] = np.full((2, size), -1, np.int64)
        rows_begin = 0
        for box in np.flatnonzero(pattern >= 0).tolist():
            members = units.members[int(every[box])]
            boxes["count"][box], boxes["rows"][box] = len(members), rows_begin
            boxes["instances"][box] = len(laid.instance_names)
            boxes["kind"][box] = BoxKind.STACK if len(members) > 1 else BoxKind.ONE
            for instance, member in enumerate(members):
                places = self._frame.matrices[member]
                laid.rows.append(places)
                rows_begin += len(places)
                laid.leaves["instance"][places] = instance
                laid.leaves["place"][places] = np.arange(len(places))
            names[box] = self._name_stack(laid, int(pattern[box]), members)
        self._name_layers(names, laid, every)
        laid.box_names = names

    def _name_layers(self, names: list[str], laid: Laid, every: Ints) -> None:
        """Names a single operator after its layer, if it is the whole forward layer, with its parameters."""
        scopes, units, boxes = self._homes.scopes, self._frame.units, laid.boxes
        parameters = np.flatnonzero(np.asarray(self._graph.kind)[self._frame.nodes] == NodeKind.PARAMETER)
        reader = units.of_place[parameters]
        is_in_scope = self._homes.scope[self._frame.nodes[parameters]] == units.scope[reader]
        is_named = np.zeros(len(units.scope), np.bool)
        is_named[reader[is_in_scope]] = True
        layers = (boxes["kind"] == BoxKind.NODE) & (boxes["operators"] > 0) & (boxes["phase"] == FORWARD)
        has_class = np.asarray([bool(class_of(component)) for component in scopes.component])
        layers[layers] = (is_named | has_class[units.scope])[every[layers]]
        alone = self._scopes_of_one() if layers.any() else set()
        for box in np.flatnonzero(layers).tolist():
            scope = int(units.scope[every[box]])
            if scope in alone:
                names[box] = title_of(scopes.component[scope])

    def _scopes_of_one(self) -> set[int]:
        """Returns the scopes that consist of one operator; in PyTorch's graphs also those of one that is called several
        times.
        """
        scopes, units = self._homes.scopes, self._frame.units
        if not self._homes.trusted:
            return scopes.without_others(units.scope[units.phase == FORWARD])
        first = self._frame.nodes[np.where(units.pattern < 0, units.first, 0)]
        counted = (units.pattern >= 0) | ~is_any_of(BOOKKEEPING, self._graph, first)
        pairs = np.unique(np.stack([units.scope[counted], units.label[counted]]), axis=1)
        return scopes.without_others(pairs[0]) - {ROOT}

    def _label(self, scope: int) -> str:
        """Returns a scope in the form of parameters' names; empty if it is outside of their root."""
        scopes, base = self._homes.scopes, self._frame.base
        if not scopes.lies_in(scope, base):
            base = self._homes.name_root
        return scopes.label(scope, base) if scope > ROOT and scopes.lies_in(scope, base) else ""

    def _name_stack(self, laid: Laid, pattern: int, members: list[int]) -> str:
        """Names the instances of a box, notes which of them differ, and returns the name of the box."""
        structure = self._structures[pattern]
        rows = self._frame.occurrences.row[members]
        kind_of = np.empty(structure.count, np.int64)
        for number, kind in enumerate(structure.kinds):
            kind_of[kind] = number
        kinds = kind_of[rows]
        usual = Counter(kinds.tolist()).most_common(1)[0][0]
        laid.instance_differs.extend((kinds != usual).tolist())
        scopes = self._homes.named[pattern][rows].tolist()
        labels = [self._label(scope) for scope in scopes]
        often = Counter(labels)
        for number, label in enumerate(labels):
            title = label if often[label] == 1 and label else f"{label} #{number + 1}".strip()
            laid.instance_names.append(title)
        name = structure.name or self._graph.text("op", int(structure.nodes[0][0]))
        if len(members) > 1 or not self._homes.unit[pattern]:
            return name
        attribute = attribute_of(self._homes.scopes.component[scopes[0]])
        return f"{name} {attribute}" if attribute.isdigit() else attribute
