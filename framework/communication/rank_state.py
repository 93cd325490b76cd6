"""State of a process that each rank has of its own when several ranks run in one process.

Modules with such state register it here: the tape, the random numbers, the settings. The in-process group
(`framework.communication.lockstep`) exchanges it whenever another rank takes its turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, cast

from framework.common import seed

__all__ = ["RankState", "add_rank_state", "new_states", "put_states", "take_states"]


class RankState(Protocol):
    """State that a module keeps for the whole process."""

    def new(self) -> object:
        """The state with which a rank begins."""

    def take(self) -> object:
        """The present state, for `put`."""

    def put(self, state: object) -> None:
        """Make a state the present one."""


_kept: list[RankState] = []


def add_rank_state(state: RankState) -> None:
    """Let each rank of an in-process group have this state of its own."""
    _kept.append(state)


def new_states() -> list[object]:
    """The states with which a rank begins."""
    return [kept.new() for kept in _kept]


def take_states() -> list[object]:
    """The present states of all modules."""
    return [kept.take() for kept in _kept]


def put_states(states: Sequence[object]) -> None:
    """Make these the present states; in the order of `take_states`."""
    for kept, state in zip(_kept, states, strict=True):
        kept.put(state)


class _RandomNumbers:
    """The random numbers of a rank; all ranks begin with the same."""

    def new(self) -> object:
        """The present state."""
        return seed.get_state()

    def take(self) -> object:
        """The present state."""
        return seed.get_state()

    def put(self, state: object) -> None:
        """Go on with the random numbers of a rank."""
        seed.set_state(cast("str", state))


add_rank_state(_RandomNumbers())
