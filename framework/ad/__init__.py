"""Automatic differentiation: the J transform of programs, and the calls by which users ask for gradients."""

from framework.ad import expand
from framework.ad.gradients import GradOperation, grad, value_and_grad

__all__ = ["GradOperation", "expand", "grad", "value_and_grad"]
