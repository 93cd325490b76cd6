"""Says what would make a training faster, by rules over its steps. Called by the API and by `mindinsight profile`.

A rule has a gain, the share of a usual step that would be saved at most, and evidence. It is silent if the gain is
under 1 %, or no larger than what differs between steps by chance. The texts of the page are named by the rule.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from mindinsight.profiles.analysis.steps import PYTHON, Steps, steps_of, waiting_names, working_names
from mindinsight.profiles.columns.stored import Stored
from mindinsight.profiles.columns.sums import Sum, sums

LEAST_GAIN = 0.01
_DATA, _PYTHON, _COPIES, _SMALL_SHARE, _SLOW = 0.10, 0.15, 0.05, 0.25, 1.5
_SMALL_NS = 5_000
_FEW_STEPS = 3
_COPY = re.compile(
    r"aten::(copy_|contiguous|clone)|(.*/)?(Transpose|Cast|TransData|Contiguous)(-op\d+)?|Memcpy.*|gpu_memcpy"
)
_SAVING = re.compile(r".*(torch/serialization\.py\(\d+\): save|save_checkpoint|_write_checkpoint|torch\.save).*")
Whole = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Advice:
    """One rule that applies.

    Attributes:
        rule: its name.
        gain: share of a usual step.
        per_step: nanoseconds of a usual step that would be saved.
        name: the operator, Python function or thing that shows it; may be empty.
        count: how often, as the rule's text says.
        row: a slice that shows it, if there is one.
        window: a span of time that shows it.
    """

    rule: str
    gain: float
    per_step: float
    name: str = ""
    count: int = 0
    row: int | None = None
    window: tuple[int, int] | None = None


@dataclass(slots=True)
class Evidence:
    """What the rules look at, of the usual steps.

    Attributes:
        profile: the columns.
        steps: all steps.
        sums: sums by name of the usual steps.
    """

    profile: Stored
    steps: Steps
    sums: list[Sum] = field(init=False)

    def __post_init__(self) -> None:
        usual = self.steps.usual
        begin = int(self.steps.start[usual][0])
        end = int((self.steps.start + self.steps.duration)[usual][-1])
        self.sums = sums(self.profile, begin, max(end, begin + 1))

    @property
    def count(self) -> int:
        """Number of usual steps."""
        return int(self.steps.usual.sum())

    @property
    def time(self) -> float:
        """Nanoseconds of all usual steps."""
        return max(1.0, float(self.steps.duration[self.steps.usual].sum()))

    def name_of(self, one: Sum) -> str:
        """The name of a sum."""
        return self.profile.head["names"][one["name"]][0]

    def among(self, names: npt.NDArray[np.bool_]) -> list[Sum]:
        """The sums of some names, the largest own time first."""
        return [one for one in self.sums if names[one["name"]]]

    def share(self, part: Whole) -> float:
        """The share of usual steps that a part of each takes; 0 if that may be chance."""
        part = part[self.steps.usual]
        share = float(part.sum()) / self.time
        if len(part) < _FEW_STEPS:
            return share
        error = float(part.std(ddof=1)) * math.sqrt(len(part)) / self.time
        return share if share > 2 * error else 0.0


def advise(profile: Stored, steps: Steps | None = None) -> list[Advice]:
    """Returns the rules that apply, the largest gain first.

    Args:
        profile: the columns.
        steps: what `steps_of` returns, if it is known.
    """
    if not profile.head["slices"]:
        return []
    evidence = Evidence(profile, steps if steps is not None else steps_of(profile))
    found = [advice for rule in _RULES for advice in [rule(evidence)] if advice and advice.gain >= LEAST_GAIN]
    return sorted(found, key=lambda one: -one.gain)


def _waits_for_data(evidence: Evidence) -> Advice | None:
    gain = evidence.share(evidence.steps.waiting)
    waits = evidence.among(waiting_names(evidence.profile))
    if gain < _DATA or not waits:
        return None
    longest = max(waits, key=lambda one: one["longest_ns"])
    return Advice("data", gain, gain * evidence.time / evidence.count, row=longest["longest"])


def _python_between(evidence: Evidence) -> Advice | None:
    gain = evidence.share(evidence.steps.rest)
    if gain < _PYTHON or not evidence.profile.head["steps"]:
        return None
    head = evidence.profile.head
    python = np.array([category == PYTHON for _, category in head["names"]], bool)
    python &= ~waiting_names(evidence.profile)
    functions = evidence.among(python)
    per_step = gain * evidence.time / evidence.count
    if not functions:
        at = int(np.argmax(np.where(evidence.steps.usual, evidence.steps.rest, -1)))
        begin = int(evidence.steps.start[at])
        return Advice("between", gain, per_step, window=(begin, begin + int(evidence.steps.duration[at])))
    first = functions[0]
    return Advice("python", gain, per_step, evidence.name_of(first), first["count"], first["longest"])


def _saving(evidence: Evidence) -> Advice | None:
    names = np.array([_SAVING.fullmatch(name) is not None for name, _ in evidence.profile.head["names"]], bool)
    found = evidence.among(names)
    if not found:
        return None
    longest = max(found, key=lambda one: one["total"])
    gain = longest["total"] / evidence.time
    per_step = longest["total"] / evidence.count
    return Advice("saving", gain, per_step, evidence.name_of(longest), longest["count"], longest["longest"])


def _copies(evidence: Evidence) -> Advice | None:
    working = working_names(evidence.profile)
    names = np.array([_COPY.fullmatch(name) is not None for name, _ in evidence.profile.head["names"]], bool)
    found = evidence.among(names & working)
    own = sum(one["own"] for one in found)
    running = int(evidence.steps.running[evidence.steps.usual].sum())
    if not found or own < _COPIES * running:
        return None
    gain = min(own, running) / evidence.time
    return Advice(
        "copies", gain, own / evidence.count, evidence.name_of(found[0]), found[0]["count"], found[0]["longest"]
    )


def _small_operators(evidence: Evidence) -> Advice | None:
    found = evidence.among(working_names(evidence.profile))
    small = [one for one in found if one["own"] < _SMALL_NS * one["count"]]
    own, every = sum(one["own"] for one in small), sum(one["own"] for one in found)
    calls, all_calls = sum(one["count"] for one in small), sum(one["count"] for one in found)
    running = int(evidence.steps.running[evidence.steps.usual].sum())
    if not small or own < _SMALL_SHARE * every or 2 * calls < all_calls:
        return None
    gain = own / max(1, every) * running / evidence.time
    count = calls // evidence.count
    return Advice(
        "small", gain, gain * evidence.time / evidence.count, evidence.name_of(small[0]), count, small[0]["longest"]
    )


def _slow_steps(evidence: Evidence) -> Advice | None:
    steps = evidence.steps
    rows = np.flatnonzero(steps.usual)
    duration = steps.duration[rows]
    if len(rows) < 2 * _FEW_STEPS:
        return None
    median = float(np.median(duration))
    # What differs by chance: the median distance, to which outliers add nothing.
    spread = float(np.median(np.abs(duration - median)))
    slow = rows[duration > max(_SLOW * median, median + 6 * spread)]
    if not len(slow) or 2 * len(slow) > len(rows):
        return None
    excess = float((steps.duration[slow] - median).sum())
    name, row = _what_is_more(evidence.profile, steps, slow, rows)
    worst = slow[np.argmax(steps.duration[slow])]
    begin = int(steps.start[worst])
    window = (begin, begin + int(steps.duration[worst]))
    return Advice("slow_steps", excess / evidence.time, excess / len(rows), name, len(slow), row, window)


def _what_is_more(profile: Stored, steps: Steps, slow: Whole, rows: Whole) -> tuple[str, int | None]:
    """The name whose own time a slow step has more of than another one, and its longest slice."""

    def own_times(step: int) -> dict[int, Sum]:
        begin = int(steps.start[step])
        return {one["name"]: one for one in sums(profile, begin, begin + max(1, int(steps.duration[step])))}

    other = rows[np.argsort(steps.duration[rows])[len(rows) // 2]]
    usual, found = own_times(int(other)), own_times(int(slow[np.argmax(steps.duration[slow])]))
    ranges = set(profile.head["ranges"])
    more = {
        name: one["own"] - (usual[name]["own"] if name in usual else 0)
        for name, one in found.items()
        if name not in ranges
    }
    if not more or max(more.values()) <= 0:
        return "", None
    best = max(more, key=lambda name: more[name])
    return profile.head["names"][best][0], found[best]["longest"]


_RULES: tuple[Callable[[Evidence], Advice | None], ...] = (
    _waits_for_data,
    _python_between,
    _saving,
    _slow_steps,
    _copies,
    _small_operators,
)
