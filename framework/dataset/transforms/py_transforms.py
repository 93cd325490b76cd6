"""MindSpore 1.x's name of transforms that ran in Python: `mindspore.dataset.transforms.py_transforms`."""

from framework.dataset.transforms.chains import Compose, RandomApply, RandomChoice, RandomOrder
from framework.dataset.transforms.general import Lambda
from framework.dataset.transforms.general import OneHot as OneHotOp

__all__ = ["Compose", "Lambda", "OneHotOp", "RandomApply", "RandomChoice", "RandomOrder"]
