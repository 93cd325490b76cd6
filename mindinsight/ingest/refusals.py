"""What the reader says when something cannot be stored or read for now. Used by the follower.

A disk that takes nothing is logged when that begins and when it ends, and every beat names it.
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
    """Takes errors of what is tried again.

    Args:
        directories: what the reader writes to.
    """

    def __init__(self, directories: Sequence[Path]) -> None:
        self._disks = DiskWatch(directories)
        self._trouble: DiskTrouble | None = None

    def note(self, what: str, error: OSError | DatabaseError) -> bool:
        """Says that something is tried again.

        Args:
            what: what cannot be done, as the beginning of a sentence.
            error: why.

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
        """Returns what is wrong with a disk now, as a beat says it."""
        before, self._trouble = self._trouble, self._disks.look()
        now = self._trouble
        if now is not None and (before is None or before.condition != now.condition):
            logger.warning("Nothing is stored until that changes: %s", now.message)
        elif now is None and before is not None:
            logger.warning("The disk of %s can be written again", before.directory)
        return None if now is None else now.as_json()
