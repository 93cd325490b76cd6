"""Small work graphs for tests: written by hand, or blocks that repeat with all that the loops tell apart."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np

from mindinsight.graphs.substructures.work import CONTROL_CLASS, LEAF, UNORDERED_CLASS, WorkGraph

Input = tuple[int, int, int]
"""Source, slot and class of an edge."""


def work_of(
    nodes: Sequence[tuple[int, Sequence[int | Input]]], leaves: Sequence[int] = (), phases: Sequence[int] = ()
) -> WorkGraph:
    """A work graph.

    Args:
        nodes: The label and the inputs of each node. An input that is only a number is the source, its class the port.
        leaves: The nodes that are parameters or constants.
        phases: The phase of each node; none means forward everywhere.
    """
    edges = [
        one if isinstance(one, tuple) else (one, 0, port) for _, inputs in nodes for port, one in enumerate(inputs)
    ]
    flags = np.zeros(len(nodes), np.uint8)
    flags[list(leaves)] = LEAF
    return WorkGraph(
        label=np.asarray([label for label, _ in nodes], np.int32),
        in_ptr=np.cumsum([0, *(len(inputs) for _, inputs in nodes)]).astype(np.int64),
        in_src=np.asarray([source for source, _, _ in edges], np.int32),
        in_slot=np.asarray([slot for _, slot, _ in edges], np.int32),
        in_class=np.asarray([kind for _, _, kind in edges], np.int32),
        flags=flags,
        phase=np.asarray(phases or [0] * len(nodes), np.uint8),
        columns=np.arange(len(nodes), dtype=np.int32),
    )


def drawn_blocks(
    seed: int, copies: int = 6, size: int = 9
) -> tuple[WorkGraph, np.ndarray[tuple[int, int], np.dtype[np.int32]]]:
    """A graph in which a random block repeats, with some copies damaged, and the nodes of each copy as rows.

    It has leaves, unordered and control edges, several slots, and a node that very many read.
    """
    chance = random.Random(seed)
    outside = 4
    nodes: list[tuple[int, list[Input]]] = [(chance.randrange(3), []) for _ in range(outside)]
    leaves = [0, 1]
    template: list[tuple[int, list[tuple[int, int, int]], bool]] = []
    for place in range(size):
        leaf = place > 0 and chance.random() < 0.15
        inputs = []
        for port in range(0 if leaf else chance.choice((1, 1, 2, 2, 3))):
            source = chance.randrange(-outside, place) if chance.random() < 0.4 else place - 1
            kind = chance.choice((port, port, UNORDERED_CLASS, CONTROL_CLASS)) if port else port
            inputs.append((source, chance.choice((0, 0, 1)), kind))
        template.append((chance.randrange(4), inputs, leaf))
    rows = []
    for _ in range(copies):
        first = len(nodes)
        for place, (label, inputs, leaf) in enumerate(template):
            shown = [
                # The beginning of a block reads the end of the one before.
                (first + source if source >= 0 else (first - 1 if place == 0 else -source - 1), slot, kind)
                for source, slot, kind in inputs
            ]
            if chance.random() < 0.03 and not leaf:
                label += 1
            if chance.random() < 0.03 and shown:
                shown[0] = (chance.randrange(first + place), 0, 0)
            if leaf:
                leaves.append(len(nodes))
            nodes.append((label, shown))
        rows.append(range(first, first + size))
    wide = chance.choice((64, 65))
    hub = chance.choice(rows)[chance.randrange(size)]
    nodes += [(9, [(hub, 0, 0)]) for _ in range(wide)]
    nodes.append((8, [(len(nodes) - wide + number, 0, number) for number in range(wide)]))
    work = work_of(nodes, leaves)
    region = np.zeros(len(nodes), np.int32)
    region[[chance.randrange(len(nodes)) for _ in range(2)]] = chance.choice((-1, 1))
    work.region[:] = region
    return work, np.asarray(rows, np.int32)
