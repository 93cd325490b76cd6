"""Mathematical functions of the elements that sparse tensors keep: `coo_abs`, `csr_abs` and the like.

As in MindSpore, the elements that a sparse tensor leaves out stay 0, also where the function of 0 is not 0, as with
`csr_cos`. `framework.ops` offers the functions by name.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Final

from framework.common.tensor import Tensor
from framework.ops.sparse import COOTensor, CSRTensor

__all__ = ["NAMES", "of_sparse"]

_FUNCTIONS: Final = (
    "abs", "acos", "acosh", "asin", "asinh", "atan", "atanh", "ceil", "cos", "cosh", "exp", "expm1", "floor", "inv",
    "isfinite", "isinf", "isnan", "log", "log1p", "neg", "relu", "relu6", "round", "sigmoid", "sin", "sinh", "softsign",
    "sqrt", "square", "tan", "tanh",
)  # fmt: skip
NAMES: Final = frozenset(f"{kind}_{name}" for kind in ("coo", "csr") for name in _FUNCTIONS)
"""The names of the functions."""


def of_sparse(name: str) -> Callable[..., COOTensor | CSRTensor]:
    """One of the functions, from a sparse tensor to one with the same places.

    Args:
        name: one of `NAMES`.

    Example:
        >>> x = ms.COOTensor(Tensor([[0, 1], [1, 0]]), Tensor([-1.0, 2.0]), (2, 2))
        >>> print(ops.coo_abs(x).values)
        [1. 2.]

    """
    kind, _, function_name = name.partition("_")
    # The functions are defined above this module.
    function: Callable[[Tensor], Tensor] = getattr(importlib.import_module("framework.ops.functional"), function_name)

    def of_coo(x: COOTensor) -> COOTensor:
        if not isinstance(x, COOTensor):
            raise TypeError(f"{name} takes a COOTensor, not a {type(x).__name__}")
        return COOTensor(x.indices, function(x.values), x.shape)

    def of_csr(x: CSRTensor) -> CSRTensor:
        if not isinstance(x, CSRTensor):
            raise TypeError(f"{name} takes a CSRTensor, not a {type(x).__name__}")
        return CSRTensor(x.indptr, x.indices, function(x.values), x.shape)

    return of_coo if kind == "coo" else of_csr
