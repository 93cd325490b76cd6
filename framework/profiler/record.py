"""Reads the file of a capture: slices in the order of tracks and time, sites, steps, and the memory of programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from framework.engine.codegen.alive import Alive
from framework.profiler.capture import ENDED, MEMORY, SITES, SLICES, STEPS, THREADS
from framework.profiler.sites import SiteText
from framework.tracing import NOTED_BY
from framework.tracing.column_file import Block, read_column_file

__all__ = ["Record", "Step", "read_record_file"]

Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Step:
    """A step.

    Attributes:
        step: its number.
        began, ended: nanoseconds of the record's clock.
        waiting: nanoseconds of waiting for the batch, from its beginning.
        running: nanoseconds that the network ran; 0 where unknown.
        queue: blocks in front of the reader; -1 without a queue.
    """

    step: int
    began: int
    ended: int
    waiting: int = 0
    running: int = 0
    queue: int = -1


@dataclass(frozen=True)
class Record:
    """A capture.

    Attributes:
        sites: what was executed.
        site, track, start, duration: the slices; track 0 is the thread that started the capture. Nanoseconds.
        threads: the names of the tracks.
        steps: the steps of the training; else those of `Profiler.step`, or of the reader of a data set.
        memory: by the name of a program, what is alive at its peak.
        began, ended: the time of the capture.
        to_wall: what to add to a moment to get nanoseconds since 1970.
        lost: the number of slices that were not kept.
        damage: what is missing of the file; empty for nothing.
    """

    sites: list[SiteText]
    site: Numbers
    track: Numbers
    start: Numbers
    duration: Numbers
    threads: list[str]
    steps: list[Step]
    memory: Mapping[str, list[Alive]] = field(default_factory=dict)
    began: int = 0
    ended: int = 0
    to_wall: int = 0
    lost: int = 0
    damage: str = ""


def read_record_file(path: Path) -> Record:
    """Read a capture as far as its file is whole.

    Args:
        path: the file that `Capture` wrote.

    Raises:
        OSError: the file cannot be read.
        ValueError: the file is none of ours.
    """
    blocks, damage = read_column_file(path)
    site, track, start, duration = (_column(blocks, name) for name in ("site", "track", "start", "duration"))
    # Of slices that begin together, the longer one is around the other.
    order = np.lexsort((-duration, start, track))
    ends = start + duration
    ended = next(iter(_notes(blocks, ENDED)), {})
    began = ended.get("began", int(start.min()) if len(start) else 0)
    threads = [note["threads"] for note in _notes(blocks, THREADS)]
    return Record(
        [SiteText.of(one) for note in _notes(blocks, SITES) for one in note["sites"]],
        site[order], track[order], start[order], duration[order],
        threads[-1] if threads else ["main"], _believed(_steps(blocks)), _memory(blocks),
        began, ended.get("ended", int(ends.max()) if len(ends) else began), blocks[0].note["to_wall_ns"],
        ended.get("lost", 0), damage if damage or ended else f"{path}: the capture did not end; it is read up to there",
    )  # fmt: skip


def _notes(blocks: Sequence[Block], kind: str) -> list[Mapping[str, Any]]:
    """What the blocks of a kind say beside their columns."""
    return [block.note for block in blocks if block.kind == kind]


def _steps(blocks: Sequence[Block]) -> dict[str, list[Step]]:
    """The steps, by who noted them."""
    steps: dict[str, list[Step]] = {name: [] for name in NOTED_BY}
    for note in _notes(blocks, STEPS):
        for times in note["steps"]:
            steps[times["noted_by"]].append(_step(times))
    return steps


def _memory(blocks: Sequence[Block]) -> dict[str, list[Alive]]:
    """What is alive at the peak of each program."""
    notes = _notes(blocks, MEMORY)
    return {f"{note['program']} ({note['site']})": [Alive(**one) for one in note["alive"]] for note in notes}


def _column(blocks: Sequence[Block], name: str) -> Numbers:
    found = [block.columns[name].astype(np.int64) for block in blocks if block.kind == SLICES]
    return np.concatenate(found) if found else np.zeros(0, np.int64)


def _believed(steps: Mapping[str, list[Step]]) -> list[Step]:
    """The steps of the first who noted any. Those of `Profiler.step` get the waiting of the reader within them."""
    if steps["training"] or not steps["profiler"]:
        return steps["training"] or steps["reader"]
    reads = steps["reader"]
    return [
        replace(step, waiting=sum(read.waiting for read in reads if step.began <= read.began < step.ended))
        for step in steps["profiler"]
    ]


def _step(times: Mapping[str, Any]) -> Step:
    began, duration, waiting, running = (
        round(times[name] * 1e9) for name in ("began", "duration", "waiting", "running")
    )
    return Step(times["step"], began, began + duration, waiting, running, times["queue"])
