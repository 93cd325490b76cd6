"""The data pipeline of a run from its records: what it does now or did in the whole training, and its course.

Called by the views. A training writes a record every second, later every half minute. Of many, a number of evenly
spaced ones are read, and the last ones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from mindinsight.pipelines.records import Record, Records
from mindinsight.pipelines.spans import grown, mean_fill, operator_row, queue_row
from mindinsight.runs.models import Series
from mindinsight.runs.recorded import all_series, as_dicts, open_store
from mindinsight.store import Table
from summaries.kinds import Kind
from summaries.schema.summary_pb2 import DataPipeline

DATA_BOUND = 0.05
"""A training that waits for data for a larger share of its time is bound by them."""
MOST_RECORDS = 240
"""Maximum number of records that are read for one answer, besides the last ones."""
RECENT_S = 10.0
"""What is called recent, in seconds."""
_LAST = 12
MOST_STEPS = 2000
"""Maximum number of steps in an answer, the last ones."""

Json = dict[str, Any]


def newest_series(runs: Collection[int] | None = None) -> dict[int, Series]:
    """Returns the newest series with records of each run: a training that was restarted has one for each start."""
    return {series.run_id: series for series in all_series(Kind.DATA_PIPELINE, runs)}


def last_record(series: Series) -> Record:
    """Reads the newest record of a series.

    Raises:
        Problem: `record_damaged`, `file_gone` or `file_unreadable`.
    """
    places = open_store().read(Table.PLACES, series.run_id, series.pk, series.count - 1, series.count)
    return Records(series).read(as_dicts(places)[0])


def waiting_share(content: DataPipeline) -> float | None:
    """Returns the share of the steps' time that they waited for data; None before the first step."""
    duration = sum(epoch.duration for epoch in content.epochs)
    return min(sum(epoch.waiting for epoch in content.epochs) / duration, 1.0) if duration else None


def pipeline_of(series: Series, whole: bool) -> Json:
    """Returns the pipeline of a run, with the figures of the last seconds or of the whole training.

    Args:
        series: its records.
        whole: whether the whole training counts.

    Raises:
        Problem: the last record is damaged, or the file is gone or cannot be read.
    """
    records = _records(series)
    last = records[-1]
    first = None if whole else _recent(records)
    span = last.content.seconds - (first.content.seconds if first else 0.0)
    content = last.content
    used = content.processor - (first.content.processor if first else records[0].content.processor)
    measured = span if first else content.seconds - records[0].content.seconds
    return {
        "records": series.count,
        "wall_time": last.wall,
        "seconds": content.seconds,
        "span": span,
        "processors": content.processors,
        "processor": min(max(used, 0.0) / (measured * content.processors), 1.0)
        if measured > 0 and content.processors
        else None,
        **_figures(first, records, span),
        **_finding(records, whole),
        **_waits(records),
        "history": _history(records),
        "skipped": _skipped(content),
    }


def _records(series: Series) -> list[Record]:
    """The records of the pipeline that ran last, in order."""
    store, count = open_store(), series.count
    spaced = np.linspace(0, count - 1, min(MOST_RECORDS, count)).astype(np.int64)
    wanted = np.union1d(spaced, np.arange(max(0, count - _LAST), count))
    places = as_dicts(store.read(Table.PLACES, series.run_id, series.pk, 0, count)[wanted])
    records = Records(series)
    found = [records.read(places[-1])]
    for place in reversed(places[:-1]):
        record = records.read(place)
        # Before that, another pipeline ran, or another training.
        if record.shape != found[-1].shape or record.content.seconds > found[-1].content.seconds:
            break
        found.append(record)
    return found[::-1]


def _recent(records: Sequence[Record]) -> Record | None:
    """The record from which the last seconds count; None for the beginning."""
    end = records[-1].content.seconds
    older = [record for record in records[:-1] if record.content.seconds < end]
    within = [record for record in older if record.content.seconds >= 0.99 * (end - RECENT_S)]
    return within[0] if within else (older[-1] if older else None)


