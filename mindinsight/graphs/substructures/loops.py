"""The functions of `kernel/repeats.c` in Python: for machines without a compiler, and for tests that compare the two.

Every function makes the same decisions in the same order, so that the results are identical.
"""

from __future__ import annotations

from collections import Counter, deque

import numpy as np
import numpy.typing as npt

from mindinsight.graphs.substructures.work import (
    CONTROL_CLASS,
    LEAF,
    Colours,
    Integers,
    PatternPlan,
    Rows,
    WorkGraph,
)

MASK = (1 << 64) - 1
WIDEST_GROWN = 64
Step = tuple[int, int, bool, bool]
"""A possible step of growth: key, place, whether outgoing, whether the key is ambiguous."""
Wire = tuple[int, int]


def mix(x: int) -> int:
    """Mixes a number into 64 bits."""
    x = (x + 0x9E3779B97F4A7C15) & MASK
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK
    return x ^ (x >> 31)


def mix3(a: int, b: int, c: int) -> int:
    """Mixes three numbers into 64 bits."""
    return mix(a ^ mix(b ^ mix(c)))


def _mix(x: Colours) -> Colours:
    with np.errstate(over="ignore"):
        x = x + np.uint64(0x9E3779B97F4A7C15)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return np.asarray(x ^ (x >> np.uint64(31)), np.uint64)


def _mix3(a: Colours, b: npt.NDArray[np.integer], c: npt.NDArray[np.integer]) -> Colours:
    return _mix(a ^ _mix(b.astype(np.uint64) ^ _mix(c.astype(np.uint64))))


class PythonLoops:
    """The loops, for one graph and one call at a time."""

    def colour_round(self, work: WorkGraph, before: Colours, widest_in: int, widest_out: int) -> Colours:
        """Returns the colours after one more round."""
        fan_in, fan_out = np.diff(work.in_ptr), np.diff(work.out_ptr)
        plain = _mix(work.label.astype(np.uint64))
        came, went = work.in_src, work.in_dst
        down = np.where((fan_out > widest_out)[came], plain[came], before[came])
        up = np.where((fan_in > widest_in)[went], plain[went], before[went])
        slot = work.in_slot.astype(np.int64) * 2
        taken = np.where((fan_in > widest_in)[went], np.uint64(0), _mix3(down, work.in_class, slot))
        given = np.where((fan_out > widest_out)[came], np.uint64(0), _mix3(up, work.in_class, slot + 1))
        total = _mix(before)
        with np.errstate(over="ignore"):
            np.add.at(total, went, taken)
            np.add.at(total, came, given)
        return _mix(total)

    def make_keys(self, work: WorkGraph, near: Colours, middle: Colours, far: Colours) -> None:
        """Fills the keys of all edges and sorts `out_edge` by them."""
        edges = np.arange(work.edge_count)
        ordered = work.in_class < CONTROL_CLASS
        base = np.where(
            ordered,
            np.uint64(0),
            _mix3(work.in_class.astype(np.uint64), work.label[work.in_src], work.in_slot.astype(np.int64)),
        )
        loose = edges[~ordered]
        others = work.in_src
        ranked = _Ranked(loose, work.in_dst, base, others, near, middle, far)
        work.in_key[:] = _mix(work.in_class.astype(np.uint64))
        work.in_key[ranked.edges], work.in_tie[ranked.edges] = ranked.key, ranked.tie
        work.in_tie[ordered] = 0
        base = _mix3(
            work.in_class.astype(np.uint64), work.label[work.in_dst], work.in_slot.astype(np.int64) + (1 << 30)
        )
        ranked = _Ranked(edges, work.in_src, base, work.in_dst, near, middle, far)
        by_key = np.lexsort((ranked.key, work.in_src[ranked.edges]))
        work.out_edge[:] = ranked.edges[by_key]
        work.out_key[:] = ranked.key[by_key]
        work.out_tie[:] = ranked.tie[by_key]

    def grow(self, work: WorkGraph, roots: Integers, most_drops: int, budget: int) -> Rows:
        """Returns occurrences as rows, or none if nothing is saved."""
        return _Growth(work, roots.tolist(), budget).run(most_drops)

    def match(self, work: WorkGraph, plan: PatternPlan, anchors: Integers, tolerance: int, steps: int) -> Rows:
        """Returns disjoint occurrences of a pattern at some anchors, as rows."""
        view = _View(work)
        signs = []
        for place, node in enumerate(plan.nodes.tolist()):
            signs.append(view.wiring(node, 0))
            work.owner[node], work.place[node] = 0, place
        work.owner[plan.nodes] = -1
        found: list[list[int]] = []
        for anchor in anchors.tolist():
            if work.owner[anchor] < 0 and work.region[anchor] >= 0:
                row = _match_one(view, plan, signs, anchor, len(found), tolerance, steps)
                if row:
                    found.append(row)
        for row in found:
            work.owner[row] = -1
        return np.asarray(found, np.int32).reshape(-1, len(plan.nodes))

    def verify(self, work: WorkGraph, rows: Rows, labels: bool) -> np.ndarray[tuple[int], np.dtype[np.bool]]:
        """Returns for each row whether it equals the first one."""
        first = _wires(work, rows[0].tolist(), labels)
        return np.asarray([_wires(work, row.tolist(), labels) == first for row in rows], np.bool)


