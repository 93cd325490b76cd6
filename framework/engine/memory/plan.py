"""The memory plan: values that are never live at the same time share memory.

A block of a compiled program is a sequence of kernels, so the live range of each value is known before it runs: from
the kernel that writes it to the last one that reads it. `MemoryPlan` gives each value a *place*, a piece of memory that
is free for that long, largest values first (greedy by size for shared objects: Pisarchyk and Lee, "Efficient Memory
Management for Deep Neural Net Inference", 2020). A kernel gets the array there as its `out`.

Why this is safe:

- A value *shares* the memory of others if it may be a view of them or contains them (a reshaped tensor, a tuple). A
  place is free after the last use of all values that share it.
- A value that *escapes* gets memory of its own: results, captures of closures, arguments of calls and jumps, new
  values of Parameters. So no code outside the block ever sees a place.
- A node that overwrites an input is marked `in_place` with the input's position, which dumps show. Only the plan
  decides that.
- A value that is live while another function of the program runs gets no place. So all functions and blocks share the
  same places, however deep they call each other.
"""

from __future__ import annotations

import itertools
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, replace

from framework.engine.memory.liveness import Liveness, nbytes_of
from framework.ir.abstract import AbstractTensor
from framework.ir.anf import IN_PLACE, CNode, Node

__all__ = ["LiveValue", "MemoryPlan", "Place", "PlannedValue"]


@dataclass(eq=False)
class Place:
    """A piece of memory that several values use in turn.

    Attributes:
        number: its number in the plan.
        nbytes: its size: that of its largest value.
    """

    number: int = -1
    nbytes: int = 0


@dataclass(frozen=True, eq=False)
class LiveValue:
    """A value and its live range.

    Attributes:
        node: the node that computes it.
        block: the name of the block's graph.
        nbytes: its size.
        begin: the position of its node in the block.
        end: the position of the last node that reads it, or a value that shares its memory; the number of nodes if it
            escapes.
    """

    node: CNode
    block: str
    nbytes: int
    begin: int
    end: int


@dataclass(frozen=True, eq=False)
class PlannedValue(LiveValue):
    """A value with a place.

    Attributes:
        place: the place.
        overwrites: the input that it overwrites, whose live range ends here.
    """

    place: Place
    overwrites: CNode | None = None


