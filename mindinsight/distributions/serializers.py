"""The shapes of `api.md` for the OpenAPI schema; a test holds real answers against them."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from mindinsight.config.answers import ErrorSerializer
from mindinsight.runs.serializers import NumberField

AXES = ("auto", "linear", "symlog")


class HistogramSerializer(serializers.Serializer[Any]):
    """One histogram; with `error` set, all else but step and wall time is empty."""

    step = serializers.IntegerField()
    wall_time = NumberField()
    left = serializers.ListField(child=serializers.FloatField(), help_text="lower edge of each bucket, ascending")
    width = serializers.ListField(child=serializers.FloatField(), help_text="0 for a bucket of one single number")
    count = serializers.ListField(child=serializers.FloatField(), help_text="elements in each bucket")
    min = NumberField(allow_null=True, help_text="lowest finite element")
    max = NumberField(allow_null=True, help_text="highest finite element")
    sum = NumberField(allow_null=True, help_text="of the finite elements; null where the writer does not say")
    nan_count = serializers.IntegerField()
    pos_inf_count = serializers.IntegerField()
    neg_inf_count = serializers.IntegerField()
    error = ErrorSerializer(allow_null=True, help_text="why it could not be read; names file and offset")


class HistogramListSerializer(serializers.Serializer[Any]):
    """Histograms of one series."""

    series = serializers.IntegerField()
    run = serializers.IntegerField()
    tag = serializers.CharField()
    total = serializers.IntegerField(help_text="histograms that the series has; more than are shown, perhaps")
    histograms = HistogramSerializer(many=True)


class LinesField(serializers.CharField):
    """Series with commas between them, each perhaps with a colon and the step before which it ends."""

    def to_internal_value(self, data: Any) -> Any:
        """Returns the list of pairs of a series and the step before which it ends, None for its own end."""
        pairs = [part.partition(":") for part in super().to_internal_value(data).split(",")]
        try:
            return [(_number(series, 32), _number(until, 63) if colon else None) for series, colon, until in pairs]
        except ValueError:
            text = "series with commas between them are expected, such as 12:1500,15"
            raise serializers.ValidationError(text) from None


def _number(text: str, bits: int) -> int:
    digits = text.removeprefix("-") if bits == 63 else text
    if not (digits.isascii() and digits.isdigit() and int(digits) < 1 << bits):
        raise ValueError(text)
    return int(text)


class HistogramViewQuery(serializers.Serializer[Any]):
    """What `GET /api/distributions/view` takes."""

    of = LinesField(
        max_length=4000, help_text="numbers of series, each perhaps with a colon and the step before which it ends"
    )
    rows = serializers.IntegerField(required=False, min_value=1, max_value=1000, default=60)
    cells = serializers.IntegerField(required=False, min_value=0, max_value=1000, default=64)
    axis = serializers.ChoiceField(required=False, choices=AXES, default="auto")
    steps = serializers.BooleanField(required=False, default=False, help_text="whether every recorded step is named")


class HistogramMeasureSerializer(serializers.Serializer[Any]):
    """How a series changed, from its first readable histogram to its last one."""

    series = serializers.IntegerField()
    ks = serializers.FloatField(allow_null=True, help_text="Kolmogorov-Smirnov distance, 0 to 1")
    wasserstein = serializers.FloatField(allow_null=True, help_text="mean way of an element, in units of its value")
    at_zero = serializers.FloatField(allow_null=True, help_text="share in the bucket at 0 of the last one, 0 to 1")
    exact_zero = serializers.BooleanField(help_text="whether that bucket has zeros alone")
    max_abs = serializers.FloatField(allow_null=True, help_text="largest absolute value of the last one")
    not_finite = serializers.IntegerField(help_text="NaN and infinities of the last one")


class HistogramMeasureListSerializer(serializers.Serializer[Any]):
    """Measures of series."""

    measures = HistogramMeasureSerializer(many=True)


class HistogramListQuery(serializers.Serializer[Any]):
    """What `GET /api/distributions/histograms` takes."""

    series = serializers.IntegerField(min_value=0, max_value=(1 << 32) - 1)
    at_most = serializers.IntegerField(required=False, min_value=2, max_value=500, default=50)
    step = serializers.IntegerField(
        required=False,
        allow_null=True,
        default=None,
        min_value=-(1 << 63),
        max_value=(1 << 63) - 1,
        help_text="answer only with the newest histogram that is no later than this step",
    )
