"""Parameters that a caller passes to a function which also changes them through its Cell.

Such an argument and the Cell's Parameter are one object, so a compiled program must see a change of one in the other.
The function is compiled with the Parameter itself as the argument. `compiled.py` asks this before it runs a program.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import TYPE_CHECKING

from framework.common.parameter import Parameter
from framework.engine.arguments import abstract_of_argument, cache_key
from framework.ir.abstract import Abstract
from framework.ir.errors import RuntimeRefusalError
from framework.ir.operators import abstract_of

if TYPE_CHECKING:
    from framework.engine.compiler import CompiledProgram

__all__ = ["OwnWeights", "check_names"]


def check_names(weights: Iterable[object], title: str) -> None:
    """Refuse two Parameters with one name in one compiled program, as MindSpore does.

    Args:
        weights: the values that the program reads, some of them Parameters. Those that were given no name do not count.
        title: the name of the function.

    Raises:
        RuntimeRefusalError: two different Parameters have the same name. It is a ValueError and a RuntimeError.
    """
    first: dict[str, Parameter] = {}
    for weight in weights:
        if isinstance(weight, Parameter) and weight.named and first.setdefault(weight.name, weight) is not weight:
            raise RuntimeRefusalError(
                f"{title} cannot be compiled with {weight}, its name '{weight.name}' already exists. Give it another "
                "name, or call update_parameters_name(prefix) of its Cell"
            )


class OwnWeights:
    """The Parameters that a compiled function takes as arguments and changes."""

    def __init__(self) -> None:
        self._by_identity: dict[int, Parameter] = {}

    def are_passed(self, program: CompiledProgram, args: Sequence[object]) -> bool:
        """Whether a program takes Parameters that it also changes; they are passed as themselves from now on.

        Args:
            program: the program for these arguments.
            args: the arguments by position.
        """
        passed = self._new(args)
        return (
            bool(passed) and not program.is_pure and self.take([item for item in program.weights if id(item) in passed])
        )

    def take(self, args: Sequence[object]) -> bool:
        """Pass all Parameters among the arguments as themselves from now on; whether there are new ones.

        A function that changes an argument, such as `ops.assign_add(x, 1)`, compiles for Parameters alone.
        """
        found = self._new(args)
        self._by_identity |= found
        return bool(found)

    def _new(self, args: Iterable[object]) -> dict[int, Parameter]:
        """The Parameters among some values that are not passed as themselves yet, by identity."""
        return {id(item): item for item in args if isinstance(item, Parameter) and id(item) not in self._by_identity}

    def abstract_of(self, item: object) -> Abstract:
        """The abstract value of an argument: the Parameter itself where the function changes it."""
        return abstract_of(item) if id(item) in self._by_identity else abstract_of_argument(item)

    def cache_key(self, item: object) -> Hashable:
        """The cache key of an argument."""
        return ("Parameter", id(item)) if id(item) in self._by_identity else cache_key(item)
