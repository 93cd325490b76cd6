"""The view of `api.md` that lists types and shapes of tensors."""

from __future__ import annotations

from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from mindinsight.api.answers import ErrorSerializer
from mindinsight.api.described import extend_schema
from mindinsight.api.parameters import read_parameters
from mindinsight.api.problems import Problem
from mindinsight.runs.models import Series
from mindinsight.runs.recorded import event_file, known_series, open_store, places_of
from mindinsight.store import ColumnStore
from mindinsight.tensors.queries import place_at
from mindinsight.tensors.records import read_head
from mindinsight.tensors.serializers import (
    TensorHeadListQuery,
    TensorHeadListSerializer,
)
from summaries.kinds import Kind

_ERRORS = {400: ErrorSerializer, 404: ErrorSerializer}


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
        store = open_store()
        return Response({"heads": [_head(store, number) for number in asked["series"]]})


def _head(store: ColumnStore, number: int) -> dict[str, Any]:
    try:
        series = known_series(Kind.TENSOR, number)
        path, file = event_file(series)
        head = read_head(path, file, place_at(store, series, _newest(store, series)))
    except Problem as problem:
        return {"series": number, "dtype": None, "shape": [], "error": problem.body}
    return {"series": number, "dtype": head.dtype, "shape": list(head.shape), "error": None}


def _newest(store: ColumnStore, series: Series) -> int:
    total, _ = places_of(store, series, 0, None, 0)
    return max(0, total - 1)
