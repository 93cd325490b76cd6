"""The shapes of `api.md` for the OpenAPI schema; a test holds real answers against them."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from mindinsight.config.answers import ErrorSerializer
from mindinsight.runs.recorded_serializers import RecordedSeriesSerializer, RecordedTagListQuery
from mindinsight.runs.serializers import NumberField

MAX_STEPS = 100_000
MAX_ROWS = 200
_MAX_SERIES = (1 << 32) - 1
_MAX_INDEX = (1 << 40) - 1


class ImageSeriesSerializer(RecordedSeriesSerializer):
    """One series of images."""


class ImageTagSerializer(serializers.Serializer[Any]):
    """All series of one name."""

    name = serializers.CharField()
    series = ImageSeriesSerializer(many=True)


class ImageTagListSerializer(serializers.Serializer[Any]):
    """Tags of images by name."""

    store = serializers.CharField(help_text="names the store that the numbers of series belong to")
    tags = ImageTagSerializer(many=True)


class ImageStepListSerializer(serializers.Serializer[Any]):
    """When the images of one series were recorded, as columns."""

    series = serializers.IntegerField()
    total = serializers.IntegerField(help_text="recorded images that the series has; more than are listed, perhaps")
    first = serializers.IntegerField(help_text="index of the first one listed")
    step = serializers.ListField(child=serializers.IntegerField())
    wall_time = serializers.ListField(child=NumberField(allow_null=True))


class ImageSerializer(serializers.Serializer[Any]):
    """One recorded image; with `error` set, what is not known is 0 or null."""

    index = serializers.IntegerField()
    step = serializers.IntegerField()
    wall_time = NumberField(allow_null=True)
    pictures = serializers.IntegerField(help_text="how many pictures were recorded together")
    width = serializers.IntegerField(allow_null=True, help_text="of the first picture, in pixels")
    height = serializers.IntegerField(allow_null=True, help_text="of the first picture, in pixels")
    type = serializers.CharField(allow_null=True, help_text="media type of the first picture, such as image/png")
    error = ErrorSerializer(allow_null=True, help_text="why the first picture cannot be shown")


class ImageListSerializer(serializers.Serializer[Any]):
    """Recorded images of one series."""

    series = serializers.IntegerField()
    run = serializers.IntegerField()
    tag = serializers.CharField()
    total = serializers.IntegerField(help_text="recorded images that the series has; more than are listed, perhaps")
    images = ImageSerializer(many=True)


class ImageTagListQuery(RecordedTagListQuery):
    """What `GET /api/images/tags` takes."""


class ImageStepListQuery(serializers.Serializer[Any]):
    """What `GET /api/images/steps` takes."""

    series = serializers.IntegerField(min_value=0, max_value=_MAX_SERIES)
    first = serializers.IntegerField(required=False, min_value=0, max_value=_MAX_INDEX, default=0)
    end = serializers.IntegerField(
        required=False, min_value=0, max_value=_MAX_INDEX, default=None, help_text=f"at most {MAX_STEPS} at once"
    )


class ImageListQuery(serializers.Serializer[Any]):
    """What `GET /api/images/list` takes."""

    series = serializers.IntegerField(min_value=0, max_value=_MAX_SERIES)
    first = serializers.IntegerField(required=False, min_value=0, max_value=_MAX_INDEX, default=0)
    end = serializers.IntegerField(
        required=False,
        min_value=0,
        max_value=_MAX_INDEX,
        default=None,
        help_text=f"at most {MAX_ROWS} at once; fewer where they are large",
    )


class ImageFileQuery(serializers.Serializer[Any]):
    """What `GET /api/images/file` takes."""

    series = serializers.IntegerField(min_value=0, max_value=_MAX_SERIES)
    index = serializers.IntegerField(min_value=0, max_value=_MAX_INDEX)
    number = serializers.IntegerField(required=False, min_value=0, max_value=_MAX_INDEX, default=0)
    store = serializers.CharField(
        required=False, default="", max_length=64, help_text="the store meant; the answer may then be kept for ever"
    )
