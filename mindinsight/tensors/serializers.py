"""The shapes of `api.md` for the OpenAPI schema. A test checks real answers against them."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from mindinsight.api.answers import ErrorSerializer
from mindinsight.api.fields import ChoiceField, FlagField, RealField, SeriesListField, TextField, WholeField
from mindinsight.runs.api.recorded_serializers import MAX_INDEX, MAX_SERIES
from mindinsight.runs.api.serializers import NumberField
from mindinsight.tensors.arrays.search import Target
from mindinsight.tensors.arrays.slicing import MAX_TEXT

MAX_HEADS = 100
MAX_BINS = 512


class TensorHeadSerializer(serializers.Serializer[Any]):
    """Type and shape of the newest tensor of a series."""

    series = serializers.IntegerField()
    dtype = serializers.CharField(allow_null=True)
    shape = serializers.ListField(child=serializers.IntegerField())
    error = ErrorSerializer(allow_null=True, help_text="why it could not be read")


class TensorHeadListSerializer(serializers.Serializer[Any]):
    """Types and shapes."""

    heads = TensorHeadSerializer(many=True)


class StatisticsSerializer(serializers.Serializer[Any]):
    """Statistics of a slice's elements; for complex elements, of their magnitudes."""

    count = serializers.IntegerField()
    zeros = serializers.IntegerField()
    nan = serializers.IntegerField()
    pos_inf = serializers.IntegerField()
    neg_inf = serializers.IntegerField()
    min = NumberField(allow_null=True, help_text="lowest finite element")
    max = NumberField(allow_null=True, help_text="highest finite element")
    mean = NumberField(allow_null=True, help_text="mean of the finite elements")
    std = NumberField(allow_null=True, help_text="standard deviation of the finite elements")
    low = NumberField(allow_null=True, help_text="1st percentile of a sample of the finite elements")
    high = NumberField(allow_null=True, help_text="99th percentile of a sample of the finite elements")
    sparsity = NumberField(allow_null=True, help_text="share of zeros; null if there are no elements")


class TensorHistogramSerializer(serializers.Serializer[Any]):
    """Exact counts of the finite elements."""

    edges = serializers.ListField(child=serializers.FloatField(), help_text="one more than the counts")
    counts = serializers.ListField(child=serializers.IntegerField())


class TensorStatisticsSerializer(serializers.Serializer[Any]):
    """A slice of one tensor in numbers."""

    run = serializers.IntegerField()
    tag = serializers.CharField()
    step = serializers.IntegerField()
    wall_time = NumberField(allow_null=True)
    dtype = serializers.CharField(help_text="element type: a name of numpy's, or bfloat16")
    shape = serializers.ListField(child=serializers.IntegerField(), help_text="shape of the whole tensor")
    bytes = serializers.IntegerField(help_text="bytes of the whole tensor's elements")
    slice = serializers.CharField(help_text="the slice in Python's notation, with an entry for each axis")
    slice_shape = serializers.ListField(child=serializers.IntegerField())
    slice_bytes = serializers.IntegerField()
    of = serializers.ChoiceField(
        choices=["value", "magnitude"], help_text="whether statistics are of magnitudes, because elements are complex"
    )
    statistics = StatisticsSerializer()
    histogram = TensorHistogramSerializer(allow_null=True, help_text="null if no element is finite")


class FoundSerializer(serializers.Serializer[Any]):
    """The result of a search."""

    found = serializers.BooleanField()
    number = serializers.IntegerField(allow_null=True, help_text="number of the element in the slice, in C order")
    index = serializers.ListField(child=serializers.IntegerField(), help_text="index in the slice")
    whole_index = serializers.ListField(child=serializers.IntegerField(), help_text="index in the whole tensor")
    value = serializers.CharField(allow_null=True)


