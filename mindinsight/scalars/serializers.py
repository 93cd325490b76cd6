"""The shapes of `api.md` for the OpenAPI schema. A test checks real answers against them."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from mindinsight.api.fields import (
    ChoiceField,
    FlagField,
    NumberListField,
    RealField,
    SeriesListField,
    TextField,
    WholeField,
)
from mindinsight.api.problems import COMBINATION
from mindinsight.runs.api.serializers import NumberField
from mindinsight.scalars.curves.counts import parse_rule
from mindinsight.scalars.curves.looks import TAG, Along, SmoothingKind
from mindinsight.scalars.curves.scales import ScaleKind

MAX_SERIES = 1000
MAX_WIDTH = 10_000


class SeriesSerializer(serializers.Serializer[Any]):
    """One series of a tag."""

    run = serializers.IntegerField()
    series = serializers.IntegerField(help_text="number of the series in frames")
    segment = serializers.IntegerField(help_text="number of the run's segment")
    count = serializers.IntegerField()
    first_step = serializers.IntegerField(allow_null=True)
    last_step = serializers.IntegerField(allow_null=True)
    first_wall = serializers.FloatField(allow_null=True)
    last_wall = serializers.FloatField(allow_null=True)
    last_value = NumberField(allow_null=True)
    min = serializers.FloatField(allow_null=True, help_text="lowest finite value")
    max = serializers.FloatField(allow_null=True, help_text="highest finite value")
    not_finite = serializers.IntegerField(help_text="number of points that are NaN or infinite")


class TagGroupSerializer(serializers.Serializer[Any]):
    """All series with one name."""

    name = serializers.CharField()
    series = SeriesSerializer(many=True)


class TagListSerializer(serializers.Serializer[Any]):
    """Tags by name."""

    tags = TagGroupSerializer(many=True)


class FrameSerializer(serializers.Serializer[Any]):
    """One frame of points in JSON."""

    run = serializers.IntegerField()
    series = serializers.IntegerField()
    kind = serializers.ChoiceField(choices=[("points", "points"), ("envelope", "envelope")])
    first = serializers.IntegerField()
    end = serializers.IntegerField()
    step = serializers.ListField(child=serializers.IntegerField())
    wall_time = serializers.ListField(child=NumberField(), required=False)
    x = serializers.ListField(
        child=NumberField(), required=False, help_text="x instead of wall times, if another scalar is on the x axis"
    )
    value = serializers.ListField(child=NumberField())


class FrameListSerializer(serializers.Serializer[Any]):
    """Frames in JSON."""

    frames = FrameSerializer(many=True)


class BucketColumnsSerializer(serializers.Serializer[Any]):
    """Columns of numbers, one row for each pixel column with points."""

    first_x = serializers.ListField(child=serializers.FloatField(), help_text="x of its first point")
    last_x = serializers.ListField(child=serializers.FloatField(), help_text="x of its last point")
    first = serializers.ListField(child=NumberField(), help_text="value of its first point")
    last = serializers.ListField(child=NumberField(), help_text="value of its last point")
    min = serializers.ListField(child=NumberField(), help_text="lowest finite value, NaN without one")
    max = serializers.ListField(child=NumberField(), help_text="highest finite value, NaN without one")
    mean = serializers.ListField(child=NumberField(), help_text="mean of the finite values, NaN without one")
    count = serializers.ListField(child=serializers.IntegerField(), help_text="number of points, finite or not")
    nan = serializers.ListField(child=serializers.IntegerField())
    pos_inf = serializers.ListField(child=serializers.IntegerField())
    neg_inf = serializers.ListField(child=serializers.IntegerField())


class BucketFrameSerializer(serializers.Serializer[Any]):
    """Pixel columns of one series."""

    run = serializers.IntegerField()
    series = serializers.IntegerField()
    kind = serializers.ChoiceField(choices=[("buckets", "buckets")])
    first = serializers.IntegerField(help_text="index of the first point covered")
    end = serializers.IntegerField(help_text="index after the last point covered")
    columns = BucketColumnsSerializer()


class BucketFrameListSerializer(serializers.Serializer[Any]):
    """Frames of pixel columns in JSON."""

    frames = BucketFrameSerializer(many=True)


class TagListQuery(serializers.Serializer[Any]):
    """The parameters of `GET /api/scalars/tags`."""

    runs = NumberListField(required=False, default=None, help_text="numbers of runs; default: all")


class TagColumnsQuery(TagListQuery):
    """The parameters of `GET /api/scalars/series`."""

    standard = FlagField(
        required=False,
        default=False,
        help_text="series of the runs that pages show without a selection, instead of `runs`",
    )


class AxisField(TextField):
    """The quantity on the x axis."""

    def __init__(self, **options: Any) -> None:
        words = "|".join(Along)
        super().__init__(
            max_length=2048,
            pattern=rf"^({words}|{TAG}[^\u0000]+)$",
            expected=f"one of {', '.join(Along)}, or {TAG}NAME with the name of a scalar",
            **options,
        )


_BOUND = r" ?(<=|>=|<|>)[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)? ?"
_RULE = rf"{_BOUND}([,&]{_BOUND})?"


class RuleListField(TextField):
    """Rules separated by semicolons."""

    def __init__(self, **options: Any) -> None:
        rules = "rules separated by semicolons, such as >10;<0,>=1;>0&<10"
        super().__init__(max_length=2000, pattern=f"^{_RULE}(;{_RULE})*$", expected=rules, **options)

    def to_internal_value(self, data: Any) -> Any:
        """Returns the parsed rules."""
        return [parse_rule(text) for text in super().to_internal_value(data).split(";")]


_FORMATS = ("binary", "json")
_X_HELP = "step, relative_step, relative_time, wall, or tag:NAME for the values of another scalar of the same run"


class RangeQuery(serializers.Serializer[Any]):
    """Series and a range of x. `from` cannot be the name of a field in Python."""

    series = SeriesListField(MAX_SERIES)
    x = AxisField(required=False, default="step", help_text=_X_HELP)
    low = RealField(required=False, default=None, help_text="x of the left edge; default: that of the first point")
    high = RealField(required=False, default=None, help_text="x of the right edge; default: that of the last point")

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """Gives the edges of the range their names in addresses."""
        names = {"low": "from", "high": "to"}
        return {names.get(name, name): field for name, field in super().get_fields().items()}

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Rejects a range that ends before it begins."""
        if attrs["from"] is not None and attrs["to"] is not None and attrs["from"] > attrs["to"]:
            raise serializers.ValidationError({"to": "it must not be less than 'from'"}, COMBINATION)
        return attrs


