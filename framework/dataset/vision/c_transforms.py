"""MindSpore 1.x's name of image transforms that ran in C++: `mindspore.dataset.vision.c_transforms`."""

from framework.dataset.vision.adjusting import AdjustGamma, RandomColorAdjust, RandomLighting
from framework.dataset.vision.augmentation.batches import CutMixBatch, MixUpBatch
from framework.dataset.vision.augmentation.boxes import (
    BoundingBoxAugment,
    RandomCropWithBBox,
    RandomHorizontalFlipWithBBox,
    RandomResizedCropWithBBox,
    RandomResizeWithBBox,
    RandomVerticalFlipWithBBox,
    ResizeWithBBox,
)
from framework.dataset.vision.augmentation.covering import CutOut, SlicePatches
from framework.dataset.vision.augmentation.drawing import RandomSelectSubpolicy, UniformAugment
from framework.dataset.vision.geometry import CenterCrop, Crop, HorizontalFlip, Pad, Resize, VerticalFlip
from framework.dataset.vision.pixels import HWC2CHW, ConvertColor, Decode, Invert, Normalize, NormalizePad, Rescale
from framework.dataset.vision.random import (
    RandomCrop,
    RandomCropDecodeResize,
    RandomHorizontalFlip,
    RandomResize,
    RandomResizedCrop,
    RandomVerticalFlip,
)
from framework.dataset.vision.tones import (
    AutoContrast,
    Equalize,
    GaussianBlur,
    RandomColor,
    RandomPosterize,
    RandomSharpness,
    RandomSolarize,
)
from framework.dataset.vision.utils import Border, ConvertMode, ImageBatchFormat, Inter, SliceMode
from framework.dataset.vision.warping import RandomAffine, RandomRotation, Rotate

__all__ = [
    "HWC2CHW",
    "AdjustGamma",
    "AutoContrast",
    "Border",
    "BoundingBoxAugment",
    "CenterCrop",
    "ConvertColor",
    "ConvertMode",
    "Crop",
    "CutMixBatch",
    "CutOut",
    "Decode",
    "Equalize",
    "GaussianBlur",
    "HorizontalFlip",
    "ImageBatchFormat",
    "Inter",
    "Invert",
    "MixUpBatch",
    "Normalize",
    "NormalizePad",
    "Pad",
    "RandomAffine",
    "RandomColor",
    "RandomColorAdjust",
    "RandomCrop",
    "RandomCropDecodeResize",
    "RandomCropWithBBox",
    "RandomHorizontalFlip",
    "RandomHorizontalFlipWithBBox",
    "RandomLighting",
    "RandomPosterize",
    "RandomResize",
    "RandomResizeWithBBox",
    "RandomResizedCrop",
    "RandomResizedCropWithBBox",
    "RandomRotation",
    "RandomSelectSubpolicy",
    "RandomSharpness",
    "RandomSolarize",
    "RandomVerticalFlip",
    "RandomVerticalFlipWithBBox",
    "Rescale",
    "Resize",
    "ResizeWithBBox",
    "Rotate",
    "SliceMode",
    "SlicePatches",
    "UniformAugment",
    "VerticalFlip",
]
