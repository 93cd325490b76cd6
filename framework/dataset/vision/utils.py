"""Enumerations for the arguments of image transforms; MindSpore's `vision.utils`."""

from __future__ import annotations

from enum import IntEnum, StrEnum
from typing import Final

from PIL import Image

__all__ = ["RESAMPLING", "Border", "Inter", "border_json", "border_of", "inter_json", "inter_of"]


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
