"""The view of `api.md` for the table of runs and all their recorded values."""

from __future__ import annotations

import time
from typing import Any

from django.http import HttpResponse, HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.views import APIView

from mindinsight import __version__
from mindinsight.api.answers import ErrorSerializer
from mindinsight.api.described import extend_schema
from mindinsight.api.etags import entity_tag, not_modified, with_etag
from mindinsight.api.fields import ChoiceField
from mindinsight.api.parameters import read_parameters
from mindinsight.api.problems import LANGUAGE, Problem
from mindinsight.lineage.scalars import Scalar
from mindinsight.lineage.table import FoundRuns
from mindinsight.lineage.wire import encode
from mindinsight.runs import search
from mindinsight.runs.api.search import understood
from mindinsight.runs.api.serializers import NamesField, QueryField
from mindinsight.runs.order import on_shelf
from mindinsight.runs.recorded import open_store
from mindinsight.runs.search.tree import Call


class LineageQuery(serializers.Serializer[Any]):
    """The parameters that select runs for lineage."""

    query = QueryField(required=False, default="", help_text="a query in the language of docs/reference/queries.md")
    shelf = ChoiceField(
        ["active", "archived", "all"],
        required=False,
        default="active",
        help_text="without archived runs, or only archived runs",
    )


class LineageTableQuery(LineageQuery):
    """The parameters of `GET /api/lineage/table`."""

    scalars = NamesField(
        required=False, default="", help_text="figures of scalar tags separated by commas: last(loss),min(loss)"
    )


class LineageTableView(APIView):
    """Table of runs."""

    @extend_schema(
        operation_id="read_lineage_table",
        parameters=[LineageTableQuery],
        responses={(200, "application/octet-stream"): OpenApiTypes.BINARY, 304: None, 400: ErrorSerializer},
    )
    def get(self, request: Request) -> HttpResponseBase:
        """All runs that match a query with all their recorded values, as binary columns."""
        began = time.perf_counter()
        asked = read_parameters(LineageTableQuery, request)
        found = FoundRuns(understood("query", search.parse, asked), on_shelf(asked["shelf"]), _scalars(asked))
        of = found.on_shelf()
        store = open_store().identity
        etag = entity_tag(__version__, store, request.path, sorted(asked.items()), of, found.digest())
        same = not_modified(request, etag)
        if same is not None:
            return same
        table = found.table()
        milliseconds = round((time.perf_counter() - began) * 1000, 1)
        body = encode(table, {"store": store, "of": of, "milliseconds": milliseconds})
        return with_etag(HttpResponse(body, content_type="application/octet-stream"), etag)


def _scalars(asked: dict[str, Any]) -> list[Scalar]:
    columns = understood("scalars", search.parse_columns, asked)
    scalars = []
    for column in columns:
        if not isinstance(column.operand, Call):
            reason = f"'{column.title}' is not a figure of a scalar tag, such as last(loss)"
            message = f"The parameter 'scalars' is wrong: {reason}"
            raise Problem("bad_parameter", message, parameter="scalars", reason=reason, rule=LANGUAGE)
        scalars.append(Scalar(column.title, column.operand))
    return scalars
