"""The shapes of `api.md`, for the OpenAPI schema and for parsing requests."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from mindinsight.api.fields import MAX_WHOLE, ChoiceField, RealField, TextField, Typed, WholeField
from mindinsight.api.problems import COMBINATION
from mindinsight.runs.api.serializers import NumberField
from mindinsight.scalars.curves.looks import SmoothingKind
from mindinsight.scalars.curves.scales import ScaleKind
from mindinsight.scalars.groups.bands import Band, Line
from mindinsight.scalars.serializers import MAX_WIDTH, AxisField

MAX_MEMBERS = 10_000
MAX_GROUPS = 200
MAX_KEYS = 8
MAX_HEIGHT = 2_000
MAX_CELLS = 20_000_000
"""Maximum of members times pixel columns. Each takes eight bytes, several times."""


class RunNumbersField(Typed):
    """Distinct numbers of runs, checked in one step, because there may be ten thousand."""

    def __init__(self, **options: Any) -> None:
        number = {"type": "integer", "minimum": 0, "maximum": MAX_WHOLE}
        super().__init__({"type": "array", "items": number, "minItems": 1, "maxItems": MAX_MEMBERS}, **options)

    def to_internal_value(self, data: Any) -> list[int]:
        """Returns the numbers."""
        if not isinstance(data, list) or not 0 < len(data) <= MAX_MEMBERS:
            raise self.refuse(f"a list of 1 to {MAX_MEMBERS} numbers of runs is expected")
        if not all(type(number) is int and 0 <= number <= MAX_WHOLE for number in data):
            raise self.refuse(f"whole numbers from 0 to {MAX_WHOLE} are expected")
        return list(dict.fromkeys(data))


class _GroupView(serializers.Serializer[Any]):
    """The parameters of all views of groups. `from` cannot be the name of a field in Python."""

    tag = TextField(min_length=1, max_length=1024)
    width = WholeField(16, MAX_WIDTH, required=False, default=600)
    x = AxisField(required=False, default="step", help_text="as in `GET /api/scalars/points`")
    x_scale = ChoiceField(ScaleKind, default="linear")
    x_linear = RealField(1e-300, required=False, default=1.0, help_text="size up to which 'symlog' is linear")
    low = RealField(
        required=False,
        allow_null=True,
        default=None,
        help_text="x of the left edge; default: that of the first point",
    )
    high = RealField(
        required=False,
        allow_null=True,
        default=None,
        help_text="x of the right edge; default: that of the last point",
    )
    smoothing = RealField(0, 0.999, required=False, default=0.0)
    smoothing_kind = ChoiceField(SmoothingKind, default="ema")
    format = ChoiceField(["binary", "json"], default="binary")

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """Gives the edges of the range their names in requests."""
        names = {"low": "from", "high": "to"}
        return {names.get(name, name): field for name, field in super().get_fields().items()}

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Rejects a range that ends before it begins."""
        if attrs["from"] is not None and attrs["to"] is not None and attrs["from"] >= attrs["to"]:
            raise serializers.ValidationError({"to": "it must be more than 'from'"}, COMBINATION)
        if attrs["x_scale"] == "log" and attrs["from"] is not None and attrs["from"] <= 0:
            raise serializers.ValidationError({"from": "it must be more than 0 on a logarithmic axis"}, COMBINATION)
        return attrs


