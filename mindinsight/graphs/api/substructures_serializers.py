"""The shapes of `api.md` for the OpenAPI schema. A test checks real answers against them."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from mindinsight.api.answers import ErrorSerializer
from mindinsight.api.fields import ChoiceField, NumberListField, TextField, WholeField

MOST_OCCURRENCES = 1000


class GraphSeriesSerializer(serializers.Serializer[Any]):
    """One series of graphs."""

    run = serializers.IntegerField()
    series = serializers.IntegerField()
    segment = serializers.IntegerField()
    count = serializers.IntegerField(help_text="graphs")
    first_step = serializers.IntegerField(allow_null=True)
    last_step = serializers.IntegerField(allow_null=True)
    last_wall = serializers.FloatField(allow_null=True)


class GraphTagSerializer(serializers.Serializer[Any]):
    """All series with one name."""

    name = serializers.CharField(allow_blank=True)
    series = GraphSeriesSerializer(many=True)


class GraphTagListSerializer(serializers.Serializer[Any]):
    """Graphs by name."""

    tags = GraphTagSerializer(many=True)


class DefectSerializer(serializers.Serializer[Any]):
    """A defect of a graph."""

    code = serializers.CharField()
    node = serializers.IntegerField(help_text="index of the node, or -1")
    message = serializers.CharField()


class SubstructureSerializer(serializers.Serializer[Any]):
    """A sub-structure in a list."""

    id = serializers.CharField()
    name = serializers.CharField(allow_blank=True)
    count = serializers.IntegerField(help_text="occurrences")
    size = serializers.IntegerField(help_text="number of nodes in an occurrence")
    share = serializers.FloatField(help_text="share of the graph's nodes that are in occurrences")
    saved = serializers.IntegerField(help_text="number of nodes saved by showing it once")
    boxes = serializers.IntegerField(help_text="number of boxes that show its inside, with repeats folded")
    phase = serializers.ChoiceField(choices=["forward", "backward", "optimizer"])
    parent = serializers.CharField(  # type: ignore[assignment]  # A field takes the attribute away.
        allow_null=True, help_text="number of the sub-structure that contains all its occurrences"
    )
    children = serializers.ListField(
        child=serializers.CharField(), help_text="numbers of the sub-structures inside its occurrences"
    )
    variants = serializers.IntegerField(help_text="number of occurrences that are nearly the same")


class SubstructureListSerializer(serializers.Serializer[Any]):
    """A summary of the results for a graph."""

    title = serializers.CharField(allow_blank=True)
    nodes = serializers.IntegerField()
    edges = serializers.IntegerField()
    shown = serializers.IntegerField(help_text="number of boxes that show the graph with everything folded")
    dictionary = serializers.IntegerField(help_text="number of boxes that show every sub-structure once")
    complete = serializers.BooleanField(help_text="false if the search ran out of time")
    seconds = serializers.FloatField()
    defects = DefectSerializer(many=True)
    defect_counts = serializers.DictField(child=serializers.IntegerField())
    substructures = SubstructureSerializer(many=True)


class AnalysisSerializer(serializers.Serializer[Any]):
    """The progress of the search in a graph, and its results."""

    graph = serializers.CharField(help_text="hash of the graph; equal graphs share all results")
    series = serializers.IntegerField(allow_null=True)
    place = serializers.IntegerField(help_text="index of the graph in its series")
    equivalence = serializers.ChoiceField(choices=["op", "attr", "shape"])
    min_size = serializers.IntegerField()
    state = serializers.ChoiceField(choices=["waiting", "running", "done", "failed"])
    progress = serializers.FloatField(help_text="progress, from 0 to 1")
    error = ErrorSerializer(allow_null=True, help_text="reason of a failure")
    found = SubstructureListSerializer(allow_null=True, help_text="null until the search is done")


class PositionSerializer(serializers.Serializer[Any]):
    """A place of a sub-structure, with the node of its first occurrence."""

    op = serializers.CharField()
    scope = serializers.CharField(allow_blank=True)
    type = serializers.CharField(allow_blank=True)


class NearSerializer(serializers.Serializer[Any]):
    """Occurrences that are equal except for some nodes."""

    places = serializers.ListField(child=serializers.IntegerField(), help_text="places where they differ")
    nodes = serializers.ListField(child=serializers.ListField(child=serializers.IntegerField()))


class SubstructureDetailSerializer(serializers.Serializer[Any]):
    """A sub-structure with its inside and some of its occurrences."""

    id = serializers.CharField()
    name = serializers.CharField(allow_blank=True)
    count = serializers.IntegerField()
    size = serializers.IntegerField()
    positions = PositionSerializer(many=True)
    edges = serializers.ListField(
        child=serializers.ListField(child=serializers.IntegerField()),
        help_text="inside: source place, output slot, place, input port",
    )
    series = serializers.ListField(
        child=serializers.ListField(child=serializers.IntegerField()),
        help_text="groups of occurrences that feed each other",
    )
    kinds = serializers.ListField(
        child=serializers.ListField(child=serializers.IntegerField()),
        help_text="groups of occurrences with equal types and attributes",
    )
    differences = serializers.DictField(
        child=serializers.ListField(child=serializers.IntegerField()),
        help_text="places where types or attributes differ",
    )
    near = NearSerializer(many=True)
    first = serializers.IntegerField(help_text="number of the first listed occurrence")
    occurrences = serializers.ListField(
        child=serializers.ListField(child=serializers.CharField()), help_text="names of nodes by place"
    )


class GraphTagListQuery(serializers.Serializer[Any]):
    """The parameters of `GET /api/graphs/tags`."""

    runs = NumberListField(required=False, default=None, help_text="numbers of runs; default: all")


class AnalysisQuery(serializers.Serializer[Any]):
    """The parameters of `GET /api/graphs/substructures`."""

    graph = TextField(
        required=False,
        default="",
        max_length=8000,
        help_text="such as graph:lenet:0; alternative: `series` and the index",
    )
    series = WholeField(1, (1 << 32) - 1, required=False, default=None, help_text="number of a series of graphs")
    place = WholeField(required=False, default=None, help_text="index of the graph in its series; default: the newest")
    equivalence = ChoiceField(["op", "attr", "shape"], default="op")
    min_size = WholeField(2, 10_000, required=False, default=4)


class DetailQuery(AnalysisQuery):
    """The parameters of `GET /api/graphs/substructure`."""

    id = TextField(
        max_length=9,
        pattern="^[0-9]{1,9}$",
        expected="a number of up to nine digits",
        help_text="number of the sub-structure in the list",
    )
    first = WholeField(required=False, default=0)
    count = WholeField(1, MOST_OCCURRENCES, required=False, default=100)
