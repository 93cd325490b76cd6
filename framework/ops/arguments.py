"""The inputs of primitives by name: `ops.add(input=x, other=y)`; both modes bind calls with this."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from framework.ops.primitive import Primitive

__all__ = ["by_position", "inputs_of"]

T = TypeVar("T")


def inputs_of(kind: type[Primitive]) -> list[inspect.Parameter]:
    """The inputs of a class of primitives: those of its kernel, under the names that `arguments` gives them."""
    if kind.ufunc:
        names = [f"x{i}" for i in range(getattr(np, kind.ufunc).nin)]
        inputs = [inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD) for name in names]
    else:
        parameters = list(inspect.signature(kind.compute).parameters.values())[2:]
        inputs = [parameter for parameter in parameters if parameter.kind is not parameter.KEYWORD_ONLY]
    if len(kind.arguments) == len(inputs):
        return [item.replace(name=name) for item, name in zip(inputs, kind.arguments, strict=True)]
    return inputs


def by_position(primitive: Primitive, inputs: Sequence[T], named: Mapping[str, T]) -> tuple[T | Any, ...]:
    """All inputs of a call in their order; where one is left out in front of others, its default.

    Raises:
        TypeError: the operator has no input of such a name, or has it twice, or not at all.
    """
    parameters = inputs_of(type(primitive))
    try:
        bound = inspect.Signature(parameters).bind(*inputs, **named)
    except TypeError as error:
        names = ", ".join(parameter.name for parameter in parameters)
        raise TypeError(f"{primitive.name}({names}): {error}") from None
    bound.apply_defaults()
    return bound.args
