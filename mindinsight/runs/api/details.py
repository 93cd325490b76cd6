"""The view of `api.md` for the details of runs, and the shapes of its answer."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from mindinsight.api.answers import ErrorSerializer
from mindinsight.api.described import extend_schema
from mindinsight.api.fields import FlagField, NumberListField
from mindinsight.api.parameters import read_parameters
from mindinsight.runs.api.search import understood
from mindinsight.runs.api.serializers import NumberField, QueryField, SegmentSerializer
from mindinsight.runs.details import run_details
from mindinsight.runs.models import Run
from mindinsight.runs.search import parse_condition


class TextsField(serializers.DictField):
    """Texts by name."""

    child = serializers.CharField()


class DeviceSerializer(serializers.Serializer[Any]):
    """A processor or an accelerator."""

    kind = serializers.CharField(help_text="cpu, gpu or npu")
    name = serializers.CharField()
    memory_bytes = serializers.IntegerField(allow_null=True)


class SourceSerializer(serializers.Serializer[Any]):
    """The revision of the program's source."""

    revision = serializers.CharField(allow_blank=True)
    branch = serializers.CharField(allow_blank=True)
    changed = serializers.BooleanField(allow_null=True, help_text="whether tracked files differed; null if unknown")


class EnvironmentSerializer(serializers.Serializer[Any]):
    """The environment of a run. Unknown fields are missing."""

    host = serializers.CharField(required=False)
    platform = serializers.CharField(required=False)
    python = serializers.CharField(required=False)
    cpu_count = serializers.IntegerField(required=False)
    memory_bytes = serializers.IntegerField(required=False)
    working_directory = serializers.CharField(required=False)
    seed = serializers.CharField(required=False, help_text="in decimal, of any size")
    command_line = serializers.ListField(child=serializers.CharField(), required=False)
    packages = TextsField(required=False, help_text="versions by name")
    variables = TextsField(required=False)
    devices = DeviceSerializer(many=True, required=False)
    source = SourceSerializer(required=False)  # type: ignore[assignment]  # a field's own `source` is another thing


class RunDetailsSerializer(serializers.Serializer[Any]):
    """One run's recorded parameters and metrics, the last value of each of its scalar tags, and all its tags."""

    number = serializers.IntegerField(help_text="number of the run in frames")
    id = serializers.CharField(help_text="id of the run in addresses")
    name = serializers.CharField(help_text="path relative to the base directory, `.` for itself")
    state = serializers.ChoiceField(choices=Run.State.choices)
    segments = SegmentSerializer(many=True)
    params = serializers.DictField(help_text="texts, numbers, booleans and lists of these, by name")
    metrics = serializers.DictField(child=NumberField(), help_text="numbers by name")
    tags = serializers.DictField(child=serializers.ListField(child=serializers.CharField()), help_text="names by kind")
    environment = EnvironmentSerializer(
        required=False, allow_null=True, help_text="if requested; null if the run recorded none"
    )


class RunDetailsListSerializer(serializers.Serializer[Any]):
    """The details of runs, newest first."""

    runs = RunDetailsSerializer(many=True)


class RunDetailsQuery(serializers.Serializer[Any]):
    """The parameters of `GET /api/runs/details`."""

    runs = NumberListField(required=False, default=None, help_text="numbers of runs; default: all")
    query = QueryField(required=False, default="", help_text="a query in the language of docs/reference/queries.md")
    environment = FlagField(required=False, default=False, help_text="whether to include the runs' environments")


class RunDetailsList(APIView):
    """Parameters, results and tags of runs."""

    @extend_schema(
        operation_id="list_run_details",
        parameters=[RunDetailsQuery],
        responses={200: RunDetailsListSerializer, 400: ErrorSerializer},
    )
    def get(self, request: Request) -> Response:
        """The recorded parameters and metrics of the named runs, the last values of their scalars, and the names of all
        tags.
        """
        asked = read_parameters(RunDetailsQuery, request)
        condition = understood("query", parse_condition, asked)
        return Response({"runs": run_details(asked["runs"], condition, environment=asked["environment"])})
