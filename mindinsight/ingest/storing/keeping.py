"""Keeps event files readable after they are deleted, if the user wants that (`MINDINSIGHT_KEEP_DELETED`).

Asked by the follower when it reads a file and when a run's state changes.
"""

from __future__ import annotations

from collections.abc import Callable

from mindinsight.environment import Environment
from mindinsight.ingest.followed import FollowedFile, FollowedRun
from mindinsight.store import Originals


class Keeper:
    """Links files when they are first read; those that cannot be linked are copied by a task.

    Args:
        environment: says whether anything is kept, and where.
        copy: asks for a copy of a file, by the number of its row.

    Attributes:
        keeps: whether anything is kept.
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
        """Has those files of a run copied that could not be linked."""
        for file in run.files:
            if file.row.pk in self._unlinkable:
                self._copy(file.row.pk)

    def forget(self, file: FollowedFile) -> None:
        """A file was replaced: what was kept is not it."""
        self._originals.remove(file.run.row.pk, file.row.pk)
        self._linked.discard(file.row.pk)
