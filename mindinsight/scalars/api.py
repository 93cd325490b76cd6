"""The views of `api.md`: scalar tags, views of their points, and the points themselves."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response
from drf_spectacular.types import OpenApiTypes
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from mindinsight import __version__
from mindinsight.api.answers import ErrorSerializer
from mindinsight.api.described import extend_schema
from mindinsight.api.etags import entity_tag, with_etag
from mindinsight.api.frames import JOINED, Kind, encode, encode_buckets
from mindinsight.api.parameters import read_parameters
from mindinsight.api.problems import Problem
from mindinsight.api.streams import streamed
from mindinsight.scalars import queries
from mindinsight.scalars.curves.buckets import Buckets, bucket_view
from mindinsight.scalars.curves.counts import count_hits, within
from mindinsight.scalars.curves.curve import Curve
from mindinsight.scalars.curves.envelope import view
from mindinsight.scalars.curves.looks import (
    NOTHING_AROUND,
    PLAIN,
    TAG,
    Around,
    Look,
    SmoothingKind,
    look_at,
    series_around,
)
from mindinsight.scalars.curves.scales import Scale, ScaleKind
from mindinsight.scalars.json_frames import buckets_frame, points_frame
from mindinsight.scalars.raw import FORMATS, Named, Stretch, as_table
from mindinsight.scalars.serializers import (
    BucketFrameListSerializer,
    BucketsQuery,
    CountListSerializer,
    CountsQuery,
    ExportQuery,
    FrameListSerializer,
    PointsQuery,
    RawQuery,
    TagListQuery,
    TagListSerializer,
)
from mindinsight.scalars.threads import each
from mindinsight.scalars.view_frames import InView, Window, view_frames
from mindinsight.store import ColumnStore, Rows, Table

Asked = dict[str, Any]

_BINARY = "application/octet-stream"
_ERRORS = {400: ErrorSerializer, 404: ErrorSerializer}


@dataclass(frozen=True)
class _Chosen:
    """A requested series.

    Attributes:
        run: number of its run.
        series: number of the series.
        count: number of points.
        written: time when the newest point was stored, in nanoseconds since 1970.
        around: other data of its run that the answer needs.
    """

    run: int
    series: int
    count: int
    written: int
    around: Around = NOTHING_AROUND

    @property
    def stored(self) -> float:
        """Time when the newest point was stored, in seconds since 1970."""
        return self.written / 1e9


class TagList(APIView):
    """Scalar tags."""

    @extend_schema(
        operation_id="list_scalar_tags",
        parameters=[TagListQuery],
        responses={200: TagListSerializer, 400: ErrorSerializer},
    )
    def get(self, request: Request) -> Response:
        """Tags of the named runs, grouped by name."""
        asked = read_parameters(TagListQuery, request)
        return Response({"tags": queries.tag_groups(asked["runs"])})


class _FramesView(APIView):
    """Answers of several megabytes.

    A view and its request refer to each other until the garbage collector finds the cycle. The view drops its answer
    before, because otherwise each answer would need new memory pages.
    """

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Answers like every view."""
        response = super().dispatch(request, *args, **kwargs)
        del self.response
        return response


class PointsView(_FramesView):
    """Points of scalar series."""

    @extend_schema(
        operation_id="show_scalar_points",
        parameters=[PointsQuery],
        responses={
            (200, _BINARY): OpenApiTypes.BINARY,
            (200, "application/json"): FrameListSerializer,
            304: None,
            **_ERRORS,
        },
    )
    def get(self, request: Request) -> HttpResponseBase:
        """A view of each series: all points if there are few, else those that a chart of this width can show."""
        asked = read_parameters(PointsQuery, request)
        return _answer_frames(request, asked, _points_in_binary, _points_in_json)


class BucketsView(_FramesView):
    """Pixel columns of scalar series."""

    @extend_schema(
        operation_id="show_scalar_buckets",
        parameters=[BucketsQuery],
        responses={
            (200, _BINARY): OpenApiTypes.BINARY,
            (200, "application/json"): BucketFrameListSerializer,
            304: None,
            **_ERRORS,
        },
    )
    def get(self, request: Request) -> HttpResponseBase:
        """A summary of the points of each pixel column: first, last, extremes, mean and counts."""
        asked = read_parameters(BucketsQuery, request)
        return _answer_frames(request, asked, _buckets_in_binary, _buckets_in_json)


