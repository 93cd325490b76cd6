"""The tables of the debugger: sessions with what was last known of them, and tensors whose values are kept.

Written by `records.py` for the web server that has a training's connection; read by it and by the views.
"""

from __future__ import annotations

from django.db import models


class DebugSession(models.Model):
    """A training that the debugger was attached to.

    Its primary key is the `number` of rows. What the training reported is kept as the text of its JSON: not every
    database's own JSON takes what a hostile name may have.

    Attributes:
        key: what addresses and messages name it by.
        secret_digest: SHA-256 of the secret by which its training gets it again; empty where it has none.
        owner: the web server that has the connection, or had it last.
        seen: when the training was last heard of, seconds since 1970.
        stored: when the row was last written.
        ended: when the training said goodbye.
        reason: why, one of the schema's words.
    """

    key = models.CharField(max_length=16, unique=True)
    secret_digest = models.CharField(max_length=64, default="", blank=True)
    owner = models.CharField(max_length=200, default="")
    connected = models.BooleanField(default=False)
    run_name = models.CharField(max_length=4096, default="", db_index=True, help_text="where the run would be")
    name = models.TextField(default="")
    host = models.TextField(default="")
    pid = models.BigIntegerField(default=0)
    device = models.TextField(default="")
    started = models.FloatField(default=0.0)
    seen = models.FloatField(default=0.0)
    stored = models.FloatField(default=0.0)
    ended = models.FloatField(null=True)
    reason = models.TextField(default="", blank=True)
    message = models.TextField(default="", blank=True)
    hello = models.TextField(default="null")
    state = models.TextField(default="null")
    watching = models.TextField(default="null")
    hits = models.TextField(default="[]")
    cause = models.TextField(default="null")
    divergence = models.TextField(default="null")
    log = models.TextField(default="[]")
    program = models.TextField(default="null", help_text="digest and number of nodes")
    graph = models.TextField(default="null", help_text="digest and size")

    def __str__(self) -> str:
        return f"{self.key} {self.name}"


class DebugTensor(models.Model):
    """Values of one tensor, or the fact that they were here.

    Attributes:
        number: within its session, from 1.
        gone: whether they had to make room.
        came: seconds since 1970.
    """

    session = models.ForeignKey(DebugSession, on_delete=models.CASCADE, related_name="tensors")
    number = models.PositiveIntegerField()
    full_name = models.TextField()
    slot = models.PositiveBigIntegerField(default=0)
    iteration = models.PositiveBigIntegerField(default=0)
    step = models.PositiveBigIntegerField(default=0)
    previous = models.BooleanField(default=False)
    dtype = models.CharField(max_length=16)
    shape = models.JSONField(default=list)
    bytes = models.PositiveBigIntegerField(default=0)
    gone = models.BooleanField(default=False)
    came = models.FloatField(default=0.0, db_index=True)

    class Meta:
        """A number names one."""

        constraints = [models.UniqueConstraint(fields=["session", "number"], name="one_tensor_of_a_number")]

    def __str__(self) -> str:
        return f"{self.session_id} {self.number} {self.full_name}"
