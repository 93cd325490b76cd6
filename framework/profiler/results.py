"""The files of a profile: sums as a table, the timeline, and what is alive at the peak of memory."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

from framework.profiler.record import Record, read_record_file
from framework.profiler.sums import OperatorTime, Profile
from framework.profiler.timeline import operators_of, sums_of
from framework.profiler.trace_file import write_trace

__all__ = ["add_record", "trace_path", "write_record", "write_tables"]


def trace_path(columns: Path) -> Path:
    """The timeline that belongs to a capture's file of columns."""
    return columns.with_name(f"{columns.name.removesuffix('.columns')}.trace.json.gz")


def add_record(profile: Profile, record: Record) -> None:
    """Add a capture to the sums of a profile."""
    for name, found in operators_of(record).items():
        known = profile.operators.setdefault(name, OperatorTime(name, found.op_type))
        known.calls += found.calls
        known.duration += found.duration
        known.flops += found.flops
        known.bytes_moved += found.bytes_moved
        known.memory = max(known.memory, found.memory)
    profile.duration += (record.ended - record.began) / 1e9
    for name, nanoseconds in sums_of(record).items():
        profile.parts[name] = profile.parts.get(name, 0.0) + nanoseconds / 1e9


def write_record(columns: Path, metadata: dict[str, Any] | None = None, rank: int = 0) -> Record:
    """Write the timeline of a capture beside it, and the memory of its programs as a table.

    Args:
        columns: the capture's file.
        metadata: what else the timeline says at the top.
        rank: the rank that trained.

    Returns:
        The capture.

    Raises:
        OSError: a file cannot be read or written.
        ValueError: the file is no capture.
    """
    record = read_record_file(columns)
    write_trace(record, trace_path(columns), rank, metadata)
    if record.memory:
        path = columns.with_name(f"{columns.name.removesuffix('.columns')}_memory.csv")
        path.write_text(_memory(record), encoding="utf-8")
    return record


def write_tables(profile: Profile, folder: Path) -> None:
    """Write `operators.csv` and `parts.csv`.

    Args:
        profile: the sums.
        folder: where to.

    Raises:
        OSError: a file cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "operators.csv").write_text(profile.rows(), encoding="utf-8")
    if profile.parts:
        lines = ["name,seconds", *(f'"{name}",{seconds:.9f}' for name, seconds in profile.parts.items())]
        (folder / "parts.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _memory(record: Record) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("program", "name", "kind", "bytes", "born", "dies", "shape"))
    for program, alive in record.memory.items():
        writer.writerows(
            (program, one.name, one.kind, one.nbytes, one.born, one.dies, one.shape) for one in alive
        )  # fmt: skip
    return out.getvalue()
