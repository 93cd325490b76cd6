"""Traces an operator's kernel into clusters: runs it once on symbols, which record its arithmetic on each element.

So an element-wise kernel that is written for numpy becomes machine code that computes the same bits. What depends only
on scalars, such as the learning rate of a step, becomes a cluster of its own that is computed once, before the cluster
of arrays. Called by the lowering of parameter updates.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from framework.kernels.fused import Cluster, Input, Output, Step
from framework.kernels.fused.cluster import ANY

__all__ = ["Array", "NotTracedError", "Symbol", "TracedKernel", "trace"]

_FUNCTIONS: Final = {
    "absolute": "Abs", "add": "Add", "divide": "Div", "maximum": "Maximum", "minimum": "Minimum", "multiply": "Mul",
    "sign": "Sign", "sqrt": "Sqrt", "square": "Square", "subtract": "Sub", "where": "Select",
}  # fmt: skip
"""The operators of generated kernels that compute the same bits as functions of numpy."""
_ONE: Final = (1,)


class NotTracedError(Exception):
    """A kernel does something else than element-wise arithmetic on values of one type."""


@dataclass(frozen=True, slots=True)
class TracedKernel:
    """A kernel as two clusters. Inputs and outputs of the kernel are named by their positions.

    Attributes:
        scalar_inputs: the scalars that the scalar cluster reads.
        scalar_cluster: what is computed from scalars alone; None if nothing is.
        array_inputs: the arrays that the array cluster reads.
        direct_scalars: the scalars that it reads after these. The outputs of the scalar cluster come last.
        array_cluster: the rest of the kernel.
        computed: for each output of the kernel the output of the array cluster; None if it is an unchanged input.
        passed_through: for each output of the kernel the input that it is; None if it is computed.
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
    """The type of an array that a kernel gets.

    Attributes:
        dtype: its element type.
        is_scalar: whether it is a single number that broadcasts to the other arrays.
    """

    dtype: np.dtype[Any]
    is_scalar: bool


class Symbol:
    """A value inside a kernel. Python's operators on it record new symbols.

    Args:
        trace: the trace that records it.
        number: its number in the trace.
        dtype: its element type.
        is_scalar: whether it is a single number, not an array.
    """

    # Numpy's numbers leave their operators to the symbol.
    __array_ufunc__ = None
    __slots__ = ("dtype", "is_scalar", "number", "trace")

    def __init__(self, trace: _Trace, number: int, dtype: np.dtype[Any], *, is_scalar: bool) -> None:
        self.trace, self.number, self.dtype, self.is_scalar = trace, number, dtype, is_scalar

    def astype(self, dtype: npt.DTypeLike, *, copy: bool = True) -> Symbol:
        """The symbol itself, which has to be of that type already."""
        if self.dtype != dtype:
            raise NotTracedError
        return self

    def __bool__(self) -> bool:
        """The value is not known when the program is compiled."""
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
    """Records the steps of a kernel, which takes it for the module numpy.

    Attributes:
        symbols: all symbols by their numbers.
        steps: the step that computes each symbol; None for an input.
    """

    def __init__(self) -> None:
        self.symbols: list[Symbol] = []
        self.steps: list[Step | None] = []

    def symbol(self, dtype: np.dtype[Any], step: Step | None, *, is_scalar: bool) -> Symbol:
        """Record the next symbol."""
        made = Symbol(self, len(self.symbols), dtype, is_scalar=is_scalar)
        self.symbols.append(made)
        self.steps.append(step)
        return made

    def step(self, name: str, *operands: Any) -> Symbol:
        """Record an operator on symbols and numbers; returns its result."""
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
        """A function of numpy, which records a step."""
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


def _number(value: object, meets: np.dtype[Any]) -> tuple[bool | int | float]:
    """A number as a constant of an element type. Python's numbers take any type, numpy's have to be of this one."""
    if not isinstance(value, bool | int | float | np.generic) or getattr(value, "dtype", meets) != meets:
        raise NotTracedError
    return (np.asarray(value, meets).item(),)


