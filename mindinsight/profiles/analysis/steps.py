"""What each step of a training consists of: waiting for data, running operators, the rest. Called by `advice` and by
the API.

Steps are those that the profiler marked; a trace without any is one step. Operators run where at least one thread has a
slice that is no range, no Python function and no waiting.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mindinsight.profiles.analysis.intervals import covered, union
from mindinsight.profiles.columns.stored import Stored

_WAITING = re.compile(
    r"enumerate\(DataLoader\)#.*\.__next__"  # torch.profiler marks the call
    r"|.*torch/utils/data/dataloader\.py\(\d+\): __next__"  # the same among Python's functions
    r"|(.*/)?(GetNext|IteratorGetNext)(-op\d+)?"
)
_SLOW_START = 2.0
"""Factor by which a first step outlasts the median if it compiled or warmed up."""
PYTHON = "python_function"
"""torch.profiler's category of Python functions."""
Whole = npt.NDArray[np.int64]


class Steps(NamedTuple):
    """Columns, one row a step. Times are in nanoseconds.

    Attributes:
        number: as the profiler counts them; -1 if it marked none.
        start, duration: the step.
        waiting: for data.
        running: operators, outside of waiting.
        usual: false for slow first steps, which means leave out.
    """

    number: Whole
    start: Whole
    duration: Whole
    waiting: Whole
    running: Whole
    usual: npt.NDArray[np.bool_]

    @property
    def rest(self) -> Whole:
        """Nanoseconds of each step in which nothing of that happens."""
        rest: Whole = np.maximum(self.duration - self.waiting - self.running, 0)
        return rest


def waiting_names(profile: Stored) -> npt.NDArray[np.bool_]:
    """Returns for each name whether its slices wait for data."""
    return np.array([_WAITING.fullmatch(name) is not None for name, _ in profile.head["names"]], bool)


def working_names(profile: Stored) -> npt.NDArray[np.bool_]:
    """Returns for each name whether its slices are operators."""
    working = np.array([category != PYTHON for _, category in profile.head["names"]], bool)
    working[profile.head["ranges"]] = False
    return working & ~waiting_names(profile)


def steps_of(profile: Stored) -> Steps:
    """Returns the steps of a profile, by time.

    Args:
        profile: the columns.
    """
    marked = profile.head["steps"] or [(-1, 0, profile.head["length"])]
    number, start, duration = np.array(sorted(marked, key=lambda step: step[1]), np.int64).T
    waits = _spans(profile, waiting_names(profile))
    works = _spans(profile, working_names(profile))
    either = union(*(np.concatenate(pair) for pair in zip(waits, works, strict=True)))
    end = start + duration
    waiting = covered(waits, start, end)
    usual = np.ones(len(number), bool)
    while usual.sum() > 3 and duration[usual][0] > _SLOW_START * np.median(duration[usual][1:]):
        usual[np.argmax(usual)] = False
    return Steps(number, start, duration, waiting, covered(either, start, end) - waiting, usual)


def _spans(profile: Stored, names: npt.NDArray[np.bool_]) -> tuple[Whole, Whole]:
    """Where slices of some names are. Those inside another one of them add nothing."""
    kinds = names[profile.kind_name]
    chosen = kinds[profile.kind]
    parent = profile.parent
    inner = (parent >= 0) & chosen[np.maximum(parent, 0)]
    rows = np.flatnonzero(chosen & ~inner)
    begin = profile.start[rows]
    return union(begin, begin + profile.duration[rows])
