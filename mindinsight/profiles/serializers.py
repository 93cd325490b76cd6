"""The shapes of `api.md`."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from mindinsight.api.fields import ChoiceField, FlagField, TextField, WholeField
from mindinsight.profiles.models import Profile

_LONGEST_NS = 1 << 52


class ProfileSerializer(serializers.Serializer[Any]):
    """A trace file, and the state of its reading."""

    id = serializers.CharField(source="uid")
    path = serializers.CharField(help_text="relative to the watched directory")
    run = serializers.CharField(help_text="name of the run in whose directory it is; empty outside of runs")
    size = serializers.IntegerField(help_text="bytes of the file")
    modified = serializers.FloatField(help_text="time of the file's last change, in seconds since 1970")
    state = serializers.ChoiceField(choices=Profile.State.choices)
    progress = serializers.FloatField(help_text="share of the file that has been read")
    problem = serializers.DictField(allow_null=True, help_text="the error that ended reading, in the shape of errors")


class ProfileListSerializer(serializers.Serializer[Any]):
    """All traces below the watched directory, by path."""

    profiles = ProfileSerializer(many=True)


class TrackSerializer(serializers.Serializer[Any]):
    """A row of the timeline."""

    process = serializers.CharField()
    thread = serializers.CharField()
    process_name = serializers.CharField()
    thread_name = serializers.CharField()
    process_order = serializers.FloatField()
    thread_order = serializers.FloatField()
    depth = serializers.IntegerField(help_text="number of levels of nested slices")
    slices = serializers.IntegerField()


class CounterSerializer(serializers.Serializer[Any]):
    """A value over time."""

    process = serializers.CharField()
    name = serializers.CharField()
    unit = serializers.CharField(help_text="`bytes`, or empty")


class HeadSerializer(serializers.Serializer[Any]):
    """A profile as a whole. Times are in nanoseconds from the first slice on."""

    slices = serializers.IntegerField()
    length = serializers.IntegerField(help_text="nanoseconds from the first slice's start to the last end")
    zero = serializers.IntegerField(help_text="start of the first slice on the profiler's clock")
    base = serializers.IntegerField(help_text="nanoseconds from 1970 to the zero of the profiler's clock; 0 if unknown")
    rank = serializers.IntegerField(allow_null=True)
    tracks = TrackSerializer(many=True)
    names = serializers.ListField(
        child=serializers.ListField(child=serializers.CharField(allow_blank=True)), help_text="name and category"
    )
    shapes = serializers.ListField(child=serializers.CharField(allow_blank=True))
    ranges = serializers.ListField(
        child=serializers.IntegerField(), help_text="names that mark steps, scopes and the like: no work of their own"
    )
    levels = serializers.IntegerField(help_text="number of coarser copies for drawing")
    counters = CounterSerializer(many=True)
    steps = serializers.ListField(
        child=serializers.ListField(child=serializers.IntegerField()), help_text="number, start, duration"
    )
    events = serializers.DictField(child=serializers.IntegerField(), help_text="number of events of each kind")
    damage = serializers.ListField(child=serializers.CharField(), help_text="sentences about what is broken")


class ProfileDetailSerializer(serializers.Serializer[Any]):
    """A trace, and what it contains as soon as it has been read."""

    profile = ProfileSerializer()
    head = HeadSerializer(allow_null=True)


class WindowQuery(serializers.Serializer[Any]):
    """A window of time, in nanoseconds from the first slice on."""

    begin = WholeField(0, _LONGEST_NS, required=False, default=0)
    end = WholeField(1, _LONGEST_NS, required=False, help_text="by default the end of the profile")
    track = WholeField(0, 65535, required=False, help_text="only of this track")


class DrawnQuery(WindowQuery):
    """A window of time to be drawn."""

    pixels = WholeField(1, 8000, required=False, default=1000, help_text="width of the drawing")


class SumsQuery(WindowQuery):
    """A window of time to be added up."""

    by = ChoiceField(("name", "shape"), required=False, default="name")


class SumSerializer(serializers.Serializer[Any]):
    """The slices of one name, or of one name and shape, in a window. Times are in nanoseconds."""

    name = serializers.IntegerField(help_text="index in `names`")
    shape = serializers.IntegerField(help_text="index in `shapes`; 0 if slices are grouped by name")
    count = serializers.IntegerField()
    total = serializers.IntegerField(help_text="including children")
    own = serializers.IntegerField(help_text="without children")
    longest = serializers.IntegerField(help_text="row of the longest slice")
    longest_ns = serializers.IntegerField()


class SumListSerializer(serializers.Serializer[Any]):
    """The sums of a window, the largest own time first."""

    sums = SumSerializer(many=True)
    busy = serializers.ListField(
        child=serializers.IntegerField(), help_text="for each track the nanoseconds with a slice"
    )


class SliceQuery(serializers.Serializer[Any]):
    """A slice."""

    row = WholeField(0, (1 << 31) - 1)


class SliceSerializer(serializers.Serializer[Any]):
    """A slice. Times are in nanoseconds."""

    row = serializers.IntegerField()
    name = serializers.IntegerField()
    track = serializers.IntegerField()
    depth = serializers.IntegerField()
    start = serializers.IntegerField()
    duration = serializers.IntegerField()


class SliceDetailSerializer(serializers.Serializer[Any]):
    """A slice with those around it, the outermost first, and its arguments."""

    around = SliceSerializer(many=True, help_text="the slice is the last one")
    own = serializers.IntegerField(help_text="nanoseconds without children")
    arguments = serializers.DictField()


class FindQuery(serializers.Serializer[Any]):
    """Which slice is searched for."""

    text = TextField(max_length=500, min_length=1, help_text="a part of the name; capitals do not matter")
    after = WholeField(
        0, _LONGEST_NS, required=False, default=0, help_text="nanoseconds: the next one that starts here"
    )
    back = FlagField(required=False, default=False, help_text="the last one that starts before")


class FindSerializer(serializers.Serializer[Any]):
    """The found slice, and how many there are."""

    slice = SliceSerializer(allow_null=True)
    count = serializers.IntegerField()


class CounterQuery(DrawnQuery):
    """A window of a counter."""

    counter = WholeField(0, 65535)


class CounterPointsSerializer(serializers.Serializer[Any]):
    """The course of a counter: for each pixel with changes the time, the lowest and the highest value."""

    points = serializers.ListField(child=serializers.ListField(child=serializers.FloatField()))


class FileQuery(WindowQuery):
    """The form of a download."""

    format = ChoiceField(("chrome", "csv"), required=False, default="chrome")
