"""Decides which nodes are equal: by operator type, also by attributes, also by shapes.

Makes a work graph of a graph.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

import numpy as np
import numpy.typing as npt
import orjson

from mindinsight.graphs.model import CONTROL, Graph, NodeKind
from mindinsight.graphs.model.order import is_sorted, levels
from mindinsight.graphs.model.torch_trace import TORCH_TYPES
from mindinsight.graphs.substructures.work import CONTROL_CLASS, LEAF, UNORDERED_CLASS, Integers, WorkGraph, dense


class Equivalence(StrEnum):
    """The compared properties: operator types; also attributes; also shapes and data types."""

    OP = "op"
    ATTR = "attr"
    SHAPE = "shape"


UNORDERED = frozenset(
    {
        *("Add", "AddV2", "AddN", "AccumulateNV2", "Mul", "Maximum", "Minimum", "SquaredDifference"),
        *("Equal", "NotEqual", "LogicalAnd", "LogicalOr", "LogicalXor", "BitwiseAnd", "BitwiseOr", "BitwiseXor"),
    }
)
"""Operators whose inputs may be swapped."""

BOOKKEEPING = frozenset(
    {
        *("input_names", "output_names", "pri_format", "unique_name", "instance_name", "stream_id", "stream_label"),
        *("side_effect_mem", "side_effect_io", "side_effect_propagate", "IsFeatureMapOutput", "IsFeatureMapInputList"),
        *("_datadump_original_names", "_output_shapes", "primitive_target", "is_backed_cast", "dyn_input_sizes"),
        *("channel_name", "device", "_class", "visited", "format_list"),
    }
)
"""Attributes that do not affect what an operator computes."""

FORWARD, BACKWARD, OPTIMIZER = 0, 1, 2
PHASES = ("forward", "backward", "optimizer")


def structural_attributes(text: str) -> str:
    """Returns the attributes that affect the computation, as JSON."""
    if not text:
        return ""
    try:
        said = orjson.loads(text)
    except orjson.JSONDecodeError:
        return text
    if not isinstance(said, dict):
        return text
    kept = {name: value for name, value in said.items() if name not in BOOKKEEPING}
    return orjson.dumps(kept, option=orjson.OPT_SORT_KEYS).decode() if kept else ""


def phase_of(scope: str) -> int:
    """Returns the phase in a scope. Only the beginning of scopes is reliable in MindSpore's graphs."""
    parts = scope.split("/", 2)
    if parts[0] == "Gradients":
        return BACKWARD
    if "optimizer" in parts[0].lower() or (len(parts) > 1 and "optimizer" in parts[1].lower()):
        return OPTIMIZER
    return FORWARD


def node_labels(graph: Graph, equivalence: Equivalence) -> Integers:
    """Returns a number for each node. Nodes with equal numbers are equal under an equivalence."""
    parts = [_numbers(graph, "op"), graph.in_ptr[1:] - graph.in_ptr[:-1], graph.kind]
    if tells_modules(graph):
        parts.append(np.where(graph.kind == NodeKind.OPERATOR, _numbers(graph, "scope", _class_of), -1) + 1)
    if equivalence is not Equivalence.OP:
        parts.append(_numbers(graph, "attributes", structural_attributes))
        constants = np.where(graph.kind == NodeKind.CONSTANT, graph.value, 0)
        parts.append(constants)
    if equivalence is Equivalence.SHAPE:
        parts.append(graph.type)
    return combine(parts)


def tells_modules(graph: Graph) -> bool:
    """Whether all scopes are modules, as in graphs of PyTorch. Otherwise scopes are only hints."""
    used, _ = dense(np.asarray(graph.op))
    return any(text.startswith(TORCH_TYPES) for text in graph.strings.many(used))


def _class_of(scope: str) -> str:
    """Returns the class of a module: `Conv2d` for `Net/Sequential[body]/Conv2d[0]`."""
    return scope.rpartition("/")[2].partition("[")[0]


def combine(parts: list[npt.NDArray[np.integer]]) -> Integers:
    """Returns one number for each distinct row of several columns, in order of the rows."""
    label = np.zeros(len(parts[0]), np.int64)
    for part in parts:
        _, numbers = dense(part)
        wide = label * (int(numbers.max(initial=0)) + 1) + numbers
        small = int(wide.max(initial=0)) <= 4 * len(wide) + 1024
        _, label = dense(wide) if small else np.unique(wide, return_inverse=True)
    return label.astype(np.int32)


