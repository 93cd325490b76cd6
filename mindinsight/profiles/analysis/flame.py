"""Slices with equal stacks as one node: a flame graph of a window of time. Called by the API."""

from __future__ import annotations

from typing import TypedDict

import numpy as np
import numpy.typing as npt

from mindinsight.profiles.columns.stored import Stored
from mindinsight.profiles.columns.sums import work_of

MOST_SLICES = 3_000_000
"""Slices of a window; more take seconds."""
_NOTHING, _LEFT_OUT = -1, -2
"""Instead of the place of a node: that it is an outermost one, and that it is too narrow."""
_NARROWEST = 1 / 4000
"""Share of the window below which nodes are left out."""


Whole = npt.NDArray[np.int64]


class Node(TypedDict):
    """A stack of names. `above` is a place in the list, -1 for outermost ones; times are in nanoseconds."""

    above: int
    name: int
    depth: int
    count: int
    total: int
    longest: int


class TooManySlicesError(Exception):
    """A window has too many slices."""


def flame(profile: Stored, begin: int, end: int, track: int | None = None) -> list[Node]:
    """Returns the nodes of a flame graph, level by level, the largest first.

    Ranges, such as steps, are left out: what is in them belongs to what is around them, so that steps are one. So are
    nodes under a four-thousandth of all time.

    Args:
        profile: the columns.
        begin, end: the window in nanoseconds.
        track: only of this track.

    Raises:
        TooManySlicesError: the window has more than `MOST_SLICES`.
    """
    rows = profile.rows(begin, end, track)
    if len(rows) > MOST_SLICES:
        raise TooManySlicesError
    names = len(profile.head["names"])
    depth, name = profile.depth[rows], profile.name_of(rows).astype(np.int64)
    inside = work_of(profile, rows, begin, end).inside
    is_range = np.zeros(names, bool)
    is_range[profile.head["ranges"]] = True
    node_of = np.full(len(rows), _LEFT_OUT)
    nodes: list[Node] = []
    least = inside[depth == 0].sum() * _NARROWEST
    for level in range(int(depth.max(initial=0)) + 1):
        here = np.flatnonzero(depth == level)
        above = np.full(len(here), _NOTHING)
        if level:
            # The slice around a row that touches the window touches it too.
            above = node_of[np.searchsorted(rows, profile.parent[rows[here]])]
        through = is_range[name[here]]
        node_of[here[through]] = above[through]
        shown = ~through & (above != _LEFT_OUT)
        here, above = here[shown], above[shown]
        key, place = np.unique((above + 1) * names + name[here], return_inverse=True)
        total = np.bincount(place, inside[here], len(key)).astype(np.int64)
        count = np.bincount(place, minlength=len(key))
        longest = np.zeros(len(key), np.int64)
        ascending = np.argsort(inside[here], kind="stable")
        longest[place[ascending]] = rows[here][ascending]
        parents = key // max(1, names) - 1
        order = [at for at in np.lexsort((-total, parents)).tolist() if total[at] > least]
        number = np.full(len(key), _LEFT_OUT)
        number[order] = len(nodes) + np.arange(len(order))
        node_of[here] = number[place]
        for at in order:
            nodes.append(_node(nodes, (parents, key % max(1, names), count, total, longest), at))
    return _joined(nodes)


def _node(nodes: list[Node], columns: tuple[Whole, ...], at: int) -> Node:
    above, name, count, total, longest = (int(column[at]) for column in columns)
    depth = nodes[above]["depth"] + 1 if above >= 0 else 0
    return Node(above=above, name=name, depth=depth, count=count, total=total, longest=longest)


def _joined(nodes: list[Node]) -> list[Node]:
    """Joins nodes of one stack that came from several levels, with and without a range around, in order of depth."""
    if not nodes:
        return nodes
    place: dict[int, int] = {}
    known: dict[tuple[int, int], int] = {}
    found: list[Node] = []
    for at, node in enumerate(nodes):
        above = place[node["above"]] if node["above"] >= 0 else _NOTHING
        same = known.get((above, node["name"]))
        if same is None:
            place[at] = known[above, node["name"]] = len(found)
            found.append({**node, "above": above})
            continue
        place[at] = same
        if node["total"] > found[same]["total"]:
            found[same]["longest"] = node["longest"]
        found[same]["total"] += node["total"]
        found[same]["count"] += node["count"]
    order = sorted(range(len(found)), key=lambda at: (found[at]["depth"], -found[at]["total"]))
    number = {old: new for new, old in enumerate(order)}
    return [{**found[at], "above": number.get(found[at]["above"], _NOTHING)} for at in order]
