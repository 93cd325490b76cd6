"""What watchers of a step want: which operators, in which parts of the step, and whether they keep values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from debugging.executions import Execution, Watcher

__all__ = ["BACKWARD", "FORWARD", "UPDATE", "Entry", "Needs", "needs_of"]

#: Parts of a step.
FORWARD: Final = "forward"
BACKWARD: Final = "backward"
UPDATE: Final = "update"


@dataclass(frozen=True, slots=True)
class Entry:
    """Who watches operators, which ones (None: all), whether it keeps values, and whether only those of the loss."""

    watcher: Watcher
    names: frozenset[str] | None
    keeps: bool
    of_loss: bool = False

    @property
    def parts(self) -> frozenset[str]:
        """The parts of a step in which there are such operators."""
        if self.of_loss:
            return frozenset({FORWARD})
        return frozenset({FORWARD, BACKWARD, UPDATE}) if self.names is None else _places_of(self.names).parts


@dataclass(frozen=True, slots=True)
class _Places:
    """Where the operators of some full names run: parts of a step, scopes of the forward pass; and their types."""

    parts: frozenset[str]
    scopes: frozenset[str]
    kinds: frozenset[str]


@lru_cache(8)
def _places_of(names: frozenset[str]) -> _Places:
    parts, scopes, kinds = set(), set(), set()
    for name in names:
        scope, _, last = name.rpartition("/")
        part = {"Gradients": BACKWARD, "Optimizer": UPDATE}.get(name.partition("/")[0], FORWARD)
        parts.add(part)
        if part == FORWARD:
            scopes.add(scope)
        kinds.add(last.rpartition("-op")[0])
    return _Places(frozenset(parts), frozenset(scopes), frozenset(kinds))


def needs_of(entries: Sequence[Entry]) -> Needs:
    """What several watchers need together; found once for those that come again in each step."""
    return _needs_of(tuple((type(one.names), one.names, one.keeps, one.of_loss) for one in entries))


class Needs:
    """What several watchers need together.

    Args:
        entries: The watchers.

    Attributes:
        parts: The parts of a step in which operators are watched.
        kinds: The types of operators that are watched; None: all.
        near: The scopes of the forward pass in which operators are watched; None: all.
        keeps: Whether values are kept.
        loss: Whether the operators of the loss are watched.
        lines: Whether the backward pass has the lines of the forward pass.
        modules: Whether anything but the loss is watched, so that it must be known which module runs.
    """

    def __init__(self, entries: Sequence[Entry] = ()) -> None:
        every = [entry for entry in entries if not entry.of_loss]
        is_closed = all(type(entry.names) is frozenset for entry in every)
        places = [_places_of(entry.names) for entry in every if entry.names is not None] if is_closed else []
        self.parts = frozenset[str]().union(*(entry.parts for entry in entries))
        self.kinds = frozenset[str]().union(*(place.kinds for place in places)) if is_closed else None
        self.near = frozenset[str]().union(*(place.scopes for place in places)) if is_closed else None
        self.keeps = any(entry.keeps for entry in entries)
        self.loss = len(every) < len(entries)
        self.lines = not is_closed and BACKWARD in self.parts
        self.modules = bool(every)


@lru_cache(16)
def _needs_of(wants: tuple[tuple[type, frozenset[str] | None, bool, bool], ...]) -> Needs:
    return Needs([Entry(_nobody, names, keeps, of_loss) for _, names, keeps, of_loss in wants])


def _nobody(execution: Execution) -> None:
    """Stands for any watcher, where only its wishes matter."""
