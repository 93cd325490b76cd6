"""Questions about recorded tensors: where they stand, and which one is meant; asked by the API."""

from __future__ import annotations

from typing import Any

from django.conf import settings

from mindinsight.config.problems import Problem
from mindinsight.runs.models import Series
from mindinsight.runs.recorded import as_dicts, event_file, known_series, places_of
from mindinsight.store import ColumnStore
from mindinsight.tensors.records import Tensor, open_tensor
from summaries.kinds import Kind


def place_at(store: ColumnStore, series: Series, index: int) -> dict[str, Any]:
    """Returns where one tensor of a series stands.

    Raises:
        Problem: `unknown_tensor`.
    """
    total, places = places_of(store, series, index, None, 1)
    if not len(places):
        message = f"The series {series.pk} has {total} tensors, and none of index {index}."
        raise Problem("unknown_tensor", message, 404, series=series.pk, index=index)
    return as_dicts(places)[0]


def load(store: ColumnStore, number: int, index: int) -> tuple[Series, dict[str, Any], Tensor]:
    """Returns a tensor with its series and its place.

    Raises:
        Problem: it is unknown, or cannot be read.
    """
    series = known_series(Kind.TENSOR, number)
    place = place_at(store, series, index)
    path, file = event_file(series)
    key = (store.identity, series.pk, index)
    return series, place, open_tensor(key, path, file, place, settings.ENVIRONMENT.data_directory)