def trace(kernel: Callable[..., Any], given: Sequence[Any]) -> TracedKernel:
    """Trace a kernel.

    Args:
        kernel: is called with the array module and the values.
        given: the type of each array (`Array`); other values as they are.

    Raises:
        NotTracedError: the kernel does something that symbols cannot record.
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
    return _partition(trace, places, outputs)


@dataclass(frozen=True)
class _Parts:
    """The symbols that the outputs of a kernel need, by number, in the order in which they were recorded.

    Attributes:
        scalar_inputs: scalars that the scalar cluster reads.
        scalar_steps: scalars that it computes.
        arrays: arrays that the array cluster reads.
        direct_scalars: scalars among the kernel's inputs that the array cluster reads.
        computed_scalars: scalars that the array cluster reads from the scalar cluster.
        array_steps: arrays that the array cluster computes.
    """

    scalar_inputs: list[int]
    scalar_steps: list[int]
    arrays: list[int]
    direct_scalars: list[int]
    computed_scalars: list[int]
    array_steps: list[int]

    @property
    def array_inputs(self) -> list[int]:
        """All that the array cluster reads, in the order of its inputs."""
        return [*self.arrays, *self.direct_scalars, *self.computed_scalars]


def _partition(trace: _Trace, places: Mapping[int, int], outputs: Sequence[Symbol]) -> TracedKernel:
    """Divide a trace into a cluster of scalars and a cluster of arrays.

    Args:
        trace: the trace.
        places: for symbols that are inputs of the kernel, their positions.
        outputs: the outputs of the kernel.

    Raises:
        NotTracedError: nothing is computed, or an output is returned twice.
    """
    parts = _parts_of(trace, places, outputs)
    written = [item.number for item in outputs if item.number not in places]
    if not written or len(set(written)) < len(written):
        raise NotTracedError
    return TracedKernel(
        _positions(parts.scalar_inputs, places),
        _scalar_cluster(trace, parts) if parts.computed_scalars else None,
        _positions(parts.arrays, places),
        _positions(parts.direct_scalars, places),
        _array_cluster(trace, parts, written),
        tuple(None if item.number in places else written.index(item.number) for item in outputs),
        tuple(places.get(item.number) for item in outputs),
    )


def _positions(symbols: Sequence[int], places: Mapping[int, int]) -> tuple[int, ...]:
    return tuple(places[item] for item in symbols)


def _parts_of(trace: _Trace, places: Mapping[int, int], outputs: Sequence[Symbol]) -> _Parts:
    """The symbols that outputs need, by the cluster that reads or computes them."""
    before, needed = _needed(trace, [item.number for item in outputs])
    scalar_inputs, scalar_steps = _separated(before, places.__contains__)
    scalars, arrays = _separated(needed, lambda item: trace.symbols[item].is_scalar)
    direct_scalars, computed_scalars = _separated(scalars, places.__contains__)
    array_inputs, array_steps = _separated(arrays, places.__contains__)
    return _Parts(scalar_inputs, scalar_steps, array_inputs, direct_scalars, computed_scalars, array_steps)


def _separated(items: Sequence[int], condition: Callable[[int], bool]) -> tuple[list[int], list[int]]:
    """The items for which a condition holds, and the others."""
    return [item for item in items if condition(item)], [item for item in items if not condition(item)]


def _array_cluster(trace: _Trace, parts: _Parts, written: Sequence[int]) -> Cluster:
    shapes = [ANY] * len(parts.arrays) + [_ONE] * (len(parts.direct_scalars) + len(parts.computed_scalars))
    return _cluster(trace, ANY, list(zip(parts.array_inputs, shapes, strict=True)), parts.array_steps, written)


def _scalar_cluster(trace: _Trace, parts: _Parts) -> Cluster:
    inputs = [(item, _ONE) for item in parts.scalar_inputs]
    return _cluster(trace, _ONE, inputs, parts.scalar_steps, parts.computed_scalars)


def _cluster(
    trace: _Trace,
    shape: tuple[int, ...],
    inputs: Sequence[tuple[int, tuple[int, ...]]],
    steps: Sequence[int],
    outputs: Sequence[int],
) -> Cluster:
    """A cluster of symbols, which are numbered anew: its inputs first, then its steps."""
    numbers = {item: place for place, item in enumerate((*(item for item, _ in inputs), *steps))}
    return Cluster(
        shape,
        tuple(Input(trace.symbols[item].dtype.name, one, one) for item, one in inputs),
        tuple(_renumbered(trace.steps[item], numbers) for item in steps),
        tuple(Output(numbers[item]) for item in outputs),
    )


def _needed(trace: _Trace, wanted: Sequence[int]) -> tuple[list[int], list[int]]:
    """The symbols that outputs are computed from, in order: those that scalars need, and those that arrays read."""
    before: set[int] = set()
    needed: set[int] = set()
    worklist = [(item, False) for item in wanted]
    while worklist:
        item, is_before = worklist.pop()
        found = before if is_before else needed
        if item in found:
            continue
        found.add(item)
        step = trace.steps[item]
        if step is not None:
            # The array cluster reads a scalar that was computed before; so its operands are needed before, too.
            is_scalar = trace.symbols[item].is_scalar
            if is_scalar:
                before.add(item)
            worklist.extend((operand, is_scalar) for operand in step.operands if isinstance(operand, int))
    return sorted(before), sorted(needed)


def _renumbered(step: Step | None, numbers: Mapping[int, int]) -> Step:
    assert step is not None  # noqa: S101
    operands = tuple(numbers[item] if isinstance(item, int) else item for item in step.operands)
    return Step(step.name, step.dtype, operands, step.meets)
