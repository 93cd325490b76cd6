"""The path of `vision.c_transforms` in MindSpore 0.x: `mindspore.dataset.transforms.vision.c_transforms`."""

from framework.dataset.vision.c_transforms import *  # noqa: F403
from framework.dataset.vision.c_transforms import __all__ as __all__
