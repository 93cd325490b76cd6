"""MindSpore 1.x's name of transforms that ran in C++: `mindspore.dataset.transforms.c_transforms`."""

from framework.dataset.transforms.chains import Compose, RandomApply, RandomChoice
from framework.dataset.transforms.general import (
    Concatenate,
    Duplicate,
    Fill,
    Mask,
    OneHot,
    PadEnd,
    Relational,
    Slice,
    TypeCast,
    Unique,
)

__all__ = [
    "Compose",
    "Concatenate",
    "Duplicate",
    "Fill",
    "Mask",
    "OneHot",
    "PadEnd",
    "RandomApply",
    "RandomChoice",
    "Relational",
    "Slice",
    "TypeCast",
    "Unique",
]
