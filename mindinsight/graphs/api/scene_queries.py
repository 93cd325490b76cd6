"""The parameters of the requests of `scene/api.md`."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from mindinsight.api.fields import ChoiceField, TextField, WholeField

MOST_ROWS = 1000
MOST_STEPS = 10_000
BOX_PATH = "path of a box, such as 2.0#3.5"
TOLD_UNITS = {"time": "seconds", "measured_memory": "bytes", "gradient": "norm", "hits": "hits"}
"""The kinds of amounts that a run can have for the nodes of its graph, and their units."""
COLOURS = ["op", "device", "precision", "memory", "kernel", *TOLD_UNITS]
NODE_NUMBER = "number of a node: its index in the graph"

Shape = serializers.Serializer[Any]


class GraphQuery(Shape):
    """The parameters of all requests about a drawn graph."""

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
    """The parameters of requests about a box."""

    box = TextField(required=False, default="", max_length=2000, help_text=BOX_PATH)


class InsideQuery(BoxQuery):
    """The parameters of `GET /api/graphs/inside`."""

    by = ChoiceField(COLOURS, required=False, default=None, help_text="colours to add to the answer")


class NodeQuery(GraphQuery):
    """The parameters of requests about a node."""

    node = WholeField(0, (1 << 31) - 1, help_text=NODE_NUMBER)


class SearchQuery(GraphQuery):
    """The parameters of `GET /api/graphs/search`."""

    query = TextField(required=False, default="", max_length=1000)
    first = WholeField(required=False, default=0)
    count = WholeField(1, MOST_ROWS, required=False, default=100)


class TraceQuery(NodeQuery):
    """The parameters of `GET /api/graphs/trace`."""

    direction = ChoiceField(["up", "down"], default="up")
    steps = WholeField(1, MOST_STEPS, required=False, default=MOST_STEPS)


class WayQuery(GraphQuery):
    """The parameters of `GET /api/graphs/path`."""

    source = WholeField(0, (1 << 31) - 1, help_text=NODE_NUMBER)  # type: ignore[assignment]
    target = WholeField(0, (1 << 31) - 1, help_text=NODE_NUMBER)


class InstancesQuery(GraphQuery):
    """The parameters of `GET /api/graphs/instances`."""

    box = TextField(min_length=1, max_length=2000, help_text="path of a stack")
    left = WholeField(0, (1 << 31) - 1)
    right = WholeField(0, (1 << 31) - 1)


class OverlayQuery(BoxQuery):
    """The parameters of `GET /api/graphs/overlay`."""

    by = ChoiceField(COLOURS, default="op")
