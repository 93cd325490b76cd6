"""Topological order of a graph in arrays, which may have cycles. Used by the builder and by the search for repeats."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Offsets = npt.NDArray[np.int64]
Integers = npt.NDArray[np.int32]


def outgoing(count: int, in_ptr: Offsets, in_src: Integers) -> tuple[Offsets, npt.NDArray[np.int64]]:
    """Returns the outgoing edges: the start of each node's edges, and the numbers of the edges in ascending order.

    Args:
        count: number of nodes.
        in_ptr: start of each node's inputs, with one more entry than nodes.
        in_src: source node of each input.
    """
    edges = np.argsort(in_src, kind="stable")
    starts = np.zeros(count + 1, np.int64)
    np.cumsum(np.bincount(in_src, minlength=count), out=starts[1:])
    return starts, edges


def is_sorted(in_ptr: Offsets, in_src: Integers) -> bool:
    """Whether every node comes after the sources of its inputs."""
    consumers = np.repeat(np.arange(len(in_ptr) - 1), np.diff(in_ptr))
    return bool((in_src < consumers).all())


def levels(in_ptr: Offsets, in_src: Integers) -> Integers:
    """Returns the number of edges on the longest path to each node; -1 for nodes on cycles and beyond them."""
    count = len(in_ptr) - 1
    consumers = np.repeat(np.arange(count, dtype=np.int32), np.diff(in_ptr))
    starts, edges = outgoing(count, in_ptr, in_src)
    waiting = np.diff(in_ptr).astype(np.int64)
    level = np.full(count, -1, np.int32)
    front = np.flatnonzero(waiting == 0)
    depth = 0
    while len(front):
        level[front] = depth
        if len(front) < 64:
            front = _small_step(front, starts, edges, consumers, waiting)
        else:
            front = _large_step(front, starts, edges, consumers, waiting)
        depth += 1
    return level


def _small_step(
    front: npt.NDArray[np.int64], starts: Offsets, edges: Offsets, consumers: Integers, waiting: Offsets
) -> npt.NDArray[np.int64]:
    found = []
    for node in front.tolist():
        for consumer in consumers[edges[starts[node] : starts[node + 1]]].tolist():
            waiting[consumer] -= 1
            if waiting[consumer] == 0:
                found.append(consumer)
    return np.asarray(sorted(found), np.int64)


def _large_step(
    front: npt.NDArray[np.int64], starts: Offsets, edges: Offsets, consumers: Integers, waiting: Offsets
) -> npt.NDArray[np.int64]:
    sizes = starts[front + 1] - starts[front]
    reached = np.repeat(starts[front] - np.cumsum(sizes) + sizes, sizes) + np.arange(sizes.sum())
    touched, times = np.unique(consumers[edges[reached]], return_counts=True)
    waiting[touched] -= times
    return np.asarray(touched[waiting[touched] == 0], np.int64)


def find_cycle(in_ptr: Offsets, in_src: Integers) -> list[int]:
    """Returns the nodes of one cycle in the direction of its edges, or nothing if there is none."""
    if is_sorted(in_ptr, in_src):
        return []
    level = levels(in_ptr, in_src)
    left = np.flatnonzero(level < 0)
    if not len(left):
        return []
    # Every remaining node has a remaining input, so going backward from any of them ends in a cycle.
    way: list[int] = [int(left[0])]
    seen = {way[0]: 0}
    while True:
        sources = in_src[in_ptr[way[-1]] : in_ptr[way[-1] + 1]]
        source = int(sources[level[sources] < 0][0])
        if source in seen:
            return way[seen[source] :][::-1]
        seen[source] = len(way)
        way.append(source)
