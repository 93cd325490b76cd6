"""The shapes of `api.md` for the OpenAPI schema. A test checks real answers against them.

Messages of the training (`state`, `hits` ...) have the shapes of `summaries/schema/debugger.proto`.
"""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from mindinsight.api.fields import FlagField, IdField, TextField, WholeField
from mindinsight.tensors.serializers import TensorStatisticsSerializer

STATUSES = ["starting", "running", "paused", "ended", "lost"]
TENSOR_STATES = ["asked", "arriving", "ready", "failed", "gone"]
STEP_ANSWERS = ["current", "previous", "ahead", "passed", "over", "none"]
_U32 = (1 << 32) - 1

Shape = serializers.Serializer[Any]


class EndSerializer(Shape):
    """The end of a training's session."""

    reason = serializers.CharField(help_text="finished, failed, stopped or detached")
    at = serializers.FloatField(help_text="seconds since 1970")


class DebugSessionRowSerializer(Shape):
    """A session in lists."""

    id = serializers.CharField()
    number = serializers.IntegerField(help_text="number of the session: the `series` of its tensors")
    run = serializers.CharField(allow_null=True, help_text="id of its run, if known")
    run_name = serializers.CharField(help_text="relative to the base directory; empty if nothing is recorded")
    name = serializers.CharField()
    host = serializers.CharField()
    pid = serializers.IntegerField()
    device = serializers.CharField()
    mode = serializers.CharField()
    status = serializers.ChoiceField(choices=STATUSES)
    step = serializers.IntegerField()
    started = serializers.FloatField()
    seen = serializers.FloatField(help_text="time of the training's last message")
    connected = serializers.BooleanField()
    viewers = serializers.IntegerField()
    controller = serializers.CharField(allow_null=True)
    ended = EndSerializer(allow_null=True)
    message = serializers.CharField(help_text="message of its end")


class DebugSessionListSerializer(Shape):
    """All sessions, newest first."""

    sessions = DebugSessionRowSerializer(many=True)


class ProgramHeadSerializer(Shape):
    """The program of a training."""

    digest = serializers.CharField()
    nodes = serializers.IntegerField()


class DebugGraphSerializer(Shape):
    """The graph of a session."""

    graph = serializers.CharField(help_text="name of the graph in requests")
    digest = serializers.CharField()
    bytes = serializers.IntegerField()


class TensorNameSerializer(Shape):
    """One tensor of a step."""

    full_name = serializers.CharField()
    slot = serializers.IntegerField()
    iteration = serializers.IntegerField()


class DebugTensorSerializer(Shape):
    """Requested values, and how much of them has arrived."""

    number = serializers.IntegerField(help_text="number that never changes")
    session = serializers.CharField()
    tensor = TensorNameSerializer()
    step = serializers.IntegerField()
    previous = serializers.BooleanField()
    state = serializers.ChoiceField(choices=TENSOR_STATES)
    dtype = serializers.CharField(allow_null=True)
    shape = serializers.ListField(child=serializers.IntegerField(), allow_null=True)
    bytes = serializers.IntegerField(allow_null=True)
    received = serializers.IntegerField()
    problem = serializers.CharField()
    message = serializers.CharField()


class DebugTensorListSerializer(Shape):
    """The tensors of a session, newest first."""

    tensors = DebugTensorSerializer(many=True)


class DebugSessionSerializer(Shape):
    """The full state of a session."""

    type = serializers.CharField()
    session = serializers.CharField()
    row = DebugSessionRowSerializer()
    hello = serializers.DictField(allow_null=True)
    state = serializers.DictField(allow_null=True)
    program = ProgramHeadSerializer(allow_null=True)
    graph = DebugGraphSerializer(allow_null=True)
    watching = serializers.DictField(allow_null=True)
    hits = serializers.ListField(child=serializers.DictField())
    causes = serializers.ListField(child=serializers.DictField(), help_text="one per step, oldest first")
    divergence = serializers.DictField(allow_null=True)
    log = serializers.ListField(child=serializers.DictField())
    tensors = DebugTensorSerializer(many=True)
    viewers = serializers.IntegerField()
    controller = serializers.CharField(allow_null=True)
    connected = serializers.BooleanField()
    ended = EndSerializer(allow_null=True)


class DebugProgramSerializer(Shape):
    """The nodes of a training's step in execution order: `Node` of `summaries/schema/debugger.proto`."""

    digest = serializers.CharField()
    files = serializers.ListField(child=serializers.CharField())
    nodes = serializers.ListField(child=serializers.DictField())


class WantedTensorSerializer(Shape):
    """The body of `POST /api/debugger/sessions/ID/tensors`."""

    full_name = TextField(min_length=1, max_length=4096)
    slot = WholeField(0, _U32, required=False, default=0)
    iteration = WholeField(0, _U32, required=False, default=0)
    previous = FlagField(required=False, default=False)


class DebugTensorStatisticsSerializer(TensorStatisticsSerializer):
    """A slice of a tensor of a session in numbers."""

    run = serializers.IntegerField(allow_null=True)


class StepQuery(Shape):
    """The parameters of `GET /api/debugger/steps`."""

    run = IdField(32, help_text="id of a run")
    step = WholeField(0, (1 << 53) - 1)


class StepSerializer(Shape):
    """The session with a step of a run."""

    run = serializers.CharField()
    step = serializers.IntegerField()
    session = DebugSessionRowSerializer(allow_null=True)
    answer = serializers.ChoiceField(choices=STEP_ANSWERS)
    message = serializers.CharField()
