"""The view of `api.md` for the input pipelines of runs, and the shapes of its answer."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from mindinsight.api.answers import ErrorSerializer
from mindinsight.api.described import extend_schema
from mindinsight.api.parameters import read_parameters
from mindinsight.lineage.api.table import LineageQuery
from mindinsight.lineage.pipelines import compare_pipelines
from mindinsight.runs import search
from mindinsight.runs.api.search import understood
from mindinsight.runs.order import on_shelf
from mindinsight.runs.queries import Wanted, matching


class PipelineOperationSerializer(serializers.Serializer[Any]):
    """One operation of a pipeline."""

    key = serializers.CharField(help_text="its name in the pipeline: Map, and Map_2 for the second")
    op = serializers.CharField()
    depth = serializers.IntegerField(help_text="how many operations come behind it")
    arguments = serializers.DictField(help_text="JSON values by name; those of a sampler as sampler.NAME")
    children = serializers.ListField(child=serializers.IntegerField(), help_text="places of what it reads")


class PipelineSerializer(serializers.Serializer[Any]):
    """One pipeline and the runs that have it."""

    id = serializers.CharField(help_text="the same for the same pipeline")
    graph = serializers.CharField(help_text="what links to the page of graphs call it")
    runs = serializers.ListField(child=serializers.IntegerField(), help_text="numbers of runs")
    line = serializers.BooleanField(help_text="whether no data is combined")
    operations = PipelineOperationSerializer(many=True)


class PipelineColumnSerializer(serializers.Serializer[Any]):
    """One argument of one operation."""

    key = serializers.CharField()
    op = serializers.CharField()
    argument = serializers.CharField(allow_null=True, help_text="null for whether the operation is there")
    differs = serializers.BooleanField(help_text="whether the pipelines that have the operation differ in it")


class PipelinesSerializer(serializers.Serializer[Any]):
    """The pipelines of runs, those of the most runs first."""

    pipelines = PipelineSerializer(many=True)
    columns = PipelineColumnSerializer(many=True)
    without = serializers.ListField(child=serializers.IntegerField(), help_text="runs that note none")
    left_out = serializers.IntegerField(help_text="further pipelines, of few runs each")


class PipelinesView(APIView):
    """Input pipelines."""

    @extend_schema(
        operation_id="compare_pipelines",
        parameters=[LineageQuery],
        responses={200: PipelinesSerializer, 400: ErrorSerializer},
    )
    def get(self, request: Request) -> Response:
        """The input pipelines of all runs that a query finds, equal ones once, and in what they differ."""
        asked = read_parameters(LineageQuery, request)
        condition = understood("query", search.parse_condition, asked) & on_shelf(asked["shelf"])
        numbers = list(matching(wanted=Wanted(condition)).values_list("pk", flat=True))
        return Response(compare_pipelines(numbers))
