"""The table of exports. Written by `api.py` and `tasks.py`."""

from __future__ import annotations

import uuid

from django.db import models


def new_id() -> str:
    """Returns what the address of an export ends with; nobody guesses one."""
    return uuid.uuid4().hex


class Export(models.Model):
    """Runs on their way into an archive.

    Attributes:
        runs: their names, in the order in which they are written.
        done: how many of them are in the archive.
        notes: what could not be exported, and what was found broken, in sentences.
        message: why it failed.
        size: bytes of the archive so far.
        created: seconds since 1970.
        changed: seconds since 1970.
    """

    class State(models.TextChoices):
        """How far it is."""

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
