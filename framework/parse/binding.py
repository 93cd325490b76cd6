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
        positional: the parameters that can be passed by position.
        only_positional: how many of these cannot be passed by name.
        rest: the parameter for further positional arguments (`*args`).
        named: the parameters that can be passed by name only.
        others: the parameter for further named arguments (`**kwargs`).
        defaults: the values of parameters that the caller leaves out.
    """

    positional: list[str]
    only_positional: int
    rest: str | None
    named: list[str]
    others: str | None
    defaults: dict[str, Node] = field(default_factory=dict)


def signature_of(arguments: ast.arguments) -> Signature:
    """Read the signature from a function's syntax tree, without defaults."""
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
    """The value of each parameter of a function's graph, in the order of the parameters.

    Args:
        signature: the signature of the function.
        positional: the arguments passed by position.
        named: the arguments passed by name.
        default: evaluates a default.
        make_tuple: makes the tuple for `*args`.
        make_dict: makes the dictionary for `**kwargs`.

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