class BucketsQuery(RangeQuery):
    """The parameters of `GET /api/scalars/buckets`."""

    width = WholeField(16, MAX_WIDTH, required=False, default=600)
    x_scale = ChoiceField(ScaleKind, default="linear", help_text="scale of the axis that is divided into columns")
    x_linear = RealField(
        1e-300, required=False, default=1.0, help_text="size up to which an axis of 'symlog' is linear"
    )
    format = ChoiceField(_FORMATS, default="json")


class PointsQuery(BucketsQuery):
    """The parameters of `GET /api/scalars/points`."""

    smoothing = RealField(0, 0.999, required=False, default=0.0, help_text="weight of earlier values")
    smoothing_kind = ChoiceField(
        SmoothingKind,
        default="ema",
        help_text="the debiased moving average, the mean of a window, or one weighted by a bell curve",
    )
    format = ChoiceField(_FORMATS, default="binary")


class CountsQuery(RangeQuery):
    """The parameters of `GET /api/scalars/counts`."""

    rule = RuleListField(help_text="rules separated by semicolons: >10, <=0, <0,>10 (or), >0&<10 (and)")


class ExportQuery(RangeQuery):
    """The parameters of `GET /api/scalars/export`."""


class CountSerializer(serializers.Serializer[Any]):
    """The counts of one series."""

    run = serializers.IntegerField()
    series = serializers.IntegerField()
    points = serializers.IntegerField(help_text="number of points in the range, finite or not")
    hits = serializers.ListField(child=serializers.IntegerField(), help_text="number of points that match each rule")


class CountListSerializer(serializers.Serializer[Any]):
    """Counts of series."""

    counts = CountSerializer(many=True)


class RawQuery(serializers.Serializer[Any]):
    """The parameters of `GET /api/scalars/raw`."""

    series = WholeField()
    first = WholeField(0, 1 << 48, required=False, default=0)
    end = WholeField(0, 1 << 48, required=False, default=None, help_text="index after the last point")
    format = ChoiceField(["binary", "csv", "json"], default="binary")
