"""Evaluators of functions that take or return functions: `functools`, and `ms.jit` within a compiled function."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

from framework.infer.evaluators.inference import Inference
from framework.infer.evaluators.python_operators import elements
from framework.infer.evaluators.registry import register, register_kind
from framework.infer.values import constant
from framework.ir.anf import Node

__all__ = ["compiles_already"]


@register(functools.reduce)
def _reduce(infer: Inference, callee: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    items = [*arguments[2:], *elements(infer, arguments[1])]
    if not items:
        raise infer.program.error("reduce() of an empty sequence needs a value to begin with")
    result = items[0]
    for item in items[1:]:
        result = infer.call(arguments[0], [result, item], {})
    return result


class _Same:
    """The result of `functools.wraps(function)`: it returns its argument, because names do not matter here."""

    def __call__(self) -> None:
        """Called by inference only."""


@register(functools.wraps)
def _wraps(infer: Inference, callee: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    return constant(_Same())


@register_kind(_Same)
def _same(infer: Inference, callee: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    return arguments[0]


class _Partial:
    """The result of `functools.partial` with a function or arguments of the program."""

    def __init__(self, function: Node, arguments: Sequence[Node], named: Mapping[str, Node]) -> None:
        self.function = function
        self.arguments = list(arguments)
        self.named = dict(named)

    def __call__(self) -> None:
        """Called by inference only."""


@register(functools.partial)
def _partial(infer: Inference, callee: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    if not arguments:
        raise infer.program.error("partial() needs a function")
    return constant(_Partial(arguments[0], arguments[1:], named))


@register_kind(_Partial)
def _completed(infer: Inference, callee: _Partial, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    for node in (*callee.arguments, *callee.named.values()):
        infer.not_stale(node)
    return infer.call(callee.function, [*callee.arguments, *arguments], {**callee.named, **named})


def compiles_already(infer: Inference, callee: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    """`ms.jit` of a function within a compiled one: it is compiled with it, so it stays as it is."""
    named_function = named.get("function", named.get("fn"))
    return [*arguments, named_function or constant(_Same())][0]
