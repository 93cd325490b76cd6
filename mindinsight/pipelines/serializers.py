"""The shapes of `api.md` for the OpenAPI schema. A test checks real answers against them."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from mindinsight.api.answers import ErrorSerializer
from mindinsight.api.fields import NumberListField, TextField, WholeField

SPANS = ("recent", "whole")
REASONS = ("one_worker", "python", "reading", "processors", "work", "queues")
ACTIONS = ("workers", "processes", "save", "random_access", "none")


class PipelineSummarySerializer(serializers.Serializer[Any]):
    """One run with a data pipeline, or a file of MindSpore's profiler in its directory."""

    run = serializers.IntegerField()
    file = serializers.CharField(
        allow_blank=True, help_text="relative to the base directory; empty for what the training itself recorded"
    )
    waiting = serializers.FloatField(
        allow_null=True, help_text="share of the steps' time that they waited for data; null if unknown"
    )
    data_bound = serializers.BooleanField(help_text="whether that share is above 0.05")
    bottleneck = serializers.CharField(allow_blank=True, help_text="the operator that holds it up now; empty for none")
    error = ErrorSerializer(allow_null=True, help_text="why its last record cannot be read")


class PipelineSummaryListSerializer(serializers.Serializer[Any]):
    """Runs with data pipelines, by number."""

    pipelines = PipelineSummarySerializer(many=True)


class FillSerializer(serializers.Serializer[Any]):
    """The queue behind an operator. Shares are between 0 and 1."""

    size = serializers.IntegerField(help_text="items in it now")
    length = serializers.IntegerField(help_text="its slots; 0 if unknown")
    fill = serializers.FloatField(allow_null=True, help_text="mean fill; null if nothing was put into it")
    full = serializers.FloatField(allow_null=True, help_text="share of the time that its writers waited for room")
    empty = serializers.FloatField(allow_null=True, help_text="share of the time that its reader waited for an item")


class OperationCostSerializer(serializers.Serializer[Any]):
    """One operation of a Map, as measured on some rows."""

    name = serializers.CharField(allow_blank=True)
    rows = serializers.IntegerField(help_text="measured rows")
    seconds = serializers.FloatField(help_text="of a row")
    processor = serializers.FloatField(help_text="seconds of processor time of a row")
    share = serializers.FloatField(allow_null=True, help_text="of the time of all operations of the Map")
    python = serializers.BooleanField(help_text="a function of the user")
    random = serializers.BooleanField(help_text="it draws random numbers")


class DataOperatorSerializer(serializers.Serializer[Any]):
    """What one operator did in the span."""

    number = serializers.IntegerField(help_text="children have lower numbers; the last one gives the batches")
    op_type = serializers.CharField(allow_blank=True)
    children = serializers.ListField(child=serializers.IntegerField(), help_text="the operators that it reads")
    workers = serializers.IntegerField()
    threads = serializers.IntegerField(help_text="the most workers that ran; 0 if whoever reads it computes it")
    processes = serializers.BooleanField(help_text="whether the workers are processes")
    where = serializers.CharField(allow_blank=True, help_text="file and line of the program")
    rows = serializers.IntegerField(allow_null=True, help_text="since the start")
    rate = serializers.FloatField(allow_null=True, help_text="rows per second")
    busy = serializers.FloatField(allow_null=True, help_text="share of the time that its workers work")
    row_seconds = serializers.FloatField(allow_null=True, help_text="time of a row in one worker")
    processor = serializers.FloatField(allow_null=True, help_text="share of the work that used a processor")
    queue = FillSerializer(allow_null=True, help_text="null if its rows are computed when they are read")
    costs = OperationCostSerializer(many=True)


