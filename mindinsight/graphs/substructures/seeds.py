"""Seeds of growth: nodes with equal neighbourhoods, in classes that are probably the same place of a repeated block."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mindinsight.graphs.substructures.kernel.engine import Engine
from mindinsight.graphs.substructures.loops import MASK
from mindinsight.graphs.substructures.work import LEAF, Colours, Integers, WorkGraph

RADII = (0, 1, 2, 3, 5, 8)
_WIDEST_IN, _WIDEST_OUT = 64, 24


@dataclass(frozen=True, slots=True)
class Bucket:
    """Classes with the same radius and count. The classes of a repeated block share a bucket.

    Attributes:
        count: number of nodes in each class.
        potential: number of nodes saved if all its classes belong to one block.
        classes: the nodes of each class.
    """

    count: int
    potential: int
    classes: npt.NDArray[np.int32]


def colour(work: WorkGraph, loops: Engine) -> dict[int, Colours]:
    """Returns colours by radius, and fills the keys of edges, which depend on the colours."""
    now = work.label.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15 & MASK)
    kept = {0: now}
    for radius in range(1, RADII[-1] + 1):
        now = loops.colour_round(work, now, _WIDEST_IN, _WIDEST_OUT)
        if radius in RADII:
            kept[radius] = now
    loops.make_keys(work, kept[1], kept[3], kept[8])
    return kept


def buckets(work: WorkGraph, colours: dict[int, Colours]) -> Iterator[Bucket]:
    """Yields classes of equal colour, the most promising buckets first."""
    usable = np.flatnonzero((work.region >= 0) & (work.flags & LEAF == 0)).astype(np.int32)
    found: list[tuple[int, int, int, Integers, npt.NDArray[np.int64]]] = []
    for radius, colour_of in colours.items():
        order = usable[np.argsort(colour_of[usable], kind="stable")]
        sorted_colours = colour_of[order]
        starts = np.flatnonzero(np.append(True, sorted_colours[1:] != sorted_colours[:-1])) if len(order) else order
        sizes = np.diff(np.append(starts, len(order)))
        usable = np.sort(
            order[np.repeat(sizes > 1, sizes)]
        )  # A node with a unique colour keeps a unique colour at larger radii.
        for count, number in zip(*np.unique(sizes, return_counts=True), strict=True):
            if count >= 2:
                potential = int(count - 1) * int(number + 1)
                found.append((potential, radius, int(count), order, starts[sizes == count]))
    found.sort(key=lambda row: (-row[0], -row[1], -row[2]))
    for potential, _, count, order, starts in found:
        first = starts[np.argsort(order[starts], kind="stable")]
        yield Bucket(count, potential, order[first[:, None] + np.arange(count)])
