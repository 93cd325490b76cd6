"""The shapes of `scene/api.md` for the OpenAPI schema; a test checks real answers against them."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from mindinsight.api.answers import ErrorSerializer
from mindinsight.graphs.api.scene_queries import BOX_PATH, COLOURS, NODE_NUMBER

PHASE_CHOICES = ["forward", "backward", "optimizer"]
NODE_KINDS = ["operator", "parameter", "constant", "missing"]
EDGE_KIND_CHOICES = ["data", "control", "monad"]
BOX_KINDS = ["node", "group", "one", "stack"]
STATUSES = ["same", "added", "removed", "changed"]

Shape = serializers.Serializer[Any]
Texts = serializers.ListField
Numbers = serializers.ListField


def _texts(**options: Any) -> serializers.ListField:
    return serializers.ListField(child=serializers.CharField(allow_blank=True), **options)


def _numbers(**options: Any) -> serializers.ListField:
    return serializers.ListField(child=serializers.IntegerField(), **options)


class WaitingSerializer(Shape):
    """The graph is not analysed yet. Repeat the request later."""

    graph = serializers.CharField(help_text="hash of the graph")
    state = serializers.ChoiceField(choices=["waiting", "running", "failed"])
    progress = serializers.FloatField(help_text="progress, from 0 to 1")
    error = ErrorSerializer(allow_null=True, help_text="reason of a failure")


class CrumbSerializer(Shape):
    """A box on the path from the root."""

    box = serializers.CharField(allow_blank=True, help_text=BOX_PATH)
    name = serializers.CharField(allow_blank=True)
    count = serializers.IntegerField(allow_null=True, help_text="number of occurrences in a stack")
    instance = serializers.IntegerField(allow_null=True, help_text="number of the occurrence that is shown")


class PhaseCountsSerializer(Shape):
    """Number of operators by phase."""

    forward = serializers.IntegerField()
    backward = serializers.IntegerField()
    optimizer = serializers.IntegerField()


class BoxChangesSerializer(Shape):
    """Number of changed nodes of a box in a comparison, by status."""

    added = serializers.IntegerField()
    removed = serializers.IntegerField()
    changed = serializers.IntegerField()


class BoxSerializer(Shape):
    """One box."""

    index = serializers.IntegerField(help_text="last step of its path")
    kind = serializers.ChoiceField(choices=BOX_KINDS)
    name = serializers.CharField(allow_blank=True)
    op = serializers.CharField(allow_blank=True, allow_null=True, help_text="operator type of a node")
    nodes = serializers.IntegerField(help_text="number of nodes in it, in all occurrences")
    operators = serializers.IntegerField()
    bookkeeping = serializers.IntegerField(
        help_text="number of operators among them that only fetch, pack or order values"
    )
    parameters = serializers.IntegerField()
    consts = serializers.IntegerField()
    phase = serializers.ChoiceField(choices=PHASE_CHOICES)
    count = serializers.IntegerField(help_text="number of occurrences in a stack, 1 otherwise")
    inside = serializers.IntegerField(help_text="number of boxes inside it, 0 for a node")
    substructure = serializers.CharField(allow_null=True, help_text="id of the sub-structure")
    type = serializers.CharField(allow_blank=True, help_text="of the output")
    node = serializers.IntegerField(allow_null=True, help_text=NODE_NUMBER)
    params = _texts(help_text="names of up to three parameters in it")
    params_count = serializers.IntegerField(help_text="number of parameters drawn inside it instead of beside it")
    consts_count = serializers.IntegerField(help_text="number of constants drawn inside it instead of beside it")
    variants = _numbers(help_text="number of occurrences that differ from most of the stack in type or attributes")
    status = serializers.ChoiceField(choices=STATUSES, allow_null=True, help_text="in a comparison")
    changes = BoxChangesSerializer(allow_null=True, help_text="in a comparison: number of changed nodes")
    proxies = _texts(help_text="names of boxes that feed it without a drawn edge, because they feed too many boxes")
    pair = serializers.CharField(allow_null=True, help_text="path of the backward box that belongs to this forward box")


class SceneEdgeSerializer(Shape):
    """All edges of one kind from one box to another."""

    source = serializers.IntegerField(help_text="index of a box, -1 for an input of the container")  # type: ignore[assignment]
    target = serializers.IntegerField(help_text="index of a box, -2 for an output of the container")
    count = serializers.IntegerField(help_text="number of edges in the graph")
    kind = serializers.ChoiceField(choices=EDGE_KIND_CHOICES)
    type = serializers.CharField(allow_blank=True, help_text="of the first")
    types = serializers.IntegerField(help_text="different types")
    bytes = serializers.IntegerField(allow_null=True, help_text="of the largest")
    phase = serializers.ChoiceField(
        choices=PHASE_CHOICES, allow_null=True, help_text="phase of the end outside the container; null between boxes"
    )
    status = serializers.ChoiceField(
        choices=STATUSES,
        allow_null=True,
        help_text="in a comparison: the common status of all edges, or changed if they differ",
    )


class InstanceSerializer(Shape):
    """An occurrence in a stack."""

    instance = serializers.IntegerField()
    name = serializers.CharField(allow_blank=True)
    differs = serializers.BooleanField(help_text="whether it differs from most of the stack in type or attributes")
    reads = serializers.ListField(
        child=serializers.IntegerField(),
        help_text="numbers of other occurrences that it reads from, with at most one node in between",
    )
    status = serializers.ChoiceField(choices=STATUSES, allow_null=True, help_text="in a comparison")
    changes = BoxChangesSerializer(allow_null=True, help_text="in a comparison: number of changed nodes")


class OverlayKeySerializer(Shape):
    """An entry of the legend."""

    key = serializers.CharField(allow_blank=True)
    label = serializers.CharField(allow_blank=True)  # type: ignore[assignment]  # A field takes the attribute away.
    count = serializers.IntegerField(help_text="number of nodes in the container")


class OverlaySerializer(Shape):
    """The colours of the boxes in a container."""

    values = serializers.ListField(
        child=serializers.CharField(allow_null=True, allow_blank=True),
        help_text="by box: a key of the legend, an amount as text if there is a unit, or null if unknown",
    )
    legend = OverlayKeySerializer(many=True)
    unit = serializers.CharField(allow_null=True, help_text="bytes, seconds, norm or hits; null for names")
    known = serializers.BooleanField(help_text="whether there is a source: a profile, gradients, a debugger")
    step = serializers.IntegerField(allow_null=True, help_text="step of the newest values; null without steps")


class InsideOverlaySerializer(OverlaySerializer):
    """The colours that were requested together with the boxes."""

    by = serializers.ChoiceField(choices=COLOURS)


class InsideSerializer(Shape):
    """The boxes and edges inside a box."""

    graph = serializers.CharField(help_text="hash of the graph")
    box = serializers.CharField(allow_blank=True, help_text=BOX_PATH)
    template = serializers.CharField(help_text="equal for equal contents, so that they can share a layout")
    title = serializers.CharField(allow_blank=True)
    crumbs = CrumbSerializer(many=True)
    phase_counts = PhaseCountsSerializer(help_text="number of operators by phase")
    boxes = BoxSerializer(many=True)
    edges = SceneEdgeSerializer(many=True)
    instances = InstanceSerializer(many=True, allow_null=True, help_text="occurrences of a stack, at most 5000")
    overlay = InsideOverlaySerializer(allow_null=True, help_text="colours of the boxes, if `by` requested them")
    measured = serializers.BooleanField(help_text="whether the run has recorded a profile")


class NeighbourSerializer(Shape):
    """An input or a reader of a node."""

    node = serializers.IntegerField(help_text=NODE_NUMBER)
    name = serializers.CharField(allow_blank=True)
    op = serializers.CharField(allow_blank=True)
    type = serializers.CharField(allow_blank=True)
    slot = serializers.IntegerField(help_text="number of the source's output")
    kind = serializers.ChoiceField(choices=EDGE_KIND_CHOICES)
    box = serializers.CharField(help_text=BOX_PATH)
    status = serializers.ChoiceField(choices=STATUSES, allow_null=True, help_text="status of the edge, in a comparison")


class RecordedTagSerializer(Shape):
    """Values recorded under the same name."""

    kind = serializers.ChoiceField(choices=["tensors", "distributions"])
    tag = serializers.CharField(allow_blank=True)


class MembershipSerializer(Shape):
    """An occurrence that contains a node."""

    substructure = serializers.CharField()
    name = serializers.CharField(allow_blank=True)
    occurrence = serializers.IntegerField()
    place = serializers.IntegerField()


class MeasuredSerializer(Shape):
    """The profiler's measurements of an operator, in all of its executions."""

    duration = serializers.FloatField(help_text="seconds")
    memory = serializers.FloatField(help_text="largest number of bytes of the outputs in one execution")
    flops = serializers.FloatField(help_text="floating-point operations")
    bytes_moved = serializers.FloatField(help_text="bytes of inputs and outputs")
    calls = serializers.FloatField(help_text="executions")


