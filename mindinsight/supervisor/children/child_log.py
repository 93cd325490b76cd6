"""Log files of limited size: 10 MB each and five old ones, for the supervisor and for the output of its children.

A child prints into a pipe, and the supervisor copies it. So a file can be rotated without the child's help, and the
last lines of a child that could not start are available for the error message.
"""

from __future__ import annotations

import contextlib
import logging
import os
from collections import deque
from collections.abc import Sequence
from logging.handlers import RotatingFileHandler
from pathlib import Path

MAX_BYTES = 10_000_000
OLD_FILES = 5
_LAST_LINES = 20
_LONGEST_LINE = 65536


class _ForgivingHandler(RotatingFileHandler):
    """A handler that loses lines on a full disk instead of ending the process."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802  (the base class's name)
        """Drops the line."""

    def close(self) -> None:
        """Closes the file; lines that could not be written until now are lost."""
        with contextlib.suppress(OSError):
            super().close()


def open_log(path: Path, line_format: str) -> logging.Logger:
    """Opens a rotating log file, whose directory must exist.

    Raises:
        OSError: the file cannot be opened.
    """
    handler = _ForgivingHandler(path, maxBytes=MAX_BYTES, backupCount=OLD_FILES, encoding="utf-8", errors="replace")
    handler.setFormatter(logging.Formatter(line_format))
    # Not registered under a name: two instances in one process (tests) must not share it.
    logger = logging.Logger(path.stem, logging.DEBUG)
    logger.addHandler(handler)
    return logger


def close_log(logger: logging.Logger) -> None:
    """Closes a log file opened by `open_log`."""
    for handler in list(logger.handlers):
        logger.removeHandler(handler)
        handler.close()


class ChildLog:
    """The output of one child over all its restarts.

    Args:
        path: the log file.

    Raises:
        OSError: the file cannot be opened.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._log = open_log(path, "%(message)s")
        self._rest = b""
        self._last: deque[str] = deque(maxlen=_LAST_LINES)

    @property
    def last_lines(self) -> Sequence[str]:
        """The newest lines, oldest first."""
        return tuple(self._last)

    def copy(self, descriptor: int) -> bool:
        """Copies the available output of a non-blocking descriptor.

        Returns:
            Whether more may come; False at the end of the pipe.
        """
        while True:
            try:
                block = os.read(descriptor, 65536)
            except BlockingIOError:
                return True
            except OSError:
                return False
            if not block:
                return False
            self._take(block)

    def flush(self) -> None:
        """Writes an unfinished last line, as a killed process leaves it."""
        if self._rest:
            self._write(self._rest)
            self._rest = b""

    def close(self) -> None:
        """Closes the file."""
        self.flush()
        close_log(self._log)

    def _take(self, block: bytes) -> None:
        *lines, self._rest = (self._rest + block).split(b"\n")
        for line in lines:
            self._write(line)
        if len(self._rest) > _LONGEST_LINE:
            self.flush()

    def _write(self, line: bytes) -> None:
        text = line.decode("utf-8", "replace").rstrip("\r")
        self._last.append(text)
        self._log.info("%s", text)
