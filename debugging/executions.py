"""What a framework says of a step: executed operators, lines of the user's source, and weights."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Protocol

__all__ = ["Execution", "Location", "Operator", "Watcher", "Weight", "calls_to"]


class Location(Protocol):
    """A line of the user's source."""

    @property
    def file(self) -> str:
        """Path of the file."""

    @property
    def line(self) -> int:
        """Number of the line, from 1."""

    @property
    def function(self) -> str:
        """Name of the function around it."""

    @property
    def caller(self) -> Location | None:
        """The place of the call that led there, if it is known."""


def calls_to(location: Location | None) -> Iterator[Location]:
    """A place and the calls that led there, innermost first."""
    while location is not None:
        yield location
        location = location.caller


class Operator(Protocol):
    """An operator, by which rules about causes and colours of the page recognize it."""

    @property
    def name(self) -> str:
        """Its type in MindSpore's words, such as `ReLU`, or the framework's own word if there is none."""

    @property
    def attrs(self) -> Mapping[str, Any]:
        """Its attributes by name."""


class Execution(Protocol):
    """An operator that was executed. Tensors keep their values only until the watcher returns."""

    @property
    def full_name(self) -> str:
        """`scope/Type-opN` (docs/architecture/names.md)."""

    @property
    def iteration(self) -> int:
        """Number of its earlier executions within the step."""

    @property
    def primitive(self) -> Operator:
        """The operator."""

    @property
    def inputs(self) -> tuple[Any, ...]:
        """Its inputs: tensors, tuples of tensors and Python values."""

    @property
    def outputs(self) -> Any:
        """A tensor, or a tuple of tensors."""

    @property
    def members(self) -> tuple[str, ...]:
        """Full names of all operators whose work it does, its own first."""

    @property
    def location(self) -> Location | None:
        """The user's line, if it is known."""


Watcher = Callable[[Execution], None]
"""Called with each executed operator, in the training's thread."""


class Weight(Protocol):
    """A named tensor that lasts from step to step: a weight, or a part of an optimizer's state."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def array(self) -> Any:
        """Its current elements, as the framework's array. They stay as they are when the training goes on."""

    @property
    def current(self) -> Any:
        """Its current elements, in its own memory if possible. They may change when the training goes on."""
