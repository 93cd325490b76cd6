"""PyNative mode during a capture: each call of an operator, and of its gradient, becomes a slice (`framework.tracing`).

The calls stay what they are, the generated ones and machine code included. `install` registers this. While a tap
observes (`framework.observe`), its own calls run, and these are not captured.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from threading import get_ident
from time import perf_counter_ns
from typing import Any, cast

from framework.common.tensor import Tensor
from framework.observe import is_watched
from framework.ops.calls import unwrap_calls, wrap_calls
from framework.ops.primitive import Primitive
from framework.ops.tensor_operators import as_written
from framework.pynative.backward import is_differentiable, set_shortcut
from framework.pynative.fast.array_pass import backward_on_arrays, pull_on_tensors
from framework.pynative.fast.operators import OWN, PRIMITIVES
from framework.pynative.places import user_frame
from framework.pynative.tape import Add, Tape
from framework.tracing import RECORDER, when_captured

__all__ = ["install"]


def _noted(original: Callable[..., Any]) -> Callable[..., Any]:
    """The call of a class of primitives, noted."""
    note = RECORDER.slices.append
    sites: dict[str, int] = {}

    def call(self: Primitive, *inputs: Any, **named: Any) -> Any:
        began = perf_counter_ns()
        try:
            return original(self, *inputs, **named)
        finally:
            ended = perf_counter_ns()
            site = None if RECORDER.with_lines else sites.get(self.name)
            if site is None:
                site = sites[self.name] = RECORDER.known_site("operator", self.name, (self,), _line())
            note((site, began, ended, get_ident()))

    return call


def _noted_operator(original: Callable[..., Any], primitive: Primitive) -> Callable[..., Any]:
    """One of Python's operators on tensors, noted."""
    call = _noted(lambda primitive, *inputs: original(*inputs))

    def operator(self: Tensor, other: Any) -> Any:
        return call(primitive, self, other)

    # Graph mode reads the definition by primitives.
    operator.__wrapped__ = as_written(original)  # type: ignore[attr-defined]
    return operator


def _line() -> str:
    """The user's line, where it is asked for."""
    if not RECORDER.with_lines:
        return ""
    frame = user_frame(sys._getframe(2))
    return "" if frame is None else f"{frame.f_code.co_filename}:{frame.f_lineno}"


class _NotedEntry:
    """Stands for the primitive of an entry of the tape, and notes its gradient."""

    __slots__ = ("number", "primitive", "tape")

    def __init__(self, primitive: Primitive, number: int, tape: Tape) -> None:
        self.primitive, self.number, self.tape = primitive, number, tape

    def pull(self, entry: tuple[Any, ...], gradient: Any, gradients: list[Any], first: int, add: Add) -> bool:
        """The gradients of the inputs; see `framework.ops.calls.Pull`."""
        primitive = self.primitive
        began = perf_counter_ns()
        try:
            try:
                done = primitive.pull((primitive, *entry[1:]), gradient, gradients, first, add)
            except (AttributeError, IndexError, TypeError, ValueError):
                done = False
            if not done and is_differentiable(primitive, entry[-1]):
                pull_on_tensors(self.tape, self.number, gradient, gradients, first, add)
            return True
        finally:
            site = RECORDER.known_site("backward", f"{primitive.name} backward", (primitive,))
            RECORDER.slices.append((site, began, perf_counter_ns(), get_ident()))


class _NotedTape:
    """The tape with noted entries."""

    def __init__(self, tape: Tape) -> None:
        self._tape = tape
        self.first = tape.first
        self.entry = tape.entry
        self.entries = [
            (_NotedEntry(entry[0], number, tape), *entry[1:]) if isinstance(entry[0], Primitive) else entry
            for number, entry in enumerate(tape.entries, tape.first + 1)
        ]

    @property
    def depth(self) -> int:
        """How many gradients are being taken."""
        return self._tape.depth


def _backward(
    tape: Tape, seeds: list[tuple[int, Tensor]], variables: list[int], add: Add
) -> list[Tensor | None]:  # fmt: skip
    return backward_on_arrays(cast("Tape", _NotedTape(tape)), seeds, variables, add)


def _begin() -> None:
    if is_watched():
        return
    wrap_calls(_noted)
    for name, function in OWN.items():
        setattr(Tensor, name, _noted_operator(function, PRIMITIVES[name]))
    set_shortcut(_backward)


def _end() -> None:
    set_shortcut(backward_on_arrays)
    if is_watched():
        return
    unwrap_calls()
    for name, function in OWN.items():
        setattr(Tensor, name, function)


def install() -> None:
    """Note operators and gradients while a capture is on."""
    when_captured(_begin, _end)
