"""The shapes of lists of tags and steps of recorded values (`recorded.py`), for the OpenAPI schema of the apps that
list them."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from mindinsight.api.fields import NumberListField, WholeField
from mindinsight.runs.api.serializers import NumberField

MAX_STEPS = 100_000
MAX_SERIES = (1 << 32) - 1
"""The highest possible number of a series."""
MAX_INDEX = (1 << 40) - 1


class RecordedSeriesSerializer(serializers.Serializer[Any]):
    """One series of recorded values."""

    run = serializers.IntegerField()
    series = serializers.IntegerField()
    segment = serializers.IntegerField()
    count = serializers.IntegerField(help_text="recorded values")
    first_step = serializers.IntegerField(allow_null=True)
    last_step = serializers.IntegerField(allow_null=True)
    last_wall = serializers.FloatField(allow_null=True)


class RecordedNameSerializer(serializers.Serializer[Any]):
    """All series with one name."""

    name = serializers.CharField()
    series = RecordedSeriesSerializer(many=True)


class RecordedTagListSerializer(serializers.Serializer[Any]):
    """Tags of one kind of recorded values by name."""

    store = serializers.CharField(help_text="identity of the store to which the series numbers belong")
    tags = RecordedNameSerializer(many=True)


class RecordedStepListSerializer(serializers.Serializer[Any]):
    """The steps and times of one series' values, as columns."""

    series = serializers.IntegerField()
    total = serializers.IntegerField(help_text="number of recorded values in the series; may be more than are listed")
    first = serializers.IntegerField(help_text="index of the first one listed")
    step = serializers.ListField(child=serializers.IntegerField())
    wall_time = serializers.ListField(child=NumberField(allow_null=True))


class RecordedTagListQuery(serializers.Serializer[Any]):
    """The parameters of a list of tags."""

    runs = NumberListField(required=False, default=None, help_text="numbers of runs; default: all")


class RecordedRangeQuery(serializers.Serializer[Any]):
    """The requested range of a series' values. Fewer are returned if there are too many."""

    series = WholeField(0, MAX_SERIES)
    first = WholeField(0, MAX_INDEX, required=False, default=0)
    end = WholeField(0, MAX_INDEX, required=False, default=None, help_text="index after the last one")


class RecordedStepListQuery(RecordedRangeQuery):
    """The parameters of a list of steps."""
