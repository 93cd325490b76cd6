"""What functions that take or give functions mean in a compiled program: `functools`, `ms.jit` within one."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from framework.infer import builtins
from framework.infer.values import constant
from framework.ir.anf import Node

if TYPE_CHECKING:
    from framework.infer.calls import Calls

__all__ = ["compiles_already"]


@builtins.register(functools.reduce)
def _reduce(calls: Calls, callee: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    items = [*arguments[2:], *builtins.elements(calls, arguments[1])]
    if not items:
        raise calls.program.error("reduce() of an empty sequence needs a value to begin with")
    result = items[0]
    for item in items[1:]:
        result = calls.call(arguments[0], [result, item], {})
    return result


class _Same:
    """What `functools.wraps(function)` gives: what is wrapped keeps what it does, and names do not matter here."""

    def __call__(self) -> None:
        """Called by inference only."""


@builtins.register(functools.wraps)
def _wraps(calls: Calls, callee: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    return constant(_Same())


@builtins.register_kind(_Same)
def _same(calls: Calls, callee: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    return arguments[0]


class _Partial:
    """A function of the program, or one with arguments of the program, and those arguments."""

    def __init__(self, function: Node, arguments: Sequence[Node], named: Mapping[str, Node]) -> None:
        self.function = function
        self.arguments = list(arguments)
        self.named = dict(named)

    def __call__(self) -> None:
        """Called by inference only."""


@builtins.register(functools.partial)
def _partial(calls: Calls, callee: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    if not arguments:
        raise calls.program.error("partial() needs a function")
    return constant(_Partial(arguments[0], arguments[1:], named))


@builtins.register_kind(_Partial)
def _completed(calls: Calls, callee: _Partial, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    for node in (*callee.arguments, *callee.named.values()):
        calls.not_stale(node)
    return calls.call(callee.function, [*callee.arguments, *arguments], {**callee.named, **named})


def compiles_already(calls: Calls, callee: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    """`ms.jit` of a function within a compiled one, which is compiled with it."""
    return arguments[0] if arguments else constant(_Same())
