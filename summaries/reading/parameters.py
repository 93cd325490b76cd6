"""Reads hyper-parameters and results of a run.

The dashboard's ingest calls `read_lineage` for MindSpore's lineage files, which `SummaryWriter.add_hparams` also
writes, and `hparams_of` for events of TensorBoard's hparams plugin.
"""

import json
import math
import os
import struct
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from operator import itemgetter
from typing import TypeVar

from google.protobuf.message import Message

from summaries.beneath import FilePath, open_file
from summaries.damages import Damage
from summaries.limits import MAX_TAG_BYTES
from summaries.reading.notes import MAX_ITEMS, Collector, RunNotes, clean_text
from summaries.records import ReadAt, RecordScanner
from summaries.schema.lineage_pb2 import DatasetGraph, EvaluationLineage, LineageEvent, TrainLineage, UserDefinedInfo
from summaries.schema.tensorboard_hparams_pb2 import HParamsPluginData
from summaries.schema.tensorboard_pb2 import Event

MAX_FILE_BYTES = 64 << 20
"""Number of bytes that are read from a lineage file at most."""

# Parsed empty messages take a hundred times their size.
_LARGEST_RECORD = 1 << 20
_DEEPEST = 32

Named = TypeVar("Named")


def read_lineage(path: FilePath) -> RunNotes:
    """Return the notes in the sound records of a lineage file.

    A later record replaces an earlier one of the same name. Values that the user recorded take precedence over those
    that MindSpore collected. A file that is still being written may end in a damage with the reason `UNFINISHED`;
    reading it again later clears it.

    Raises:
        OSError: the file cannot be opened or read.
    """
    collected = Collector(str(path))
    with os.fdopen(open_file(path), "rb", buffering=0) as file:
        size = os.fstat(file.fileno()).st_size
        for offset, payload in _records(partial(_read_at, file.fileno()), size, collected):
            collected.at(offset, len(payload))
            collected.parse(LineageEvent, payload, _note)
    return collected.notes()


def read_pipeline(path: FilePath) -> bytes | None:
    """Return the last data pipeline in a lineage file, as bytes of a `DatasetGraph`, or None if there is none.

    Raises:
        OSError: the file cannot be opened or read.
    """
    collected = Collector(str(path))
    found: list[bytes] = []

    def note(_: Collector, event: LineageEvent) -> None:
        if event.WhichOneof("what") == "dataset_graph":
            found[:] = [event.dataset_graph.SerializeToString(deterministic=True)]

    with os.fdopen(open_file(path), "rb", buffering=0) as file:
        size = os.fstat(file.fileno()).st_size
        for offset, payload in _records(partial(_read_at, file.fileno()), size, collected):
            collected.at(offset, len(payload))
            collected.parse(LineageEvent, payload, note)
    return found[0] if found else None


def hparams_of(payload: bytes, *, file: FilePath = "", offset: int = 0) -> RunNotes:
    """Return the hyper-parameters in one TensorBoard event whose values belong to the hparams plugin.

    Metrics of an experiment that have no group are the run's result tags; a metric with a group belongs to another
    run. The experiment's list of hyper-parameters has no values and is ignored.

    Args:
        payload: the event's bytes, without its record's framing.
        file: the event's file; for damages.
        offset: offset of its record; for damages.
    """
    collected = Collector(str(file))
    collected.at(offset, len(payload))
    collected.parse(Event, payload, _note_hparams)
    return collected.notes()


def _read_at(descriptor: int, offset: int, count: int) -> bytes:
    return os.pread(descriptor, count, offset)


def _records(read_at: ReadAt, size: int, collected: Collector) -> Iterator[tuple[int, bytes]]:
    """Yield the sound records of a file; report damages between and after them."""
    scanner = RecordScanner(max_record_bytes=_LARGEST_RECORD)
    spent = 0
    while not scanner.complete and spent < MAX_FILE_BYTES:
        yield from scanner.scan(read_at, size, MAX_FILE_BYTES - spent)
        spent += max(scanner.spent, 1)
        for damage in scanner.damages:
            collected.report(damage)
        scanner.damages.clear()
    tail = scanner.tail(size)
    if tail is not None and not scanner.complete:
        tail = Damage(tail.offset, tail.length, "rest_too_large", {"most": MAX_FILE_BYTES})
    if tail is not None:
        collected.report(tail)


def _note(collected: Collector, event: LineageEvent) -> None:
    what = event.WhichOneof("what")
    if what == "train_lineage":
        _note_training(collected, event.train_lineage)
    elif what == "evaluation_lineage":
        _note_evaluation(collected, event.evaluation_lineage)
    elif what == "dataset_graph":
        collected.add("dataset_operations", _operations(event.dataset_graph))
    elif what == "user_defined_info":
        _note_user(collected, event.user_defined_info, "")


