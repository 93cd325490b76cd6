"""Joins the frames of a scene. Used by `assembly`."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from mindinsight.graphs.model import StringTable
from mindinsight.graphs.model.strings import Interner
from mindinsight.graphs.scene.building.scopes import Ints
from mindinsight.graphs.scene.building.tables import Laid
from mindinsight.graphs.scene.scene import Scene

_SMALL = {
    "box_kind": np.uint8,
    "box_phase": np.uint8,
    "edge_kind": np.uint8,
    "edge_phase": np.uint8,
    "instance_differs": np.bool,
}
_LARGE = {"edge_bytes", "edge_count", "box_rows", "frame_first", "edge_first", "proxy_first", "out_first"}


class SceneTables:
    """Takes frames one by one; the first is the whole graph."""

    def __init__(self) -> None:
        self._columns: dict[str, list[npt.NDArray[Any]]] = {}
        self._patterns: list[int] = []
        self._names = Interner()
        self._totals = dict.fromkeys(("box", "container", "place", "row", "instance", "edge", "proxy"), 0)

    def add(self, pattern: int, laid: Laid) -> None:
        """Adds the frame of a sub-structure, or of the whole graph (-1)."""
        total, boxes = self._totals, laid.boxes
        edges = laid.edges
        containers, many = len(laid.container_box), len(laid.box_names)
        self._patterns.append(pattern)
        self._put("frame_first", [total["place"]])
        self._put("frame_container", [total["container"]])
        self._put("container_first", laid.container_first[:-1] + total["box"])
        self._put("container_frame", np.full(containers, len(self._patterns) - 1))
        self._put("container_box", _moved(laid.container_box, total["box"]))
        self._put("box_container", boxes["container"] + total["container"])
        numbers = {name: self._names.number(name) for name in dict.fromkeys(laid.box_names)}
        self._put("box_name", [numbers[name] for name in laid.box_names])
        self._put("box_child", _moved(boxes["child"], total["container"]))
        self._put("box_frame", laid.box_patterns)
        self._put("box_rows", _moved(boxes["rows"], total["row"]))
        self._put("box_instances", _moved(boxes["instances"], total["instance"]))
        for name in ("kind", "phase", "place", "count", "low", "high", "operators", "parameters", "constants"):
            self._put(f"box_{name}", boxes[name])
        self._put("leaf_box", laid.leaves["box"] + total["box"])
        self._put("leaf_instance", laid.leaves["instance"])
        self._put("leaf_place", laid.leaves["place"])
        self._put("ordered", laid.ordered)
        self._put("rows", np.concatenate(laid.rows) if laid.rows else [])
        self._put("instance_name", [self._names.number(name) for name in laid.instance_names])
        self._put("instance_differs", laid.instance_differs)
        self._put("edge_first", np.searchsorted(edges.container, np.arange(containers)) + total["edge"])
        for name in ("source", "target", "kind", "count", "types", "type", "phase"):
            self._put(f"edge_{name}", getattr(edges, name))
        self._put("edge_bytes", edges.size)
        proxy_box = laid.container_first[laid.proxies[0]] + laid.proxies[1]
        self._put("proxy_first", np.searchsorted(proxy_box, np.arange(many)) + total["proxy"])
        self._put("proxy_source", laid.proxies[2])
        grown = (many, containers, len(laid.ordered), sum(map(len, laid.rows)), len(laid.instance_names))
        for name, more in zip(total, (*grown, len(edges.container), len(proxy_box)), strict=True):
            total[name] += more

    def finish(self, out_first: Ints, out_edges: Ints) -> Scene:
        """Returns the scene, its pairs still missing.

        Args:
            out_first, out_edges: the graph's edges in order of their sources.
        """
        total = self._totals
        for name, end in (("frame", "place"), ("container", "box"), ("edge", "edge"), ("proxy", "proxy")):
            self._put(f"{name}_first", [total[end]])
        columns = {name: np.concatenate(parts) for name, parts in self._columns.items()}
        frame_of = np.full(max(self._patterns, default=-1) + 2, -1, np.int64)
        frame_of[self._patterns] = np.arange(len(self._patterns))
        patterns = columns["box_frame"]
        columns["box_frame"] = np.where(patterns >= 0, frame_of[patterns], -1)
        columns["frame_pattern"] = np.asarray(self._patterns, np.int64)
        columns["box_pair"] = np.full(total["box"], -1, np.int64)
        columns["out_first"], columns["out_edges"] = out_first, out_edges
        texts: StringTable = self._names.table()
        return Scene(texts=texts, **{name: _narrowed(name, column) for name, column in columns.items()})

    def _put(self, name: str, values: Any) -> None:
        self._columns.setdefault(name, []).append(np.asarray(values, np.int64))


def _moved(numbers: npt.NDArray[np.int64], offset: int) -> npt.NDArray[np.int64]:
    return np.where(numbers >= 0, numbers + offset, -1)


def _narrowed(name: str, column: npt.NDArray[np.int64]) -> npt.NDArray[Any]:
    kind = _SMALL.get(name, np.int64 if name in _LARGE else np.int32)
    return np.ascontiguousarray(column, kind)
