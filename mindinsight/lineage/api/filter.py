"""The view of `api.md` that accepts MindInsight's search conditions, and the shapes of its answer."""

from __future__ import annotations

from typing import Any

import orjson
from drf_spectacular.types import OpenApiTypes
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from mindinsight.api.answers import ErrorSerializer
from mindinsight.api.described import extend_schema
from mindinsight.api.fields import TextField
from mindinsight.api.parameters import read_parameters
from mindinsight.api.problems import LANGUAGE, Problem
from mindinsight.lineage.conditions import BadCondition, filtered, read_condition
from mindinsight.runs.details import run_details

MAX_CONDITION = 8000


class FilteredRunSerializer(serializers.Serializer[Any]):
    """One run in MindInsight's form."""

    summary_dir = serializers.CharField(help_text="relative to the base directory, beginning with ./")
    model_lineage = serializers.DictField(
        help_text="values by MindInsight's names; metric and user_defined are objects"
    )


class FilteredSerializer(serializers.Serializer[Any]):
    """Runs that match a condition."""

    customized = serializers.DictField(help_text="label, required and type of each metric/NAME and user_defined/NAME")
    object = FilteredRunSerializer(many=True)
    count = serializers.IntegerField(help_text="number of matching runs on all pages")


class FilterQuery(serializers.Serializer[Any]):
    """The parameters of `GET /api/lineage/filter`."""

    condition = TextField(
        required=False, default="{}", max_length=MAX_CONDITION, language="condition", help_text="the condition as JSON"
    )


class Filter(APIView):
    """Runs that match MindInsight's conditions."""

    @extend_schema(
        operation_id="find_lineage",
        parameters=[FilterQuery],
        responses={200: FilteredSerializer, 400: ErrorSerializer},
    )
    def get(self, request: Request) -> Response:
        """The same for a condition that is short enough for an address. Scripts need no token for it."""
        try:
            condition = orjson.loads(read_parameters(FilterQuery, request)["condition"])
        except ValueError:
            raise _wrong("condition", "JSON is expected") from None
        return _answer(condition)

    @extend_schema(
        operation_id="filter_lineage",
        request=OpenApiTypes.OBJECT,
        responses={200: FilteredSerializer, 400: ErrorSerializer},
    )
    def post(self, request: Request) -> Response:
        """Runs that match a condition of MindInsight's `filter_summary_lineage`."""
        return _answer(request.data)


def _answer(given: Any) -> Response:
    if not isinstance(given, dict):
        raise _wrong("condition", "an object is expected")
    try:
        condition = read_condition(given)
    except BadCondition as error:
        raise _wrong(error.field, str(error)) from None
    return Response(filtered(run_details(), condition))


def _wrong(name: str, reason: str) -> Problem:
    return Problem(
        "bad_parameter", f"The condition is wrong at '{name}': {reason}.", parameter=name, reason=reason, rule=LANGUAGE
    )
