"""What the questions of `scene_api.md` take."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

MOST_ROWS = 1000
MOST_STEPS = 10_000
BOX_PATH = "path of a box, such as 2.0#3.5"
TOLD_UNITS = {"time": "seconds", "measured_memory": "bytes", "gradient": "norm", "hits": "hits"}
"""What a run tells in numbers, and their units."""
COLOURS = ["op", "device", "precision", "memory", "kernel", *TOLD_UNITS]
NODE_NUMBER = "number of a node: its index in the graph"

Shape = serializers.Serializer[Any]


class GraphQuery(Shape):
    """What all questions about a drawn graph take."""

    graph = serializers.CharField(
        required=False,
        default="",
        max_length=8000,
        help_text="graph:RUN:STEP:TAG, file:RUN:PATH, pass:RUN:PATH, dataset:RUN, debugger:SESSION, series:1, diff:A~B",
    )
    series = serializers.IntegerField(required=False, min_value=1, max_value=(1 << 32) - 1, default=None)
    place = serializers.IntegerField(required=False, min_value=0, default=None)
    equivalence = serializers.ChoiceField(choices=["op", "attr", "shape"], default="op")
    min_size = serializers.IntegerField(required=False, min_value=2, max_value=10_000, default=4)


class BoxQuery(GraphQuery):
    """What questions about a box take."""

    box = serializers.CharField(required=False, allow_blank=True, default="", max_length=2000, help_text=BOX_PATH)


class InsideQuery(BoxQuery):
    """What `GET /api/graphs/inside` takes."""

    by = serializers.ChoiceField(choices=COLOURS, required=False, default=None, help_text="colours along with it")


class NodeQuery(GraphQuery):
    """What questions about a node take."""

    node = serializers.IntegerField(min_value=0, max_value=(1 << 31) - 1, help_text=NODE_NUMBER)


class SearchQuery(GraphQuery):
    """What `GET /api/graphs/search` takes."""

    query = serializers.CharField(required=False, allow_blank=True, default="", max_length=1000)
    first = serializers.IntegerField(required=False, min_value=0, default=0)
    count = serializers.IntegerField(required=False, min_value=1, max_value=MOST_ROWS, default=100)


class TraceQuery(NodeQuery):
    """What `GET /api/graphs/trace` takes."""

    direction = serializers.ChoiceField(choices=["up", "down"], default="up")
    steps = serializers.IntegerField(required=False, min_value=1, max_value=MOST_STEPS, default=MOST_STEPS)


class WayQuery(GraphQuery):
    """What `GET /api/graphs/path` takes."""

    source = serializers.IntegerField(min_value=0, max_value=(1 << 31) - 1, help_text=NODE_NUMBER)  # type: ignore[assignment]
    target = serializers.IntegerField(min_value=0, max_value=(1 << 31) - 1, help_text=NODE_NUMBER)


class InstancesQuery(GraphQuery):
    """What `GET /api/graphs/instances` takes."""

    box = serializers.CharField(max_length=2000, help_text="path of a stack")
    left = serializers.IntegerField(min_value=0, max_value=(1 << 31) - 1)
    right = serializers.IntegerField(min_value=0, max_value=(1 << 31) - 1)


class OverlayQuery(BoxQuery):
    """What `GET /api/graphs/overlay` takes."""

    by = serializers.ChoiceField(choices=COLOURS, default="op")
