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
    """The graph is not analysed yet: ask again."""

    graph = serializers.CharField(help_text="hash of the graph")
    state = serializers.ChoiceField(choices=["waiting", "running", "failed"])
    progress = serializers.FloatField(help_text="share that is done, 0 to 1")
    error = ErrorSerializer(allow_null=True, help_text="why it failed")


class CrumbSerializer(Shape):
    """A box on the way from the root."""

    box = serializers.CharField(allow_blank=True, help_text=BOX_PATH)
    name = serializers.CharField(allow_blank=True)
    count = serializers.IntegerField(allow_null=True, help_text="occurrences of a stack")
    instance = serializers.IntegerField(allow_null=True, help_text="which of them is looked at")


class PhaseCountsSerializer(Shape):
    """Operators by phase."""

    forward = serializers.IntegerField()
    backward = serializers.IntegerField()
    optimizer = serializers.IntegerField()


class BoxChangesSerializer(Shape):
    """Nodes of a box that differ in a comparison, by status."""

    added = serializers.IntegerField()
    removed = serializers.IntegerField()
    changed = serializers.IntegerField()


class BoxSerializer(Shape):
    """One box."""

    index = serializers.IntegerField(help_text="last step of its path")
    kind = serializers.ChoiceField(choices=BOX_KINDS)
    name = serializers.CharField(allow_blank=True)
    op = serializers.CharField(allow_blank=True, allow_null=True, help_text="type of operator, of a node")
    nodes = serializers.IntegerField(help_text="that it holds, of all occurrences")
    operators = serializers.IntegerField()
    bookkeeping = serializers.IntegerField(help_text="operators among them that only fetch, pack and order")
    parameters = serializers.IntegerField()
    consts = serializers.IntegerField()
    phase = serializers.ChoiceField(choices=PHASE_CHOICES)
    count = serializers.IntegerField(help_text="occurrences in a stack, 1 otherwise")
    inside = serializers.IntegerField(help_text="boxes that opening it shows, 0 of a node")
    substructure = serializers.CharField(allow_null=True, help_text="id of the sub-structure")
    type = serializers.CharField(allow_blank=True, help_text="of the output")
    node = serializers.IntegerField(allow_null=True, help_text=NODE_NUMBER)
    params = _texts(help_text="names of parameters in it, three at most")
    params_count = serializers.IntegerField(help_text="parameters drawn with it instead of beside it")
    consts_count = serializers.IntegerField(help_text="constants drawn with it instead of beside it")
    variants = _numbers(help_text="occurrences that differ from most of the stack in type or attributes")
    status = serializers.ChoiceField(choices=STATUSES, allow_null=True, help_text="in a comparison")
    changes = BoxChangesSerializer(allow_null=True, help_text="in a comparison: how many of its nodes differ")
    proxies = _texts(help_text="names of boxes that feed it without an edge, because they feed too many")
    pair = serializers.CharField(allow_null=True, help_text="path of what goes back where this goes forward")


class SceneEdgeSerializer(Shape):
    """All edges of a kind from one box to another."""

    source = serializers.IntegerField(help_text="index of a box, -1 for what comes in from around the container")  # type: ignore[assignment]
    target = serializers.IntegerField(help_text="index of a box, -2 for what goes out of the container")
    count = serializers.IntegerField(help_text="edges of the graph")
    kind = serializers.ChoiceField(choices=EDGE_KIND_CHOICES)
    type = serializers.CharField(allow_blank=True, help_text="of the first")
    types = serializers.IntegerField(help_text="different types")
    bytes = serializers.IntegerField(allow_null=True, help_text="of the largest")
    phase = serializers.ChoiceField(
        choices=PHASE_CHOICES, allow_null=True, help_text="of what lies around the container; null between boxes"
    )
    status = serializers.ChoiceField(
        choices=STATUSES, allow_null=True, help_text="in a comparison: of all of them, changed where they differ"
    )


