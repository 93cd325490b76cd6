"""Paths of boxes: `2.0#3.5` is box 5 in occurrence 3 of box 0 in box 2. Used for all requests."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from mindinsight.graphs.model import Graph
from mindinsight.graphs.scene.scene import BoxKind, Scene

_STEP = re.compile(r"^(\d{1,9})(?:#(\d{1,9}))?$")
MOST_STEPS = 200
MOST_NAMED = 20_000
"""The largest number of nodes whose paths are returned at once."""


class UnknownBoxError(Exception):
    """A path does not lead to a box. The message says where it fails."""


@dataclass(frozen=True, slots=True)
class Step:
    """A box on a path.

    Attributes:
        box: the number of the box.
        instance: the occurrence that is opened; None if the path names none.
        path: the path of the box, with the instance if the path names one.
    """

    box: int
    instance: int | None
    path: str


@dataclass(frozen=True, slots=True)
class View:
    """The target of a path.

    Attributes:
        path: the path.
        steps: the boxes on the path, including the target; empty for the root.
        container: the container inside of the last box; -1 for a node.
        nodes: the node at each place of the container's frame; None if places and nodes are the same.
        around: the same for the frame of the last box.
    """

    path: str
    steps: tuple[Step, ...]
    container: int
    nodes: npt.NDArray[Any] | None
    around: npt.NDArray[Any] | None

    def node_of(self, place: int) -> int:
        """The node at a place of the container's frame."""
        return place if self.nodes is None else int(self.nodes[place])


def look_at(scene: Scene, path: str) -> View:
    """Returns the target of a path.

    Args:
        scene: the scene.
        path: the path; empty for the root.

    Raises:
        UnknownBoxError: the path does not lead to a box.
    """
    container, nodes, around = int(scene.frame_container[0]), None, None
    steps: list[Step] = []
    words = path.split(".") if path else []
    if len(words) > MOST_STEPS:
        raise UnknownBoxError(f"This path has {len(words)} steps; none has more than {MOST_STEPS}.")
    for word in words:
        step = _step(scene, container, word, steps[-1].path if steps else "")
        around = nodes
        if _has_occurrences(scene, step.box):
            row = scene.row(step.box, step.instance or 0)
            nodes = row if nodes is None else nodes[row]
        steps.append(step)
        container = scene.inside_of(step.box)
    return View(path, tuple(steps), container, nodes, around)


def _step(scene: Scene, container: int, word: str, here: str) -> Step:
    """Reads one step of a path: a box of a container, and one of its occurrences if the step names it.

    Args:
        scene: the scene.
        container: the container of the box; -1 inside of a node.
        word: the step.
        here: the path of the container; empty for the root.

    Raises:
        UnknownBoxError: there is no such box, or no such occurrence of it.
    """
    found = _STEP.match(word)
    if found is None:
        raise UnknownBoxError(f"{word!r} is not a step of a path: a number, or a number, # and a number.")
    if container < 0:
        raise UnknownBoxError(f"Box {here} is a node; there is nothing inside it.")
    boxes = scene.boxes_of(container)
    number = int(found[1])
    if number >= len(boxes):
        where = f"Box {here}" if here else "The graph"
        raise UnknownBoxError(f"{where} shows {len(boxes)} boxes; there is no number {number}.")
    box = boxes[number]
    instance = None if found[2] is None else int(found[2])
    if instance is not None:
        if not _has_occurrences(scene, box):
            raise UnknownBoxError(f"Box {number} is not a stack; its path has no #.")
        count = int(scene.box_count[box])
        if instance >= count:
            raise UnknownBoxError(f"There are {count} occurrences in box {word}; there is no number {instance}.")
    return Step(box, instance, f"{here}.{word}" if here else word)


def _has_occurrences(scene: Scene, box: int) -> bool:
    return int(scene.box_kind[box]) in (BoxKind.ONE, BoxKind.STACK)


def path_of_node(scene: Scene, node: int) -> str:
    """Returns the path of the box that shows a node: its own box, or the box of its reader."""
    frame, place, path = 0, node, ""
    while True:
        first = int(scene.frame_first[frame])
        box = int(scene.leaf_box[first + place])
        instance, inner = int(scene.leaf_instance[first + place]), int(scene.leaf_place[first + place])
        path = joined(path, path_in_frame(scene, box))
        if instance < 0:
            return path
        if int(scene.box_kind[box]) == BoxKind.STACK:
            path += f"#{instance}"
        frame, place = int(scene.box_frame[box]), inner


def paths_by_name(graph: Graph, scene: Scene) -> tuple[dict[str, str], bool]:
    """Returns the paths of the boxes that show nodes, by the nodes' full names, and whether these are all nodes."""
    found: dict[str, str] = {}
    for node in range(min(len(graph), MOST_NAMED)):
        name = graph.text("full_name", node)
        if name and name not in found:
            found[name] = path_of_node(scene, node)
    return found, len(graph) <= MOST_NAMED


def path_in_frame(scene: Scene, box: int) -> str:
    """Returns the path of a box from the outermost container of its frame."""
    words: list[str] = []
    while box >= 0:
        container = int(scene.box_container[box])
        words.append(str(box - int(scene.container_first[container])))
        box = int(scene.container_box[container])
    return ".".join(reversed(words))


def joined(path: str, inside: str) -> str:
    """Returns a path that continues inside of a box."""
    return f"{path}.{inside}" if path and inside else path or inside


def nodes_of(scene: Scene, view: View) -> npt.NDArray[np.integer[Any]]:
    """Returns all nodes in a path's last box; every node for the root.

    If the path names no occurrence of a stack, the nodes of all occurrences.
    """
    if not view.steps:
        return np.arange(int(scene.frame_first[1]))
    last = view.steps[-1]
    if last.instance is not None and view.nodes is not None:
        return np.asarray(view.nodes)
    places = scene.held(last.box)
    return places if view.around is None else np.asarray(view.around[places])
