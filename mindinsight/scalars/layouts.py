"""Charts that a training arranged itself: the layout of TensorBoard's `custom_scalars` plugin. Called by the API."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, TypedDict

from google.protobuf.message import DecodeError
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from mindinsight.api.answers import ErrorSerializer
from mindinsight.api.described import extend_schema
from mindinsight.api.parameters import read_parameters
from mindinsight.api.problems import Problem
from mindinsight.runs.models import Series
from mindinsight.runs.recorded import all_series, as_dicts, event_file, open_store, places_of
from mindinsight.runs.recorded_values import named_problems, read_value
from mindinsight.scalars.serializers import TagListQuery
from summaries.kinds import Kind
from summaries.schema.scan_pb2 import Value
from summaries.schema.tensorboard_layout_pb2 import Chart, Layout
from summaries.schema.tensorboard_pb2 import TensorProto

TAG = "custom_scalars__config__"
"""The tag of every layout."""
MAX_CHARTS = 200
"""Maximum number of charts of one layout."""


class LayoutChart(TypedDict):
    """One chart of a layout.

    Attributes:
        run: number of the run with the layout.
        patterns: regular expressions; the chart has every tag that begins like one of them.
        tags: tags by their full names, such as those of a band.
    """

    run: int
    category: str
    title: str
    patterns: list[str]
    tags: list[str]


def parse_layout(data: bytes) -> Layout:
    """Returns the layout in a serialized `Summary.Value`.

    Raises:
        ValueError: the value is not a layout. The message completes "a value that ...".
    """
    try:
        tensor = TensorProto.FromString(Value.FromString(data).tensor)
        if len(tensor.string_val) != 1:
            raise ValueError("is not a layout of charts")
        return Layout.FromString(tensor.string_val[0])
    except DecodeError as error:
        raise ValueError(f"cannot be understood: {error}") from None


def layout_charts(runs: Collection[int] | None) -> list[LayoutChart]:
    """Returns the charts of the newest layout of each run. Layouts that cannot be read are left out."""
    newest = {series.run_id: series for series in all_series(Kind.OTHER, runs) if series.tag == TAG}
    return [chart for series in newest.values() for chart in _charts_of(series)]


def _charts_of(series: Series) -> Iterator[LayoutChart]:
    store = open_store()
    total, places = places_of(store, series, max(0, series.count - 1), None, 1)
    if not total or not len(places):
        return
    path, name = event_file(series)
    place = as_dicts(places)[0]
    try:
        with named_problems(name, place["offset"]):
            layout = parse_layout(read_value(path, place))
    except Problem:
        return
    charts = [(category.title, chart) for category in layout.category for chart in category.chart]
    for category_title, chart in charts[:MAX_CHARTS]:
        yield _chart(series.run_id, category_title, chart)


def _chart(run: int, category: str, chart: Chart) -> LayoutChart:
    bands = [tag for one in chart.margin.series for tag in (one.value, one.lower, one.upper) if tag]
    return {
        "run": run,
        "category": category,
        "title": chart.title,
        "patterns": list(chart.multiline.tag),
        "tags": bands,
    }


class LayoutChartSerializer(serializers.Serializer[Any]):
    """One chart of a layout."""

    run = serializers.IntegerField()
    category = serializers.CharField(allow_blank=True)
    title = serializers.CharField(allow_blank=True)
    patterns = serializers.ListField(
        child=serializers.CharField(),
        help_text="regular expressions; the chart has the tags that begin like one of them",
    )
    tags = serializers.ListField(child=serializers.CharField(), help_text="tags by their full names")


class LayoutListSerializer(serializers.Serializer[Any]):
    """The charts of all layouts."""

    charts = LayoutChartSerializer(many=True)


class Layouts(APIView):
    """Charts that trainings arranged themselves."""

    @extend_schema(
        operation_id="list_scalar_layouts",
        parameters=[TagListQuery],
        responses={200: LayoutListSerializer, 400: ErrorSerializer},
    )
    def get(self, request: Request) -> Response:
        """The charts of the custom-scalars layouts of the named runs, in order, category by category."""
        asked = read_parameters(TagListQuery, request)
        return Response({"charts": layout_charts(asked["runs"])})
