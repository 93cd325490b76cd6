"""Transforms of images together with bounding boxes: rows (left, top, width, height, ...) in pixels."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np

from framework.dataset.ir.to_json import operation_json
from framework.dataset.runtime.rows import Array
from framework.dataset.transforms.checks import check_interval, check_probability, check_type, single
from framework.dataset.transforms.operation import TensorOperation, operation_from_json
from framework.dataset.vision.geometry import Resize, cut, flipped, resized
from framework.dataset.vision.image import no_image
from framework.dataset.vision.random import INTERPOLATIONS, RandomCrop, RandomResize, RandomResizedCrop
from framework.dataset.vision.utils import Border, Inter, border_of, inter_of

__all__ = [
    "BoundingBoxAugment",
    "RandomCropWithBBox",
    "RandomHorizontalFlipWithBBox",
    "RandomResizeWithBBox",
    "RandomResizedCropWithBBox",
    "RandomVerticalFlipWithBBox",
    "ResizeWithBBox",
]

Random = np.random.Generator
Pair = tuple[Array, Array]


class _BoxOperation(TensorOperation):
    """Base class of transforms of an image and its boxes, which are two columns."""

    takes_all = True
    random = True

    def apply(self, rng: np.random.Generator | None, *values: Any) -> Any:
        """Transform an image and boxes that lie in it.

        Raises:
            RuntimeError: they are not that.
        """
        name = type(self).__name__
        if len(values) != 2:
            raise RuntimeError(f"{name}: the number of inputs should be 2 (image and boxes), but got: {len(values)}")
        image, boxes = np.asarray(values[0]), np.asarray(values[1])
        if image.ndim not in (2, 3):
            no_image(name, image)
        _check(name, boxes, image.shape[0], image.shape[1])
        made, places = self.changed(rng if rng is not None else np.random.default_rng(0), image, boxes)
        return np.ascontiguousarray(made), places

    def changed(self, rng: Random, image: Array, boxes: Array) -> Pair:
        """The image and the boxes afterwards."""
        raise NotImplementedError


def _check(name: str, boxes: Array, rows: int, columns: int) -> None:
    if boxes.ndim != 2 or boxes.shape[1] < 4:
        raise RuntimeError(
            f"{name}: bounding boxes should have to be two-dimensional with at least 4 features (left, top, width,"
            f" height), but got the shape {boxes.shape}"
        )
    if boxes.dtype.kind not in "iuf":
        raise RuntimeError(f"{name}: bounding boxes must be numbers, not {boxes.dtype}")
    left, top, width, height = boxes[:, :4].T.astype(np.float64)
    if (left < 0).any() or (top < 0).any():
        raise RuntimeError(f"{name}: invalid bounding boxes, the coordinates of the bounding boxes has negative value")
    if (left + width > columns).any() or (top + height > rows).any():
        raise RuntimeError(
            f"{name}: invalid bounding boxes, bounding boxes exceed the image of {rows} x {columns} pixels"
        )


def _moved(boxes: Array, left: float, top: float) -> Array:
    out = boxes.copy()
    out[:, 0] = boxes[:, 0] + left
    out[:, 1] = boxes[:, 1] + top
    return out


def _within(boxes: Array, top: int, left: int, height: int, width: int) -> Array:
    """The boxes in a part of an image: cut at its sides, and without those that lie outside."""
    start, size = boxes[:, :2].astype(np.float64), boxes[:, 2:4].astype(np.float64)
    first = np.maximum(start - [left, top], 0)
    end = np.minimum(start + size - [left, top], [width, height])
    inside = (end > first).all(axis=1)
    out = boxes[inside].copy()
    out[:, :2], out[:, 2:4] = first[inside], (end - first)[inside]
    return out


def _scaled(boxes: Array, across: float, down: float) -> Array:
    out = boxes.copy()
    scaled = boxes[:, :4] * np.array([across, down, across, down])
    out[:, :4] = np.trunc(scaled) if boxes.dtype.kind in "iu" else scaled
    return out


def _resized(image: Array, boxes: Array, height: int, width: int, interpolation: Inter) -> Pair:
    scaled = _scaled(boxes, width / image.shape[1], height / image.shape[0])
    return resized(image, height, width, interpolation), scaled


class _FlipWithBoxes(_BoxOperation):
    """Base class of random flips."""

    across: bool

    def __init__(self, prob: float = 0.5) -> None:
        self.prob = check_probability(prob)
        super().__init__(prob=single(prob))

    def changed(self, rng: Random, image: Array, boxes: Array) -> Pair:
        """The image and the boxes afterwards."""
        if rng.random() >= self.prob:
            return image, boxes
        place, size = (0, image.shape[1]) if self.across else (1, image.shape[0])
        out = boxes.copy()
        out[:, place] = size - boxes[:, place] - boxes[:, place + 2]
        return flipped(image, across=self.across), out


class RandomHorizontalFlipWithBBox(_FlipWithBoxes):
    """Flips images and their boxes horizontally with a probability.

    Args:
        prob: probability from 0 to 1.
    """

    across = True


class RandomVerticalFlipWithBBox(_FlipWithBoxes):
    """Flips images and their boxes vertically with a probability.

    Args:
        prob: probability from 0 to 1.
    """

    across = False


class ResizeWithBBox(_BoxOperation):
    """Resizes images and their boxes.

    Args:
        size: (height, width) in pixels; one number is the length of the shorter side, and the longer one follows.
        interpolation: kind of interpolation between pixels.
    """

    json_readers = {"interpolation": inter_of}
    random = False

    def __init__(self, size: int | Sequence[int], interpolation: Inter = Inter.LINEAR) -> None:
        self.plain = Resize(size, interpolation)
        super().__init__(**self.plain.parameters)

    def changed(self, rng: Random, image: Array, boxes: Array) -> Pair:
        """The image and the boxes afterwards."""
        return _resized(image, boxes, *self.plain.wanted(*image.shape[:2]), self.plain.interpolation)


class RandomResizeWithBBox(_BoxOperation):
    """Resizes images by a random interpolation, and their boxes.

    Args:
        size: (height, width) in pixels; one number is the length of the shorter side, and the longer one follows.
    """

    def __init__(self, size: int | Sequence[int]) -> None:
        self.plain = RandomResize(size)
        super().__init__(**self.plain.parameters)

    def changed(self, rng: Random, image: Array, boxes: Array) -> Pair:
        """The image and the boxes afterwards."""
        kind = INTERPOLATIONS[int(rng.integers(len(INTERPOLATIONS)))]
        return _resized(image, boxes, *self.plain.wanted(*image.shape[:2]), kind)


class RandomCropWithBBox(_BoxOperation):
    """Crops a part at a random position, and the boxes in it; the others are left out.

    Args:
        size: (height, width) in pixels, or one number for both.
        padding: border that is added first: one number, (left and right, top and bottom), or all four; None for none.
        pad_if_needed: pad images that are smaller than the part.
        fill_value: value of the border.
        padding_mode: kind of border, as for `Pad`.
    """

    json_readers = {"padding_mode": border_of}

    def __init__(
        self,
        size: int | Sequence[int],
        padding: int | Sequence[int] | None = None,
        pad_if_needed: bool = False,
        fill_value: int | Sequence[int] = 0,
        padding_mode: Border = Border.CONSTANT,
    ) -> None:
        self.plain = RandomCrop(size, padding, pad_if_needed, fill_value, padding_mode)
        super().__init__(**self.plain.parameters)

    def changed(self, rng: Random, image: Array, boxes: Array) -> Pair:
        """The image and the boxes afterwards."""
        wide, (right, down) = self.plain.bordered(image)
        top, left = self.plain.place(rng, wide.shape[0], wide.shape[1])
        height, width = self.plain.height, self.plain.width
        part = cut("RandomCropWithBBox", wide, top, left, height, width)
        return part, _within(_moved(boxes, right, down), top, left, height, width)


class RandomResizedCropWithBBox(_BoxOperation):
    """Crops a part of random size, shape and position with the boxes in it, and resizes them.

    Args:
        size: (height, width) in pixels, or one number for both.
        scale: range of the part's share of the image's area.
        ratio: range of the part's width divided by its height.
        interpolation: kind of interpolation between pixels.
        max_attempts: number of draws that may not fit before the center is taken.
    """

    json_readers = {"interpolation": inter_of}

    def __init__(
        self,
        size: int | Sequence[int],
        scale: Sequence[float] = (0.08, 1.0),
        ratio: Sequence[float] = (3.0 / 4.0, 4.0 / 3.0),
        interpolation: Inter = Inter.BILINEAR,
        max_attempts: int = 10,
    ) -> None:
        self.plain = RandomResizedCrop(size, scale, ratio, interpolation, max_attempts)
        super().__init__(**self.plain.parameters)

    def changed(self, rng: Random, image: Array, boxes: Array) -> Pair:
        """The image and the boxes afterwards."""
        top, left, height, width = self.plain.part(rng, image.shape[0], image.shape[1])
        part = cut("RandomResizedCropWithBBox", image, top, left, height, width)
        inside = _within(boxes, top, left, height, width)
        return _resized(part, inside, self.plain.height, self.plain.width, self.plain.interpolation)


class BoundingBoxAugment(_BoxOperation):
    """Applies a transform to the insides of random boxes; a result of another size is resized.

    Args:
        transform: a transform of images.
        ratio: share of the boxes, from 0 to 1.
    """

    def __init__(self, transform: TensorOperation, ratio: float = 0.3) -> None:
        check_type(transform, (TensorOperation,), "transform")
        check_type(ratio, (float, int), "ratio")
        check_interval(ratio, (0.0, 1.0), "ratio")
        self.transform, self.ratio = transform, single(ratio)
        super().__init__(transform=operation_json(transform), ratio=self.ratio)

    @classmethod
    def from_json(cls, parameters: Mapping[str, Any]) -> Self:
        """Create the transform from its parameters in JSON."""
        transform = operation_from_json(parameters["transform"])
        check_type(transform, (TensorOperation,), "transform")
        assert isinstance(transform, TensorOperation)  # noqa: S101 - checked above
        return cls(transform, parameters["ratio"])

    def changed(self, rng: Random, image: Array, boxes: Array) -> Pair:
        """The image and the boxes afterwards."""
        out = image.copy()
        for number in rng.permutation(len(boxes))[: math.ceil(self.ratio * len(boxes))]:
            left, top, width, height = (int(value) for value in boxes[number, :4])
            if not (width and height):
                continue
            part = cut("BoundingBoxAugment", image, top, left, height, width)
            made = np.asarray(self.transform.apply(rng if self.transform.random else None, part))
            if made.shape[:2] != (height, width):
                made = resized(made, height, width, Inter.LINEAR)
            out[top : top + height, left : left + width] = made
        return out, boxes
