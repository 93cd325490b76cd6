"""Reports errors of the reader that it will retry. Used by the follower.

A disk that cannot be written is logged at the beginning and at the end of the problem, and every heartbeat names it.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.db import Error as DatabaseError
from django.db import close_old_connections

from mindinsight.disks import DiskTrouble, DiskWatch

logger = logging.getLogger(__name__)


class Refusals:
    """Reports errors that are retried.

    Args:
        directories: the directories that the reader writes to.
    """

    def __init__(self, directories: Sequence[Path]) -> None:
        self._disks = DiskWatch(directories)
        self._trouble: DiskTrouble | None = None

    def note(self, what: str, error: OSError | DatabaseError) -> bool:
        """Reports an error that is retried.

        Args:
            what: the failed operation, as the beginning of a sentence.
            error: the error.

        Returns:
            Whether a disk explains the error.
        """
        explained = self._disks.failed(error) is not None
        if not explained:
            logger.warning("%s (%s); trying again", what, error)
        elif self._trouble is None:
            self.look()
        if isinstance(error, DatabaseError):
            close_old_connections()
        return explained

    def look(self) -> dict[str, Any] | None:
        """Returns the current disk trouble for a heartbeat."""
        before, self._trouble = self._trouble, self._disks.look()
        now = self._trouble
        if now is not None and (before is None or before.condition != now.condition):
            logger.warning("Nothing is stored until that changes: %s", now.message)
        elif now is None and before is not None:
            logger.warning("The disk of %s can be written again", before.directory)
        return None if now is None else now.as_json()
