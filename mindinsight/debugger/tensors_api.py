"""The tensors app's views for values sent by trainings. `api.md` says which numbers identify them."""

from __future__ import annotations

from django.http import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from rest_framework.request import Request

from mindinsight.api.answers import ErrorSerializer
from mindinsight.api.described import extend_schema
from mindinsight.debugger.serializers import DebugTensorStatisticsSerializer
from mindinsight.debugger.tensors import DebuggedShelf
from mindinsight.tensors.serializers import (
    DifferenceQuery,
    DifferenceSerializer,
    FileQuery,
    FindQuery,
    FoundSerializer,
    StatisticsQuery,
    TileQuery,
)
from mindinsight.tensors.views import DifferenceView, FileView, FindView, StatisticsView, TileView

_ERRORS = {400: ErrorSerializer, 404: ErrorSerializer, 409: ErrorSerializer, 422: ErrorSerializer}
_BINARY = "application/octet-stream"
_SHELF = DebuggedShelf()


class DebugStatistics(StatisticsView):
    """Statistics and histogram."""

    shelf = _SHELF

    @extend_schema(
        operation_id="show_debug_tensor_statistics",
        parameters=[StatisticsQuery],
        responses={200: DebugTensorStatisticsSerializer, 304: None, **_ERRORS},
    )
    def get(self, request: Request) -> HttpResponseBase:
        """A slice of a session's tensor in numbers. `series` is the session's number, `index` the tensor's."""
        return self.respond(request)


class DebugTile(TileView):
    """Tiles of the grid and of the heat map."""

    shelf = _SHELF

    @extend_schema(
        operation_id="read_debug_tensor_tile",
        parameters=[TileQuery],
        responses={(200, _BINARY): OpenApiTypes.BINARY, 304: None, **_ERRORS},
    )
    def get(self, request: Request) -> HttpResponseBase:
        """128 x 128 values or blocks of values of a plane of a session's tensor, or of a difference."""
        return self.respond(request)


class DebugFind(FindView):
    """Search for elements."""

    shelf = _SHELF

    @extend_schema(
        operation_id="find_debug_tensor_element",
        parameters=[FindQuery],
        responses={200: FoundSerializer, 304: None, **_ERRORS},
    )
    def get(self, request: Request) -> HttpResponseBase:
        """The next element of a session's tensor that is NaN, infinite, an extreme, 0, or different."""
        return self.respond(request)


class DebugDifference(DifferenceView):
    """Two tensors side by side."""

    shelf = _SHELF

    @extend_schema(
        operation_id="compare_debug_tensors",
        parameters=[DifferenceQuery],
        responses={200: DifferenceSerializer, 304: None, **_ERRORS},
    )
    def get(self, request: Request) -> HttpResponseBase:
        """The difference between a session's tensor and another one of the same shape, such as its previous values."""
        return self.respond(request)


class DebugFile(FileView):
    """Downloads."""

    shelf = _SHELF

    @extend_schema(
        operation_id="download_debug_tensor",
        parameters=[FileQuery],
        responses={(200, _BINARY): OpenApiTypes.BINARY, (200, "text/csv"): OpenApiTypes.STR, 304: None, **_ERRORS},
    )
    def get(self, request: Request) -> HttpResponseBase:
        """A slice of a session's tensor as a NumPy file or as CSV."""
        return self.respond(request)
