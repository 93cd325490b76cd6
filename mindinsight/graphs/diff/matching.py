"""Finds for each node of one graph the corresponding node of another one. Called by `compare`.

Nodes whose whole surroundings agree and are unique are matched first. Then nodes between matched nodes follow, with
fewer and fewer properties that must agree. Names decide only between nodes that are alike.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mindinsight.graphs.diff.colours import Painter, both
from mindinsight.graphs.diff.pair import GraphPair, Labels, Nodes, Strictness, edges_of
from mindinsight.graphs.diff.spreading import Spreader
from mindinsight.graphs.model import Graph, NodeKind
from mindinsight.graphs.substructures.work import Colours, Integers

_ROUNDS = 8
_REFINED = 3


def match(left: Graph, right: Graph) -> Integers:
    """Returns for each node of the left graph its node of the right one, or -1. No node is used twice.

    Args:
        left: the graph that comes first.
        right: the other one.
    """
    return match_pair(GraphPair(left, right))


def match_pair(pair: GraphPair) -> Integers:
    """Returns the same as `match`, for a pair of graphs.

    Args:
        pair: the graphs.
    """
    partner = np.full(len(pair), -1, np.int32)
    painter, spreader = Painter(pair), Spreader(pair, partner)
    telling = [strictness for strictness in Strictness if _tells(pair, strictness)]
    for strictness in telling:
        _anchor(pair, painter, strictness, partner)
        spreader.spread(pair.labels[strictness])
        spreader.bridge(pair.labels[strictness])
    for strictness in telling:
        if _done(pair, partner):
            break
        _break_ties(pair, painter, spreader, strictness, partner)
    _match_places(pair, partner)
    spreader.spread(pair.labels[Strictness.OPERATOR])
    _match_unread(pair, partner)
    found = partner[: pair.split].copy()
    found[found >= 0] -= pair.split
    return found


def _tells(pair: GraphPair, strictness: Strictness) -> bool:
    """Whether this strictness requires less than the previous one."""
    kinds = [int(label.max(initial=0)) for label in pair.labels]
    return strictness is Strictness.ALL or kinds[strictness] < kinds[strictness - 1]


def _done(pair: GraphPair, partner: Integers) -> bool:
    return bool((partner[: pair.split] >= 0).all() or (partner[pair.split :] >= 0).all())


def _anchor(pair: GraphPair, painter: Painter, strictness: Strictness, partner: Integers) -> None:
    """Matches nodes with unique colours until no new ones are found."""
    fed, used = pair.in_ptr[1:] > pair.in_ptr[:-1], pair.out_ptr[1:] > pair.out_ptr[:-1]
    if strictness is Strictness.ALL:  # A node with a unique label needs no neighbours to be identified.
        fed[:] = used[:] = True
    for _ in range(_ROUNDS):
        if _done(pair, partner):
            return
        down, up = painter.paint(pair.labels[strictness], partner)
        found = _join_unique(pair, both(down, up), fed | used, partner)
        found += _join_unique(pair, down, fed, partner) + _join_unique(pair, up, used, partner)
        if found * 1000 <= (partner < 0).sum():
            return


def _join_unique(pair: GraphPair, colour: Colours, usable: npt.NDArray[np.bool], partner: Integers) -> int:
    """Matches nodes whose colour occurs once in each graph. Returns the number of matches."""
    free = np.flatnonzero((partner < 0) & usable)
    order = free[np.argsort(colour[free], kind="stable")]
    starts, sizes = _classes(colour[order])
    first = starts[sizes == 2]
    one, other = order[first], order[first + 1]
    fits = (one < pair.split) & (other >= pair.split)
    partner[one[fits]], partner[other[fits]] = other[fits], one[fits]
    return int(fits.sum())


def _classes(ordered: Colours) -> tuple[Nodes, Nodes]:
    """The start and the length of each run of equal colours in a sorted array."""
    starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])) if len(ordered) else np.zeros(0, np.int64)
    return starts, np.diff(np.append(starts, len(ordered)))


def _break_ties(
    pair: GraphPair, painter: Painter, spreader: Spreader, strictness: Strictness, partner: Integers
) -> None:
    """Chooses between nodes that are alike: first nodes that nothing distinguishes, then nodes at the same ports."""
    label = pair.labels[strictness]
    colour = _refined(painter, label, partner)
    spreader.spread(colour, ties=True)
    free = np.flatnonzero(partner < 0)
    order = free[np.argsort(colour[free], kind="stable")]
    starts, sizes = _classes(colour[order])
    groups = [order[start : start + size] for start, size in zip(starts, sizes, strict=True) if size > 1]
    for members in sorted(groups, key=lambda nodes: (len(nodes), int(nodes[0]))):
        cut = int(np.searchsorted(members, pair.split))
        if 0 < cut < len(members):
            spreader.seed(members[:cut].tolist(), members[cut:].tolist())
    spreader.spread(label, ties=True)


def _refined(painter: Painter, label: Labels, partner: Integers) -> Colours:
    """Refines colours by the colours of neighbours until no more nodes are distinguished."""
    colour = both(*painter.paint(label, partner))
    count = len(np.unique(colour))
    for _ in range(_REFINED):
        finer = both(*painter.paint(colour, partner))
        more = len(np.unique(finer))
        if more == count:
            break
        colour, count = finer, more
    return colour


def _match_places(pair: GraphPair, partner: Integers) -> None:
    """Matches nodes with different operators but exactly the same matched neighbours."""
    free = np.flatnonzero(partner < 0)
    places: dict[tuple[object, ...], list[int]] = {}
    for node in free.tolist():
        place = _place(pair, partner, node)
        if place is not None:
            places.setdefault(place, []).append(node)
    for nodes in places.values():
        if len(nodes) == 2 and nodes[0] < pair.split <= nodes[1]:
            partner[nodes[0]], partner[nodes[1]] = nodes[1], nodes[0]


def _match_unread(pair: GraphPair, partner: Integers) -> None:
    """Matches parameters and constants whose readers were removed or inserted.

    Among those that are alike, equal names belong together. If one of them has no reader any more, the last ones of
    both graphs are matched.
    """
    free = np.flatnonzero((partner < 0) & ((pair.kind == NodeKind.PARAMETER) | (pair.kind == NodeKind.CONSTANT)))
    alike: dict[tuple[int, int], tuple[list[int], list[int]]] = {}
    for node in free.tolist():
        look = int(pair.labels[Strictness.ATTRIBUTES][node]), int(pair.numbers["type"][node])
        alike.setdefault(look, ([], []))[node >= pair.split].append(node)
    for left, right in alike.values():
        named = {pair.text("name", node): node for node in right}
        for node in left:
            other = named.pop(pair.text("name", node), None)
            if other is not None:
                partner[node], partner[other] = other, node
        rest = [node for node in (*left, *right) if partner[node] < 0]
        unread = [node for node in rest if pair.out_ptr[node] == pair.out_ptr[node + 1]]
        if len(rest) == 2 and rest[0] < pair.split <= rest[1] and unread:
            partner[rest[0]], partner[rest[1]] = rest[1], rest[0]


def _place(pair: GraphPair, partner: Integers, node: int) -> tuple[object, ...] | None:
    """Kind and wiring of a node with matched neighbours, in the left graph's numbers, or its own label only.

    A node's private parameters and constants, which nothing else reads, count by their labels.
    """
    at = np.asarray([node])
    _, ins = edges_of(pair.in_ptr, at)
    outs = pair.out_edge[edges_of(pair.out_ptr, at)[1]]
    near = np.concatenate([pair.in_src[ins], pair.in_dst[outs]])
    free = partner[near] < 0
    own = free & (pair.kind[near] != NodeKind.OPERATOR) & (pair.out_ptr[near + 1] - pair.out_ptr[near] == 1)
    if free.all() or (free & ~own).any():
        return None
    left = np.where(free, ~pair.labels[Strictness.ALL][near], np.minimum(near, partner[near]))
    edges = np.concatenate([ins, outs])
    ports = np.stack([left, pair.in_class[edges], pair.in_slot[edges]], axis=1)
    wires = [tuple(row) for row in ports.tolist()]
    return int(pair.kind[node]), tuple(sorted(wires[: len(ins)])), tuple(sorted(wires[len(ins) :]))
