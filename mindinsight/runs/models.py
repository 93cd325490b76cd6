"""The tables of runs, their marks, event files and series.

The reader (`mindinsight.ingest`) writes all of them but the marks. Queries read them.
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

    Its primary key is the number in frames; its `uid` is the id in addresses.
    """

    class State(models.TextChoices):
        """The state of a run, from its writer's process."""

        RUNNING = "running"
        FINISHED = "finished"
        CRASHED = "crashed"
        STALLED = "stalled"

    class Removed(models.TextChoices):
        """A removal by a user. A removed run stays away although its directory may still exist."""

        NO = ""
        STORE = "store", "into the trash"
        FILES = "files", "with its event files"

    class Writer(models.TextChoices):
        """The kind of writer of a run's files."""

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
    """The environment of a run, as last recorded: machine, packages, revision, command line.

    It is a separate row, so that lists of ten thousand runs need not load some kilobytes for each.

        Attributes:
            recorded: time of the record, in seconds since 1970.
            content: in the form of `summaries.reading.environment.Noted`.
    """

    run = models.OneToOneField(Run, on_delete=models.CASCADE, primary_key=True, related_name="environment")
    recorded = models.FloatField(default=0.0)
    content = models.JSONField(default=dict)

    def __str__(self) -> str:
        return str(self.run_id)


class RunMarks(models.Model):
    """The marks of a run.

    They belong to the run's name, not to its row. They survive a rebuilt store and a directory that disappears and
    returns,
    and only users change them.

        Attributes:
            version: number of changes, which detects a change that is based on older marks.
            changed: time of the last change, in seconds since 1970.
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
    display_name = models.CharField(
        max_length=200, default="", blank=True, help_text="shown in place of the run's name; empty for none"
    )
    changed = models.FloatField(default=0.0)

    class Meta:
        """There is at most one baseline."""

        verbose_name_plural = "run marks"
        constraints = [
            models.UniqueConstraint(fields=["baseline"], condition=models.Q(baseline=True), name="one_baseline")
        ]

    def __str__(self) -> str:
        return self.run


class EventFile(models.Model):
    """One event file of a run, and how far it has been read.

    `offset` is stored in the same transaction as the counts of the series. After a kill, reading continues from there
    and
    rewrites the same points in the same places.

        Attributes:
            opened: creation time, in seconds since 1970, by which a run's files are sorted.
            stretches: the parts between falls of its steps; nearly always one.
            segment: number of the run's segment in which it begins. Later stretches count on from there.
    """

    class Kind(models.TextChoices):
        """The kind of file."""

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
    """The values of one tag and kind in one event file, between two falls of its steps.

    Its primary key is the number in frames and in the store's files. The reader assigns it.

        Attributes:
            stretch: number of earlier falls of steps in the file.
            segment: number of the run's segment, which follows from the file's segment and the stretch.
            count: number of valid rows in the store. A restarted reader continues after them.
            ordered: whether its steps never fall (false only in a file with very many falls).
            last_value: the newest value of a scalar. None means NaN, which some databases cannot store.
            min: lowest finite value; None if there is none.
            max: highest finite value; None if there is none.
            sum: sum of the finite values.
            not_finite: number of values that are NaN or infinite.
    """

    id = models.BigIntegerField(primary_key=True)
    # The index below begins with this column.
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
        """Series are unique by file, tag, kind and stretch."""

        verbose_name_plural = "series"
        constraints = [
            models.UniqueConstraint(fields=["file", "tag", "kind", "stretch"], name="one_series_per_stretch")
        ]
        # Queries and tables look up one tag in each of ten thousand runs.
        indexes: ClassVar = [models.Index(fields=["run", "tag"], name="series_of_run_by_tag")]

    def __str__(self) -> str:
        return self.tag

    @property
    def shown_last_value(self) -> float | None:
        """The newest value, with NaN; None if there is none."""
        return shown_value(self.last_value, self.count)


def shown_value(last_value: float | None, count: int) -> float | None:
    """Returns the newest value of a series with NaN, which is stored as None."""
    return math.nan if last_value is None and count else last_value


class StoreMark(models.Model):
    """Identifies the store of columns that belongs to this database. Neither can be used without the other."""

    identity = models.CharField(max_length=64)
    next_series = models.BigIntegerField(default=1, help_text="numbers of series below this are given away")

    def __str__(self) -> str:
        return self.identity
