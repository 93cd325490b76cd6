"""Maps of positions in images: rotations, affine maps and perspectives, and their random forms."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from PIL import Image

from framework.dataset.runtime.rows import Array
from framework.dataset.transforms.checks import (
    FLOAT_INTEGER,
    INT32,
    check_interval,
    check_list,
    check_ordered,
    check_positive,
    check_probability,
    check_type,
    single,
)
from framework.dataset.vision.image import ImageOperation, PillowOperation, RandomImageOperation, with_channels
from framework.dataset.vision.opencv import cv
from framework.dataset.vision.sizes import degrees_of, fill_of, inter_of_warp, shear_of
from framework.dataset.vision.utils import RESAMPLING, Inter, cv_inter, inter_json, inter_of

__all__ = [
    "Affine",
    "Perspective",
    "RandomAffine",
    "RandomPerspective",
    "RandomRotation",
    "Rotate",
    "sheared",
    "warped",
]

Random = np.random.Generator
Fill = tuple[int, int, int]


def warped(image: Array, matrix: Array, size: tuple[int, int], kind: Inter, fill: Fill) -> Array:
    """An image whose pixel at each position is moved by a matrix of 2 x 3."""
    plain = image if image.dtype.name in ("uint8", "uint16", "int16", "float32", "float64") else None
    source = np.asarray(image, np.float64) if plain is None else plain
    out = cv.warpAffine(source, matrix, size, flags=cv_inter(kind), borderMode=cv.BORDER_CONSTANT, borderValue=fill)
    return with_channels(np.asarray(out), image).astype(image.dtype, copy=False)


class Turn:
    """The settings of a rotation without the angle; the arguments are those of `Rotate`."""

    json_readers: ClassVar[Mapping[str, Callable[[Any], Any]]] = {
        "resample": inter_of,
        "center": lambda center: center or None,
    }

    def __init__(
        self, operator: str, resample: Inter, expand: bool, center: Sequence[float] | None, fill: int | Sequence[int]
    ) -> None:
        self.resample = inter_of_warp(operator, resample)
        check_type(expand, (bool,), "expand")
        if center is not None:
            if not isinstance(center, tuple | list) or len(center) != 2:
                raise ValueError("Value center needs to be a 2-tuple.")
            check_list(center, (int, float), "center")
        self.expand = expand
        self.center = None if not center else (single(center[0]), single(center[1]))
        self.fill = fill_of(fill)

    def parameters(self) -> dict[str, Any]:
        """The parameters for JSON."""
        return {
            "resample": inter_json(self.resample),
            "expand": self.expand,
            "center": [] if self.center is None else list(self.center),
            "fill_value": list(self.fill),
        }

    def applied(self, image: Array, degrees: float) -> Array:
        """A rotated array, counter-clockwise around the center."""
        rows, columns = image.shape[:2]
        # Float32, as MindSpore has it.
        center = self.center or (single((columns - 1) / 2), single((rows - 1) / 2))
        matrix = cv.getRotationMatrix2D(center, single(degrees), 1.0)
        size = (columns, rows)
        if self.expand:
            corners = cv.boxPoints((center, (columns, rows), single(degrees)))
            width, height = (float(side) for side in corners.max(axis=0) - corners.min(axis=0))
            matrix[0, 2] += width / 2 - columns / 2
            matrix[1, 2] += height / 2 - rows / 2
            size = (round(width), round(height))
        return warped(image, matrix, size, self.resample, self.fill)

    def applied_to_pillow(self, image: Image.Image, degrees: float) -> Image.Image:
        """A rotated Pillow image."""
        kind: Any = RESAMPLING[self.resample]
        return image.rotate(degrees, kind, self.expand, self.center, fillcolor=_pillow_fill(image, self.fill))


def _pillow_fill(image: Image.Image, fill: Fill) -> Any:
    return fill if image.mode == "RGB" else fill[0]


class Rotate(ImageOperation):
    """Rotates images counter-clockwise.

    Args:
        degrees: angle in degrees.
        resample: kind of interpolation between pixels: NEAREST, BILINEAR or BICUBIC, for arrays also AREA.
        expand: enlarge the image so that all of it is visible.
        center: (x, y) of the center of rotation; None for the middle of the image.
        fill_value: value of pixels outside of the image: one number, or one per channel.
    """

    json_readers = Turn.json_readers
    has_device = True

    def __init__(
        self,
        degrees: float,
        resample: Inter = Inter.NEAREST,
        expand: bool = False,
        center: Sequence[float] | None = None,
        fill_value: int | Sequence[int] = 0,
    ) -> None:
        check_type(degrees, (float, int), "degrees")
        check_interval(degrees, (-FLOAT_INTEGER, FLOAT_INTEGER), "degrees")
        self.turn = Turn("Rotate", resample, expand, center, fill_value)
        self.degrees = single(degrees)
        super().__init__(degrees=self.degrees, **self.turn.parameters())

    def on_array(self, rng: Random | None, image: Array) -> Array:
        """Transform an image of any size."""
        return self.turn.applied(image, self.degrees)

    def on_pillow(self, rng: Random | None, image: Image.Image) -> Image.Image:
        """Transform a Pillow image."""
        return self.turn.applied_to_pillow(image, self.degrees)


class RandomRotation(RandomImageOperation):
    """Rotates images by a random angle.

    Args:
        degrees: range of the angle in degrees; one number d for -d to d.
        resample: kind of interpolation between pixels: NEAREST, BILINEAR or BICUBIC, for arrays also AREA.
        expand: enlarge the image so that all of it is visible.
        center: (x, y) of the center of rotation; None for the middle of the image.
        fill_value: value of pixels outside of the image: one number, or one per channel.
    """

    json_readers = Turn.json_readers

    def __init__(
        self,
        degrees: float | Sequence[float],
        resample: Inter = Inter.NEAREST,
        expand: bool = False,
        center: Sequence[float] | None = None,
        fill_value: int | Sequence[int] = 0,
    ) -> None:
        self.degrees = degrees_of(degrees)
        self.turn = Turn("RandomRotation", resample, expand, center, fill_value)
        super().__init__(degrees=list(self.degrees), **self.turn.parameters())

    def drawn(self, rng: Random, image: Array) -> Array:
        """Transform an image of any size."""
        return self.turn.applied(image, float(rng.uniform(*self.degrees)))

    def on_pillow(self, rng: Random | None, image: Image.Image) -> Image.Image:
        """Transform a Pillow image."""
        assert rng is not None  # noqa: S101 - random is True
        return self.turn.applied_to_pillow(image, float(rng.uniform(*self.degrees)))


def sheared(
    columns: int, rows: int, degrees: float, shift: Sequence[float], scale: float, shear: Sequence[float]
) -> npt.NDArray[np.float32]:
    """The matrix of 2 x 3 that shears, rotates and scales around the middle, and shifts.

    With the angle a, the shears x and y and the scale s, its left part is
    s / cos y * (cos(a - y), -cos(a - y) tan x - sin a cos y; sin(a - y), -sin(a - y) tan x + cos a cos y).
    """
    middle_x, middle_y = single((columns - 1) / 2), single((rows - 1) / 2)
    angle, along_x, along_y = math.radians(degrees), math.radians(shear[0]), math.radians(shear[1])
    turn_x, turn_y = math.cos(angle - along_y) / math.cos(along_y), math.sin(angle - along_y) / math.cos(along_y)
    xx, xy = scale * turn_x, scale * (-turn_x * math.tan(along_x) - math.sin(angle))
    yx, yy = scale * turn_y, scale * (-turn_y * math.tan(along_x) + math.cos(angle))
    x = middle_x + shift[0] - xx * middle_x - xy * middle_y
    y = middle_y + shift[1] - yx * middle_x - yy * middle_y
    return np.array([[xx, xy, x], [yx, yy, y]], np.float32)


class Affine(ImageOperation):
    """Rotates, shifts, scales and shears images around their middle.

    Args:
        degrees: angle in degrees, clockwise.
        translate: shift along x and y, as shares of width and height.
        scale: factor of the size.
        shear: angle of the shear along x, or (along x, along y), in degrees.
        resample: kind of interpolation between pixels: NEAREST, BILINEAR, BICUBIC or AREA.
        fill_value: value of pixels outside of the image: one number, or one per channel.
    """

    json_readers = {"resample": inter_of}
    has_device = True

    def __init__(
        self,
        degrees: float,
        translate: Sequence[float],
        scale: float,
        shear: float | Sequence[float],
        resample: Inter = Inter.NEAREST,
        fill_value: int | Sequence[int] = 0,
    ) -> None:
        check_type(degrees, (int, float), "degrees")
        check_interval(degrees, (-FLOAT_INTEGER, FLOAT_INTEGER), "degrees")
        check_type(translate, (list, tuple), "translate")
        if len(translate) != 2:
            raise TypeError("The length of translate should be 2.")
        for number, value in enumerate(translate):
            check_type(value, (int, float), f"translate[{number}]")
            check_interval(value, (-1.0, 1.0), f"translate[{number}]")
        check_type(scale, (int, float), "scale")
        check_positive(scale, "scale")
        check_type(shear, (int, float, tuple, list), "shear")
        both = (shear, 0.0) if isinstance(shear, int | float) else shear
        if len(both) != 2:
            raise TypeError("The length of shear should be 2.")
        check_list(list(both), (int, float), "shear")
        self.degrees, self.scale = single(degrees), single(scale)
        self.translate = (single(translate[0]), single(translate[1]))
        self.shear = (single(both[0]), single(both[1]))
        self.resample, self.fill = inter_of_warp("Affine", resample), fill_of(fill_value)
        super().__init__(
            degrees=self.degrees,
            translate=list(self.translate),
            scale=self.scale,
            shear=list(self.shear),
            resample=inter_json(self.resample),
            fill_value=list(self.fill),
        )

    def on_array(self, rng: Random | None, image: Array) -> Array:
        """Transform an image of any size."""
        rows, columns = image.shape[:2]
        shift = (self.translate[0] * columns, self.translate[1] * rows)
        matrix = sheared(columns, rows, self.degrees, shift, self.scale, self.shear)
        return warped(image, matrix, (columns, rows), self.resample, self.fill)


class RandomAffine(RandomImageOperation):
    """Rotates, shifts, scales and shears images by random amounts, around their middle.

    Args:
        degrees: range of the angle in degrees; one number d for -d to d.
        translate: ranges of the shift, as shares of width and height: (low x, high x) or (low x, high x, low y,
            high y); None for no shift.
        scale: range of the factor; None for no change of size.
        shear: ranges of the shear in degrees: one number s for -s to s along x, (low x, high x) or (low x, high x,
            low y, high y); None for no shear.
        resample: kind of interpolation between pixels: NEAREST, BILINEAR, BICUBIC or AREA.
        fill_value: value of pixels outside of the image: one number, or one per channel.
    """

    json_readers = {"resample": inter_of}

    def __init__(
        self,
        degrees: float | Sequence[float],
        translate: Sequence[float] | None = None,
        scale: Sequence[float] | None = None,
        shear: float | Sequence[float] | None = None,
        resample: Inter = Inter.NEAREST,
        fill_value: int | Sequence[int] = 0,
    ) -> None:
        self.degrees = degrees_of(degrees)
        self.translate = self._translate(translate)
        low, high = (1.0, 1.0) if scale is None else check_ordered(scale, "scale")
        check_interval(low, (0, FLOAT_INTEGER))
        check_positive(high, "scale[1]")
        self.scale = (single(low), single(high))
        self.shear = shear_of(shear)
        self.resample, self.fill = inter_of_warp("RandomAffine", resample), fill_of(fill_value)
        super().__init__(
            degrees=list(self.degrees),
            translate=list(self.translate),
            scale=list(self.scale),
            shear=list(self.shear),
            resample=inter_json(self.resample),
            fill_value=list(self.fill),
        )

    @staticmethod
    def _translate(translate: Sequence[float] | None) -> tuple[float, float, float, float]:
        ends = [] if translate is None else list(translate)
        check_list(ends, (int, float), "translate")
        if translate is not None and len(ends) not in (2, 4):
            raise TypeError("translate should be a list or tuple of length 2 or 4.")
        for number, value in enumerate(ends):
            check_interval(value, (-1.0, 1.0), f"translate at {number}")
        low, high, lowest, highest = [single(value) for value in (*ends, 0.0, 0.0, 0.0, 0.0)][:4]
        if low > high or lowest > highest:
            raise ValueError("translate should be in (min,max) format. Got (max,min).")
        return low, high, lowest, highest

    def _matrix(self, rng: Random, columns: int, rows: int) -> npt.NDArray[np.float32]:
        degrees, scale = float(rng.uniform(*self.degrees)), float(rng.uniform(*self.scale))
        shift = (float(rng.uniform(*self.translate[:2])) * columns, float(rng.uniform(*self.translate[2:])) * rows)
        shear = [float(rng.uniform(self.shear[place], self.shear[place + 1])) for place in (0, 2)]
        return sheared(columns, rows, degrees, shift, scale, shear)

    def drawn(self, rng: Random, image: Array) -> Array:
        """Transform an image of any size."""
        rows, columns = image.shape[:2]
        return warped(image, self._matrix(rng, columns, rows), (columns, rows), self.resample, self.fill)

    def on_pillow(self, rng: Random | None, image: Image.Image) -> Image.Image:
        """Transform a Pillow image."""
        assert rng is not None  # noqa: S101 - random is True
        matrix = np.vstack([self._matrix(rng, *image.size), [0, 0, 1]]).astype(np.float64)
        # Pillow maps positions in the result to positions in the image, and takes the middle of a pixel for its place.
        half = np.array([[1, 0, 0.5], [0, 1, 0.5], [0, 0, 1]])
        back = (half @ np.linalg.pinv(matrix) @ np.linalg.inv(half)).ravel()[:6].tolist()
        kind: Any = RESAMPLING[self.resample]
        affine = Image.Transform.AFFINE
        return image.transform(image.size, affine, back, kind, fillcolor=_pillow_fill(image, self.fill))


Points = Sequence[Sequence[int]]


def _points(points: Points, name: str) -> list[list[int]]:
    check_list(points, (list, tuple), name)
    if len(points) != 4:
        raise TypeError(f"{name} should be a list or tuple of length 4.")
    for number, point in enumerate(points):
        if len(point) != 2:
            raise TypeError(f"{name}[{number}] should be a list or tuple of length 2.")
        for place, value in enumerate(point):
            check_type(value, (int,), f"{name}[{number}][{place}]")
            check_interval(value, (-INT32 - 1, INT32), f"{name}[{number}][{place}]")
    return [[int(x), int(y)] for x, y in points]


def _seen(image: Image.Image, start: Points, end: Points, kind: Any) -> Image.Image:
    """A Pillow image of which four points are moved."""
    back = cv.getPerspectiveTransform(np.array(end, np.float32), np.array(start, np.float32))
    coefficients = (back / back[2, 2]).ravel()[:8].tolist()
    return image.transform(image.size, Image.Transform.PERSPECTIVE, coefficients, kind)


class Perspective(ImageOperation):
    """Moves four points of an image to four others, and all pixels by the perspective between them.

    Args:
        start_points: (x, y) of the points top left, top right, bottom right, bottom left.
        end_points: (x, y) of their places in the result.
        interpolation: kind of interpolation between pixels: NEAREST, BILINEAR, BICUBIC or AREA.
    """

    json_readers = {"interpolation": inter_of}
    has_device = True

    def __init__(self, start_points: Points, end_points: Points, interpolation: Inter = Inter.BILINEAR) -> None:
        self.start, self.end = _points(start_points, "start_points"), _points(end_points, "end_points")
        self.interpolation = inter_of_warp("Perspective", interpolation, "interpolation")
        super().__init__(start_points=self.start, end_points=self.end, interpolation=inter_json(interpolation))

    def on_array(self, rng: Random | None, image: Array) -> Array:
        """Transform an image of any size; pixels from outside become 0."""
        matrix = cv.getPerspectiveTransform(np.array(self.start, np.float32), np.array(self.end, np.float32))
        out = cv.warpPerspective(image, matrix, (image.shape[1], image.shape[0]), flags=cv_inter(self.interpolation))
        return with_channels(np.asarray(out), image)

    def on_pillow(self, rng: Random | None, image: Image.Image) -> Image.Image:
        """Transform a Pillow image."""
        return _seen(image, self.start, self.end, RESAMPLING[self.interpolation])


class RandomPerspective(PillowOperation):
    """Moves the corners of Pillow images inwards by random amounts, with a probability.

    Args:
        distortion_scale: the largest share of half the width and height by which a corner moves, from 0 to 1.
        prob: probability from 0 to 1.
        interpolation: kind of interpolation between pixels: NEAREST, BILINEAR or BICUBIC.
    """

    json_readers = {"interpolation": inter_of}
    random = True

    def __init__(self, distortion_scale: float = 0.5, prob: float = 0.5, interpolation: Inter = Inter.BICUBIC) -> None:
        check_type(distortion_scale, (float,), "distortion_scale")
        check_interval(distortion_scale, (0.0, 1.0), "distortion_scale")
        self.distortion, self.prob = float(distortion_scale), check_probability(prob)
        self.interpolation = inter_of_warp("RandomPerspective", interpolation, "interpolation")
        super().__init__(distortion_scale=self.distortion, prob=self.prob, interpolation=inter_json(interpolation))

    def on_pillow(self, rng: Random | None, image: Image.Image) -> Image.Image:
        """Transform a Pillow image."""
        assert rng is not None  # noqa: S101 - random is True
        if rng.random() >= self.prob:
            return image
        right, bottom = image.width - 1, image.height - 1
        start = [[0, 0], [right, 0], [right, bottom], [0, bottom]]
        room = np.array([int(image.width / 2 * self.distortion), int(image.height / 2 * self.distortion)])
        inwards = np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]])
        end = np.array(start) + inwards * rng.integers(0, room + 1, (4, 2))
        return _seen(image, start, end.tolist(), RESAMPLING[self.interpolation])
