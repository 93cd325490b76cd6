"""Traces an operator's kernel into a cluster: runs it once on symbols that record what it does to each element.

So a kernel written for numpy, element by element, becomes machine code that computes the same bits. Parts that depend
on scalars only, such as a step's learning rate, become a small cluster that is computed once before the other. Called
by the lowering of parameter updates.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from framework.kernels.fused import Cluster, Input, Output, Step
from framework.kernels.fused.cluster import ANY

__all__ = ["Array", "NotTracedError", "Symbol", "TracedKernel", "trace"]

_FUNCTIONS: Final = {
    "absolute": "Abs", "add": "Add", "divide": "Div", "maximum": "Maximum", "minimum": "Minimum", "multiply": "Mul",
    "sign": "Sign", "sqrt": "Sqrt", "square": "Square", "subtract": "Sub", "where": "Select",
}  # fmt: skip
"""Those of numpy that have an operator of generated kernels, which computes the same bits."""
_ONE: Final = (1,)


class NotTracedError(Exception):
    """A kernel does something else than arithmetic, element by element, on values of one type."""


@dataclass(frozen=True, slots=True)
class TracedKernel:
    """What a kernel computes.

    Attributes:
        scalar_inputs: which single numbers the first cluster reads.
        scalar_cluster: what is computed of them alone; None where nothing is.
        array_inputs: which arrays the second cluster reads.
        direct_scalars: which single numbers it reads, after these; what the first one writes comes last.
        array_cluster: the rest.
        computed: for each output of the kernel which one of the second cluster it is; None for one that is an input as
            it came.
        passed_through: for each output of the kernel which array it is; None for one that is computed.
    """

    scalar_inputs: tuple[int, ...]
    scalar_cluster: Cluster | None
    array_inputs: tuple[int, ...]
    direct_scalars: tuple[int, ...]
    array_cluster: Cluster
    computed: tuple[int | None, ...]
    passed_through: tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class Array:
    """What is known of an array that a kernel gets.

    Attributes:
        dtype: its element type, numpy's.
        is_scalar: whether it is one number, for all elements of others.
    """

    dtype: Any
    is_scalar: bool


class Symbol:
    """A value within a kernel; the operators of Python make others of it.

    Args:
        trace: where it is recorded.
        number: its place there.
        dtype: its element type, numpy's.
        is_scalar: whether it is one number, not an array.
    """

    # Numbers of numpy leave their operators to the symbol.
    __array_ufunc__ = None
    __slots__ = ("dtype", "is_scalar", "number", "trace")

    def __init__(self, trace: _Trace, number: int, dtype: Any, *, is_scalar: bool) -> None:
        self.trace, self.number, self.dtype, self.is_scalar = trace, number, np.dtype(dtype), is_scalar

    def astype(self, dtype: Any, *, copy: bool = True) -> Symbol:
        """The same, of that type already."""
        if self.dtype != dtype:
            raise NotTracedError
        return self

    def __bool__(self) -> bool:
        """Nobody knows when the program is compiled."""
        raise NotTracedError

    def __neg__(self) -> Symbol:
        """-x."""
        return self.trace.step("Neg", self)


def _operators() -> None:
    def forward(name: str) -> Callable[[Symbol, Any], Symbol]:
        return lambda self, other: self.trace.step(name, self, other)

    def reverse(name: str) -> Callable[[Symbol, Any], Symbol]:
        return lambda self, other: self.trace.step(name, other, self)

    for method, name in (("add", "Add"), ("sub", "Sub"), ("mul", "Mul"), ("truediv", "Div"), ("and", "LogicalAnd")):
        setattr(Symbol, f"__{method}__", forward(name))
        setattr(Symbol, f"__r{method}__", reverse(name))
    for method, name in (("gt", "Greater"), ("ge", "GreaterEqual"), ("lt", "Less"), ("le", "LessEqual")):
        setattr(Symbol, f"__{method}__", forward(name))


_operators()


class _Trace:
    """Records steps; also what kernels take for numpy."""

    def __init__(self) -> None:
        self.symbols: list[Symbol] = []
        #: Of each symbol its step; None for an input.
        self.steps: list[Step | None] = []

    def symbol(self, dtype: Any, step: Step | None, *, is_scalar: bool) -> Symbol:
        """The next one."""
        made = Symbol(self, len(self.symbols), dtype, is_scalar=is_scalar)
        self.symbols.append(made)
        self.steps.append(step)
        return made

    def step(self, name: str, *operands: Any) -> Symbol:
        """What an operator makes of symbols and numbers."""
        symbols = [item for item in operands if isinstance(item, Symbol)]
        compared = symbols[1:] if name == "Select" and isinstance(operands[0], Symbol) else symbols
        dtypes = {item.dtype for item in compared}
        if len(dtypes) != 1:
            raise NotTracedError
        (meets,) = dtypes
        made = np.dtype(bool) if name.startswith(("Greater", "Less", "Logical")) else meets
        given = tuple(item.number if isinstance(item, Symbol) else _number(item, meets) for item in operands)
        is_scalar = all(item.is_scalar for item in symbols)
        return self.symbol(made, Step(name, made.name, given, meets.name), is_scalar=is_scalar)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        """A function of numpy."""
        operator = _FUNCTIONS.get(name)
        if operator is None:
            raise NotTracedError

        def apply(*operands: Any, out: Any = None) -> Any:
            if not any(isinstance(item, Symbol) for item in operands):
                return getattr(np, name)(*operands)
            if operator == "Select" and not isinstance(operands[0], Symbol):
                return operands[1] if operands[0] else operands[2]
            return self.step(operator, *operands)

        return apply


def _number(value: Any, meets: Any) -> tuple[bool | int | float]:
    """A number as it is in a type: those of Python have that of what they meet, those of numpy their own."""
    if not isinstance(value, bool | int | float | np.generic) or getattr(value, "dtype", meets) != meets:
        raise NotTracedError
    return (np.asarray(value, meets).item(),)


def trace(kernel: Callable[..., Any], given: Sequence[Any]) -> TracedKernel:
    """What a kernel computes.

    Args:
        kernel: called with the array module and these values.
        given: what is known of arrays; other values as they are.

    Raises:
        NotTracedError: it does more than symbols can record.
    """
    trace = _Trace()
    values = [
        trace.symbol(item.dtype, None, is_scalar=item.is_scalar) if isinstance(item, Array) else item for item in given
    ]
    places = {item.number: place for place, item in enumerate(values) if isinstance(item, Symbol)}
    try:
        made = kernel(trace, *values)
    except (AttributeError, TypeError) as error:
        raise NotTracedError from error
    outputs = made if isinstance(made, tuple) else (made,)
    if not all(isinstance(item, Symbol) and not item.is_scalar for item in outputs):
        raise NotTracedError
    return _divide(trace, places, outputs)


def _divide(trace: _Trace, places: dict[int, int], outputs: Sequence[Symbol]) -> TracedKernel:
    """What is computed of single numbers, and the rest."""
    first, second = _needed(trace, [item.number for item in outputs])
    alone = [item for item in second if trace.symbols[item].is_scalar]
    handed = [item for item in alone if item not in places]
    body = [item for item in second if not trace.symbols[item].is_scalar]
    arrays = [item for item in body if item in places]
    direct_scalars = [item for item in alone if item in places]
    steps = [item for item in body if item not in places]
    scalar_inputs = [item for item in first if item in places]
    numbers = {item: place for place, item in enumerate((*arrays, *direct_scalars, *handed, *steps))}
    written = [item.number for item in outputs if item.number not in places]
    if not written or len(set(written)) < len(written):
        raise NotTracedError
    dtypes = [trace.symbols[item].dtype.name for item in (*arrays, *direct_scalars, *handed)]
    inputs = [Input(dtype, *(shape,) * 2) for dtype, shape in zip(dtypes, _shapes(len(arrays), dtypes), strict=True)]
    made = Cluster(
        ANY,
        tuple(inputs),
        tuple(_renumbered(trace.steps[item], numbers) for item in steps),
        tuple(Output(numbers[item]) for item in written),
    )
    return TracedKernel(
        tuple(places[item] for item in scalar_inputs),
        _of_singles(trace, scalar_inputs, [item for item in first if item not in places], handed),
        tuple(places[item] for item in arrays),
        tuple(places[item] for item in direct_scalars),
        made,
        tuple(None if item.number in places else written.index(item.number) for item in outputs),
        tuple(places.get(item.number) for item in outputs),
    )


def _shapes(arrays: int, inputs: Sequence[Any]) -> list[tuple[int, ...]]:
    return [ANY if place < arrays else _ONE for place in range(len(inputs))]


def _of_singles(trace: _Trace, read: list[int], steps: list[int], handed: list[int]) -> Cluster | None:
    if not handed:
        return None
    numbers = {item: place for place, item in enumerate((*read, *steps))}
    return Cluster(
        _ONE,
        tuple(Input(trace.symbols[item].dtype.name, _ONE, _ONE) for item in read),
        tuple(_renumbered(trace.steps[item], numbers) for item in steps),
        tuple(Output(numbers[item]) for item in handed),
    )


def _needed(trace: _Trace, wanted: Sequence[int]) -> tuple[list[int], list[int]]:
    """What the arrays are computed from, in order: what single numbers need, and the rest with those it reads."""
    first: set[int] = set()
    second: set[int] = set()
    waiting = [(item, False) for item in wanted]
    while waiting:
        item, is_first = waiting.pop()
        found = first if is_first else second
        if item in found:
            continue
        found.add(item)
        step = trace.steps[item]
        # A single number is handed to the arrays: what it needs itself comes before.
        if step is not None:
            is_before = trace.symbols[item].is_scalar
            if is_before:
                first.add(item)
            waiting.extend((operand, is_before) for operand in step.operands if isinstance(operand, int))
    return sorted(first), sorted(second)


def _renumbered(step: Step | None, numbers: dict[int, int]) -> Step:
    assert step is not None  # noqa: S101
    operands = tuple(numbers[item] if isinstance(item, int) else item for item in step.operands)
    return Step(step.name, step.dtype, operands, step.meets)
