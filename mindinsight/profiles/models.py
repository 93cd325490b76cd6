"""The table of profiles: which traces were found, and whether their columns exist. Written by views and by the task."""

from __future__ import annotations

from django.db import models


class Profile(models.Model):
    """A trace file below the watched directory.

    Attributes:
        uid: hash of the path; the same as long as the file keeps its name.
        path: relative to the watched directory.
        size, modified, inode: the file when it was read; bytes, nanoseconds since 1970.
        progress: share of the file that has been read.
        problem: the error that ended reading, in the shape of all errors.
        changed: seconds since 1970.
    """

    class State(models.TextChoices):
        """The state of reading."""

        FOUND = "found"
        WAITING = "waiting"
        READING = "reading"
        DONE = "done"
        FAILED = "failed"

    uid = models.CharField(max_length=32, unique=True)
    path = models.TextField()
    size = models.PositiveBigIntegerField(default=0)
    modified = models.PositiveBigIntegerField(default=0)
    inode = models.PositiveBigIntegerField(default=0)
    state = models.CharField(max_length=8, choices=State.choices, default=State.FOUND)
    progress = models.FloatField(default=0.0)
    problem = models.JSONField(null=True)
    changed = models.FloatField(default=0.0)

    def __str__(self) -> str:
        return self.path