def _note_training(collected: Collector, lineage: TrainLineage) -> None:
    for part in (lineage.hyper_parameters, lineage.train_dataset):
        for name, value in _fields(part):
            collected.add(name, value)
    for name, value in _fields(lineage.algorithm):
        (collected.add_metric if name == "loss" else collected.add)(name, value)
    path = _checkpoint(lineage.model.path)
    if path:
        collected.add("model_path", path)
    if lineage.model.size:
        collected.add("model_size", lineage.model.size)


def _note_evaluation(collected: Collector, lineage: EvaluationLineage) -> None:
    for name, value in _fields(lineage.valid_dataset):
        collected.add(name, value)
    if not lineage.metric:
        return
    try:
        metrics = json.loads(lineage.metric)
    except (ValueError, RecursionError) as error:
        collected.refuse("no_json", error=clean_text(str(error)))
        return
    if isinstance(metrics, dict):
        _note_metrics(collected, metrics)
    else:
        collected.refuse("no_json_object")


def _note_metrics(collected: Collector, metrics: dict[str, object]) -> None:
    """Record results. Items of a list or an object are named `NAME/INDEX` or `NAME/KEY`."""
    waiting: list[tuple[str, object, int]] = [(name, value, 0) for name, value in reversed(metrics.items())]
    while waiting:
        name, value, depth = waiting.pop()
        inner: Iterable[tuple[object, object]] = ()
        if isinstance(value, dict):
            inner = value.items()
        elif isinstance(value, list):
            inner = enumerate(value[:MAX_ITEMS])
        else:
            collected.add_metric(name, value)
        if depth < _DEEPEST:
            prefix = name[:MAX_TAG_BYTES]
            waiting += [(f"{prefix}/{key}", item, depth + 1) for key, item in reversed(list(inner))]


def _note_user(collected: Collector, info: UserDefinedInfo, prefix: str) -> None:
    """Record the user's values; names in `map_dict` are joined by `/`."""
    for part in info.user_info:
        _note_user(collected, part, prefix)
    maps: tuple[Mapping[str, object], ...] = (info.map_int32, info.map_double, info.map_str)
    for named in maps:
        for name, value in _sorted(named):
            collected.add(prefix + name, value, user=True)
    for name, inner in _sorted(info.map_dict):
        _note_user(collected, inner, f"{prefix}{name}/"[:MAX_TAG_BYTES])


def _sorted(named: Mapping[str, Named]) -> list[tuple[str, Named]]:
    """Return a map's entries sorted by name; the order in a message is arbitrary."""
    return sorted(named.items(), key=itemgetter(0))


def _operations(graph: DatasetGraph) -> list[str]:
    """Return the names of a data pipeline's operations, from the source on, following first children."""
    names: list[str] = []
    while len(names) < MAX_ITEMS:
        names.append(graph.parameter.mapStr.get("op_type", "?"))
        if not graph.children:
            break
        graph = graph.children[0]
    return names[::-1]


def _note_hparams(collected: Collector, event: Event) -> None:
    for value in event.summary.value:
        data = value.metadata.plugin_data
        if data.plugin_name == "hparams":
            collected.parse(HParamsPluginData, data.content, _note_session)


def _note_session(collected: Collector, data: HParamsPluginData) -> None:
    for metric in data.experiment.metric_infos:
        if not metric.name.group:
            collected.add_result_tag(metric.name.tag)
    hparams = data.session_start_info.hparams
    for name, value in _sorted(hparams):
        kind = value.WhichOneof("kind")
        if kind in ("number_value", "string_value", "bool_value"):
            collected.add(name, getattr(value, kind), user=True)
        elif kind == "list_value":
            items = [getattr(item, item.WhichOneof("kind") or "", None) for item in value.list_value.values]
            collected.add(name, items, user=True)


def _fields(part: Message) -> Iterator[tuple[str, object]]:
    """Yield the name and value of each field that is set and not empty."""
    for descriptor, value in part.ListFields():
        if value != "":
            exact = descriptor.cpp_type != descriptor.CPPTYPE_FLOAT
            yield descriptor.name, value if exact else _shortest(value)


def _shortest(value: float) -> float:
    """Return the number with the fewest digits that rounds to the same 32-bit float: 0.001, not 0.00100000004."""
    if not math.isfinite(value):
        return value
    exact = struct.pack("<f", value)
    candidates = (float(f"{value:.{digits}g}") for digits in range(1, 10))
    return next((number for number in candidates if _packs(number, exact)), value)


def _packs(number: float, exact: bytes) -> bool:
    try:
        return struct.pack("<f", number) == exact
    except OverflowError:
        return False


def _checkpoint(path: str) -> str:
    """Return the checkpoint's path in MindSpore's model path, which is JSON or the path itself."""
    try:
        noted = json.loads(path) if path else None
    except (ValueError, RecursionError):
        return path
    found = noted.get("ckpt") if isinstance(noted, dict) else None
    return found if isinstance(found, str) else ""