def make_work(graph: Graph, equivalence: Equivalence) -> WorkGraph:
    """Returns the work graph, in an order in which inputs come before their consumers.

    Args:
        graph: the graph.
        equivalence: the rule by which nodes are equal.
    """
    label = node_labels(graph, equivalence)
    leaf = (graph.kind == NodeKind.PARAMETER) | (graph.kind == NodeKind.CONSTANT)
    leaf &= graph.in_ptr[1:] == graph.in_ptr[:-1]
    order = _order(graph, label)
    phase = _phases(graph, leaf, order)
    in_ptr, in_src, in_slot, in_class = graph.in_ptr, graph.in_src, graph.in_slot, port_classes(graph)
    if order is not None:
        in_ptr, edges, in_src = reorder(graph.in_ptr, graph.in_src, order)
        in_slot, in_class = in_slot[edges], in_class[edges]
        label, leaf, phase = label[order], leaf[order], phase[order]
    return WorkGraph(
        label=label,
        in_ptr=np.ascontiguousarray(in_ptr, np.int64),
        in_src=np.ascontiguousarray(in_src, np.int32),
        in_slot=np.ascontiguousarray(in_slot, np.int32),
        in_class=in_class,
        flags=np.where(leaf, LEAF, 0).astype(np.uint8),
        phase=phase,
        columns=np.arange(len(label), dtype=np.int32) if order is None else order.astype(np.int32),
    )


def port_classes(graph: Graph) -> Integers:
    """Returns each edge's input port, or its class if the order of inputs does not matter."""
    sizes = graph.in_ptr[1:] - graph.in_ptr[:-1]
    unordered = np.isin(_numbers(graph, "op"), _known(graph, UNORDERED))
    in_class = (np.arange(graph.edge_count) - np.repeat(graph.in_ptr[:-1], sizes)).astype(np.int32)
    in_class[np.repeat(unordered, sizes)] = UNORDERED_CLASS
    in_class[graph.in_kind == CONTROL] = CONTROL_CLASS
    return in_class


def reorder(
    in_ptr: npt.NDArray[np.int64], in_src: Integers, order: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], Integers]:
    """Returns the edges in another order of nodes: the start of each node's edges, their numbers, and their sources."""
    sizes = (in_ptr[1:] - in_ptr[:-1])[order]
    starts = np.zeros(len(order) + 1, np.int64)
    np.cumsum(sizes, out=starts[1:])
    edges = np.repeat(in_ptr[:-1][order] - starts[:-1], sizes) + np.arange(len(in_src))
    place = np.empty(len(order), np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    return starts, edges, place[in_src[edges]]


def _order(graph: Graph, label: Integers) -> npt.NDArray[np.int64] | None:
    """Returns the order of nodes, or None if in the file's order operators already come after their inputs."""
    operators = graph.kind == NodeKind.OPERATOR
    within = operators[graph.in_src]
    if is_sorted_within(graph, within):
        return None
    level = levels(graph.in_ptr, graph.in_src)
    return np.lexsort((label, np.where(level < 0, len(graph), level)))


def is_sorted_within(graph: Graph, within: npt.NDArray[np.bool]) -> bool:
    """Whether operators come after the operators that they need. Parameters are last in MindSpore's files."""
    if is_sorted(graph.in_ptr, graph.in_src):
        return True
    return bool((graph.in_src[within] < graph.in_dst[within]).all())


def _phases(graph: Graph, leaf: npt.NDArray[np.bool], order: npt.NDArray[np.int64] | None) -> npt.NDArray[np.uint8]:
    """The phase of each operator. A leaf has the phase of its first consumer."""
    used, inverse = dense(np.asarray(graph.scope))
    texts = graph.strings.many(used)
    joined = "\0".join(texts)
    if not any(word in joined for word in ("Gradients", "ptimizer", "PTIMIZER")):
        return np.zeros(len(graph), np.uint8)
    known: dict[str, int] = {}
    phases = []
    for text in texts:
        head = text[: text.find("/", text.find("/") + 1)] or text
        phase_here = known.get(head)
        if phase_here is None:
            phase_here = known[head] = phase_of(text)
        phases.append(phase_here)
    phase = np.asarray(phases, np.uint8)[inverse]
    if not phase.any():
        return phase
    edges = np.flatnonzero(leaf[graph.in_src])[::-1]
    if order is not None:
        place = np.empty(len(graph), np.int64)
        place[order] = np.arange(len(graph))
        edges = edges[np.argsort(-place[graph.in_dst[edges]], kind="stable")]
    phase[graph.in_src[edges]] = phase[graph.in_dst[edges]]  # The last assignment is that of the first consumer.
    return phase


def _numbers(graph: Graph, column: str, convert: Callable[[str], object] = str) -> npt.NDArray[np.int64]:
    """The number of each node's converted text in a column."""
    used, inverse = dense(np.asarray(getattr(graph, column)))
    numbers: dict[object, int] = {}
    converted = map(convert, graph.strings.many(used))
    return np.asarray([numbers.setdefault(value, len(numbers)) for value in converted], np.int64)[inverse]


def _known(graph: Graph, names: frozenset[str]) -> list[int]:
    """The numbers that `_numbers` gives to some operators."""
    used, _ = dense(np.asarray(graph.op))
    return [position for position, text in enumerate(graph.strings.many(used)) if text in names]
