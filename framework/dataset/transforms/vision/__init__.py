"""The path of `vision` in MindSpore 0.x: `mindspore.dataset.transforms.vision`."""

from framework.dataset.vision.utils import Border, Inter

__all__ = ["Border", "Inter"]
