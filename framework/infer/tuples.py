"""What making a named tuple or a `ParameterTuple` means in a compiled program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from framework.common.parameter import Parameter as Weight
from framework.common.parameter import ParameterTuple
from framework.infer import builtins, python
from framework.ir.abstract import AbstractTuple
from framework.ir.anf import CNode, Node, Parameter, ValueNode
from framework.ir.python_ops import op

if TYPE_CHECKING:
    from framework.infer.calls import Calls

__all__ = ["is_named_tuple", "make_named_tuple"]


def is_named_tuple(kind: Any) -> bool:
    """Whether an object is a class that `namedtuple` or `typing.NamedTuple` made."""
    return isinstance(kind, type) and issubclass(kind, tuple) and hasattr(kind, "_fields")


def make_named_tuple(calls: Calls, kind: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    """A named tuple of values of the program.

    Args:
        calls: makes nodes.
        kind: its class.
        arguments: its first fields.
        named: others, by name.
    """
    fields: tuple[str, ...] = kind._fields
    given = dict(zip(fields, arguments, strict=False))
    wrong = [name for name in named if name in given or name not in fields]
    if len(arguments) > len(fields) or wrong:
        trouble = f"has no further field for {wrong[0]!r}" if wrong else f"has {len(fields)} fields"
        raise calls.program.error(f"{kind.__name__}() {trouble}: its fields are {', '.join(fields)}")
    given.update(named)
    for name, value in kind._field_defaults.items():
        given.setdefault(name, calls.of_value(value))
    missing = [name for name in fields if name not in given]
    if missing:
        raise calls.program.error(f"{kind.__name__}() lacks a value for {', '.join(missing)}")
    made = calls.make_tuple([given[name] for name in fields])
    assert isinstance(made, CNode | ValueNode) and isinstance(made.abstract, AbstractTuple)  # noqa: S101, PT018
    if isinstance(made, ValueNode):
        made.value = kind(*made.value)
    made.abstract = replace(made.abstract, kind=kind)
    return made


@builtins.register(ParameterTuple)
def _parameter_tuple(calls: Calls, callee: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    items = calls.items(python.apply(calls, op("as_tuple"), [*arguments, *named.values()]))
    for item in items:
        if not isinstance(item, Parameter) or not isinstance(item.default, Weight):
            raise calls.program.error(f"a ParameterTuple holds Parameters, not {item.abstract}")
    return calls.make_tuple(items)