class NodeDetailSerializer(Shape):
    """One node."""

    node = serializers.IntegerField(help_text=NODE_NUMBER)
    name = serializers.CharField(allow_blank=True)
    full_name = serializers.CharField(allow_blank=True)
    op = serializers.CharField(allow_blank=True)
    kind = serializers.ChoiceField(choices=NODE_KINDS)
    scope = serializers.CharField(allow_blank=True)
    type = serializers.CharField(allow_blank=True)
    attributes = serializers.DictField()
    value = serializers.CharField(allow_blank=True, help_text="JSON, for constants and parameters")
    source = serializers.CharField(allow_blank=True, help_text="source lines of the program")  # type: ignore[assignment]
    inputs = NeighbourSerializer(many=True)
    inputs_count = serializers.IntegerField(help_text="at most the first 500 inputs")
    outputs = NeighbourSerializer(many=True)
    outputs_count = serializers.IntegerField(help_text="at most the first 500 outputs")
    box = serializers.CharField(help_text="path of the box that shows it")
    crumbs = CrumbSerializer(many=True)
    tags = RecordedTagSerializer(many=True)
    substructures = MembershipSerializer(many=True, help_text="the smallest occurrence first")
    status = serializers.ChoiceField(choices=STATUSES, allow_null=True)
    measured = MeasuredSerializer(allow_null=True)


