"""The interface of inference for evaluators: its state, and a function that infers a call."""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from framework.common.dtype import DType
from framework.common.seed import position
from framework.infer.evaluators import purity
from framework.infer.state.builder import Builder
from framework.infer.state.flow import FlowState
from framework.infer.values import carried, is_known, value_of
from framework.ir.abstract import UNKNOWN, Abstract, AbstractDict, AbstractTensor, AbstractTuple
from framework.ir.anf import CNode, Location, Node
from framework.ir.errors import GraphError, InferenceError, PythonOnlyError, refusal_of
from framework.ops.constexpr import is_constexpr, takes_gaps
from framework.ops.primitive import Primitive

__all__ = ["Call", "Inference"]

Call = Callable[[Node, Sequence[Node], Mapping[str, Node]], Node]
"""From a callee and its arguments, by position and by name, to the result."""


class Inference:
    """The state of inference for evaluators. It hides how functions and blocks are followed.

    Args:
        build: makes nodes of the residual program.
        flow: the paths that are being followed.
        call: infers the call of a value.

    Attributes:
        program: the residual program.
        mutations: which values are stale.
        compute_type: the type that the current Cell computes with (`Cell.to_float`), if it sets one.
    """

    def __init__(self, build: Builder, flow: FlowState, call: Call) -> None:
        self.build = build
        self.flow = flow
        self.call = call
        self.program = build.program
        self.mutations = build.mutations
        self.compute_type: DType | None = None

    def not_stale(self, node: Node, *, whole: bool = True) -> None:
        """Raise an error for a value that was changed through another name."""
        self.not_outdated(node)
        since = self.mutations.since(node, whole=whole)
        if since is False:
            return
        line = f"line {since.line}" if isinstance(since, Location) else "another line"
        raise self.program.error(
            f"{line} changes this {_kind(node.abstract)} through another name; a compiled program would not see the "
            "change. Use one name for it, or change a copy"
        )

    def not_outdated(self, node: Node) -> None:
        """Raise an error for a function, or its items, if a variable that it captured was set afterwards."""
        found = self.mutations.outdated(node)
        if found is None:
            return
        name, since = found
        line = f"line {since.line}" if since is not None else "another line"
        raise self.program.error(
            f"{line} sets '{name}' after this function was made; a compiled function would not see the new value: "
            f"pass {name} as an argument, or keep the old value as a default: {name}={name}"
        )

    def changed(self, node: Node) -> None:
        """Note that a statement changes a value in place.

        Raises:
            InferenceError: the value belongs to code outside of the program, which would not see the change. If it
                is the caller, Python can run the function line by line.
        """
        owner = self.mutations.owner(node)
        if owner is not None:
            raise self.program.error(
                f"this {_kind(node.abstract)} belongs to {owner}, which would not see a compiled change:"
                " change a copy and return it",
                PythonOnlyError if owner == "the caller" else InferenceError,
            )
        if self.program.is_part and isinstance(node.abstract, AbstractTensor) and not _is_computed(node):
            raise self.program.error("this tensor is changed in place", PythonOnlyError)
        self.mutations.change(node, self.program.location)

    def _refuse_effects(self, function: Callable[..., Any], arguments: Sequence[Node]) -> None:
        """Refuse to call a function once, where other parts of the user's function run in Python in every call."""
        name = getattr(function, "__qualname__", type(function).__qualname__)
        if not (purity.is_pure(function) or is_constexpr(function)):
            raise self.program.error(f"{name}() may have effects and is called in every call", PythonOnlyError)
        if purity.looks_at_kinds(function):
            return
        for node in arguments:
            if is_known(node) and not purity.is_steady(value_of(node)):
                kind = type(value_of(node)).__name__
                raise self.program.error(f"{name}() of this {kind} may differ in every call", PythonOnlyError)

    def evaluate(self, function: Callable[..., Any], arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
        """The result of a Python function that runs now, on known values."""
        if self.program.is_part:
            self._refuse_effects(function, (*arguments, *named.values()))
        of_shapes = takes_gaps(function)
        for argument in (*arguments, *named.values()):
            if not is_known(argument) and not (of_shapes and isinstance(argument.abstract, AbstractTuple)):
                name = getattr(function, "__name__", repr(function))
                raise self.program.error(
                    f"{name}() needs values known at compile time, but got {argument.abstract}: pass a constant",
                    PythonOnlyError,
                )
        before = position()
        try:
            values = [_with_gaps(argument) if of_shapes else value_of(argument) for argument in arguments]
            result = function(*values, **{name: value_of(item) for name, item in named.items()})
        except GraphError:
            raise
        except (TypeError, ValueError, IndexError, KeyError, AttributeError, ZeroDivisionError) as error:
            raise self.program.error(_text_of(error), refusal_of(error)) from error
        if position() != before and not _makes_cell(function):
            raise self.program.error(purity.unsteady(getattr(function, "__qualname__", type(function).__name__)))
        if _hands_out(function):
            return self.build.of_value(result)
        # It was made at compile time, so no code outside of the program has it.
        return carried((*arguments, *named.values()), self.build.of_value(result, owner=None))


def _is_computed(node: Node) -> bool:
    """Whether a tensor is the result of an operator of the program, so that nothing outside has it."""
    return isinstance(node, CNode) and isinstance(node.operator, Primitive) and not node.operator.writes


def _text_of(error: Exception) -> str:
    is_key = isinstance(error, KeyError) and error.args
    return f"there is no key {error}" if is_key else str(error) or type(error).__name__


def _with_gaps(node: Node) -> Any:
    """The value of a node. Unknown numbers in a tuple become None."""
    return value_of(node) if is_known(node) else _gaps_of(node.abstract)


def _gaps_of(abstract: Abstract | None) -> Any:
    if isinstance(abstract, AbstractTuple):
        return tuple(map(_gaps_of, abstract.elements))
    value = getattr(abstract, "value", UNKNOWN)
    return None if value is UNKNOWN else value


def _makes_cell(function: Callable[..., Any]) -> bool:
    """Whether a function is a class of Cells: its random numbers are weights, which last as long as the program."""
    return isinstance(function, type) and hasattr(function, "construct")


def _hands_out(function: Callable[..., Any]) -> bool:
    """Whether a function may return something that belongs to an object, as methods do."""
    owner = getattr(function, "__self__", None)
    return owner is not None and not isinstance(owner, str | bytes | int | float | tuple | types.ModuleType | type)


def _kind(abstract: Abstract | None) -> str:
    if isinstance(abstract, AbstractTuple):
        return "list" if abstract.is_list else "tuple"
    return "dictionary" if isinstance(abstract, AbstractDict) else "tensor"
