"""The views of `api.md`: runs grouped by parameters and tags, lines with bands, and densities of many runs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from mindinsight.api.answers import ErrorSerializer
from mindinsight.api.described import extend_schema
from mindinsight.api.parameters import read_body
from mindinsight.scalars.api import open_store
from mindinsight.scalars.curves.looks import Look, SmoothingKind
from mindinsight.scalars.curves.scales import Scale, ScaleKind
from mindinsight.scalars.groups.bands import Band, Line, group_band
from mindinsight.scalars.groups.columns import Grid, cells, values
from mindinsight.scalars.groups.density import density
from mindinsight.scalars.groups.frames import Shown, encode_density, encode_group
from mindinsight.scalars.groups.keys import groups_of, keys_of, known_of
from mindinsight.scalars.groups.members import members_of
from mindinsight.scalars.groups.points import GroupPoints, gather
from mindinsight.scalars.groups.serializers import (
    DensityBody,
    DensitySerializer,
    GroupFrameListSerializer,
    GroupingsBody,
    GroupingsSerializer,
    GroupsBody,
)
from mindinsight.scalars.json_frames import numbers
from mindinsight.store import Rows

Asked = dict[str, Any]

_BINARY = "application/octet-stream"


class Groupings(APIView):
    """Grouping of runs."""

    @extend_schema(
        operation_id="group_runs",
        request=GroupingsBody,
        responses={200: GroupingsSerializer, 400: ErrorSerializer},
    )
    def post(self, request: Request) -> Response:
        """The keys by which runs can be grouped, and the groups by some of them."""
        asked = read_body(GroupingsBody, request)
        known = known_of(asked["runs"])
        return Response({"keys": keys_of(known), "groups": groups_of(known, asked["by"])})


class GroupsView(APIView):
    """Lines and bands of groups of runs."""

    @extend_schema(
        operation_id="show_scalar_groups",
        request=GroupsBody,
        responses={
            (200, _BINARY): OpenApiTypes.BINARY,
            (200, "application/json"): GroupFrameListSerializer,
            400: ErrorSerializer,
        },
    )
    def post(self, request: Request) -> HttpResponseBase:
        """Mean or median of each group with its band, at the pixel columns of a chart, over all members."""
        asked = read_body(GroupsBody, request)
        groups = asked["groups"]
        look = _look(asked)
        found = members_of(asked["tag"], {run for group in groups for run in group}, look.tag)
        listed = [[found[run] for run in group if run in found] for group in groups]
        gathered = [gather(open_store(), members, look) for members in listed]
        grid = _grid(gathered, asked, look.scale)
        line, band = Line(asked["line"]), Band(asked["band"])
        shown = []
        for points in gathered:
            rows = cells(points, grid)
            shown.append(
                (_shown(points, rows, grid), group_band(values(rows, points.members, grid), grid.centres, line, band))
            )
        if asked["format"] == "binary":
            frames = (encode_group(number, shown_as, found) for number, (shown_as, found) in enumerate(shown))
            return HttpResponse(b"".join(frames), content_type=_BINARY)
        return Response(
            {
                "groups": [
                    {
                        **_chart_fields(shown_as),
                        "group": number,
                        "x": numbers(found.x),
                        "line": numbers(found.line),
                        "band_low": numbers(found.low),
                        "band_high": numbers(found.high),
                        "count": found.count.astype(int),
                    }
                    for number, (shown_as, found) in enumerate(shown)
                ]
            }
        )


class DensityView(APIView):
    """Density of very many runs."""

    @extend_schema(
        operation_id="show_scalar_density",
        request=DensityBody,
        responses={
            (200, _BINARY): OpenApiTypes.BINARY,
            (200, "application/json"): DensitySerializer,
            400: ErrorSerializer,
        },
    )
    def post(self, request: Request) -> HttpResponseBase:
        """The number of runs whose lines pass each pixel of a chart."""
        asked = read_body(DensityBody, request)
        look = _look(asked)
        found = members_of(asked["tag"], asked["runs"], look.tag)
        points = gather(open_store(), list(found.values()), look)
        grid = _grid([points], asked, look.scale)
        rows = cells(points, grid)
        y_scale = Scale(ScaleKind(asked["y_scale"]), asked["y_linear"])
        between = None if asked["bottom"] is None else (asked["bottom"], asked["top"])
        image = density(rows, points.members, grid, asked["height"], y_scale, between)
        shown_as = _shown(points, rows, grid)
        if asked["format"] == "binary":
            return HttpResponse(encode_density(shown_as, image), content_type=_BINARY)
        height, width = image.counts.shape
        edges = {"bottom": image.low, "top": image.high, "width": width, "height": height}
        return Response({**_chart_fields(shown_as), **edges, "counts": image.counts})


def _look(asked: Asked) -> Look:
    scale = Scale(ScaleKind(asked["x_scale"]), asked["x_linear"])
    return Look(asked["x"], scale, SmoothingKind(asked["smoothing_kind"]), asked["smoothing"])


def _grid(gathered: Iterable[GroupPoints], asked: Asked, scale: Scale) -> Grid:
    """The columns of the chart. Without a requested range they cover all groups."""
    extents = [points.extent(above_zero=scale.kind is ScaleKind.LOG) for points in gathered]
    held = [extent for extent in extents if extent is not None]
    low = asked["from"] if asked["from"] is not None else min((low for low, _ in held), default=0.0)
    high = asked["to"] if asked["to"] is not None else max((high for _, high in held), default=1.0)
    if low < high:
        return Grid(low, high, asked["width"], scale)
    # All points may have the same x, or be outside the only requested edge.
    return Grid(low - 0.5, low + 0.5, asked["width"])


def _shown(points: GroupPoints, rows: Rows, grid: Grid) -> Shown:
    inside = (rows["column"] >= 0) & (rows["column"] < grid.width)
    return Shown(grid, points.members, int(rows["count"][inside].sum()))


def _chart_fields(shown: Shown) -> dict[str, float]:
    return {"members": shown.members, "points": shown.points, "low": shown.grid.low, "high": shown.grid.high}