def _figures(first: Record | None, records: Sequence[Record], span: float) -> Json:
    last = records[-1]
    before = [None] * len(last.content.operators) if first is None else list(first.content.operators)
    # At the end of a training its workers are gone.
    within = records if first is None else records[records.index(first) :]
    threads = [max(one.content.operators[number].threads for one in within) for number in range(len(before))]
    rows = [
        operator_row(old, new, span, count)
        for old, new, count in zip(before, last.content.operators, threads, strict=True)
    ]
    front = first.content.queue if first is not None and first.content.HasField("queue") else None
    has_queue = last.content.HasField("queue")
    return {"operators": rows, "queue": queue_row(front, last.content.queue, span) if has_queue else None}


def _finding(records: Sequence[Record], whole: bool) -> Json:
    """The bottleneck of the last seconds, or the one that most records name, with how many do."""
    if not whole:
        content = records[-1].content
        named = content.HasField("finding")
        return {"finding": _finding_row(content.finding) if named else None, "finding_share": 1.0 if named else 0.0}
    named_by = [record.content.finding for record in records if record.content.HasField("finding")]
    if not named_by:
        return {"finding": None, "finding_share": 0.0}
    (operator, reason), count = Counter((one.operator, one.reason) for one in named_by).most_common(1)[0]
    same = [one for one in named_by if (one.operator, one.reason) == (operator, reason)]
    # At its end a training has fewer workers, so its last record may advise something else.
    (action, workers), _ = Counter((one.action, one.count) for one in same).most_common(1)[0]
    chosen = [one for one in same if (one.action, one.count) == (action, workers)][-1]
    # The first record has no time before it that could have a bottleneck.
    return {"finding": _finding_row(chosen), "finding_share": min(count / max(len(records) - 1, 1), 1.0)}


def _finding_row(found: DataPipeline.Finding) -> Json:
    return {
        "operator": found.operator,
        "reason": found.reason,
        "operation": found.operation,
        "operation_share": found.operation_share,
        "workers": found.workers,
        "busy": min(found.busy, 1.0),
        "input_full": found.input_full if found.HasField("input_full") else None,
        "output_empty": found.output_empty,
        "processors": found.processors,
        "action": found.action,
        "count": found.count,
        "gain": found.gain,
    }


def _waits(records: Sequence[Record]) -> Json:
    last = records[-1].content
    share = waiting_share(last)
    steps = {one.step: one for record in records for one in record.content.steps}
    chosen = [steps[number] for number in sorted(steps)[-MOST_STEPS:]]
    return {
        "waiting": share,
        "data_bound": share is not None and share > DATA_BOUND,
        "epochs": [
            {"epoch": one.epoch, "steps": one.steps, "waiting": one.waiting, "duration": one.duration}
            for one in last.epochs
        ],
        "steps": {
            "step": [one.step for one in chosen],
            "waiting": [one.waiting for one in chosen],
            "duration": [one.duration for one in chosen],
        },
    }


def _history(records: Sequence[Record]) -> Json:
    """The rate of each operator and the fill of each queue between two records, at the time of the later one."""
    pairs = [(old.content, new.content) for old, new in pairwise(records) if new.content.seconds > old.content.seconds]
    operators = [
        {
            "rate": [
                grown(old.operators[number].rows, new.operators[number].rows) / (new.seconds - old.seconds)
                for old, new in pairs
            ],
            "fill": [_fill(old.operators[number].queue, new.operators[number].queue) for old, new in pairs],
        }
        for number in range(len(records[-1].content.operators))
    ]
    return {
        "seconds": [new.seconds for _, new in pairs],
        "operators": operators,
        "fill": [_fill(old.queue, new.queue) for old, new in pairs],
    }


def _fill(old: DataPipeline.Queue, new: DataPipeline.Queue) -> float | None:
    if not new.length:
        return None
    mean = mean_fill(old, new)
    return min(new.size / new.length, 1.0) if mean is None else mean


def _skipped(content: DataPipeline) -> Json | None:
    if not content.HasField("skipped"):
        return None
    return {
        "mode": content.skipped.mode,
        "count": content.skipped.count,
        "messages": list(content.skipped.messages),
    }
