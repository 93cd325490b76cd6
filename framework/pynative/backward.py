"""Goes backward over the tape, entry by entry: from the gradients of outputs to those of variables."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

from numpy import ndarray

from framework.common import device
from framework.common.device import Array
from framework.common.tensor import Tensor, from_array
from framework.ops.gradients import bprop_getters
from framework.ops.needed import call_without
from framework.ops.primitive import Primitive
from framework.pynative.tape import Add, Parents, Tape
from framework.pynative.taps import adding_up, backward_of, going_backward, is_watched

__all__ = ["apply", "backward", "is_differentiable", "set_shortcut"]

Backward = Callable[[Tape, list[tuple[int, Tensor]], list[int], Add], list[Tensor | None]]
_shortcut: Backward | None = None


def backward(tape: Tape, seeds: list[tuple[int, Tensor]], variables: list[int], add: Add) -> list[Tensor | None]:
    """Gradients with respect to variables.

    Args:
        tape: the tape with the entries.
        seeds: numbers of outputs, each with its gradient.
        variables: the numbers of the variables of the innermost gradient.
        add: the operator that adds two gradients, so that the sum can itself be recorded.

    Returns:
        For each variable its gradient, None if no output depends on it.

    """
    if _shortcut is not None and tape.depth == 1 and not is_watched() and not tape.hooks:
        return _shortcut(tape, seeds, variables, add)
    with going_backward() if is_watched() else nullcontext():
        return _on_tensors(tape, seeds, variables, add)


def set_shortcut(shortcut: Backward) -> None:
    """Set the function that goes backward while nothing is recorded or watched; it computes the same on arrays."""
    global _shortcut
    _shortcut = shortcut


def _on_tensors(tape: Tape, seeds: list[tuple[int, Tensor]], variables: list[int], add: Add) -> list[Tensor | None]:
    """The same as `backward` with all operators on tensors, so that they can be recorded and watched."""
    gradients: dict[int, Any] = {}
    for number, seed in seeds:
        _accumulate(gradients, number, seed, add)
    first = min(variables) - 1 if variables else 0
    wanted = set(variables)
    found: dict[int, Any] = {}
    for number in range(max(gradients, default=0), first, -1):
        gradient = gradients.pop(number, None)
        if gradient is None:
            continue
        for hook in tape.hooks.get(number, ()):
            replaced = hook(gradient)
            gradient = gradient if replaced is None else replaced
        if number in wanted:
            found[number] = gradient
            continue
        operator, parents, _, out = tape.entry(number)
        if type(operator) is int:
            gradients.setdefault(parents[0], {})[operator] = gradient  # of one of several outputs
        elif operator is None:  # a variable of a gradient inside of this one
            _distribute(gradients, parents, (gradient,), first, add)
        elif is_differentiable(operator, out):
            _distribute(gradients, parents, apply(tape, number, gradient), first, add)
    return [found.get(number) for number in variables]


def _distribute(gradients: dict[int, Any], parents: Parents, results: tuple[Any, ...], first: int, add: Add) -> None:
    """Give the inputs of an entry their gradients; those up to the number `first` need none."""
    for parent, result in zip(parents, results, strict=True):
        if result is None:
            continue
        parts = zip(parent, result, strict=True) if isinstance(parent, list) else ((parent, result),)
        for part, of_part in parts:
            if part > first:
                _accumulate(gradients, part, of_part, add)


def apply(tape: Tape, number: int, gradient: Any) -> tuple[Any, ...]:
    """Call the backward function of an entry's operator with its inputs, its output and the output's gradient."""
    operator, parents, values, out = tape.entry(number)
    again = tape.depth > 1  # an outer gradient will differentiate what happens here
    inputs = [_tensors(value, parent, again) for value, parent in zip(values, parents, strict=True)]
    if type(out) is tuple:
        # The entries of the outputs follow that of the operator.
        numbers = range(number + 1, number + 1 + len(out))
        output: Any = tuple(from_array(item, n if again else 0) for item, n in zip(out, numbers, strict=True))
        dout = _of_outputs(operator, gradient, out, output)
    else:
        output, dout = from_array(out, number if again else 0), gradient
    bprop = bprop_getters.get(operator) if isinstance(operator, Primitive) else operator
    unread = [id(x) for x, parent in zip(inputs, parents, strict=True) if parent == 0]
    if is_watched():
        with backward_of(number):
            result = call_without(unread, bprop, *inputs, output, dout)
    else:
        result = call_without(unread, bprop, *inputs, output, dout)
    results = result if type(result) is tuple else (result,)
    return results if isinstance(operator, Primitive) else _of_inputs(results, len(parents))


def _of_outputs(operator: object, gradients: dict[int, Tensor], out: tuple[Array, ...], output: Any) -> Any:
    """The gradients of all outputs, zeros where there is none. Any tensor stands for one that is not read."""
    unread = operator.unread_gradients if isinstance(operator, Primitive) else ()
    found: list[Tensor | None] = [gradients.get(index) for index in range(len(out))]
    for index, given in enumerate(found):
        if given is None:
            found[index] = output[index] if index in unread else _zeros(out[index])
    return tuple(found)


def _of_inputs(results: tuple[Any, ...], count: int) -> tuple[Any, ...]:
    """The gradients that a user's backward function returned for the inputs; surplus ones belong to no input."""
    if len(results) < count:
        raise TypeError(f"bprop returns {len(results)} gradients for {count} inputs")
    return results[:count]


def _tensors(value: Any, number: int | list[int], again: bool) -> Any:
    """An input as it was: a tensor, a tuple of tensors or a Python value."""
    if isinstance(number, list):
        return tuple(from_array(item, n if again else 0) for item, n in zip(value, number, strict=True))
    if type(value) is ndarray or (hasattr(value, "dtype") and hasattr(value, "shape")):
        return from_array(value, number if again else 0)
    return value


def _accumulate(gradients: dict[int, Any], number: int, gradient: Tensor, add: Add) -> None:
    known = gradients.get(number)
    gradients[number] = gradient if known is None else _sum(add, number, known, gradient)


def _sum(add: Add, number: int, first: Tensor, second: Tensor) -> Tensor:
    """The sum of two gradients with respect to the output of an entry."""
    if not is_watched():
        return add(first, second)
    with adding_up(number):
        return add(first, second)


def _zeros(array: Array) -> Tensor:
    # Unlike `zeros_like` it gets large arrays as zeros from the system, page by page where they are read.
    return from_array(device.array_module().zeros(array.shape, array.dtype))


def is_differentiable(operator: Any, out: Array | tuple[Array, ...]) -> bool:
    """Whether gradients flow through an entry.

    They do through integers, too, as in MindSpore, where the operator has a backward function: a comparison has none.
    """
    kinds = [item.dtype.kind for item in out] if isinstance(out, tuple) else [out.dtype.kind]
    if any(kind in "fc" for kind in kinds) or not isinstance(operator, Primitive):
        return True
    return bprop_getters.has(type(operator))
