"""What a worker computes, apart from the pipeline around it, so that it may also run in another process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from framework.dataset.runtime.failures import Part
from framework.dataset.runtime.rows import Pass, Row

__all__ = ["Function", "Job", "OperationError", "Task", "work_of"]

#: Computes a result from the number of a row and what is needed of the row.
Function = Callable[[int, Any], Any]


class OperationError(Exception):
    """A part of a task failed.

    Args:
        part: the part, such as "operation 2 of 3 (Resize)", with its place if it was moved.
        cause: what it raised.
    """

    def __init__(self, part: str | Part, cause: Exception) -> None:
        super().__init__(part, cause)
        self.part = part
        self.cause = cause


class Task(Protocol):
    """The work itself. Worker processes get a copy of it."""

    #: Position of the operator in the pipeline.
    number: int

    def function(self, this: Pass) -> Function:
        """The function for the rows of a pass, with random streams of its own; it raises `OperationError`."""


class Job(Protocol):
    """A task, and how its inputs come from rows and its results become rows."""

    @property
    def task(self) -> Task:
        """The work."""

    def split(self, item: Any) -> Any:
        """What the task needs of what comes in."""

    def merge(self, item: Any, result: Any) -> Row:
        """The row from what came in and the result."""

    def failure(self, item: Any, part: str | Part, error: Exception | str) -> RuntimeError:
        """The error for what came in; None for no row."""


def work_of(job: Job, this: Pass, function_of: Callable[[Pass], Function] | None = None) -> Callable[[int, Any], Row]:
    """The function of a row, for one thread.

    Args:
        job: what is computed.
        this: the pass.
        function_of: makes the task's function; None for the task itself.
    """
    function, split, merge = (function_of or job.task.function)(this), job.split, job.merge

    def work(number: int, item: Any) -> Row:
        try:
            result = function(number, split(item))
        except OperationError as error:
            raise job.failure(item, error.part, error.cause) from error.cause
        return merge(item, result)

    return work