class _Ranked:
    """Keys of edges at one end, with ranks among equal ones."""

    def __init__(
        self,
        edges: npt.NDArray[np.int64],
        end: Integers,
        base: Colours,
        other: Integers,
        near: Colours,
        middle: Colours,
        far: Colours,
    ) -> None:
        node = other[edges]
        order = np.lexsort((edges, node, far[node], middle[node], near[node], base[edges], end[edges]))
        self.edges = edges[order]
        alike = np.zeros(len(order), np.bool)
        if len(order):
            same_end = end[self.edges][1:] == end[self.edges][:-1]
            alike[1:] = same_end & (base[self.edges][1:] == base[self.edges][:-1])
        starts = np.flatnonzero(~alike)
        sizes = np.diff(np.append(starts, len(order)))
        rank = np.arange(len(order)) - np.repeat(starts, sizes)
        self.tie = np.repeat(sizes > 1, sizes).astype(np.uint8)
        with np.errstate(over="ignore"):
            self.key = _mix(base[self.edges] + rank.astype(np.uint64))


class _View:
    """A work graph with the queries that growing and matching need."""

    def __init__(self, work: WorkGraph) -> None:
        self.work = work
        self.label = work.label.tolist()

    def ins(self, node: int) -> range:
        """The incoming edges."""
        return range(int(self.work.in_ptr[node]), int(self.work.in_ptr[node + 1]))

    def outs(self, node: int) -> range:
        """The positions of outgoing edges in `out_edge`."""
        return range(int(self.work.out_ptr[node]), int(self.work.out_ptr[node + 1]))

    def neighbour(self, node: int, key: int, out: bool) -> int:
        """The neighbour at a key, or -1."""
        work = self.work
        if not out:
            return next((int(work.in_src[edge]) for edge in self.ins(node) if int(work.in_key[edge]) == key), -1)
        for position in self.outs(node):
            if int(work.out_key[position]) == key:
                return int(work.in_dst[work.out_edge[position]])
        return -1

    def wiring(self, node: int, owner: int) -> int:
        """The wiring of a node to the nodes of its occurrence that already have a place."""
        work, total = self.work, 1
        for edge in self.ins(node):
            other = work.in_src[edge]
            if work.owner[other] == owner:
                total += mix3(int(work.place[other]), int(work.in_class[edge]), int(work.in_slot[edge]) * 2)
        for position in self.outs(node):
            edge = int(work.out_edge[position])
            other = work.in_dst[edge]
            if work.owner[other] == owner:
                total += mix3(int(work.place[other]), int(work.in_class[edge]), int(work.in_slot[edge]) * 2 + 1)
        return total & MASK

    def may_join(self, node: int, before: int, root: int) -> bool:
        """Whether growth may include a node."""
        work = self.work
        if node < 0 or work.owner[node] >= 0 or work.region[node] != work.region[root]:
            return False
        return not work.flags[node] & LEAF or int(work.home[node]) == before


