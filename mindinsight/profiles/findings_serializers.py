"""The shapes of what a profile means, as `api.md` describes them."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from mindinsight.api.fields import TextField


class NothingQuery(serializers.Serializer[Any]):
    """No parameters."""


class ProfileStepSerializer(serializers.Serializer[Any]):
    """A step. Times are in nanoseconds; what is neither waiting nor running is the rest."""

    number = serializers.IntegerField(help_text="-1 if the profiler marked no steps")
    start = serializers.IntegerField()
    duration = serializers.IntegerField()
    waiting = serializers.IntegerField(help_text="for data")
    running = serializers.IntegerField(help_text="operators on at least one thread")
    usual = serializers.BooleanField(help_text="false for slow first steps, which means leave out")


class AdviceSerializer(serializers.Serializer[Any]):
    """A rule that found something."""

    rule = serializers.ChoiceField(choices=("data", "python", "between", "saving", "slow_steps", "copies", "small"))
    gain = serializers.FloatField(help_text="share of a usual step that would be saved at most")
    per_step = serializers.FloatField(help_text="the same in nanoseconds")
    name = serializers.CharField(allow_blank=True, help_text="what shows it")
    count = serializers.IntegerField(help_text="how often")
    row = serializers.IntegerField(allow_null=True, help_text="a slice that shows it")
    window = serializers.ListField(child=serializers.IntegerField(), allow_null=True, help_text="a span that shows it")


class OverviewSerializer(serializers.Serializer[Any]):
    """Steps by time, and advice, the largest gain first."""

    steps = ProfileStepSerializer(many=True)
    marked = serializers.BooleanField(help_text="false if the whole trace is the only step")
    advice = AdviceSerializer(many=True)


class FlameNodeSerializer(serializers.Serializer[Any]):
    """A stack of names."""

    above = serializers.IntegerField(help_text="place in the list; -1 for outermost ones")
    name = serializers.IntegerField()
    depth = serializers.IntegerField()
    count = serializers.IntegerField()
    total = serializers.IntegerField(help_text="nanoseconds in the window")
    longest = serializers.IntegerField(help_text="row of the longest slice")


class FlameSerializer(serializers.Serializer[Any]):
    """Nodes level by level, the largest first."""

    nodes = FlameNodeSerializer(many=True)


class AliveSerializer(serializers.Serializer[Any]):
    """Memory that was alive at the peak. Times are in nanoseconds."""

    bytes = serializers.IntegerField()
    born = serializers.IntegerField()
    died = serializers.IntegerField(allow_null=True, help_text="null if it outlives the recording")
    row = serializers.IntegerField(allow_null=True, help_text="the operator's slice that allocated it")


class PeakSerializer(serializers.Serializer[Any]):
    """The peak of a device."""

    device = serializers.IntegerField(help_text="index of its counter")
    at = serializers.IntegerField()
    bytes = serializers.IntegerField()
    before = serializers.IntegerField(help_text="bytes from before the recording that are alive at the peak")
    alive = AliveSerializer(many=True, help_text="the largest first, a thousand at most")
    count = serializers.IntegerField(help_text="number of all that are alive")
    alive_bytes = serializers.IntegerField(help_text="their sum")


class MemorySerializer(serializers.Serializer[Any]):
    """The peaks of all devices, and the names of the slices among them."""

    peaks = PeakSerializer(many=True)
    names = serializers.DictField(child=serializers.IntegerField(), help_text="index of the name for each row")


class RanksQuery(serializers.Serializer[Any]):
    """The profiles of one training."""

    profiles = TextField(max_length=33 * 1024, min_length=32, help_text="ids, separated by commas, in order of ranks")


class RankStepSerializer(serializers.Serializer[Any]):
    """A step of a rank, in nanoseconds."""

    number = serializers.IntegerField()
    duration = serializers.IntegerField()
    waiting = serializers.IntegerField(help_text="for data")
    working = serializers.IntegerField(help_text="without communication")
    communication = serializers.IntegerField()


class RankSerializer(serializers.Serializer[Any]):
    """The steps of a rank."""

    id = serializers.CharField()
    path = serializers.CharField()
    rank = serializers.IntegerField(allow_null=True)
    steps = RankStepSerializer(many=True)


class StragglerSerializer(serializers.Serializer[Any]):
    """The rank that works longest in a step."""

    number = serializers.IntegerField()
    rank = serializers.IntegerField(allow_null=True, help_text="place among `ranks`; null if none stands out")
    lead = serializers.IntegerField(help_text="nanoseconds that it works longer than the next one")


class RanksSerializer(serializers.Serializer[Any]):
    """Ranks as asked for, and which one the others wait for in each step that all have."""

    ranks = RankSerializer(many=True)
    stragglers = StragglerSerializer(many=True)
