"""The pipeline in a file of MindSpore's profiler, in the form of recorded ones. Called by `files.py`.

It has the queue behind each operator over time, and neither rates nor waiting.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated, Any, Final

import msgspec
import orjson

from mindinsight.pipelines.records import MOST_OPERATORS

_MOST_POINTS: Final = 1000
_FULL, _EMPTY = 0.9, 0.1
#: An operator is the bottleneck if its queues are full before it and empty behind it for this share of the time.
_CLEAR: Final = 0.5

Json = dict[str, Any]
Front = tuple[list[float], float]
"""The number of batches in the queue in front of the training, one after the other, and the queue's length."""


_Size = Annotated[float, msgspec.Meta(ge=0, le=1e12)]


class _Queue(msgspec.Struct):
    size: list[_Size] = []
    length: _Size = 0


class _Metrics(msgspec.Struct):
    output_queue: _Queue | None = None


class _Operator(msgspec.Struct):
    op_id: int
    op_type: str
    num_workers: int = 1
    children: list[int] | None = None
    metrics: _Metrics | None = None

    @property
    def inputs(self) -> list[int]:
        """The operators that it reads."""
        return self.children or []

    @property
    def queue(self) -> _Queue | None:
        """The queue behind it."""
        return self.metrics.output_queue if self.metrics else None


class _File(msgspec.Struct):
    op_info: list[_Operator]
    sampling_interval: _Size = 1000
    recorder: str = ""


def pipeline_in(content: bytes, front: Front | None) -> Json:
    """Returns the pipeline.

    Args:
        content: bytes of `pipeline_profiling_<id>.json`.
        front: the queue in front of the training, from another file; None if there is none.

    Raises:
        ValueError: this is no such file; the message says why.
    """
    try:
        found = msgspec.convert(orjson.loads(content), _File, strict=False)
    except msgspec.ValidationError as error:
        raise ValueError(str(error)) from None
    return _pipeline(found, _in_order(found.op_info), front)


def _in_order(operators: Sequence[_Operator]) -> list[_Operator]:
    """The operators, children before parents, numbered anew.

    Raises:
        ValueError: they are no tree.
    """
    known = {operator.op_id: operator for operator in operators}
    if len(known) != len(operators) or not 0 < len(operators) <= MOST_OPERATORS:
        raise ValueError("its operators are none, too many, or two have one op_id")
    order = _from_root(known)
    if len(order) != len(operators):
        raise ValueError("its operators are no tree with one end")
    numbers = {operator.op_id: number for number, operator in enumerate(order)}
    return [msgspec.structs.replace(one, children=sorted(numbers[child] for child in one.inputs)) for one in order]


def _from_root(known: dict[int, _Operator]) -> list[_Operator]:
    """The operators below the one that no other reads, children before parents.

    Raises:
        ValueError: there is not one such operator, or an operator is missing or read twice.
    """
    read = [child for operator in known.values() for child in operator.inputs]
    roots = known.keys() - set(read)
    if len(roots) != 1 or len(set(read)) != len(read) or not known.keys() >= set(read):
        raise ValueError("its operators are no tree with one end")
    order, waiting = [], [known[roots.pop()]]
    while waiting:
        order.append(waiting.pop())
        waiting.extend(known[child] for child in order[-1].inputs)
    return order[::-1]


def _pipeline(found: _File, operators: Sequence[_Operator], front: Front | None) -> Json:
    queues = [_fills(one.queue) for one in operators]
    ahead = [] if front is None else [min(size / front[1], 1.0) for size in front[0]]
    length = 0.0 if front is None else front[1]
    # What the last operator gives is in the queue in front of the training.
    if front is None and operators[-1].queue is not None:
        ahead, length = queues[-1], operators[-1].queue.length
    samples, interval = max(map(len, queues)), found.sampling_interval / 1000
    return {
        "seconds": samples * interval,
        "span": samples * interval,
        "operators": [_operator_row(number, one, queues[number]) for number, one in enumerate(operators)],
        "queue": _queue_row(ahead, length),
        "finding": _bottleneck(operators, queues),
        "history": _course(queues, ahead, samples, interval),
    }


def _course(queues: Sequence[list[float]], ahead: list[float], samples: int, interval: float) -> Json:
    chosen = range(0, samples, max(1, -(-samples // _MOST_POINTS)))

    def at(fill: list[float]) -> list[float | None]:
        return [fill[place] if place < len(fill) else None for place in chosen]

    return {
        "seconds": [interval * (place + 1) for place in chosen],
        "operators": [{"rate": None, "fill": at(fill)} for fill in queues],
        "fill": at(ahead),
    }


def _fills(queue: _Queue | None) -> list[float]:
    """The fill of a queue at each sample, from 0 to 1."""
    if queue is None or queue.length <= 0:
        return []
    return [min(max(size / queue.length, 0.0), 1.0) for size in queue.size]


def _operator_row(number: int, operator: _Operator, fill: list[float]) -> Json:
    return {
        "number": number,
        "op_type": operator.op_type.removesuffix("Op"),
        "children": operator.children,
        "workers": max(operator.num_workers, 0),
        "threads": 0,
        "processes": False,
        "where": "",
        "rows": None,
        "rate": None,
        "busy": None,
        "row_seconds": None,
        "processor": None,
        "queue": _queue_row(fill, operator.queue.length) if operator.queue else None,
        "costs": [],
    }


def _queue_row(fill: list[float], length: float) -> Json | None:
    if not fill:
        return None
    return {
        "size": round(fill[-1] * length),
        "length": int(length),
        "fill": sum(fill) / len(fill),
        "full": _share(share >= _FULL for share in fill),
        "empty": _share(share <= _EMPTY for share in fill),
    }


def _share(flags: Iterable[bool]) -> float:
    known = list(flags)
    return sum(known) / len(known)


def _bottleneck(operators: Sequence[_Operator], queues: Sequence[list[float]]) -> Json | None:
    """The operator that has full queues before it and an empty one behind it; of several the clearest."""
    found = {number: _clearness(number, operators, queues) for number in range(len(operators))}
    number = max(found, key=lambda one: min(found[one]))
    full, empty = found[number]
    if min(full, empty) <= _CLEAR:
        return None
    source, workers = not operators[number].inputs, max(operators[number].num_workers, 1)
    return {
        "operator": number,
        "reason": "reading" if source else "queues",
        "operation": "",
        "operation_share": 0.0,
        "workers": workers,
        "busy": None,
        "input_full": None if source else full,
        "output_empty": empty,
        "processors": None,
        "action": "workers",
        "count": 2 * workers,
        "gain": None,
    }


def _clearness(number: int, operators: Sequence[_Operator], queues: Sequence[list[float]]) -> tuple[float, float]:
    """The share of time that the queues before an operator are full, and that the one behind it is empty."""
    inputs = [queues[child] for child in operators[number].inputs]
    if not queues[number] or not all(inputs):
        return 0.0, 0.0
    full = min((_share(share >= _FULL for share in one) for one in inputs), default=1.0)
    return full, _share(share <= _EMPTY for share in queues[number])
