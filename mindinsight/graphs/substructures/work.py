"""The graph of the recognition: labels and edges in arrays, with the repeats found so far as single nodes."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int32]
Offsets = npt.NDArray[np.int64]
Bytes = npt.NDArray[np.uint8]
Colours = npt.NDArray[np.uint64]
Rows = np.ndarray[tuple[int, int], np.dtype[np.int32]]
"""Occurrences: one per row, with one node per place."""

LEAF = 1
CONTROL_CLASS, UNORDERED_CLASS = 1 << 20, (1 << 20) + 1
OUTSIDE = -1
"""The column of a node that only marks a source outside of a part of the graph."""
WIDEST_JOIN = 64
"""Number of inputs at which growth stops. Nodes with more, such as a tuple of all results, connect unrelated parts."""


def dense(numbers: npt.NDArray[np.integer]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Returns the distinct numbers (none negative) and the index of each entry among them, without sorting."""
    present = np.zeros(int(numbers.max(initial=0)) + 1, np.bool)
    present[numbers] = True
    used = np.flatnonzero(present)
    place = np.empty(len(present), np.int64)
    place[used] = np.arange(len(used))
    return used, place[numbers]


@dataclass(frozen=True, slots=True)
class PatternPlan:
    """A pattern, from one of its occurrences, in an order in which every place but the first has an earlier neighbour.

    Attributes:
        nodes: the nodes by place.
        before: place of the earlier neighbour.
        edge: the edge to this neighbour.
        out: 1 if the edge leaves the earlier neighbour.
        order: place in the occurrence of each place of the plan.
    """

    nodes: Integers
    before: Integers
    edge: Integers
    out: Bytes
    order: Offsets


@dataclass(slots=True)
class Pattern:
    """A sub-structure with all its occurrences.

    Attributes:
        nodes: one occurrence per row, as numbers of the graph's nodes. Nodes in the same column correspond.
        parent: number of the pattern in which it was found; -1 at the top.
        parts: number of its boxes when the repeats in it are folded.
        round: number of earlier contractions of the graph.
        inside: numbers of the earlier found patterns that it consists of.
        near: nearly equal occurrences.
    """

    nodes: Rows
    parent: int
    phase: int
    round: int
    parts: int = 0
    inside: list[int] = field(default_factory=list)
    near: list[Near] = field(default_factory=list)


@dataclass(slots=True)
class Near:
    """Occurrences that differ from a pattern only in the labels of some nodes.

    Attributes:
        nodes: one occurrence per row.
        places: the places that differ.
    """

    nodes: Rows
    places: list[int]


