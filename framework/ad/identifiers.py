"""Finds one of the gradients that `grad(..., return_ids=True)` returns in pairs with positions or names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from framework.common.parameter import Parameter

__all__ = ["found_gradient", "get_grad"]


def get_grad(gradients: Any, identifier: int | Parameter) -> Any:
    """One of the gradients that `grad(..., return_ids=True)` returned.

    Args:
        gradients: the returned gradients; the second item of what `value_and_grad` returns.
        identifier: the position of an argument, or a Parameter.

    Raises:
        TypeError: the identifier is neither.
        RuntimeError: there is no gradient with respect to it.
    """
    if isinstance(identifier, bool) or not isinstance(identifier, int | Parameter):
        raise TypeError(f"get_grad: the identifier must be a position or a Parameter, not {identifier!r}")
    return found_gradient(gradients, identifier.name if isinstance(identifier, Parameter) else identifier)


def found_gradient(gradients: Any, identifier: int | str) -> Any:
    """Find the gradient for a position or a name in nested tuples of pairs.

    Raises:
        RuntimeError: there is none.
    """
    pairs = dict(_pairs(gradients))
    if identifier not in pairs:
        known = ", ".join(repr(key) for key in pairs) or "none, for `grad` was called without return_ids=True"
        raise RuntimeError(f"get_grad: there is no gradient for {identifier!r}, only for {known}")
    return pairs[identifier]


def _pairs(gradients: Any) -> Iterator[tuple[int | str, Any]]:
    if not isinstance(gradients, tuple):
        return
    if len(gradients) == 2 and isinstance(gradients[0], int | str):
        yield gradients[0], gradients[1]
        return
    for item in gradients:
        yield from _pairs(item)
