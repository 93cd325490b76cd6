"""The views of `api.md` that list: tags of tensors, their steps, their types and shapes."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponseBase
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from mindinsight.config.answers import ErrorSerializer, entity_tag
from mindinsight.config.described import extend_schema
from mindinsight.config.json_numbers import json_number
from mindinsight.config.labels import labelled, unchanged
from mindinsight.config.parameters import read_parameters
from mindinsight.config.problems import Problem
from mindinsight.runs.models import Series
from mindinsight.runs.recorded import event_file, places_of, tag_groups
from mindinsight.store import ColumnStore
from mindinsight.tensors.queries import open_store, place_at, series_of
from mindinsight.tensors.records import read_head
from mindinsight.tensors.serializers import (
    MAX_HEADS,
    MAX_STEPS,
    TensorHeadListQuery,
    TensorHeadListSerializer,
    TensorStepListQuery,
    TensorStepListSerializer,
    TensorTagListQuery,
    TensorTagListSerializer,
)
from summaries.kinds import Kind

_ERRORS = {400: ErrorSerializer, 404: ErrorSerializer}


class TagList(APIView):
    """Tags of tensors."""

    @extend_schema(
        operation_id="list_tensor_tags",
        parameters=[TensorTagListQuery],
        responses={200: TensorTagListSerializer, 304: None, 400: ErrorSerializer},
    )
    def get(self, request: Request) -> Response | HttpResponseBase:
        """Tags of the named runs, grouped by name."""
        asked = read_parameters(TensorTagListQuery, request)
        body = {"store": open_store().identity, "tags": tag_groups(Kind.TENSOR, asked["runs"])}
        etag = entity_tag(body)
        return unchanged(request, etag) or labelled(Response(body), etag)


class StepList(APIView):
    """Steps of the tensors of one series."""

    @extend_schema(
        operation_id="list_tensor_steps",
        parameters=[TensorStepListQuery],
        responses={200: TensorStepListSerializer, 304: None, **_ERRORS},
    )
    def get(self, request: Request) -> Response | HttpResponseBase:
        """When the tensors of a series were recorded, in the order in which they stand in it."""
        asked = read_parameters(TensorStepListQuery, request)
        series, store = series_of(asked["series"]), open_store()
        total, places = places_of(store, series, asked["first"], None, MAX_STEPS)
        etag = entity_tag("steps", store.identity, series.pk, total, asked["first"])
        walls = [json_number(wall) for wall in places["wall"].tolist()]
        body = {"series": series.pk, "total": total, "first": asked["first"], "step": places["step"].tolist()}
        return unchanged(request, etag) or labelled(Response({**body, "wall_time": walls}), etag)


class HeadList(APIView):
    """Types and shapes."""

    @extend_schema(
        operation_id="list_tensor_heads",
        parameters=[TensorHeadListQuery],
        responses={200: TensorHeadListSerializer, 400: ErrorSerializer},
    )
    def get(self, request: Request) -> Response:
        """Type and shape of the newest tensor of each series, without reading its elements."""
        asked = read_parameters(TensorHeadListQuery, request)
        if len(asked["series"]) > MAX_HEADS:
            message = f"{len(asked['series'])} series were named; up to {MAX_HEADS} are answered at once."
            raise Problem("too_many_series", message, asked=len(asked["series"]), most=MAX_HEADS)
        store = open_store()
        return Response({"heads": [_head(store, number) for number in asked["series"]]})


def _head(store: ColumnStore, number: int) -> dict[str, Any]:
    try:
        series = series_of(number)
        path, file = event_file(series)
        head = read_head(path, file, place_at(store, series, _newest(store, series)))
    except Problem as problem:
        return {"series": number, "dtype": None, "shape": [], "error": problem.body}
    return {"series": number, "dtype": head.dtype, "shape": list(head.shape), "error": None}


def _newest(store: ColumnStore, series: Series) -> int:
    total, _ = places_of(store, series, 0, None, 0)
    return max(0, total - 1)
