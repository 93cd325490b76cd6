"""Profiles and their output: a table for people, rows for spreadsheets, a timeline for Chrome's tracing.

The timeline is the "Trace Event Format" of Chrome (complete events, `"ph": "X"`, times in microseconds), which
chrome://tracing and ui.perfetto.dev open.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from summaries.schema.summary_pb2 import Profile as ProfileMessage

__all__ = ["GAPS", "IN_PROGRAM", "IN_STEP", "OUTSIDE", "WAITING", "OperatorTime", "Profile", "Span"]

WAITING: Final = "waiting for data"
IN_STEP: Final = "Python between operators"
OUTSIDE: Final = "outside of steps"
IN_PROGRAM: Final = "Python in compiled programs"
GAPS: Final = (WAITING, IN_STEP, OUTSIDE, IN_PROGRAM)
"""The names of gaps: what the main thread does where no operator runs."""


@dataclass(slots=True)
class OperatorTime:
    """The sums over all executions of one operator.

    Attributes:
        full_name: `scope/Type-opN`, the name on the graph page and in the debugger.
        op_type: the type of the operator.
        calls: the number of executions.
        duration: the seconds of all executions.
        flops: the floating-point operations of all executions.
        bytes_moved: the bytes of the inputs and outputs of all executions.
        memory: the bytes of the outputs of the largest execution.
    """

    full_name: str
    op_type: str
    calls: int = 0
    duration: float = 0.0
    flops: int = 0
    bytes_moved: int = 0
    memory: int = 0


@dataclass(frozen=True, slots=True)
class Span:
    """One execution.

    Attributes:
        full_name: the full name of the operator.
        started: the seconds since the profile began.
        duration: the duration in seconds.
        memory: the bytes of its outputs.
        flops: the floating-point operations.
    """

    full_name: str
    started: float
    duration: float
    memory: int
    flops: int


@dataclass
class Profile:
    """The measured times of a training.

    Attributes:
        operators: the operators by full name.
        spans: the first executions, in their order.
        duration: the seconds from beginning to end, including the time between operators.
        parts: of a capture, the seconds of the main thread by what it did, gaps included; together the duration.
        is_isolated: whether operators were measured one by one, in another program than the one that trains.
    """

    operators: dict[str, OperatorTime] = field(default_factory=dict)
    spans: list[Span] = field(default_factory=list)
    duration: float = 0.0
    parts: dict[str, float] = field(default_factory=dict)
    is_isolated: bool = False

    def by_time(self) -> list[OperatorTime]:
        """The operators, sorted by time, the slowest first."""
        return sorted(self.operators.values(), key=lambda operator: (-operator.duration, operator.full_name))

    def table(self, most: int = 20) -> str:
        """A table of the operators that took most time, as text.

        Args:
            most: the largest number of rows.
        """
        total = sum(operator.duration for operator in self.operators.values())
        rows: list[tuple[str, ...]] = [("operator", "calls", "ms", "%", "MFLOP", "GFLOP/s", "MB moved", "MB made")]
        for operator in self.by_time()[:most]:
            rate = operator.flops / operator.duration / 1e9 if operator.duration else 0.0
            share = 100 * operator.duration / total if total else 0.0
            numbers = (operator.duration * 1e3, share, operator.flops / 1e6, rate)
            sizes = (operator.bytes_moved / 1e6, operator.memory / 1e6)
            rows.append((operator.full_name, str(operator.calls), *(f"{number:.3f}" for number in (*numbers, *sizes))))
        widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
        lines = [
            "  ".join(
                [row[0].ljust(widths[0]), *(text.rjust(width) for text, width in zip(row[1:], widths[1:], strict=True))]
            )
            for row in rows
        ]
        rest = len(self.operators) - most
        if rest > 0:
            lines.append(f"and {rest} more")
        lines.append(f"operators {total * 1e3:.3f} ms of {self.duration * 1e3:.3f} ms; {self._rest()}")
        return "\n".join(lines)

    def _rest(self) -> str:
        """What there is beside the operators, and how they were measured."""
        if self.is_isolated:
            return "the rest is Python between them; each was measured alone, without fusion (mode isolated)"
        gaps = sorted(((self.parts[name], name) for name in GAPS if self.parts.get(name)), reverse=True)
        return ", ".join(f"{name} {seconds * 1e3:.3f} ms" for seconds, name in gaps) or "nothing else"

    def rows(self) -> str:
        """All operators as comma-separated values: names in the first line, seconds, operations and bytes."""
        names: Sequence[str] = OperatorTime.__slots__
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(names)
        writer.writerows([getattr(operator, name) for name in names] for operator in self.by_time())
        return out.getvalue()

    def message(self) -> ProfileMessage:
        """The sums of all operators as a message for summary files."""
        return ProfileMessage(
            operators=[
                ProfileMessage.Operator(**{name: getattr(operator, name) for name in OperatorTime.__slots__})
                for operator in self.by_time()
            ]
        )

    def trace(self) -> str:
        """The executions as a timeline for Chrome's tracing."""
        events: list[dict[str, Any]] = [
            {"name": "process_name", "ph": "M", "pid": 0, "args": {"name": "training"}},
            {"name": "thread_name", "ph": "M", "pid": 0, "tid": 0, "args": {"name": "operators"}},
        ]
        for span in self.spans:
            scope, _, name = span.full_name.rpartition("/")
            events.append(
                {
                    "name": name, "cat": scope, "ph": "X", "pid": 0, "tid": 0,
                    "ts": span.started * 1e6, "dur": span.duration * 1e6,
                    "args": {"full_name": span.full_name, "bytes": span.memory, "flops": span.flops},
                }
            )  # fmt: skip
        return json.dumps({"traceEvents": events, "displayTimeUnit": "ms"})
