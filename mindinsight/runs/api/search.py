"""How views parse texts in the query language, and the view of `api.md` for completion."""

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
from mindinsight.runs.api.serializers import QueryField
from mindinsight.runs.search import QueryError, complete, similar_names

Understood = TypeVar("Understood")


def understood(parameter: str, read: Callable[[str], Understood], asked: Mapping[str, Any]) -> Understood:
    """Parses a parameter with `read`.

    Args:
        parameter: the name of the parameter.
        read: the parser, which raises QueryError for an invalid text.
        asked: all parameters.

    Raises:
        Problem: `bad_query`, with the place and what was expected.
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
    """A name that can continue a query."""

    name = serializers.CharField()
    kind = serializers.ChoiceField(choices=["field", "function", "param", "metric", "tag"])
    written = serializers.CharField(help_text="the name in a query, in quotes if needed")
    runs = serializers.IntegerField(
        allow_null=True, help_text="number of runs that have it; null for fields and functions"
    )


class NameListSerializer(serializers.Serializer[Any]):
    """Names that can continue a query."""

    names = NameSerializer(many=True)


class NamesQuery(serializers.Serializer[Any]):
    """The parameters of `GET /api/runs/search/names`."""

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
        """Names that begin with `prefix` or contain it: fields, functions, parameters, metrics and tags."""
        asked = read_parameters(NamesQuery, request)
        return Response({"names": complete(asked["prefix"], asked["limit"])})


class OtherNameSerializer(serializers.Serializer[Any]):
    """Another name that a query may have meant."""

    name = serializers.CharField()
    runs = serializers.IntegerField(help_text="number of runs that have it")
    instead = serializers.CharField(help_text="the condition with this name")


class MeantNameSerializer(serializers.Serializer[Any]):
    """A name of a query that no run has, or only some."""

    name = serializers.CharField()
    runs = serializers.IntegerField(help_text="number of runs that have it")
    position = serializers.IntegerField(help_text="place of its condition in the query, in characters")
    length = serializers.IntegerField()
    others = OtherNameSerializer(many=True, help_text="at most five, the most similar first")


class MeantNameListSerializer(serializers.Serializer[Any]):
    """Names of a query that may have been meant otherwise."""

    names = MeantNameSerializer(many=True)


class SimilarQuery(serializers.Serializer[Any]):
    """The parameters of `GET /api/runs/search/similar`."""

    query = QueryField(required=False, default="", help_text="a query in the language of docs/reference/queries.md")


class SimilarNames(APIView):
    """The names that a query may have meant."""

    @extend_schema(
        operation_id="list_similar_names",
        parameters=[SimilarQuery],
        responses={200: MeantNameListSerializer, 400: ErrorSerializer},
    )
    def get(self, request: Request) -> Response:
        """For each name of a query that not all runs have, the other names like it."""
        asked = read_parameters(SimilarQuery, request)
        return Response({"names": understood("query", similar_names, asked)})