class InstanceSerializer(Shape):
    """An occurrence in a stack."""

    instance = serializers.IntegerField()
    name = serializers.CharField(allow_blank=True)
    differs = serializers.BooleanField(help_text="from most of the stack in type or attributes")
    reads = serializers.ListField(
        child=serializers.IntegerField(), help_text="other occurrences that it reads from, at most one node between"
    )
    status = serializers.ChoiceField(choices=STATUSES, allow_null=True, help_text="in a comparison")
    changes = BoxChangesSerializer(allow_null=True, help_text="in a comparison: how many of its nodes differ")


class OverlayKeySerializer(Shape):
    """An entry of the legend."""

    key = serializers.CharField(allow_blank=True)
    label = serializers.CharField(allow_blank=True)  # type: ignore[assignment]  # A field takes the attribute away.
    count = serializers.IntegerField(help_text="nodes in the container")


class OverlaySerializer(Shape):
    """What the boxes of a container are coloured by."""

    values = serializers.ListField(
        child=serializers.CharField(allow_null=True, allow_blank=True),
        help_text="by box: a key of the legend; an amount as text where there is a unit; null where nothing is known",
    )
    legend = OverlayKeySerializer(many=True)
    unit = serializers.CharField(allow_null=True, help_text="bytes, seconds, norm or hits; null for names")
    known = serializers.BooleanField(help_text="whether there is anything to tell: a profile, gradients, a debugger")
    step = serializers.IntegerField(allow_null=True, help_text="at which it was told last; null where it has none")


class InsideOverlaySerializer(OverlaySerializer):
    """The colours that were asked for along with the boxes."""

    by = serializers.ChoiceField(choices=COLOURS)


class InsideSerializer(Shape):
    """What opening a box shows."""

    graph = serializers.CharField(help_text="hash of the graph")
    box = serializers.CharField(allow_blank=True, help_text=BOX_PATH)
    template = serializers.CharField(help_text="equal for equal insides: a layout holds for all of them")
    title = serializers.CharField(allow_blank=True)
    crumbs = CrumbSerializer(many=True)
    phase_counts = PhaseCountsSerializer(help_text="operators by phase")
    boxes = BoxSerializer(many=True)
    edges = SceneEdgeSerializer(many=True)
    instances = InstanceSerializer(many=True, allow_null=True, help_text="of a stack, 5000 at most")
    overlay = InsideOverlaySerializer(allow_null=True, help_text="colours of the boxes, where `by` asked for them")
    measured = serializers.BooleanField(help_text="whether the run has recorded a profile")


class NeighbourSerializer(Shape):
    """What a node reads, or is read by."""

    node = serializers.IntegerField(help_text=NODE_NUMBER)
    name = serializers.CharField(allow_blank=True)
    op = serializers.CharField(allow_blank=True)
    type = serializers.CharField(allow_blank=True)
    slot = serializers.IntegerField(help_text="which output of the source")
    kind = serializers.ChoiceField(choices=EDGE_KIND_CHOICES)
    box = serializers.CharField(help_text=BOX_PATH)
    status = serializers.ChoiceField(choices=STATUSES, allow_null=True, help_text="of the edge, in a comparison")


class RecordedTagSerializer(Shape):
    """Recorded values of the same name."""

    kind = serializers.ChoiceField(choices=["tensors", "distributions"])
    tag = serializers.CharField(allow_blank=True)


class MembershipSerializer(Shape):
    """An occurrence that a node is part of."""

    substructure = serializers.CharField()
    name = serializers.CharField(allow_blank=True)
    occurrence = serializers.IntegerField()
    place = serializers.IntegerField()


