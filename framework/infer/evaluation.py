"""Calls of Python functions while compiling, on values that are known."""

from __future__ import annotations

import types
from collections.abc import Mapping, Sequence
from typing import Any

from framework.common.seed import position
from framework.infer import outside
from framework.infer.nodes import Nodes
from framework.infer.values import is_known, value_of
from framework.ir.abstract import UNKNOWN, Abstract, AbstractTuple
from framework.ir.anf import Node
from framework.ir.errors import GraphError
from framework.ops.constexpr import takes_gaps

__all__ = ["Evaluation"]


class Evaluation(Nodes):
    """Makes constants of what Python functions return."""

    def evaluate(self, function: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
        """The result of a Python function that runs now, on values that are known."""
        of_shapes = takes_gaps(function)
        for argument in (*arguments, *named.values()):
            if not is_known(argument) and not (of_shapes and isinstance(argument.abstract, AbstractTuple)):
                name = getattr(function, "__name__", repr(function))
                raise self.program.error(
                    f"{name}() needs values that are known when compiling, but got {argument.abstract}: pass a constant"
                )
        before = position()
        try:
            values = [_with_gaps(argument) if of_shapes else value_of(argument) for argument in arguments]
            result = function(*values, **{name: value_of(item) for name, item in named.items()})
        except GraphError:
            raise
        except (TypeError, ValueError, IndexError, KeyError, AttributeError, ZeroDivisionError) as error:
            raise self.program.error(str(error) or type(error).__name__) from error
        if position() != before:
            raise self.program.error(outside.unsteady(getattr(function, "__qualname__", type(function).__name__)))
        return self.of_value(result) if _hands_out(function) else self._made(result)

    def _made(self, value: Any) -> Node:
        """An object that was made while compiling, which nobody else has."""
        return self.of_value(value, owner=None)


def _with_gaps(node: Node) -> Any:
    """The value, with None for numbers in a tuple that are not known."""
    return value_of(node) if is_known(node) else _gaps_of(node.abstract)


def _gaps_of(abstract: Abstract | None) -> Any:
    if isinstance(abstract, AbstractTuple):
        return tuple(map(_gaps_of, abstract.elements))
    value = getattr(abstract, "value", UNKNOWN)
    return None if value is UNKNOWN else value


def _hands_out(function: Any) -> bool:
    """Whether what a function returns may belong to somebody, as with the methods of objects."""
    owner = getattr(function, "__self__", None)
    return owner is not None and not isinstance(owner, str | bytes | int | float | tuple | types.ModuleType | type)