class FoundNodeSerializer(Shape):
    """A node in a list."""

    node = serializers.IntegerField(help_text=NODE_NUMBER)
    title = serializers.CharField(allow_blank=True, help_text="the end of its full name, which its box bears")
    name = serializers.CharField(allow_blank=True)
    op = serializers.CharField(allow_blank=True)
    scope = serializers.CharField(allow_blank=True)
    type = serializers.CharField(allow_blank=True)
    box = serializers.CharField(help_text=BOX_PATH)


class TermErrorSerializer(Shape):
    """An error in a query."""

    term = serializers.CharField(allow_blank=True)
    start = serializers.IntegerField(help_text="start of the term, in characters")
    end = serializers.IntegerField()
    message = serializers.CharField()


class FoundBoxSerializer(Shape):
    """A box in a list."""

    box = serializers.CharField(help_text=BOX_PATH)
    name = serializers.CharField(allow_blank=True)
    kind = serializers.ChoiceField(choices=BOX_KINDS)
    phase = serializers.ChoiceField(choices=PHASE_CHOICES)
    count = serializers.IntegerField(help_text="number of occurrences in it")
    operators = serializers.IntegerField(help_text="number of operators in it")


class SearchResultSerializer(Shape):
    """The result of a search."""

    total = serializers.IntegerField(help_text="number of nodes that match")
    first = serializers.IntegerField()
    error = TermErrorSerializer(allow_null=True)
    boxes = FoundBoxSerializer(many=True, help_text="boxes whose names match, 50 at most; with the first rows only")
    rows = FoundNodeSerializer(many=True)
    by_op = serializers.DictField(
        child=serializers.IntegerField(), help_text="number of found nodes by type, for the 100 most common types"
    )


class OutlineRowSerializer(Shape):
    """A box in the tree."""

    box = serializers.CharField(help_text=BOX_PATH)
    name = serializers.CharField(allow_blank=True)
    op = serializers.CharField(allow_blank=True, allow_null=True)
    kind = serializers.ChoiceField(choices=BOX_KINDS)
    phase = serializers.ChoiceField(choices=PHASE_CHOICES)
    count = serializers.IntegerField()
    nodes = serializers.IntegerField()
    inside = serializers.IntegerField()


class OutlineSerializer(Shape):
    """The boxes in a box, as rows."""

    box = serializers.CharField(allow_blank=True, help_text=BOX_PATH)
    rows = OutlineRowSerializer(many=True)


class NodeBoxSerializer(Shape):
    """The box of a node."""

    node = serializers.IntegerField(help_text=NODE_NUMBER)
    box = serializers.CharField(help_text=BOX_PATH)


class PlacesSerializer(Shape):
    """The boxes of nodes."""

    places = serializers.DictField(child=serializers.CharField(), help_text="paths of boxes by full name")
    complete = serializers.BooleanField(help_text="false if the graph has more nodes than are listed")


class TraceSerializer(Shape):
    """The nodes that a node depends on, or that depend on it."""

    nodes = serializers.IntegerField(help_text="number of nodes, without the node itself")
    boxes = _texts(help_text="paths of the boxes that show them, at most 5000")
    complete = serializers.BooleanField(help_text="false if there are more boxes")


class WayNodeSerializer(Shape):
    """A node on a path."""

    node = serializers.IntegerField(help_text=NODE_NUMBER)
    name = serializers.CharField(allow_blank=True)
    op = serializers.CharField(allow_blank=True)
    box = serializers.CharField(help_text=BOX_PATH)


class WaySerializer(Shape):
    """The shortest path between two nodes."""

    nodes = WayNodeSerializer(many=True)
    directed = serializers.BooleanField(help_text="whether the path follows the direction of the edges")
    reason = serializers.CharField(allow_null=True, help_text="reason if there is no path: unconnected")


class SideSerializer(Shape):
    """A place in one occurrence."""

    node = serializers.IntegerField(help_text=NODE_NUMBER)
    name = serializers.CharField(allow_blank=True)
    type = serializers.CharField(allow_blank=True)
    attributes = serializers.DictField()


class PlaceDifferenceSerializer(Shape):
    """A place where two occurrences differ."""

    place = serializers.IntegerField()
    op = serializers.CharField(allow_blank=True)
    left = SideSerializer()
    right = SideSerializer()
    differs = serializers.ListField(child=serializers.ChoiceField(choices=["type", "attributes", "value"]))


class InstancesSerializer(Shape):
    """The differences of two occurrences of a stack."""

    places = PlaceDifferenceSerializer(many=True)
    total = serializers.IntegerField()
