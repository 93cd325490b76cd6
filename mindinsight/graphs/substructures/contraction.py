"""Contracts a work graph: every occurrence of the found patterns becomes a single node."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mindinsight.graphs.substructures.work import CONTROL_CLASS, OUTSIDE, Integers, Rows, WorkGraph


def contract(work: WorkGraph, patterns: list[tuple[int, Rows]]) -> WorkGraph:
    """Returns the graph with occurrences contracted.

    Inputs from outside become ports, in order of place and port. An output is identified by place and slot.

    Args:
        work: the graph.
        patterns: number and occurrences of each pattern. No node is in two of them.
    """
    count = len(work)
    group = np.arange(count, dtype=np.int64)
    place = np.zeros(count, np.int64)
    sort_key = np.arange(count, dtype=np.int64)
    inside = np.zeros(count, np.bool)
    dropped = np.zeros(count, np.bool)
    label = work.label.copy()
    next_label = int(label.max(initial=0)) + 1
    spans: dict[int, Integers] = dict(work.spans)
    names: dict[int, int] = dict(work.names)
    flags = work.flags.copy()
    for step, (number, rows) in enumerate(patterns):
        heads = rows[:, 0]
        group[rows] = heads[:, None]
        place[rows] = np.arange(rows.shape[1])
        sort_key[heads] = rows.max(axis=1)
        inside[rows] = True
        dropped[rows[:, 1:]] = True
        label[heads] = next_label + step
        flags[heads] = 0
        for head, span in zip(heads.tolist(), spans_of(work, rows), strict=True):
            spans[head] = span
            names[head] = number
    kept = np.flatnonzero(~dropped)
    kept = kept[np.argsort(sort_key[kept], kind="stable")]
    target = _numbers(kept, count)[group]
    edges = np.flatnonzero(~(inside[work.in_dst] & (group[work.in_dst] == group[work.in_src])))
    edges = edges[np.lexsort((edges, place[work.in_dst[edges]], target[work.in_dst[edges]]))]
    goal, source = work.in_dst[edges], work.in_src[edges]
    in_ptr = np.zeros(len(kept) + 1, np.int64)
    np.cumsum(np.bincount(target[goal], minlength=len(kept)), out=in_ptr[1:])
    slot = _slots(work.in_slot[edges].copy(), inside[source], place[source])
    in_class = work.in_class[edges].copy()
    entering = inside[goal] & (in_class != CONTROL_CLASS)
    in_class[entering] = (np.arange(len(edges)) - in_ptr[:-1][target[goal]])[entering]
    where = {int(old): new for new, old in enumerate(kept.tolist()) if old in spans} if spans else {}
    return WorkGraph(
        label=label[kept],
        in_ptr=in_ptr,
        in_src=target[source].astype(np.int32),
        in_slot=slot.astype(np.int32),
        in_class=in_class.astype(np.int32),
        flags=flags[kept],
        phase=work.phase[kept],
        columns=work.columns[kept],
        spans={new: spans[old] for old, new in where.items()},
        names={new: names[old] for old, new in where.items()},
    )


def _numbers(kept: npt.NDArray[np.int64], count: int) -> npt.NDArray[np.int64]:
    """The new number of each of `count` nodes; -1 for nodes that are dropped."""
    numbers = np.full(count, -1, np.int64)
    numbers[kept] = np.arange(len(kept))
    return numbers


def _slots(slot: Integers, inner: npt.NDArray[np.bool], place: npt.NDArray[np.int64]) -> Integers:
    """Numbers the outputs of contracted occurrences, one number for each pair of place and slot.

    Args:
        slot: the slot that each edge reads. Changed in place.
        inner: whether the edge reads a contracted node.
        place: the place of the edge's source in its occurrence.
    """
    if inner.any():
        pairs = place[inner] * (int(slot.max()) + 1) + slot[inner]
        slot[inner] = np.unique(pairs, return_inverse=True)[1]
    return slot


def spans_of(work: WorkGraph, rows: Rows) -> Rows:
    """Returns the columns that occurrences cover, one row each."""
    if not work.spans:
        return work.columns[rows]
    first = rows[0].tolist()
    parts = []
    for position, node in enumerate(first):
        if node in work.spans:
            parts.append(np.stack([work.spans[other] for other in rows[:, position].tolist()]))
        else:
            parts.append(work.columns[rows[:, position]][:, None])
    return np.concatenate(parts, axis=1)


def part_of(work: WorkGraph, row: Integers) -> WorkGraph:
    """Returns one occurrence as a separate graph, with columns counted from 0.

    Its sources outside come first, with the column -1.

    Args:
        work: the graph.
        row: the occurrence's nodes.
    """
    edges = np.concatenate([np.arange(work.in_ptr[node], work.in_ptr[node + 1]) for node in row.tolist()])
    sources = work.in_src[edges]
    outside = np.setdiff1d(sources, row)
    inside = np.empty(len(work), np.int64)
    inside[outside] = np.arange(len(outside))
    inside[row] = np.arange(len(outside), len(outside) + len(row))
    count = len(outside) + len(row)
    in_ptr = np.zeros(count + 1, np.int64)
    np.cumsum(np.bincount(inside[work.in_dst[edges]], minlength=count), out=in_ptr[1:])
    widths = [len(work.columns_of(node)) for node in row.tolist()]
    starts = np.cumsum([0, *widths[:-1]]).astype(np.int32)
    places = dict(zip(row.tolist(), range(len(outside), count), strict=True))
    spans = {
        places[node]: np.arange(start, start + width, dtype=np.int32)
        for node, start, width in zip(row.tolist(), starts.tolist(), widths, strict=True)
        if node in work.spans
    }
    strange = np.full(len(outside), int(work.label.max()) + 1, np.int32)
    return WorkGraph(
        label=np.concatenate([strange, work.label[row]]),
        in_ptr=in_ptr,
        in_src=inside[sources].astype(np.int32),
        in_slot=work.in_slot[edges],
        in_class=work.in_class[edges],
        flags=np.concatenate([np.zeros(len(outside), np.uint8), work.flags[row]]),
        phase=np.concatenate([work.phase[outside], work.phase[row]]),
        columns=np.concatenate([np.full(len(outside), OUTSIDE, np.int32), starts]),
        spans=spans,
        names={places[node]: work.names[node] for node in row.tolist() if node in work.names},
    )


def joined(
    works: list[WorkGraph], labels: list[Integers], widths: list[int]
) -> tuple[WorkGraph, Integers, Integers, Integers]:
    """Returns several graphs as one; and for each node, its graph, its number there, and the first column of its graph.

    Args:
        works: the graphs.
        labels: the labels to use for their nodes.
        widths: number of columns of each.
    """
    sizes = np.asarray([len(work) for work in works])
    firsts = np.cumsum(sizes) - sizes
    starts = np.cumsum(widths) - np.asarray(widths)
    graph_of = np.repeat(np.arange(len(works)), sizes).astype(np.int32)
    edges = np.cumsum([0, *(work.edge_count for work in works)])
    start = np.repeat(starts, sizes).astype(np.int32)
    columns = np.concatenate([work.columns for work in works])
    work = WorkGraph(
        label=np.concatenate(labels),
        in_ptr=np.concatenate([[0], *(work.in_ptr[1:] + edge for work, edge in zip(works, edges, strict=False))]),
        in_src=np.concatenate([work.in_src + first for work, first in zip(works, firsts, strict=True)]).astype(
            np.int32
        ),
        in_slot=np.concatenate([work.in_slot for work in works]),
        in_class=np.concatenate([work.in_class for work in works]),
        flags=np.concatenate([work.flags for work in works]),
        phase=np.concatenate([work.phase for work in works]),
        columns=np.where(columns == OUTSIDE, OUTSIDE, columns + start).astype(np.int32),
        spans={
            node + first: span + begin
            for work, first, begin in zip(works, firsts.tolist(), starts.tolist(), strict=True)
            for node, span in work.spans.items()
        },
        names={
            node + first: name
            for work, first in zip(works, firsts.tolist(), strict=True)
            for node, name in work.names.items()
        },
    )
    return work, graph_of, (np.arange(len(work)) - firsts[graph_of]).astype(np.int32), start
