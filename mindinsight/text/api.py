"""The views of `api.md`: tags of texts, their steps, the texts themselves, and a search through them."""

from __future__ import annotations

from django.http import HttpResponseBase
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from mindinsight.config.answers import ErrorSerializer, entity_tag
from mindinsight.config.described import extend_schema
from mindinsight.config.labels import labelled, unchanged
from mindinsight.config.parameters import read_parameters
from mindinsight.runs.recorded import (
    as_dicts,
    event_file,
    known_series,
    open_store,
    places_of,
    within_bytes,
)
from mindinsight.runs.recorded_api import answer_steps, answer_tags
from mindinsight.runs.recorded_serializers import (
    RecordedStepListQuery,
    RecordedStepListSerializer,
    RecordedTagListQuery,
    RecordedTagListSerializer,
)
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


class TagList(APIView):
    """Tags of texts."""

    @extend_schema(
        operation_id="list_text_tags",
        parameters=[RecordedTagListQuery],
        responses={200: RecordedTagListSerializer, 304: None, 400: ErrorSerializer},
    )
    def get(self, request: Request) -> HttpResponseBase:
        """Tags of the named runs, grouped by name."""
        return answer_tags(request, Kind.TEXT)


class StepList(APIView):
    """Steps of the texts of one series."""

    @extend_schema(
        operation_id="list_text_steps",
        parameters=[RecordedStepListQuery],
        responses={200: RecordedStepListSerializer, 304: None, **_ERRORS},
    )
    def get(self, request: Request) -> HttpResponseBase:
        """When the texts of a series were recorded, in the order in which they stand in it."""
        return answer_steps(request, Kind.TEXT)


class TextList(APIView):
    """Texts of one series."""

    @extend_schema(
        operation_id="list_texts",
        parameters=[TextListQuery],
        responses={200: TextListSerializer, 304: None, **_ERRORS},
    )
    def get(self, request: Request) -> Response | HttpResponseBase:
        """Texts of a series as they were written, each cut where it is longer than `characters`."""
        asked = read_parameters(TextListQuery, request)
        series, store = known_series(Kind.TEXT, asked["series"]), open_store()
        first, end, characters = asked["first"], asked["end"], asked["characters"]
        total, places = places_of(store, series, first, end, MAX_ROWS)
        etag = entity_tag("list", store.identity, series.pk, total, first, end, characters)
        same = unchanged(request, etag)
        if same is not None:
            return same
        path, file = event_file(series)
        numbered = enumerate(as_dicts(within_bytes(places)), first)
        rows = [text_row(path, file, place, index, characters) for index, place in numbered]
        body = {"series": series.pk, "run": series.run_id, "tag": series.tag, "total": total, "texts": rows}
        # A file that is back later makes another answer.
        return Response(body) if any(row["error"] for row in rows) else labelled(Response(body), etag)


class TextSearch(APIView):
    """A search through all texts."""

    @extend_schema(
        operation_id="search_texts",
        parameters=[TextSearchQuery],
        responses={200: TextSearchSerializer, 400: ErrorSerializer},
    )
    def get(self, request: Request) -> Response:
        """Texts of the named runs that have the words; a portion, and where the next one begins."""
        asked = read_parameters(TextSearchQuery, request)
        found = search_texts(open_store(), asked["words"], asked["runs"], asked["start"])
        go_on = found.next and f"{found.next.series}:{found.next.index}"
        return Response({"hits": found.hits, "texts": found.texts, "unreadable": found.unreadable, "next": go_on})
