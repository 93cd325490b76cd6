"""What an operator and a queue did between two records. Called by `recorded.py`.

All sums of records only grow. A data set that is read again by a new iterator begins again at zero; what it did since
then counts.
"""

from __future__ import annotations

from typing import Any

from summaries.schema.summary_pb2 import DataPipeline

Json = dict[str, Any]
Operator = DataPipeline.Operator
Queue = DataPipeline.Queue


def grown(before: float, after: float) -> float:
    """Returns how much a sum grew; all of it if it began again."""
    return after - before if after >= before else after


def operator_row(before: Operator | None, after: Operator, seconds: float, threads: int) -> Json:
    """Returns what an operator did in some time.

    Args:
        before: its sums at the start; None for zero.
        after: its sums at the end.
        seconds: the time between.
        threads: the most workers that ran in this time.
    """
    first = before if before is not None and before.rows <= after.rows else Operator()
    rows, busy = after.rows - first.rows, grown(first.busy, after.busy)
    processor = grown(first.processor, after.processor)
    own = first.queue if first.HasField("queue") else None
    return {
        "number": after.number,
        "op_type": after.op_type,
        "children": list(after.children),
        "workers": after.workers,
        "threads": threads,
        "processes": after.processes,
        "where": after.where,
        "rows": after.rows,
        "rate": rows / seconds if seconds else None,
        "busy": min(busy / (seconds * max(threads, 1)), 1.0) if seconds else None,
        "row_seconds": busy / rows if rows else None,
        # Processes do not report how long they used a processor.
        "processor": min(processor / busy, 1.0) if busy and not after.processes else None,
        "queue": queue_row(own, after.queue, seconds) if after.HasField("queue") else None,
        "costs": _costs(after),
    }


def queue_row(before: Queue | None, after: Queue, seconds: float) -> Json:
    """Returns how full a queue was in some time, and how long its two sides waited.

    Args:
        before: its sums at the start; None for zero.
        after: its sums at the end.
        seconds: the time between.
    """
    first = before if before is not None and before.puts <= after.puts else Queue()
    return {
        "size": after.size,
        "length": after.length,
        "fill": mean_fill(first, after),
        "full": min(grown(first.put_wait, after.put_wait) / seconds, 1.0) if seconds else None,
        "empty": min(grown(first.take_wait, after.take_wait) / seconds, 1.0) if seconds else None,
    }


def mean_fill(before: Queue, after: Queue) -> float | None:
    """Returns the mean fill of a queue when items were put into it: 0 for empty, 1 for full. None without items."""
    bins = list(after.fill)
    if len(before.fill) == len(bins):
        bins = [max(now - then, 0) for then, now in zip(before.fill, bins, strict=True)]
    total = sum(bins)
    if len(bins) < 2 or not total:
        return None
    return sum(place * count for place, count in enumerate(bins)) / ((len(bins) - 1) * total)


def _costs(operator: Operator) -> list[Json]:
    total = sum(cost.seconds for cost in operator.costs)
    return [
        {
            "name": cost.name,
            "rows": cost.rows,
            "seconds": cost.seconds,
            "processor": cost.processor,
            "share": cost.seconds / total if total else None,
            "python": cost.python,
            "random": cost.random,
        }
        for cost in operator.costs
    ]
