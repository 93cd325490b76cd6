"""Merges two graphs: the nodes of the right graph, followed by those that only the left graph had.

Called by `result`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from mindinsight.graphs.diff.pair import Nodes
from mindinsight.graphs.model import Graph, StringTable
from mindinsight.graphs.model.graph import TEXT_COLUMNS
from mindinsight.graphs.substructures.work import Bytes


def merge(left: Graph, right: Graph, named: Nodes) -> tuple[Graph, Nodes, Bytes]:
    """Returns the merged graph, the left nodes at its end, and for each edge whether it was removed.

    A matched node has the inputs of the right graph, followed by those that only the left graph has.

    Args:
        left: the graph that comes first.
        right: the other one.
        named: the right node of each left node, or a number below 0 for a removed node.
    """
    removed = np.flatnonzero(named < 0)
    number = named.copy()
    number[removed] = len(right) + np.arange(len(removed))
    count = len(right) + len(removed)
    touched = np.flatnonzero(_gone(left, right, named))
    target = np.concatenate([right.in_dst.astype(np.int64), number[left.in_dst[touched]]])
    order = np.argsort(target, kind="stable")
    in_ptr = np.zeros(count + 1, np.int64)
    np.cumsum(np.bincount(target, minlength=count), out=in_ptr[1:])
    strings, columns = _texts(left, right, removed)
    graph = Graph(
        title=right.title,
        kind=np.concatenate([right.kind, left.kind[removed]]),
        in_ptr=in_ptr,
        in_src=np.concatenate([right.in_src, number[left.in_src[touched]]]).astype(np.int32)[order],
        in_slot=np.concatenate([right.in_slot, left.in_slot[touched]])[order],
        in_kind=np.concatenate([right.in_kind, left.in_kind[touched]])[order],
        outputs=right.outputs,
        strings=strings,
        defects=list(right.defects),
        defect_counts=dict(right.defect_counts),
        **columns,
    )
    gone = np.zeros(len(target), np.uint8)
    gone[right.edge_count :] = 1
    return graph, removed, gone[order]


def _gone(left: Graph, right: Graph, named: Nodes) -> npt.NDArray[np.bool]:
    """Which edges of the left graph have no counterpart between the same two nodes in the right graph."""
    source, target = named[left.in_src], named[left.in_dst]
    now = right.in_src.astype(np.int64) * len(right) + right.in_dst
    return np.asarray((source < 0) | (target < 0) | ~np.isin(source * len(right) + target, now))


def _texts(left: Graph, right: Graph, removed: Nodes) -> tuple[StringTable, dict[str, Any]]:
    """One table of texts for both graphs without duplicates, and the columns that refer to it."""
    if not len(removed):
        return right.strings, {column: getattr(right, column) for column in TEXT_COLUMNS}
    numbers = {text: number for number, text in enumerate(right.strings)}
    columns = {}
    for column in TEXT_COLUMNS:
        used, place = np.unique(getattr(left, column)[removed], return_inverse=True)
        texts = left.strings.many(used)
        new = np.asarray([numbers.setdefault(text, len(numbers)) for text in texts], np.int32)
        columns[column] = np.concatenate([getattr(right, column), new[place]])
    return StringTable.of(numbers), columns