class GroupsBody(_GroupView):
    """The body of `POST /api/scalars/groups`."""

    groups = serializers.ListField(
        child=RunNumbersField(),
        min_length=1,
        max_length=MAX_GROUPS,
        help_text=f"numbers of the runs of each group, at most {MAX_MEMBERS} in all",
    )
    line = ChoiceField(Line, default=Line.MEAN.value)
    band = ChoiceField(Band, default=Band.STD.value)

    def validate_groups(self, groups: list[list[int]]) -> list[list[int]]:
        """Rejects too many members."""
        return _few_enough(groups)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Rejects requests that would take too much memory."""
        super().validate(attrs)
        if max(map(len, attrs["groups"])) * attrs["width"] > MAX_CELLS:
            reason = f"the runs of a group times the width exceed {MAX_CELLS:,}"
            raise serializers.ValidationError({"width": reason}, COMBINATION)
        return attrs


class DensityBody(_GroupView):
    """The body of `POST /api/scalars/density`."""

    runs = RunNumbersField()
    height = WholeField(8, MAX_HEIGHT, required=False, default=160)
    y_scale = ChoiceField(ScaleKind, default="linear")
    y_linear = RealField(1e-300, required=False, default=1.0, help_text="size up to which 'symlog' is linear")
    bottom = RealField(
        required=False,
        allow_null=True,
        default=None,
        help_text="y axis position of the lower edge; an exponent of ten on a logarithmic axis",
    )
    top = RealField(required=False, allow_null=True, default=None, help_text="y of the upper edge")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Rejects an incomplete range, and one that ends before it begins."""
        super().validate(attrs)
        bottom, top = attrs["bottom"], attrs["top"]
        if (bottom is None) != (top is None) or (bottom is not None and bottom >= top):
            reason = "it must be more than 'bottom', and both or none must be given"
            raise serializers.ValidationError({"top": reason}, COMBINATION)
        return attrs


class GroupingsBody(serializers.Serializer[Any]):
    """The body of `POST /api/scalars/groupings`."""

    runs = RunNumbersField()
    by = serializers.ListField(
        child=TextField(min_length=1, max_length=1024),
        required=False,
        default=list,
        max_length=MAX_KEYS,
        help_text="`tags` or `param:NAME`",
    )


class KeySerializer(serializers.Serializer[Any]):
    """A key to group by."""

    key = serializers.CharField(help_text="`tags` or `param:NAME`")
    runs = serializers.IntegerField(help_text="number of runs that have it")
    values = serializers.IntegerField(help_text="number of different values")


class KeyValueField(serializers.JSONField):
    """A text, a number, a boolean, or null if a run has no value."""


class RunGroupSerializer(serializers.Serializer[Any]):
    """Runs with the same values."""

    values = serializers.ListField(child=KeyValueField(allow_null=True), help_text="one for each key")
    runs = serializers.ListField(child=serializers.IntegerField(), help_text="numbers")


class GroupingsSerializer(serializers.Serializer[Any]):
    """The keys by which runs can be grouped, and the groups by some keys."""

    keys = KeySerializer(many=True)
    groups = RunGroupSerializer(many=True)


class GroupFrameSerializer(serializers.Serializer[Any]):
    """The line and band of one group."""

    group = serializers.IntegerField(help_text="index in the request")
    members = serializers.IntegerField(help_text="number of runs with points of the tag")
    points = serializers.IntegerField(help_text="number of finite points in the columns")
    low = serializers.FloatField(help_text="x of the left edge")
    high = serializers.FloatField(help_text="x of the right edge")
    x = serializers.ListField(child=serializers.FloatField(), help_text="middle of each column with a value")
    line = serializers.ListField(child=NumberField())
    band_low = serializers.ListField(child=NumberField())
    band_high = serializers.ListField(child=NumberField())
    count = serializers.ListField(child=serializers.IntegerField(), help_text="number of members with a value")


class GroupFrameListSerializer(serializers.Serializer[Any]):
    """The lines and bands of groups."""

    groups = GroupFrameSerializer(many=True)


class DensitySerializer(serializers.Serializer[Any]):
    """The number of members whose lines pass each pixel."""

    members = serializers.IntegerField(help_text="number of runs with points of the tag")
    points = serializers.IntegerField(help_text="number of finite points in the columns")
    low = serializers.FloatField(help_text="x of the left edge")
    high = serializers.FloatField(help_text="x of the right edge")
    bottom = serializers.FloatField(help_text="y of the lower edge")
    top = serializers.FloatField(help_text="y of the upper edge")
    width = serializers.IntegerField()
    height = serializers.IntegerField()
    counts = serializers.ListField(
        child=serializers.ListField(child=serializers.IntegerField()), help_text="rows from the top"
    )


def _few_enough(groups: list[list[int]]) -> list[list[int]]:
    members = sum(len(group) for group in groups)
    if members > MAX_MEMBERS:
        raise serializers.ValidationError(f"there can be at most {MAX_MEMBERS} runs in all, not {members}", COMBINATION)
    return groups
