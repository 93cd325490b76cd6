"""A capture as a timeline without holes: every moment of the main thread belongs to a slice or to a named gap.

Slices nest. What a slice takes itself is its time without those inside it; that of a compiled program is the Python
between its kernels, and has that name. So own times and gaps add up to the time of the capture.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from framework.profiler.record import Numbers, Record, Step
from framework.profiler.sums import IN_PROGRAM, IN_STEP, OUTSIDE, WAITING, OperatorTime

__all__ = ["Gap", "Nested", "gaps_of", "nested", "operators_of", "sums_of"]


@dataclass(frozen=True)
class Nested:
    """The slices of one track, clipped to the capture and to the slices around them.

    Attributes:
        site: the number of each one's site.
        start, end: nanoseconds.
        own: nanoseconds without the slices inside.
        depth: how many slices are around it.
    """

    site: Numbers
    start: Numbers
    end: Numbers
    own: Numbers
    depth: Numbers


@dataclass(frozen=True)
class Gap:
    """A time in which no slice is.

    Attributes:
        name: one of `GAPS`.
        start, end: nanoseconds.
    """

    name: str
    start: int
    end: int


def nested(record: Record, track: int) -> Nested:
    """The slices of a track.

    Args:
        record: the capture.
        track: the number of the track.
    """
    chosen = record.track == track
    site = record.site[chosen].tolist()
    starts = np.clip(record.start[chosen], record.began, record.ended).tolist()
    ends = np.clip((record.start + record.duration)[chosen], record.began, record.ended).tolist()
    own, depth = [0] * len(site), [0] * len(site)
    around: list[int] = []
    for place, (start, end) in enumerate(zip(starts, ends, strict=True)):
        while around and ends[around[-1]] <= start:
            around.pop()
        if around:
            # The clocks of Python and of machine code differ by some nanoseconds.
            ends[place] = end = min(end, ends[around[-1]])
            own[around[-1]] -= end - start
        own[place] += end - start
        depth[place] = len(around)
        around.append(place)
    columns = (np.array(one, np.int64) for one in (site, starts, ends, own, depth))
    return Nested(*columns)


def gaps_of(record: Record, slices: Nested) -> list[Gap]:
    """What the main thread does between its outermost slices.

    Args:
        record: the capture.
        slices: those of the main thread.
    """
    outermost = slices.depth == 0
    edges = [
        record.began,
        *np.stack([slices.start[outermost], slices.end[outermost]], 1).reshape(-1).tolist(),
        record.ended,
    ]
    spans = _spans(record.steps)
    found: list[Gap] = []
    at = 0
    for begin, end in zip(edges[::2], edges[1::2], strict=True):
        while at and spans[at - 1][1] > begin:
            at -= 1
        at = _fill(found, spans, at, begin, end)
    return found


def _spans(steps: Sequence[Step]) -> list[tuple[int, int, str]]:
    """The parts of steps, in order, without overlap: begin, end, and the name of a gap in it."""
    spans: list[tuple[int, int, str]] = []
    last = 0
    for step in sorted(steps, key=lambda one: one.began):
        began, waited = max(step.began, last), max(step.began + step.waiting, last)
        last = max(step.ended, last)
        spans += [(began, waited, WAITING), (waited, last, IN_STEP)]
    return [span for span in spans if span[1] > span[0]]


def _fill(found: list[Gap], spans: Sequence[tuple[int, int, str]], at: int, begin: int, end: int) -> int:
    """Name the time from `begin` to `end`; returns the number of the span at its end."""
    while begin < end:
        while at < len(spans) and spans[at][1] <= begin:
            at += 1
        if at == len(spans) or spans[at][0] >= end:
            found.append(Gap(OUTSIDE, begin, end))
            return at
        first, last, name = spans[at]
        if first > begin:
            found.append(Gap(OUTSIDE, begin, first))
            begin = first
        found.append(Gap(name, begin, min(last, end)))
        begin = min(last, end)
    return at


def sums_of(record: Record) -> dict[str, int]:
    """What the main thread did, in nanoseconds by name: own times of slices by kind and title, and gaps.

    Args:
        record: the capture.

    Returns:
        The sums, the largest first. Together they are the time of the capture.
    """
    slices = nested(record, 0)
    sums: Counter[str] = Counter()
    for site, own in zip(slices.site.tolist(), slices.own.tolist(), strict=True):
        text = record.sites[site]
        sums[IN_PROGRAM if text.kind == "program" else f"{text.kind}: {text.title}"] += own
    for gap in gaps_of(record, slices):
        sums[gap.name] += gap.end - gap.start
    return dict(sums.most_common())


def operators_of(record: Record) -> dict[str, OperatorTime]:
    """The operators by full name, the kernels of all threads split among their members.

    Args:
        record: the capture.
    """
    own: Counter[int] = Counter()
    calls: Counter[int] = Counter()
    for track in np.unique(record.track).tolist():
        slices = nested(record, track)
        for site, time in zip(slices.site.tolist(), slices.own.tolist(), strict=True):
            own[site] += time
            calls[site] += 1
    return _summed(record, calls, own)


def _summed(record: Record, calls: Counter[int], own: Counter[int]) -> dict[str, OperatorTime]:
    found: dict[str, OperatorTime] = {}
    for site, count in calls.items():
        text = record.sites[site]
        for member in text.members:
            known = found.setdefault(member.full_name, OperatorTime(member.full_name, member.op_type))
            known.duration += own[site] * member.share / 1e9
            if text.leads:
                known.calls += count
                known.flops += count * member.flops
                known.bytes_moved += count * member.bytes_moved
                known.memory = max(known.memory, member.memory)
    return found
