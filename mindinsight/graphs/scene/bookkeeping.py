"""Operators that compute nothing: they fetch, pack and order values, or only move them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mindinsight.graphs.model import Graph, NodeKind

FETCHING, ORDERING, PACKING = "Load", "UpdateState", "MakeTuple"
"""MindSpore's operators that read a parameter, that only keep side effects in order, and that pack several values."""

ENDS = frozenset({"IO Node"})
"""Operators that are an input or an output of the whole graph, in TensorBoard's graphs of PyTorch."""

BOOKKEEPING = frozenset(
    {
        *("Load", "UpdateState", "Depend", "MakeTuple", "TupleGetItem", "MakeList", "ListGetItem"),
        *("make_tuple", "tuple_getitem", "make_list", "list_getitem"),
        *("Identity", "IdentityN", "NoOp"),
        *("prim::TupleConstruct", "prim::TupleUnpack", "prim::ListConstruct", "prim::ListUnpack"),
        *("prim::NumToTensor", "aten::Int"),
    }
)
"""Operators that compute nothing, in MindSpore, TensorFlow, and TensorBoard's graphs of PyTorch."""

MOVING = frozenset(
    {
        *("Reshape", "Transpose", "Cast", "Flatten", "Squeeze", "ExpandDims", "BroadcastTo", "Tile", "Pad"),
        *("Slice", "StridedSlice", "Split", "Concat", "ConcatV2", "Stack", "Pack", "Unstack", "Unpack"),
        *("aten::reshape", "aten::view", "aten::transpose", "aten::permute", "aten::flatten", "aten::contiguous"),
        *("aten::to", "aten::slice", "aten::select", "aten::unsqueeze", "aten::squeeze", "aten::expand", "aten::cat"),
    }
)
"""Operators that only change the arrangement or the type of values."""


def bookkeeping_counts(
    graph: Graph, nodes: npt.NDArray[np.int64], index: npt.NDArray[np.int64], count: int
) -> list[int]:
    """Returns the number of such operators in each box.

    Args:
        graph: the graph.
        nodes: all nodes in the boxes.
        index: the index of each node's box.
        count: the number of boxes.
    """
    found = is_any_of(BOOKKEEPING, graph, nodes)
    return [int(number) for number in np.bincount(index[found], minlength=count)]


def is_any_of(ops: frozenset[str], graph: Graph, nodes: npt.NDArray[np.int64]) -> npt.NDArray[np.bool]:
    """Returns which of some nodes are operators of some types."""
    used = np.asarray(graph.op)[nodes]
    chosen: npt.NDArray[np.bool] = np.zeros(len(graph.strings), np.bool)
    for number in np.flatnonzero(np.bincount(used, minlength=len(chosen))).tolist():  # Only a few different types.
        chosen[number] = graph.strings[number] in ops
    found: npt.NDArray[np.bool] = chosen[used] & (np.asarray(graph.kind)[nodes] == NodeKind.OPERATOR)
    return found
