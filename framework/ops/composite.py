"""Functions that make functions; MindSpore's `ops.composite`, mostly called C."""

from framework.ad import GradOperation, grad, value_and_grad
from framework.ops.functional import clip_by_value

__all__ = ["GradOperation", "clip_by_value", "grad", "value_and_grad"]
