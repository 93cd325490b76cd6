"""The views of `api.md` for tables of very many runs: which runs in which order and groups, and values of columns."""

from __future__ import annotations

import time
from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from mindinsight.api.answers import ErrorSerializer
from mindinsight.api.described import extend_schema
from mindinsight.api.fields import ChoiceField, NumberListField
from mindinsight.api.parameters import read_parameters
from mindinsight.runs import order, search
from mindinsight.runs.api.search import understood
from mindinsight.runs.api.serializers import ColumnValueField, NamesField, NumberField, QueryField
from mindinsight.runs.queries import Wanted, matching

_QUERY = "a query in the language of docs/reference/queries.md"


class ColumnStatisticsSerializer(serializers.Serializer[Any]):
    """What the runs of a group have in one column."""

    n = serializers.IntegerField(help_text="finite numbers among them")
    mean = NumberField(allow_null=True)
    std = NumberField(allow_null=True, help_text="standard deviation of a sample; null for fewer than two")
    min = NumberField(allow_null=True)
    max = NumberField(allow_null=True)
    best = NumberField(allow_null=True, help_text="null where the name does not tell which end is better")
    same = ColumnValueField(required=False, help_text="the value, where all have the same or none has one")


class GroupSerializer(serializers.Serializer[Any]):
    """Runs that have the same value under a key; groups of the next level lie inside."""

    level = serializers.IntegerField(help_text="0 for the outermost")
    key = ColumnValueField(help_text="null for runs that have no value")
    first = serializers.IntegerField(help_text="place of its first run in `runs`")
    count = serializers.IntegerField()
    columns = serializers.DictField(child=ColumnStatisticsSerializer(), help_text="by the text of each")


class RunOrderSerializer(serializers.Serializer[Any]):
    """Which runs, in which order."""

    runs = serializers.ListField(child=serializers.IntegerField(), help_text="numbers of runs")
    groups = GroupSerializer(many=True, help_text="each in front of the groups inside it")
    of = serializers.IntegerField(help_text="runs on the shelf, whether the query finds them or not")
    archived = serializers.IntegerField(help_text="runs in the archive")
    milliseconds = serializers.FloatField(help_text="how long the search took")


class RunOrderQuery(serializers.Serializer[Any]):
    """What `GET /api/runs/order` takes."""

    query = QueryField(required=False, default="", help_text=_QUERY)
    sort = NamesField(required=False, default="", help_text="names with commas between them; - for falling")
    by = NamesField(required=False, default="", help_text="names with commas: what groups have in common")
    columns = NamesField(required=False, default="", help_text="names of which groups shall tell statistics")
    shelf = ChoiceField(
        ["active", "archived", "all"], required=False, default="all", help_text="without the archive, or only it"
    )


class RunOrder(APIView):
    """Runs in the order of a table."""

    @extend_schema(
        operation_id="order_runs",
        parameters=[RunOrderQuery],
        responses={200: RunOrderSerializer, 400: ErrorSerializer},
    )
    def get(self, request: Request) -> Response:
        """Numbers of the runs that a query finds, in order, and in groups where `by` names keys."""
        began = time.perf_counter()
        asked = read_parameters(RunOrderQuery, request)
        shelf = order.on_shelf(asked["shelf"])
        wanted = Wanted(
            condition=understood("query", search.parse_condition, asked) & shelf,
            order=understood("sort", search.parse_order, asked),
            columns=understood("columns", search.parse_columns, asked),
        )
        found = order.ordered(wanted, understood("by", search.parse_columns, asked))
        milliseconds = (time.perf_counter() - began) * 1000
        return Response(
            {
                "runs": found.runs,
                "groups": found.groups,
                "of": matching(wanted=Wanted(condition=shelf)).count(),
                "archived": matching(wanted=Wanted(condition=order.on_shelf("archived"))).count(),
                "milliseconds": round(milliseconds, 1),
            }
        )


class ColumnSerializer(serializers.Serializer[Any]):
    """What a page has to know of a column."""

    title = serializers.CharField(help_text="the text that asked for it")
    better = serializers.ChoiceField(
        ["min", "max"], allow_null=True, help_text="which values are better, as its name tells; null where it does not"
    )


class RunValuesSerializer(serializers.Serializer[Any]):
    """Values of columns."""

    columns = ColumnSerializer(many=True)
    values = serializers.DictField(
        child=serializers.ListField(child=ColumnValueField(allow_null=True)),
        help_text="by the runs' numbers, in the order of `columns`",
    )


class RunValuesQuery(serializers.Serializer[Any]):
    """What `GET /api/runs/values` takes."""

    runs = NumberListField(1000, help_text="numbers of runs, at most 1000")
    columns = NamesField(required=False, default="", help_text="names with commas")


class RunValues(APIView):
    """Values of columns of some runs."""

    @extend_schema(
        operation_id="list_run_values",
        parameters=[RunValuesQuery],
        responses={200: RunValuesSerializer, 400: ErrorSerializer},
    )
    def get(self, request: Request) -> Response:
        """What named runs have under names of the query language; runs that are gone are left out."""
        asked = read_parameters(RunValuesQuery, request)
        columns = understood("columns", search.parse_columns, asked)
        return Response({"columns": order.labels(columns), "values": order.values(asked["runs"], columns)})
