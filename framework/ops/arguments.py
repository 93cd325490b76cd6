"""Binds the inputs of a call by position and by name, `ops.add(input=x, other=y)`; both modes use it."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from framework.ops.primitive import Primitive

__all__ = ["by_position", "inputs_of", "with_defaults"]

T = TypeVar("T")


def inputs_of(kind: type[Primitive]) -> list[inspect.Parameter]:
    """The inputs of a class of primitives: the parameters of its kernel, named as in `arguments` if it names them."""
    if kind.ufunc:
        names = [f"x{i}" for i in range(getattr(np, kind.ufunc).nin)]
        inputs = [inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD) for name in names]
    else:
        parameters = list(inspect.signature(kind.compute).parameters.values())[2:]
        inputs = [parameter for parameter in parameters if parameter.kind is not parameter.KEYWORD_ONLY]
    if len(kind.arguments) == len(inputs):
        return [item.replace(name=name) for item, name in zip(inputs, kind.arguments, strict=True)]
    return inputs


@functools.lru_cache(maxsize=1024)
def _defaults_of(kind: type[Primitive]) -> tuple[object, ...]:
    """The default of each input of a class of primitives; `inspect.Parameter.empty` for an input that has none."""
    inputs = [item for item in inputs_of(kind) if item.kind is item.POSITIONAL_OR_KEYWORD]
    return tuple(item.default for item in inputs)


def with_defaults(primitive: Primitive, inputs: tuple[T, ...]) -> tuple[T | Any, ...]:
    """The inputs of a call, followed by the defaults of those that it leaves out.

    A backward function gets one argument per input, also for an input that the call left out.

    Args:
        primitive: the operator that is called.
        inputs: the inputs given, by position.

    Returns:
        All inputs. Where an input without a default is missing, the inputs as given: the kernel reports it.
    """
    defaults = _defaults_of(type(primitive))  # type: ignore[arg-type]
    if len(inputs) >= len(defaults):
        return inputs
    left_out = defaults[len(inputs) :]
    return inputs if inspect.Parameter.empty in left_out else (*inputs, *left_out)


def by_position(primitive: Primitive, inputs: Sequence[T], named: Mapping[str, T]) -> tuple[T | Any, ...]:
    """All inputs of a call in their order, with the defaults of those that it leaves out.

    Args:
        primitive: the operator that is called.
        inputs: the inputs given by position.
        named: the inputs given by name.

    Raises:
        TypeError: a name is not an input of the operator, an input is given twice, or a required one is missing. An
            unknown name is reported first.
    """
    parameters = inputs_of(type(primitive))
    unknown = next((name for name in named if all(name != parameter.name for parameter in parameters)), None)
    if unknown is not None:
        raise TypeError(f"{primitive.name}.__call__() got an unexpected keyword argument '{unknown}'")
    try:
        bound = inspect.Signature(parameters).bind(*inputs, **named)
    except TypeError as error:
        names = ", ".join(parameter.name for parameter in parameters)
        raise TypeError(f"{primitive.name}({names}): {error}") from None
    bound.apply_defaults()
    return bound.args
