"""The tables of runs, of what people noted about them, of event files and of the series in them.

All but the marks are written by the reader (`mindinsight.ingest`); read by queries.
"""

from __future__ import annotations

import math
import time
import uuid
from typing import ClassVar

from django.db import models

from summaries.kinds import Kind


class Run(models.Model):
    """One training: a directory with event files.

    Its primary key is the number that frames carry; its `uid` is what addresses show.
    """

    class State(models.TextChoices):
        """What is known about the process behind a run."""

        RUNNING = "running"
        FINISHED = "finished"
        CRASHED = "crashed"
        STALLED = "stalled"

    class Removed(models.TextChoices):
        """What a user took away; such a run stays away although its directory may still be there."""

        NO = ""
        STORE = "store", "into the trash"
        FILES = "files", "with its event files"

    class Writer(models.TextChoices):
        """Who wrote the run's files."""

        MINDSPORE = "mindspore"
        MINDINSIGHT = "mindinsight"
        TENSORBOARD = "tensorboard"
        UNKNOWN = "unknown"

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    name = models.CharField(max_length=4096, unique=True, help_text="path relative to the base directory")
    colour = models.PositiveSmallIntegerField(default=0)
    writer = models.CharField(max_length=16, choices=Writer.choices, default=Writer.UNKNOWN)
    state = models.CharField(max_length=16, choices=State.choices, default=State.RUNNING)
    state_since = models.FloatField(default=0.0)
    state_detail = models.JSONField(default=dict)
    opened = models.FloatField(default=0.0, db_index=True, help_text="when its first file was made; orders runs")
    first_wall = models.FloatField(null=True)
    last_wall = models.FloatField(null=True)
    last_step = models.BigIntegerField(null=True)
    tag_count = models.PositiveIntegerField(default=0)
    point_count = models.PositiveBigIntegerField(default=0)
    lead_series = models.BigIntegerField(
        null=True, help_text="number of the scalar series that stands for the run in lists"
    )
    bytes_on_disk = models.PositiveBigIntegerField(
        null=True, help_text="all files of the directory, measured by a task"
    )
    params = models.JSONField(default=dict, help_text="hyper-parameters that the run notes about itself")
    metrics = models.JSONField(default=dict, help_text="results that the run notes about itself")
    result_tags = models.JSONField(default=list, help_text="scalar tags that its hparams name as results")
    noted = models.BigIntegerField(
        default=time.time_ns, help_text="another number whenever params, metrics or result_tags are others"
    )
    segments = models.JSONField(
        default=list, help_text="stretches between restarts: number, first_step, last_step, first_wall"
    )
    reading = models.JSONField(null=True, help_text="while much is left to read: events_per_second and seconds_left")
    removed = models.CharField(max_length=8, choices=Removed.choices, default=Removed.NO, blank=True)
    removed_at = models.FloatField(null=True, help_text="seconds since 1970; null for what never lay in the trash")
    removed_files = models.JSONField(
        default=list, help_text="its event files when it was removed, as `stored_files.StoredFile` describes them"
    )
    removal_problem = models.JSONField(null=True, help_text="why event files could not be deleted, as an error has it")

    def __str__(self) -> str:
        return self.name


class RunEnvironment(models.Model):
    """What a run is made with, as it noted last: machine, packages, revision, command line.

    A row of its own, so that lists of ten thousand runs do not carry some kilobytes for each.

    Attributes:
        recorded: when the run noted it, seconds since 1970.
        content: as `summaries.reading.environment.Noted` describes it.
    """

    run = models.OneToOneField(Run, on_delete=models.CASCADE, primary_key=True, related_name="environment")
    recorded = models.FloatField(default=0.0)
    content = models.JSONField(default=dict)

    def __str__(self) -> str:
        return str(self.run_id)


class RunMarks(models.Model):
    """What people noted about a run in the dashboard.

    It belongs to the run's name, not to its row: it outlives a store that is rebuilt and a directory that vanishes and
    comes back, and nothing but a person's change ever alters it.

    Attributes:
        version: counts the changes, so that one that was made in sight of older marks is noticed.
        changed: when it was last changed, seconds since 1970.
    """

    run = models.CharField(max_length=4096, unique=True, help_text="the run's name")
    version = models.PositiveIntegerField(default=0)
    tags = models.JSONField(default=list, help_text="free words")
    colour = models.PositiveSmallIntegerField(null=True, help_text="0 to 9 in place of the run's own")
    note = models.TextField(default="", blank=True, help_text="Markdown")
    pinned = models.BooleanField(default=False)
    archived = models.BooleanField(default=False)
    icon = models.PositiveSmallIntegerField(default=0, help_text="one of ten in tables of lineage, 0 for none")
    hidden = models.BooleanField(default=False, help_text="not drawn on the page of lineage")
    baseline = models.BooleanField(default=False, help_text="the run that others are held against; one at most")
    changed = models.FloatField(default=0.0)

    class Meta:
        """One baseline for the whole dashboard."""

        verbose_name_plural = "run marks"
        constraints = [
            models.UniqueConstraint(fields=["baseline"], condition=models.Q(baseline=True), name="one_baseline")
        ]

    def __str__(self) -> str:
        return self.run


