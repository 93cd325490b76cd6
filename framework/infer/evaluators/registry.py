"""The registry of evaluators of calls, by the object that is called or by its class."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from framework.infer.evaluators.inference import Inference
from framework.ir.anf import Node

__all__ = ["HANDLERS", "Handler", "handler", "register", "register_kind"]

Handler = Callable[[Inference, Any, Sequence[Node], Mapping[str, Node]], Node]
"""An evaluator: from the callee and its arguments to the result."""

HANDLERS: dict[Any, Handler] = {}
"""The evaluators of calls of particular objects."""
_KINDS: dict[type, Handler] = {}


def register(*callees: Any) -> Callable[[Handler], Handler]:
    """Decorate an evaluator of calls of these objects. A class stands for calls of itself."""

    def keep(found: Handler) -> Handler:
        for callee in callees:
            HANDLERS[callee] = found
        return found

    return keep


def register_kind(*kinds: type) -> Callable[[Handler], Handler]:
    """Decorate an evaluator of calls of objects of these classes."""

    def keep(found: Handler) -> Handler:
        for kind in kinds:
            _KINDS[kind] = found
        return found

    return keep


def handler(callee: Any) -> Handler | None:
    """The evaluator of calls of an object; None if there is none."""
    for kind in type(callee).__mro__:
        if kind in _KINDS:
            return _KINDS[kind]
    try:
        return HANDLERS.get(callee)
    except TypeError:
        return None
