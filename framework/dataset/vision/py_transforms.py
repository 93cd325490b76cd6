"""MindSpore 1.x's name of image transforms that ran in Python: `mindspore.dataset.vision.py_transforms`.

They differ from the others in two points: `Decode` returns Pillow images, and `Normalize` takes channels first.
"""

from __future__ import annotations

from collections.abc import Sequence

from framework.dataset.vision import pixels
from framework.dataset.vision.adjusting import AdjustGamma, RandomColorAdjust
from framework.dataset.vision.augmentation.batches import MixUp
from framework.dataset.vision.augmentation.covering import CutOut, FiveCrop, RandomErasing, TenCrop
from framework.dataset.vision.augmentation.drawing import UniformAugment
from framework.dataset.vision.geometry import CenterCrop, Pad, Resize
from framework.dataset.vision.pixels import (
    HWC2CHW,
    Grayscale,
    HsvToRgb,
    Invert,
    LinearTransformation,
    NormalizePad,
    RgbToHsv,
    ToPIL,
    ToTensor,
    ToType,
)
from framework.dataset.vision.random import RandomCrop, RandomHorizontalFlip, RandomResizedCrop, RandomVerticalFlip
from framework.dataset.vision.tones import AutoContrast, Equalize, RandomColor, RandomGrayscale, RandomSharpness
from framework.dataset.vision.utils import Border, Inter
from framework.dataset.vision.warping import RandomAffine, RandomPerspective, RandomRotation

__all__ = [
    "HWC2CHW",
    "AdjustGamma",
    "AutoContrast",
    "Border",
    "CenterCrop",
    "CutOut",
    "Decode",
    "Equalize",
    "FiveCrop",
    "Grayscale",
    "HsvToRgb",
    "Inter",
    "Invert",
    "LinearTransformation",
    "MixUp",
    "Normalize",
    "NormalizePad",
    "Pad",
    "RandomAffine",
    "RandomColor",
    "RandomColorAdjust",
    "RandomCrop",
    "RandomErasing",
    "RandomGrayscale",
    "RandomHorizontalFlip",
    "RandomPerspective",
    "RandomResizedCrop",
    "RandomRotation",
    "RandomSharpness",
    "RandomVerticalFlip",
    "Resize",
    "RgbToHsv",
    "TenCrop",
    "ToPIL",
    "ToTensor",
    "ToType",
    "UniformAugment",
]


class Decode(pixels.Decode):
    """Decodes the bytes of a file to a Pillow image."""

    tensor_op_name = "Decode"

    def __init__(self, to_pil: bool = True) -> None:
        super().__init__(to_pil)


class Normalize(pixels.Normalize):
    """(value - mean) / std for each channel of an array (channels, height, width), as Float32.

    Args:
        mean: mean of each channel.
        std: standard deviation of each channel, above 0.
        is_hwc: channels are the last axis; otherwise the first.

    """

    tensor_op_name = "Normalize"

    def __init__(self, mean: Sequence[float], std: Sequence[float], is_hwc: bool = False) -> None:
        super().__init__(mean, std, is_hwc)
