"""The views of `api.md` that only histograms have: plots, lists, and changes."""

from __future__ import annotations

import numpy as np
from django.http import HttpResponse, HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from mindinsight.api.answers import ErrorSerializer
from mindinsight.api.described import extend_schema
from mindinsight.api.etags import entity_tag, not_modified, with_etag
from mindinsight.api.parameters import read_parameters
from mindinsight.distributions import queries
from mindinsight.distributions.frames import encode_view
from mindinsight.distributions.records import histogram_row
from mindinsight.distributions.serializers import (
    HistogramListQuery,
    HistogramListSerializer,
    HistogramMeasureListSerializer,
    HistogramViewQuery,
)
from mindinsight.distributions.shelf import Shelf
from mindinsight.distributions.views import make_view
from mindinsight.runs.api.recorded_serializers import (
    RecordedTagListQuery,
)
from mindinsight.runs.recorded import all_series, event_file, known_series, open_store
from mindinsight.store import Table
from summaries.kinds import Kind

_ERRORS = {400: ErrorSerializer, 404: ErrorSerializer}

SHELF = Shelf()
"""Decoded histograms, kept in the memory of this process."""


class HistogramView(APIView):
    """The data of a histogram plot."""

    @extend_schema(
        operation_id="show_histograms",
        parameters=[HistogramViewQuery],
        responses={(200, "application/octet-stream"): OpenApiTypes.BINARY, 304: None, **_ERRORS},
    )
    def get(self, request: Request) -> HttpResponseBase:
        """The rows of steps and cells of values of one line, made from one or several series. All histograms count."""
        asked = read_parameters(HistogramViewQuery, request)
        store = open_store()
        lines = [(known_series(Kind.HISTOGRAM, series), until) for series, until in asked["of"]]
        counts = [store.count(Table.PLACES, series.run_id, series.pk) for series, _ in lines]
        etag = entity_tag("view", store.identity, counts, *asked.values())
        same = not_modified(request, etag)
        if same is not None:
            return same
        items, unreadable = queries.line_items(store, SHELF, lines)
        view = make_view(items, asked["rows"], asked["cells"], asked["axis"])
        first = lines[0][0]
        steps = np.unique([float(item.step) for item in items]) if asked["steps"] else np.empty(0)
        frame = encode_view(first.run_id, first.pk, len(items) + unreadable, unreadable, view, steps)
        answer = HttpResponse(frame, content_type="application/octet-stream")
        return answer if unreadable else with_etag(answer, etag)


class MeasureList(APIView):
    """Changes of histogram series."""

    @extend_schema(
        operation_id="measure_histograms",
        parameters=[RecordedTagListQuery],
        responses={200: HistogramMeasureListSerializer, 304: None, 400: ErrorSerializer},
    )
    def get(self, request: Request) -> HttpResponseBase:
        """For each series of the named runs, the distance of its last histogram from its first, and what is unusual in
        the last.
        """
        asked = read_parameters(RecordedTagListQuery, request)
        store, found = open_store(), all_series(Kind.HISTOGRAM, asked["runs"])
        etag = entity_tag("measures", store.identity, [(series.pk, series.count) for series in found])
        same = not_modified(request, etag)
        if same is not None:
            return same
        return with_etag(Response({"measures": [queries.measure(store, series) for series in found]}), etag)


class HistogramList(APIView):
    """Histograms of one series."""

    @extend_schema(
        operation_id="list_histograms",
        parameters=[HistogramListQuery],
        responses={200: HistogramListSerializer, 304: None, **_ERRORS},
    )
    def get(self, request: Request) -> Response | HttpResponseBase:
        """Histograms of a series, evenly spaced by index if there are more than `at_most`, or the one at a step."""
        asked = read_parameters(HistogramListQuery, request)
        series, store = known_series(Kind.HISTOGRAM, asked["series"]), open_store()
        step = asked["step"]
        if step is None:
            total, places = queries.chosen_places(store, series, asked["at_most"])
        else:
            total, places = queries.place_at(store, series, step)
        etag = entity_tag(store.identity, series.pk, total, asked["at_most"], step)
        same = not_modified(request, etag)
        if same is not None:
            return same
        path, file = event_file(series)
        rows = [histogram_row(path, file, place) for place in places]
        answer = Response(
            {"series": series.pk, "run": series.run_id, "tag": series.tag, "total": total, "histograms": rows}
        )
        # If the file returns later, the answer changes.
        return answer if any(row["error"] for row in rows) else with_etag(answer, etag)
