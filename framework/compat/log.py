"""MindSpore's `log`: messages through Python's `logging` on standard error.

`GLOG_v` is the lowest visible level: 0 debug, 1 info, 2 warning, 3 error, 4 critical.
"""

from __future__ import annotations

import logging
import os
from typing import Any, Final, TextIO

__all__ = ["critical", "debug", "error", "get_level", "get_log_config", "info", "set_level", "warning"]

_LEVELS: Final = (logging.DEBUG, logging.INFO, logging.WARNING, logging.ERROR, logging.CRITICAL)

_logger: Final = logging.getLogger("framework")


class _Unconfigured(logging.StreamHandler[TextIO]):
    """A handler that writes messages only if the program has no logging handlers of its own."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write a message, or leave it to the handlers of the program."""
        if not logging.getLogger().handlers:
            super().emit(record)


def _set_up() -> None:
    if not _logger.handlers:
        handler = _Unconfigured()
        handler.setFormatter(
            logging.Formatter("[%(levelname)s] %(process)d %(asctime)s %(pathname)s:%(lineno)d %(message)s")
        )
        _logger.addHandler(handler)
    set_level(os.environ.get("GLOG_v", "2"))  # noqa: SIM112 - MindSpore's name


def set_level(level: int | str) -> None:
    """Set the lowest visible level: 0 debug, 1 info, 2 warning, 3 error, 4 critical.

    Raises:
        ValueError: there is no such level.

    """
    if str(level) not in map(str, range(len(_LEVELS))):
        raise ValueError(f"GLOG_v must be 0 (debug), 1 (info), 2 (warning), 3 (error) or 4 (critical), not {level!r}")
    _logger.setLevel(_LEVELS[int(level)])


def get_level() -> str:
    """The lowest visible level, as a digit."""
    return str(_LEVELS.index(_logger.level))


def get_log_config() -> dict[str, str]:
    """The current settings: the level, and the output to standard error."""
    return {"GLOG_v": get_level(), "GLOG_logtostderr": "1"}


def debug(msg: object, *args: Any, **kwargs: Any) -> None:
    """Log a message for debugging; arguments as of `logging.Logger.debug`."""
    _logger.debug(msg, *args, stacklevel=2, **kwargs)


def info(msg: object, *args: Any, **kwargs: Any) -> None:
    """Log information."""
    _logger.info(msg, *args, stacklevel=2, **kwargs)


def warning(msg: object, *args: Any, **kwargs: Any) -> None:
    """Log a warning."""
    _logger.warning(msg, *args, stacklevel=2, **kwargs)


def error(msg: object, *args: Any, **kwargs: Any) -> None:
    """Log an error."""
    _logger.error(msg, *args, stacklevel=2, **kwargs)


def critical(msg: object, *args: Any, **kwargs: Any) -> None:
    """Log a critical error."""
    _logger.critical(msg, *args, stacklevel=2, **kwargs)


_set_up()
