"""ATen operators as the debugger sees them: what holds for all executions of one, and one that was executed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from debugging.steps.stepper import Line
from mindinsight.torch.names import KEEPING, SILENT, UNWRITTEN, type_of

__all__ = ["AtenExecution", "AtenOperator", "Known", "known_of"]

#: Arguments that operators write although their declaration does not say so.
_WRITTEN_SILENTLY: Final = frozenset({"running_mean", "running_var"})


@dataclass(slots=True)
class AtenOperator:
    """An ATen operator; see `debugging.executions.Operator`.

    Attributes:
        name: Its type.
        attrs: Its arguments that are no tensors, by name.
    """

    name: str
    attrs: Mapping[str, Any] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class AtenExecution:
    """An ATen operator that was executed; see `debugging.executions.Execution`."""

    full_name: str
    primitive: AtenOperator
    inputs: tuple[Any, ...]
    outputs: Any
    location: Line | None
    iteration: int = 0

    @property
    def members(self) -> tuple[str, ...]:
        """Its own name."""
        return (self.full_name,)


@dataclass(frozen=True, slots=True)
class Known:
    """What holds for all executions of an operator.

    Attributes:
        kind: Its type.
        arguments: The names of its arguments.
        is_silent: Whether it gives another name to a tensor, and no new numbers.
        keeps: Whether autograd may keep a gradient by it.
        is_unwritten: Whether its result was never written.
        writes: The places of the arguments that it declares to write.
        overwrites: The places of all arguments that it writes.
        is_view: Whether it returns a view of its first argument.
    """

    kind: str
    arguments: tuple[str, ...]
    is_silent: bool
    keeps: bool
    is_unwritten: bool
    writes: tuple[int, ...]
    overwrites: tuple[int, ...]
    is_view: bool


#: By the ids of operators, beside which these stay what they are: their own hash takes longer.
_known: Final[dict[int, tuple[Any, Known]]] = {}


def known_of(func: Any) -> Known:
    """What holds for an operator."""
    found = _known.get(id(func))
    if found is None:
        found = _known[id(func)] = func, _described(func)
    return found[1]


def _described(func: Any) -> Known:
    schema = func._schema
    operator = schema.name.partition("::")[2]
    writes = [
        place
        for place, argument in enumerate(schema.arguments)
        if argument.alias_info is not None and argument.alias_info.is_write
    ]
    silently = [
        place
        for place, argument in enumerate(schema.arguments)
        if argument.name in _WRITTEN_SILENTLY and place not in writes and not operator.endswith("backward")
    ]
    return Known(
        kind=type_of(operator),
        arguments=tuple(argument.name for argument in schema.arguments),
        is_silent=operator in SILENT,
        keeps=operator in KEEPING,
        is_unwritten=operator in UNWRITTEN,
        writes=tuple(writes),
        overwrites=(*writes, *silently),
        is_view=any(made.alias_info is not None and not made.alias_info.is_write for made in schema.returns),
    )
