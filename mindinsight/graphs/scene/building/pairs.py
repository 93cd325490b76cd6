"""Pairs forward boxes with their backward boxes. Used when a scene is built, for the boxes of the whole graph."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import numpy.typing as npt

from mindinsight.graphs.model import DATA, Graph
from mindinsight.graphs.scene.scene import Scene
from mindinsight.graphs.substructures.equivalence import BACKWARD, FORWARD

_MOST_PAIRS = 200_000
"""The largest number of connected pairs. With more, no boxes are paired, because nothing repeats in such a graph."""
_LEAST = 0.25
"""The smallest squared share of their edges that two paired boxes have with each other."""


def paired(graph: Graph, scene: Scene, phase: npt.NDArray[np.uint8]) -> npt.NDArray[np.int32]:
    """Returns the backward box of each forward box, and the other way round; -1 if there is none.

    Args:
        graph: the graph.
        scene: its scene.
        phase: the phase of each node.
    """
    found = np.full(len(scene.box_kind), -1, np.int32)
    source, target = np.asarray(graph.in_src), graph.in_dst
    crossing = (phase[source] == FORWARD) & (phase[target] == BACKWARD) & (graph.in_kind == DATA)
    ends = np.stack([scene.leaf_box[source[crossing]], scene.leaf_box[target[crossing]]])
    pairs, counts = np.unique(ends, axis=1, return_counts=True)
    if not 0 < pairs.shape[1] <= _MOST_PAIRS:
        return found
    together: Counter[tuple[int, int]] = Counter()
    forward: Counter[int] = Counter()
    backward: Counter[int] = Counter()
    for left, right, count in zip(*pairs.tolist(), counts.tolist(), strict=True):
        lefts, rights = _chain(scene, left, FORWARD), _chain(scene, right, BACKWARD)
        forward.update(dict.fromkeys(lefts, count))
        backward.update(dict.fromkeys(rights, count))
        together.update(dict.fromkeys(((one, other) for one in lefts for other in rights), count))
    best: dict[int, tuple[float, int]] = {}
    for (one, other), count in sorted(together.items()):
        score = count * count / (forward[one] * backward[other])
        for box, twin in ((one, other), (other, one)):
            if score >= _LEAST and score > best.get(box, (0.0, -1))[0]:
                best[box] = (score, twin)
    for box, (_, twin) in best.items():
        if best[twin][1] == box:
            found[box] = twin
    return found


def _chain(scene: Scene, box: Any, phase: int) -> list[int]:
    """Returns a box and the boxes around it of the same phase."""
    found = []
    while box >= 0:
        if int(scene.box_phase[box]) == phase:
            found.append(int(box))
        box = int(scene.container_box[int(scene.box_container[box])])
    return found
