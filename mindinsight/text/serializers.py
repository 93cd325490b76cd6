"""The shapes of `api.md` for the OpenAPI schema; a test holds real answers against them."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from mindinsight.api.answers import ErrorSerializer
from mindinsight.api.fields import NumberListField, TextField, WholeField
from mindinsight.runs.api.recorded_serializers import RecordedRangeQuery
from mindinsight.runs.api.serializers import NumberField
from mindinsight.text.search import Position

MAX_ROWS = 200
MAX_CHARACTERS = 1 << 26


class TextSerializer(serializers.Serializer[Any]):
    """One recorded text; with `error` set, all else but index, step and wall time is empty."""

    index = serializers.IntegerField()
    step = serializers.IntegerField()
    wall_time = NumberField(allow_null=True)
    shape = serializers.ListField(
        child=serializers.IntegerField(), help_text="of a table of texts; empty for one single text"
    )
    cells = serializers.ListField(
        child=serializers.CharField(allow_blank=True),
        help_text="the texts, row by row; not all where `complete` is false",
    )
    characters = serializers.IntegerField(help_text="of all texts together, also of those left out")
    complete = serializers.BooleanField(help_text="whether everything that was recorded is here")
    markdown = serializers.BooleanField(help_text="whether the writer means Markdown")
    sound = serializers.BooleanField(help_text="whether all bytes were UTF-8; others are replaced")
    error = ErrorSerializer(allow_null=True, help_text="why it could not be read; names file and offset")


class TextListSerializer(serializers.Serializer[Any]):
    """Recorded texts of one series."""

    series = serializers.IntegerField()
    run = serializers.IntegerField()
    tag = serializers.CharField()
    total = serializers.IntegerField(help_text="recorded texts that the series has; more than are listed, perhaps")
    texts = TextSerializer(many=True)


class TextHitSerializer(serializers.Serializer[Any]):
    """One text that has the words."""

    run = serializers.IntegerField()
    series = serializers.IntegerField()
    tag = serializers.CharField()
    index = serializers.IntegerField()
    step = serializers.IntegerField()
    excerpt = serializers.CharField(help_text="what stands around the first place")
    at = serializers.IntegerField(help_text="where the words begin in the excerpt, in characters (code points)")
    length = serializers.IntegerField(help_text="how long they are there")
    count = serializers.IntegerField(help_text="how often the text has them")


class TextSearchSerializer(serializers.Serializer[Any]):
    """A portion of a search."""

    hits = TextHitSerializer(many=True)
    texts = serializers.IntegerField(help_text="how many texts were read for this answer")
    unreadable = serializers.IntegerField(help_text="how many of them could not be read")
    next = serializers.CharField(allow_null=True, help_text="what to give as `start`; null when all were searched")


class TextListQuery(RecordedRangeQuery):
    """What `GET /api/text/list` takes; at most 200 at once, fewer where they are large."""

    characters = WholeField(1, MAX_CHARACTERS, required=False, default=20_000, help_text="most of each text")


class PositionField(TextField):
    """Where a search goes on: `series:index`."""

    def __init__(self, **options: Any) -> None:
        expected = "what an answer gave as `next`, such as 31:7,"
        super().__init__(max_length=25, pattern="^[0-9]{1,12}:[0-9]{1,12}$", expected=expected, **options)

    def to_internal_value(self, data: Any) -> Any:
        """Returns the position."""
        return Position(*map(int, super().to_internal_value(data).split(":")))


class TextSearchQuery(serializers.Serializer[Any]):
    """What `GET /api/text/search` takes."""

    words = TextField(min_length=1, max_length=200)
    runs = NumberListField(required=False, default=None, help_text="numbers of runs, all by default")
    start = PositionField(required=False, default=None, help_text="`next` of the answer before")
