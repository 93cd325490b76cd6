"""What functions that are chosen by the types of their arguments mean in a compiled program: the one that is chosen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from framework.infer import builtins
from framework.infer.values import constant
from framework.ir.anf import Node
from framework.ops.multitype import HyperMap, Map, MultitypeFuncGraph, hyper_mapped, mapped

if TYPE_CHECKING:
    from framework.infer.calls import Calls

__all__: list[str] = []


@builtins.register_kind(MultitypeFuncGraph)
def _chosen(calls: Calls, callee: MultitypeFuncGraph, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    try:
        function = callee.function_for(tuple(map(builtins.python_type, arguments)))
    except TypeError as error:
        raise calls.program.error(str(error)) from None
    return calls.call(constant(function), arguments, named)


class _Mapping:
    """A `HyperMap` or `Map` of a function of the program; called by inference only."""

    def __init__(self, kind: type[HyperMap], function: Node) -> None:
        self.run = mapped if issubclass(kind, Map) else hyper_mapped
        self.function = function

    def __call__(self) -> None:
        """Called by inference only."""


@builtins.register(HyperMap, Map)
def _made(calls: Calls, callee: type[HyperMap], arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    function = named.get("ops") or (arguments[0] if arguments else None)
    return constant(callee() if function is None else _Mapping(callee, function))


@builtins.register_kind(_Mapping)
def _mapped(calls: Calls, callee: _Mapping, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    return calls.call(constant(callee.run), [callee.function, calls.make_tuple(list(arguments))], {})
