"""MindSpore's `boost`: faster training by other mathematics. Gradients can be accumulated; the rest is a setting."""

from framework.boost.grad_accumulation import GradientAccumulation
from framework.boost.levels import AutoBoost

__all__ = ["AutoBoost", "GradientAccumulation"]
