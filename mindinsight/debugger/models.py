"""The debugger's tables: sessions with their last known state, and tensors whose values are stored.

`records.py` writes them for the web server that has a training's connection. That server and the views read them.
"""

from __future__ import annotations

from django.db import models


class DebugSession(models.Model):
    """A training with an attached debugger.

    The primary key is the `number` of rows. The training's report is stored as JSON text, because some databases' JSON
    types do not accept every character of a hostile name.

    Attributes:
        key: its name in addresses and messages.
        secret_digest: SHA-256 of the secret with which its training reclaims the session; empty without a secret.
        owner: the web server that has or last had the connection.
        seen: time of the training's last message, in seconds since 1970.
        stored: time of the last write of the row.
        ended: time of the training's `Bye` message.
        reason: reason of the end, one of the schema's words.
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
    causes = models.TextField(default="[]", help_text="one per step, oldest first")
    divergence = models.TextField(default="null")
    log = models.TextField(default="[]")
    program = models.TextField(default="null", help_text="digest and number of nodes")
    graph = models.TextField(default="null", help_text="digest and size")

    def __str__(self) -> str:
        return f"{self.key} {self.name}"


class DebugTensor(models.Model):
    """The values of one tensor, or a record that they were deleted.

    Attributes:
        number: within its session, from 1.
        gone: whether they were deleted to make room.
        came: arrival, in seconds since 1970.
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
        """The number is unique within the session."""

        constraints = [models.UniqueConstraint(fields=["session", "number"], name="one_tensor_of_a_number")]

    def __str__(self) -> str:
        return f"{self.session_id} {self.number} {self.full_name}"