class CountsView(APIView):
    """Counts of points above or below bounds."""

    @extend_schema(
        operation_id="count_scalar_points",
        parameters=[CountsQuery],
        responses={200: CountListSerializer, 304: None, **_ERRORS},
    )
    def get(self, request: Request) -> HttpResponseBase:
        """The number of points of a range that match each rule. Every point is counted."""
        asked = read_parameters(CountsQuery, request)
        return _answer_frames(request, {**asked, "format": "json"}, None, _counts, "counts")


class ExportView(APIView):
    """Points of several series as a table."""

    @extend_schema(
        operation_id="export_scalar_range",
        parameters=[ExportQuery],
        responses={(200, "text/csv"): OpenApiTypes.STR, **_ERRORS},
    )
    def get(self, request: Request) -> HttpResponseBase:
        """Every point of a range of some series as CSV, with the names of the runs."""
        asked = read_parameters(ExportQuery, request)
        store = open_store()
        found = _find(store, asked["series"], _look_of(asked))
        names = queries.names_of(asked["series"])
        parts = (Named(*names[chosen.series], _in_range(store, chosen, asked)) for chosen in found)
        response = StreamingHttpResponse(streamed(as_table(parts)), content_type="text/csv; charset=utf-8")
        response["Content-Disposition"] = 'attachment; filename="scalars.csv"'
        return response


class RawView(APIView):
    """All points of a scalar series."""

    @extend_schema(
        operation_id="export_scalar_points",
        parameters=[RawQuery],
        responses={
            (200, _BINARY): OpenApiTypes.BINARY,
            (200, "text/csv"): OpenApiTypes.STR,
            (200, "application/json"): FrameListSerializer,
            304: None,
            **_ERRORS,
        },
    )
    def get(self, request: Request) -> HttpResponseBase:
        """Every point of a series by index, as frames, CSV or JSON."""
        asked = read_parameters(RawQuery, request)
        store = open_store()
        (chosen,) = _find(store, [asked["series"]])
        etag = _etag(request, store, asked, [chosen])
        return with_etag(get_conditional_response(request, etag) or _stream(store, chosen, asked), etag)


def _stream(store: ColumnStore, chosen: _Chosen, asked: Asked) -> StreamingHttpResponse:
    end = chosen.count if asked["end"] is None else min(asked["end"], chosen.count)
    points = store.read(Table.POINTS, chosen.run, chosen.series, asked["first"], end)
    media_type, make_pieces = FORMATS[asked["format"]]
    pieces = make_pieces(Stretch(chosen.run, chosen.series, asked["first"], chosen.stored, points))
    response = StreamingHttpResponse(streamed(pieces), content_type=media_type)
    if asked["format"] == "csv":
        response["Content-Disposition"] = f'attachment; filename="series-{chosen.series}.csv"'
    return response


def _answer_frames(
    request: Request,
    asked: Asked,
    in_binary: Callable[[ColumnStore, list[_Chosen], Asked], bytes] | None,
    in_json: Callable[[_Chosen, Curve, Asked], dict[str, object]],
    name: str = "frames",
) -> HttpResponseBase:
    """Answers with one frame for each series, or with 304 before any points are read."""
    store = open_store()
    found = _find(store, asked["series"], _look_of(asked))
    etag = _etag(request, store, asked, found)
    response: HttpResponseBase | None = get_conditional_response(request, etag)
    load_one = partial(_load, store, asked)
    if response is None:
        if in_binary is None or asked["format"] == "json":
            response = Response({name: each(found, lambda chosen: in_json(chosen, load_one(chosen), asked))})
        else:
            response = HttpResponse(in_binary(store, found, asked), content_type=_BINARY)
    return with_etag(response, etag)


def _look_of(asked: Asked) -> Look:
    scale = Scale(ScaleKind(asked.get("x_scale", "linear")), asked.get("x_linear", 1.0))
    return Look(asked["x"], scale, SmoothingKind(asked.get("smoothing_kind", "ema")), asked.get("smoothing", 0.0))


