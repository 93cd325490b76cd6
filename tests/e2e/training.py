"""A training in a separate process that writes on request, so that a test decides when a point exists.

Tests use `Training`; as a module (`python -m tests.e2e.training DIRECTORY TAG…`) this file is that process.
"""

from __future__ import annotations

import math
import subprocess
import sys
import zlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from summaries import SummaryWriter
from tests.dashboard import command_environment


def value_of(tag: str, step: int) -> float:
    """The value that belongs to a step, exact as a 32-bit float."""
    return float((step * 31 + zlib.crc32(tag.encode())) % 1024) / 8


class Training:
    """A process that writes event files into a directory.

    Args:
        directory: the run's directory.
        tags: what it writes at every step.

    Attributes:
        last: the last step that is in the file for certain.
    """

    def __init__(self, directory: Path, tags: Sequence[str] = ("loss",)) -> None:
        self.tags = tuple(tags)
        self.last = 0
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.e2e.training", str(directory), *self.tags],
            env=command_environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        )
        self._hear()

    @property
    def pid(self) -> int:
        """Its process number."""
        return self._process.pid

    def write(self, count: int) -> int:
        """Writes this many further steps, waits until they are in the file and returns the last one."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{count}\n")
        self.last = int(self._hear())
        return self.last

    def finish(self) -> None:
        """Ends as a training should."""
        self._close(None)

    def kill(self) -> None:
        """Ends at once, as if the machine had run out of memory."""
        self._close(self._process.kill)

    def _hear(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline()

    def _close(self, end: Callable[[], None] | None) -> None:
        if end is not None:
            end()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                stream.close()
        self._process.wait(20)


def write_run(directory: Path, tags: Mapping[str, Sequence[float]], first: int = 1) -> None:
    """Writes a finished run into a file of its own: for each tag its values at steps 1, 2, 3… or from `first` on."""
    with SummaryWriter(directory) as writer:
        for tag, values in tags.items():
            for step, value in enumerate(values, first):
                writer.add_scalar(tag, value, step)


def falling(count: int, low: float = 0.05, pace: float = 40.0) -> list[float]:
    """A loss as it looks when all goes well."""
    return [2.3 * math.exp(-step / pace) + low + 0.02 * math.sin(step) for step in range(count)]


def main() -> None:
    """Reads numbers from standard input and answers with the last step that is in the file."""
    directory, *tags = sys.argv[1:]
    last = 0
    with SummaryWriter(directory) as writer:
        print("ready", flush=True)  # noqa: T201  (the answer to whoever started us)
        for line in sys.stdin:
            for step in range(last + 1, last + int(line) + 1):
                for tag in tags:
                    writer.add_scalar(tag, value_of(tag, step), step)
                last = step
            assert writer.flush()
            print(last, flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
