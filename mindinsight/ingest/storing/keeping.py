"""Keeps event files readable after they are deleted, if the user wants that (`MINDINSIGHT_KEEP_DELETED`).

Called by the follower when it reads a file and when a run's state changes.
"""

from __future__ import annotations

from collections.abc import Callable

from mindinsight.environment import Environment
from mindinsight.ingest.followed import FollowedFile, FollowedRun
from mindinsight.store import Originals


class Keeper:
    """Makes hard links to files when they are first read. A task copies files that cannot be linked.

    Args:
        environment: whether files are kept, and where.
        copy: queues the copying of a file, by the number of its row.

    Attributes:
        keeps: whether files are kept.
    """

    def __init__(self, environment: Environment, copy: Callable[[int], None]) -> None:
        self.keeps = environment.keep_deleted
        self._copy = copy
        self._originals = Originals(environment.data_directory / "columns")
        self._linked: set[int] = set()
        self._unlinkable: set[int] = set()

    def keep(self, file: FollowedFile) -> None:
        """Links a file that is about to be read."""
        number = file.row.pk
        if not self.keeps or number in self._linked or number in self._unlinkable:
            return
        linked = self._originals.link(file.run.row.pk, number, file.found.path)
        (self._linked if linked else self._unlinkable).add(number)

    def copy(self, run: FollowedRun) -> None:
        """Queues the copying of those files of a run that could not be linked."""
        for file in run.files:
            if file.row.pk in self._unlinkable:
                self._copy(file.row.pk)

    def forget(self, file: FollowedFile) -> None:
        """Removes the kept file after the original was replaced."""
        self._originals.remove(file.run.row.pk, file.row.pk)
        self._linked.discard(file.row.pk)
