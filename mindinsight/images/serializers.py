"""The shapes of `api.md` for the OpenAPI schema. A test checks real answers against them."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from mindinsight.api.answers import ErrorSerializer
from mindinsight.api.fields import TextField, WholeField
from mindinsight.runs.api.recorded_serializers import MAX_INDEX, MAX_SERIES, RecordedRangeQuery
from mindinsight.runs.api.serializers import NumberField

MAX_ROWS = 200


class ImageSerializer(serializers.Serializer[Any]):
    """One recorded image. If `error` is set, unknown values are 0 or null."""

    index = serializers.IntegerField()
    step = serializers.IntegerField()
    wall_time = NumberField(allow_null=True)
    pictures = serializers.IntegerField(help_text="number of pictures that were recorded together")
    width = serializers.IntegerField(allow_null=True, help_text="width of the first picture in pixels")
    height = serializers.IntegerField(allow_null=True, help_text="height of the first picture in pixels")
    type = serializers.CharField(allow_null=True, help_text="media type of the first picture, such as image/png")
    error = ErrorSerializer(allow_null=True, help_text="why the first picture cannot be shown")


class ImageListSerializer(serializers.Serializer[Any]):
    """Recorded images of one series."""

    series = serializers.IntegerField()
    run = serializers.IntegerField()
    tag = serializers.CharField()
    total = serializers.IntegerField(help_text="number of recorded images in the series; may be more than are listed")
    images = ImageSerializer(many=True)


class ImageListQuery(RecordedRangeQuery):
    """The parameters of `GET /api/images/list`. At most 200 images per request, fewer if they are large."""


class ImageFileQuery(serializers.Serializer[Any]):
    """The parameters of `GET /api/images/file`."""

    series = WholeField(0, MAX_SERIES)
    index = WholeField(0, MAX_INDEX)
    number = WholeField(0, MAX_INDEX, required=False, default=0)
    store = TextField(
        required=False,
        default="",
        max_length=64,
        help_text="identity of the store; the answer may then be cached for ever",
    )
