"""The scene of a graph: boxes in containers, with edges between them. Made by `building`, read by `inside`.

A *frame* is the whole graph or one sub-structure. The frame of a sub-structure describes all its occurrences, place by
place. A frame's containers have boxes, and a box of occurrences leads to the frame of their sub-structure.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import IntEnum
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from mindinsight.graphs.model import GraphError, StringTable

Array = npt.NDArray[Any]

VERSION = 4
"""The version of the stored form. A scene with another version is made again."""

INPUT, OUTPUT = -1, -2
"""Ends of edges that lead out of a container."""


class BoxKind(IntEnum):
    """The kinds of boxes."""

    NODE = 0
    GROUP = 1
    ONE = 2
    STACK = 3


@dataclass(eq=False)
class Scene:
    """A scene in columns, all of which can be memory-mapped. A column with `first` has one more entry behind the last.

    Attributes:
        frame_pattern: by frame, the sub-structure; -1 for the whole graph, which is frame 0.
        frame_first: by frame, where its places begin in the columns by place.
        frame_container: by frame, its outermost container.
        container_first: by container, its first box.
        container_frame, container_box: by container, its frame, and the box around it; -1 if there is none.
        box_kind, box_phase: by box, its kind and phase.
        box_name: text.
        box_place: of a node, its place.
        box_child: of a group, its container.
        box_frame: of occurrences, the frame.
        box_count: the number of its occurrences.
        box_rows: of occurrences, where the places of the first one begin in `rows`.
        box_instances: of occurrences, where they begin in the columns by instance.
        box_low, box_high: its places, as a range of the frame's `ordered`.
        box_operators, box_parameters, box_constants: the numbers of these in it.
        box_pair: the backward box of a forward box, and the other way round; -1 if there is none.
        leaf_box, leaf_instance, leaf_place: by place, the box in the frame that shows it, and the place in that box.
        ordered: by frame, its places in the order in which they are drawn.
        instance_name: text.
        instance_differs: whether it differs from most of its stack.
        rows: places of occurrences in their frame.
        edge_first: by container, its first edge.
        edge_source, edge_target: places of boxes in the container, or INPUT, OUTPUT.
        edge_kind, edge_count, edge_types, edge_type, edge_bytes: the values of an edge; bytes are -1 if unknown.
        edge_phase: the phase of the outer end, if an end is INPUT or OUTPUT.
        proxy_first: by box, its first proxy.
        proxy_source: the hub, as place in the container.
        out_first: by node, its first entry in `out_edges`.
        out_edges: the graph's edges in order of their sources.
        texts: names.
    """

    frame_pattern: Array
    frame_first: Array
    frame_container: Array
    container_first: Array
    container_frame: Array
    container_box: Array
    box_container: Array
    box_kind: Array
    box_phase: Array
    box_name: Array
    box_place: Array
    box_child: Array
    box_frame: Array
    box_count: Array
    box_rows: Array
    box_instances: Array
    box_low: Array
    box_high: Array
    box_operators: Array
    box_parameters: Array
    box_constants: Array
    box_pair: Array
    leaf_box: Array
    leaf_instance: Array
    leaf_place: Array
    ordered: Array
    instance_name: Array
    instance_differs: Array
    rows: Array
    edge_first: Array
    edge_source: Array
    edge_target: Array
    edge_kind: Array
    edge_count: Array
    edge_types: Array
    edge_type: Array
    edge_bytes: Array
    edge_phase: Array
    proxy_first: Array
    proxy_source: Array
    out_first: Array
    out_edges: Array
    texts: StringTable

    def frame_size(self, frame: int) -> int:
        """Returns the number of places in a frame."""
        return int(self.frame_first[frame + 1] - self.frame_first[frame])

    def boxes_of(self, container: int) -> range:
        """The boxes of a container."""
        return range(int(self.container_first[container]), int(self.container_first[container + 1]))

    def inside_of(self, box: int) -> int:
        """Returns the container inside of a box; -1 if it cannot be opened."""
        kind = int(self.box_kind[box])
        if kind == BoxKind.NODE:
            return -1
        if kind == BoxKind.GROUP:
            return int(self.box_child[box])
        return int(self.frame_container[int(self.box_frame[box])])

    def row(self, box: int, instance: int) -> Array:
        """The places, in the box's frame, of one occurrence of a box."""
        size = self.frame_size(int(self.box_frame[box]))
        first = int(self.box_rows[box]) + instance * size
        return np.asarray(self.rows[first : first + size])

    def held(self, box: int) -> Array:
        """Returns the places, in the box's frame, of everything in a box."""
        frame = int(self.container_frame[int(self.box_container[box])])
        first = int(self.frame_first[frame])
        return np.asarray(self.ordered[first + int(self.box_low[box]) : first + int(self.box_high[box])])


_COLUMNS = tuple(field.name for field in fields(Scene) if field.name != "texts")


def write_scene(scene: Scene, directory: Path) -> None:
    """Writes a scene into an existing directory."""
    for column in _COLUMNS:
        np.save(directory / f"scene_{column}.npy", getattr(scene, column))
    np.save(directory / "scene_texts.npy", scene.texts.data)
    np.save(directory / "scene_text_offsets.npy", scene.texts.offsets)


def has_scene(directory: Path) -> bool:
    """Whether a directory contains a scene."""
    return (directory / "scene_text_offsets.npy").is_file()


def open_scene(directory: Path) -> Scene:
    """Opens a stored scene. Its columns stay on disk until they are read.

    Raises:
        GraphError: there is no stored scene.
    """
    try:
        columns = {column: np.load(directory / f"scene_{column}.npy", mmap_mode="r") for column in _COLUMNS}
        data = np.load(directory / "scene_texts.npy", mmap_mode="r")
        texts = StringTable(data, np.load(directory / "scene_text_offsets.npy", mmap_mode="r"))
    except (OSError, ValueError) as error:
        raise GraphError(f"{directory} holds no stored scene: {error}") from error
    return Scene(texts=texts, **columns)
