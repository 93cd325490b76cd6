"""Primitives (`ops.operations`), functions made of them (`ops.relu(x)`), and their backward functions (`ops.bprop`)."""

import importlib
from typing import Any

from framework.common.tensor import is_tensor
from framework.ops import bprop, functional, operations, tensor_methods
from framework.ops.constexpr import constexpr

# The public names of these two packages are listed there.
from framework.ops.functional import *  # noqa: F403
from framework.ops.gradients import bprop_getters
from framework.ops.mathematics import of_sparse
from framework.ops.operations import *  # noqa: F403
from framework.ops.primitive import Primitive, PrimitiveWithInfer, prim_attr_register

__all__ = [
    "Primitive",
    "PrimitiveWithInfer",
    "bprop",
    "bprop_getters",
    "constexpr",
    "functional",
    "is_tensor",
    "operations",
    "prim_attr_register",
    "tensor_methods",
]
__all__ += functional.__all__
__all__ += operations.__all__

_COMPOSITE = (
    "GradOperation",
    "HyperMap",
    "Map",
    "MultitypeFuncGraph",
    "clip_by_global_norm",
    "composite",
    "derivative",
    "grad",
    "jacfwd",
    "jacrev",
    "jet",
    "jvp",
    "value_and_grad",
    "vjp",
    "vmap",
)


def __getattr__(name: str) -> Any:
    # Gradients are built on the operators, so they are imported late; MindSpore offers them here.
    if name in _COMPOSITE:
        composite = importlib.import_module("framework.ops.composite")
        return composite if name == "composite" else getattr(composite, name)
    if name in of_sparse.NAMES:
        return of_sparse.of_sparse(name)
    raise AttributeError(f"module 'framework.ops' has no attribute {name!r}")
