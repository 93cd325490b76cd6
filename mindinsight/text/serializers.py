"""The shapes of `api.md` for the OpenAPI schema. A test checks real answers against them."""

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
    """One recorded text. If `error` is set, all fields but index, step and wall time are empty."""

    index = serializers.IntegerField()
    step = serializers.IntegerField()
    wall_time = NumberField(allow_null=True)
    shape = serializers.ListField(
        child=serializers.IntegerField(), help_text="shape of a table of texts; empty for a single text"
    )
    cells = serializers.ListField(
        child=serializers.CharField(allow_blank=True),
        help_text="the texts, row by row; not all if `complete` is false",
    )
    characters = serializers.IntegerField(
        help_text="number of characters of all texts together, including omitted ones"
    )
    complete = serializers.BooleanField(help_text="whether everything that was recorded is included")
    markdown = serializers.BooleanField(help_text="whether the writer declares Markdown")
    sound = serializers.BooleanField(help_text="whether all bytes were valid UTF-8; others are replaced")
    error = ErrorSerializer(allow_null=True, help_text="why it could not be read, with file and offset")


class TextListSerializer(serializers.Serializer[Any]):
    """Recorded texts of one series."""

    series = serializers.IntegerField()
    run = serializers.IntegerField()
    tag = serializers.CharField()
    total = serializers.IntegerField(help_text="number of recorded texts in the series; may be more than are listed")
    texts = TextSerializer(many=True)


class TextHitSerializer(serializers.Serializer[Any]):
    """One text that contains the words."""

    run = serializers.IntegerField()
    series = serializers.IntegerField()
    tag = serializers.CharField()
    index = serializers.IntegerField()
    step = serializers.IntegerField()
    excerpt = serializers.CharField(help_text="text around the first match")
    at = serializers.IntegerField(help_text="start of the match in the excerpt, in characters (code points)")
    length = serializers.IntegerField(help_text="length of the match in characters")
    count = serializers.IntegerField(help_text="number of matches")


class TextSearchSerializer(serializers.Serializer[Any]):
    """A portion of a search."""

    hits = TextHitSerializer(many=True)
    texts = serializers.IntegerField(help_text="number of texts read for this answer")
    unreadable = serializers.IntegerField(help_text="number of unreadable texts among them")
    next = serializers.CharField(allow_null=True, help_text="value of `start` for the next portion; null at the end")


class TextListQuery(RecordedRangeQuery):
    """The parameters of `GET /api/text/list`. At most 200 texts per request, fewer if they are large."""

    characters = WholeField(
        1, MAX_CHARACTERS, required=False, default=20_000, help_text="maximum number of characters of each text"
    )


class PositionField(TextField):
    """The place where a search continues: `series:index`."""

    def __init__(self, **options: Any) -> None:
        expected = "the `next` of an answer, such as 31:7,"
        super().__init__(max_length=25, pattern="^[0-9]{1,12}:[0-9]{1,12}$", expected=expected, **options)

    def to_internal_value(self, data: Any) -> Any:
        """Returns the parsed place."""
        return Position(*map(int, super().to_internal_value(data).split(":")))


class TextSearchQuery(serializers.Serializer[Any]):
    """The parameters of `GET /api/text/search`."""

    words = TextField(min_length=1, max_length=200)
    runs = NumberListField(required=False, default=None, help_text="numbers of runs; default: all")
    start = PositionField(required=False, default=None, help_text="`next` of the previous answer")
