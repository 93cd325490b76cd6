"""Parts of a measurement in processes of their own, each with a limit: whoever is slow keeps nobody waiting, and what
was found until then counts. Used by the measurements of `pages.py`.
"""

from __future__ import annotations

import multiprocessing
import os
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Any

import psutil

from benchmarks.measuring.figures import median, say

Found = Iterator[tuple[str, float]]
"""What a part yields: the name of a figure and its number, as soon as it is known; a name may come often."""

# After its own end a browser is given so long.
LEAVING_S = 20.0


@dataclass
class Outcome:
    """What a part has found.

    Attributes:
        numbers: of each figure, in order.
        missing: why there are no more; empty where the part went through.
    """

    numbers: dict[str, list[float]] = field(default_factory=dict)
    missing: str = ""

    def of(self, name: str) -> float | None:
        """The median of a figure, None where nothing was found."""
        found = self.numbers.get(name)
        return median(found) if found else None

    def add(self, other: Outcome) -> None:
        """Takes in what another turn of the same part has found."""
        for name, numbers in other.numbers.items():
            self.numbers.setdefault(name, []).extend(numbers)
        self.missing = self.missing or other.missing


def within(seconds: float, part: Callable[..., Found], *arguments: Any) -> Outcome:
    """Runs a part until it ends, fails, or its time is over; nothing that it has started remains.

    Args:
        seconds: the limit.
        part: a function of a module, which is imported anew.
        arguments: what it is called with; they are sent to the process.
    """
    outcome, deadline = Outcome(), time.monotonic() + seconds
    spawning = multiprocessing.get_context("spawn")
    ours, theirs = spawning.Pipe(duplex=False)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        process = spawning.Process(target=_work, args=(theirs, folder, part, arguments))
        process.start()
        theirs.close()
        outcome.missing = _listen(ours, outcome, deadline, seconds)
        if not outcome.missing:
            process.join(LEAVING_S)
        _end(process.pid)
        process.join()
    if outcome.missing:
        say(f"{part.__name__}: {outcome.missing}")
    return outcome


def _listen(told: Connection, outcome: Outcome, deadline: float, seconds: float) -> str:
    """Takes what the process tells until it has said all; returns why it did not."""
    while told.poll(max(0.0, deadline - time.monotonic())):
        try:
            name, number = told.recv()
        except EOFError:
            return "ended early"
        if name is None:
            return str(number)
        outcome.numbers.setdefault(name, []).append(number)
    return f"did not finish in {seconds:g} s"


def _work(told: Connection, folder: str, part: Callable[..., Found], arguments: tuple[Any, ...]) -> None:
    os.environ["TMPDIR"] = tempfile.tempdir = folder
    failure = ""
    try:
        for found in part(*arguments):
            told.send(found)
    except TimeoutError as late:
        failure = str(late).splitlines()[0]
    except Exception as error:
        traceback.print_exc()
        failure = f"failed: {str(error).splitlines()[0] if str(error) else type(error).__name__}"
    _kill(psutil.Process().children(recursive=True))
    told.send((None, failure))


def _end(process: int | None) -> None:
    """Ends a process with everything that it has started."""
    with suppress(psutil.NoSuchProcess):
        top = psutil.Process(process)
        _kill([*top.children(recursive=True), top])


def _kill(family: Sequence[psutil.Process]) -> None:
    for one in family:
        with suppress(psutil.NoSuchProcess):
            one.kill()
    psutil.wait_procs(family, timeout=5)
