"""The two answers that every app of recorded values gives for its own kind: the tags, and the steps of one series."""

from __future__ import annotations

from django.http import HttpResponseBase
from rest_framework.request import Request
from rest_framework.response import Response

from mindinsight.config.answers import entity_tag
from mindinsight.config.json_numbers import json_number
from mindinsight.config.labels import labelled, unchanged
from mindinsight.config.parameters import read_parameters
from mindinsight.runs.recorded import known_series, open_store, places_of, tag_groups
from mindinsight.runs.recorded_serializers import MAX_STEPS, RecordedStepListQuery, RecordedTagListQuery
from summaries.kinds import Kind


def answer_tags(request: Request, kind: Kind) -> HttpResponseBase:
    """Returns the tags of a kind, grouped by name (`RecordedTagListSerializer`)."""
    asked = read_parameters(RecordedTagListQuery, request)
    body = {"store": open_store().identity, "tags": tag_groups(kind, asked["runs"])}
    etag = entity_tag(body)
    return unchanged(request, etag) or labelled(Response(body), etag)


def answer_steps(request: Request, kind: Kind) -> HttpResponseBase:
    """Returns when the values of a series were recorded, in the order in which they stand in it
    (`RecordedStepListSerializer`)."""
    asked = read_parameters(RecordedStepListQuery, request)
    series, store, first, end = known_series(kind, asked["series"]), open_store(), asked["first"], asked["end"]
    total, places = places_of(store, series, first, end, MAX_STEPS)
    etag = entity_tag("steps", store.identity, series.pk, total, first, end)
    same = unchanged(request, etag)
    if same is not None:
        return same
    walls = [json_number(wall) for wall in places["wall"].tolist()]
    body = {"series": series.pk, "total": total, "first": first, "step": places["step"].tolist(), "wall_time": walls}
    return labelled(Response(body), etag)
