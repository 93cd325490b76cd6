"""Several profiles as the ranks of one training: which rank the others wait for, step by step. Called by the API.

Ranks that exchange gradients end their steps together, so the slow one shows not by its step but by the time in which
it works: its step without communication.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypedDict

import numpy as np

from mindinsight.profiles.analysis.intervals import Whole, covered, union
from mindinsight.profiles.analysis.steps import Steps, steps_of
from mindinsight.profiles.columns.stored import Stored

_COMMUNICATION = re.compile(
    r".*(nccl|gloo:|c10d::|hccl|all_?reduce|all_?gather|reduce_?scatter|broadcast_|barrier|mpi_).*", re.IGNORECASE
)
_LEAST_LEAD = 0.02
"""Share of the step by which a rank must work longer than the next one to be the one that others wait for."""


class RankStep(TypedDict):
    """A step of a rank. Times are in nanoseconds; `working` is without communication."""

    number: int
    duration: int
    waiting: int
    working: int
    communication: int


class Straggler(TypedDict):
    """The rank that the others wait for in a step; null if no rank stands out. `lead` is its lead in nanoseconds."""

    number: int
    rank: int | None
    lead: int


def rank_steps(profile: Stored) -> list[RankStep]:
    """Returns the steps of a rank with their communication.

    Args:
        profile: the columns.
    """
    steps = steps_of(profile)
    spans = _communication(profile)
    communication = np.minimum(covered(spans, steps.start, steps.start + steps.duration), steps.duration)
    return [
        RankStep(number=number, duration=duration, waiting=waiting, working=duration - sent, communication=sent)
        for number, duration, waiting, sent in zip(*_columns(steps), communication.tolist(), strict=True)
    ]


def stragglers(ranks: Sequence[Sequence[RankStep]]) -> list[Straggler]:
    """Returns for each step that all ranks have which one works longest.

    Args:
        ranks: the steps of each rank.
    """
    by_number = [{step["number"]: step for step in steps} for steps in ranks]
    common = sorted(set.intersection(*(set(steps) for steps in by_number))) if by_number else []
    found = []
    for number in common:
        working = np.array([steps[number]["working"] for steps in by_number])
        order = np.argsort(-working, kind="stable")
        lead = int(working[order[0]] - working[order[1]]) if len(order) > 1 else 0
        whole = max(steps[number]["duration"] for steps in by_number)
        stands_out = lead > _LEAST_LEAD * whole
        found.append(Straggler(number=number, rank=int(order[0]) if stands_out else None, lead=lead))
    return found


def _columns(steps: Steps) -> tuple[list[int], list[int], list[int]]:
    return steps.number.tolist(), steps.duration.tolist(), steps.waiting.tolist()


def _communication(profile: Stored) -> tuple[Whole, Whole]:
    names = np.array([_COMMUNICATION.fullmatch(name) is not None for name, _ in profile.head["names"]], bool)
    rows = np.flatnonzero(names[profile.kind_name][profile.kind])
    begin = profile.start[rows]
    return union(begin, begin + profile.duration[rows])
