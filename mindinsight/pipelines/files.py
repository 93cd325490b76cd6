"""Finds the files that MindSpore's profiler wrote about data pipelines, and gives them the form of recorded ones.

Called by the views. Format of `pipeline_profiling_<id>.json`: `{"sampling_interval": ms, "op_info": [{"op_id",
"op_type", "num_workers", "children", "metrics": {"output_queue": {"size": [...], "length": n}} or null}]}`, parents
and children in any order. `device_queue_profiling_<id>.txt` and `dataset_iterator_profiling_<id>.txt` have the queue in
front of the training: lines of five numbers, where the first is 1 for a queue, the second its length and the fourth the
number of batches in it. A file of this training core says `"recorder": "mindinsight"`; its records tell more.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Final

import msgspec
import orjson

from mindinsight.api.problems import Problem
from mindinsight.pipelines.records import MOST_OPERATORS
from mindinsight.stored_names import stored
from summaries.beneath import Beneath

_NAME: Final = re.compile(r"pipeline_profiling_(\d{1,9})\.json")
_FRONTS: Final = ("device_queue_profiling_{}.txt", "dataset_iterator_profiling_{}.txt")
_MOST_FOLDERS: Final = 20_000
_MOST_BYTES: Final = 64 << 20
_MOST_POINTS: Final = 1000
_FULL, _EMPTY = 0.9, 0.1
#: An operator is the bottleneck if its queues are full before it and empty behind it for this share of the time.
_CLEAR: Final = 0.5

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class PipelineFile:
    """A file of MindSpore's profiler.

    Attributes:
        path: relative to the watched directory.
        run: name of the run in whose directory it is.
        rank: the number in its name.
    """

    path: str
    run: str
    rank: int


class _Queue(msgspec.Struct):
    size: list[float] = []
    length: float = 0


class _Metrics(msgspec.Struct):
    output_queue: _Queue | None = None


class _Operator(msgspec.Struct):
    op_id: int
    op_type: str
    num_workers: int = 1
    children: list[int] | None = None
    metrics: _Metrics | None = None


class _File(msgspec.Struct):
    op_info: list[_Operator]
    sampling_interval: float = 1000
    recorder: str = ""


def find_files(base: Path, runs: frozenset[str]) -> list[PipelineFile]:
    """Returns the files in the directories of runs, by path. Symbolic links are not followed.

    Args:
        base: the watched directory.
        runs: names of all runs. A file belongs to the innermost one around it.
    """
    return sorted(_walk(base, runs), key=lambda one: (one.run, one.rank, one.path))


def _walk(base: Path, runs: frozenset[str]) -> Iterator[PipelineFile]:
    for number, (folder, folders, files) in enumerate(os.walk(base)):
        if number >= _MOST_FOLDERS:
            return
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in files:
            found = _NAME.fullmatch(name)
            if found is None:
                continue
            path = stored(Path(folder, name).relative_to(base).as_posix())
            run = next((str(each) for each in PurePosixPath(path).parents if str(each) in runs), None)
            if run is not None and not _is_ours(Path(folder, name)):
                yield PipelineFile(path, run, int(found[1]))


def _is_ours(path: Path) -> bool:
    """Whether the training core wrote a file; the words are at its start."""
    try:
        with path.open("rb") as file:
            return b'"recorder": "mindinsight"' in file.read(200)
    except OSError:
        return False


def identity(file: Beneath) -> tuple[object, ...]:
    """Returns what is different once a file is written again.

    Raises:
        Problem: `file_gone`.
    """
    try:
        status = file.stat()
    except OSError as error:
        raise Problem("file_gone", f"{stored(file.relative)} no longer exists.", 404, file=file.relative) from error
    return (status.st_ino, status.st_size, status.st_mtime_ns)


def read_file(file: Beneath) -> Json:
    """Returns the pipeline in a file.

    Raises:
        Problem: `file_gone`, `file_unreadable` or `not_a_pipeline`.
    """
    name = stored(file.relative)
    content = _content(file, name)
    try:
        found = msgspec.convert(orjson.loads(content), _File, strict=False)
        operators = _in_order(found.op_info)
    except (msgspec.ValidationError, orjson.JSONDecodeError, ValueError) as error:
        message = f"{name} is not a data pipeline of MindSpore's profiler: {error}"
        raise Problem("not_a_pipeline", message, 422, file=name, reason=str(error)) from None
    return _pipeline(found, operators, _front(file))


def _content(file: Beneath, name: str) -> bytes:
    try:
        with os.fdopen(file.open(), "rb") as opened:
            content = opened.read(_MOST_BYTES + 1)
    except FileNotFoundError as error:
        raise Problem("file_gone", f"{name} no longer exists.", 404, file=name) from error
    except OSError as error:
        raise Problem("file_unreadable", f"{name} cannot be read: {error.strerror}.", 404, file=name) from error
    if len(content) > _MOST_BYTES:
        message = f"{name} is larger than {_MOST_BYTES >> 20} MiB."
        raise Problem("not_a_pipeline", message, 422, file=name, reason=message)
    return content


def _in_order(operators: Sequence[_Operator]) -> list[_Operator]:
    """The operators, children before parents, numbered anew.

    Raises:
        ValueError: they are no tree.
    """
    known = {operator.op_id: operator for operator in operators}
    if len(known) != len(operators) or not 0 < len(operators) <= MOST_OPERATORS:
        raise ValueError("its operators are none, too many, or two have one op_id")
    read = [child for operator in operators for child in operator.children or ()]
    roots = known.keys() - set(read)
    if len(roots) != 1 or len(set(read)) != len(read) or not known.keys() >= set(read):
        raise ValueError("its operators are no tree with one end")
    order: list[_Operator] = []
    waiting = [known[roots.pop()]]
    while waiting:
        order.append(waiting.pop())
        waiting.extend(known[child] for child in order[-1].children or ())
    if len(order) != len(operators):
        raise ValueError("its operators are no tree with one end")
    order.reverse()
    numbers = {operator.op_id: number for number, operator in enumerate(order)}
    return [
        msgspec.structs.replace(one, children=sorted(numbers[child] for child in one.children or ())) for one in order
    ]


def _front(file: Beneath) -> tuple[list[float], float] | None:
    """How full the queue in front of the training was, batch by batch, and its length; None if no file has it."""
    rank = _NAME.fullmatch(file.name)
    for name in _FRONTS if rank else ():
        beside = file.relative.rpartition("/")[0]
        try:
            other = Beneath(file.base, f"{beside}/{name.format(rank[1])}".lstrip("/"))  # type: ignore[index]
            with os.fdopen(other.open(), "rb") as opened:
                lines = opened.read(_MOST_BYTES).decode("ascii", "replace").splitlines()
        except OSError:
            continue
        numbers = [line.split() for line in lines if line.startswith("1 ")]
        queue = [(int(row[1]), int(row[3])) for row in numbers if len(row) >= 4 and (row[1] + row[3]).isdecimal()]
        if queue and queue[0][0]:
            return [float(size) for _, size in queue], float(queue[0][0])
    return None


def _pipeline(found: _File, operators: Sequence[_Operator], front: tuple[list[float], float] | None) -> Json:
    queues = [_fills(one.metrics.output_queue if one.metrics else None) for one in operators]
    samples = max((len(fill) for fill in queues), default=0)
    ahead = [] if front is None else [min(size / front[1], 1.0) for size in front[0]]
    # What the last operator gives is in the queue in front of the training.
    if front is None and queues[-1]:
        ahead, front = queues[-1], (queues[-1], 1.0)
    interval = found.sampling_interval / 1000
    chosen = range(0, samples, max(1, -(-samples // _MOST_POINTS)))
    return {
        "seconds": samples * interval,
        "span": samples * interval,
        "operators": [
            _operator_row(number, one, fill) for number, (one, fill) in enumerate(zip(operators, queues, strict=True))
        ],
        "queue": _queue_row(ahead, None if front is None else front[1]) if ahead else None,
        "finding": _bottleneck(operators, queues),
        "history": {
            "seconds": [interval * (place + 1) for place in chosen],
            "operators": [
                {"rate": None, "fill": [fill[place] if place < len(fill) else None for place in chosen]}
                for fill in queues
            ],
            "fill": [ahead[place] if place < len(ahead) else None for place in chosen],
        },
    }


def _fills(queue: _Queue | None) -> list[float]:
    """The fill of a queue at each sample, from 0 to 1."""
    if queue is None or queue.length <= 0:
        return []
    return [min(max(size / queue.length, 0.0), 1.0) for size in queue.size]


def _operator_row(number: int, operator: _Operator, fill: list[float]) -> Json:
    metrics = operator.metrics.output_queue if operator.metrics else None
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
        "queue": _queue_row(fill, metrics.length if metrics else None) if fill else None,
        "costs": [],
    }


def _queue_row(fill: list[float], length: float | None) -> Json:
    return {
        "size": round(fill[-1] * (length or 0)),
        "length": int(length or 0),
        "fill": sum(fill) / len(fill),
        "full": sum(share >= _FULL for share in fill) / len(fill),
        "empty": sum(share <= _EMPTY for share in fill) / len(fill),
    }


def _bottleneck(operators: Sequence[_Operator], queues: Sequence[list[float]]) -> Json | None:
    """The operator that has full queues before it and an empty one behind it; of several the clearest."""
    clearest: tuple[float, Json] | None = None
    for number, (operator, fill) in enumerate(zip(operators, queues, strict=True)):
        inputs = [queues[child] for child in operator.children or () if queues[child]]
        if not fill or (operator.children and not inputs):
            continue
        full = min((sum(share >= _FULL for share in one) / len(one) for one in inputs), default=1.0)
        empty = sum(share <= _EMPTY for share in fill) / len(fill)
        if min(full, empty) > _CLEAR and (clearest is None or min(full, empty) > clearest[0]):
            row = {
                "operator": number,
                "reason": "reading" if not operator.children else "queues",
                "operation": "",
                "operation_share": 0.0,
                "workers": operator.num_workers,
                "busy": None,
                "input_full": full if inputs else None,
                "output_empty": empty,
                "processors": None,
                "action": "workers",
                "count": 2 * max(operator.num_workers, 1),
                "gain": None,
            }
            clearest = min(full, empty), row
    return None if clearest is None else clearest[1]
