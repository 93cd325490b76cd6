"""Gradients of Python callables in PyNative mode: run the callable with the tape on, then go backward over it.

`GradOperation`, `grad` and `value_and_grad` call `value_and_gradient`; one inside another gives higher orders.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from framework.common.parameter import Parameter
from framework.common.tensor import Tensor, from_array
from framework.ir.operators import in_kind_of
from framework.ops import operations as P  # noqa: N812
from framework.pynative.backward import backward
from framework.pynative.tape import tape
from framework.pynative.taps import is_watched, name_recorded, name_variable

__all__ = [
    "in_place_of_compiled", "is_recording", "pullback", "pushforward", "record", "runs_in_place_of_compiled",
    "value_and_gradient",
]  # fmt: skip

_add = P.Add()
_zeros_like = P.ZerosLike()
_ones_like = P.OnesLike()

_conj = P.Conj()

_TOO_DEEP = (
    "the function calls itself deeper than Python's limit of {limit} calls: while a gradient is taken in PyNative mode "
    "functions run line by line, those under ms.jit too. Take the gradient of the jitted function itself, ms.grad(f), "
    "or within a function under ms.jit, or in graph mode, none of which knows a limit"
)


def value_and_gradient(
    fn: Callable[..., Any],
    args: Sequence[Any],
    positions: Sequence[int] = (0,),
    weights: Sequence[Parameter] = (),
    sens: Any = None,
    has_aux: bool = False,
) -> tuple[Any, tuple[Any, ...], tuple[Tensor, ...]]:
    """The value of `fn(*args)` and its gradients.

    Args:
        fn: a Cell or any function; tensors in its closure are no variables.
        args: the arguments of the call.
        positions: the positions of the arguments to differentiate by: tensors, numbers, or tuples and lists of them.
        weights: the parameters to differentiate by.
        sens: the gradient with respect to the value, of the same structure; ones if it is left out.
        has_aux: whether `fn` returns a tuple of which only the first item is differentiated.

    Returns:
        The value; for each position the gradient, in the structure of the argument; for each weight the gradient.

    Raises:
        TypeError: an argument to differentiate by, or the value, is no tensor; `sens` does not fit the value.
        RecursionError: `fn` calls itself deeper than Python allows.

    """
    with tape.lock:
        start = tape.begin()
        before = [weight._node for weight in weights]
        try:
            out, main, variables = _run(fn, args, positions, weights, has_aux=has_aux)
            seeds = [(number, conjugate(seed)) for number, seed in _seeds(main, (sens,), start)]
            found = map(conjugate, backward(tape, seeds, variables, _add))
        finally:
            for weight, number in zip(weights, before, strict=True):
                weight._node = number
            tape.end()
    by_input = tuple([_like(args[position], found) for position in positions])
    return out, by_input, tuple([_zeros_like(w) if g is None else g for w, g in zip(weights, found, strict=True)])


def conjugate(gradient: Any) -> Any:
    """The gradient by a complex tensor as users know it, from what operators compute, or the other way round.

    Users get df/dx + i df/dy for a real value f of z = x + iy, as in MindSpore: the direction in which f grows. The
    operators' rules compute its conjugate, with which the rules of products and powers are those of real numbers.

    Args:
        gradient: a tensor, which stays as it is if it is real; or None.
    """
    if gradient is None or gradient._data.dtype.kind != "c":
        return gradient
    return _conj(gradient)


@contextlib.contextmanager
def pullback(
    fn: Callable[..., Any],
    args: Sequence[Any],
    positions: Sequence[int],
    weights: Sequence[Parameter] = (),
    *,
    has_aux: bool = False,
) -> Iterator[tuple[Any, Callable[..., list[Tensor | None]]]]:
    """Run a function once, for any number of backward passes within the context.

    Args:
        fn, args, positions, weights, has_aux: as for `value_and_gradient`.

    Returns:
        The value of `fn(*args)`, and a function: from the gradient with respect to each tensor of the value, ones where
        it is None, to that by each variable, None where the value does not depend on it.
    """
    with _session() as start:
        before = [weight._node for weight in weights]
        try:
            out, main, variables = _run(fn, args, positions, weights, has_aux=has_aux)
            yield out, lambda *sens: backward(tape, _seeds(main, sens, start), variables, _add)
        finally:
            for weight, number in zip(weights, before, strict=True):
                weight._node = number


def _run(
    fn: Callable[..., Any],
    args: Sequence[Any],
    positions: Sequence[int],
    weights: Sequence[Parameter],
    *,
    has_aux: bool,
) -> tuple[Any, Any, list[int]]:
    """Call a function with its variables on the tape.

    Returns:
        Its value, the part of it that is differentiated, and the numbers of the variables.
    """
    variables: list[int] = []
    called = list(args)
    for position in positions:
        called[position] = _variable(called[position], variables, position)
    for weight in weights:
        number = tape.variable(weight)
        if is_watched():
            name_variable(number, weight.name)
        variables.append(number)
        weight._node = number
    try:
        out = fn(*called)
    except RecursionError:
        # Without its thousands of lines of the same calls.
        raise RecursionError(_TOO_DEEP.format(limit=sys.getrecursionlimit())) from None
    return out, out[0] if has_aux and isinstance(out, tuple) else out, variables


@contextlib.contextmanager
def pushforward(
    fn: Callable[..., Any], args: Sequence[Any], positions: Sequence[int], *, has_aux: bool = False
) -> Iterator[tuple[Any, Callable[..., Any]]]:
    """As `pullback`, with a function from vectors, one for each variable, to the derivative of the value along them.

    The gradient is linear in what it is taken with, and going backward through that is going forward: the tape holds
    the way back from a variable in place of the gradient of each output.
    """
    with _session() as start:
        with pullback(fn, args, positions, has_aux=has_aux) as (out, pull):
            outputs = list(_tensors(out[0] if has_aux and isinstance(out, tuple) else out))
            variables: list[int] = []
            zeros = [_zeros_like(from_array(x._data)) for x in outputs]
            seeds = [_variable(zero, variables, place) for place, zero in enumerate(zeros, len(args))]
            gradients = pull(*seeds)

        def push(*vectors: object) -> Any:
            fitting = list(_tensors(vectors))
            inputs = [x for position in positions for x in _tensors(args[position])]
            if [tuple(x.shape) for x in fitting] != [tuple(x.shape) for x in inputs]:
                shapes = ", ".join(str(tuple(x.shape)) for x in inputs)
                raise ValueError(f"the vectors must have the shapes of the inputs, {shapes}")
            pairs = [(g, v) for g, v in zip(gradients, fitting, strict=True) if g is not None and g._node > start]
            found = backward(tape, [(g._node, v) for g, v in pairs], variables, _add)
            made = iter(_zeros_like(x) if g is None else g for x, g in zip(outputs, found, strict=True))
            return _like(out[0] if has_aux and isinstance(out, tuple) else out, made)

        yield out, push


@contextlib.contextmanager
def _session() -> Iterator[int]:
    """While a gradient is being taken; gives the number of the last entry before it."""
    with tape.lock:
        start = tape.begin()
        try:
            yield start
        finally:
            tape.end()


def is_recording() -> bool:
    """Whether a gradient is being taken."""
    return tape.depth > 0


_bodies = 0


@contextlib.contextmanager
def in_place_of_compiled() -> Iterator[None]:
    """While a function that is compiled otherwise runs line by line for the tape: what only PyNative does stays out."""
    global _bodies
    _bodies += 1
    try:
        yield
    finally:
        _bodies -= 1


def runs_in_place_of_compiled() -> bool:
    """Whether what runs now is compiled when no gradient is taken."""
    return _bodies > 0


def record(bprop: Callable[..., Any], inputs: Sequence[Tensor], outputs: Any, kind: str = "Call") -> Any:
    """Record an execution other than that of a primitive, such as of a compiled graph or a Cell with its own `bprop`.

    Args:
        bprop: from (*inputs, outputs, gradient of the outputs) to a tuple of one gradient per input.
        inputs: the tensors that the outputs depend on.
        outputs: a tensor, or a tuple of tensors.
        kind: the kind of execution, a part of its name.

    Returns:
        The outputs, which now depend on the inputs.

    """
    nodes = tuple(item._node if isinstance(item, Tensor) else 0 for item in inputs)
    if not any(map(tape.is_active, nodes)):
        return outputs
    values = tuple(item._data if isinstance(item, Tensor) else item for item in inputs)
    if is_watched():
        name_recorded(tape.first + len(tape.entries) + 1, kind)
    made = tuple(item._data for item in outputs) if isinstance(outputs, tuple) else outputs._data
    return tape.result(bprop, nodes, values, made)


def _variable(item: Any, variables: list[int], position: int) -> Any:
    """A tensor that is a variable of this gradient, for a tensor, a number or a structure of them."""
    if isinstance(item, list | tuple):
        return in_kind_of(item, [_variable(part, variables, position) for part in item])
    if isinstance(item, dict):
        return {key: _variable(part, variables, position) for key, part in item.items()}
    if isinstance(item, int | float) and not isinstance(item, bool):
        item = Tensor(float(item))
    if not isinstance(item, Tensor):
        raise TypeError(
            f"argument {position} is a {type(item).__name__}, but gradients are taken with respect to tensors: "
            "name their positions with grad_position"
        )
    number = tape.variable(item)
    if is_watched():
        name_variable(number, f"x{position}")
    variables.append(number)
    return from_array(item._data, number)


def _like(item: Any, gradients: Iterator[Tensor | None]) -> Any:
    """Gradients in the structure of an argument, 0 for what the value does not depend on."""
    if isinstance(item, list | tuple):
        parts = [_like(part, gradients) for part in item]
        return parts if isinstance(item, list) else tuple(parts)
    if isinstance(item, dict):
        return {key: _like(part, gradients) for key, part in item.items()}
    gradient = next(gradients)
    if gradient is not None:
        return gradient
    return _zeros_like(item if isinstance(item, Tensor) else Tensor(float(item)))


def _seeds(out: Any, sens: tuple[Any, ...], start: int) -> list[tuple[int, Tensor]]:
    """Numbers of the outputs that depend on variables of this gradient, with the gradient of each."""
    if type(out) is Tensor and sens[0] is None:
        return [(out._node, _ones_like(from_array(out._data)))] if out._node > start else []
    outputs = list(_tensors(out))
    if not outputs:
        raise TypeError(
            f"the function returned {type(out).__name__}: only functions that return tensors have gradients"
        )
    given: list[Tensor] | list[None] = [None] * len(outputs) if sens[0] is None else list(_tensors(sens))
    if len(given) != len(outputs):
        raise TypeError(f"the function returned {len(outputs)} tensors, sens holds {len(given)}: pass one for each")
    seeds = []
    for tensor, seed in zip(outputs, given, strict=True):
        if seed is not None and seed.ndim == 0 and tensor.size == 1:
            # The scale of a loss is a scalar, a loss may have the shape (1,).
            seed = seed.reshape(tensor.shape)
        if seed is not None and seed.shape != tensor.shape:
            raise ValueError(f"sens of shape {tuple(seed.shape)} does not fit an output of shape {tuple(tensor.shape)}")
        if tensor._node > start:
            seeds.append((tensor._node, _ones_like(from_array(tensor._data)) if seed is None else seed))
    return seeds


def _tensors(value: object) -> Iterator[Tensor]:
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _tensors(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from _tensors(item)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield Tensor(float(value))
