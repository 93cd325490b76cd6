"""Searches the boxes of a scene by name: groups, occurrences, stacks, and layers of one operator. Used by `search`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from mindinsight.graphs.json_text import json_text
from mindinsight.graphs.scene.inside import KINDS
from mindinsight.graphs.scene.paths import joined, path_in_frame
from mindinsight.graphs.scene.scene import BoxKind, Scene
from mindinsight.graphs.scene.terms import Term
from mindinsight.graphs.scene.texts import having, strings_with
from mindinsight.graphs.substructures.equivalence import PHASES

MOST_BOXES = 50
"""The largest number of boxes that are returned."""

Found = npt.NDArray[np.bool]


def boxes_with(scene: Scene, terms: Sequence[Term]) -> list[dict[str, Any]]:
    """Returns the boxes whose names match all terms. Those whose whole name is the first term come first.

    Args:
        scene: the scene.
        terms: the conditions. Conditions that only nodes can fulfil match no box.

    Raises:
        TermError: a regular expression took too long.
    """
    if not terms or any(term.key for term in terms):
        return []
    holds = np.ones(len(scene.texts), np.bool)
    for term in terms:
        holds &= _holding(scene, term) ^ term.negated
    holds[0] &= scene.texts[0] != ""
    named = np.asarray(scene.box_name)
    found = [(int(box), -1) for box in np.flatnonzero(holds[named] & (named > 0))]
    # Occurrences in a stack have names of their own.
    instances = np.flatnonzero(holds[np.asarray(scene.instance_name)])[: 4 * MOST_BOXES]
    stacks = np.flatnonzero(np.asarray(scene.box_instances) >= 0)
    firsts = np.asarray(scene.box_instances)[stacks]
    order = np.argsort(firsts, kind="stable")
    owners = (
        stacks[order][np.searchsorted(firsts[order], instances, side="right") - 1] if len(stacks) else instances[:0]
    )
    shown = {box for box, _ in found}
    for instance, box in zip(instances.tolist(), owners.tolist(), strict=False):
        if int(scene.box_kind[box]) == BoxKind.STACK and box not in shown:
            found.append((box, instance - int(scene.box_instances[box])))
    wanted = terms[0].text
    opened = dict(zip(*(column.tolist() for column in np.unique(scene.box_frame, return_index=True)), strict=True))
    rows = [_row(scene, box, instance, opened) for box, instance in found]
    rows.sort(key=lambda row: (row["name"].lower() != wanted, row["box"].count("."), len(row["name"])))
    return rows[:MOST_BOXES]


def _holding(scene: Scene, term: Term) -> Found:
    if term.regex is None:
        return strings_with(scene.texts, term.text)
    return having(scene.texts, np.arange(len(scene.texts)), term.matches, term.key)


def _row(scene: Scene, box: int, instance: int, opened: Mapping[int, int]) -> dict[str, Any]:
    text = scene.box_name[box] if instance < 0 else scene.instance_name[int(scene.box_instances[box]) + instance]
    count, operators = int(scene.box_count[box]), int(scene.box_operators[box])
    own = path_in_frame(scene, box) + (f"#{instance}" if instance >= 0 else "")
    around = _frame_path(scene, int(scene.container_frame[int(scene.box_container[box])]), opened)
    return {
        "box": joined(around, own),
        "name": json_text(scene.texts[int(text)]),
        "kind": KINDS[BoxKind(int(scene.box_kind[box]))],
        "phase": PHASES[int(scene.box_phase[box])],
        "count": count if instance < 0 else 1,
        "operators": operators if instance < 0 else operators // count,
    }


def _frame_path(scene: Scene, frame: int, opened: Mapping[int, int]) -> str:
    """Returns a path to the inside of a frame's first box, through the first occurrence of each stack.

    Args:
        scene: the scene.
        frame: the frame.
        opened: by frame, the first box that leads to it.
    """
    path = ""
    while frame > 0:
        box = opened[frame]
        first = "#0" if int(scene.box_kind[box]) == BoxKind.STACK else ""
        path = joined(path_in_frame(scene, box) + first, path)
        frame = int(scene.container_frame[int(scene.box_container[box])])
    return path
