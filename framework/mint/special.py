"""`mint.special`: special functions, by the names that PyTorch's `torch.special` has."""

from __future__ import annotations

from framework.mint.functions import exp2
from framework.mint.nn.functional import log_softmax
from framework.ops.functional import erfc, expm1, log1p, round, sinc  # noqa: A004 - MindSpore's names

__all__ = ["erfc", "exp2", "expm1", "log1p", "log_softmax", "round", "sinc"]
