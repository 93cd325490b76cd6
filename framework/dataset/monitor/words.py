"""The profile of a pipeline in words: the sentence about its bottleneck, and a table of its operators."""

from __future__ import annotations

from collections.abc import Sequence

from framework.dataset.monitor.bottleneck import DATA_BOUND, Action, Finding, Reason
from framework.dataset.monitor.states import OperatorState, PipelineState, QueueState

__all__ = ["sentence", "table"]

_HEADS = ("operator", "workers", "rows/s", "busy", "ms/row", "processor", "queue", "empty")


def sentence(span: PipelineState, finding: Finding | None) -> str:
    """What holds the batches up, why, and what to do.

    Args:
        span: what happened in some time.
        finding: its bottleneck; None for none.
    """
    if finding is None:
        waited = 0.0 if span.queue is None else span.queue.take_wait / (span.seconds or 1.0)
        if waited < DATA_BOUND:
            return f"The pipeline keeps up: its reader waits {_percent(waited)} of the time."
        return "No operator stands out: a change of a single one would not help much."
    name = f"{finding.op_type} ({finding.where})" if finding.where else finding.op_type
    signs = [f"the queue behind it was empty {_percent(finding.output_empty)} of the time"]
    if finding.input_full is not None:
        signs.insert(0, f"the queue before it was full {_percent(finding.input_full)} of the time")
    parts = [f"{name} is the bottleneck: {', '.join(signs)}.", _operation(finding), _reason(finding), _action(finding)]
    return " ".join(part for part in parts if part)


def _operation(finding: Finding) -> str:
    if not finding.operation:
        return ""
    return f"{finding.operation} takes {_percent(finding.operation_share)} of its time."


def _reason(finding: Finding) -> str:
    workers = "its only worker" if finding.workers == 1 else f"its {finding.workers} workers"
    busy = f"{workers} worked {_percent(min(finding.busy, 1.0))} of it"
    return {
        Reason.ONE_WORKER: f"One worker computes it, which worked {_percent(min(finding.busy, 1.0))} of it.",
        Reason.PYTHON: (
            "It computes in a Python function, which holds Python's lock, so that threads cannot share the work."
        ),
        Reason.READING: f"It reads the rows; {busy}.",
        Reason.PROCESSORS: (
            f"The processors are used to {_percent(finding.processors)}, so that more workers cannot help."
        ),
        Reason.WORK: f"{busy[0].upper()}{busy[1:]}.",
    }[finding.reason]


def _action(finding: Finding) -> str:
    gain = f", which should be {finding.gain:.1f} times as fast by the measured times"
    return {
        Action.WORKERS: f"Set num_parallel_workers={finding.count}{gain}.",
        Action.PROCESSES: f"Set python_multiprocessing=True and num_parallel_workers={finding.count}{gain}.",
        Action.SAVE: f"Save the rows before its first random operation once, with data.save(...){gain}.",
        Action.RANDOM_ACCESS: "Give it an object with __getitem__ and __len__, which several workers can read.",
        Action.NONE: "",
    }[finding.action]


def table(span: PipelineState) -> str:
    """The operators of a pipeline, the last one first, with the operations of a Map below it.

    Args:
        span: what happened in some time.
    """
    rows: list[Sequence[str]] = [_HEADS]
    _add(span, span.root, 0, rows)
    widths = [max(len(row[place]) for row in rows) for place in range(len(_HEADS))]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if place else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )


def _add(span: PipelineState, operator: OperatorState, depth: int, rows: list[Sequence[str]]) -> None:
    queue = span.queue if operator is span.root else operator.queue
    seconds = span.seconds or 1.0
    rows.append(
        (
            "  " * depth + operator.op_type,
            str(operator.workers) if operator.threads or operator.parallel else "-",
            f"{operator.rows / seconds:,.0f}",
            _percent(operator.busy / (seconds * max(operator.threads, 1))),
            f"{1000 * operator.busy / operator.rows:.3f}" if operator.rows else "-",
            "-" if operator.processes else _share(operator.processor, operator.busy),
            _fill(queue),
            _percent(queue.take_wait / seconds) if queue else "-",
        )
    )
    total = sum(cost.seconds for cost in operator.costs)
    for cost in operator.costs if len(operator.costs) > 1 else ():
        used, share = _share(cost.processor, cost.seconds), _share(cost.seconds, total)
        rows.append(("  " * depth + f"  · {cost.name}", "", "", share, f"{1000 * cost.seconds:.3f}", used, "", ""))
    for child in operator.children:
        _add(span, span.operators[child], depth + 1, rows)


def _fill(queue: QueueState | None) -> str:
    """The mean fill of a queue at its puts, of its slots."""
    if queue is None or not queue.puts:
        return "-"
    bins = len(queue.fill) - 1
    mean = sum(count * place for place, count in enumerate(queue.fill)) / (bins * sum(queue.fill))
    return f"{mean * queue.length:.0f} of {queue.length}"


def _share(part: float, whole: float) -> str:
    return _percent(part / whole) if whole else "-"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"
