"""Shows the progress of a command on standard error, if that is a terminal."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Self

import click

_EVERY_S = 0.1
_LINE = "\r\x1b[K"


class Progress:
    """A line that overwrites itself. Its methods may be called as often as wanted.

    Args:
        total: the number of bytes to read; 0 if it is unknown.
    """

    def __init__(self, total: int = 0) -> None:
        self._total = total
        self._done = 0
        self._label = ""
        self._shown = 0.0
        self._terminal = sys.stderr.isatty()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._terminal:
            click.echo(_LINE, err=True, nl=False)

    def begin(self, label: str) -> None:
        """Sets the name of the current item."""
        self._label = "".join(letter if letter.isprintable() else "?" for letter in label)[:60]

    def advance(self, count: int) -> None:
        """Counts bytes that were read."""
        self._done += count
        self.tick()

    def tick(self) -> None:
        """Shows that work is in progress."""
        now = time.monotonic()
        if self._terminal and now - self._shown > _EVERY_S:
            self._shown = now
            share = f"{min(100, 100 * self._done // self._total)} % " if self._total else ""
            click.echo(f"{_LINE}{share}{self._label or 'Working'} ...", err=True, nl=False)
