"""Writes a capture as a Chrome trace, which the dashboard's page "Profiler", Perfetto and chrome://tracing open.

The format is "Trace Event Format" (Google, 2016), compressed by gzip. The tracks: the steps, with waiting and running;
the named gaps of the main thread; each thread with its slices; the queue of the data as a counter.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import numpy as np

from framework.profiler.record import Record
from framework.profiler.sites import SiteText
from framework.profiler.sums import WAITING
from framework.profiler.timeline import Nested, gaps_of, nested

__all__ = ["write_trace"]

_STEPS: Final = 0
_GAPS: Final = 1
_FIRST_THREAD: Final = 2
_LINES: Final = 1 << 14
"""The number of events that are compressed at once."""


def write_trace(record: Record, path: Path, rank: int = 0, metadata: dict[str, Any] | None = None) -> None:
    """Write a capture.

    Args:
        record: the capture.
        path: the file; its name should end with `.trace.json.gz`.
        rank: the rank that trained.
        metadata: what else is written at the top.

    Raises:
        OSError: the file cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    top: dict[str, Any] = {
        **(metadata or {}),
        "displayTimeUnit": "ms",
        "baseTimeNanoseconds": record.began + record.to_wall,
        "distributedInfo": {"rank": rank},
        "memoryAtPeak": {name: [asdict(one) for one in alive] for name, alive in record.memory.items()},
        "lost": record.lost,
    }
    head = json.dumps(top)[:-1] + ', "traceEvents": [\n'
    partial = path.with_name(f".{path.name}.part")
    with gzip.open(partial, "wt", compresslevel=3, encoding="utf-8") as file:
        file.write(head)
        separator = ""
        for lines in _pieces(_events(record, rank)):
            file.write(separator + ",\n".join(lines))
            separator = ",\n"
        file.write("\n]}\n")
    partial.replace(path)


def _pieces(lines: Iterable[str]) -> Iterator[list[str]]:
    piece: list[str] = []
    for line in lines:
        piece.append(line)
        if len(piece) == _LINES:
            yield piece
            piece = []
    if piece:
        yield piece


def _events(record: Record, rank: int) -> Iterator[str]:
    """The events as lines of JSON."""
    yield from _labels(record, rank)
    yield from _of_steps(record, rank)
    main = nested(record, 0)
    for gap in gaps_of(record, main):
        yield _slice(record, rank, _GAPS, _text(gap.name, "gap"), gap.start, gap.end)
    texts = [_site(site) for site in record.sites]
    for track in np.unique(record.track).tolist():
        slices = main if track == 0 else nested(record, track)
        yield from _of_thread(record, rank, _FIRST_THREAD + track, slices, texts)


def _labels(record: Record, rank: int) -> Iterator[str]:
    names = {_STEPS: "steps", _GAPS: f"gaps of {record.threads[0]}"}
    names |= {_FIRST_THREAD + number: name for number, name in enumerate(record.threads)}
    yield _label(rank, 0, "process_name", {"name": f"training, rank {rank}"})
    for tid, name in names.items():
        yield _label(rank, tid, "thread_name", {"name": name})
        yield _label(rank, tid, "thread_sort_index", {"sort_index": tid})


def _label(rank: int, tid: int, name: str, args: dict[str, Any]) -> str:
    return json.dumps({"ph": "M", "pid": rank, "tid": tid, "name": name, "args": args})


def _of_steps(record: Record, rank: int) -> Iterator[str]:
    for step in record.steps:
        began, ended = max(step.began, record.began), min(step.ended, record.ended)
        if ended <= began:
            continue
        yield _slice(record, rank, _STEPS, _text(f"ProfilerStep#{step.step}", "user_annotation"), began, ended)
        waited = min(max(step.began + step.waiting, began), ended)
        if waited > began:
            yield _slice(record, rank, _STEPS, _text(WAITING, "data"), began, waited)
        if step.queue >= 0:
            yield json.dumps({"ph": "C", "pid": rank, "tid": _STEPS, "name": "data queue",
                              "ts": (began - record.began) / 1e3, "args": {"blocks": step.queue}})  # fmt: skip


def _of_thread(record: Record, rank: int, tid: int, slices: Nested, texts: list[str]) -> Iterator[str]:
    columns = (slices.site.tolist(), slices.start.tolist(), slices.end.tolist())
    for site, start, end in zip(*columns, strict=True):
        yield _slice(record, rank, tid, texts[site], start, end)


def _slice(record: Record, rank: int, tid: int, text: str, start: int, end: int) -> str:
    began = start - record.began
    duration = end - start
    return (
        f'{{"ph": "X", "pid": {rank}, "tid": {tid}, "ts": {began // 1000}.{began % 1000:03}, '
        f'"dur": {duration // 1000}.{duration % 1000:03}, {text}}}'
    )


def _text(name: str, category: str, args: dict[str, Any] | None = None) -> str:
    """The part of an event that does not depend on time."""
    told: dict[str, Any] = {"name": name, "cat": category}
    if args:
        told["args"] = args
    return json.dumps(told)[1:-1]


def _site(site: SiteText) -> str:
    args: dict[str, Any] = {}
    if site.members:
        args["full_name"] = site.members[0].full_name
        args["flops"] = sum(member.flops for member in site.members)
        args["bytes"] = sum(member.bytes_moved for member in site.members)
    if len(site.members) > 1:
        args["members"] = [f"{member.full_name} ({100 * member.share:.0f} %, estimated)" for member in site.members]
    if site.line:
        args["line"] = site.line
    if site.shape:
        args["output"] = site.shape
    return _text(site.title, site.kind, args)
