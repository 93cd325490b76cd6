"""The tape (Wengert list): what was executed since a gradient began, in order, each entry one plain tuple.

A tensor carries the number of the entry that made it. While no gradient is being taken, every number counts as old and
nothing is recorded; the entries hold values and not variables, so that a later assignment to a tensor changes nothing.

Reverse mode by a list of executed operations: Griewank and Walther, Evaluating Derivatives, 2008, chapter 3.
"""

from __future__ import annotations

import ctypes
import sys
import threading
from collections.abc import Callable
from typing import Any, Final

from framework.common.device import Array
from framework.common.tensor import Tensor, from_array
from framework.communication.rank_state import add_rank_state

__all__ = ["Add", "Entry", "Parents", "Tape", "tape"]

#: More than any number of an entry: no tensor is active.
IDLE: Final = sys.maxsize

#: An entry: the operator, the number of each input (0: not active; a list for a tuple of tensors), the value of each,
#: and the output; one tuple, because several take as long to make as an addition. In place of the operator stands None
#: for a variable that a gradient is taken by (its input is what stood there before), or an int for one output of
#: several (its input is the entry that made them); these have no values. In front of the output stands one item more,
#: None, where the call was not what generated code takes for granted: tensors of one element type, or one and a number.
Entry = tuple[Any, ...]
Parents = tuple[int | list[int], ...]
"""Per input the number of its entry, 0 for what is no tensor, a list for a tuple of tensors."""
Add = Callable[[Tensor, Tensor], Tensor]
"""The sum of two gradients: an operator, so that it can itself be recorded."""


class Tape:
    """Entries are numbered from `first + 1` on, and numbers are never used again."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        #: Tensors with larger numbers are active: they depend on a variable that a gradient is being taken by.
        self.base = IDLE
        #: The same for machine code.
        self.active_from = ctypes.c_int64(IDLE)
        self.first = 0
        #: How many gradients are being taken, one inside the other.
        self.depth = 0
        #: What is called with the gradient by the output of an entry, by its number.
        self.hooks: dict[int, list[Callable[..., Any]]] = {}
        #: The same for tensors that were not computed while a gradient was taken, by their ids.
        self.kept_hooks: dict[int, list[Callable[..., Any]]] = {}
        #: Gradients of several threads take turns.
        self.lock = threading.RLock()
        self._watchers: list[dict[str, Any]] = []
        add_rank_state(self)

    def new(self) -> object:
        """The state of a tape on which nothing is recorded: each rank of an in-process group has its own."""
        return (), IDLE, self.first, 0, {}, {}, threading.RLock()

    def take(self) -> object:
        """What is recorded now, for `put`."""
        return (
            tuple(self.entries), self.base, self.first, self.depth, dict(self.hooks), dict(self.kept_hooks), self.lock,
        )  # fmt: skip

    def put(self, state: Any) -> None:
        """Go on with what was recorded at `take`."""
        self.entries[:], base, self.first, self.depth, hooks, kept_hooks, self.lock = state
        for present, taken in ((self.hooks, hooks), (self.kept_hooks, kept_hooks)):
            present.clear()
            present.update(taken)
        self._set_base(base)

    def share_base(self, namespace: dict[str, Any]) -> None:
        """Keep `namespace["base"]` equal to `base`, with the entries beside it: generated code records there."""
        self._watchers.append(namespace)
        namespace.update(base=self.base, entries=self.entries, append=self.entries.append)

    def begin(self) -> int:
        """Enter a gradient; returns the number of the last entry before it."""
        if self.depth == 0:
            self._set_base(self.first)
        self.depth += 1
        return self.first + len(self.entries)

    def end(self) -> None:
        """Leave a gradient; with the outermost one the entries are forgotten."""
        self.depth -= 1
        if self.depth == 0:
            self.first += len(self.entries)
            self.entries.clear()
            self.hooks.clear()
            self._set_base(IDLE)

    def _set_base(self, base: int) -> None:
        self.base = self.active_from.value = base
        for namespace in self._watchers:
            namespace["base"] = base

    def record(self, operator: object, parents: Parents, values: tuple[Any, ...], out: object) -> int:
        """Append an entry of any kind; returns its number."""
        self.entries.append((operator, *parents, *(values or (None,)), None, out))
        return self.first + len(self.entries)

    def entry(self, number: int) -> tuple[Any, tuple[Any, ...], tuple[Any, ...], Any]:
        """The entry with this number: its operator, the numbers of the inputs, their values and the output."""
        operator, *inputs, out = self.entries[number - self.first - 1]
        count = len(inputs) // 2
        return operator, tuple(inputs[:count]), tuple(inputs[count : 2 * count]), out

    def is_active(self, number: int | list[int]) -> bool:
        """Whether a number, or one in a list of them, belongs to what gradients are being taken by."""
        if isinstance(number, list):
            return any(self.is_active(item) for item in number)
        return number > self.base

    def variable(self, tensor: Tensor) -> int:
        """Record that a gradient is taken by this tensor; returns the number that it is to carry."""
        parent = tensor._node if tensor._node > self.base else 0
        number = self.record(None, (parent,), (), tensor._data)
        if self.kept_hooks and id(tensor) in self.kept_hooks:
            self.hooks[number] = self.kept_hooks[id(tensor)]
        return number

    def result(
        self, operator: object, parents: Parents, values: tuple[Any, ...], out: Array | tuple[Array, ...]
    ) -> Tensor | tuple[Tensor, ...]:
        """Record an execution and return its output as a tensor, or a tuple of them.

        Args:
            operator: anything that `framework.pynative.backward` finds a backward function for.
            parents: per input the number of its entry, 0 for what is no tensor, a list for a tuple of tensors.
            values: per input its array or value.
            out: the output's array, or a tuple of arrays.

        """
        number = self.record(operator, parents, values, out)
        if not isinstance(out, tuple):
            return from_array(out, number)
        return tuple(from_array(item, self.record(index, (number,), (), item)) for index, item in enumerate(out))


tape: Final = Tape()
