"""Values of the running program as Python sees them: tensors for arrays, also in containers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from framework.common.tensor import Tensor, from_array
from framework.ir.abstract import Abstract, AbstractConst, AbstractDict, AbstractTensor, AbstractTuple
from framework.ir.python_ops import PythonOp

__all__ = ["on_python_values", "user_value"]


def user_value(value: Any, abstract: Abstract | None) -> Any:
    """The result of a program as the user gets it: tensors for arrays, also in containers."""
    if isinstance(abstract, AbstractTensor):
        return value if isinstance(value, Tensor) else from_array(value)
    if isinstance(abstract, AbstractTuple):
        items = [user_value(item, inner) for item, inner in zip(value, abstract.elements, strict=True)]
        if abstract.kind is not None:
            return abstract.kind(*items)
        return items if abstract.is_list else tuple(items)
    if isinstance(abstract, AbstractDict):
        pairs = zip(abstract.keys, abstract.elements, strict=True)
        return {key: user_value(value[key], inner) for key, inner in pairs}
    return abstract.value if isinstance(abstract, AbstractConst) else value


def on_python_values(
    name: str, function: Callable[..., Any], abstracts: Sequence[Abstract | None], attrs: dict[str, Any] | None = None
) -> PythonOp:
    """An operator that calls a function of Python with the values as Python sees them.

    Args:
        name: the name of the operator.
        function: what it computes.
        abstracts: the abstract values of its arguments.
        attrs: the attributes of the operator.
    """

    def run(*values: Any) -> Any:
        return function(*(user_value(value, abstract) for value, abstract in zip(values, abstracts, strict=False)))

    return PythonOp(name, run, attrs=attrs)
