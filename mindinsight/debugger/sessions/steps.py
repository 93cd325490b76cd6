"""Finds the session with a step of a run, or says what would be needed. Called by the view, for users of a chart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from mindinsight.debugger.json_messages import Json

_BEST: Final = ("current", "previous", "ahead", "passed", "over")


@dataclass(frozen=True)
class Found:
    """Whether and how a session can show a step.

    Attributes:
        answer: one word of `api.md`.
        row: the session's row; None if there is no session.
        message: a sentence for the user.
    """

    answer: str
    row: Json | None
    message: str


def find_step(sessions: Sequence[tuple[Json, Json | None]], name: str, step: int) -> Found:
    """Returns the session that is closest to showing a step.

    Args:
        sessions: row and state of each session of the run, newest first.
        name: the run's name, for the sentence.
        step: the step.
    """
    found = [_judged(row, state, step) for row, state in sessions]
    if not found:
        message = f"No session of {name} is known: train it again with the debugger attached, and pause at step {step}."
        return Found("none", None, message)
    return min(found, key=lambda one: _BEST.index(one.answer))


def _judged(row: Json, state: Json | None, step: int) -> Found:
    name, now = row["name"], int(row["step"])
    if not row["connected"] or state is None:
        message = f"The session of {name} has ended: train again with the debugger attached, and pause at step {step}."
        return Found("over", row, message)
    shown = state["has_current"] or state["can_run_again"]
    if row["status"] == "paused" and now == step and shown:
        return Found("current", row, f"{name} is paused at step {step}.")
    if row["status"] == "paused" and now == step + 1 and state["has_previous"]:
        return Found("previous", row, f"{name} is paused one step later, and has kept what it showed at step {step}.")
    if now < step:
        return Found("ahead", row, f"{name} is at step {now}: run it to step {step}.")
    message = f"{name} has run past step {step}: train it again with the debugger attached, and pause there."
    return Found("passed", row, message)
