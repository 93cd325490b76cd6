"""Every program's text, before and after the passes, is read back to a program of the same text."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

import framework as ms
from framework import Tensor
from framework.infer import specialize
from framework.ir.abstract import AbstractTensor
from framework.ir.anf import FuncGraph
from framework.ir.reading import read_text
from framework.ir.text import to_text
from framework.ir.verify import verify
from framework.opt.pipeline import optimize
from tests.framework import programs
from tests.framework.ir.programs import operator
from tests.framework.test_random_programs import function_of, sources

COUNT = 200 if os.environ.get("MINDINSIGHT_TEST_COUNTS") == "long" else 4
X = AbstractTensor((2,), ms.float64)


def reads_back(root: FuncGraph) -> None:
    for notes in (True, False):
        text = to_text(root, notes=notes)
        read = read_text(text, operator)
        verify(read, typed=True)
        assert to_text(read, notes=notes) == text


def every_stage_reads_back(function: Callable[[Any], Any]) -> None:
    """The text of a program and its gradient, before and after the passes."""
    root = specialize(ms.value_and_grad(lambda x: function(x).sum()), [X]).root
    reads_back(root)
    optimize(root)
    reads_back(root)


@settings(max_examples=COUNT, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
@given(sources())
def test_random_programs_are_read_back(source: str) -> None:
    every_stage_reads_back(function_of(source))


@pytest.mark.parametrize("program", programs.EVERY)
def test_programs_of_every_kind_are_read_back(program: Callable[[Any], Any]) -> None:
    every_stage_reads_back(program)


WIDE, NARROW = Tensor(np.arange(9.0)), Tensor(np.array([0.5, -np.inf]))


def speaks(x: Any) -> Any:
    assert x.sum() > 0.0, "brackets ) ] } > , and 'quotes' in \"texts\""
    print(f"{x.sum():.2f}", "a, (b", end="%\n")  # noqa: T201
    return {"a": x + NARROW, (1, "b"): [WIDE, (x.astype(ms.float16), x.shape)]}


def test_constants_texts_and_dictionaries_are_read_back() -> None:
    root = specialize(speaks, [X]).root
    reads_back(root)
    optimize(root)
    reads_back(root)
