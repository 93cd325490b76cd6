"""Counts the operators of a box that compute nothing: they fetch, pack and order. Used by `inside` and `overlays`."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mindinsight.graphs.model import Graph, NodeKind

BOOKKEEPING = frozenset(
    {
        *("Load", "UpdateState", "Depend", "MakeTuple", "TupleGetItem", "MakeList", "ListGetItem"),
        *("make_tuple", "tuple_getitem", "make_list", "list_getitem"),
        *("Identity", "IdentityN", "NoOp"),
        *("prim::TupleConstruct", "prim::TupleUnpack", "prim::ListConstruct", "prim::ListUnpack"),
    }
)
"""Of MindSpore, of TensorFlow, and of TensorBoard's graphs of PyTorch."""


def bookkeeping_counts(
    graph: Graph, nodes: npt.NDArray[np.int64], index: npt.NDArray[np.int64], count: int
) -> list[int]:
    """Returns how many such operators each box holds.

    Args:
        graph: the graph.
        nodes: all nodes in the boxes.
        index: by node, the index of its box.
        count: how many boxes there are.
    """
    found = is_bookkeeping(graph, nodes)
    return [int(number) for number in np.bincount(index[found], minlength=count)]


def is_bookkeeping(graph: Graph, nodes: npt.NDArray[np.int64]) -> npt.NDArray[np.bool]:
    """Returns which of some nodes are such operators."""
    ops = np.asarray(graph.op)[nodes]
    chosen: npt.NDArray[np.bool] = np.zeros(len(graph.strings), np.bool)
    for number in np.flatnonzero(np.bincount(ops, minlength=len(chosen))).tolist():  # Of a million nodes a few types.
        chosen[number] = graph.strings[number] in BOOKKEEPING
    found: npt.NDArray[np.bool] = chosen[ops] & (np.asarray(graph.kind)[nodes] == NodeKind.OPERATOR)
    return found
