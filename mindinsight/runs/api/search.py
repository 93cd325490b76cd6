"""How views understand what people wrote in the query language, and the view of `api.md` for completion."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from mindinsight.api.answers import ErrorSerializer
from mindinsight.api.described import extend_schema
from mindinsight.api.fields import TextField, WholeField
from mindinsight.api.parameters import read_parameters
from mindinsight.api.problems import Problem
from mindinsight.runs.search import QueryError, complete

Understood = TypeVar("Understood")


def understood(parameter: str, read: Callable[[str], Understood], asked: Mapping[str, Any]) -> Understood:
    """Returns what `read` makes of a parameter.

    Args:
        parameter: its name.
        read: raises QueryError for what it cannot understand.
        asked: all parameters.

    Raises:
        Problem: `bad_query`, with the place and what was expected there.
    """
    try:
        return read(asked[parameter])
    except QueryError as error:
        raise Problem(
            "bad_query",
            str(error),
            400,
            parameter=parameter,
            position=error.span.position,
            length=error.span.length,
            expected=error.expected,
            expected_code=error.code,
            expected_values=error.values,
        ) from None


class NameSerializer(serializers.Serializer[Any]):
    """A name that a query could go on with."""

    name = serializers.CharField()
    kind = serializers.ChoiceField(choices=["field", "function", "param", "metric", "tag"])
    written = serializers.CharField(help_text="as a query has it, in quotes where it needs them")
    runs = serializers.IntegerField(allow_null=True, help_text="so many have it; null for fields and functions")


class NameListSerializer(serializers.Serializer[Any]):
    """Names that a query could go on with."""

    names = NameSerializer(many=True)


class NamesQuery(serializers.Serializer[Any]):
    """What `GET /api/runs/search/names` takes."""

    prefix = TextField(required=False, default="", max_length=1024)
    limit = WholeField(1, 1000, required=False, default=50)


class SearchNames(APIView):
    """Completion of queries."""

    @extend_schema(
        operation_id="list_search_names",
        parameters=[NamesQuery],
        responses={200: NameListSerializer, 400: ErrorSerializer},
    )
    def get(self, request: Request) -> Response:
        """Names that begin with `prefix` or have it in them: fields, functions, parameters, metrics and tags."""
        asked = read_parameters(NamesQuery, request)
        return Response({"names": complete(asked["prefix"], asked["limit"])})
