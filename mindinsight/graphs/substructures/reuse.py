"""Finds known sub-structures again: in the insides of others, and in what no sub-structure covers.

The search looks for repeats in one graph at a time: the whole graph, then the inside of each pattern. A layer that
stands alone in one of them, such as a head after equal blocks, repeats nowhere in it, although it is known from
another. Called by the search at its end.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mindinsight.graphs.substructures.contraction import contract, joined, spans_of
from mindinsight.graphs.substructures.kernel.engine import Engine
from mindinsight.graphs.substructures.series import fold
from mindinsight.graphs.substructures.significance import is_again
from mindinsight.graphs.substructures.work import (
    LEAF,
    OUTSIDE,
    Integers,
    Near,
    Pattern,
    PatternPlan,
    Rows,
    WorkGraph,
    plan_pattern,
)

TOP = -1
"""The frame that is the whole graph. The other frames are patterns."""
PHASES = 3
"""Number of phases. A region is a frame and a phase."""
MOST_JOINED = 2000
"""Number of nodes up to which the rest of the whole graph is searched together with the insides of patterns."""


@dataclass(frozen=True, eq=False)
class Together:
    """The insides of all patterns as one graph without edges between them.

    Attributes:
        work: the graph. Its columns are places in `nodes`; regions are frames and phases.
        nodes: the nodes of the graph that the columns are: one row.
        frame: the frame of each node.
        local: the node of its frame that each node is.
        start: the first column of the frame of each node.
    """

    work: WorkGraph
    nodes: Rows
    frame: npt.NDArray[np.int64]
    local: Integers
    start: Integers


class Reuse:
    """Merges equal patterns, and finds further occurrences of all.

    Args:
        patterns: the patterns that were found. Changed in place; merged ones are removed.
        frames: the contracted graph of each frame, by the number of its pattern. Changed in place.
        work: the whole graph before any contraction. Nodes with a negative region are in no further occurrence.
        apart: whether a pattern must be within one phase.
        loops: the loops.
    """

    def __init__(
        self, patterns: list[Pattern], frames: dict[int, WorkGraph], work: WorkGraph, *, apart: bool, loops: Engine
    ) -> None:
        self._patterns = patterns
        self._frames = frames
        self._work = work
        self._loops = loops
        self._barred = work.joins | (work.region < 0)
        self._phase = work.phase.astype(np.int32) if apart else np.zeros(len(work), np.int32)
        self._place = np.empty(len(work), np.int32)
        self._place[work.columns] = np.arange(len(work), dtype=np.int32)
        self._boxes = {frame: fold(left).boxes for frame, left in frames.items() if frame != TOP}
        self._every: Rows = np.arange(len(work), dtype=np.int32)[None, :]
        self._content: dict[int, set[int]] = {number: set(pattern.inside) for number, pattern in enumerate(patterns)}
        for number, pattern in enumerate(patterns):
            self._content.setdefault(pattern.parent, set()).add(number)
        self._instead: dict[int, int] = {}
        self._changed: set[int] = set()

    def finish(self) -> None:
        """Counts boxes again, and finds the parents of patterns that are in more places than before."""
        for frame, boxes in self._boxes.items():
            if frame not in self._instead:
                self._patterns[frame].parts += fold(self._frames[frame]).boxes - boxes
        for number in sorted(self._changed):
            pattern = self._patterns[number]
            pattern.nodes = pattern.nodes[np.argsort(pattern.nodes.min(axis=1), kind="stable")]
        around: dict[int, list[int]] = {}
        for number, content in self._content.items():
            for inner in content if number != TOP else ():
                around.setdefault(inner, []).append(number)
        for number in sorted(self._changed):
            self._patterns[number].parent = self._smallest_around(number, around)
        for number, content in self._content.items():
            if number != TOP:
                self._patterns[number].inside = sorted(content)
        self._renumber()

    def merge(self) -> None:
        """Makes one of patterns that are equal, as found inside of different ones. The inner ones come first."""
        alike: dict[tuple[int, int, bytes], list[int]] = {}
        for number in sorted(range(len(self._patterns)), key=lambda number: self._patterns[number].nodes.shape[1]):
            pattern = self._patterns[number]
            labels = np.sort(self._work.label[self._row(number)])
            known = alike.setdefault((pattern.nodes.shape[1], pattern.phase, labels.tobytes()), [])
            for other in known:
                order = self._aligned(other, number)
                if order is not None and self._children_agree(other, number, order):
                    self._put_together(other, number, order)
                    break
            else:
                known.append(number)

    def _aligned(self, known: int, number: int) -> npt.NDArray[np.int64] | None:
        """The place in a pattern of each place of an equal known one; None if they are not equal."""
        row = self._row(number)
        region = np.full(len(self._work), -1, np.int32)
        region[row] = 0
        found = self._matches(known, region, row)
        if found is None or len(found) != 1:
            return None
        sorter = np.argsort(row, kind="stable")
        return np.asarray(sorter[np.searchsorted(row, found[0], sorter=sorter)], np.int64)

    def _children_agree(self, known: int, number: int, order: npt.NDArray[np.int64]) -> bool:
        """Whether two equal patterns have the same patterns at the same places inside."""
        if (known in self._frames) != (number in self._frames):
            return False
        return self._inner_places(known) == {
            (child, tuple(sorted(np.argsort(order)[list(places)].tolist())))
            for child, places in self._inner_places(number)
        }

    def _inner_places(self, number: int) -> set[tuple[int, tuple[int, ...]]]:
        """The children of a pattern with the places of their occurrences in its first one."""
        place_of = {node: place for place, node in enumerate(self._patterns[number].nodes[0].tolist())}
        return {
            (child, tuple(sorted(place_of[node] for node in row)))
            for child in self._children(number)
            for row in self._patterns[child].nodes.tolist()
            if row[0] in place_of
        }

    def _put_together(self, known: int, number: int, order: npt.NDArray[np.int64]) -> None:
        """Gives the occurrences of a pattern to an equal known one."""
        kept, gone = self._patterns[known], self._patterns[number]
        back = np.argsort(order)
        kept.nodes = np.concatenate([kept.nodes, gone.nodes[:, order]])
        kept.near += [Near(near.nodes[:, order], back[near.places].tolist()) for near in gone.near]
        kept.parts += sum(len(near.places) for near in gone.near)
        self._instead[number] = known
        for inner in self._content.pop(number):
            if self._patterns[inner].parent == number:
                self._patterns[inner].parent = known
        for content in self._content.values():
            if number in content:
                content.remove(number)
                content.add(known)
        self._changed.add(known)
        for left in self._frames.values():
            _rename(left, number, known)

    def find(self, first: int = 0) -> None:
        """Finds further occurrences among the nodes that no pattern covers, in one occurrence of each frame.

        Args:
            first: the number of the first pattern to find.
        """
        region = self._region()
        often = np.bincount(self._work.label[region >= 0], minlength=int(self._work.label.max(initial=0)) + 1)
        by_size = sorted(
            (number for number in range(first, len(self._patterns)) if number not in self._instead),
            key=lambda number: (-self._patterns[number].nodes.shape[1], number),
        )
        for number in by_size:
            row = self._row(number)
            if not is_again(self._work, row, often):
                continue
            found = self._matches(number, region)
            if found is None or not len(found):
                continue
            frames = region[found[:, 0]] // PHASES - 1
            for frame in np.unique(frames).tolist():
                rows = found[frames == frame]
                self._take(number, frame, rows)
                region[rows] = -1

    def _region(self) -> Integers:
        """For each node that may be in a further occurrence, the number of its frame and phase; -1 for others."""
        region = np.full(len(self._work), -1, np.int32)
        for frame, left in self._frames.items():
            if frame not in self._instead:
                places = self._places_of(frame, left)
                inner = places[places >= 0]
                region[inner] = (frame + 1) * PHASES + self._phase[inner]
        region[self._barred] = -1
        return region

    def _places_of(self, frame: int, left: WorkGraph) -> Integers:
        """The node of the whole graph that each node of a frame is; -1 if it is contracted or outside."""
        single = left.columns != OUTSIDE
        single[list(left.spans)] = False
        columns = left.columns[single]
        nodes = self._nodes(frame)[0][columns]
        places = np.full(len(left), -1, np.int32)
        places[single] = self._place[nodes]
        return places

    def _matches(self, number: int, region: Integers, among: Integers | None = None) -> Rows | None:
        """Occurrences of a pattern in regions, place by place equal to its first one; None if it is not connected."""
        work, row = self._work, self._row(number)
        plan = self._plan(row)
        if len(plan.nodes) < len(row):
            return None
        label = int(work.label[plan.nodes[0]])
        starts = work.with_label(label) if among is None else np.sort(among[work.label[among] == label])
        starts = np.ascontiguousarray(starts[region[starts] >= 0], np.int32)
        before, own = work.region, region[row]
        work.region, region[row] = region, -1
        found = self._loops.match(work, plan, starts, 0, 200 + 20 * len(row))
        work.region, region[row] = before, own
        rows = np.empty_like(found)
        rows[:, plan.order] = found
        if not len(rows):
            return rows
        return rows[self._loops.verify(work, np.concatenate([row[None], rows]), labels=True)[1:]]

    def _plan(self, row: Integers) -> PatternPlan:
        """The plan of a pattern, from the place with the rarest label."""
        work = self._work
        rarity = work.label_first[work.label[row] + 1] - work.label_first[work.label[row]]
        rarity[work.flags[row] & LEAF != 0] = len(work) + 1
        return plan_pattern(work, row, int(np.lexsort((-row, rarity))[0]))

    def _take(self, number: int, frame: int, rows: Rows) -> None:
        """Adds occurrences in a frame, in all copies of it, with what is inside."""
        left = self._frames[frame]
        node_of = np.full(len(self._work), -1, np.int32)
        places = self._places_of(frame, left)
        known = np.flatnonzero(places >= 0).astype(np.int32)
        node_of[places[known]] = known
        own = node_of[rows]
        columns = left.columns[own]
        nodes: Rows = self._nodes(frame)[:, columns].reshape(-1, rows.shape[1])
        self.contract_in(frame, [(number, own)])
        pattern = self._patterns[number]
        place_of = {node: place for place, node in enumerate(pattern.nodes[0].tolist())}
        for inner in self._all_inside(number):
            self._add_inner(inner, place_of, nodes)
            self._leave_parent(inner)
        pattern.nodes = np.concatenate([pattern.nodes, nodes]).astype(np.int32)
        self._leave_parent(number)
        self._content.setdefault(frame, set()).add(number)

    def contract_in(self, frame: int, numbered: list[tuple[int, Rows]]) -> None:
        """Contracts occurrences in a frame.

        Args:
            frame: the frame.
            numbered: the number of each pattern, and its occurrences as nodes of the frame.
        """
        self._frames[frame] = left = contract(self._frames[frame], numbered)
        for number, _ in numbered:
            _rename(left, number, number)

    def together(self) -> Together:
        """The insides of all patterns as one graph, in which equal patterns have equal labels."""
        frames = sorted(frame for frame in self._frames if frame not in self._instead)
        if len(self._frames[TOP]) > MOST_JOINED:
            frames.remove(TOP)
        lefts = [self._frames[frame] for frame in frames]
        nodes = [self._nodes(frame)[0] for frame in frames]
        base = int(self._work.label.max(initial=-1)) + 1
        labels = []
        for left in lefts:
            label = np.where(left.label < base, left.label, base + len(self._patterns)).astype(np.int32)
            for node, name in left.names.items():
                label[node] = base + name
            labels.append(label)
        work, frame_of, local, start = joined(lefts, labels, [len(each) for each in nodes])
        every = np.concatenate(nodes)
        region = (frame_of * PHASES + work.phase).astype(np.int32)
        region[work.joins | (work.columns == OUTSIDE)] = -1
        single = np.ones(len(work), np.bool)
        single[list(work.spans)] = False
        single &= work.columns != OUTSIDE
        region[single] = np.where(self._barred[self._place[every[work.columns[single]]]], -1, region[single])
        work.region = region
        return Together(work, every[None, :].astype(np.int32), np.asarray(frames, np.int64)[frame_of], local, start)

    def exact(self, rows: Rows) -> npt.NDArray[np.bool]:
        """Which occurrences are equal to the first one in the whole graph.

        Args:
            rows: occurrences as nodes of the graph.
        """
        return self._loops.verify(self._work, np.ascontiguousarray(self._place[rows], np.int32), labels=True)

    def add(self, numbered: list[tuple[int, Rows]], together: Together) -> None:
        """Contracts the occurrences of new patterns in their frames.

        Args:
            numbered: the number of each pattern, and its occurrences as nodes of the joined insides.
            together: the joined insides.
        """
        by_frame: dict[int, list[tuple[int, Rows]]] = {}
        for number in range(len(self._content.keys() - {TOP}) + len(self._instead), len(self._patterns)):
            self._learn(number)
        for number, rows in numbered:
            frames = together.frame[rows[:, 0]]
            for frame in np.unique(frames).tolist():
                by_frame.setdefault(frame, []).append((number, together.local[rows[frames == frame]]))
                self._content.setdefault(frame, set()).add(number)
            for inner in self._children(number):
                self._leave_parent(inner)
        for frame, inside in by_frame.items():
            self.contract_in(frame, inside)

    def _learn(self, number: int) -> None:
        """Note a pattern that was found since."""
        pattern = self._patterns[number]
        self._content[number] = set(pattern.inside)
        self._content.setdefault(pattern.parent, set()).add(number)
        self._boxes[number] = fold(self._frames[number]).boxes
        self._changed.add(number)

    def copies(self, rows: Rows, together: Together) -> Rows:
        """Occurrences of a new pattern in all copies of their frames, as nodes of the graph.

        Args:
            rows: its occurrences as nodes of the joined insides.
            together: the joined insides.
        """
        spans = spans_of(together.work, rows)
        frames = together.frame[rows[:, 0]]
        found = []
        for frame, row in zip(frames.tolist(), spans - together.start[rows[:, 0]][:, None], strict=True):
            found.append(self._nodes(frame)[:, row])
        return np.concatenate(found)

    def _add_inner(self, number: int, place_of: dict[int, int], nodes: Rows) -> None:
        """Adds to a pattern what it has in new occurrences of one around it."""
        pattern = self._patterns[number]

        def more(rows: Rows) -> Rows:
            places = [[place_of[node] for node in row] for row in rows.tolist() if row[0] in place_of]
            return nodes[:, np.asarray(places, np.int64).reshape(-1, rows.shape[1])].reshape(-1, rows.shape[1])

        pattern.nodes = np.concatenate([pattern.nodes, more(pattern.nodes)]).astype(np.int32)
        for near in pattern.near:
            near.nodes = np.concatenate([near.nodes, more(near.nodes)]).astype(np.int32)

    def _leave_parent(self, number: int) -> None:
        """Notes that a pattern may be outside of its parent now. `run` finds the new one."""
        self._patterns[number].parent = TOP
        self._changed.add(number)

    def _children(self, number: int) -> list[int]:
        """The patterns directly inside a pattern."""
        return sorted(self._content[number])

    def _all_inside(self, number: int) -> list[int]:
        """The patterns inside a pattern, and inside of these."""
        found: set[int] = set()
        waiting = [number]
        while waiting:
            for child in self._children(waiting.pop()):
                if child not in found:
                    found.add(child)
                    waiting.append(child)
        return sorted(found)

    def _smallest_around(self, number: int, around: dict[int, list[int]]) -> int:
        """The smallest pattern that contains all occurrences of another; TOP if there is none.

        Args:
            number: the other.
            around: the patterns that directly contain each.
        """
        inner = self._patterns[number].nodes
        found: set[int] = set()
        waiting = [number]
        while waiting:
            outer = [one for one in around.get(waiting.pop(), ()) if one not in found]
            found.update(outer)
            waiting += outer
        for other in sorted(found, key=lambda one: (self._patterns[one].nodes.shape[1], one)):
            if np.isin(inner, self._patterns[other].nodes).all():
                return other
        return TOP

    def _renumber(self) -> None:
        """Removes the patterns that were merged."""
        kept = [number for number in range(len(self._patterns)) if number not in self._instead]
        now: dict[int, int] = {TOP: TOP} | {number: place for place, number in enumerate(kept)}
        patterns = [self._patterns[number] for number in kept]
        for pattern in patterns:
            pattern.parent = now[pattern.parent]
            pattern.inside = [now[inner] for inner in pattern.inside]
        self._patterns[:] = patterns
        left = self._frames[TOP]
        left.names = {node: now[number] for node, number in left.names.items()}

    def _nodes(self, frame: int) -> Rows:
        """The nodes of the graph that the columns of a frame are, one row for each copy."""
        return self._every if frame == TOP else self._patterns[frame].nodes

    def _row(self, number: int) -> Integers:
        """The first occurrence of a pattern, as nodes of the work graph."""
        return np.ascontiguousarray(self._place[self._patterns[number].nodes[0]], np.int32)


def _rename(left: WorkGraph, number: int, known: int) -> None:
    """Makes occurrences of a pattern in a frame into those of an equal one."""
    renamed = [node for node, name in left.names.items() if name == number]
    if renamed:
        labels = [int(left.label[node]) for node, name in left.names.items() if name == known]
        left.label[renamed] = labels[0] if labels else left.label[renamed[0]]
        left.names.update(dict.fromkeys(renamed, known))
