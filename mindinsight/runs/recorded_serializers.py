"""The shapes of lists of tags of recorded values (`recorded.py`), for the OpenAPI schema of the apps that list them."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from mindinsight.config.parameters import NumberListField


class RecordedSeriesSerializer(serializers.Serializer[Any]):
    """One series of recorded values."""

    run = serializers.IntegerField()
    series = serializers.IntegerField()
    segment = serializers.IntegerField()
    count = serializers.IntegerField(help_text="recorded values")
    first_step = serializers.IntegerField(allow_null=True)
    last_step = serializers.IntegerField(allow_null=True)
    last_wall = serializers.FloatField(allow_null=True)


class RecordedTagListQuery(serializers.Serializer[Any]):
    """What a list of tags takes."""

    runs = NumberListField(required=False, allow_blank=True, default=None, help_text="numbers of runs, all by default")
