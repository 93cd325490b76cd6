"""Folds repeats into one box: occurrences that feed each other, or have the same neighbours, or update one weight each.

A parameter or constant that is read by one such box alone belongs to it. The drawing does the same
(`scene/building/units.py`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mindinsight.graphs.substructures.equivalence import OPTIMIZER
from mindinsight.graphs.substructures.work import LEAF, OUTSIDE, WorkGraph


@dataclass(frozen=True, slots=True)
class Folded:
    """The display of a contracted graph.

    Attributes:
        boxes: number of boxes.
        series: for each series of at least two, the pattern's number and its contracted nodes in order.
    """

    boxes: int
    series: list[tuple[int, list[int]]]


def fold(work: WorkGraph) -> Folded:
    """Returns the number of boxes that show a contracted graph, and its series."""
    nodes = sorted(work.names)
    parent = {node: node for node in nodes}

    def root(node: int) -> int:
        while parent[node] != node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    for node in nodes:
        for source in set(work.in_src[work.in_ptr[node] : work.in_ptr[node + 1]].tolist()):
            if source in parent and work.names[source] == work.names[node]:
                parent[root(node)] = root(source)
    around: dict[tuple[int, tuple[int, ...], tuple[int, ...]], int] = {}
    for node in nodes:
        ins = tuple(work.in_src[work.in_ptr[node] : work.in_ptr[node + 1]].tolist())
        outs = tuple(sorted({int(work.in_dst[e]) for e in work.out_edge[work.out_ptr[node] : work.out_ptr[node + 1]]}))
        first = around.setdefault((int(work.label[node]), ins, outs), node)
        parent[root(node)] = root(first)
    updating: dict[int, int] = {}
    for node in nodes:
        if work.phase[node] == OPTIMIZER:
            parent[root(node)] = root(updating.setdefault(work.names[node], node))
    groups: dict[int, list[int]] = {}
    for node in nodes:
        groups.setdefault(root(node), []).append(node)
    series = [(work.names[members[0]], members) for members in groups.values() if len(members) > 1]
    shown = int((work.columns != OUTSIDE).sum())
    return Folded(shown - sum(len(members) - 1 for _, members in series) - _read_by_one(work, series), series)


def _read_by_one(work: WorkGraph, series: list[tuple[int, list[int]]]) -> int:
    """The number of leaves that only the occurrences of one series read, but for other phases."""
    box = np.arange(len(work))
    for _, members in series:
        box[members] = -1 - members[0]
    leaf = (work.flags & LEAF != 0) & (work.columns != OUTSIDE)
    reading = leaf[work.in_src] & (work.phase[work.in_src] == work.phase[work.in_dst])
    source, reader = work.in_src[reading], box[work.in_dst[reading]]
    least, most = np.full(len(work), len(work)), np.full(len(work), -len(work) - 1)
    np.minimum.at(least, source, reader)
    np.maximum.at(most, source, reader)
    return int(np.count_nonzero((least == most) & (most < 0)))
