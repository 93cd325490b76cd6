"""The table of studies: questions about importance and their results. Written by `studies.py` and by the task."""

from __future__ import annotations

from django.db import models

LIBRARIES_MISSING = "importance_missing"
"""The code of the problem of a study for which libraries were missing. It is started again after a while."""


class Study(models.Model):
    """One study, identified by the hash of its data. Equal requests about the same runs share it.

    Attributes:
        key: hash of the question and of all its data.
        question: hash of the question alone. After new runs arrive, its newest answer is shown until the next one is
        done. kind: `importance` or `gap`.
        progress: finished share.
        asked, changed: seconds since 1970.
        problem: the error that ended it, in the shape of all errors.
        result: the result in the form of `api.md`.
    """

    class State(models.TextChoices):
        """The state of a study."""

        WAITING = "waiting"
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"

    key = models.CharField(max_length=64, unique=True)
    question = models.CharField(max_length=64, db_index=True)
    kind = models.CharField(max_length=16)
    state = models.CharField(max_length=8, choices=State.choices, default=State.WAITING)
    progress = models.FloatField(default=0.0)
    asked = models.FloatField(default=0.0)
    changed = models.FloatField(default=0.0)
    problem = models.JSONField(null=True)
    result = models.JSONField(null=True)

    class Meta:
        """The plural that Django cannot form."""

        verbose_name_plural = "studies"

    def __str__(self) -> str:
        return f"{self.kind} {self.key}"
