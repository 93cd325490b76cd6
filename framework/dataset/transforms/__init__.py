"""Transforms of any data, public as `ds.transforms`. `c_transforms` and `py_transforms` are older names."""

from framework.dataset.transforms import c_transforms, py_transforms
from framework.dataset.transforms.chains import Compose, RandomApply, RandomChoice, RandomOrder
from framework.dataset.transforms.general import (
    Concatenate,
    Duplicate,
    Fill,
    Lambda,
    Mask,
    OneHot,
    PadEnd,
    Relational,
    Slice,
    TypeCast,
    Unique,
)
from framework.dataset.transforms.operation import TensorOperation

__all__ = [
    "Compose",
    "Concatenate",
    "Duplicate",
    "Fill",
    "Lambda",
    "Mask",
    "OneHot",
    "PadEnd",
    "RandomApply",
    "RandomChoice",
    "RandomOrder",
    "Relational",
    "Slice",
    "TensorOperation",
    "TypeCast",
    "Unique",
    "c_transforms",
    "py_transforms",
]
