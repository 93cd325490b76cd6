"""Words a profile for a terminal: totals, the names with the most own time, threads with their gaps. Called by
`mindinsight profile`.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mindinsight.profiles.analysis.advice import Advice, advise
from mindinsight.profiles.analysis.gaps import longest_gaps
from mindinsight.profiles.analysis.steps import steps_of
from mindinsight.profiles.columns.stored import Stored
from mindinsight.profiles.columns.sums import busy, sums

_MOST_THREADS = 8
_WORDS = {
    "data": "each step waits {time} for data; more workers or a faster pipeline would help",
    "python": "no operator runs for {time} of each step; most of the Python time is in {name}",
    "between": "no operator runs for {time} of each step",
    "saving": "{name} takes {time} of each step; save less often, or in the background",
    "slow_steps": "{count} steps are slow; they have more of {name}",
    "copies": "copies and changes of layout take {time} of each step, first {name}",
    "small": "{count} operators of each step take less than 5 us each; larger batches or fused operators would help",
}
"""What each rule says; the page has the same in its texts."""
_UNITS = ((1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "us"))


def time_text(nanoseconds: float) -> str:
    """Returns a time such as "4.21 ms"."""
    for size, unit in _UNITS:
        if abs(nanoseconds) >= size:
            return f"{nanoseconds / size:.4g} {unit}"
    return f"{nanoseconds:.0f} ns"


def summary_lines(profile: Stored, top: int) -> Iterator[str]:
    """Yields the lines of a summary.

    Args:
        profile: the columns.
        top: number of names.
    """
    head = profile.head
    threads = sum(bool(track["slices"]) for track in head["tracks"])
    yield f"{time_text(head['length'])}, {_counted(head['slices'], 'slice')} on {_counted(threads, 'thread')}"
    if head["steps"]:
        durations = np.array([duration for _, _, duration in head["steps"]])
        spread = f"{time_text(durations.min())} to {time_text(durations.max())}"
        yield f"{_counted(len(durations), 'step')} of {time_text(np.median(durations))} (median; {spread})"
    if head["slices"]:
        yield from _advice(profile)
        yield from _top(profile, top)
        yield from _threads(profile)


def _advice(profile: Stored) -> Iterator[str]:
    steps = steps_of(profile)
    if profile.head["steps"]:
        time, waiting, running = (int(column[steps.usual].sum()) for column in steps[2:5])
        rest = 100 * max(0, time - waiting - running) / max(1, time)
        shares = f"waiting for data {100 * waiting / max(1, time):.1f} %, running {100 * running / max(1, time):.1f} %"
        yield f"of a step: {shares}, the rest {rest:.1f} %"
    for one in advise(profile, steps):
        yield f"-{100 * one.gain:.1f} %: {_WORDS[one.rule].format(name=one.name, count=one.count, time=_per_step(one))}"


def _per_step(advice: Advice) -> str:
    return time_text(advice.per_step)


def _top(profile: Stored, top: int) -> Iterator[str]:
    ranges = set(profile.head["ranges"])
    found = [one for one in sums(profile, 0, profile.head["length"] + 1) if one["name"] not in ranges]
    every = max(1, sum(one["own"] for one in found))
    yield ""
    yield f"{'own time':>10} {'share':>8} {'total':>10} {'calls':>9}  name"
    for one in found[:top]:
        name = profile.head["names"][one["name"]][0]
        share = f"{100 * one['own'] / every:.1f} %"
        yield f"{time_text(one['own']):>10} {share:>8} {time_text(one['total']):>10} {one['count']:>9,}  {name}"
    if len(found) > top:
        yield f"{'':>40}  and {_counted(len(found) - top, 'name')} more"


def _threads(profile: Stored) -> Iterator[str]:
    head = profile.head
    length = max(1, head["length"])
    order = np.argsort(-np.diff(profile.tracks), kind="stable").tolist()
    used = [track for track in order if head["tracks"][track]["slices"]]
    working = busy(profile, 0, length + 1)
    yield ""
    for track in used[:_MOST_THREADS]:
        where = head["tracks"][track]
        label = f"{where['process_name'] or where['process']} / {where['thread_name'] or where['thread']}"
        idle = max(0, length - working[track])
        line = f"{label}: idle {100 * idle / length:.1f} %"
        for gap in longest_gaps(profile, track, 1):
            before, after = (head["names"][name][0] for name in profile.name_of(np.array([gap.before, gap.after])))
            line += f"; the longest gap is {time_text(gap.duration)} at {time_text(gap.start)}, "
            line += f"between {before} and {after}"
        yield line
    if len(used) > _MOST_THREADS:
        yield f"and {_counted(len(used) - _MOST_THREADS, 'thread')} more"


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
