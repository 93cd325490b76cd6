"""The views of `api.md` for tables of very many runs: the order and groups of runs, and values of columns."""

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
    """The values of a group's runs in one column."""

    n = serializers.IntegerField(help_text="number of finite numbers among them")
    mean = NumberField(allow_null=True)
    std = NumberField(allow_null=True, help_text="standard deviation of a sample; null for fewer than two")
    min = NumberField(allow_null=True)
    max = NumberField(allow_null=True)
    best = NumberField(allow_null=True, help_text="which values are better; null if the name does not show it")
    same = ColumnValueField(required=False, help_text="the common value, if all have the same or none has one")


class GroupSerializer(serializers.Serializer[Any]):
    """Runs with the same value under a key. The groups of the next level are inside."""

    level = serializers.IntegerField(help_text="0 for the outermost")
    key = ColumnValueField(help_text="null for runs without a value")
    first = serializers.IntegerField(help_text="index of its first run in `runs`")
    count = serializers.IntegerField()
    columns = serializers.DictField(
        child=ColumnStatisticsSerializer(), help_text="statistics by the text of each column"
    )


class RunOrderSerializer(serializers.Serializer[Any]):
    """The runs of a table in their order."""

    runs = serializers.ListField(child=serializers.IntegerField(), help_text="numbers of runs")
    groups = GroupSerializer(many=True, help_text="each group before the groups inside it")
    of = serializers.IntegerField(help_text="number of runs on the shelf, with or without a match")
    archived = serializers.IntegerField(help_text="number of archived runs")
    milliseconds = serializers.FloatField(help_text="duration of the search")


class RunOrderQuery(serializers.Serializer[Any]):
    """The parameters of `GET /api/runs/order`."""

    query = QueryField(required=False, default="", help_text=_QUERY)
    sort = NamesField(required=False, default="", help_text="names separated by commas; - for descending order")
    by = NamesField(required=False, default="", help_text="names to group by, separated by commas")
    columns = NamesField(required=False, default="", help_text="names whose statistics groups include")
    shelf = ChoiceField(
        ["active", "archived", "all"],
        required=False,
        default="all",
        help_text="without archived runs, or only archived runs",
    )


class RunOrder(APIView):
    """Runs in the order of a table."""

    @extend_schema(
        operation_id="order_runs",
        parameters=[RunOrderQuery],
        responses={200: RunOrderSerializer, 400: ErrorSerializer},
    )
    def get(self, request: Request) -> Response:
        """Numbers of the runs that match a query, in order, and in groups if `by` names keys."""
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


class TellingColumnsSerializer(serializers.Serializer[Any]):
    """The columns that tell runs apart, in the form of a query."""

    score = serializers.CharField(allow_null=True, help_text="the best value of what is named like an accuracy")
    parameters = serializers.ListField(child=serializers.CharField(), help_text="at most three")


class TellingColumnsQuery(serializers.Serializer[Any]):
    """The parameters of `GET /api/runs/telling`."""

    query = QueryField(required=False, default="", help_text=_QUERY)
    shelf = ChoiceField(
        ["active", "archived", "all"],
        required=False,
        default="all",
        help_text="without archived runs, or only archived runs",
    )


class TellingColumns(APIView):
    """The columns that tell runs apart."""

    @extend_schema(
        operation_id="list_telling_columns",
        parameters=[TellingColumnsQuery],
        responses={200: TellingColumnsSerializer, 400: ErrorSerializer},
    )
    def get(self, request: Request) -> Response:
        """The score of the runs that match a query, and the parameters in which they differ."""
        asked = read_parameters(TellingColumnsQuery, request)
        condition = understood("query", search.parse_condition, asked) & order.on_shelf(asked["shelf"])
        score, parameters = search.telling_columns(Wanted(condition=condition))
        return Response({"score": score, "parameters": parameters})


class ColumnSerializer(serializers.Serializer[Any]):
    """The description of a column for a page."""

    title = serializers.CharField(help_text="the text of the request")
    better = serializers.ChoiceField(
        ["min", "max"], allow_null=True, help_text="which values are better; null if the name does not show it"
    )


class RunValuesSerializer(serializers.Serializer[Any]):
    """Values of columns."""

    columns = ColumnSerializer(many=True)
    values = serializers.DictField(
        child=serializers.ListField(child=ColumnValueField(allow_null=True)),
        help_text="values by the runs' numbers, in the order of `columns`",
    )


class RunValuesQuery(serializers.Serializer[Any]):
    """The parameters of `GET /api/runs/values`."""

    runs = NumberListField(1000, help_text="numbers of runs, at most 1000")
    columns = NamesField(required=False, default="", help_text="names separated by commas")


class RunValues(APIView):
    """Values of columns of some runs."""

    @extend_schema(
        operation_id="list_run_values",
        parameters=[RunValuesQuery],
        responses={200: RunValuesSerializer, 400: ErrorSerializer},
    )
    def get(self, request: Request) -> Response:
        """The values of named runs under names of the query language. Runs that do not exist any more are left out."""
        asked = read_parameters(RunValuesQuery, request)
        columns = understood("columns", search.parse_columns, asked)
        return Response({"columns": order.labels(columns), "values": order.values(asked["runs"], columns)})
