"""Binds the arguments of a call to a function's parameters, as Python does."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from framework.ir.anf import Node
from framework.parse.function import Signature

__all__ = ["bind"]

T = TypeVar("T")


def bind(
    signature: Signature,
    positional: Sequence[T],
    named: Mapping[str, T],
    default: Callable[[Node], T],
    make_tuple: Callable[[Sequence[T]], T],
    make_dict: Callable[[Mapping[str, T]], T],
) -> list[T]:
    """What each parameter of a function's graph is, in their order.

    Args:
        signature: the function's.
        positional: what is passed by position.
        named: what is passed by name.
        default: evaluates a default.
        make_tuple: makes what `*args` is.
        make_dict: makes what `**kwargs` is.

    Raises:
        TypeError: the arguments do not fit, as Python would say.
    """
    if len(positional) > len(signature.positional) and signature.rest is None:
        raise TypeError(f"takes {len(signature.positional)} positional arguments but {len(positional)} were given")
    rest = dict(named)
    bound: list[T] = list(positional[: len(signature.positional)])
    for place, name in enumerate(signature.positional):
        if place < len(bound):
            if name in rest and place >= signature.only_positional:
                raise TypeError(f"got multiple values for argument '{name}'")
        elif name in rest and place >= signature.only_positional:
            bound.append(rest.pop(name))
        else:
            bound.append(_default(signature, name, default))
    if signature.rest is not None:
        bound.append(make_tuple(positional[len(signature.positional) :]))
    for name in signature.named:
        bound.append(rest.pop(name) if name in rest else _default(signature, name, default))
    if signature.others is not None:
        bound.append(make_dict(rest))
    elif rest:
        raise TypeError(f"got an unexpected keyword argument '{next(iter(rest))}'")
    return bound


def _default(signature: Signature, name: str, default: Callable[[Node], T]) -> T:
    if name not in signature.defaults:
        raise TypeError(f"missing a required argument: '{name}'")
    return default(signature.defaults[name])
