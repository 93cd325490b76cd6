"""What becomes of samples with errors: the error is raised, or the sample is replaced or left out."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from framework.dataset.config import ErrorSamplesMode
from framework.dataset.monitor.states import SkippedState
from framework.dataset.runtime.rows import Row

__all__ = ["Failed", "SampleErrors", "delivered"]

_log = logging.getLogger("framework.dataset")

#: Number of messages that are kept.
_KEPT = 10


@dataclass(frozen=True)
class Failed:
    """A row that could not be computed.

    Args:
        error: what happened.
        final: whether no mode can do without the row, since the rows before this operator ended with the error.
    """

    error: BaseException
    final: bool = False


class SampleErrors:
    """Counts the samples with errors of a tree.

    Args:
        mode: what becomes of them.
    """

    def __init__(self, mode: ErrorSamplesMode) -> None:
        self.mode = mode
        self.count = 0
        self.messages: list[str] = []
        self._lock = threading.Lock()

    @property
    def raised(self) -> bool:
        """Whether an error ends the pipeline."""
        return self.mode is ErrorSamplesMode.RETURN

    def state(self) -> SkippedState | None:
        """What was left out or replaced so far; None for nothing."""
        with self._lock:
            if not self.count:
                return None
            return SkippedState(self.mode.name.lower(), self.count, tuple(self.messages))

    def note(self, error: BaseException) -> None:
        """Count a sample that was left out or replaced; the first is logged."""
        with self._lock:
            self.count += 1
            if len(self.messages) < _KEPT:
                self.messages.append(str(error))
            first = self.count == 1
        if first:
            what = "left out" if self.mode is ErrorSamplesMode.SKIP else "replaced"
            _log.warning("a sample with an error was %s, and others will be: %s", what, error)


def delivered(outcomes: Iterable[Row | Failed], errors: SampleErrors) -> Iterator[Row]:
    """The rows in order; where one failed, what the mode says.

    A row that is replaced becomes a copy of the good one before it, or of the first good one. This depends on the order
    of rows only, not on who computed them.

    Raises:
        BaseException: the error of a row that cannot be left out or replaced.
    """
    good: Row | None = None
    owed: list[BaseException] = []
    for outcome in outcomes:
        if isinstance(outcome, Row):
            good = outcome
            for _ in owed:
                yield _copy(good)
            owed.clear()
            yield outcome
            continue
        if outcome.final or errors.raised or not isinstance(outcome.error, Exception):
            raise outcome.error
        errors.note(outcome.error)
        if errors.mode is ErrorSamplesMode.REPLACE:
            if good is None:
                owed.append(outcome.error)
            else:
                yield _copy(good)
    if owed:
        raise owed[0]


def _copy(row: Row) -> Row:
    return Row(tuple(value.copy() for value in row.values), row.origin)
