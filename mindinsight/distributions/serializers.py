"""The shapes of `api.md` for the OpenAPI schema; a test holds real answers against them."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from mindinsight.api.answers import ErrorSerializer
from mindinsight.api.fields import ChoiceField, FlagField, TextField, WholeField
from mindinsight.runs.api.serializers import NumberField

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


_LINE = "[0-9]{1,18}(:-?[0-9]{1,19})?"
_LAST_STEP = (1 << 63) - 1


class LinesField(TextField):
    """Series with commas between them, each perhaps with a colon and the step before which it ends."""

    def __init__(self, **options: Any) -> None:
        expected = "series with commas between them, such as 12:1500,15,"
        super().__init__(max_length=4000, pattern=f"^{_LINE}(,{_LINE})*$", expected=expected, **options)

    def to_internal_value(self, data: Any) -> Any:
        """Returns the list of pairs of a series and the step before which it ends, None for its own end."""
        pairs = [part.partition(":") for part in super().to_internal_value(data).split(",")]
        return [(int(series), _step(until) if colon else None) for series, colon, until in pairs]


def _step(text: str) -> int:
    """A step; one that no series reaches is the last or the first that there may be."""
    return max(-_LAST_STEP, min(int(text), _LAST_STEP))


class HistogramViewQuery(serializers.Serializer[Any]):
    """What `GET /api/distributions/view` takes."""

    of = LinesField(help_text="numbers of series, each perhaps with a colon and the step before which it ends")
    rows = WholeField(1, 1000, required=False, default=60)
    cells = WholeField(0, 1000, required=False, default=64)
    axis = ChoiceField(AXES, required=False, default="auto")
    steps = FlagField(required=False, default=False, help_text="whether every recorded step is named")


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

    series = WholeField(0, (1 << 32) - 1)
    at_most = WholeField(2, 500, required=False, default=50)
    step = WholeField(
        -(1 << 63),
        required=False,
        default=None,
        help_text="answer only with the newest histogram that is no later than this step",
    )
