"""The list of programs with their arguments, and the tensors that most of them are given."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from framework import Tensor

Program = Callable[..., Any]


def T(*numbers: float, d: npt.DTypeLike = np.float32) -> Tensor:  # noqa: N802
    """A tensor: of no dimensions for one number, else a vector."""
    return Tensor(np.array(numbers if len(numbers) != 1 else numbers[0], d))


X = Tensor(np.array([[1.0, -2, 3], [4, 5, -6]], np.float32))
V = T(1.0, 2.0, 3.0)
S = T(2.0)
CASES: list[tuple[Program, tuple[Any, ...]]] = []


def case(*arguments: Any) -> Callable[[Program], Program]:
    """Put a program on the list, with the arguments to call it with."""

    def keep(program: Program) -> Program:
        CASES.append((program, arguments))
        return program

    return keep
