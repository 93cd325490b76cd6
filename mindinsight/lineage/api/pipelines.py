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

    key = serializers.CharField(help_text="name in the pipeline: Map, and Map_2 for the second one")
    op = serializers.CharField()
    depth = serializers.IntegerField(help_text="number of operations after it")
    arguments = serializers.DictField(help_text="JSON values by name; arguments of a sampler as sampler.NAME")
    children = serializers.ListField(
        child=serializers.IntegerField(), help_text="indices of the operations that it reads"
    )


class PipelineSerializer(serializers.Serializer[Any]):
    """One pipeline and its runs."""

    id = serializers.CharField(help_text="equal for equal pipelines")
    graph = serializers.CharField(help_text="its name in links to the graph page")
    runs = serializers.ListField(child=serializers.IntegerField(), help_text="numbers of runs")
    line = serializers.BooleanField(help_text="whether no data is combined")
    operations = PipelineOperationSerializer(many=True)


class PipelineColumnSerializer(serializers.Serializer[Any]):
    """One argument of one operation."""

    key = serializers.CharField()
    op = serializers.CharField()
    argument = serializers.CharField(allow_null=True, help_text="null for the operation itself")
    differs = serializers.BooleanField(help_text="whether the pipelines with this operation differ in the argument")


class PipelinesSerializer(serializers.Serializer[Any]):
    """The pipelines of runs. Those with the most runs come first."""

    pipelines = PipelineSerializer(many=True)
    columns = PipelineColumnSerializer(many=True)
    without = serializers.ListField(child=serializers.IntegerField(), help_text="number of runs without a pipeline")
    left_out = serializers.IntegerField(help_text="number of further pipelines, with few runs each")


class PipelinesView(APIView):
    """Input pipelines."""

    @extend_schema(
        operation_id="compare_pipelines",
        parameters=[LineageQuery],
        responses={200: PipelinesSerializer, 400: ErrorSerializer},
    )
    def get(self, request: Request) -> Response:
        """The distinct input pipelines of all runs that match a query, and their differences."""
        asked = read_parameters(LineageQuery, request)
        condition = understood("query", search.parse_condition, asked) & on_shelf(asked["shelf"])
        numbers = list(matching(wanted=Wanted(condition)).values_list("pk", flat=True))
        return Response(compare_pipelines(numbers))
