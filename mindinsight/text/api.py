"""The views of `api.md` that only texts have: the texts themselves, and a search through them."""

from __future__ import annotations

from functools import partial

from django.http import HttpResponseBase
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from mindinsight.api.answers import ErrorSerializer
from mindinsight.api.described import extend_schema
from mindinsight.api.parameters import read_parameters
from mindinsight.runs.api.recorded import answer_values
from mindinsight.runs.recorded import open_store
from mindinsight.text.rows import text_row
from mindinsight.text.search import search_texts
from mindinsight.text.serializers import (
    MAX_ROWS,
    TextListQuery,
    TextListSerializer,
    TextSearchQuery,
    TextSearchSerializer,
)
from summaries.kinds import Kind

_ERRORS = {400: ErrorSerializer, 404: ErrorSerializer}


class TextList(APIView):
    """Texts of one series."""

    @extend_schema(
        operation_id="list_texts",
        parameters=[TextListQuery],
        responses={200: TextListSerializer, 304: None, **_ERRORS},
    )
    def get(self, request: Request) -> HttpResponseBase:
        """Texts of a series as they were written. Texts longer than `characters` are cut."""
        asked = read_parameters(TextListQuery, request)
        row = partial(text_row, at_most=asked["characters"])
        return answer_values(request, Kind.TEXT, asked, MAX_ROWS, "texts", row)


class TextSearch(APIView):
    """A search through all texts."""

    @extend_schema(
        operation_id="search_texts",
        parameters=[TextSearchQuery],
        responses={200: TextSearchSerializer, 400: ErrorSerializer},
    )
    def get(self, request: Request) -> Response:
        """Texts of the named runs that contain the words: one portion, and the start of the next one."""
        asked = read_parameters(TextSearchQuery, request)
        found = search_texts(open_store(), asked["words"], asked["runs"], asked["start"])
        go_on = found.next and f"{found.next.series}:{found.next.index}"
        return Response({"hits": found.hits, "texts": found.texts, "unreadable": found.unreadable, "next": go_on})
