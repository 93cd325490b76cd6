"""Overlays: the values that colour the boxes of a container: operators, devices, types, kernels, recorded amounts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import orjson

from mindinsight.graphs.json_text import json_text
from mindinsight.graphs.model import Graph, NodeKind
from mindinsight.graphs.scene.bookkeeping import BOOKKEEPING, MOVING, is_any_of
from mindinsight.graphs.scene.paths import View
from mindinsight.graphs.scene.scene import Scene
from mindinsight.graphs.scene.statuses import held_nodes
from mindinsight.graphs.scene.type_sizes import bytes_of

_DEVICES = ("device", "primitive_target", "target", "_device")
_LEGEND = 40
_FORMS = {"seconds": ".9f", "norm": ".9g"}


def overlay(graph: Graph, scene: Scene, view: View, by: str) -> dict[str, Any]:
    """Returns a value for each box of a container, and a legend.

    Args:
        graph: the graph.
        scene: its scene.
        view: the box; it must have a container.
        by: `op`, `device`, `precision`, `memory` or `kernel`.
    """
    nodes, index = held_nodes(scene, view)
    count = len(scene.boxes_of(view.container))
    if by == "memory":
        used, inverse = np.unique(np.asarray(graph.type)[nodes], return_inverse=True)
        sizes = np.asarray([bytes_of(graph.strings[int(number)]) for number in used], np.float64)[inverse.ravel()]
        return _amounts(np.where(sizes < 0, np.nan, sizes), index, count, "bytes")
    column, convert = _NAMED[by]
    telling = _telling(graph, nodes, index, count, by)
    nodes, index = nodes[telling], index[telling]
    used, inverse = np.unique(np.asarray(getattr(graph, column))[nodes], return_inverse=True)
    keys: dict[str, int] = {}
    said = [keys.setdefault(convert(graph.strings[int(number)]), len(keys)) for number in used]
    values = np.asarray(said, np.int64)[inverse.ravel()]
    known = np.asarray([bool(key) for key in keys], np.bool)[values] if len(values) else np.empty(0, np.bool)
    table = np.bincount(index[known] * len(keys) + values[known], minlength=count * len(keys)).reshape(count, -1)
    names = [json_text(key) for key in keys]
    commonest = table.argmax(axis=1) if len(keys) else np.zeros(count, np.int64)
    shown = [names[key] if table[box, key] else None for box, key in enumerate(commonest.tolist())] if names else []
    totals = table.sum(axis=0)
    order = np.lexsort((np.arange(len(names)), -totals))[:_LEGEND]
    legend = [{"key": names[key], "label": names[key], "count": int(totals[key])} for key in order if totals[key]]
    return {"values": shown or [None] * count, "legend": legend, "unit": None}


def _telling(
    graph: Graph, nodes: npt.NDArray[np.int64], index: npt.NDArray[np.int64], count: int, by: str
) -> npt.NDArray[np.bool]:
    """Returns the nodes that decide the colour of a box: its operators that compute, or all if there are none."""
    chosen: npt.NDArray[np.bool] = np.asarray(graph.kind)[nodes] == NodeKind.OPERATOR
    if not chosen.any():
        return np.ones(len(nodes), np.bool)
    for idle in (BOOKKEEPING, MOVING) if by == "op" else ():
        better = chosen & ~is_any_of(idle, graph, nodes)
        has_some = np.bincount(index[better], minlength=count) > 0
        chosen = (has_some[index] & better) | (~has_some[index] & chosen)
    return chosen


def told_overlay(scene: Scene, view: View, amounts: npt.NDArray[np.float64] | None, unit: str) -> dict[str, Any]:
    """Like `overlay`, for numbers that a run has recorded.

    Args:
        scene: the scene of the graph.
        view: the box; it must have a container.
        amounts: the amount of each node, NaN if it is unknown; None if all are unknown.
        unit: `bytes`, `seconds` or `hits`, of which a box has the sum of its nodes; or `norm`, of which it has the root
            of the sum of squares, or `inf` if a norm is not finite.
    """
    nodes, index = held_nodes(scene, view)
    known = np.full(len(nodes), np.nan) if amounts is None else amounts[nodes]
    return _amounts(known, index, len(scene.boxes_of(view.container)), unit)


def _amounts(amounts: npt.NDArray[np.float64], index: npt.NDArray[np.int64], count: int, unit: str) -> dict[str, Any]:
    """Returns the combined amount of each box; None if all amounts of a box are unknown."""
    known = ~np.isnan(amounts)
    with np.errstate(over="ignore"):
        added = np.square(amounts[known]) if unit == "norm" else amounts[known]
        totals = np.bincount(index[known], added, count)
    some = np.bincount(index[known], minlength=count) > 0
    form = _FORMS.get(unit, ".0f")
    totals = np.sqrt(totals) if unit == "norm" else totals
    values = [f"{total:{form}}" if has else None for total, has in zip(totals.tolist(), some.tolist(), strict=True)]
    return {"values": values, "legend": [], "unit": unit}


def _plain(text: str) -> str:
    return text


def _device(attributes: str) -> str:
    parsed = _read(attributes)
    return next((str(parsed[name]) for name in _DEVICES if parsed.get(name)), "")


def _kernel(attributes: str) -> str:
    """Returns the number of the generated kernel that computes an operator: a mark of the core's passes."""
    number = _read(attributes).get("fusion")
    return str(number) if isinstance(number, int) else ""


def _read(attributes: str) -> dict[str, Any]:
    try:
        parsed = orjson.loads(attributes) if attributes else {}
    except orjson.JSONDecodeError:
        return {}
    return parsed if isinstance(parsed, dict) else {}


def _precision(type_text: str) -> str:
    """Returns the first data type in the text of a type."""
    head = type_text.lstrip("(").partition("[")[0].partition(",")[0].rstrip(")")
    return "" if head == "Monad" else head


_NAMED: dict[str, tuple[str, Callable[[str], str]]] = {
    "op": ("op", _plain),
    "device": ("attributes", _device),
    "precision": ("type", _precision),
    "kernel": ("attributes", _kernel),
}
