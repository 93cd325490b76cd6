"""The shapes of `api.md` for the OpenAPI schema; a test holds real answers against them.

Answers themselves are made by `queries.py`: a serializer per row would take most of the time of a long list.
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
    """A float; what is no number travels as a word."""


class DamageSerializer(serializers.Serializer[Any]):
    """The first damaged place of a run."""

    count = serializers.IntegerField(help_text="damaged places in all files of the run")
    file = serializers.CharField(help_text="relative to the base directory")
    offset = serializers.IntegerField(help_text="byte offset of the damaged record")
    reason = serializers.CharField()
    message = serializers.CharField(help_text="What is wrong there, in English.")
    code = serializers.CharField(
        help_text="Name of that sentence; pages translate it. Empty where it was noted by an older version."
    )
    detail = serializers.DictField(help_text="What the sentence names beside the offset.")


class LeadTagSerializer(serializers.Serializer[Any]):
    """The scalar tag that stands for a run in lists, and its newest series."""

    series = serializers.IntegerField()
    name = serializers.CharField()
    last_value = NumberField(allow_null=True)


class SegmentSerializer(serializers.Serializer[Any]):
    """A stretch of a run between restarts."""

    number = serializers.IntegerField()
    first_step = serializers.IntegerField()
    last_step = serializers.IntegerField()
    first_wall = serializers.FloatField(help_text="wall time of its first point, seconds since 1970")


class ReadingSerializer(serializers.Serializer[Any]):
    """How fast older data is being read."""

    events_per_second = serializers.FloatField()
    seconds_left = serializers.FloatField(allow_null=True, help_text="null while nothing is read, and beyond a week")


class MarksSerializer(serializers.Serializer[Any]):
    """What people noted about a run."""

    version = serializers.IntegerField(help_text="counts the changes")
    tags = serializers.ListField(child=serializers.CharField(), help_text="free words")
    colour = serializers.IntegerField(allow_null=True, min_value=0, max_value=9, help_text="instead of the run's own")
    note = serializers.CharField(help_text="Markdown")
    pinned = serializers.BooleanField()
    archived = serializers.BooleanField()
    icon = serializers.IntegerField(min_value=0, max_value=10, help_text="one of ten in tables of lineage, 0 for none")
    hidden = serializers.BooleanField(help_text="not drawn on the page of lineage")
    baseline = serializers.BooleanField(help_text="the run that others are held against; one at most")
    changed = serializers.FloatField(help_text="seconds since 1970")


@extend_schema_field(
    {"oneOf": [{"type": "number"}, {"type": "string"}, {"type": "boolean"}], "nullable": True},
)
class ColumnValueField(serializers.Field[Any, Any, Any, Any]):
    """A number, a text, a truth value, or null where a run has none."""


class RunSerializer(serializers.Serializer[Any]):
    """One run as lists show it."""

    number = serializers.IntegerField(help_text="what frames call it")
    id = serializers.CharField(help_text="what addresses call it")
    name = serializers.CharField(help_text="path relative to the base directory, `.` for itself")
    colour = serializers.IntegerField(min_value=0, max_value=9)
    writer = serializers.ChoiceField(choices=Run.Writer.choices)
    state = serializers.ChoiceField(choices=Run.State.choices)
    state_since = serializers.FloatField(help_text="seconds since 1970")
    state_detail = serializers.DictField(help_text="host and pid of the writer, where known")
    first_wall = serializers.FloatField(allow_null=True, help_text="wall time of the first point, seconds since 1970")
    last_wall = serializers.FloatField(allow_null=True)
    last_step = serializers.IntegerField(allow_null=True)
    tags = serializers.IntegerField(help_text="scalar tags")
    points = serializers.IntegerField(help_text="scalar points of all tags")
    files = serializers.IntegerField(help_text="event files")
    bytes = serializers.IntegerField(help_text="size of the event files")
    bytes_read = serializers.IntegerField(help_text="less than `bytes` while older data is being read")
    disk_bytes = serializers.IntegerField(allow_null=True, help_text="everything in the run's directory")
    reading = ReadingSerializer(allow_null=True, help_text="while more than a second of older data is left to read")
    segments = SegmentSerializer(many=True, help_text="more than one where the training was started again")
    damage = DamageSerializer(allow_null=True)
    lead_tag = LeadTagSerializer(allow_null=True)
    marks = MarksSerializer(allow_null=True, required=False, help_text="null until a person made some")
    columns = serializers.DictField(
        required=False, child=ColumnValueField(), help_text="values that `columns` asked for, by the text of each"
    )


class RunListSerializer(serializers.Serializer[Any]):
    """A page of runs."""

    count = serializers.IntegerField(help_text="runs that match, on all pages")
    results = RunSerializer(many=True)


class DiskSerializer(serializers.Serializer[Any]):
    """Why nothing can be stored."""

    condition = serializers.ChoiceField(
        choices=[("full", "full"), ("read_only", "read_only"), ("failing", "failing")],
        help_text="`full` is less than 4 MiB free, or a quota that is used up",
    )
    directory = serializers.CharField(help_text="a directory on that disk")
    free = serializers.IntegerField(help_text="bytes that are free there")


class DamagedDatabaseSerializer(serializers.Serializer[Any]):
    """A damaged database that was set aside; another one was made in its place."""

    at = serializers.FloatField(help_text="when, seconds since 1970")
    why = serializers.CharField(help_text="what was wrong, in words that complete `The database ...`")
    file = serializers.CharField(help_text="where it lies now")
    saved = serializers.DictField(child=serializers.IntegerField(), help_text="rows saved from it, by table")


class StatusSerializer(serializers.Serializer[Any]):
    """How the dashboard is."""

    version = serializers.CharField()
    store = serializers.CharField(help_text="identity of the store of columns")
    now = serializers.FloatField(help_text="the server's clock, seconds since 1970")
    base_directory = serializers.CharField()
    base_directory_short = serializers.CharField(help_text="with ~ for the home directory")
    readable = serializers.BooleanField()
    runs = serializers.IntegerField()
    watching = serializers.ChoiceField(choices=[("events", "events"), ("polling", "polling")])
    checked = serializers.FloatField(help_text="when the reader last looked at the directory, seconds since 1970")
    reader = serializers.ChoiceField(choices=HEALTH)
    broker = serializers.ChoiceField(choices=HEALTH)
    disk = DiskSerializer(allow_null=True, help_text="null while everything can be stored")
    started = serializers.FloatField(help_text="when this server started, seconds since 1970")
    damaged_database = DamagedDatabaseSerializer(allow_null=True, help_text="the last one that was set aside")


class QueryField(TextField):
    """A text in the query language; `understood` reads it."""

    def __init__(self, language: str = "run-query", **options: Any) -> None:
        super().__init__(max_length=MAX_LENGTH, language=language, **options)


class NamesField(QueryField):
    """Names of the query language with commas between them."""

    def __init__(self, **options: Any) -> None:
        super().__init__(language="run-names", **options)


class RemoveQuery(serializers.Serializer[Any]):
    """What `DELETE /api/runs/ID` takes."""

    files = FlagField(required=False, default=False, help_text="delete the event files, too")


class RunListQuery(serializers.Serializer[Any]):
    """What `GET /api/runs` takes."""

    search = TextField(required=False, default="", max_length=1000)
    query = QueryField(required=False, default="", help_text="a query in the language of docs/reference/queries.md")
    sort = NamesField(required=False, default="", help_text="names with commas between them; - for falling")
    columns = NamesField(required=False, default="", help_text="names whose values rows shall carry, with commas")
    limit = WholeField(1, 10_000, required=False, default=1000)
    offset = WholeField(required=False, default=0)
