"""The table of exports. Written by `api.py` and `tasks.py`."""

from __future__ import annotations

import uuid

from django.db import models


def new_id() -> str:
    """Returns an id for the address of an export that nobody can guess."""
    return uuid.uuid4().hex


class Export(models.Model):
    """The export of runs into an archive.

    Attributes:
        runs: their names, in the order in which they are written.
        done: number of runs in the archive.
        notes: sentences about values that could not be exported or are broken.
        message: reason of a failure.
        size: bytes of the archive so far.
        created: seconds since 1970.
        changed: seconds since 1970.
    """

    class State(models.TextChoices):
        """The state of an export."""

        WAITING = "waiting"
        WRITING = "writing"
        DONE = "done"
        FAILED = "failed"

    uid = models.CharField(max_length=32, unique=True, default=new_id, editable=False)
    target = models.CharField(max_length=16, help_text="csv, parquet, tensorboard or mindspore")
    runs = models.JSONField(default=list)
    done = models.PositiveIntegerField(default=0)
    state = models.CharField(max_length=8, choices=State.choices, default=State.WAITING)
    points = models.PositiveBigIntegerField(default=0)
    values = models.PositiveBigIntegerField(default=0)
    notes = models.JSONField(default=list)
    message = models.TextField(default="", blank=True)
    size = models.PositiveBigIntegerField(default=0)
    created = models.FloatField(default=0.0)
    changed = models.FloatField(default=0.0)

    def __str__(self) -> str:
        return self.uid
