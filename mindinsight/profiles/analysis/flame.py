"""Slices with equal stacks as one node: a flame graph of a window of time. Called by the API."""

from __future__ import annotations

from typing import TypedDict

import numpy as np

from mindinsight.profiles.columns.stored import Stored
from mindinsight.profiles.columns.sums import work_of

MOST_SLICES = 3_000_000
"""Slices of a window; more take seconds."""
_NARROWEST = 1 / 4000
"""Share of the window below which nodes are left out."""


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
    """Returns the nodes of a flame graph, level by level; in each level below one node the largest first.

    Nodes under a four-thousandth of all time are left out.

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
    depth, name = profile.depth[rows], profile.name_of(rows).astype(np.int64)
    inside = work_of(profile, rows, begin, end).inside
    node_of = np.full(len(rows), -1)
    nodes: list[Node] = []
    least = inside[depth == 0].sum() * _NARROWEST
    for level in range(int(depth.max(initial=0)) + 1):
        here = np.flatnonzero(depth == level)
        above = np.full(len(here), -1)
        if level:
            # The slice around a row that touches the window touches it too.
            above = node_of[np.searchsorted(rows, profile.parent[rows[here]])]
            here, above = here[above >= 0], above[above >= 0]
        if not len(here):
            continue
        key, place = np.unique(above * len(profile.head["names"]) + name[here], return_inverse=True)
        total = np.bincount(place, inside[here], len(key)).astype(np.int64)
        count = np.bincount(place, minlength=len(key))
        longest = np.zeros(len(key), np.int64)
        ascending = np.argsort(inside[here], kind="stable")
        longest[place[ascending]] = rows[here][ascending]
        parent = np.floor_divide(key, len(profile.head["names"]))
        order = [at for at in np.lexsort((-total, parent)).tolist() if total[at] > least]
        number = np.full(len(key), -1)
        number[order] = len(nodes) + np.arange(len(order))
        node_of[here] = number[place]
        nodes += [
            Node(
                above=int(parent[at]),
                name=int(key[at] % len(profile.head["names"])),
                depth=level,
                count=int(count[at]),
                total=int(total[at]),
                longest=int(longest[at]),
            )
            for at in order
        ]
    return nodes
