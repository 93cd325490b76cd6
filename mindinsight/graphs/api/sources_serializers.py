"""The shapes of the answers and parameters of `sources`."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from mindinsight.api.fields import NumberListField

Shape = serializers.Serializer[Any]


class GraphPassSerializer(Shape):
    """One dump of a history."""

    graph = serializers.CharField(help_text="the `graph` parameter of other requests")
    name = serializers.CharField(allow_blank=True)


class GraphSourceSerializer(Shape):
    """A graph that can be opened."""

    graph = serializers.CharField(help_text="the `graph` parameter of other requests")
    run = serializers.IntegerField()
    kind = serializers.ChoiceField(choices=["graph", "pass", "dataset", "file"])
    name = serializers.CharField(allow_blank=True)
    step = serializers.IntegerField(allow_null=True)
    nodes = serializers.IntegerField(allow_null=True, help_text="null if not known yet")
    passes = GraphPassSerializer(many=True, allow_null=True, help_text="passes of a history, in order")


class GraphSourceListSerializer(Shape):
    """All graphs of some runs."""

    sources = GraphSourceSerializer(many=True)


class GraphSourcesQuery(Shape):
    """The parameters of `GET /api/graphs/sources`."""

    runs = NumberListField(required=False, default=None, help_text="numbers of runs; default: all")
