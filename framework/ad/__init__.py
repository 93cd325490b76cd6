"""Automatic differentiation: the J transform of programs, and the functions that users call for gradients."""

from framework.ad import expand, expand_jacobians, expand_vectorized
from framework.ad.gradients import GradOperation, grad, value_and_grad
from framework.ad.identifiers import get_grad
from framework.ad.jacobians import hessian, jacfwd, jacrev, jvp, vjp
from framework.ad.taylor import derivative, jet
from framework.ad.vectorized import vmap
from framework.ops import composite, functional

__all__ = [
    "GradOperation",
    "derivative",
    "expand",
    "expand_jacobians",
    "expand_vectorized",
    "get_grad",
    "grad",
    "hessian",
    "jacfwd",
    "jacrev",
    "jet",
    "jvp",
    "value_and_grad",
    "vjp",
    "vmap",
]

# MindSpore offers gradients among the operators, too. The operators do not know `ad`, so they are added here.
_FUNCTIONS = (derivative, grad, jacfwd, jacrev, jet, jvp, value_and_grad, vjp, vmap)
for _offered in _FUNCTIONS:
    setattr(composite, _offered.__name__, _offered)
    setattr(functional, _offered.__name__, _offered)
composite.GradOperation = GradOperation
setattr(functional, "get_grad", get_grad)  # noqa: B010
