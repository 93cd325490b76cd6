"""Functions that make functions; MindSpore's `ops.composite`, mostly called C."""

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
    "grad",
    "jacfwd",
    "jacrev",
    "jvp",
    "value_and_grad",
    "vjp",
]

# Gradients stand above the operators: `framework.ad` puts them here, where MindSpore's users look for them.
GradOperation: type[Any]
grad: Callable[..., Any]
jacfwd: Callable[..., Any]
jacrev: Callable[..., Any]
jvp: Callable[..., Any]
value_and_grad: Callable[..., Any]
vjp: Callable[..., Any]


def clip_by_global_norm(x: Any, clip_norm: float = 1.0, use_norm: Any = None) -> Any:
    """Tensors scaled together so that the square root of the sum of all squares is at most a bound.

    Args:
        x: a tuple or list of tensors, such as gradients.
        clip_norm: the bound.
        use_norm: accepted only as None, as in MindSpore.

    Raises:
        ValueError: `use_norm` is given.
    """
    if use_norm is not None:
        raise ValueError("clip_by_global_norm: use_norm must be None")
    total = sum([(item * item).sum() for item in x])
    norm = F.sqrt(total)
    scale = clip_norm / F.maximum(norm, clip_norm)
    return tuple([item * scale for item in x])
