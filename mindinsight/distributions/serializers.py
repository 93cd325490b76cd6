"""The shapes of `api.md` for the OpenAPI schema. A test checks real answers against them."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from mindinsight.api.answers import ErrorSerializer
from mindinsight.api.fields import ChoiceField, FlagField, TextField, WholeField
from mindinsight.runs.api.serializers import NumberField

AXES = ("auto", "linear", "symlog")


class HistogramSerializer(serializers.Serializer[Any]):
    """One histogram. If `error` is set, all fields but step and wall time are empty."""

    step = serializers.IntegerField()
    wall_time = NumberField()
    left = serializers.ListField(child=serializers.FloatField(), help_text="lower edge of each bucket, ascending")
    width = serializers.ListField(child=serializers.FloatField(), help_text="0 for a bucket with a single value")
    count = serializers.ListField(child=serializers.FloatField(), help_text="number of elements in each bucket")
    min = NumberField(allow_null=True, help_text="lowest finite element")
    max = NumberField(allow_null=True, help_text="highest finite element")
    sum = NumberField(allow_null=True, help_text="sum of the finite elements; null if the writer does not store it")
    nan_count = serializers.IntegerField()
    pos_inf_count = serializers.IntegerField()
    neg_inf_count = serializers.IntegerField()
    error = ErrorSerializer(allow_null=True, help_text="why it could not be read, with file and offset")


class HistogramListSerializer(serializers.Serializer[Any]):
    """Histograms of one series."""

    series = serializers.IntegerField()
    run = serializers.IntegerField()
    tag = serializers.CharField()
    total = serializers.IntegerField(help_text="number of histograms in the series; may be more than are listed")
    histograms = HistogramSerializer(many=True)


_LINE = "[0-9]{1,18}(:-?[0-9]{1,19})?"
_LAST_STEP = (1 << 63) - 1


class LinesField(TextField):
    """Series separated by commas. Each may have a colon and the step before which it ends."""

    def __init__(self, **options: Any) -> None:
        expected = "series separated by commas, such as 12:1500,15,"
        super().__init__(max_length=4000, pattern=f"^{_LINE}(,{_LINE})*$", expected=expected, **options)

    def to_internal_value(self, data: Any) -> Any:
        """Returns pairs of a series and the step before which it ends (None for its own end)."""
        pairs = [part.partition(":") for part in super().to_internal_value(data).split(",")]
        return [(int(series), _step(until) if colon else None) for series, colon, until in pairs]


def _step(text: str) -> int:
    """A step. Steps beyond the possible range count as the last or the first possible step."""
    return max(-_LAST_STEP, min(int(text), _LAST_STEP))


class HistogramViewQuery(serializers.Serializer[Any]):
    """The parameters of `GET /api/distributions/view`."""

    of = LinesField(help_text="numbers of series; each may have a colon and the step before which it ends")
    rows = WholeField(1, 1000, required=False, default=60)
    cells = WholeField(0, 1000, required=False, default=64)
    axis = ChoiceField(AXES, required=False, default="auto")
    steps = FlagField(required=False, default=False, help_text="whether to list every recorded step")


class HistogramMeasureSerializer(serializers.Serializer[Any]):
    """The change of a series from its first to its last readable histogram."""

    series = serializers.IntegerField()
    ks = serializers.FloatField(allow_null=True, help_text="Kolmogorov-Smirnov distance, 0 to 1")
    wasserstein = serializers.FloatField(allow_null=True, help_text="Wasserstein distance, in units of the values")
    at_zero = serializers.FloatField(
        allow_null=True, help_text="share of elements in the last histogram's bucket at 0, from 0 to 1"
    )
    exact_zero = serializers.BooleanField(help_text="whether that bucket contains only zeros")
    max_abs = serializers.FloatField(allow_null=True, help_text="largest absolute value in the last histogram")
    not_finite = serializers.IntegerField(help_text="number of NaN and infinities in the last histogram")


class HistogramMeasureListSerializer(serializers.Serializer[Any]):
    """The changes of several series."""

    measures = HistogramMeasureSerializer(many=True)


class HistogramListQuery(serializers.Serializer[Any]):
    """The parameters of `GET /api/distributions/histograms`."""

    series = WholeField(0, (1 << 32) - 1)
    at_most = WholeField(2, 500, required=False, default=50)
    step = WholeField(
        -(1 << 63),
        required=False,
        default=None,
        help_text="return only the newest histogram up to this step",
    )
