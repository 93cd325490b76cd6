"""Weisfeiler-Lehman colours of any depth, by the inputs and the readers of a node. Used by the matching.

Colours are computed along a topological order, so one pass gives the result of a thousand rounds. A node that is
already matched has its own colour, which hides the nodes beyond it: an edit changes only the colours between it and
the next matched nodes.
"""

from __future__ import annotations

import numpy as np

from mindinsight.graphs.diff.pair import GraphPair, Labels, Nodes, edges_of
from mindinsight.graphs.model import NodeKind
from mindinsight.graphs.model.order import is_sorted, levels
from mindinsight.graphs.substructures.loops import MASK, mix
from mindinsight.graphs.substructures.work import Colours, Integers, Offsets

_SPREAD = 0xD1342543DE82EF95
_SEED = 20


class Painter:
    """Colours the nodes of two graphs.

    Args:
        pair: the graphs.
    """

    def __init__(self, pair: GraphPair) -> None:
        self._pair = pair
        self._chance = np.random.default_rng(_SEED)
        self._down, self._up = _orders(pair)
        ports = np.unique(np.stack([pair.in_class, pair.in_slot], axis=1), axis=0, return_inverse=True)[1].ravel()
        self._in_keys = self._drawn(int(ports.max(initial=0)) + 1)[ports]
        self._pins = self._drawn(len(pair))

    def paint(self, label: Labels | Colours, partner: Integers) -> tuple[Colours, Colours]:
        """Returns two colours of every node: by all nodes that lead to it, and by all nodes that it leads to.

        Args:
            label: the label of each node.
            partner: the matched node of each node, or -1.
        """
        _, dense_label = np.unique(label, return_inverse=True)
        colour = self._drawn(int(dense_label.max(initial=0)) + 1)[dense_label]
        free = partner < 0
        pinned = np.flatnonzero(~free)
        colour[pinned] = self._pins[np.minimum(pinned, partner[pinned])]
        pair = self._pair
        down = _along(self._down[free[self._down]], pair.in_ptr, pair.in_src, self._in_keys, colour)
        edges = pair.out_edge
        up = _along(self._up[free[self._up]], pair.out_ptr, pair.in_dst[edges], self._in_keys[edges], colour)
        return down, up

    def _drawn(self, count: int) -> Colours:
        return self._chance.integers(0, MASK, count, np.uint64, endpoint=True)


def both(down: Colours, up: Colours) -> Colours:
    """Combines two colours into one."""
    return down * np.uint64(_SPREAD) + (up ^ (up >> np.uint64(29)))


def _along(order: Nodes, starts: Offsets, others: Integers, keys: Colours, colour: Colours) -> Colours:
    """Colours nodes in order, by the colours of their neighbours on one side."""
    ends, edges = edges_of(starts, order)
    bounds, sources, edge_keys = ends.tolist(), others[edges].tolist(), keys[edges].tolist()
    known: list[int] = colour.tolist()
    first = 0
    for node, last in zip(order.tolist(), bounds[1:], strict=True):
        total = known[node]
        for edge in range(first, last):
            mixed = ((known[sources[edge]] ^ edge_keys[edge]) * _SPREAD) & MASK
            total += mixed ^ (mixed >> 31)
        known[node] = mix(total & MASK)
        first = last
    return np.asarray(known, np.uint64)


def _orders(pair: GraphPair) -> tuple[Nodes, Nodes]:
    """Nodes in topological order, or in reverse. Nodes on cycles and beyond them are left out."""
    operators = pair.kind == NodeKind.OPERATOR
    inner = operators[pair.in_src]
    if is_sorted(pair.in_ptr, pair.in_src):
        down = np.arange(len(pair))
        return down, down[::-1]
    if operators[pair.in_dst].all() and bool((pair.in_src[inner] < pair.in_dst[inner]).all()):
        down = np.argsort(operators, kind="stable")  # Only operators have inputs.
        return down, down[::-1]
    level = levels(pair.in_ptr, pair.in_src)
    down = _by_level(level)
    if (level >= 0).all():
        return down, down[::-1]
    return down, _by_level(levels(pair.out_ptr, pair.in_dst[pair.out_edge]))


def _by_level(level: Integers) -> Nodes:
    order = np.argsort(level, kind="stable")
    return order[int((level < 0).sum()) :]
