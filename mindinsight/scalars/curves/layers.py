"""Covers the points of pixel columns with as few numbers as possible.

A column of many points is covered by the whole blocks inside it, whose summaries are in the store's levels, and by
single points at its ends. So there are up to three layers (points, blocks of 64, blocks of 4096), and a column has one
stretch in each. `cover` combines the layers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from mindinsight.scalars.curves.curve import Curve
from mindinsight.scalars.curves.pixels import Indices, Pixels
from mindinsight.scalars.curves.stretches import Stretches
from mindinsight.store import BLOCK, Rows

Numbers = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

# Blocks of a layer are split where a column begins or ends. A layer must save a multiple of this cost.
_WORTH = 2


class Layer(Protocol):
    """The items of one size that cover columns, in adjacent slots.

    Attributes:
        size: number of points that an item covers.
        stretches: the slots of each column.
    """

    size: int
    stretches: Stretches

    @property
    def finite(self) -> bool:
        """Whether all values of its items are finite."""

    def items(self, slots: Indices) -> Indices:
        """Returns the item in each of these slots, counted from the curve's first."""

    def numbers(self, column: str) -> Numbers:
        """Returns `min`, `max` or `sum` over the finite values of each item, followed by one extra number."""

    def places(self, column: str, slots: Indices) -> Indices:
        """Returns the index of the point with the `min` or `max` of each of these slots."""

    def counts(self, kind: str) -> npt.NDArray[Any]:
        """Returns the number of values of a kind (`finite`, `nan`, `pos_inf`, `neg_inf`) in each item."""


@dataclass(frozen=True)
class _Choice:
    """The items of a layer: those of a stretch, or those of some blocks of 64.

    Attributes:
        stretches: the slots of each column.
        first: number of the first item, for a stretch.
        blocks: numbers of the blocks, for blocks.
    """

    stretches: Stretches
    first: int = 0
    blocks: Indices | None = None

    @property
    def end(self) -> int:
        """The slot after the last slot of a column."""
        return int(self.stretches.bounds[-1])

    def items(self, slots: Indices) -> Indices:
        """The item in each of these slots."""
        if self.blocks is None:
            return slots + self.first
        return self.blocks[slots // BLOCK] * BLOCK + slots % BLOCK

    def take(self, rows: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Returns the items' entries of `rows` (one for each item of the curve), and at least one extra."""
        if self.blocks is None:
            return np.append(rows[self.first : self.first + self.end], rows[-1:])
        whole = len(rows) // BLOCK
        blocks = self.blocks[: np.searchsorted(self.blocks, whole)]
        taken = rows[: whole * BLOCK].reshape(-1, BLOCK)[blocks].reshape(-1)
        return np.concatenate([taken, rows[whole * BLOCK :], rows[-1:]])


class PointLayer:
    """Single points."""

    size = 1

    def __init__(self, value: Numbers, choice: _Choice) -> None:
        self.stretches = choice.stretches
        self.items = choice.items
        self._value: Numbers = choice.take(value)

        self._mask: Mask = np.isfinite(self._value)

    @cached_property
    def finite(self) -> bool:
        """Whether all points are finite."""
        return bool(self._mask.all())

    def numbers(self, column: str) -> Numbers:
        """`min`, `max` and `sum` of a point are its value if it is finite."""
        if self.finite:
            return self._value
        return np.where(self._mask, self._value, {"min": np.inf, "max": -np.inf, "sum": 0.0}[column])

    def places(self, column: str, slots: Indices) -> Indices:
        """The points themselves."""
        return self.items(slots)

    def counts(self, kind: str) -> npt.NDArray[Any]:
        """Whether each point is of this kind: 1 or 0."""
        return of_kind(self._value, kind)


class BlockLayer:
    """Whole blocks of points."""

    def __init__(self, entries: Rows, size: int, choice: _Choice) -> None:
        self.size = size
        self.stretches = choice.stretches
        self.items = choice.items
        self._entries = entries
        self._choice = choice

    @cached_property
    def finite(self) -> bool:
        """Whether all values of its blocks are finite."""
        return bool((self.counts("finite") == self.size).all())

    def numbers(self, column: str) -> Numbers:
        """The values in the entries."""
        return self._choice.take(self._entries[column])

    def places(self, column: str, slots: Indices) -> Indices:
        """The position in the entries."""
        items = self.items(slots)
        inside: npt.NDArray[np.uint16] = self._entries[f"{column}_at"][items]
        return items * self.size + inside

    def counts(self, kind: str) -> npt.NDArray[Any]:
        """The counts in the entries."""
        return self._choice.take(self._entries[kind])


def of_kind(value: Numbers, kind: str) -> Mask:
    """Returns which values are `finite`, `nan`, `pos_inf` or `neg_inf`."""
    if kind == "finite":
        return np.isfinite(value)
    if kind == "nan":
        return np.isnan(value)
    return np.equal(value, np.inf if kind == "pos_inf" else -np.inf)


def layers(curve: Curve, pixels: Pixels) -> list[Layer]:
    """Returns the layers that cover the columns."""
    value, levels = curve.points["value"], curve.levels
    edges = np.append(pixels.starts, pixels.end)
    points, spared = pixels.end - pixels.first, _WORTH * BLOCK * len(edges)
    if levels is None or points < spared:
        return [PointLayer(value, _stretch(edges, 1))]
    chosen: list[tuple[Callable[[_Choice], Layer], _Choice]] = [(partial(PointLayer, value), _opened(edges, 1))]
    ones = partial(BlockLayer, levels.one, BLOCK)
    if points < spared * BLOCK:
        chosen.append((ones, _stretch(edges, BLOCK)))
    else:
        chosen.append((ones, _opened(edges, BLOCK)))
        chosen.append((partial(BlockLayer, levels.two, BLOCK * BLOCK), _stretch(edges, BLOCK * BLOCK)))
    return [make(choice) for make, choice in chosen if choice.end]


def _stretch(edges: Indices, size: int) -> _Choice:
    """The whole items between the first edge and the last."""
    begins, ends = -(-edges[:-1] // size), edges[1:] // size
    first = int(begins[0])
    return _Choice(Stretches.between(begins - first, ends - first), first)


def _opened(edges: Indices, size: int) -> _Choice:
    """The whole items of the blocks of 64 that contain an edge."""
    inside = edges[edges % (size * BLOCK) != 0] // (size * BLOCK)
    blocks = inside[np.append(True, inside[1:] != inside[:-1])[: len(inside)]]
    begins, ends = -(-edges[:-1] // size), edges[1:] // size
    return _Choice(Stretches.between(_slots(blocks, begins), _slots(blocks, ends)), blocks=blocks)


def _slots(blocks: Indices, items: Indices) -> Indices:
    """The slot of an item, or of the next item with a slot."""
    slots: Indices = np.searchsorted(blocks, items // BLOCK)
    return slots * BLOCK + items % BLOCK
