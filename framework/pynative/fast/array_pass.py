"""Backward over the tape on arrays, without tensors: where nothing is recorded or watched meanwhile."""

from __future__ import annotations

from typing import Any

import numpy as np

from framework.common.tensor import Tensor, from_array
from framework.ops.calls import make_pulls_with
from framework.pynative.backward import apply, is_differentiable, set_shortcut
from framework.pynative.fast.array_backward import give, pull_of
from framework.pynative.tape import Add, Tape

__all__ = ["backward_on_arrays", "install", "pull_on_tensors"]


def backward_on_arrays(
    tape: Tape, seeds: list[tuple[int, Tensor]], variables: list[int], add: Add
) -> list[Tensor | None]:
    """The same as `framework.pynative.backward.backward`, on arrays; used while nothing is recorded or watched."""
    first = min(variables) - 1 if variables else 0
    entries, before = tape.entries, tape.first + 1 - first
    last = max([first, *[number for number, _ in seeds]])
    #: The gradient of each entry behind `first`, at the place of its number less `first`.
    gradients: list[Any] = [None] * (last - first + 1)
    for number, seed in seeds:
        give(gradients, number - first, seed._data, add)
    found: dict[int, Any] = {}
    for place in range(last - first, 0, -1):
        gradient = gradients[place]
        if gradient is None:
            continue
        gradients[place] = None
        entry = entries[place - before]
        operator = entry[0]
        if operator is None:
            found[place + first] = gradient
            if entry[1] > first:
                give(gradients, entry[1] - first, gradient, add)
            continue
        try:
            if operator.pull(entry, gradient, gradients, first, add):
                continue
        except (AttributeError, IndexError, TypeError, ValueError):
            pass  # no primitive, or an error, which the backward function itself will raise
        if type(operator) is int:
            made_by = entry[1] - first
            if gradients[made_by] is None:
                gradients[made_by] = [None] * len(entries[made_by - before][-1])
            give(gradients[made_by], operator, gradient, add)
        elif is_differentiable(operator, entry[-1]):
            pull_on_tensors(tape, place + first, gradient, gradients, first, add)
    return [from_array(_as_array(found[number])) if number in found else None for number in variables]


def pull_on_tensors(tape: Tape, number: int, gradient: Any, gradients: list[Any], first: int, add: Add) -> None:
    """Call the backward function of an entry and give the inputs their gradients."""
    parents = tape.entry(number)[1]
    results = apply(tape, number, _as_tensors(gradient))
    for parent, result in zip(parents, results, strict=True):
        if result is None:
            continue
        parts = zip(parent, result, strict=True) if type(parent) is list else [(parent, result)]
        for part, of_part in parts:
            if part > first:
                give(gradients, part - first, of_part, add)


def _as_array(gradient: Any) -> Any:
    """A gradient as an array: numpy's scalars stand for those without dimensions."""
    return np.asarray(gradient) if isinstance(gradient, np.generic) else gradient


def _as_tensors(gradient: Any) -> Any:
    if type(gradient) is list:
        return {index: from_array(_as_array(array)) for index, array in enumerate(gradient) if array is not None}
    return from_array(_as_array(gradient))


def install() -> None:
    """Go backward on arrays where that is possible."""
    make_pulls_with(pull_of)
    set_shortcut(backward_on_arrays)
