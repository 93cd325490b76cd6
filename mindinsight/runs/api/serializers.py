"""The shapes of `api.md` for the OpenAPI schema. A test checks real answers against them.

`queries.py` makes the answers themselves: a serializer per row would take most of the time of a long list.
"""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from mindinsight.api.fields import FlagField, TextField, WholeField
from mindinsight.runs.models import Run
from mindinsight.runs.search.tokens import MAX_LENGTH

HEALTH = [("ok", "ok"), ("down", "down")]


@extend_schema_field({"oneOf": [{"type": "number"}, {"type": "string", "enum": ["NaN", "Infinity", "-Infinity"]}]})
class NumberField(serializers.Field[Any, Any, Any, Any]):
    """A float. NaN and infinities are sent as words."""


class DamageSerializer(serializers.Serializer[Any]):
    """The first damaged place of a run."""

    count = serializers.IntegerField(help_text="number of damaged places in all files of the run")
    file = serializers.CharField(help_text="relative to the base directory")
    offset = serializers.IntegerField(help_text="byte offset of the damaged record")
    reason = serializers.CharField()
    message = serializers.CharField(help_text="What is wrong there, in English.")
    code = serializers.CharField(
        help_text="Name of that sentence. Pages translate it. Empty if an older version stored it."
    )
    detail = serializers.DictField(help_text="The values in the sentence, besides the offset.")


class LeadTagSerializer(serializers.Serializer[Any]):
    """The scalar tag that represents the run in lists, and its newest series."""

    series = serializers.IntegerField()
    name = serializers.CharField()
    last_value = NumberField(allow_null=True)


class SegmentSerializer(serializers.Serializer[Any]):
    """A segment of a run, between two restarts."""

    number = serializers.IntegerField()
    first_step = serializers.IntegerField()
    last_step = serializers.IntegerField()
    first_wall = serializers.FloatField(help_text="wall time of its first point, in seconds since 1970")


class ReadingSerializer(serializers.Serializer[Any]):
    """The rate at which older data is being read."""

    events_per_second = serializers.FloatField()
    seconds_left = serializers.FloatField(
        allow_null=True, help_text="null while nothing is read, or if more than a week"
    )


class MarksSerializer(serializers.Serializer[Any]):
    """The marks of a run."""

    version = serializers.IntegerField(help_text="number of changes")
    tags = serializers.ListField(child=serializers.CharField(), help_text="free words")
    colour = serializers.IntegerField(
        allow_null=True, min_value=0, max_value=9, help_text="colour instead of the run's own"
    )
    note = serializers.CharField(help_text="Markdown")
    pinned = serializers.BooleanField()
    archived = serializers.BooleanField()
    icon = serializers.IntegerField(
        min_value=0, max_value=10, help_text="one of ten icons in lineage tables, 0 for none"
    )
    hidden = serializers.BooleanField(help_text="whether it is hidden on the lineage page")
    baseline = serializers.BooleanField(
        help_text="whether it is the run with which others are compared; at most one run"
    )
    display_name = serializers.CharField(help_text="shown in place of the run's name; empty for none")
    changed = serializers.FloatField(help_text="seconds since 1970")


@extend_schema_field(
    {"oneOf": [{"type": "number"}, {"type": "string"}, {"type": "boolean"}], "nullable": True},
)
class ColumnValueField(serializers.Field[Any, Any, Any, Any]):
    """A number, a text, a boolean, or null if a run has no value."""


class RunSerializer(serializers.Serializer[Any]):
    """One run in lists."""

    number = serializers.IntegerField(help_text="number of the run in frames")
    id = serializers.CharField(help_text="id of the run in addresses")
    name = serializers.CharField(help_text="path relative to the base directory, `.` for itself")
    colour = serializers.IntegerField(min_value=0, max_value=9)
    writer = serializers.ChoiceField(choices=Run.Writer.choices)
    state = serializers.ChoiceField(choices=Run.State.choices)
    state_since = serializers.FloatField(help_text="seconds since 1970")
    state_detail = serializers.DictField(help_text="host and pid of the writer, if known")
    first_wall = serializers.FloatField(allow_null=True, help_text="wall time of the first point, seconds since 1970")
    last_wall = serializers.FloatField(allow_null=True)
    last_step = serializers.IntegerField(allow_null=True)
    tags = serializers.IntegerField(help_text="scalar tags")
    points = serializers.IntegerField(help_text="number of scalar points of all tags")
    files = serializers.IntegerField(help_text="event files")
    bytes = serializers.IntegerField(help_text="size of the event files")
    bytes_read = serializers.IntegerField(help_text="bytes read; less than `bytes` while older data is being read")
    disk_bytes = serializers.IntegerField(allow_null=True, help_text="size of all files in the run's directory")
    reading = ReadingSerializer(
        allow_null=True, help_text="progress, while more than a second of older data is left to read"
    )
    segments = SegmentSerializer(many=True, help_text="more than one after a restart of the training")
    damage = DamageSerializer(allow_null=True)
    lead_tag = LeadTagSerializer(allow_null=True)
    marks = MarksSerializer(allow_null=True, required=False, help_text="null if there are none")
    columns = serializers.DictField(
        required=False, child=ColumnValueField(), help_text="values that `columns` requested, by the text of each"
    )


