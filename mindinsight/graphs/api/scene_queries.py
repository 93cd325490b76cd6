"""The parameters of the requests of `scene/api.md`."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from mindinsight.api.fields import ChoiceField, TextField, WholeField

MOST_ROWS = 1000
MOST_STEPS = 10_000
BOX_PATH = "path of a box, such as 2.0#3.5"
TOLD_UNITS = {"time": "seconds", "measured_memory": "bytes", "gradient": "norm", "hits": "hits"}
"""Amounts that a run has for the nodes of its graph, and their units."""
COLOURS = ["op", "device", "precision", "memory", "kernel", *TOLD_UNITS]
NODE_NUMBER = "number of a node: its index in the graph"

Shape = serializers.Serializer[Any]


class GraphQuery(Shape):
    """What all questions about a drawn graph take."""

    graph = TextField(
        required=False,
        default="",
        max_length=8000,
        help_text="graph:RUN:STEP:TAG, file:RUN:PATH, pass:RUN:PATH, dataset:RUN, debugger:SESSION, series:1, diff:A~B",
    )
    series = WholeField(1, (1 << 32) - 1, required=False, default=None)
    place = WholeField(required=False, default=None)
    equivalence = ChoiceField(["op", "attr", "shape"], default="op")
    min_size = WholeField(2, 10_000, required=False, default=4)


class BoxQuery(GraphQuery):
    """What questions about a box take."""

    box = TextField(required=False, default="", max_length=2000, help_text=BOX_PATH)


class InsideQuery(BoxQuery):
    """What `GET /api/graphs/inside` takes."""

    by = ChoiceField(COLOURS, required=False, default=None, help_text="colours along with it")


class NodeQuery(GraphQuery):
    """What questions about a node take."""

    node = WholeField(0, (1 << 31) - 1, help_text=NODE_NUMBER)


class SearchQuery(GraphQuery):
    """What `GET /api/graphs/search` takes."""

    query = TextField(required=False, default="", max_length=1000)
    first = WholeField(required=False, default=0)
    count = WholeField(1, MOST_ROWS, required=False, default=100)


class TraceQuery(NodeQuery):
    """What `GET /api/graphs/trace` takes."""

    direction = ChoiceField(["up", "down"], default="up")
    steps = WholeField(1, MOST_STEPS, required=False, default=MOST_STEPS)


class WayQuery(GraphQuery):
    """What `GET /api/graphs/path` takes."""

    source = WholeField(0, (1 << 31) - 1, help_text=NODE_NUMBER)  # type: ignore[assignment]
    target = WholeField(0, (1 << 31) - 1, help_text=NODE_NUMBER)


class InstancesQuery(GraphQuery):
    """What `GET /api/graphs/instances` takes."""

    box = TextField(min_length=1, max_length=2000, help_text="path of a stack")
    left = WholeField(0, (1 << 31) - 1)
    right = WholeField(0, (1 << 31) - 1)


class OverlayQuery(BoxQuery):
    """What `GET /api/graphs/overlay` takes."""

    by = ChoiceField(COLOURS, default="op")
