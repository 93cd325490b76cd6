"""Queries for recorded tensors: their places, and the tensor of a request. Called by the API."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from django.conf import settings

from mindinsight.api.problems import Problem
from mindinsight.runs.models import Series
from mindinsight.runs.recorded import as_dicts, event_file, known_series, open_store, places_of
from mindinsight.store import ColumnStore
from mindinsight.tensors.records import Tensor, open_tensor
from summaries.kinds import Kind


def place_at(store: ColumnStore, series: Series, index: int) -> dict[str, Any]:
    """Returns the place of one tensor of a series.

    Raises:
        Problem: `unknown_tensor`.
    """
    total, places = places_of(store, series, index, None, 1)
    if not len(places):
        message = f"The series {series.pk} has {total} tensors, and none of index {index}."
        raise Problem("unknown_tensor", message, 404, series=series.pk, index=index)
    return as_dicts(places)[0]


@dataclass(frozen=True)
class Found:
    """A tensor and its details.

    Attributes:
        run: number of its run, or None.
        key: a unique key that never changes.
    """

    tag: str
    run: int | None
    step: int
    wall: float
    tensor: Tensor
    key: tuple[object, ...]


class Shelf(Protocol):
    """The source of the tensors that two numbers identify."""

    def identity(self, series: int) -> str:
        """Returns the owner of the numbers. With another one, they identify other tensors."""

    def find(self, series: int, index: int) -> Found:
        """Returns a tensor.

        Raises:
            Problem: there is no such tensor, or it cannot be read.
        """


class RecordedShelf:
    """The recorded tensors of runs."""

    def identity(self, series: int) -> str:
        """Returns the store's identity."""
        return open_store().identity

    def find(self, series: int, index: int) -> Found:
        """Returns a tensor by its series and its index in the series.

        Raises:
            Problem: the tensor is unknown, or cannot be read.
        """
        store = open_store()
        known, place, tensor = load(store, series, index)
        key = (store.identity, series, index)
        return Found(known.tag, known.run_id, place["step"], place["wall"], tensor, key)


def load(store: ColumnStore, number: int, index: int) -> tuple[Series, dict[str, Any], Tensor]:
    """Returns a tensor with its series and its place.

    Raises:
        Problem: the tensor is unknown, or cannot be read.
    """
    series = known_series(Kind.TENSOR, number)
    place = place_at(store, series, index)
    path, file = event_file(series)
    key = (store.identity, series.pk, index)
    return series, place, open_tensor(key, path, file, place, settings.ENVIRONMENT.data_directory)