class MeasuredSerializer(Shape):
    """What the run's profiler measured of an operator, in all of its executions."""

    duration = serializers.FloatField(help_text="seconds")
    memory = serializers.FloatField(help_text="bytes of the outputs of one execution, the largest")
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
    value = serializers.CharField(allow_blank=True, help_text="JSON, of constants and parameters")
    source = serializers.CharField(allow_blank=True, help_text="lines of the program")  # type: ignore[assignment]
    inputs = NeighbourSerializer(many=True)
    inputs_count = serializers.IntegerField(help_text="of very many inputs the first 500 are listed")
    outputs = NeighbourSerializer(many=True)
    outputs_count = serializers.IntegerField(help_text="of very many outputs the first 500 are listed")
    box = serializers.CharField(help_text="path of the box that shows it")
    crumbs = CrumbSerializer(many=True)
    tags = RecordedTagSerializer(many=True)
    substructures = MembershipSerializer(many=True, help_text="the smallest first")
    status = serializers.ChoiceField(choices=STATUSES, allow_null=True)
    measured = MeasuredSerializer(allow_null=True)


class FoundNodeSerializer(Shape):
    """A node in a list."""

    node = serializers.IntegerField(help_text=NODE_NUMBER)
    name = serializers.CharField(allow_blank=True)
    op = serializers.CharField(allow_blank=True)
    scope = serializers.CharField(allow_blank=True)
    type = serializers.CharField(allow_blank=True)
    box = serializers.CharField(help_text=BOX_PATH)


class TermErrorSerializer(Shape):
    """What is wrong with a query."""

    term = serializers.CharField(allow_blank=True)
    start = serializers.IntegerField(help_text="where the term begins, in characters")
    end = serializers.IntegerField()
    message = serializers.CharField()


class SearchResultSerializer(Shape):
    """What a search found."""

    total = serializers.IntegerField()
    first = serializers.IntegerField()
    error = TermErrorSerializer(allow_null=True)
    rows = FoundNodeSerializer(many=True)
    by_op = serializers.DictField(child=serializers.IntegerField(), help_text="found nodes by type, the 100 commonest")


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
    """Where a node is drawn."""

    node = serializers.IntegerField(help_text=NODE_NUMBER)
    box = serializers.CharField(help_text=BOX_PATH)


class PlacesSerializer(Shape):
    """Where nodes are drawn."""

    places = serializers.DictField(child=serializers.CharField(), help_text="paths of boxes by full name")
    complete = serializers.BooleanField(help_text="false where the graph has more nodes than are told")


class TraceSerializer(Shape):
    """What a node depends on, or what depends on it."""

    nodes = serializers.IntegerField(help_text="how many, the node itself left out")
    boxes = _texts(help_text="paths of the boxes that show them, 5000 at most")
    complete = serializers.BooleanField(help_text="false where there are more boxes")


class WayNodeSerializer(Shape):
    """A node on a way."""

    node = serializers.IntegerField(help_text=NODE_NUMBER)
    name = serializers.CharField(allow_blank=True)
    op = serializers.CharField(allow_blank=True)
    box = serializers.CharField(help_text=BOX_PATH)


class WaySerializer(Shape):
    """The shortest way between two nodes."""

    nodes = WayNodeSerializer(many=True)
    directed = serializers.BooleanField(help_text="whether it follows the edges' direction")
    reason = serializers.CharField(allow_null=True, help_text="why there is none: unconnected")


class SideSerializer(Shape):
    """A place as one occurrence has it."""

    node = serializers.IntegerField(help_text=NODE_NUMBER)
    name = serializers.CharField(allow_blank=True)
    type = serializers.CharField(allow_blank=True)
    attributes = serializers.DictField()


class PlaceDifferenceSerializer(Shape):
    """A place at which two occurrences differ."""

    place = serializers.IntegerField()
    op = serializers.CharField(allow_blank=True)
    left = SideSerializer()
    right = SideSerializer()
    differs = serializers.ListField(child=serializers.ChoiceField(choices=["type", "attributes", "value"]))


class InstancesSerializer(Shape):
    """How two occurrences of a stack differ."""

    places = PlaceDifferenceSerializer(many=True)
    total = serializers.IntegerField()
