"""Joins crops, flips, changes of single values and the order of the axes into one pass over the pixels.

A change of single values, such as `Normalize`, is a function of 256 values for each channel. The transforms compute
these themselves, once, and a compiled loop looks them up, so the result is the same to the bit. Another loop computes
what `Rescale`, `ToTensor` and `Normalize` make of three channels, several values at a time, if the table agrees.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import takewhile
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from PIL import Image

from framework.dataset.runtime.rows import Array
from framework.dataset.transforms.general import TypeCast
from framework.dataset.transforms.operation import TensorOperation
from framework.dataset.vision.adjusting import AdjustBrightness, AdjustGamma
from framework.dataset.vision.geometry import Cut
from framework.dataset.vision.kernel import looked_up, scaled
from framework.dataset.vision.pixels import HWC2CHW, Invert, Normalize, NormalizePad, Rescale, ToTensor
from framework.dataset.vision.tones import Posterize, Solarize

__all__ = ["JoinedPixels", "join"]

Random = np.random.Generator
#: Transforms whose result at a place depends on the value and the channel there alone.
_SINGLE: Final = (AdjustBrightness, AdjustGamma, Invert, Normalize, Posterize, Rescale, Solarize, TypeCast)
_LAYOUTS: Final = (HWC2CHW, ToTensor)


def join(operations: Sequence[Callable[..., Any]]) -> JoinedPixels | None:
    """The first transforms as one.

    Args:
        operations: transforms and functions, in their order.

    Returns:
        The longest beginning that can be joined: crops and flips, then changes of single values, of which one may also
        move the channels to the front. None for less than two transforms, or if no value changes.
    """
    cuts = list(takewhile(lambda item: isinstance(item, Cut), operations))
    rest: list[TensorOperation] = []
    for item in operations[len(cuts) :]:
        single = isinstance(item, _SINGLE) and not isinstance(item, NormalizePad)
        layout = isinstance(item, _LAYOUTS) and not any(isinstance(one, _LAYOUTS) for one in rest)
        if not (single or layout):
            break
        assert isinstance(item, TensorOperation)  # noqa: S101 - one of the classes above
        rest.append(item)
    if not rest or len(cuts) + len(rest) < 2:
        return None
    return JoinedPixels([item for item in cuts if isinstance(item, Cut)], rest)


class JoinedPixels:
    """Crops and flips, then changes of single values with or without another order of the axes.

    Args:
        cuts: the crops and flips.
        changes: the other transforms.
    """

    def __init__(self, cuts: Sequence[Cut], changes: Sequence[TensorOperation]) -> None:
        self.cuts, self.changes = tuple(cuts), tuple(changes)
        self._first = any(isinstance(item, _LAYOUTS) for item in changes)
        self._tables: dict[int, Array] = {}
        self._numbers = _numbers(self.changes) if self._first else None

    @property
    def operations(self) -> Sequence[TensorOperation]:
        """The transforms."""
        return (*self.cuts, *self.changes)

    def apply_all(self, streams: Sequence[Random | None], value: Any, out: Any = None) -> Any:
        """Transform an image.

        Args:
            streams: random numbers for each of the transforms; None for those that are not random.
            value: a UInt8 array (height, width, channels); other images go through the transforms in turn.
            out: memory for the result, of its shape and type; None for new memory.

        Returns:
            The result, in `out` if that is given and fits.
        """
        image = None if isinstance(value, Image.Image) else np.asarray(value)
        if image is None or image.ndim != 3 or image.dtype != np.uint8:
            for operation, rng in zip(self.operations, streams, strict=True):
                value = operation.apply(rng, value)
            return value
        for cut, rng in zip(self.cuts, streams, strict=False):
            image = cut.view(rng, image)
        tables = self._of(image.shape[2])
        rows, columns, channels = image.shape
        shape = (channels, rows, columns) if self._first else image.shape
        if out is None or out.shape != shape or out.dtype != tables.dtype:
            out = np.empty(shape, tables.dtype)
        if self._numbers is None or channels != 3 or not scaled(image, self._numbers, out):
            looked_up(image, tables, out.transpose(1, 2, 0) if self._first else out)
        return out

    def apply_batch(self, values: Array) -> Array:
        """Transform a batch of images, along the first axis, by transforms that are not random.

        Args:
            values: UInt8 (images, height, width, channels); others go through the transforms in turn.

        Returns:
            The images.
        """
        if values.ndim != 4 or values.dtype != np.uint8:
            for operation in self.operations:
                values = operation.apply_batch(values)
            return values
        streams: Sequence[Random | None] = (None,) * len(self.cuts)
        count, rows, columns, channels = values.shape
        if not self.cuts and (channels == 1 or not self._first):
            # One image above the other is an image, too.
            whole = self.apply_all(streams, values.reshape(count * rows, columns, channels))
            return np.asarray(whole.reshape((count, 1, rows, columns) if self._first else values.shape))
        first = self.apply_all(streams, values[0])
        out = np.empty((count, *first.shape), first.dtype)
        out[0] = first
        for image, place in zip(values[1:], out[1:], strict=True):
            self.apply_all(streams, image, place)
        return out

    def _of(self, channels: int) -> Array:
        """What becomes of each of the 256 values in each channel."""
        known = self._tables.get(channels)
        if known is None:
            values: Any = np.repeat(np.arange(256, dtype=np.uint8), channels).reshape(256, 1, channels)
            for operation in self.changes:
                values = operation.apply(None, values)
            by_channel = values[..., 0] if self._first else values[:, 0].T
            self._tables[channels] = known = np.ascontiguousarray(by_channel)
            if self._numbers is not None and channels == 3 and not _agree(self._numbers, known):
                self._numbers = None
        return known


def _numbers(changes: Sequence[TensorOperation]) -> npt.NDArray[np.float32] | None:
    """The factors, terms, divisors, means and deviations of three channels; None for other changes."""
    numbers = np.repeat(np.array([[1], [0], [1], [0], [1]], np.float32), 3, 1)
    kinds = [item for item in changes if not isinstance(item, HWC2CHW)]
    if kinds and isinstance(kinds[0], Rescale):
        first = kinds.pop(0)
        assert isinstance(first, Rescale)  # noqa: S101 - checked above
        numbers[0], numbers[1] = first.rescale, first.shift
    elif kinds and isinstance(kinds[0], ToTensor):
        kinds.pop(0)
        numbers[2] = 255
    if kinds and isinstance(kinds[0], Normalize):
        last = kinds.pop(0)
        assert isinstance(last, Normalize)  # noqa: S101 - checked above
        if len(last.mean) not in (1, 3):
            return None
        numbers[3], numbers[4] = last.mean, last.std
    return None if kinds else numbers


def _agree(numbers: npt.NDArray[np.float32], tables: Array) -> bool:
    """Whether the formula gives the values that the transforms have computed."""
    factor, term, divisor, mean, deviation = numbers[..., None]
    made = ((np.arange(256, dtype=np.float32) * factor + term) / divisor - mean) / deviation
    return tables.dtype == np.float32 and np.array_equal(made, tables)
