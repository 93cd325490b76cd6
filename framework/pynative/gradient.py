"""Gradients of Python callables in PyNative mode: run the callable with the tape on, then go backward over it.

`GradOperation`, `grad` and `value_and_grad` call `value_and_gradient`; one inside another gives higher orders.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from framework.common.parameter import Parameter
from framework.common.tensor import Tensor, from_array
from framework.ops import operations as P  # noqa: N812
from framework.pynative.backward import backward
from framework.pynative.tape import tape
from framework.pynative.watched import is_watched, name_recorded, name_variable

__all__ = ["is_recording", "record", "value_and_gradient"]

_add = P.Add()
_zeros_like = P.ZerosLike()
_ones_like = P.OnesLike()


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
        fn: a Cell or any function; of what it computes with tensors it may close over, none counts as a variable.
        args: what it is called with.
        positions: which of them gradients are taken by: tensors, numbers, or tuples and lists of them.
        weights: parameters that gradients are taken by.
        sens: the gradient with respect to the value, of the same structure; ones where it is left out.
        has_aux: `fn` returns a tuple, of which only the first item is differentiated.

    Returns:
        The value; per position the gradient, of the argument's structure; per weight the gradient.

    Raises:
        TypeError: an argument to differentiate by, or the value, is no tensor; `sens` does not fit the value.

    """
    with tape.lock:
        start = tape.begin()
        before = [weight._node for weight in weights]
        try:
            variables: list[int] = []
            called = list(args)
            for position in positions:
                called[position] = _variable(called[position], variables, position)
            count = len(variables)
            for weight in weights:
                number = tape.variable(weight)
                if is_watched():
                    name_variable(number, weight.name)
                variables.append(number)
                weight._node = number
            out = fn(*called)
            seeds = _seeds(out[0] if has_aux and isinstance(out, tuple) else out, sens, start)
            found = backward(tape, seeds, variables, _add)
        finally:
            for weight, number in zip(weights, before, strict=True):
                weight._node = number
            tape.end()
    inputs = iter(found[:count])
    by_input = tuple(_like(args[position], inputs) for position in positions)
    by_weight = tuple(
        _zeros_like(weight) if gradient is None else gradient
        for weight, gradient in zip(weights, found[count:], strict=True)
    )
    return out, by_input, by_weight


def is_recording() -> bool:
    """Whether a gradient is being taken."""
    return tape.depth > 0


def record(bprop: Callable[..., Any], inputs: Sequence[Tensor], outputs: Any, kind: str = "Call") -> Any:
    """Record what was executed by other means, such as a compiled graph or a Cell with a `bprop` of its own.

    Args:
        bprop: from (*inputs, outputs, gradient of the outputs) to a tuple of one gradient per input.
        inputs: the tensors that outputs depend on.
        outputs: a tensor, or a tuple of tensors.
        kind: what was executed, for its name.

    Returns:
        The outputs, which now depend on the inputs.

    """
    nodes = tuple(item._node if isinstance(item, Tensor) else 0 for item in inputs)
    if not tape.is_active(list(nodes)):
        return outputs
    values = tuple(item._data if isinstance(item, Tensor) else item for item in inputs)
    if is_watched():
        name_recorded(tape.first + len(tape.entries) + 1, kind)
    made = tuple(item._data for item in outputs) if isinstance(outputs, tuple) else outputs._data
    return tape.result(bprop, nodes, values, made)


def _variable(item: Any, variables: list[int], position: int) -> Any:
    """A tensor that is a variable of this gradient, for a tensor, a number or a structure of them."""
    if isinstance(item, list | tuple):
        return type(item)(_variable(part, variables, position) for part in item)
    if isinstance(item, int | float) and not isinstance(item, bool):
        item = Tensor(float(item))
    if not isinstance(item, Tensor):
        raise TypeError(
            f"argument {position} is a {type(item).__name__}: gradients are taken by tensors; "
            "name the positions of tensors with grad_position"
        )
    number = tape.variable(item)
    if is_watched():
        name_variable(number, f"x{position}")
    variables.append(number)
    return from_array(item._data, number)


def _like(item: Any, gradients: Iterator[Tensor | None]) -> Any:
    """Gradients in the structure of an argument; what nothing depends on has gradient 0."""
    if isinstance(item, list | tuple):
        return tuple(_like(part, gradients) for part in item)
    gradient = next(gradients)
    if gradient is not None:
        return gradient
    return _zeros_like(item if isinstance(item, Tensor) else Tensor(float(item)))


def _seeds(out: Any, sens: Any, start: int) -> list[tuple[int, Tensor]]:
    """Numbers of the outputs that depend on variables of this gradient, with the gradient of each."""
    outputs = list(_tensors(out))
    if not outputs:
        raise TypeError(
            f"the function returned {type(out).__name__}: only functions that return tensors have gradients"
        )
    given: list[Any] = [None] * len(outputs) if sens is None else list(_tensors(sens))
    if len(given) != len(outputs):
        raise TypeError(f"the function returned {len(outputs)} tensors, sens holds {len(given)}: pass one for each")
    seeds = []
    for tensor, seed in zip(outputs, given, strict=True):
        if seed is not None and seed.shape != tensor.shape:
            raise ValueError(f"sens of shape {tuple(seed.shape)} does not fit an output of shape {tuple(tensor.shape)}")
        if tensor._node > start:
            seeds.append((tensor._node, _ones_like(from_array(tensor._data)) if seed is None else seed))
    return seeds


def _tensors(value: Any) -> Iterator[Tensor]:
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