def _load(store: ColumnStore, asked: Asked, chosen: _Chosen) -> Curve:
    return look_at(store, chosen.run, chosen.series, chosen.count, _look_of(asked), chosen.around)


def _points_in_binary(store: ColumnStore, found: list[_Chosen], asked: Asked) -> bytes:
    axis = _look_of(asked).plain_axis
    frames: list[memoryview | None] = [None] * len(found)
    if axis is not None:
        window = Window(axis, asked["width"], asked["from"], asked["to"])
        series = [InView(one.run, one.series, one.count, one.stored, one.around.origin) for one in found]
        frames = view_frames(store, series, window)
    left = [one for one, frame in zip(found, frames, strict=True) if frame is None]
    rest = iter(each(left, partial(_point_frame, store, asked)))
    return b"".join(next(rest) if frame is None else frame for frame in frames)


def _point_frame(store: ColumnStore, asked: Asked, chosen: _Chosen) -> bytes:
    curve = _load(store, asked, chosen)
    shown = view(curve, asked["width"], asked["from"], asked["to"])
    kind = Kind.POINTS if shown.whole else Kind.ENVELOPE
    flags = JOINED if asked["x"].startswith(TAG) else 0
    if flags:
        # Points without an x are left out, so the frame does not cover all points between its indices.
        kind = Kind.ENVELOPE
    return encode(kind, chosen.run, chosen.series, shown.first, shown.end, chosen.stored, shown.points, flags)


def _points_in_json(chosen: _Chosen, curve: Curve, asked: Asked) -> dict[str, object]:
    shown = view(curve, asked["width"], asked["from"], asked["to"])
    return points_frame(chosen.run, chosen.series, shown, asked["x"].startswith(TAG))


def _counts(chosen: _Chosen, curve: Curve, asked: Asked) -> dict[str, object]:
    first, end = within(curve, asked["from"], asked["to"])
    hits = [count_hits(curve, first, end, rule) for rule in asked["rule"]]
    return {"run": chosen.run, "series": chosen.series, "points": end - first, "hits": hits}


def _in_range(store: ColumnStore, chosen: _Chosen, asked: Asked) -> Rows:
    curve = _load(store, asked, chosen)
    first, end = within(curve, asked["from"], asked["to"])
    return curve.points[first:end]


def _buckets_in_binary(store: ColumnStore, found: list[_Chosen], asked: Asked) -> bytes:
    return b"".join(each(found, partial(_bucket_frame, store, asked)))


def _bucket_frame(store: ColumnStore, asked: Asked, chosen: _Chosen) -> bytes:
    curve = _load(store, asked, chosen)
    shown = bucket_view(curve, asked["width"], asked["from"], asked["to"])
    columns = [getattr(shown.buckets, field.name) for field in fields(Buckets)]
    return encode_buckets(chosen.run, chosen.series, shown.first, shown.end, chosen.stored, columns)


def _buckets_in_json(chosen: _Chosen, curve: Curve, asked: Asked) -> dict[str, object]:
    return buckets_frame(chosen.run, chosen.series, bucket_view(curve, asked["width"], asked["from"], asked["to"]))


def open_store() -> ColumnStore:
    """The columns of all runs, opened once."""
    return _store_in(settings.ENVIRONMENT.data_directory / "columns")


@lru_cache(maxsize=1)
def _store_in(directory: Path) -> ColumnStore:
    return ColumnStore(directory)


def _find(store: ColumnStore, numbers: list[int], look: Look = PLAIN) -> list[_Chosen]:
    runs = queries.runs_of_series(numbers)
    if missing := [number for number in numbers if number not in runs]:
        message = f"There is no series {missing[0]} of scalars; its run may have been removed."
        raise Problem("unknown_series", message, 404, series=missing[0])
    around: Mapping[int, Around] = {}
    if look.needs_others:
        around = series_around(look, queries.parts_beside(numbers, look.tag), store)
    return [
        _Chosen(
            runs[number],
            number,
            *store.state(Table.POINTS, runs[number], number),
            around.get(number, NOTHING_AROUND),
        )
        for number in numbers
    ]


def _etag(request: Request, store: ColumnStore, asked: Asked, found: list[_Chosen]) -> str:
    parts = (__version__, request.path, store.identity, sorted(asked.items()), found)
    return entity_tag(*parts)
