"""Transforms of images, public as `ds.vision`. `c_transforms` and `py_transforms` are MindSpore's older names."""

from framework.dataset.vision import c_transforms, py_transforms, utils
from framework.dataset.vision.color import RandomColorAdjust
from framework.dataset.vision.geometry import CenterCrop, Crop, HorizontalFlip, Pad, Resize, Rotate, VerticalFlip
from framework.dataset.vision.pixels import (
    HWC2CHW,
    Decode,
    Grayscale,
    Invert,
    Normalize,
    Rescale,
    ToNumpy,
    ToPIL,
    ToTensor,
    ToType,
)
from framework.dataset.vision.random import (
    RandomCrop,
    RandomErasing,
    RandomHorizontalFlip,
    RandomResizedCrop,
    RandomRotation,
    RandomVerticalFlip,
)
from framework.dataset.vision.utils import Border, Inter

__all__ = [
    "HWC2CHW",
    "Border",
    "CenterCrop",
    "Crop",
    "Decode",
    "Grayscale",
    "HorizontalFlip",
    "Inter",
    "Invert",
    "Normalize",
    "Pad",
    "RandomColorAdjust",
    "RandomCrop",
    "RandomErasing",
    "RandomHorizontalFlip",
    "RandomResizedCrop",
    "RandomRotation",
    "RandomVerticalFlip",
    "Rescale",
    "Resize",
    "Rotate",
    "ToNumpy",
    "ToPIL",
    "ToTensor",
    "ToType",
    "VerticalFlip",
    "c_transforms",
    "py_transforms",
    "utils",
]
