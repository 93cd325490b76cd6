"""The shapes of the answers and parameters of `changes`."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from mindinsight.api.fields import ChoiceField, WholeField
from mindinsight.graphs.api.scene_queries import BOX_PATH, MOST_ROWS, NODE_NUMBER, GraphQuery
from mindinsight.graphs.api.scene_serializers import EDGE_KIND_CHOICES, PHASE_CHOICES, STATUSES

Shape = serializers.Serializer[Any]


class FieldChangeSerializer(Shape):
    """One difference of a node."""

    field = serializers.CharField(help_text="op, type, value, output, attr:NAME or input:PORT")
    left = serializers.CharField(allow_blank=True, allow_null=True, help_text="null if it did not exist")
    right = serializers.CharField(allow_blank=True, allow_null=True, help_text="null if it no longer exists")


class GraphChangeSerializer(Shape):
    """A node that differs between two graphs."""

    status = serializers.ChoiceField(choices=STATUSES)
    node = serializers.IntegerField(help_text=NODE_NUMBER)
    name = serializers.CharField(allow_blank=True)
    op = serializers.CharField(allow_blank=True)
    box = serializers.CharField(help_text=BOX_PATH)
    what = FieldChangeSerializer(many=True)


class ChangeCountsSerializer(Shape):
    """Number of nodes by status."""

    added = serializers.IntegerField()
    removed = serializers.IntegerField()
    changed = serializers.IntegerField()
    same = serializers.IntegerField()


class BatchSerializer(Shape):
    """The size of the batch in both graphs. Nodes that differ in nothing else are the same."""

    left = serializers.IntegerField()
    right = serializers.IntegerField()


class ChangesSerializer(Shape):
    """The differences of two graphs."""

    counts = ChangeCountsSerializer(help_text="in the requested phases")
    batch = BatchSerializer(allow_null=True, help_text="null if the batch is the same")
    total = serializers.IntegerField(help_text="number with the requested status")
    first = serializers.IntegerField()
    rows = GraphChangeSerializer(many=True)


class ChangedEndSerializer(Shape):
    """A node at the end of an edge."""

    node = serializers.IntegerField(help_text=NODE_NUMBER)
    name = serializers.CharField(allow_blank=True)
    op = serializers.CharField(allow_blank=True)
    box = serializers.CharField(help_text=BOX_PATH)


class ChangedEdgeSerializer(Shape):
    """An edge that only one of two graphs has."""

    status = serializers.ChoiceField(choices=STATUSES)
    kind = serializers.ChoiceField(choices=EDGE_KIND_CHOICES)
    source = ChangedEndSerializer()  # type: ignore[assignment]  # A field takes the attribute away.
    target = ChangedEndSerializer()


class EdgeCountsSerializer(Shape):
    """Number of edges by status."""

    added = serializers.IntegerField()
    removed = serializers.IntegerField()
    same = serializers.IntegerField()


class ChangedEdgesSerializer(Shape):
    """The edges that only one of two graphs has."""

    counts = EdgeCountsSerializer()
    total = serializers.IntegerField(help_text="number with the requested status")
    first = serializers.IntegerField()
    rows = ChangedEdgeSerializer(many=True, help_text="edges between nodes of both graphs come first")


class ChangesQuery(GraphQuery):
    """The parameters of `GET /api/graphs/changes` and `GET /api/graphs/changed-edges`."""

    status = ChoiceField(["", *STATUSES], default="", allow_blank=True)
    reach = ChoiceField(
        PHASE_CHOICES, default=PHASE_CHOICES[-1], help_text="the last phase whose nodes and edges are listed"
    )
    first = WholeField(required=False, default=0)
    count = WholeField(1, MOST_ROWS, required=False, default=100)