class FindingSerializer(serializers.Serializer[Any]):
    """The bottleneck: the operator that holds the others up, why, and what would help. Shares are between 0 and 1."""

    operator = serializers.IntegerField()
    reason = serializers.CharField(allow_blank=True, help_text=f"one of {', '.join(REASONS)}")
    operation = serializers.CharField(allow_blank=True, help_text="the operation of a Map that costs the most")
    operation_share = serializers.FloatField()
    workers = serializers.IntegerField()
    busy = serializers.FloatField(allow_null=True)
    input_full = serializers.FloatField(allow_null=True)
    output_empty = serializers.FloatField()
    processors = serializers.FloatField(allow_null=True, help_text="used share of all processors")
    action = serializers.CharField(allow_blank=True, help_text=f"one of {', '.join(ACTIONS)}")
    count = serializers.IntegerField(help_text="number of workers for the action")
    gain = serializers.FloatField(allow_null=True, help_text="how many times faster batches would come")


class EpochWaitSerializer(serializers.Serializer[Any]):
    """How long the steps of an epoch waited for data, in seconds."""

    epoch = serializers.IntegerField(help_text="from 1")
    steps = serializers.IntegerField()
    waiting = serializers.FloatField()
    duration = serializers.FloatField()


class StepWaitsSerializer(serializers.Serializer[Any]):
    """How long steps waited for data, as columns, in seconds. Steps between two records may be missing."""

    step = serializers.ListField(child=serializers.IntegerField())
    waiting = serializers.ListField(child=serializers.FloatField())
    duration = serializers.ListField(child=serializers.FloatField())


class OperatorCourseSerializer(serializers.Serializer[Any]):
    """The course of an operator."""

    rate = serializers.ListField(child=serializers.FloatField(), allow_null=True, help_text="rows per second")
    fill = serializers.ListField(child=serializers.FloatField(allow_null=True), help_text="of its queue, 0 to 1")


class CourseSerializer(serializers.Serializer[Any]):
    """The course of all operators, as columns of equal lengths."""

    seconds = serializers.ListField(child=serializers.FloatField(), help_text="since the recording began")
    operators = OperatorCourseSerializer(many=True)
    fill = serializers.ListField(
        child=serializers.FloatField(allow_null=True), help_text="of the queue in front of the training"
    )


class SkippedSerializer(serializers.Serializer[Any]):
    """Samples with errors that did not end the training."""

    mode = serializers.CharField(allow_blank=True, help_text="`skip`: left out; `replace`: replaced by good ones")
    count = serializers.IntegerField()
    messages = serializers.ListField(child=serializers.CharField(allow_blank=True), help_text="the first ones")


class DataPipelineSerializer(serializers.Serializer[Any]):
    """The data pipeline of a run in a span of time."""

    run = serializers.IntegerField()
    file = serializers.CharField(allow_blank=True, help_text="of MindSpore's profiler; empty for records")
    files = serializers.ListField(
        child=serializers.CharField(), help_text="all files of MindSpore's profiler in the run's directory"
    )
    records = serializers.IntegerField(help_text="0 for a file")
    wall_time = serializers.FloatField(allow_null=True, help_text="of the last record")
    seconds = serializers.FloatField(help_text="from the start to the last record")
    span = serializers.FloatField(help_text="seconds that the figures are about")
    processors = serializers.IntegerField(help_text="that the training may use; 0 if unknown")
    processor = serializers.FloatField(allow_null=True, help_text="used share of them")
    operators = DataOperatorSerializer(many=True)
    queue = FillSerializer(allow_null=True, help_text="the queue in front of the training")
    finding = FindingSerializer(allow_null=True)
    finding_share = serializers.FloatField(help_text="share of the records that name this bottleneck")
    waiting = serializers.FloatField(allow_null=True)
    data_bound = serializers.BooleanField()
    epochs = EpochWaitSerializer(many=True)
    steps = StepWaitsSerializer()
    history = CourseSerializer()
    skipped = SkippedSerializer(allow_null=True)


class PipelineListQuery(serializers.Serializer[Any]):
    """The parameters of `GET /api/pipelines`."""

    runs = NumberListField(required=False, default=None, help_text="numbers of runs; default: all")


class PipelineQuery(serializers.Serializer[Any]):
    """The parameters of `GET /api/pipelines/show`."""

    run = WholeField(help_text="number of a run")
    file = TextField(
        max_length=4096, required=False, default="", help_text="one of `files`; default: what the training recorded"
    )
    span = serializers.ChoiceField(
        choices=SPANS, required=False, default="recent", help_text="the last ten seconds, or the whole training"
    )
