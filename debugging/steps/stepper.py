"""Stops within a step: after the next node, after a named node, or before the next line of the user's source.

The session runs a step with a `Stepper` among its watchers. Where it stops, it calls back in the training's thread; the
training waits until that call returns.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import FrameType
from typing import Any

from debugging.executions import Execution, Location, calls_to

__all__ = ["Stepper", "Stop"]


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a running function of the user's; see `Location`."""

    file: str
    line: int
    function: str
    caller: Line | None = None


@dataclass(frozen=True, slots=True)
class Stop:
    """Where a training is stopped within a step.

    Attributes:
        reason: "node" or "line".
        execution: The node that was executed last, if the reason is "node".
        stack: The user's lines, innermost first; in graph mode the line of the node.
    """

    reason: str
    execution: Execution | None
    stack: tuple[Location, ...]


class Stepper:
    """Decides where to stop.

    Args:
        stop: Called where it stops, in the training's thread; it may request the next stop before it returns.
        is_own: Whether a source file is the user's.
    """

    def __init__(self, stop: Callable[[Stop], None], is_own: Callable[[str], bool]) -> None:
        self._stop = stop
        self._is_own = is_own
        self._at_next_node = False
        self._at_node = ""
        self._at_next_line = False
        #: Deepest function whose lines count; 0: all.
        self._most_frames = 0
        #: The frame that calls the step; None between steps.
        self._caller: FrameType | None = None
        #: The frame where it is stopped.
        self._here: FrameType | None = None
        self._before: Any = None

    @property
    def is_asked(self) -> bool:
        """Whether a stop is requested."""
        return self._at_next_node or bool(self._at_node) or self._at_next_line

    def clear(self) -> None:
        """Cancel the requested stop."""
        self._at_next_node = self._at_next_line = False
        self._at_node = ""

    def next_node(self) -> None:
        """Stop after the next executed node."""
        self.clear()
        self._at_next_node = True

    def run_to(self, full_name: str) -> None:
        """Stop after a node, in this step or a later one."""
        self.clear()
        self._at_node = full_name

    def next_line(self, *, over: bool = False) -> None:
        """Stop before the next line of the user's own source; only PyNative mode has lines.

        Args:
            over: Step over functions that the current one calls.
        """
        self.clear()
        self._at_next_line = True
        frames = list(self._frames(self._here))
        self._most_frames = len(frames) if over else 0
        if self._caller is not None:
            sys.settrace(self._trace)
            for frame in frames:
                frame.f_trace = self._trace

    def __call__(self, execution: Execution) -> None:
        """As a watcher: stop if requested."""
        if not self._at_next_node and not (self._at_node and self._at_node in (execution.members or ())):
            return
        self.clear()
        self._halt("node", execution, sys._getframe(1))

    @contextlib.contextmanager
    def following(self, caller: FrameType) -> Iterator[None]:
        """Around a step: trace its lines if requested.

        Args:
            caller: The frame that calls the step, whose own lines do not count.

        """
        self._before, self._caller = sys.gettrace(), caller
        if self._at_next_line:
            sys.settrace(self._trace)
        try:
            yield
        finally:
            self._caller = None
            sys.settrace(self._before)

    def _trace(self, frame: FrameType, event: str, _: Any) -> Any:
        if not self._at_next_line:
            sys.settrace(self._before)
            return None
        if not self._is_own(frame.f_code.co_filename):
            return None
        if event == "line":
            frames = sum(1 for _ in self._frames(frame))
            if frames and (not self._most_frames or frames <= self._most_frames):
                self.clear()
                self._halt("line", None, frame)
        return self._trace

    def _halt(self, reason: str, execution: Execution | None, frame: FrameType) -> None:
        """Call back, and wait until that returns."""
        frames = list(self._frames(frame))
        lines: tuple[Location, ...] = tuple(
            Line(one.f_code.co_filename, one.f_lineno, one.f_code.co_name) for one in frames
        )
        if not lines and execution is not None and execution.location is not None:
            lines = tuple(calls_to(execution.location))
        self._here = frame
        try:
            self._stop(Stop(reason, execution, lines))
        finally:
            self._here = None

    def _frames(self, frame: FrameType | None) -> Iterator[FrameType]:
        """The frames of the user's source from a frame within a step up to the caller of the step."""
        found = []
        while frame is not None and frame is not self._caller:
            if self._is_own(frame.f_code.co_filename):
                found.append(frame)
            frame = frame.f_back
        return iter(found if frame is not None else ())