class PairSerializer(serializers.Serializer[Any]):
    """One of the largest differences."""

    index = serializers.ListField(child=serializers.IntegerField(), help_text="index in the slice")
    whole_index = serializers.ListField(child=serializers.IntegerField())
    one = serializers.CharField()
    other = serializers.CharField()
    absolute = NumberField()
    relative = NumberField()
    ulp = serializers.IntegerField(allow_null=True)


class DifferenceSerializer(serializers.Serializer[Any]):
    """The difference of two tensors' slices."""

    step = serializers.IntegerField()
    other_step = serializers.IntegerField()
    count = serializers.IntegerField()
    equal = serializers.IntegerField()
    outside = serializers.IntegerField(help_text="number of elements with |one - other| > atol + rtol * |other|")
    allclose = serializers.BooleanField()
    max_absolute = NumberField()
    max_relative = NumberField()
    max_ulp = serializers.IntegerField(allow_null=True)
    mean_absolute = NumberField(allow_null=True)
    cosine = NumberField(allow_null=True)
    worst = PairSerializer(many=True)
    edges = serializers.ListField(child=serializers.FloatField(), help_text="edges of both histograms")
    counts = serializers.ListField(child=serializers.IntegerField())
    other_counts = serializers.ListField(child=serializers.IntegerField())


class TensorHeadListQuery(serializers.Serializer[Any]):
    """The parameters of `GET /api/tensors/heads`."""

    series = SeriesListField(MAX_HEADS)


class SliceField(TextField):
    """A slice in Python's grammar. `parse_slice` parses it."""

    def __init__(self, **options: Any) -> None:
        super().__init__(max_length=MAX_TEXT, language="slice", **options)


class SliceQuery(serializers.Serializer[Any]):
    """A slice of one tensor: the common parameters of the following requests."""

    series = WholeField(0, MAX_SERIES)
    index = WholeField(0, MAX_INDEX, help_text="index of the tensor in its series")
    store = TextField(
        required=False,
        default="",
        max_length=64,
        help_text="identity of the store; the request is refused if the numbers belong to another store",
    )
    slice = SliceField(
        required=False,
        default="",
        help_text="slice in Python's grammar, such as [:, 3, ::2]; default: everything",
    )


class OtherQuery(serializers.Serializer[Any]):
    """Another tensor to compare with, and a tolerance."""

    other_series = WholeField(0, MAX_SERIES, required=False, default=None)
    other_index = WholeField(0, MAX_INDEX, required=False, default=0)
    rtol = RealField(0, required=False, default=1e-5)
    atol = RealField(0, required=False, default=1e-8)


class StatisticsQuery(SliceQuery):
    """The parameters of `GET /api/tensors/statistics`."""

    bins = WholeField(1, MAX_BINS, required=False, default=64)


class TileQuery(SliceQuery, OtherQuery):
    """The parameters of `GET /api/tensors/tile`."""

    plane = SliceField(required=False, default="", help_text="a slice of the slice, with two axes")
    swap = FlagField(required=False, default=False, help_text="whether rows and columns are swapped")
    level = WholeField(0, 31, required=False, default=0)
    row = WholeField(0, 1 << 30, required=False, default=0, help_text="number of the tile")
    column = WholeField(0, 1 << 30, required=False, default=0)


class FindQuery(SliceQuery, OtherQuery):
    """The parameters of `GET /api/tensors/find`."""

    target = ChoiceField(Target)
    start = WholeField(
        -1,
        MAX_INDEX,
        required=False,
        default=-1,
        help_text="number of the element after which the search starts",
    )
    backwards = FlagField(required=False, default=False)
    around = FlagField(required=False, default=True, help_text="whether to continue at the other end")


class DifferenceQuery(SliceQuery, OtherQuery):
    """The parameters of `GET /api/tensors/difference`."""

    other_series = WholeField(0, MAX_SERIES)
    other_index = WholeField(0, MAX_INDEX)
    bins = WholeField(1, MAX_BINS, required=False, default=64)


class FileQuery(SliceQuery):
    """The parameters of `GET /api/tensors/file`."""

    format = ChoiceField(["npy", "csv"], required=False, default="npy")
