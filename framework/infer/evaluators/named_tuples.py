"""Evaluators that make named tuples and `ParameterTuple`s, and refuse to make Parameters and initializers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from framework.common import initializer as initializers
from framework.common.initializer import initializer
from framework.common.parameter import Parameter as Weight
from framework.common.parameter import ParameterTuple
from framework.infer.evaluators.inference import Inference
from framework.infer.evaluators.python_operators import apply
from framework.infer.evaluators.registry import register
from framework.ir.abstract import AbstractTuple
from framework.ir.anf import CNode, Node, Parameter, ValueNode
from framework.ir.errors import RuntimeRefusalError
from framework.ir.python_ops import op

__all__ = ["is_named_tuple", "make_named_tuple"]


def is_named_tuple(kind: Any) -> bool:
    """Whether an object is a class that `namedtuple` or `typing.NamedTuple` made."""
    return isinstance(kind, type) and issubclass(kind, tuple) and hasattr(kind, "_fields")


def make_named_tuple(infer: Inference, kind: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    """A named tuple of values of the program.

    Args:
        infer: the inference.
        kind: the class of the tuple.
        arguments: the first fields.
        named: other fields by name.
    """
    fields: tuple[str, ...] = kind._fields
    given = dict(zip(fields, arguments, strict=False))
    wrong = [name for name in named if name in given or name not in fields]
    if len(arguments) > len(fields) or wrong:
        trouble = f"has no further field for {wrong[0]!r}" if wrong else f"has {len(fields)} fields"
        raise infer.program.error(f"{kind.__name__}() {trouble}: its fields are {', '.join(fields)}")
    given.update(named)
    for name, value in kind._field_defaults.items():
        given.setdefault(name, infer.build.of_value(value))
    missing = [name for name in fields if name not in given]
    if missing:
        raise infer.program.error(f"{kind.__name__}() lacks a value for {', '.join(missing)}")
    made = infer.build.make_tuple([given[name] for name in fields])
    assert isinstance(made, CNode | ValueNode) and isinstance(made.abstract, AbstractTuple)  # noqa: S101, PT018
    if isinstance(made, ValueNode):
        made.value = kind(*made.value)
    made.abstract = replace(made.abstract, kind=kind)
    return made


@register(ParameterTuple)
def _parameter_tuple(infer: Inference, callee: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    items = infer.build.items(apply(infer, op("as_tuple"), [*arguments, *named.values()]))
    for item in items:
        if not isinstance(item, Parameter) or not isinstance(item.default, Weight):
            raise infer.program.error(f"a ParameterTuple holds Parameters, not {item.abstract}")
    return infer.build.make_tuple(items)


@register(Weight)
def _new_weight(infer: Inference, callee: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    raise infer.program.error(
        "a compiled function cannot make a Parameter, which would be the same one in each call: make it in __init__"
    )


@register(
    initializer,
    *(
        kind
        for kind in (getattr(initializers, name) for name in initializers.__all__)
        if isinstance(kind, type) and issubclass(kind, initializers.Initializer)
    ),
)
def _initializer(infer: Inference, callee: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    raise infer.program.error(
        f"a compiled function cannot use {callee.__name__}, which would draw its numbers once, while compiling: make "
        "the tensor in __init__, or use an operator such as ops.ones or ops.standard_normal",
        RuntimeRefusalError,
    )