class RunListSerializer(serializers.Serializer[Any]):
    """A page of runs."""

    count = serializers.IntegerField(help_text="number of matching runs on all pages")
    results = RunSerializer(many=True)


class DiskSerializer(serializers.Serializer[Any]):
    """The reason why nothing can be stored."""

    condition = serializers.ChoiceField(
        choices=[("full", "full"), ("read_only", "read_only"), ("failing", "failing")],
        help_text="`full` is less than 4 MiB free, or a quota that is used up",
    )
    directory = serializers.CharField(help_text="a directory on that disk")
    free = serializers.IntegerField(help_text="free bytes on the disk")


class DamagedDatabaseSerializer(serializers.Serializer[Any]):
    """A damaged database that was set aside. A new one was created in its place."""

    at = serializers.FloatField(help_text="when, seconds since 1970")
    why = serializers.CharField(help_text="what was wrong, as the end of a sentence `The database ...`")
    file = serializers.CharField(help_text="new path of the damaged database")
    saved = serializers.DictField(child=serializers.IntegerField(), help_text="number of rows saved from it, by table")


class MirrorSerializer(serializers.Serializer[Any]):
    """The local copy of an object store."""

    address = serializers.CharField(help_text="the store's address")
    state = serializers.ChoiceField(
        choices=[("copying", "copying"), ("current", "current"), ("failing", "failing")],
        help_text="`failing` if the store cannot be read; what was copied before is shown",
    )
    error = serializers.CharField(allow_blank=True, help_text="what failed last, and what to do")
    files = serializers.IntegerField(help_text="number of the store's files")
    files_done = serializers.IntegerField(help_text="number of files that are copied")
    bytes = serializers.IntegerField(help_text="bytes of the store's files")
    bytes_done = serializers.IntegerField(help_text="bytes that are copied")
    checked = serializers.FloatField(help_text="when the store was listed last, seconds since 1970; 0 if never")


class StatusSerializer(serializers.Serializer[Any]):
    """The state of the dashboard."""

    version = serializers.CharField()
    store = serializers.CharField(help_text="identity of the store of columns")
    now = serializers.FloatField(help_text="the server's clock, seconds since 1970")
    base_directory = serializers.CharField()
    base_directory_short = serializers.CharField(help_text="with ~ for the home directory")
    readable = serializers.BooleanField()
    runs = serializers.IntegerField()
    watching = serializers.ChoiceField(choices=[("events", "events"), ("polling", "polling")])
    checked = serializers.FloatField(help_text="time of the reader's last scan of the directory, in seconds since 1970")
    reader = serializers.ChoiceField(choices=HEALTH)
    broker = serializers.ChoiceField(choices=HEALTH)
    disk = DiskSerializer(allow_null=True, help_text="null while everything can be stored")
    started = serializers.FloatField(help_text="when this server started, seconds since 1970")
    damaged_database = DamagedDatabaseSerializer(
        allow_null=True, help_text="the last damaged database that was set aside"
    )
    mirror = MirrorSerializer(allow_null=True, help_text="null if the base directory is no object store")


class QueryField(TextField):
    """A text in the query language. `understood` parses it."""

    def __init__(self, language: str = "run-query", **options: Any) -> None:
        super().__init__(max_length=MAX_LENGTH, language=language, **options)


class NamesField(QueryField):
    """Names of the query language, separated by commas."""

    def __init__(self, **options: Any) -> None:
        super().__init__(language="run-names", **options)


class RemoveQuery(serializers.Serializer[Any]):
    """The parameters of `DELETE /api/runs/ID`."""

    files = FlagField(required=False, default=False, help_text="also delete the event files")


class RunListQuery(serializers.Serializer[Any]):
    """The parameters of `GET /api/runs`."""

    search = TextField(required=False, default="", max_length=1000)
    query = QueryField(required=False, default="", help_text="a query in the language of docs/reference/queries.md")
    sort = NamesField(required=False, default="", help_text="names separated by commas; - for descending order")
    columns = NamesField(required=False, default="", help_text="names of values to add to rows, separated by commas")
    limit = WholeField(1, 10_000, required=False, default=1000)
    offset = WholeField(required=False, default=0)
