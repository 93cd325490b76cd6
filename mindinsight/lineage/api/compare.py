"""The view of `api.md` that compares runs, and the shapes of its answer."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from mindinsight.api.answers import ErrorSerializer
from mindinsight.api.described import extend_schema
from mindinsight.api.fields import NumberListField
from mindinsight.api.parameters import read_parameters
from mindinsight.lineage.compare import SECTIONS, compare

MAX_RUNS = 100


@extend_schema_field(
    {
        "oneOf": [{"type": "number"}, {"type": "string"}, {"type": "boolean"}, {"type": "array", "items": {}}],
        "nullable": True,
    }
)
class NotedValueField(serializers.Field[Any, Any, Any, Any]):
    """A number, a text, a boolean, a list of these, or null if a run has no value."""


class CompareRowSerializer(serializers.Serializer[Any]):
    """The values of runs under one name."""

    name = serializers.CharField()
    values = serializers.ListField(child=NotedValueField(allow_null=True), help_text="in the order of the runs")
    set = serializers.ListField(child=serializers.BooleanField(), help_text="whether each run has a value")
    same = serializers.BooleanField(help_text="whether all runs have the same value")


class CompareSectionSerializer(serializers.Serializer[Any]):
    """Rows of one kind. Rows with differences come first."""

    name = serializers.ChoiceField(choices=list(SECTIONS))
    rows = CompareRowSerializer(many=True)


class CompareSerializer(serializers.Serializer[Any]):
    """Runs side by side."""

    runs = serializers.ListField(
        child=serializers.IntegerField(), help_text="numbers; runs that do not exist any more are left out"
    )
    sections = CompareSectionSerializer(many=True)


class CompareQuery(serializers.Serializer[Any]):
    """The parameters of `GET /api/lineage/compare`."""

    runs = NumberListField(MAX_RUNS, 1, help_text=f"numbers of runs, at most {MAX_RUNS}")


class Compare(APIView):
    """Runs side by side."""

    @extend_schema(
        operation_id="compare_runs",
        parameters=[CompareQuery],
        responses={200: CompareSerializer, 400: ErrorSerializer},
    )
    def get(self, request: Request) -> Response:
        """The common values of some runs, and their differences."""
        runs, sections = compare(read_parameters(CompareQuery, request)["runs"])
        return Response({"runs": runs, "sections": sections})
