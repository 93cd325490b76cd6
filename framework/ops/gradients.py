"""The registry of backward functions; the tape and the J transform look them up here."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from framework.ops.primitive import Primitive

__all__ = ["Bprop", "BpropGetters", "bprop_getters", "gradient"]

Bprop = Callable[..., Any]
Getter = TypeVar("Getter", bound=Callable[..., Bprop])
Rule = TypeVar("Rule", bound=Bprop)


class BpropGetters:
    """A registry: for the class of a primitive, the function that makes the backward function of an instance.

    A backward function `bprop(*inputs, out, dout)` gets the inputs and the output of the primitive, and the gradient
    with respect to the output. It returns a tuple with one gradient per input; for an input that has none, such as a
    shape or indices, it may return any value. A class may define the method `get_bprop(self)` instead.
    """

    def __init__(self) -> None:
        self._getters: dict[type[Primitive], Callable[..., Bprop]] = {}

    def register(self, *kinds: type[Primitive]) -> Callable[[Getter], Getter]:
        """Decorate a function `get_bprop(self) -> bprop` to register it for these classes of primitives."""

        def keep(getter: Getter) -> Getter:
            for kind in kinds:
                self._getters[kind] = getter
            return getter

        return keep

    def modules(self) -> dict[type[Primitive], str]:
        """For each class with a registered gradient, the name of the module that registered it."""
        return {kind: getter.__module__ for kind, getter in self._getters.items()}

    def has(self, kind: type[Primitive]) -> bool:
        """Whether primitives of this class can be differentiated."""
        return hasattr(kind, "get_bprop") or any(base in self._getters for base in kind.__mro__)

    def get(self, primitive: Primitive) -> Bprop:
        """The backward function of a primitive.

        Raises:
            NotImplementedError: no backward function is registered for its class.

        """
        known = primitive.__dict__.get("_bprop")
        if known is not None:
            return known
        bprop = self._find(primitive)
        primitive.__dict__["_bprop"] = bprop
        return bprop

    def _find(self, primitive: Primitive) -> Bprop:
        own = getattr(type(primitive), "get_bprop", None)
        if own is not None:
            return own(primitive)
        for base in type(primitive).__mro__:
            if base in self._getters:
                return self._getters[base](primitive)
        raise NotImplementedError(
            f"primitive {primitive.name} has no backward function: register one with "
            f"bprop_getters.register({type(primitive).__name__}), or keep gradients out with ops.stop_gradient"
        )


bprop_getters = BpropGetters()


def gradient(*kinds: type[Primitive]) -> Callable[[Rule], Rule]:
    """Register a function as the gradient of one or several classes of primitives.

    This is the short form for a rule that reads no attributes of the primitive:

        @gradient(P.Neg)
        def neg_gradient(x, out, dout):
            return -dout

    The function gets the inputs, the output and the gradient with respect to the output. It returns a tuple with one
    gradient per input. The rule of a primitive with a single input returns that gradient itself, unless the input is a
    tuple of tensors. A rule that reads attributes is made by a function: see `BpropGetters.register`.

    Args:
        kinds: the classes of primitives.
    """

    def keep(rule: Rule) -> Rule:
        @functools.wraps(rule)
        def getter(primitive: Primitive) -> Bprop:
            return rule

        bprop_getters.register(*kinds)(getter)
        return rule

    return keep