class EventFile(models.Model):
    """One event file of a run and how far it has been read.

    `offset` is stored in the same transaction as the counts of the series it led to: after a kill, reading goes on
    from there and rewrites the same points in the same places.

    Attributes:
        opened: when it was made, seconds since 1970; the order of a run's files.
        stretches: what lies between falls of its steps; nearly always one.
        segment: number of the run's segment that it begins in; later stretches follow on.
    """

    class Kind(models.TextChoices):
        """What the file holds."""

        EVENTS = "events"
        LINEAGE = "lineage"

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="event_files")
    path = models.CharField(max_length=4096, unique=True, help_text="relative to the base directory")
    kind = models.CharField(max_length=8, choices=Kind.choices, default=Kind.EVENTS)
    opened = models.FloatField(default=0.0)
    inode = models.BigIntegerField(default=0)
    size = models.PositiveBigIntegerField(default=0)
    offset = models.PositiveBigIntegerField(default=0)
    complete = models.BooleanField(default=False, help_text="all that was there when it was last read is stored")
    damage_count = models.PositiveIntegerField(default=0)
    damages = models.JSONField(default=list, help_text="the first damaged places: offset, reason, message")
    records = models.PositiveBigIntegerField(default=0)
    points = models.PositiveBigIntegerField(default=0)
    first_wall = models.FloatField(null=True)
    last_wall = models.FloatField(null=True)
    stretches = models.JSONField(
        default=list, help_text="between falls of its steps: first_step, last_step and first_wall of each"
    )
    segment = models.PositiveIntegerField(default=0)
    backlog = models.CharField(
        max_length=32,
        default="",
        blank=True,
        help_text="names the chain of tasks that reads the file; empty while the reader's loop does",
    )

    def __str__(self) -> str:
        return self.path


class Series(models.Model):
    """What one tag of one kind has from one event file, between two falls of its steps.

    Its primary key is the number that frames and the store's files carry; the reader gives it.

    Attributes:
        stretch: how often steps had fallen in the file before.
        segment: the run's segment, which follows from the file's and the stretch.
        count: how many rows of the store are certain; a reader that starts again goes on behind them.
        ordered: whether its steps never fall (false only in a file with very many falls).
        last_value: the newest value of a scalar; None stands for NaN, which not every database can store.
        min: lowest finite value, None before there is one.
        max: highest finite value, None before there is one.
        sum: of the finite values.
        not_finite: how many values are NaN or infinite.
    """

    id = models.BigIntegerField(primary_key=True)
    # The index below begins with it.
    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="series", db_index=False)
    # So does the constraint.
    file = models.ForeignKey(EventFile, on_delete=models.CASCADE, related_name="series", db_index=False)
    tag = models.CharField(max_length=1024)
    kind = models.CharField(max_length=16, choices=[(kind.value, kind.value) for kind in Kind])
    stretch = models.PositiveIntegerField(default=0)
    segment = models.PositiveIntegerField(default=0)
    count = models.PositiveBigIntegerField(default=0)
    first_step = models.BigIntegerField(null=True)
    last_step = models.BigIntegerField(null=True)
    first_wall = models.FloatField(null=True)
    last_wall = models.FloatField(null=True)
    ordered = models.BooleanField(default=True)
    last_value = models.FloatField(null=True)
    min = models.FloatField(null=True)
    max = models.FloatField(null=True)
    sum = models.FloatField(default=0.0)
    not_finite = models.PositiveBigIntegerField(default=0)

    class Meta:
        """One series of a tag and kind per stretch of a file."""

        verbose_name_plural = "series"
        constraints = [
            models.UniqueConstraint(fields=["file", "tag", "kind", "stretch"], name="one_series_per_stretch")
        ]
        # Queries and tables look up one tag of each of ten thousand runs.
        indexes: ClassVar = [models.Index(fields=["run", "tag"], name="series_of_run_by_tag")]

    def __str__(self) -> str:
        return self.tag

    @property
    def shown_last_value(self) -> float | None:
        """The newest value with its NaN, None before there is one."""
        return shown_value(self.last_value, self.count)


def shown_value(last_value: float | None, count: int) -> float | None:
    """Returns a series' newest value as it was before the database took it: NaN is stored as None."""
    return math.nan if last_value is None and count else last_value


class StoreMark(models.Model):
    """Which store of columns this database belongs to; the two are only good together."""

    identity = models.CharField(max_length=64)
    next_series = models.BigIntegerField(default=1, help_text="numbers of series below this are given away")

    def __str__(self) -> str:
        return self.identity
