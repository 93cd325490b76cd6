"""The cheapest way from one cut of a tensor to another, by Dijkstra's algorithm over all cuts on the mesh.

A step is one of: every rank keeps a slice of its part (free); parts are exchanged, so that a mesh axis cuts another
level (AlltoAll); parts are gathered (AllGather). Bytes on the wire for a rank with a part of s bytes, in a group of k:
(k-1)/k s for AlltoAll, (k-1) s for AllGather.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

from framework.parallel.layouts.cuts import Cut, Level

__all__ = ["Step", "redistribution", "wire_bytes"]

_Assigned = tuple[Level | None, ...]


@dataclass(frozen=True)
class Step:
    """A step of a redistribution.

    Attributes:
        kind: "slice", "all_to_all" or "all_gather".
        axes: the axes of the mesh whose assignment changes; the ranks of a group differ in these alone.
        before, after: the cuts before and after the step.
    """

    kind: str
    axes: tuple[int, ...]
    before: Cut
    after: Cut

    @property
    def group_size(self) -> int:
        """The number of ranks that exchange."""
        return math.prod(self.before.mesh[axis] for axis in self.axes)

    def bytes_on_wire(self, whole: int) -> float:
        """The bytes that a rank sends, by the number of bytes of the whole tensor."""
        part, k = whole / self.before.parts, self.group_size
        return {"slice": 0.0, "all_to_all": (k - 1) / k * part, "all_gather": (k - 1) * part}[self.kind]


def redistribution(source: Cut, target: Cut) -> list[Step]:
    """The steps from one cut to another with the fewest bytes on the wire, and the fewest steps among those.

    Args:
        source, target: cuts of one tensor over one mesh, from one call of `cuts_of`.

    Raises:
        ValueError: they are not.
    """
    if (source.shape, source.mesh, source.levels) != (target.shape, target.mesh, target.levels):
        raise ValueError("source and target must be cuts of one tensor over one mesh: make both by one cuts_of(...)")
    whole = math.prod(source.shape)
    # Each entry: bytes, messages, slices, a number that makes entries differ, and the cut.
    queue: list[tuple[float, int, int, int, Cut]] = [(0.0, 0, 0, 0, source)]
    steps: dict[_Assigned, Step | None] = {source.assigned: None}
    best: dict[_Assigned, tuple[float, int, int]] = {source.assigned: (0.0, 0, 0)}
    numbers = itertools.count(1)
    while queue:
        *cost, _, cut = heapq.heappop(queue)
        if cut.assigned == target.assigned:
            break
        if tuple(cost) > best[cut.assigned]:
            continue
        for step in _steps_from(cut):
            is_free = step.kind == "slice"
            found = (cost[0] + step.bytes_on_wire(whole), int(cost[1]) + (not is_free), int(cost[2]) + is_free)
            key = step.after.assigned
            if key not in best or found < best[key]:
                best[key], steps[key] = found, step
                heapq.heappush(queue, (*found, next(numbers), step.after))
    return _way(steps, target.assigned)


def wire_bytes(steps: list[Step], whole: int) -> float:
    """The bytes that a rank sends in all steps, by the number of bytes of the whole tensor."""
    return sum(step.bytes_on_wire(whole) for step in steps)


def _way(steps: dict[_Assigned, Step | None], end: _Assigned) -> list[Step]:
    found: list[Step] = []
    step = steps[end]
    while step is not None:
        found.append(step)
        step = steps[step.before.assigned]
    return found[::-1]


def _steps_from(cut: Cut) -> Iterator[Step]:
    """All steps from a cut."""
    free = [
        (dimension, number)
        for dimension, levels in enumerate(cut.levels)
        for number in range(len(levels))
        if (dimension, number) not in cut.assigned
    ]
    for axis, level in enumerate(cut.assigned):
        if level is None:
            yield from _moved(cut, "slice", (axis,), free)
    used = [axis for axis, level in enumerate(cut.assigned) if level is not None]
    for count in range(1, len(used) + 1):
        for axes in itertools.combinations(used, count):
            yield Step("all_gather", axes, cut, _with(cut, axes, (None,) * count))
            yield from _moved(cut, "all_to_all", axes, free)


def _moved(cut: Cut, kind: str, axes: tuple[int, ...], free: list[Level]) -> Iterator[Step]:
    """The steps that let axes of the mesh cut other levels, which no axis cuts yet."""
    for levels in itertools.permutations(free, len(axes)):
        pairs = zip(axes, levels, strict=True)
        if all(cut.mesh[axis] == cut.levels[level[0]][level[1]] for axis, level in pairs):
            yield Step(kind, axes, cut, _with(cut, axes, levels))


def _with(cut: Cut, axes: tuple[int, ...], levels: tuple[Level | None, ...]) -> Cut:
    assigned = list(cut.assigned)
    for axis, level in zip(axes, levels, strict=True):
        assigned[axis] = level
    return replace(cut, assigned=tuple(assigned))
