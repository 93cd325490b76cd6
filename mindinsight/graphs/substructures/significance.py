"""Tests whether a repeat is significant: how likely such a repeat is by chance in a graph with these labels."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from mindinsight.graphs.substructures.work import LEAF, Integers, Rows, WorkGraph, dense

CHOICE_BITS = 2.0
"""Bits per node for the choice of the next step of growth: among two inputs and two consumers."""
MARGIN_BITS = 13.0
"""Minimum bits of odds against chance for a repeat: fewer than one in 2^13 graphs has such a repeat by chance."""

AGAIN_BITS = 4.0
"""The same for one more occurrence of a known repeat: fewer than one in 2^4 graphs has it by chance."""


class Significance:
    """Tests repeats in one graph.

    Args:
        work: the graph.
        kinds: a further number of each node, such as its scope without digits; negative if there is none.
        usual: the bits of labels in the graph of which this one is a part. Other labels have those of their frequency.
    """

    def __init__(self, work: WorkGraph, kinds: Integers, usual: npt.NDArray[np.float64] | None = None) -> None:
        self._work = work
        self._kinds = kinds
        self._bits = _bits(work.label)
        if usual is not None:
            known = work.label < len(usual)
            self._bits[known] = usual[work.label[known]]
        pairs = work.label.astype(np.int64) * (int(kinds.max(initial=0)) + 2) + kinds + 1
        self._pairs = pairs
        self._pair_bits = _bits(pairs)
        self._size = math.log2(max(len(work), 2))

    def of(self, rows: Rows) -> bool:
        """Whether occurrences are more frequent than by chance.

        Args:
            rows: occurrences.
        """
        count, size = rows.shape
        if count < 2 or size < 2:
            return False
        nodes = rows[0]
        grown = nodes[self._work.flags[nodes] & LEAF == 0]
        alike = (self._pairs[rows] == self._pairs[nodes]).all(axis=0) & (self._kinds[nodes] >= 0)
        bits = np.where(alike, self._pair_bits[nodes], self._bits[nodes])
        steps = len(grown) - 1
        by_choice = self._size + CHOICE_BITS * steps - math.lgamma(count + 1) / math.log(2)
        by_label = self._size - float(bits.sum()) + 0.5 * steps

        def tells(closing: int) -> bool:
            return by_choice + (count - 1) * (by_label - closing * (self._size - 2)) < -MARGIN_BITS

        return tells(0) or (tells(self._most_closing(nodes)) and tells(_closing(self._work, nodes)))

    def _most_closing(self, nodes: Integers) -> int:
        """An upper bound of `_closing`, without a look at the edges."""
        fan_in = self._work.in_ptr[nodes + 1] - self._work.in_ptr[nodes]
        return max(int(fan_in.sum()) - len(nodes) + 1, 0)


def is_again(work: WorkGraph, nodes: Integers, often: npt.NDArray[np.int64]) -> bool:
    """Whether a known repeat hardly ever occurs once more by chance among some nodes.

    Args:
        work: the graph.
        nodes: one of its occurrences.
        often: how many of those nodes have each label.
    """
    counts = often[work.label[nodes]]
    if not counts.all():
        return False
    steps = np.count_nonzero(work.flags[nodes] & LEAF == 0) - 1
    size = math.log2(int(often.sum()))
    by_label = float((np.log2(counts) - size).sum()) + size + 0.5 * steps
    return bool(by_label - _closing(work, nodes) * max(size - 2, 0) < -AGAIN_BITS)


def _closing(work: WorkGraph, nodes: Integers) -> int:
    """The number of inner edges that are not needed for connectivity. Chance hardly ever closes a cycle."""
    inside = set(nodes.tolist())
    edges = sum(
        int(source) in inside
        for node in nodes.tolist()
        for source in work.in_src[work.in_ptr[node] : work.in_ptr[node + 1]]
    )
    return max(edges - len(nodes) + 1, 0)


def label_bits(work: WorkGraph) -> npt.NDArray[np.float64]:
    """The information of each label in bits, by its frequency in a graph.

    Args:
        work: the graph, with labels counted from 0.
    """
    return np.asarray(np.log2(len(work) / np.maximum(np.bincount(work.label), 1)), np.float64)


def _bits(labels: npt.NDArray[np.integer]) -> npt.NDArray[np.float64]:
    """The information of each node's label in bits."""
    small = int(labels.max(initial=0)) < 8 * len(labels) + 1024
    _, inverse = dense(labels) if small else np.unique(labels, return_inverse=True)
    counts = np.bincount(inverse)
    return np.asarray(np.log2(len(labels) / counts)[inverse], np.float64)