class MemoryPlan:
    """The memory plan of a program.

    Attributes:
        places: all places.
        values: the values with a place, in the order in which they are computed.
        unplanned: the values with arrays of their own.
        unplanned_by_reason: the number of arrays without a place and their bytes, by reason.
        peak_unplanned: the most bytes of such arrays that are live together in a block, summed over all blocks.
    """

    def __init__(self) -> None:
        self.places: list[Place] = []
        self.values: dict[CNode, PlannedValue] = {}
        self.unplanned: dict[CNode, LiveValue] = {}
        self.unplanned_by_reason: dict[str, tuple[int, int]] = {}
        self.peak_unplanned = 0

    def add_block(
        self,
        name: str,
        nodes: Sequence[CNode],
        live_out: Iterable[Node],
        read_at_end: Iterable[Node],
        tapped: Container[CNode] = (),
    ) -> None:
        """Plan one block.

        Args:
            name: the name of its graph.
            nodes: its nodes, in the order in which they run.
            live_out: nodes whose values are read outside of the block.
            read_at_end: nodes whose values the end of the block reads, and nothing after it.
            tapped: nodes whose inputs a tap reads after they have run, so that they overwrite none.
        """
        liveness = Liveness(nodes, live_out, read_at_end)
        size_changes = [0] * (len(nodes) + 2)
        planned: dict[CNode, PlannedValue] = {}
        for position, node in enumerate(nodes):
            node.marks.pop(IN_PLACE, None)
            reason = liveness.unplanned_reason(node)
            if reason is None:
                overwrites = liveness.reusable_input(node, position, planned) if node not in tapped else None
                if overwrites is not None:
                    node.marks[IN_PLACE] = node.arguments.index(overwrites)
                place = planned[overwrites].place if overwrites is not None else Place()
                planned[node] = PlannedValue(
                    node, name, nbytes_of(node) or 0, position, liveness.last_use_at[node], place, overwrites
                )
            elif reason:
                count, nbytes = self.unplanned_by_reason.get(reason, (0, 0))
                own = nbytes_of(node) or 0
                self.unplanned_by_reason[reason] = count + 1, nbytes + own
                end = len(nodes) if node in liveness.escaping else liveness.last_use_at[node]
                size_changes[position] += own
                size_changes[end + 1] -= own
                self.unplanned[node] = LiveValue(node, name, own, position, end)
        self.peak_unplanned += max(itertools.accumulate(size_changes))
        self._assign_places(planned)

    def _assign_places(self, planned: dict[CNode, PlannedValue]) -> None:
        """Assign places to the values of a block, the largest first. Values that are never live together share one."""
        # Values that overwrite one another share one place already.
        chains: dict[Place, list[PlannedValue]] = {}
        for value in planned.values():
            chains.setdefault(value.place, []).append(value)
        occupied: dict[Place, list[tuple[int, int]]] = {place: [] for place in self.places}
        assigned: dict[Place, Place] = {}
        for wanted, values in sorted(chains.items(), key=lambda item: -item[1][0].nbytes):
            begin, end, nbytes = values[0].begin, values[-1].end, values[0].nbytes
            free = [
                place
                for place, lives in occupied.items()
                if all(end < first or begin > read_at_end for first, read_at_end in lives)
            ]
            fitting = [place for place in free if place.nbytes >= nbytes]
            if fitting:
                place = min(fitting, key=lambda place: place.nbytes)
            elif free:
                place = max(free, key=lambda place: place.nbytes)
                place.nbytes = nbytes
            else:
                place = Place(len(self.places), nbytes)
                self.places.append(place)
                occupied[place] = []
            occupied[place].append((begin, end))
            assigned[wanted] = place
        self.values.update((node, replace(value, place=assigned[value.place])) for node, value in planned.items())

    @property
    def nbytes(self) -> int:
        """The bytes of all places."""
        return sum(place.nbytes for place in self.places)

    @property
    def peak(self) -> int:
        """The bytes that the program takes besides its Parameters, as far as sizes are known before it runs."""
        return self.nbytes + self.peak_unplanned

    @property
    def nbytes_without_reuse(self) -> int:
        """The bytes of all values with places, if each had memory of its own."""
        return sum(value.nbytes for value in self.values.values())

    @property
    def peak_live(self) -> int:
        """The most bytes that are live at once: a lower bound for any plan."""
        peak = 0
        blocks: dict[str, list[PlannedValue]] = {}
        for value in self.values.values():
            blocks.setdefault(value.block, []).append(value)
        for values in blocks.values():
            live, ending = 0, sorted(values, key=lambda value: value.end)
            for value in values:
                while ending and ending[0].end < value.begin:
                    live -= ending.pop(0).nbytes
                live += value.nbytes if value.overwrites is None else 0
                peak = max(peak, live)
                if value.overwrites is not None:
                    ending.remove(self.values[value.overwrites])
        return peak

    def __str__(self) -> str:
        """The plan as a table: the place and live range of each value."""
        lines = [
            f"{len(self.values)} values in {len(self.places)} places: {self.nbytes:,} bytes; "
            f"{self.nbytes_without_reuse:,} without reuse, {self.peak_live:,} alive at once",
            *(
                f"{count} more {reason}: {nbytes:,} bytes"
                for reason, (count, nbytes) in self.unplanned_by_reason.items()
            ),
            f"at most {self.peak:,} bytes with what is elsewhere",
            f"{'place':>5} {'bytes':>12} {'from':>5} {'to':>5}  value",
        ]
        for value in self.values.values():
            node, abstract = value.node, value.node.abstract
            assert isinstance(abstract, AbstractTensor)  # noqa: S101
            overwrites = ", over its input" if value.overwrites is not None else ""
            title = (
                f"{node.full_name or node.operator} {abstract.dtype}{list(abstract.shape)} in {value.block}{overwrites}"
            )
            lines.append(f"{value.place.number:>5} {value.nbytes:>12,} {value.begin:>5} {value.end:>5}  {title}")
        return "\n".join(lines) + "\n"
