"""The table of studies: each is a question about importance and its result. Written by `studies.py` and by the task."""

from __future__ import annotations

from django.db import models


class Study(models.Model):
    """One question to the forests, by the hash of its data: who asks the same of the same runs shares it.

    Attributes:
        key: hash of the question and of all values that it looks at.
        question: hash of the question alone: when runs arrive, its newest answer is shown until the next one is there.
        kind: `importance` or `gap`.
        progress: share that is done.
        asked, changed: seconds since 1970.
        problem: the error that ended it, in the shape of any error.
        result: what was found, as `api.md` has it.
    """

    class State(models.TextChoices):
        """How far it is."""

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
        """Named in the plural as Django cannot."""

        verbose_name_plural = "studies"

    def __str__(self) -> str:
        return f"{self.kind} {self.key}"
