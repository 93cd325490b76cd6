"""The shapes of `api.md`."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from mindinsight.api.fields import ChoiceField, WholeField
from mindinsight.exports.models import Export
from mindinsight.transfer.export import Format

MAX_RUNS = 1000


class NewExportSerializer(serializers.Serializer[Any]):
    """The body of `POST /api/exports`."""

    runs = serializers.ListField(child=WholeField(), min_length=1, max_length=MAX_RUNS, help_text="numbers of runs")
    format = ChoiceField(Format)


class ExportSerializer(serializers.Serializer[Any]):
    """An export."""

    id = serializers.CharField(source="uid")
    format = serializers.ChoiceField(source="target", choices=[(each.value, each.value) for each in Format])
    state = serializers.ChoiceField(choices=Export.State.choices)
    runs = serializers.ListField(child=serializers.CharField(), help_text="their names")
    done = serializers.IntegerField(help_text="number of runs in the archive")
    points = serializers.IntegerField(help_text="number of scalars written so far")
    values = serializers.IntegerField(help_text="number of other values written so far")
    notes = serializers.ListField(
        child=serializers.CharField(), help_text="sentences about values that were left out, changed or broken"
    )
    message = serializers.CharField(help_text="reason of a failure; empty otherwise")
    size = serializers.IntegerField(help_text="bytes of the archive so far")
    created = serializers.FloatField(help_text="seconds since 1970")
    changed = serializers.FloatField(help_text="seconds since 1970")


class ExportListSerializer(serializers.Serializer[Any]):
    """All exports, newest first."""

    exports = ExportSerializer(many=True)
