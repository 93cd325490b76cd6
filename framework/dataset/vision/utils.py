"""Enumerations for the arguments of image transforms; MindSpore's `vision.utils`."""

from __future__ import annotations

from enum import IntEnum, StrEnum
from typing import Final

from PIL import Image

from framework.dataset.vision.opencv import cv

__all__ = [
    "RESAMPLING",
    "AutoAugmentPolicy",
    "Border",
    "ConvertMode",
    "ImageBatchFormat",
    "ImageReadMode",
    "Inter",
    "SliceMode",
    "border_json",
    "border_of",
    "cv_border",
    "cv_inter",
    "inter_json",
    "inter_of",
]


class Inter(IntEnum):
    """Kind of interpolation between pixels."""

    NEAREST = 0
    ANTIALIAS = 1
    BILINEAR = 2
    LINEAR = 2
    BICUBIC = 3
    CUBIC = 3
    AREA = 4
    PILCUBIC = 5


class Border(StrEnum):
    """Kind of border that is added to an image."""

    CONSTANT = "constant"
    EDGE = "edge"
    REFLECT = "reflect"
    SYMMETRIC = "symmetric"


class ConvertMode(IntEnum):
    """Conversion between orders and numbers of channels; the numbers are OpenCV's."""

    COLOR_BGR2BGRA = 0
    COLOR_RGB2RGBA = 0
    COLOR_BGRA2BGR = 1
    COLOR_RGBA2RGB = 1
    COLOR_BGR2RGBA = 2
    COLOR_RGB2BGRA = 2
    COLOR_RGBA2BGR = 3
    COLOR_BGRA2RGB = 3
    COLOR_BGR2RGB = 4
    COLOR_RGB2BGR = 4
    COLOR_BGRA2RGBA = 5
    COLOR_RGBA2BGRA = 5
    COLOR_BGR2GRAY = 6
    COLOR_RGB2GRAY = 7
    COLOR_GRAY2BGR = 8
    COLOR_GRAY2RGB = 8
    COLOR_GRAY2BGRA = 9
    COLOR_GRAY2RGBA = 9
    COLOR_BGRA2GRAY = 10
    COLOR_RGBA2GRAY = 11


class SliceMode(IntEnum):
    """What `SlicePatches` does with a side that the number of patches does not divide."""

    PAD = 0
    DROP = 1


class ImageBatchFormat(IntEnum):
    """Order of the axes of a batch of images."""

    NHWC = 0
    NCHW = 1


class ImageReadMode(IntEnum):
    """Channels of an image that is read."""

    UNCHANGED = 0
    GRAYSCALE = 1
    COLOR = 2


class AutoAugmentPolicy(StrEnum):
    """Data that a policy of `AutoAugment` was found on."""

    IMAGENET = "imagenet"
    CIFAR10 = "cifar10"
    SVHN = "svhn"


#: Pillow's filter of each kind of interpolation.
RESAMPLING: Final = {
    Inter.NEAREST: Image.Resampling.NEAREST,
    Inter.ANTIALIAS: Image.Resampling.LANCZOS,
    Inter.BILINEAR: Image.Resampling.BILINEAR,
    Inter.BICUBIC: Image.Resampling.BICUBIC,
    Inter.AREA: Image.Resampling.BOX,
    Inter.PILCUBIC: Image.Resampling.BICUBIC,
}

#: Numbers in the JSON of MindSpore's pipelines, which are those of its C++ types.
_INTER_NUMBERS: Final = {
    Inter.BILINEAR: 0,
    Inter.NEAREST: 1,
    Inter.BICUBIC: 2,
    Inter.AREA: 3,
    Inter.PILCUBIC: 4,
    Inter.ANTIALIAS: 5,
}
_BORDER_NUMBERS: Final = {Border.CONSTANT: 0, Border.EDGE: 1, Border.REFLECT: 2, Border.SYMMETRIC: 3}


def cv_inter(value: Inter) -> int:
    """OpenCV's number of an interpolation."""
    kinds = {Inter.NEAREST: cv.INTER_NEAREST, Inter.BICUBIC: cv.INTER_CUBIC, Inter.AREA: cv.INTER_AREA}
    return kinds.get(value, cv.INTER_LINEAR)


def cv_border(value: Border) -> int:
    """OpenCV's number of a border."""
    return {
        Border.CONSTANT: cv.BORDER_CONSTANT,
        Border.EDGE: cv.BORDER_REPLICATE,
        Border.REFLECT: cv.BORDER_REFLECT_101,
        Border.SYMMETRIC: cv.BORDER_REFLECT,
    }[value]


def inter_json(value: Inter) -> int:
    """The number of an interpolation in JSON."""
    return _INTER_NUMBERS[value]


def inter_of(number: int) -> Inter:
    """The interpolation of a number in JSON."""
    return next(kind for kind, known in _INTER_NUMBERS.items() if known == number)


def border_json(value: Border) -> int:
    """The number of a border in JSON."""
    return _BORDER_NUMBERS[value]


def border_of(number: int) -> Border:
    """The border of a number in JSON."""
    return next(kind for kind, known in _BORDER_NUMBERS.items() if known == number)
