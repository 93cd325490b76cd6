"""Evaluators of functions that take or return functions: `functools`, and `ms.jit` within a compiled function."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

from framework.common.mutable import mutable
from framework.infer.evaluators.inference import Inference
from framework.infer.evaluators.python_operators import elements
from framework.infer.evaluators.registry import register, register_kind
from framework.infer.values import as_variable, constant, is_dynamic, is_known, is_variable, value_of
from framework.ir.abstract import (
    Abstract,
    AbstractConst,
    AbstractDict,
    AbstractScalar,
    AbstractTensor,
    AbstractTuple,
)
from framework.ir.anf import Node
from framework.ir.errors import DynamicLengthError
from framework.ops.control.known_values import (
    is_dynamic_sequence_element_unknown,
    is_sequence_shape_unknown,
    is_sequence_value_unknown,
    isconstant,
)

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


@register(mutable)
def _mutable(infer: Inference, callee: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    if not 1 <= len(arguments) + len(named) <= 2 or named.keys() - {"input_data", "dynamic_len"}:
        raise infer.program.error(
            f"mutable() takes 1 or 2 inputs, and got {len(arguments) + len(named)}", DynamicLengthError
        )
    value, *more = [*arguments, *(named[name] for name in ("input_data", "dynamic_len") if name in named)]
    abstract = value.abstract
    length = value_of(more[0]) if more else False
    if not isinstance(length, bool):
        raise infer.program.error(f"dynamic_len of mutable() should be bool, not {more[0].abstract}")
    if not _may_change(abstract):
        raise infer.program.error(
            f"mutable() takes numbers, tensors, and tuples, lists and dicts of these; {abstract} is none of these, or "
            "contains something else"
        )
    if length and not isinstance(abstract, AbstractTuple):
        raise infer.program.error(f"mutable(dynamic_len=True) takes a tuple or list, not {abstract}")
    if is_dynamic(abstract) and not length:
        raise infer.program.error(
            f"mutable() without dynamic_len=True cannot give {abstract}, whose length may change, a constant length",
            DynamicLengthError,
        )
    made = _variable(infer, value)
    return infer.build.dynamic(made) if length else made


def _may_change(abstract: Abstract | None) -> bool:
    if isinstance(abstract, AbstractTuple | AbstractDict):
        return all(map(_may_change, abstract.elements))
    is_number = isinstance(abstract, AbstractScalar) and abstract.type in (bool, int, float)
    return is_number or isinstance(abstract, AbstractTensor)


def _variable(infer: Inference, node: Node) -> Node:
    """A value all of whose numbers and tensors may change."""
    if isinstance(node.abstract, AbstractTuple):
        items = [_variable(infer, item) for item in infer.build.items(node)]
        return infer.build.make_list(items) if node.abstract.is_list else infer.build.make_tuple(items)
    if isinstance(node.abstract, AbstractDict):
        return infer.build.make_dict({key: _variable(infer, item) for key, item in infer.build.entries(node).items()})
    return as_variable(node)


@register(isconstant)
def _isconstant(infer: Inference, callee: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    (given,) = [*arguments, *named.values()]
    return constant(is_known(given) and not is_variable(given.abstract))


@register(is_sequence_value_unknown, is_sequence_shape_unknown, is_dynamic_sequence_element_unknown)
def _of_sequence(infer: Inference, callee: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    (given,) = [*arguments, *named.values()]
    abstract = given.abstract
    is_range = isinstance(abstract, AbstractConst) and isinstance(abstract.value, range)
    if not isinstance(abstract, AbstractTuple) and not is_range:
        raise infer.program.error(f"{callee.__name__}() takes a tuple or list, not {abstract}")
    is_changing = is_dynamic(abstract) or (is_range and is_variable(abstract))
    if callee is is_sequence_shape_unknown:
        return constant(is_changing)
    if callee is is_sequence_value_unknown:
        return constant(not is_known(given) or is_variable(abstract))
    if not is_changing:
        raise infer.program.error(f"{abstract} should be variable length sequence: mutable(..., dynamic_len=True)")
    return constant(isinstance(abstract, AbstractTuple) and not abstract.elements)


def compiles_already(infer: Inference, callee: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    """`ms.jit` of a function within a compiled one: it is compiled with it, so it stays as it is."""
    named_function = named.get("function", named.get("fn"))
    return [*arguments, named_function or constant(_Same())][0]
