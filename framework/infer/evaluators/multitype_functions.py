"""Evaluators of functions that are chosen by the types of their arguments: the chosen function is called."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from framework.infer.evaluators.builtins import python_type
from framework.infer.evaluators.inference import Inference
from framework.infer.evaluators.registry import register, register_kind
from framework.infer.values import constant
from framework.ir.anf import Node
from framework.ops.multitype import HyperMap, Map, MultitypeFuncGraph, hyper_mapped, mapped

__all__: list[str] = []


@register_kind(MultitypeFuncGraph)
def _chosen(infer: Inference, callee: MultitypeFuncGraph, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    try:
        function = callee.function_for(tuple(map(python_type, arguments)))
    except TypeError as error:
        raise infer.program.error(str(error)) from None
    return infer.call(constant(function), arguments, named)


class _Mapping:
    """A `HyperMap` or `Map` of a function of the program; called by inference only."""

    def __init__(self, kind: type[HyperMap], function: Node) -> None:
        self.run = mapped if issubclass(kind, Map) else hyper_mapped
        self.function = function

    def __call__(self) -> None:
        """Called by inference only."""


@register(HyperMap, Map)
def _made(infer: Inference, callee: type[HyperMap], arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    function = named.get("ops") or (arguments[0] if arguments else None)
    return constant(callee() if function is None else _Mapping(callee, function))


@register_kind(_Mapping)
def _mapped(infer: Inference, callee: _Mapping, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    return infer.call(constant(callee.run), [callee.function, infer.build.make_tuple(list(arguments))], {})
