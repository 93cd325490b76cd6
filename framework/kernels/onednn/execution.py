"""Runs primitives of oneDNN on numpy arrays, with reorders to and from the layouts that primitives want.

A `Program` is one primitive with the reorders around it, prepared once for its shapes. All programs share one piece of
memory for intermediate data. They run one after the other, each on all the threads that it was prepared for.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from ctypes import Array as CArray
from ctypes import Structure, c_int64, c_void_p, cast
from dataclasses import dataclass
from typing import Final

import numpy as np

from framework.kernels.onednn.library import Argument, OneDNN, OneDNNError

__all__ = ["LOCK", "Operand", "Program"]

# Numbers of dnnl_types.h: arguments of primitives, and what is asked of their descriptions.
_FROM, _TO, _SCRATCHPAD = 1, 17, 80
_SCRATCHPAD_MD: Final = 136
_ALIGNMENT: Final = 64

Prepared = tuple[c_void_p, int, CArray[Argument]]
"""A primitive with the number of its arguments and the arguments."""

LOCK: Final = threading.Lock()
"""Held while a program is made or runs."""


class _Arena:
    """The memory that all programs share; it grows to the size that the largest of them needs."""

    def __init__(self) -> None:
        self._block = np.empty(0, np.uint8)
        self.address = 0
        self._nbytes = 0

    def reserve(self, nbytes: int) -> int:
        """The address of a number of aligned bytes."""
        if nbytes > self._nbytes:
            self._block = np.empty(nbytes + _ALIGNMENT, np.uint8)
            self.address = -(-self._block.ctypes.data // _ALIGNMENT) * _ALIGNMENT
            self._nbytes = nbytes
        return self.address


_arena: Final = _Arena()


@dataclass(frozen=True, slots=True)
class Operand:
    """An argument of a primitive.

    Attributes:
        argument: the number of the argument in `dnnl_types.h`.
        plain: the description of the caller's array.
        asked: the query that gives the layout that the primitive wants.

    """

    argument: int
    plain: c_void_p
    asked: int


class _Step(Structure):
    """`struct primitive_step`."""

    _fields_ = (("primitive", c_void_p), ("count", c_int64), ("arguments", c_void_p))


class _Machine(Structure):
    """`struct primitive_program`."""

    _fields_ = (
        *((name, c_void_p) for name in ("point", "execute", "set_threads", "stream")),
        *((name, c_void_p) for name in ("outside", "inside", "offset", "step")),
        *((name, c_int64) for name in ("insides", "steps", "threads", "busy")),
    )


class Program:
    """A primitive with the reorders around it.

    Args:
        library: oneDNN.
        description: the description of the primitive.
        inputs: its inputs, in the order of a call's arguments.
        output: its output.
        threads: the number of threads.

    Raises:
        OneDNNError: something cannot be made.

    """

    def __init__(
        self, library: OneDNN, description: c_void_p, inputs: Sequence[Operand], output: Operand, threads: int
    ) -> None:
        self._library, self._threads = library, threads
        self._outside: list[c_void_p] = []
        #: Memories between, and where in the arena they are.
        self._inside: list[tuple[c_void_p, int]] = []
        self._nbytes, self._base = 0, -1
        before: list[Prepared] = []
        arguments: list[tuple[int, c_void_p]] = []
        for operand in inputs:
            arguments.append((operand.argument, self._input(description, operand, before)))
        after: list[Prepared] = []
        arguments.append((output.argument, self._output(description, output, after)))
        scratchpad = library.query(description, _SCRATCHPAD_MD)
        if library.nbytes(scratchpad):
            arguments.append((_SCRATCHPAD, self._between(scratchpad)))
        self._steps = [*before, _step(library.make("primitive_create", description), arguments), *after]

    def __call__(self, *addresses: int) -> None:
        """Runs the program; hold `LOCK`.

        Args:
            addresses: of the inputs in their order, and of the output.

        Raises:
            OneDNNError: oneDNN failed.

        """
        library = self._library
        point, execute, stream = library.point, library.execute, library.stream
        for memory, address in zip(self._outside, addresses, strict=True):
            point(memory, address)
        base = _arena.reserve(self._nbytes)
        if base != self._base:
            self._base = base
            for memory, offset in self._inside:
                point(memory, base + offset)
        library.set_threads(self._threads)
        for primitive, count, arguments in self._steps:
            status = execute(primitive, stream, count, arguments)
            if status:
                raise OneDNNError(f"dnnl_primitive_execute returned {status}")

    @property
    def nbytes(self) -> int:
        """The memory that it needs between its primitives."""
        return self._nbytes

    def for_machine_code(self) -> tuple[Structure, list[object]]:
        """The program as `struct primitive_program` of loops/primitives.h, and the objects that must live as long."""
        library = self._library
        steps = (_Step * len(self._steps))(
            *(_Step(primitive.value, count, cast(given, c_void_p).value) for primitive, count, given in self._steps)
        )
        outside = (c_void_p * len(self._outside))(*(memory.value for memory in self._outside))
        inside = (c_void_p * len(self._inside))(*(memory.value for memory, _ in self._inside))
        offsets = (c_int64 * len(self._inside))(*(offset for _, offset in self._inside))
        calls = (cast(called, c_void_p) for called in (library.point, library.execute, library.set_threads))
        program = _Machine(
            *calls, library.stream, *(cast(item, c_void_p) for item in (outside, inside, offsets, steps)),
            *(len(self._inside), len(self._steps), self._threads, 0),
        )  # fmt: skip
        return program, [self, steps, outside, inside, offsets]

    def _input(self, description: c_void_p, operand: Operand, before: list[Prepared]) -> c_void_p:
        """The memory that the primitive reads."""
        given = self._given(operand)
        wanted = self._library.query(description, operand.asked)
        if self._library.are_equal(wanted, operand.plain):
            return given
        inside = self._between(wanted)
        before.append(self._reorder(operand.plain, given, wanted, inside))
        return inside

    def _output(self, description: c_void_p, operand: Operand, after: list[Prepared]) -> c_void_p:
        """The memory that the primitive writes."""
        given = self._given(operand)
        made = self._library.query(description, operand.asked)
        if self._library.are_equal(made, operand.plain):
            return given
        inside = self._between(made)
        after.append(self._reorder(made, inside, operand.plain, given))
        return inside

    def _given(self, operand: Operand) -> c_void_p:
        memory = self._memory(operand.plain)
        self._outside.append(memory)
        return memory

    def _between(self, description: c_void_p) -> c_void_p:
        memory = self._memory(description)
        self._inside.append((memory, self._nbytes))
        self._nbytes += -(-self._library.nbytes(description) // _ALIGNMENT) * _ALIGNMENT
        return memory

    def _memory(self, description: c_void_p) -> c_void_p:
        return self._library.make("memory_create", description, self._library.engine, None)

    def _reorder(self, source: c_void_p, read: c_void_p, target: c_void_p, written: c_void_p) -> Prepared:
        library = self._library
        description = library.make(
            "reorder_primitive_desc_create", source, library.engine, target, library.engine, library.with_scratchpad
        )
        arguments = [(_FROM, read), (_TO, written)]
        scratchpad = library.query(description, _SCRATCHPAD_MD)
        if library.nbytes(scratchpad):
            arguments.append((_SCRATCHPAD, self._between(scratchpad)))
        return _step(library.make("primitive_create", description), arguments)


def _step(primitive: c_void_p, arguments: Sequence[tuple[int, c_void_p]]) -> Prepared:
    """What `dnnl_primitive_execute` is given."""
    return primitive, len(arguments), (Argument * len(arguments))(*(Argument(n, m.value) for n, m in arguments))