class _Growth:
    """Equal nodes that grow in lock step."""

    def __init__(self, work: WorkGraph, roots: list[int], budget: int) -> None:
        self.view = _View(work)
        self.work = work
        self.rows = [roots]
        self.alive = list(range(len(roots)))
        self.main: deque[Step] = deque()
        self.ties: deque[Step] = deque()
        self.stuck: list[Step] = []
        self.seen: set[tuple[int, int, bool]] = set()
        self.budget = budget
        for number, root in enumerate(roots):
            work.owner[root], work.place[root] = number, 0

    def run(self, most_drops: int) -> Rows:
        """Returns the state that saves most nodes."""
        gain, best = 0, (0, [0])
        self.look_around(0)
        drops = 0
        while True:
            self.grow_on()
            now = (len(self.alive) - 1) * (len(self.rows) - 1) - 1
            if now > gain:
                gain, best = now, (len(self.rows), list(self.alive))
            middle = self.alive[len(self.alive) // 2]
            way = None if drops == most_drops or self.budget < 0 else self.drop()
            if way is None:
                break
            self.begin_again(way)
            if self.alive[len(self.alive) // 2] != middle:
                for place in range(len(self.rows)):
                    self.look_around(place)
            drops += 1
        for number in self.alive:
            self.work.owner[[row[number] for row in self.rows]] = -1
        size, alive = best
        taken = [[row[number] for row in self.rows[:size]] for number in alive] if size else []
        return np.asarray(taken, np.int32).reshape(len(taken), size)

    def begin_again(self, way: Step) -> None:
        """Continues growth where an occurrence was dropped for it, and then wherever growth was stuck."""
        again, self.stuck = self.stuck, []
        self.main, self.ties = deque([way]), deque()
        for step in again:
            if step[:3] != way[:3]:
                (self.ties if step[3] else self.main).append(step)

    def look_around(self, place: int) -> None:
        """Adds the possible steps of growth from a place."""
        work = self.work
        node = self.rows[place][self.alive[len(self.alive) // 2]]
        if work.flags[node] & LEAF:
            return
        for edge in self.view.ins(node):
            if work.in_class[edge] != CONTROL_CLASS:
                self.note((int(work.in_key[edge]), place, False, bool(work.in_tie[edge])))
        if len(self.view.outs(node)) <= WIDEST_GROWN:
            for position in self.view.outs(node):
                if work.in_class[work.out_edge[position]] != CONTROL_CLASS:
                    self.note((int(work.out_key[position]), place, True, bool(work.out_tie[position])))

    def note(self, step: Step) -> None:
        """Queues a step that was never queued before."""
        if step[:3] not in self.seen:
            self.seen.add(step[:3])
            (self.ties if step[3] else self.main).append(step)

    def grow_on(self) -> None:
        """Takes all steps that are possible for all occurrences."""
        while self.main or self.ties:
            step = (self.main or self.ties).popleft()
            if self.take(step):
                self.look_around(len(self.rows) - 1)
            else:
                self.stuck.append(step)
            if self.budget < 0:
                return

    def take(self, step: Step) -> bool:
        """Takes a step in all occurrences, or in none."""
        key, place, out, _ = step
        view, work, rows = self.view, self.work, self.rows
        middle = self.alive[len(self.alive) // 2]
        shown = view.neighbour(rows[place][middle], key, out)
        if not view.may_join(shown, rows[place][middle], rows[0][middle]):
            return False
        sign = (view.label[shown], view.wiring(shown, middle))
        taken: list[int] = []
        for number in self.alive:
            node = view.neighbour(rows[place][number], key, out)
            if (
                not view.may_join(node, rows[place][number], rows[0][number])
                or (view.label[node], view.wiring(node, number)) != sign
            ):
                break
            taken.append(node)
            work.owner[node], work.place[node] = number, len(rows)
        self.budget -= len(taken) + 1
        if len(taken) < len(self.alive):
            work.owner[taken] = -1
            return False
        row = [-1] * len(rows[0])
        for number, node in zip(self.alive, taken, strict=True):
            row[number] = node
        rows.append(row)
        return True

    def support(self, step: Step) -> tuple[int, int, list[int]]:
        """The number of occurrences that could take a step together, their signature, and the signature of each."""
        key, place, out, _ = step
        view, work, rows = self.view, self.work, self.rows
        signs, taken = [], []
        counts: Counter[int] = Counter()
        most, common = 0, 0
        for number in self.alive:
            node = view.neighbour(rows[place][number], key, out)
            if not view.may_join(node, rows[place][number], rows[0][number]):
                signs.append(-1)
                continue
            sign = mix3(view.label[node], view.wiring(node, number), 7)
            work.owner[node] = number
            taken.append(node)
            signs.append(sign)
            counts[sign] += 1
            if counts[sign] > most:
                most, common = counts[sign], sign
        work.owner[taken] = -1
        self.budget -= 2 * len(self.alive)
        return most, common, signs

    def drop(self) -> Step | None:
        """Drops the occurrences that block most others. Returns the step that the remaining ones can take."""
        most, common, way = 1, 0, None
        for step in self.stuck:
            if self.budget <= 0:
                break
            count, sign, _ = self.support(step)
            if count > most:
                most, common, way = count, sign, step
        if way is None:
            return None
        signs = self.support(way)[2]
        kept = []
        for number, sign in zip(self.alive, signs, strict=True):
            if sign == common:
                kept.append(number)
            else:
                self.work.owner[[row[number] for row in self.rows]] = -1
        self.alive = kept
        return way


def _candidates(view: _View, plan: PatternPlan, at: int, before: int) -> list[int]:
    work, edge = view.work, int(plan.edge[at])
    wanted = (int(work.in_class[edge]), int(work.in_slot[edge]))
    edges = work.out_edge[view.outs(before)].tolist() if plan.out[at] else list(view.ins(before))
    ends = work.in_dst if plan.out[at] else work.in_src
    return [int(ends[other]) for other in edges if (int(work.in_class[other]), int(work.in_slot[other])) == wanted]


def _match_one(
    view: _View, plan: PatternPlan, signs: list[int], anchor: int, owner: int, tolerance: int, steps: int
) -> list[int]:
    """The nodes of the pattern from an anchor on, or nothing."""
    work, label = view.work, view.label
    pattern = plan.nodes.tolist()
    differs = [int(label[anchor] != label[pattern[0]])]
    if differs[0] > tolerance:
        return []
    nodes = [anchor]
    work.owner[anchor], work.place[anchor] = owner, 0
    waiting: list[list[int]] = []

    def open_place(at: int) -> None:
        if at < len(pattern):
            waiting.append(_candidates(view, plan, at, nodes[int(plan.before[at])])[::-1])

    open_place(1)
    while 0 < len(nodes) < len(pattern) and steps > 0:
        steps -= 1
        at = len(nodes)
        if not waiting[-1]:
            waiting.pop()
            work.owner[nodes.pop()] = -1
            differs.pop()
            continue
        node, before = waiting[-1].pop(), nodes[int(plan.before[at])]
        if not view.may_join(node, node if plan.out[at] else before, anchor):
            continue
        if (int(work.flags[node]) ^ int(work.flags[pattern[at]])) & LEAF:
            continue
        off = int(label[node] != label[pattern[at]])
        if sum(differs) + off > tolerance or view.wiring(node, owner) != signs[at]:
            continue
        work.owner[node], work.place[node] = owner, at
        nodes.append(node)
        differs.append(off)
        open_place(at + 1)
    if len(nodes) == len(pattern):
        return nodes
    if nodes:
        work.owner[nodes] = -1
    return []


def _wires(work: WorkGraph, row: list[int], labels: bool) -> list[tuple[int, list[Wire], list[Wire]]]:
    """Label and inputs by place: by port, or as a set if the order does not matter."""
    place_of = {node: place for place, node in enumerate(row)}
    signs = []
    for node in row:
        ordered: list[Wire] = []
        loose: list[Wire] = []
        for edge in range(int(work.in_ptr[node]), int(work.in_ptr[node + 1])):
            place = place_of.get(int(work.in_src[edge]), -1)
            wire = (place, int(work.in_slot[edge]) if place >= 0 else 0)
            (ordered if work.in_class[edge] < CONTROL_CLASS else loose).append(wire)
        signs.append((int(work.label[node]) if labels else 0, ordered, sorted(loose)))
    return signs
