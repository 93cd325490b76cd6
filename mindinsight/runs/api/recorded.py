"""The common parts of apps with recorded values: the views of a kind's tags and of a series' steps, and the answer that
lists the values.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from django.http import HttpResponseBase
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from mindinsight.api.answers import ErrorSerializer
from mindinsight.api.described import extend_schema
from mindinsight.api.etags import entity_tag, not_modified, with_etag
from mindinsight.api.json_numbers import json_number
from mindinsight.api.parameters import read_parameters
from mindinsight.runs.api.recorded_serializers import (
    MAX_STEPS,
    RecordedStepListQuery,
    RecordedStepListSerializer,
    RecordedTagListQuery,
    RecordedTagListSerializer,
)
from mindinsight.runs.recorded import (
    as_dicts,
    event_file,
    known_series,
    open_store,
    places_of,
    tag_groups,
    within_bytes,
)
from summaries.kinds import Kind


def tag_list(kind: Kind) -> type[APIView]:
    """Returns the view of a kind's tags."""

    class TagList(APIView):
        """Tags of one kind of recorded values."""

        @extend_schema(
            operation_id=f"list_{kind}_tags",
            parameters=[RecordedTagListQuery],
            responses={200: RecordedTagListSerializer, 304: None, 400: ErrorSerializer},
        )
        def get(self, request: Request) -> HttpResponseBase:
            """Tags of the named runs, grouped by name."""
            asked = read_parameters(RecordedTagListQuery, request)
            body = {"store": open_store().identity, "tags": tag_groups(kind, asked["runs"])}
            etag = entity_tag(body)
            return not_modified(request, etag) or with_etag(Response(body), etag)

    return TagList


def step_list(kind: Kind) -> type[APIView]:
    """Returns the view of the steps of a kind's series."""

    class StepList(APIView):
        """Steps of one series of recorded values."""

        @extend_schema(
            operation_id=f"list_{kind}_steps",
            parameters=[RecordedStepListQuery],
            responses={200: RecordedStepListSerializer, 304: None, 400: ErrorSerializer, 404: ErrorSerializer},
        )
        def get(self, request: Request) -> HttpResponseBase:
            """The steps and times of a series' values, in recorded order."""
            asked = read_parameters(RecordedStepListQuery, request)
            series, store = known_series(kind, asked["series"]), open_store()
            first, end = asked["first"], asked["end"]
            total, places = places_of(store, series, first, end, MAX_STEPS)
            etag = entity_tag("steps", store.identity, series.pk, total, first, end)
            same = not_modified(request, etag)
            if same is not None:
                return same
            steps = {
                "step": places["step"].tolist(),
                "wall_time": [json_number(wall) for wall in places["wall"].tolist()],
            }
            return with_etag(Response({"series": series.pk, "total": total, "first": first, **steps}), etag)

    return StepList


def answer_values(
    request: Request, kind: Kind, asked: Mapping[str, Any], most: int, name: str, row: Callable[..., Mapping[str, Any]]
) -> HttpResponseBase:
    """Returns the details of each value of a series, in the order of the series.

    Args:
        request: the request.
        kind: the kind of the series.
        asked: the parameters: at least `series`, `first` and `end` (`RecordedRangeQuery`).
        most: maximum number of values in an answer.
        name: name of the list in the answer.
        row: makes the row of a value from the path and the key of the event file, the value's place and its index.
        `error` says why a value cannot be read, or is None.
    """
    series, store = known_series(kind, asked["series"]), open_store()
    total, places = places_of(store, series, asked["first"], asked["end"], most)
    etag = entity_tag("list", store.identity, total, *asked.values())
    same = not_modified(request, etag)
    if same is not None:
        return same
    path, file = event_file(series)
    numbered = enumerate(as_dicts(within_bytes(places)), asked["first"])
    rows = [row(path, file, place, index) for index, place in numbered]
    answer = Response({"series": series.pk, "run": series.run_id, "tag": series.tag, "total": total, name: rows})
    # If the file returns later, the answer changes.
    return answer if any(row["error"] for row in rows) else with_etag(answer, etag)
