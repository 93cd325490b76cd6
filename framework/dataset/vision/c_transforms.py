"""MindSpore 1.x's name of image transforms that ran in C++: `mindspore.dataset.vision.c_transforms`."""

from framework.dataset.vision.color import RandomColorAdjust
from framework.dataset.vision.cutting import (
    CutOut,
    NormalizePad,
    RandomAffine,
    RandomCropDecodeResize,
    RandomSelectSubpolicy,
)
from framework.dataset.vision.geometry import CenterCrop, Crop, HorizontalFlip, Pad, Resize, Rotate, VerticalFlip
from framework.dataset.vision.pixels import HWC2CHW, Decode, Invert, Normalize, Rescale
from framework.dataset.vision.random import (
    RandomCrop,
    RandomHorizontalFlip,
    RandomResizedCrop,
    RandomRotation,
    RandomVerticalFlip,
)
from framework.dataset.vision.tones import (
    AutoContrast,
    Equalize,
    RandomColor,
    RandomPosterize,
    RandomSharpness,
    RandomSolarize,
)
from framework.dataset.vision.utils import Border, Inter

__all__ = [
    "HWC2CHW",
    "AutoContrast",
    "Border",
    "CenterCrop",
    "Crop",
    "CutOut",
    "Decode",
    "Equalize",
    "HorizontalFlip",
    "Inter",
    "Invert",
    "Normalize",
    "NormalizePad",
    "Pad",
    "RandomAffine",
    "RandomColor",
    "RandomColorAdjust",
    "RandomCrop",
    "RandomCropDecodeResize",
    "RandomHorizontalFlip",
    "RandomPosterize",
    "RandomResizedCrop",
    "RandomRotation",
    "RandomSelectSubpolicy",
    "RandomSharpness",
    "RandomSolarize",
    "RandomVerticalFlip",
    "Rescale",
    "Resize",
    "Rotate",
    "VerticalFlip",
]