@dataclass(eq=False)
class WorkGraph:
    """Arrays by node and by edge. Edges are numbered by consumer and port.

    Attributes:
        label: label of each node. Equal nodes have equal labels.
        in_ptr, in_src, in_slot: as in `Graph`.
        in_class: the input port, or its class if the order does not matter.
        flags: LEAF for parameters and constants. Growth includes them and never continues from them.
        phase: forward, backward, optimizer.
        columns: the columns of the matrix of all copies that a node covers: the first one, and their number.
        spans: the columns of nodes that cover several ones.
    """

    KERNEL_COLUMNS: ClassVar[tuple[str, ...]] = (
        *("label", "in_ptr", "in_src", "in_dst", "in_slot", "in_class", "out_ptr", "out_edge", "in_key", "out_key"),
        *("in_tie", "out_tie", "flags", "home", "region", "owner", "place"),
    )

    label: Integers
    in_ptr: Offsets
    in_src: Integers
    in_slot: Integers
    in_class: Integers
    flags: Bytes
    phase: Bytes
    columns: Integers
    spans: dict[int, Integers] = field(default_factory=dict)
    names: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        count, edges = len(self.label), len(self.in_src)
        self.in_dst: Integers = np.repeat(np.arange(count, dtype=np.int32), self.in_ptr[1:] - self.in_ptr[:-1])
        self.out_edge: Integers = np.argsort(self.in_src, kind="stable").astype(np.int32)
        self.out_ptr: Offsets = np.zeros(count + 1, np.int64)
        np.cumsum(np.bincount(self.in_src, minlength=count), out=self.out_ptr[1:])
        self.in_key: Colours = np.zeros(edges, np.uint64)
        self.out_key: Colours = np.zeros(edges, np.uint64)
        self.in_tie: Bytes = np.zeros(edges, np.uint8)
        self.out_tie: Bytes = np.zeros(edges, np.uint8)
        self.home: Integers = np.full(count, -1, np.int32)
        used = self.out_ptr[1:] > self.out_ptr[:-1]
        self.home[used] = self.in_dst[self.out_edge[self.out_ptr[:-1][used]]]
        self.region: Integers = np.zeros(count, np.int32)
        self.owner: Integers = np.full(count, -1, np.int32)
        self.place: Integers = np.zeros(count, np.int32)

    def __len__(self) -> int:
        return len(self.label)

    @property
    def edge_count(self) -> int:
        """The number of edges."""
        return len(self.in_src)

    @property
    def joins(self) -> npt.NDArray[np.bool]:
        """Which nodes have too many inputs for growth to pass."""
        return np.asarray(self.in_ptr[1:] - self.in_ptr[:-1] > WIDEST_JOIN)

    @cached_property
    def port_class(self) -> Integers:
        """The class of each edge if the order of inputs mattered at all nodes."""
        port = (np.arange(self.edge_count) - self.in_ptr[self.in_dst]).astype(np.int32)
        return np.where(self.in_class == UNORDERED_CLASS, port, self.in_class)

    @cached_property
    def label_first(self) -> Offsets:
        """Start of the nodes of each label in `by_label`."""
        first = np.zeros(int(self.label.max(initial=-1)) + 2, np.int64)
        np.cumsum(np.bincount(self.label, minlength=len(first) - 1), out=first[1:])
        return first

    @cached_property
    def by_label(self) -> Integers:
        """Nodes in order of their labels."""
        return np.argsort(self.label, kind="stable").astype(np.int32)

    def with_label(self, label: int) -> Integers:
        """Returns the nodes of a label, in order."""
        return self.by_label[self.label_first[label] : self.label_first[label + 1]]

    def columns_of(self, node: int) -> Integers:
        """Returns the columns that a node covers."""
        spans = self.spans.get(node)
        return self.columns[node : node + 1] if spans is None else spans


def plan_pattern(work: WorkGraph, row: Integers, anchor: int) -> PatternPlan:
    """Returns a pattern's places in an order in which the next one is nearly always certain.

    Inputs are followed first, for a port has one source. A consumer is followed only when no input is left: an output
    may have several that look alike.

    Args:
        work: the graph.
        row: a connected occurrence.
        anchor: the place to begin with.
    """
    place_of = {int(node): place for place, node in enumerate(row.tolist())}
    order, before, edges, out = [anchor], [0], [0], [0]
    reached = {anchor}

    def reach(node: int, at: int, edge: int, leaves: int) -> bool:
        place = place_of.get(node)
        if place is None or place in reached:
            return False
        reached.add(place)
        order.append(place)
        before.append(at)
        edges.append(edge)
        out.append(leaves)
        return True

    at = 0

    def follow_inputs() -> None:
        """Reaches the inputs of all places that were reached, and theirs."""
        nonlocal at
        while at < len(order):
            node = int(row[order[at]])
            for edge in range(int(work.in_ptr[node]), int(work.in_ptr[node + 1])):
                reach(int(work.in_src[edge]), at, edge, 0)
            at += 1

    follow_inputs()
    for followed, place in enumerate(order):  # The list grows during the loop.
        node = int(row[place])
        if work.flags[node] & LEAF:
            continue
        for edge in work.out_edge[work.out_ptr[node] : work.out_ptr[node + 1]].tolist():
            if reach(int(work.in_dst[edge]), followed, edge, 1):
                follow_inputs()
    places = np.asarray(order, np.int64)
    return PatternPlan(
        nodes=np.ascontiguousarray(row[places], np.int32),
        before=np.asarray(before, np.int32),
        edge=np.asarray(edges, np.int32),
        out=np.asarray(out, np.uint8),
        order=places,
    )
