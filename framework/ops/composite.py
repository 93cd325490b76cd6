"""Higher-order functions, MindSpore's `ops.composite`; commonly imported as C."""

from collections.abc import Callable
from typing import Any

from framework.ops import functional as F  # noqa: N812
from framework.ops.functional import clip_by_value
from framework.ops.multitype import HyperMap, Map, MultitypeFuncGraph

__all__ = [
    "GradOperation",
    "HyperMap",
    "Map",
    "MultitypeFuncGraph",
    "clip_by_global_norm",
    "clip_by_value",
    "derivative",
    "grad",
    "jacfwd",
    "jacrev",
    "jet",
    "jvp",
    "value_and_grad",
    "vjp",
    "vmap",
]

# Gradients are built on operators: `framework.ad` enters them here, where users of MindSpore look for them.
GradOperation: type[Any]
derivative: Callable[..., Any]
grad: Callable[..., Any]
jacfwd: Callable[..., Any]
jacrev: Callable[..., Any]
jet: Callable[..., Any]
jvp: Callable[..., Any]
value_and_grad: Callable[..., Any]
vjp: Callable[..., Any]
vmap: Callable[..., Any]


def clip_by_global_norm(x: Any, clip_norm: float = 1.0, use_norm: Any = None) -> Any:
    """Tensors scaled by one factor, so that their global norm is at most `clip_norm`.

    The global norm is the square root of the sum of the squares of all elements.

    Args:
        x: a tuple or list of tensors, such as gradients.
        clip_norm: the largest global norm allowed.
        use_norm: must be None, as in MindSpore.

    Raises:
        ValueError: `use_norm` is not None.
    """
    if use_norm is not None:
        raise ValueError("clip_by_global_norm: use_norm must be None")
    total = sum([(item * item).sum() for item in x])
    norm = F.sqrt(total)
    scale = clip_norm / F.maximum(norm, clip_norm)
    return tuple([item * scale for item in x])
