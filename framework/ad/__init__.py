"""Automatic differentiation: the J transform of programs, and the calls by which users ask for gradients."""

from framework.ad import expand, expand_jacobians
from framework.ad.gradients import GradOperation, grad, value_and_grad
from framework.ad.identifiers import get_grad
from framework.ad.jacobians import hessian, jacfwd, jacrev, jvp, vjp
from framework.ops import composite

__all__ = [
    "GradOperation",
    "expand",
    "expand_jacobians",
    "get_grad",
    "grad",
    "hessian",
    "jacfwd",
    "jacrev",
    "jvp",
    "value_and_grad",
    "vjp",
]

# MindSpore's users look for gradients among the operators, which know nothing of them.
for _offered in (GradOperation, grad, jacfwd, jacrev, jvp, value_and_grad, vjp):
    setattr(composite, _offered.__name__, _offered)
