"""`mint.special`: special functions, under their names in PyTorch."""

# ruff: noqa: A004 - MindSpore's names
from framework.mint.functions import exp2
from framework.mint.nn.functional import log_softmax
from framework.ops.functional import erfc, expm1, log1p, round, sinc

__all__ = ["erfc", "exp2", "expm1", "log1p", "log_softmax", "round", "sinc"]
