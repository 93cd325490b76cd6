"""Every primitive, with gradients, in programs for tensors of any length: right for each length, or refused."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from framework import Tensor
from framework.ad import value_and_grad
from framework.engine.arguments import abstract_of_argument
from framework.engine.compiler import program_of
from tests.framework.ops.every import PROGRAMS
from tests.framework.ops.programs import Program


def flat(value: Any) -> list[Any]:
    if isinstance(value, tuple | list):
        return [item for part in value for item in flat(part)]
    return [] if value is None else [value.asnumpy() if isinstance(value, Tensor) else value]


def total(program: Program) -> Any:
    def function(*inputs: Any) -> Any:
        return (program.fn(*inputs) * 1.5).sum()

    return value_and_grad(function, tuple(range(len(program.inputs))))


OPEN = [
    pytest.param(program, opened, id=f"{program.name} {opened}")
    for program in PROGRAMS
    for opened in sorted({(place,) for place in range(len(program.inputs))} | {tuple(range(len(program.inputs)))})
    if all(program.inputs[place].ndim and len(program.inputs[place]) > 1 for place in opened)
]


@pytest.mark.parametrize(("program", "opened"), OPEN)
def test_a_primitive_of_any_length(program: Program, opened: tuple[int, ...]) -> None:
    function = total(program)
    given = [Tensor(item) for item in program.inputs]
    known_as = [abstract_of_argument(item) for item in given]
    for place in opened:
        known_as[place] = replace(known_as[place], shape=(None, *given[place].shape[1:]))  # type: ignore[type-var]
    try:
        compiled = program_of(function, known_as, {}, function)
    except (TypeError, ValueError):
        # It needs the length: functions that use it are compiled once for each.
        return
    longer = [
        Tensor(np.concatenate([item, item[:1]])) if place in opened else given[place]
        for place, item in enumerate(program.inputs)
    ]
    for inputs in (given, longer):
        try:
            wanted = function(*inputs)
            got = compiled([item._data for item in inputs])
        except (TypeError, ValueError, IndexError):
            # This length does not fit the other arguments.
            assert inputs is longer
            continue
        for one, other in zip(flat(got), flat(wanted), strict=True):
            assert np.shape(one) == np.shape(other)
            np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-9)
