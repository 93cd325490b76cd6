"""What the boxes of a container can be coloured by: operators, devices, precision, memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import orjson

from mindinsight.graphs.json_text import json_text
from mindinsight.graphs.model import Graph, NodeKind
from mindinsight.graphs.scene.paths import View
from mindinsight.graphs.scene.scene import Scene
from mindinsight.graphs.scene.statuses import held_nodes
from mindinsight.graphs.scene.type_sizes import bytes_of

_DEVICES = ("device", "primitive_target", "target", "_device")
_LEGEND = 40


def overlay(graph: Graph, scene: Scene, view: View, by: str) -> dict[str, Any]:
    """Returns a value for each box of a container, and what the values mean.

    Args:
        graph: the graph.
        scene: how it is drawn.
        view: where to look; its container must be there.
        by: `op`, `device`, `precision` or `memory`.
    """
    nodes, index = held_nodes(scene, view)
    count = len(scene.boxes_of(view.container))
    if by == "memory":
        return _memory(graph, nodes, index, count)
    column, convert = _NAMED[by]
    operators = np.asarray(graph.kind)[nodes] == NodeKind.OPERATOR
    if operators.any():
        nodes, index = nodes[operators], index[operators]
    used, inverse = np.unique(np.asarray(getattr(graph, column))[nodes], return_inverse=True)
    keys: dict[str, int] = {}
    said = [keys.setdefault(convert(graph.strings[int(number)]), len(keys)) for number in used]
    values = np.asarray(said, np.int64)[inverse.ravel()]
    known = np.asarray([bool(key) for key in keys], np.bool)[values] if len(values) else np.empty(0, np.bool)
    table = np.bincount(index[known] * len(keys) + values[known], minlength=count * len(keys)).reshape(count, -1)
    names = [json_text(key) for key in keys]
    commonest = table.argmax(axis=1) if len(keys) else np.zeros(count, np.int64)
    told = [names[key] if table[box, key] else None for box, key in enumerate(commonest.tolist())] if names else []
    totals = table.sum(axis=0)
    order = np.lexsort((np.arange(len(names)), -totals))[:_LEGEND]
    legend = [{"key": names[key], "label": names[key], "count": int(totals[key])} for key in order if totals[key]]
    return {"values": told or [None] * count, "legend": legend, "unit": None}


def _memory(graph: Graph, nodes: npt.NDArray[Any], index: npt.NDArray[Any], count: int) -> dict[str, Any]:
    used, inverse = np.unique(np.asarray(graph.type)[nodes], return_inverse=True)
    sizes = np.asarray([bytes_of(graph.strings[int(number)]) for number in used], np.float64)[inverse.ravel()]
    known = sizes >= 0
    totals = np.bincount(index[known], sizes[known], count)
    some = np.bincount(index[known], minlength=count) > 0
    values = [str(int(total)) if has else None for total, has in zip(totals.tolist(), some.tolist(), strict=True)]
    return {"values": values, "legend": [], "unit": "bytes"}


def _plain(text: str) -> str:
    return text


def _device(attributes: str) -> str:
    if not attributes:
        return ""
    try:
        told = orjson.loads(attributes)
    except orjson.JSONDecodeError:
        return ""
    if not isinstance(told, dict):
        return ""
    return next((str(told[name]) for name in _DEVICES if told.get(name)), "")


def _precision(type_text: str) -> str:
    """The first data type that a type's text names."""
    head = type_text.lstrip("(").partition("[")[0].partition(",")[0].rstrip(")")
    return "" if head == "Monad" else head


_NAMED: dict[str, tuple[str, Callable[[str], str]]] = {
    "op": ("op", _plain),
    "device": ("attributes", _device),
    "precision": ("type", _precision),
}
