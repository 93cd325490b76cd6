"""The exact lowest, highest, first and last points and the sums of each pixel column, computed from all layers.

Used by `columns` if there is no compiled library.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from mindinsight.scalars.curves.curve import Curve
from mindinsight.scalars.curves.layers import Layer, Mask, Numbers, layers, of_kind
from mindinsight.scalars.curves.pixels import Indices, Pixels
from mindinsight.scalars.curves.stretches import NOWHERE
from mindinsight.store import BLOCK

_BEHIND = np.iinfo(np.int64).max


class Cover:
    """Computes values for each pixel column with points.

    Args:
        curve: the curve.
        pixels: its columns; at least one.
    """

    def __init__(self, curve: Curve, pixels: Pixels) -> None:
        self._curve = curve
        self._pixels = pixels
        self._layers = layers(curve, pixels)

    @cached_property
    def finite(self) -> bool:
        """Whether all values are finite."""
        return all(layer.finite for layer in self._layers)

    def lowest(self) -> tuple[Numbers, Indices]:
        """The lowest finite value of each column and the index of the first point with it, else inf and -1."""
        return self._extreme(np.minimum, "min", np.inf)

    def highest(self) -> tuple[Numbers, Indices]:
        """The highest finite value of each column and the index of the first point with it, else -inf and -1."""
        return self._extreme(np.maximum, "max", -np.inf)

    def total(self) -> Numbers:
        """The sum of the finite values of each column."""
        with np.errstate(over="ignore", invalid="ignore"):
            return np.asarray(sum(_reduced(layer, np.add, layer.numbers("sum"), 0.0) for layer in self._layers))

    def count(self, kind: str) -> Indices:
        """The number of values of a kind (`finite`, `nan`, `pos_inf`, `neg_inf`) in each column."""
        if self.finite:
            return self._pixels.ends - self._pixels.starts if kind == "finite" else np.zeros_like(self._pixels.starts)
        counts = [(layer, layer.counts(kind).astype(np.int64)) for layer in self._layers]
        return np.asarray(sum(_reduced(layer, np.add, count, 0) for layer, count in counts))

    def first(self, kind: str) -> Indices:
        """Index of the first point of a kind in each column; -1 if there is none."""
        if self.finite:
            return self._pixels.starts if kind == "finite" else np.full(len(self._pixels.starts), NOWHERE)
        found = [self._open(layer, layer.stretches.first_true(layer.counts(kind) > 0), kind) for layer in self._layers]
        first = np.min([np.where(place == NOWHERE, _BEHIND, place) for place in found], axis=0)
        return np.where(first == _BEHIND, NOWHERE, first)

    def last(self, kind: str) -> Indices:
        """Index of the last point of a kind in each column; -1 if there is none."""
        if kind == "finite" and self.finite:
            return self._pixels.ends - 1
        found = [
            self._open(layer, layer.stretches.last_true(layer.counts(kind) > 0), kind, last=True)
            for layer in self._layers
        ]
        return np.asarray(np.max(found, axis=0))

    def _extreme(self, extreme: np.ufunc, column: str, neutral: float) -> tuple[Numbers, Indices]:
        columns = len(self._pixels.starts)
        best, place = np.full(columns, neutral), np.full(columns, NOWHERE)
        for layer in self._layers:
            numbers = layer.numbers(column)
            found = _reduced(layer, extreme, numbers, neutral)
            slots = layer.stretches.first_equal(numbers, np.where(np.isfinite(found), found, np.nan))
            there = np.where(slots == NOWHERE, NOWHERE, layer.places(column, np.maximum(slots, 0)))
            better = (extreme(found, best) != best) | ((found == best) & (there < place))
            best, place = np.where(better, found, best), np.where(better, there, place)
        return best, place

    def _open(self, layer: Layer, slots: Indices, kind: str, last: bool = False) -> Indices:
        """Returns the first (or last) point of a kind in the items of these slots. Each must have one."""
        there = slots != NOWHERE
        places = np.full(len(slots), NOWHERE)
        places[there] = self._descend(layer.items(slots[there]), layer.size, kind, last)
        return places

    def _descend(self, items: Indices, size: int, kind: str, last: bool) -> Indices:
        while size > 1:
            size //= BLOCK
            children = items[:, np.newaxis] * BLOCK + np.arange(BLOCK)
            having = self._having(children, size, kind)
            inside = BLOCK - 1 - having[:, ::-1].argmax(axis=1) if last else having.argmax(axis=1)
            items = items * BLOCK + inside
        return items

    def _having(self, items: Indices, size: int, kind: str) -> Mask:
        """Which of these items have values of a kind."""
        levels = self._curve.levels
        if size == 1 or levels is None:
            return of_kind(self._curve.points["value"][items], kind)
        counts: npt.NDArray[np.uint16] = levels.one[kind][items]
        return counts > 0


def _reduced(layer: Layer, ufunc: np.ufunc, numbers: npt.NDArray[Any], neutral: float) -> npt.NDArray[Any]:
    found: npt.NDArray[Any] = layer.stretches.reduce(ufunc, numbers)
    found[layer.stretches.empty] = neutral
    return found
