"""Binds the arguments of a call to a function's parameters, as Python does."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from framework.ir.anf import Node

__all__ = ["Signature", "bind", "signature_of"]

T = TypeVar("T")


@dataclass
class Signature:
    """How callers may pass arguments.

    Attributes:
        positional: the parameters that take them by position.
        only_positional: how many of those not by name.
        rest: the one that takes what is left over (`*args`).
        named: those that are passed by name only.
        others: the one that takes other names (`**kwargs`).
        defaults: what is passed where the caller passes nothing.
    """

    positional: list[str]
    only_positional: int
    rest: str | None
    named: list[str]
    others: str | None
    defaults: dict[str, Node] = field(default_factory=dict)


def signature_of(arguments: ast.arguments) -> Signature:
    """The signature that a function's syntax tells, without defaults."""
    return Signature(
        [argument.arg for argument in (*arguments.posonlyargs, *arguments.args)],
        len(arguments.posonlyargs),
        arguments.vararg.arg if arguments.vararg else None,
        [argument.arg for argument in arguments.kwonlyargs],
        arguments.kwarg.arg if arguments.kwarg else None,
    )


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
