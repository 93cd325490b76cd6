"""The shapes of `api.md` for the OpenAPI schema; a test holds real answers against them."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from mindinsight.config.answers import ErrorSerializer
from mindinsight.config.parameters import NumberListField
from mindinsight.runs.recorded_serializers import RecordedRangeQuery
from mindinsight.runs.serializers import NumberField
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

    characters = serializers.IntegerField(
        required=False, min_value=1, max_value=MAX_CHARACTERS, default=20_000, help_text="so many of each text"
    )


class PositionField(serializers.CharField):
    """Where a search goes on: `series:index`."""

    def to_internal_value(self, data: Any) -> Any:
        """Returns the position."""
        parts = super().to_internal_value(data).split(":")
        if len(parts) != 2 or not all(part.isascii() and part.isdigit() and len(part) < 13 for part in parts):
            raise serializers.ValidationError("what an answer gave as `next` is expected, such as 31:7")
        return Position(*map(int, parts))


class TextSearchQuery(serializers.Serializer[Any]):
    """What `GET /api/text/search` takes."""

    words = serializers.CharField(max_length=200, trim_whitespace=False)
    runs = NumberListField(required=False, allow_blank=True, default=None, help_text="numbers of runs, all by default")
    start = PositionField(required=False, default=None, help_text="`next` of the answer before")
