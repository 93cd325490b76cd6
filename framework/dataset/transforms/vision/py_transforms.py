"""The path of `vision.py_transforms` in MindSpore 0.x: `mindspore.dataset.transforms.vision.py_transforms`."""

from framework.dataset.vision.py_transforms import *  # noqa: F403
from framework.dataset.vision.py_transforms import __all__ as __all__
